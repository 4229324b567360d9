#!/bin/sh
# Builds the web interface into ui/dist, if its sources have changed since the last build.
set -eu
cd "$(dirname "$0")/../ui"
stamps="../.run/ui"
mkdir -p "$stamps"

fingerprint() {
	find . -path ./node_modules -prune -o -path ./dist -prune -o -path ./e2e -prune -o -path ./playwright-report -prune -o -path ./test-results -prune \
		-o -type f ! -name '*.tsbuildinfo' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum
}

# npm writes this file last; it is older than the lock file when packages have changed since.
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
	echo "getting packages"
	npm ci --no-audit --no-fund --loglevel=error
	touch node_modules/.package-lock.json
fi
[ "${1:-}" != packages ] || exit 0

sources="$(fingerprint)"
if [ -d dist/assets ] && [ "$(cat "$stamps/sources" 2>/dev/null)" = "$sources" ]; then
	exit 0
fi
echo "building"
npm run --silent build
echo "$sources" >"$stamps/sources"
