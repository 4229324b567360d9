#!/bin/sh
# Runs the browser journeys in Chromium against real executables, a real database and a real agent.
set -eu
cd "$(dirname "$0")/.."
scripts/need.sh postgresql chromium
export PANEL_PG_BIN="${PANEL_PG_BIN:-$(scripts/pgbin.sh)}"
scripts/ui.sh
scripts/build.sh "$(git describe --tags --always --dirty 2>/dev/null || echo dev)" .run/bin
cd ui
npm run --silent e2e
