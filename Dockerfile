# Sinew in a container: docker build -t sinew . && docker run --rm -v "$PWD:/work" sinew run scene.yaml
FROM debian:12-slim AS build
COPY . /src
WORKDIR /src
RUN apt-get update -qq && scripts/install-deps && apt-get install -y -qq --no-install-recommends dpkg-dev python3 && make deb

FROM debian:12-slim
COPY --from=build /src/build/deb/*.deb /tmp/
# Mesa's drivers and ffmpeg are for pictures and films.
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends /tmp/sinew_*.deb /tmp/libsinew0*.deb /tmp/python3-sinew_*.deb \
        libegl1 libgl1 libgl1-mesa-dri ffmpeg \
    && rm -rf /var/lib/apt/lists/* /tmp/*.deb
WORKDIR /work
ENTRYPOINT ["sinew"]
