# The few commands a person needs; the build itself is CMake's.
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SCENE ?= bar
CMAKE_FLAGS ?=
MAKEFLAGS += --no-print-directory
SOURCES = $(shell find src include test examples bench fuzz torture -name '*.[ch]' -o -name '*.cpp')

# Packages come before the build, also with make -j.
.NOTPARALLEL:
.PHONY: all demo check papers fuzz torture format format-check install clean deps

all:
	@cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release $(CMAKE_FLAGS)
	@cmake --build $(BUILD) -j $(JOBS) --target sinew sinew_static sinew_shared

deps:
	@scripts/install-deps

# A run file, a picture and a film of the default scene.
demo: deps all
	@mkdir -p demo
	$(BUILD)/sinew gallery $(SCENE) -o demo/$(SCENE).run
	$(BUILD)/sinew render demo/$(SCENE).run -o demo/$(SCENE).png
	$(BUILD)/sinew render demo/$(SCENE).run -o demo/$(SCENE).mp4
	@echo
	@echo "demo/$(SCENE).run  the run, for sinew stats, export and render"
	@echo "demo/$(SCENE).png  its last frame"
	@echo "demo/$(SCENE).mp4  the film"

check: deps
	@cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DSINEW_TESTS=ON -DSINEW_WERROR=ON $(CMAKE_FLAGS)
	@cmake --build $(BUILD) -j $(JOBS)
	@scripts/check $(BUILD)

# Every figure of the papers, and papers/index.html with all of them, which docs/papers has a copy of.
papers: all
	$(BUILD)/sinew paper --all -o papers
	@mkdir -p docs/papers && rm -f docs/papers/* && cp papers/index.html papers/*.svg papers/*.png docs/papers

# Every harness under address and undefined-behaviour sanitizers, for so long each; what is new goes into build-fuzz/corpus.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?= mesh scene picture run_file state api expression
fuzz:
	@cmake -S . -B build-fuzz -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
	    -DSINEW_FUZZ=ON -DSINEW_TESTS=ON -DSINEW_PROGRAM=OFF -DSINEW_INSTALL=OFF -DSINEW_SANITIZE=address,undefined $(CMAKE_FLAGS)
	@cmake --build build-fuzz -j $(JOBS) --target $(FUZZ_TARGETS:%=fuzz_%)
	@for target in $(FUZZ_TARGETS); do mkdir -p build-fuzz/corpus/$$target; \
	    build-fuzz/fuzz_$$target -max_total_time=$(FUZZ_SECONDS) -timeout=60 -rss_limit_mb=4000 -print_final_stats=1 \
	    -artifact_prefix=build-fuzz/$$target- build-fuzz/corpus/$$target fuzz/corpus/$$target || exit 1; done

# Random scenes, kills, failing memory and full disks, until stopped or for TORTURE_SECONDS.
TORTURE_SECONDS ?= 600
TORTURE_SEED ?= $(shell date +%s)
torture: CMAKE_FLAGS += -DSINEW_TESTS=ON
torture: deps
	@cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release $(CMAKE_FLAGS)
	@cmake --build $(BUILD) -j $(JOBS) --target torture sinew
	@$(BUILD)/torture strict=1 seed=$(TORTURE_SEED) count=1000000000 seconds=$(TORTURE_SECONDS)

format:
	@clang-format -i $(SOURCES)

format-check:
	@clang-format --dry-run -Werror $(SOURCES)

install: all
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"

clean:
	rm -rf $(BUILD) demo papers
