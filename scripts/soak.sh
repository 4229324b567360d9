#!/bin/sh
# Runs every fuzz target for ten minutes, or for the time in SOAK (as 30s, 10m), and then the long tests with as many
# kills as KILLS says (200).
set -eu
cd "$(dirname "$0")/.."
scripts/need.sh postgresql gcc iproute2
export PANEL_PG_BIN="${PANEL_PG_BIN:-$(scripts/pgbin.sh)}"
each="${SOAK:-10m}"
grep -rlE '^func Fuzz' --include='*_test.go' cmd migrations modules platform | while read -r file; do
	package="./$(dirname "$file")"
	sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file" | while read -r target; do
		printf '\n--- %s in %s for %s\n' "$target" "$package" "$each"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$each" "$package"
	done
done
printf '\n--- long runs, %s kills\n' "${KILLS:-200}"
PANEL_TEST_SOAK="$each" PANEL_TEST_EVENTS=10000 PANEL_TEST_KILLS="${KILLS:-200}" CGO_ENABLED=1 go test -race -p 1 -timeout 6h -count 1 -run 'Soak|Kill|EventsAtOnce|FlowAcross|Linearizable' ./...
