#!/bin/sh
# Prints the path of an S3 server for tests, which is built once into .run/tools.
set -eu
cd "$(dirname "$0")/.."
version=v1.8.0
tool="$PWD/.run/tools/versitygw-$version"
if [ ! -x "$tool" ]; then
	echo "building versitygw $version (once, about two minutes) ..." >&2
	mkdir -p .run/tools/s3
	GOBIN="$PWD/.run/tools/s3" go install "github.com/versity/versitygw/cmd/versitygw@$version"
	mv .run/tools/s3/versitygw "$tool"
fi
printf '%s\n' "$tool"
