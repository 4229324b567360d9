#!/bin/sh
# Prints the path of Chromium; the one without windows first, which takes less of a processor. Fails without any.
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
	command -v "$name" && exit 0
done
exit 1
