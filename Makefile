# The few commands a person needs; the build itself is CMake's.
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SCENE ?= bar
CMAKE_FLAGS ?=
MAKEFLAGS += --no-print-directory
SOURCES = $(shell find src include test examples bench -name '*.[ch]' -o -name '*.cpp')

# Packages come before the build, also with make -j.
.NOTPARALLEL:
.PHONY: all demo check papers format format-check install clean deps

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

# Every figure of the papers, and papers/index.html with all of them.
papers: all
	$(BUILD)/sinew paper --all -o papers

format:
	@clang-format -i $(SOURCES)

format-check:
	@clang-format --dry-run -Werror $(SOURCES)

install: all
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"

clean:
	rm -rf $(BUILD) demo papers
