#!/bin/sh
# Refreshes every generated file.
set -eu
cd "$(dirname "$0")/.."
scripts/need.sh postgresql
export PANEL_PG_BIN="${PANEL_PG_BIN:-$(scripts/pgbin.sh)}"
go run ./cmd/panelgen
scripts/ui.sh packages
(cd ui && npm run --silent api)
