#!/bin/sh
# Runs every test and ends with the first kind that fails. Each part says how long it took.
# With "race" it runs with the race detector what it otherwise runs without.
set -eu
cd "$(dirname "$0")/.."
scripts/need.sh postgresql chromium gcc iproute2 promtool nginx tmux sshd named pdns_server
scripts/versitygw.sh >/dev/null
scripts/pebble.sh >/dev/null
scripts/sing-box.sh >/dev/null
# The packages are installed on a machine with a systemd of its own, where a user can have one.
if [ "$(id -u)" = 0 ] && command -v dpkg >/dev/null; then
	scripts/need.sh systemd dbus curl
fi
export PANEL_PG_BIN="${PANEL_PG_BIN:-$(scripts/pgbin.sh)}"

# A test that cannot run here is skipped and writes its reason into this file; the run ends with it.
LEFT_OUT="$PWD/.run/left-out"
SECOND_RUN="$PWD/.run/second-run"
export LEFT_OUT
mkdir -p .run
rm -f "$LEFT_OUT" "$SECOND_RUN"

part() {
	printf '\n--- %s\n' "$1"
	started=$(date +%s)
	shift
	"$@"
	printf -- '--- done in %s s\n' "$(($(date +%s) - started))"
}

# The linter vets all packages, so that the tests do not do it a second and a third time.
#
# What runs without the race detector: tests of the real executables, which start them as users do; the proxy core,
# which races inside itself when two run in one process; what drives whole panels over HTTP, which takes half as long
# again under the detector: the tests over all operations, the generator and the modules' own packages; and what starts
# no goroutine and shares no memory with one. "make race" runs under it what is left out here, executables aside.
#
# Tests wait more than they compute, so three packages run at once on two cores, and four of those without the detector.
# Of these the ones of the executables and the others take turns, and the longest begins, else the others would have
# ended long before it.
core=panel/modules/flows/internal/plan/coretest
longest=panel/e2e/fleet
whole() {
	echo "$longest"
	{
		go list ./e2e/... | grep -v -x -F "$longest" | cat -n
		{
			echo "$core"
			go list ./platform/app ./cmd/panelgen ./modules/... | grep -v '^panel/modules/[^/]*/'
		} | cat -n
	} | sort -s -n | cut -f 2
}
parts() { go list ./... | grep -v -x -F "$(whole)"; }

# sharing lists the packages whose own code starts goroutines or guards what several of them use.
sharing() {
	go list -f '{{$dir := .Dir}}{{range .GoFiles}}{{$.ImportPath}} {{$dir}}/{{.}}{{"\n"}}{{end}}' ./... |
		while read -r package file; do
			if grep -q -E '^[[:space:]]*go [[:alpha:]]|\.Go\(|sync\.|atomic\.' "$file"; then echo "$package"; fi
		done | sort -u
}
raced() { parts | grep -x -F "$(sharing)"; }
unraced() {
	whole
	parts | grep -v -x -F "$(sharing)"
}

with_detector() { CGO_ENABLED=1 go test -race -vet=off -p "$at_once" -timeout 45m "$@"; }
without_detector() { go test -vet=off -p "$at_once" -timeout 40m "$@"; }

# unnamed FILE tells whether a package failed in this output without naming a test: it was killed, or ended by itself.
unnamed() {
	awk '/^--- FAIL: / { named = 1 }
		/^ok[[:space:]]/ { named = 0 }
		/^FAIL[[:space:]]+panel/ { if (!named) unnamed = 1; named = 0 }
		END { exit !unnamed }' "$1"
}

# tested KIND AT_ONCE PACKAGE... runs the tests of packages, so many at once, with one of the two above. Two cores under
# everything at once are slower than any deadline that a test can reasonably have, so up to three failed tests are run
# once more, alone: one that fails again fails the run, one that passes is named at the run's end. A data race, a panic,
# a package that does not build and a failure that no test is named of are final at once.
tested() {
	kind=$1
	at_once=$2
	out=".run/$kind.out"
	shift 2
	rm -f "$out.failed"
	{ "$kind" "$@" || touch "$out.failed"; } 2>&1 | tee "$out"
	[ -e "$out.failed" ] || return 0
	failed=$(sed -n 's/^--- FAIL: \([^ ]*\) .*/\1/p' "$out" | sort -u | tr '\n' ' ')
	packages=$(sed -n 's/^FAIL[[:space:]]\{1,\}\(panel[^[:space:]]*\).*/\1/p' "$out" | sort -u)
	count=$(echo "$failed" | wc -w)
	if [ "$count" -eq 0 ] || [ "$count" -gt 3 ] || unnamed "$out" ||
		grep -q -E '^(WARNING: DATA RACE|panic: |FAIL.*\[.*\]$)' "$out"; then
		return 1
	fi
	printf '\n--- once more, alone: %s\n' "$failed"
	at_once=1
	# shellcheck disable=SC2086
	"$kind" -count=1 -run "^($(echo $failed | tr ' ' '|'))\$" $packages
	echo "$failed" >>"$SECOND_RUN"
}

part "web interface: packages and build" scripts/ui.sh
if [ "${1:-}" = race ]; then
	# shellcheck disable=SC2046
	part "what is not raced otherwise" tested with_detector 2 $(unraced | grep -v -e '^panel/e2e/' -e "^$core\$")
	exit
fi
# shellcheck disable=SC2046
part "Go, with the race detector" tested with_detector 3 $(raced)
# shellcheck disable=SC2046
part "Go without it: whole panels, real core, real executables" tested without_detector 4 $(unraced)
part "web interface: unit tests" sh -c 'cd ui && npm test --silent'
part "browser journeys" scripts/e2e.sh

if [ -s "$SECOND_RUN" ]; then
	printf '\n--- passed only when run a second time, alone:\n'
	cat "$SECOND_RUN"
fi
if [ -s "$LEFT_OUT" ]; then
	printf '\n--- not run here:\n'
	cat "$LEFT_OUT"
fi
