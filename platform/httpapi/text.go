package httpapi

import "strings"

// hasControl finds characters that no store, log or screen of ours takes.
func hasControl(text string) bool { return strings.ContainsFunc(text, isControl) }

func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f }
