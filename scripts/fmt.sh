#!/bin/sh
# Formats the Go sources and repairs what the linters can repair.
set -eu
cd "$(dirname "$0")/.."
tool="$(scripts/linter.sh)"
"$tool" fmt ./...
(cd ui && npm run --silent format)
