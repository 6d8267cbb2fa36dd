# SPDX-License-Identifier: MIT
#
#   make CC=clang                       another compiler, in a build folder of its own
#   make SANITIZE=address,undefined     the same, with sanitizers
#   make test-store FILTER='store/*'    one test binary, or some of its tests
#   make test-cli CASES='verify-*'      some of the command's cases; UPDATE=1 rewrites expectations
#   make BUILD=build-mine V=1           a build folder of your own; show the commands

VERSION    := 0.1.0
PREFIX     ?= /usr/local
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
GAMES_DIR  := $(LIBDIR)/deja/games

ifeq ($(origin CC),default)
CC := gcc
endif
clang := $(findstring clang,$(CC))
ifeq ($(origin CXX),default)
CXX := $(if $(clang),$(CC:clang%=clang++%),g++)
endif
comma := ,
VARIANT := $(if $(clang),-clang)$(SANITIZE:%=-%)$(if $(COVER),-cover)
BUILD   := build$(subst $(comma),-,$(VARIANT))
Q     := $(if $(V),,@)
say    = @mkdir -p $(@D)$(if $(V),,; printf '  %-6s %s\n' $(1) '$@')

PKG_CONFIG ?= pkg-config
PACKAGES   := sqlite3 zlib libxxhash
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PACKAGES))
LIBS        = $(shell $(PKG_CONFIG) --libs $(PACKAGES)) -ldl -lpthread

CFLAGS   ?= -O2 -g
WERROR   ?= -Werror
WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes \
            -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wcast-align -Wwrite-strings -Wundef \
            -Wvla -Wformat=2
ifdef SANITIZE
SAN := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
ifdef COVER
SAN += --coverage -O0 -DDEJA_COVER
endif
# Equal sources give equal bytes wherever the checkout lies, so a build's digest means something.
MAP   := -ffile-prefix-map=$(CURDIR)=.
# clang leaves a sanitizer's symbols to the program that loads the library.
DEFS  := $(if $(and $(clang),$(SANITIZE)),,-Wl$(comma)-z$(comma)defs)

C_FLAGS = -std=c11 $(WARNINGS) $(WERROR) $(CFLAGS) $(MAP) -MMD -MP
COMPILE = $(CC) $(C_FLAGS) $(SAN)
# A rules library sees the public headers and the C library, and links against nothing of ours.
RULES_FLAGS  := -Ilib/include -fPIC -fvisibility=hidden -ffp-contract=off
RULES_LINK   := -shared -Wl,-z,now -Wl,-z,defs
CXX_WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wcast-qual -Wcast-align -Wundef -Wvla -Wformat=2

# ---- what there is to build ----

objects     = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard $(1)))
LIB_OBJ    := $(filter-out $(BUILD)/obj/lib/games/%,$(call objects,lib/*/*.c)) \
              $(patsubst schemas/%.sql,$(BUILD)/obj/schemas/%_sql.o,$(wildcard schemas/store.sql))
TOOL_OBJ   := $(call objects,tools/deja/*.c)
WORKER_OBJ := $(call objects,tools/worker/*.c)
game_obj    = $(call objects,lib/games/$(1).c lib/games/$(1)/*.c)
GAMES      := $(sort $(patsubst lib/games/%.c,$(BUILD)/games/%.so,$(wildcard lib/games/*.c)) \
              $(patsubst lib/games/%/,$(BUILD)/games/%.so,$(dir $(wildcard lib/games/*/*.c))))
RULES      := $(patsubst fixtures/rules/%,$(BUILD)/rules/%.so,$(basename \
              $(wildcard fixtures/rules/*.c fixtures/rules/*.cpp)))
STATIC     := $(BUILD)/libdeja.a
SHARED     := $(if $(strip $(LIB_OBJ)),$(BUILD)/libdeja.so.$(VERSION))
TOOL       := $(if $(TOOL_OBJ),$(BUILD)/deja)
WORKER     := $(if $(WORKER_OBJ),$(BUILD)/deja-worker)
HEADERS    := $(wildcard lib/include/deja/*.h lib/include/deja/*.hpp)

# Each folder of tests is one Criterion binary, but for these.
apart      := bench cli fuzz headers install player selftest soak support
test_obj    = $(call objects,tests/$(1)/*.c)
UNITS      := $(filter-out $(apart),$(sort $(patsubst tests/%/,%,$(dir $(wildcard tests/*/*.c)))))
UNIT_BINS  := $(UNITS:%=$(BUILD)/tests/%) $(BUILD)/tests/selftest
SUPPORT    := $(call test_obj,support)
BENCH_OBJ  := $(call test_obj,bench)
PLAYER     := $(BUILD)/tests/player
FUZZERS    := $(filter-out driver,$(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c)))

