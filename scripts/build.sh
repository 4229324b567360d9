#!/bin/sh
# Builds every executable of the project as a static binary; one that is up to date stays as it is.
# Usage: build.sh <version> <folder>
set -eu
cd "$(dirname "$0")/.."
version="$1" folder="$2"
mkdir -p "$folder"
began="$folder/.began"
touch "$began"
for program in panelctl panel-agent panel-licensed; do
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$version -X panel/platform/version.Version=$version" -o "$folder/$program" "./cmd/$program"
	[ ! "$folder/$program" -nt "$began" ] || echo "built $program"
done
