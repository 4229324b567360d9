#!/bin/sh
# Prints the folder of the PostgreSQL programs that npm brought; nothing where the operating system has its own.
cd "$(dirname "$0")/.." || exit 1
if ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 && [ -x .run/pg/bin/postgres ]; then
	printf '%s\n' "$PWD/.run/pg/bin"
fi