# Examples are built as they stand, so that none grows stale.
EXAMPLES   := $(patsubst docs/%.c,$(BUILD)/docs/%,$(wildcard docs/recording.c))

ALL := $(STATIC) $(SHARED) $(WORKER) $(TOOL) $(GAMES) $(RULES) $(EXAMPLES)

.PHONY: all help test check bench demo install format lint fuzz fuzz-run cover soak clean FORCE \
        test-headers test-install test-selftest test-cli test-fuzz test-schemas test-binaries \
        $(UNITS:%=test-%)
.DELETE_ON_ERROR:
.SECONDARY:
.SECONDEXPANSION:
MAKEFLAGS += --output-sync=target

## all: the library, the tool, the games and the fixtures' rules (the default)
all: $(ALL)

## help: this list
help:
	@sed -n 's/^## \([a-z-]*\): \(.*\)/  \1\t\2/p' Makefile | expand -t 14

# ---- how ----

$(BUILD)/obj/lib/%.o: lib/%.c Makefile
	$(call say,CC)
	$(Q)$(COMPILE) -fPIC -fvisibility=hidden -D_GNU_SOURCE -Ilib/include -Ilib $(PKG_CFLAGS) \
	    -c -o $@ $<

$(BUILD)/obj/lib/games/%.o: lib/games/%.c Makefile
	$(call say,CC)
	$(Q)$(COMPILE) $(RULES_FLAGS) -c -o $@ $<

$(BUILD)/obj/tools/%.o: tools/%.c Makefile $(BUILD)/games_dir.stamp
	$(call say,CC)
	$(Q)$(COMPILE) -D_GNU_SOURCE -DDEJA_GAMES_DIR='"$(GAMES_DIR)"' -Ilib/include -c -o $@ $<

# Criterion's assertions do not survive the conversion warnings, its parameters not a PIE.
$(BUILD)/obj/tests/%.o: tests/%.c Makefile
	$(call say,CC)
	$(Q)$(COMPILE) -Wno-conversion -Wno-sign-conversion -Wno-cast-qual -Wno-write-strings -fno-pie \
	    -D_GNU_SOURCE \
	    -DDEJA_SOURCE_DIR='"$(CURDIR)"' -DDEJA_BUILD_DIR='"$(abspath $(BUILD))"' \
	    -Ilib/include -Ilib -Itests $(PKG_CFLAGS) -c -o $@ $<

# Bytes, not one literal: C promises no more than 4,095 characters in a literal.
$(BUILD)/obj/schemas/%_sql.c: schemas/%.sql Makefile
	$(call say,GEN)
	$(Q){ echo 'extern const char deja__$*_sql[];'; echo 'const char deja__$*_sql[] = {'; \
	    od -An -v -tx1 $< | sed "s/ *\([0-9a-f][0-9a-f]\)/'\\\\x\1',/g"; echo '0};'; } > $@

$(BUILD)/obj/schemas/%.o: $(BUILD)/obj/schemas/%.c
	$(call say,CC)
	$(Q)$(COMPILE) -fPIC -fvisibility=hidden -c -o $@ $<

