# Thin names for meson commands; see README.md.
MESON_BUILD = build
SANITIZE_BUILD = build-sanitize
INSTALL_BUILD = build-install
# What is installed has the same bytes wherever the sources lie.
NO_PATH = -ffile-prefix-map=$(CURDIR)=.
PREFIX = /usr/local
DESTDIR =

.PHONY: all setup build install deb dist demo papers performance linux test test-gcc test-sanitize test-linux clean

all: build

setup:
	@scripts/setup

build: setup
	@test -f $(MESON_BUILD)/build.ninja || meson setup $(MESON_BUILD) -Db_lto=true $(MESON_FLAGS)
	@meson compile -C $(MESON_BUILD)

# Programs, man pages, completions, scenarios and the book, without tests and what they need. The result may be moved.
install:
	@test -f $(INSTALL_BUILD)/build.ninja || CFLAGS="$(CFLAGS) $(NO_PATH)" CXXFLAGS="$(CXXFLAGS) $(NO_PATH)" \
	    meson setup $(INSTALL_BUILD) -Dtests=false -Db_lto=true $(MESON_FLAGS)
	@meson configure $(INSTALL_BUILD) -Dprefix=$(abspath $(PREFIX))
	@meson compile -C $(INSTALL_BUILD)
	@meson install -C $(INSTALL_BUILD) --no-rebuild --quiet $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

# Debian packages, into build-deb.
deb:
	@scripts/deb build-deb

# The sources as one file, into build/meson-dist: the same bytes from anybody who has the commit.
dist:
	@test -f $(MESON_BUILD)/build.ninja || meson setup $(MESON_BUILD) -Db_lto=true $(MESON_FLAGS)
	@scripts/dist $(MESON_BUILD) .

demo: build
	@scripts/demo $(MESON_BUILD)/contraflow demo

# Every figure of the papers once more, in minutes; PAPERS="tam zhu" runs those of test/data/papers/record alone.
papers: build
	@test/papers/record.py run $(MESON_BUILD)/contraflow $(PAPERS)

# What it costs beside ns-3, libpcap, tcptrace, tshark and SQLite: doc/performance.md anew, some ten minutes.
# EARLIER=FILE has another contraflow run beside.
performance: build
	@scripts/performance $(MESON_BUILD) $(EARLIER)

# The kernel of `contraflow run --engine linux`, into the user's cache, once: no root, some 6 minutes of two processors.
linux:
	@scripts/linux

test: test-gcc test-sanitize

# Hostile input is left to the sanitizers below, which see more of what it does. What waits for the clock of the wall goes
# by itself, several at a time: it would keep processors from work, and work keeps them from being in time.
test-gcc: build
	@meson test -C $(MESON_BUILD) --print-errorlogs --no-suite hostile --no-suite linux --no-suite wall
	@meson test -C $(MESON_BUILD) --print-errorlogs --suite wall --num-processes $$((2 * $$(nproc)))

# The same tests once more, compiled by clang and watched by AddressSanitizer and UndefinedBehaviorSanitizer. Left out are
# fuzzing, which has them anyway, figures over hundreds of runs, the commands of the book, and what measures for seconds.
test-sanitize: setup
	@test -f $(SANITIZE_BUILD)/build.ninja || CC=clang CXX=clang++ meson setup $(SANITIZE_BUILD) \
	    $(MESON_FLAGS) -Db_sanitize=address,undefined -Db_lundef=false
	@meson compile -C $(SANITIZE_BUILD)
	@meson test -C $(SANITIZE_BUILD) --print-errorlogs --timeout-multiplier 4 \
	    --no-suite fuzz --no-suite figures --no-suite documents --no-suite wall

# What needs that kernel.
test-linux: build linux
	@meson test -C $(MESON_BUILD) --print-errorlogs --suite linux

clean:
	rm -rf $(MESON_BUILD) $(SANITIZE_BUILD) $(INSTALL_BUILD) build-deb demo
