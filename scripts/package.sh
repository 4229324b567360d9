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

PACKAGE_ARCH="$arch" PACKAGE_BIN="$made/bin" PACKAGE_PAGES="$made/pages" PACKAGE_VERSION="$(debian "$version")"
PACKAGE_TIME="$(git log -1 --format=%cI 2>/dev/null || date -u +%Y-%m-%dT%H:%M:%SZ)"
PACKAGE_MAINTAINER="${PACKAGE_MAINTAINER:-Panel <panel@localhost>}"
export PACKAGE_ARCH PACKAGE_BIN PACKAGE_PAGES PACKAGE_VERSION PACKAGE_TIME PACKAGE_MAINTAINER
for package in "$@"; do
	"$tool" package --config "packaging/$package.yaml" --packager deb --target "$folder/" >"$made/$package.log" || {
		cat "$made/$package.log" >&2
		exit 1
	}
	sed -n 's/^created package: /built /p' "$made/$package.log"
done
