#!/bin/sh
# Prints the path of the client program sing-box for tests, which is built once into .run/tools.
set -eu
cd "$(dirname "$0")/.."
version=v1.14.1
tool="$PWD/.run/tools/sing-box-$version"
if [ ! -x "$tool" ]; then
	echo "building sing-box $version (once, some minutes) ..." >&2
	mkdir -p .run/tools/sing-box
	GOBIN="$PWD/.run/tools/sing-box" go install \
		-tags with_gvisor,with_quic,with_utls,badlinkname,tfogo_checklinkname0 -ldflags "-s -w -checklinkname=0" \
		"github.com/sagernet/sing-box/cmd/sing-box@$version"
	mv .run/tools/sing-box/sing-box "$tool"
fi
printf '%s\n' "$tool"
