#!/bin/sh
# Prints the path of the Go linter, which is built once into .run/tools.
set -eu
cd "$(dirname "$0")/.."
version=v2.15.0
tool=".run/tools/golangci-lint-$version"
if [ ! -x "$tool" ]; then
	echo "building golangci-lint $version (once, about two minutes) ..." >&2
	mkdir -p .run/tools
	GOBIN="$PWD/.run/tools/new" go install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$version"
	mv .run/tools/new/golangci-lint "$tool"
fi
printf '%s\n' "$tool"
