#!/bin/sh
# Prints the path of a certificate authority for tests, Pebble, which is built once into .run/tools.
set -eu
cd "$(dirname "$0")/.."
version=v2.10.1
tool="$PWD/.run/tools/pebble-$version"
if [ ! -x "$tool" ]; then
	echo "building pebble $version (once, about a minute) ..." >&2
	mkdir -p .run/tools/acme
	GOBIN="$PWD/.run/tools/acme" go install "github.com/letsencrypt/pebble/v2/cmd/pebble@$version"
	mv .run/tools/acme/pebble "$tool"
fi
printf '%s\n' "$tool"
