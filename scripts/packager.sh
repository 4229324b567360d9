#!/bin/sh
# Prints the path of the program that makes Debian packages, which is built once into .run/tools.
set -eu
cd "$(dirname "$0")/.."
version=v2.45.2
tool=".run/tools/nfpm-$version"
if [ ! -x "$tool" ]; then
	echo "building nfpm $version (once, about a minute) ..." >&2
	mkdir -p .run/tools/packager
	GOBIN="$PWD/.run/tools/packager" go install "github.com/goreleaser/nfpm/v2/cmd/nfpm@$version"
	mv .run/tools/packager/nfpm "$tool"
fi
printf '%s\n' "$tool"
