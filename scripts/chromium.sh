#!/bin/sh
# Prints the path of Chromium: what CHROMIUM says, else the one without windows, which takes less of a processor, else
# any other. Fails without any.
if [ -n "${CHROMIUM:-}" ]; then
	echo "$CHROMIUM"
	exit
fi
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
	command -v "$name" && exit 0
done
exit 1
