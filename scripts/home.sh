#!/bin/sh
# Prints a home directory that can be written to: HOME, else that of the account, else .run/home.
account_home() { getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6; }
for candidate in "${HOME:-}" "$(account_home)"; do
	if [ -n "$candidate" ] && [ -d "$candidate" ] && [ -w "$candidate" ]; then
		printf '%s\n' "$candidate"
		exit 0
	fi
done
fallback="$(cd "$(dirname "$0")/.." && pwd)/.run/home"
mkdir -p "$fallback"
printf '%s\n' "$fallback"
