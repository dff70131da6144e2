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
.PHONY: all demo check python tarball deb wheel site papers fuzz sanitize coverage torture FORCE format format-check install clean deps

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

# The Python module with the library in it: PYTHONPATH=build/python python3 -c 'import sinew'.
python: all
	@rm -rf $(BUILD)/python && mkdir -p $(BUILD)/python && cp -r python/sinew $(BUILD)/python
	@python3 python/make_api.py include $(BUILD)/python/sinew/_api.py && cp -L $(BUILD)/libsinew.so $(BUILD)/python/sinew
	@echo "$(BUILD)/python/sinew: put $(BUILD)/python on PYTHONPATH"

# Packages of what was built, each under $(BUILD): a folder that runs anywhere, .debs, a wheel.
tarball deb wheel: all
	@scripts/make-$@ $(BUILD)

# The documentation as HTML, with search, and the gallery run, drawn and filmed: build/site/index.html.
site: all
	@scripts/make-site $(BUILD) --pictures

# Every figure of the papers, and papers/index.html with all of them, which docs/papers has a copy of.
papers: all
	$(BUILD)/sinew paper --all -o papers
	@mkdir -p docs/papers && rm -f docs/papers/* && cp papers/index.html papers/*.svg papers/*.png docs/papers

# Builds with sanitizers, by clang: address with undefined behaviour, handles that are checked, and libFuzzer; thread;
# memory, in which what libraries that are not built with it allocate counts as written; our own memory always is.
# `make sanitize` runs all tests in each, SHARE=1 a share of them.
SANITIZERS ?= address thread memory
SHARE ?=
SANITIZE_address = -DSINEW_SANITIZE=address,undefined -DSINEW_FUZZ=ON -DSINEW_CHECK_HANDLES=ON
SANITIZE_thread = -DSINEW_SANITIZE=thread
SANITIZE_memory = -DSINEW_SANITIZE=memory -DSINEW_PROGRAM=OFF
# What of them is run with SHARE=1, without the program but for threads, which it has most of, and what the torture does
# then.
SHARE_address = test_core fuzz-replay torture
SHARE_thread = test_core test_live torture
SHARE_memory = test_core test_obstacle torture
SHARE_FLAGS_address = -DSINEW_PROGRAM=OFF
TORTURE_address = scenes memory seed=22 count=5
TORTURE_thread = scenes seed=23 count=5
TORTURE_memory = scenes seed=22 count=5
sanitize: $(SANITIZERS:%=sanitize-%)
.PRECIOUS: build-%
build-%: FORCE
	@cmake -S . -B build-$* -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O2 -g1" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
	    -DSINEW_TESTS=ON -DSINEW_INSTALL=OFF -DSINEW_ONE_ISA=ON $(if $(SHARE),$(SHARE_FLAGS_$*)) $(SANITIZE_$*) $(CMAKE_FLAGS)
sanitize-%: build-%
	@cmake --build build-$* -j $(JOBS) $(if $(SHARE),--target $(subst fuzz-,fuzz_,$(SHARE_$*)))
	@SINEW_CHECK_SANITIZERS= SINEW_CHECK_SHARE= TSAN_OPTIONS="halt_on_error=1 suppressions=$(CURDIR)/scripts/thread-sanitizer.txt" MSAN_OPTIONS=poison_in_malloc=0:poison_in_free=0 SINEW_TEST_SECONDS=7200 SINEW_CHECK_ONLY="$(if $(SHARE),$(SHARE_$*))" SINEW_FUZZ_ROUNDS=20 \
	    SINEW_TORTURE="$(TORTURE_$*)" scripts/check build-$*

# Lines and branches that the tests reach, and errors that they do not.
coverage:
	@JOBS=$(JOBS) CMAKE_FLAGS="$(CMAKE_FLAGS)" scripts/coverage

# Every harness for so long each, or for -runs=N; what is new goes into build-address/corpus.
FUZZ_SECONDS ?= 60
FUZZ_LIMIT ?= -max_total_time=$(FUZZ_SECONDS)
FUZZ_TARGETS ?= mesh scene picture run_file state api expression point_cache live
fuzz: build-address
	@cmake --build build-address -j $(JOBS) --target $(FUZZ_TARGETS:%=fuzz_%)
	@for target in $(FUZZ_TARGETS); do mkdir -p build-address/corpus/$$target; \
	    build-address/fuzz_$$target $(FUZZ_LIMIT) -timeout=600 -rss_limit_mb=4000 -max_len=2048 -detect_leaks=0 -entropic=0 -print_final_stats=1 \
	    -artifact_prefix=build-address/$$target- build-address/corpus/$$target fuzz/corpus/$$target || exit 1; done

# Random scenes, kills, failing memory and full disks, until stopped or for TORTURE_SECONDS.
TORTURE_SECONDS ?= 600
TORTURE_SEED ?= $(shell date +%s)
torture: CMAKE_FLAGS += -DSINEW_TESTS=ON
torture: deps
	@cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release $(CMAKE_FLAGS)
	@cmake --build $(BUILD) -j $(JOBS) --target torture sinew
	@$(BUILD)/torture seed=$(TORTURE_SEED) count=1000000000 seconds=$(TORTURE_SECONDS)

format:
	@clang-format -i $(SOURCES)

format-check:
	@clang-format --dry-run -Werror $(SOURCES)

install: all
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"

clean:
	rm -rf $(BUILD) demo papers
