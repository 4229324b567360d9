#!/bin/sh
# Builds Debian packages of the panel and the agent. ARCH=arm64 builds for another processor.
# Usage: package.sh <version> <folder> [panel] [agent]
set -eu
cd "$(dirname "$0")/.."
version="$1" folder="$2"
shift 2
[ $# -gt 0 ] || set -- panel agent
arch="${ARCH:-$(go env GOARCH)}"
made=".run/package/$arch-$(printf '%s' "$version" | tr -c 'A-Za-z0-9.+\n' '-')"
tool="$(scripts/packager.sh)"
mkdir -p "$folder" "$made/bin"

program() {
	CGO_ENABLED=0 GOARCH="$1" go build -trimpath -o "$2" \
		-ldflags "-s -w -X main.version=$version -X panel/platform/version.Version=$version" "./cmd/$3"
}

# debian writes a version as Debian orders it: 1.2.0 < 1.2.0+3.gabc < 1.3.0~rc.1 < 1.3.0; a build without a release comes first.
debian() {
	case "$1" in
	v[0-9]*.* | [0-9]*.*) printf '%s' "$1" | sed -e 's/^v//' -e 's/-\([0-9][0-9]*\)-g/+\1.g/' -e 's/-dirty$/+dirty/' -e 's/-/~/g' ;;
	*) printf '0~git.%s' "$1" | tr -c 'A-Za-z0-9.~+' '.' ;;
	esac
}

program "$arch" "$made/bin/panelctl" panelctl
program "$arch" "$made/bin/panel-agent" panel-agent
helper="$made/bin/panel-agent"
if [ "$arch" != "$(go env GOHOSTARCH)" ]; then
	helper="$made/panel-agent-here"
	program "$(go env GOHOSTARCH)" "$helper" panel-agent
fi
go run ./packaging/pages "$made/pages" "$helper"

# The same sources give the same package.
SOURCE_DATE_EPOCH="$(git log -1 --format=%ct 2>/dev/null || date +%s)"
export SOURCE_DATE_EPOCH
for package in "$@"; do
	sed -e "s|\${PACKAGE_ARCH}|$arch|" -e "s|\${PACKAGE_VERSION}|$(debian "$version")|" -e "s|\${PACKAGE_BIN}|$made/bin|" \
		-e "s|\${PACKAGE_PAGES}|$made/pages|" -e "s|\${PACKAGE_MAINTAINER}|${PACKAGE_MAINTAINER:-Panel <panel@localhost>}|" \
		"packaging/$package.yaml" >"$made/$package.yaml"
	"$tool" package --config "$made/$package.yaml" --packager deb --target "$folder/" >"$made/$package.log" || {
		cat "$made/$package.log" >&2
		exit 1
	}
	sed -n 's/^created package: /built /p' "$made/$package.log"
done
