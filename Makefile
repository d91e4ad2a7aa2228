# Thin names for meson commands; see README.md.
MESON_BUILD = build
SANITIZE_BUILD = build-sanitize
INSTALL_BUILD = build-install
PERFORMANCE_BUILD = build-performance
# What is installed has the same bytes wherever the sources lie.
NO_PATH = -ffile-prefix-map=$(CURDIR)=.
PREFIX = /usr/local
DESTDIR =

.PHONY: all setup build install deb dist demo papers below performance linux test tests configured test-linux check-long clean

all: build

setup:
	@scripts/setup run

# The programs alone. Optimization across files is for what is installed: it is most of a build's time, and 5 % of a run's.
build: setup
	@test -f $(MESON_BUILD)/build.ninja || meson setup $(MESON_BUILD) -Dtests=false $(MESON_FLAGS)
	@meson compile -C $(MESON_BUILD) product

# Programs, man pages, completions, scenarios and the book, without tests and what they need. The result may be moved.
install:
	@test -f $(INSTALL_BUILD)/build.ninja || CFLAGS="$(CFLAGS) $(NO_PATH)" CXXFLAGS="$(CXXFLAGS) $(NO_PATH)" \
	    meson setup $(INSTALL_BUILD) -Dtests=false -Db_lto=true $(MESON_FLAGS)
	@meson configure $(INSTALL_BUILD) -Dprefix=$(abspath $(PREFIX))
	@meson compile -C $(INSTALL_BUILD)
	@meson install -C $(INSTALL_BUILD) --no-rebuild --quiet $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

# Debian packages, into build-deb.
deb:
	@scripts/setup run deb
	@scripts/deb build-deb

# The sources as one file, into build/meson-dist: the same bytes from anybody who has the commit.
dist:
	@test -f $(MESON_BUILD)/build.ninja || meson setup $(MESON_BUILD) -Dtests=false $(MESON_FLAGS)
	@scripts/dist $(MESON_BUILD) .

demo: build
	@scripts/demo $(MESON_BUILD)/contraflow demo

# Every figure of the papers once more, in minutes; PAPERS="tam zhu" runs those of test/data/papers/record alone.
papers: build
	@test/papers/record.py run $(MESON_BUILD)/contraflow $(PAPERS)

# The figures and tables of doc/below.md once more; goes on where it was interrupted.
below: build
	@scripts/below $(MESON_BUILD)/contraflow $(MESON_BUILD)/below

# What it costs beside ns-3, libpcap, tcptrace, tshark and SQLite, as it is installed: doc/performance.md anew, some ten
# minutes. EARLIER=FILE has another contraflow run beside.
performance: setup
	@scripts/setup test
	@test -f $(PERFORMANCE_BUILD)/build.ninja || meson setup $(PERFORMANCE_BUILD) -Db_lto=true $(MESON_FLAGS)
	@meson compile -C $(PERFORMANCE_BUILD)
	@scripts/performance $(PERFORMANCE_BUILD) $(EARLIER)

# The kernel of `contraflow run --engine linux`, into the user's cache, once: no root, some 6 minutes of two processors.
linux:
	@scripts/setup run linux
	@scripts/linux

# Every test, plainly and under sanitizers; test/README.md says what is left out of which. What asks a compiler what it
# can, one question after the other, leaves a processor to the plain build.
test: setup
	@scripts/setup test
	@$(MAKE) --no-print-directory -j2 tests $(SANITIZE_BUILD)/build.ninja
	@scripts/test $(MESON_BUILD) wall plain $(SANITIZE_BUILD) sanitized

# At an address of its own a program would begin with 300,000 relocations, which is a sixth of its start.
$(SANITIZE_BUILD)/build.ninja:
	@CC=clang CXX=clang++ CC_LD=lld CXX_LD=lld \
	    meson setup $(SANITIZE_BUILD) -Db_sanitize=address,undefined -Doptimization=1 -Db_lundef=false -Db_pie=false $(MESON_FLAGS)

# What needs the kernel of `make linux`: whole commands, for which no unit test is built.
test-linux: configured linux
	@meson compile -C $(MESON_BUILD) product
	@scripts/test $(MESON_BUILD) linux

# The long cases of what `make test` asks in a few: minutes to hours each, test/README.md names them.
check-long: tests
	@meson test -C $(MESON_BUILD) --benchmark --suite long --verbose

tests: configured
	@meson compile -C $(MESON_BUILD)

configured: setup
	@scripts/setup test
	@test -f $(MESON_BUILD)/build.ninja || meson setup $(MESON_BUILD) $(MESON_FLAGS)
	@meson configure $(MESON_BUILD) -Dtests=true

clean:
	rm -rf $(MESON_BUILD) $(SANITIZE_BUILD) $(INSTALL_BUILD) $(PERFORMANCE_BUILD) build-deb demo
