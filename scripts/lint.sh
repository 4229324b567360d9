#!/bin/sh
# Checks the style of Go, TypeScript and the scripts.
set -eu
cd "$(dirname "$0")/.."
tool="$(scripts/linter.sh)"
"$tool" run ./...
echo "Go: clean"
scripts/ui.sh packages
(cd ui && npm run --silent types && npm run --silent lint)
echo "TypeScript: clean"
for script in scripts/*.sh .ci/run; do sh -n "$script"; done
echo "scripts: clean"
