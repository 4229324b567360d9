#!/bin/sh
# Writes a new module, then every file that follows from it.
set -eu
cd "$(dirname "$0")/.."
echo "compiling what writes modules"
go run ./cmd/panelgen module "$1"
echo "refreshing the generated files"
scripts/generate.sh
(cd ui && npx --no-install prettier --write --log-level warn "src/modules/$1")
echo "the module $1 is there; CONTRIBUTING.md says how to go on"
