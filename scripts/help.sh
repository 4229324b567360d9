#!/bin/sh
# Prints the targets of the Makefile with their sentences.
sed -n 's/^\([a-z0-9]*\):.*## \(.*\)$/\1|\2/p' "$@" | while IFS='|' read -r target sentence; do
	printf '  make %-9s %s\n' "$target" "$sentence"
done