# A stamp changes only when its text does: when a source goes away, or the games' place moves.
STAMP_files     := $(LIB_OBJ) $(TOOL_OBJ) $(foreach unit,$(UNITS) support,$(call test_obj,$(unit)))
STAMP_games_dir := $(GAMES_DIR)
STAMP_sources   := $(shell cat lib/*/*.[ch] lib/include/deja/*.h | cksum)
# By which a host knows a worker of its own build.
$(BUILD)/obj/lib/base/version.o: $(BUILD)/sources.stamp
$(BUILD)/obj/lib/base/version.o: CFLAGS += -DDEJA_SOURCES=$(firstword $(STAMP_sources))u
$(BUILD)/%.stamp: FORCE
	@mkdir -p $(@D); echo '$(STAMP_$*)' | cmp -s - $@ || echo '$(STAMP_$*)' > $@

$(STATIC): $(LIB_OBJ) $(BUILD)/files.stamp
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $(LIB_OBJ)

$(BUILD)/libdeja.so.$(VERSION): $(LIB_OBJ) lib/deja.map $(BUILD)/files.stamp
	$(call say,LINK)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -shared -Wl,-soname,libdeja.so.0 -Wl,--version-script=lib/deja.map \
	    $(DEFS) -o $@ $(LIB_OBJ) $(LIBS)
	$(Q)ln -sf $(@F) $(@D)/libdeja.so.0 && ln -sf libdeja.so.0 $(@D)/libdeja.so

# The linker keeps only what it needs: no SQLite, no zlib.
$(BUILD)/deja-worker: $(WORKER_OBJ) $(STATIC)
	$(call say,LINK)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -Wl,--as-needed -o $@ $(WORKER_OBJ) $(STATIC) $(LIBS)

$(BUILD)/deja: $(TOOL_OBJ) $(STATIC) $(WORKER)
	$(call say,LINK)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $(TOOL_OBJ) $(STATIC) $(LIBS)

$(GAMES): $(BUILD)/games/%.so: $$(call game_obj,$$*)
	$(call say,GAME)
	$(Q)$(CC) $(SAN) $(if $(DEFS),$(RULES_LINK),-shared) -o $@ $^

# A fixture may ask for flags of its own, in its first five lines: /* build: -DWHAT=1 */
# Fixtures are builds that users bring, so a sanitizer never goes into them.
own_flags = "$$(sed -n '1,5s@^[ /*]*build: *\(.*[^ */]\)[ */]*$$@\1@p' $<)"
$(BUILD)/rules/%.so: fixtures/rules/%.c Makefile
	$(call say,RULES)
	$(Q)eval '$(CC) $(C_FLAGS) $(RULES_FLAGS) -MF $@.d -MT $@ $(RULES_LINK) -o $@ $<' $(own_flags)

$(BUILD)/rules/%.so: fixtures/rules/%.cpp Makefile
	$(call say,RULES)
	$(Q)eval '$(CXX) -std=c++17 $(CXX_WARNINGS) $(WERROR) $(CFLAGS) $(MAP) $(RULES_FLAGS) \
	    -MMD -MP -MF $@.d -MT $@ $(RULES_LINK) -o $@ $<' $(own_flags)

$(EXAMPLES): $(BUILD)/docs/%: docs/%.c $(STATIC) Makefile
	$(call say,LINK)
	$(Q)$(COMPILE) -Ilib/include -MF $@.d -MT $@ $(LDFLAGS) -o $@ $< $(STATIC) $(LIBS)

$(UNIT_BINS): $(BUILD)/tests/%: $$(call test_obj,$$*) $(SUPPORT) $(STATIC)
	$(call say,LINK)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -no-pie -o $@ $(filter %.o,$^) $(STATIC) -lcriterion $(LIBS) -lm

# A program that records itself, for tests to kill.
$(PLAYER): $(call test_obj,player) $(STATIC)
	$(call say,LINK)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -no-pie -o $@ $(filter %.o,$^) $(STATIC) $(LIBS)
test-faults: $(PLAYER)

$(FUZZERS:%=$(BUILD)/fuzz/%): $(BUILD)/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o \
    $(BUILD)/obj/tests/fuzz/driver.o $(STATIC)
	$(call say,LINK)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -no-pie -o $@ $(filter %.o,$^) $(STATIC) $(LIBS)

$(FUZZERS:%=$(BUILD)/libfuzzer/%): $(BUILD)/libfuzzer/%: $(BUILD)/obj/tests/fuzz/%.o $(STATIC)
	$(call say,LINK)
	$(Q)$(CC) $(SAN) -fsanitize=fuzzer $(LDFLAGS) -no-pie -o $@ $(filter %.o,$^) $(STATIC) $(LIBS)

$(BUILD)/bench: $(BENCH_OBJ) $(STATIC)
	$(call say,LINK)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -no-pie -o $@ $(BENCH_OBJ) $(STATIC) $(LIBS) -lm

# ---- tests ----

## test: everything quick: headers, install, unit tests, fuzz corpus, schemas, the command's cases
test: $(if $(SANITIZE),,test-headers test-install) test-selftest $(UNITS:%=test-%) \
    $(if $(FUZZERS),test-fuzz) \
    $(if $(wildcard tests/schemas/run),test-schemas) $(if $(wildcard tests/cli/cases),test-cli)

## test-binaries: build what test runs, and run nothing
test-binaries: $(UNIT_BINS) $(PLAYER) $(FUZZERS:%=$(BUILD)/fuzz/%) $(if $(BENCH_OBJ),$(BUILD)/bench)

test-headers:
	$(Q)tests/headers/run

test-install: $(ALL)
	$(Q)CC='$(CC)' tests/install/run '$(MAKE)' $(BUILD)

test-selftest: $(BUILD)/tests/selftest
	$(Q)tests/selftest/run $< '$(SANITIZE)'

$(UNITS:%=test-%): test-%: $(BUILD)/tests/% $(ALL)
	$(Q)tests/run-criterion $(if $(FILTER),--floor 1) $< $(if $(FILTER),--filter '$(FILTER)')

test-fuzz: $(FUZZERS:%=$(BUILD)/fuzz/%)
	$(Q)set -e; for target in $(FUZZERS); do \
	    find tests/fuzz/corpus/$$target fixtures/golden fixtures/corrupt -type f -print0 \
	    2>/dev/null | xargs -0 $(BUILD)/fuzz/$$target; done

test-schemas: $(ALL)
	$(Q)tests/schemas/run $(BUILD)

test-cli: $(ALL) $(PLAYER)
	$(Q)tests/cli/run $(BUILD) $(CASES)

## check: what a change must pass: test, the same under sanitizers, lint
check: test lint
	$(Q)$(MAKE) SANITIZE=address,undefined test

## lint: the house rules that a compiler does not know
lint:
	$(Q)ci/lint

## bench: measure, against the goals (at rest: not a part of test); LONG=1 takes longer
bench: $(ALL) $(if $(BENCH_OBJ),$(BUILD)/bench)
	$(Q)$(if $(BENCH_OBJ),$(BUILD)/bench $(if $(LONG),--long),echo 'bench: tests/bench has no sources')

## fuzz: each fuzz target under clang for FUZZ_SECONDS (60)
FUZZ_SECONDS ?= 60
fuzz:
	$(Q)$(MAKE) CC=clang SANITIZE=address,undefined,fuzzer-no-link fuzz-run
fuzz-run: $(FUZZERS:%=$(BUILD)/libfuzzer/%)
	$(Q)set -e; for target in $(FUZZERS); do mkdir -p $(BUILD)/corpus/$$target; \
	    $(BUILD)/libfuzzer/$$target -max_total_time=$(FUZZ_SECONDS) $(BUILD)/corpus/$$target \
	    $$(ls -d fixtures/golden fixtures/corrupt tests/fuzz/corpus/$$target 2>/dev/null); done

## soak: the long tests
soak: $(ALL) $(BUILD)/tests/faults $(PLAYER)
	$(Q)$(if $(wildcard tests/soak/run),tests/soak/run $(BUILD),echo 'soak: no tests/soak/run')

## cover: test, and what it left out (needs gcovr)
cover:
	$(Q)command -v gcovr >/dev/null || { echo 'cover: gcovr is not installed' >&2; exit 1; }
	$(Q)$(MAKE) COVER=1 test
	$(Q)gcovr --root . --filter lib/ --filter tools/ --sort-uncovered build-cover

## demo: record, verify, and catch a changed rule
demo:
	$(Q)ci/demo

# ---- the rest ----

## format: let clang-format lay out every C and C++ file
format:
	$(Q)ci/lint --format

## install: to DESTDIR, PREFIX, LIBDIR, INCLUDEDIR
install: all
	$(Q)install -d $(addprefix $(DESTDIR),$(PREFIX)/bin $(INCLUDEDIR)/deja $(LIBDIR)/pkgconfig \
	    $(GAMES_DIR))
	$(Q)install -m 755 $(TOOL) $(DESTDIR)$(PREFIX)/bin/
	$(Q)install -d $(DESTDIR)$(PREFIX)/libexec/deja
	$(Q)install -m 755 $(WORKER) $(DESTDIR)$(PREFIX)/libexec/deja/
	$(Q)install -m 644 $(HEADERS) $(DESTDIR)$(INCLUDEDIR)/deja/
	$(Q)install -d $(DESTDIR)$(PREFIX)/share/deja
	$(Q)install -m 644 lib/journal/journal.c $(DESTDIR)$(PREFIX)/share/deja/
	$(Q)install -m 644 $(STATIC) $(SHARED) $(DESTDIR)$(LIBDIR)/
	$(Q)ln -sf libdeja.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libdeja.so.0
	$(Q)ln -sf libdeja.so.0 $(DESTDIR)$(LIBDIR)/libdeja.so
	$(Q)install -m 644 $(GAMES) $(DESTDIR)$(GAMES_DIR)/
	$(Q)for pc in deja deja-rules; do sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	    -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' lib/$$pc.pc.in \
	    > $(DESTDIR)$(LIBDIR)/pkgconfig/$$pc.pc; done

## clean: remove this build folder (every build folder: rm -rf build build-*)
clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
