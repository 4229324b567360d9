package httpapi

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"unicode/utf8"

	"panel/platform/fault"
)

const controlCharacter = "control character"

var (
	errControl = errors.New(controlCharacter + " in a text")
	errNotUTF8 = errors.New("the body is not UTF-8")
)

// decode reads JSON and refuses texts that hold control characters: no store, log or screen of ours takes them.
func decode(data []byte, into any) error {
	if !utf8.Valid(data) {
		return errNotUTF8
	}
	if err := json.Unmarshal(data, into); err != nil {
		return err
	}
	if tree, ok := into.(*any); ok && hasControl(*tree) {
		return errControl
	}
	return nil
}

func hasControl(node any) bool {
	switch value := node.(type) {
	case string:
		return strings.ContainsFunc(value, isControl)
	case []any:
		for _, item := range value {
			if hasControl(item) {
				return true
			}
		}
	case map[string]any:
		for key, item := range value {
			if strings.ContainsFunc(key, isControl) || hasControl(item) {
				return true
			}
		}
	}
	return false
}

func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f }

// cleanURL refuses what no parameter of ours may hold: control characters and bytes that are not UTF-8.
func cleanURL(raw string) error {
	text, err := url.QueryUnescape(raw)
	if err != nil || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fault.Malformed("bad_parameter", "the address holds characters that are not allowed")
	}
	return nil
}
