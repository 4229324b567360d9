package link

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// encode writes JSON that the panel takes. What programs are called and what a core prints may hold control
// characters, and the panel refuses a message with one in it: a process with a wild name must not take its server off
// the panel.
func encode(value any) ([]byte, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	withoutControl(raw)
	return raw, nil
}

// withoutControl overwrites control characters in well-formed JSON, except ends of lines and tabs, in the room that
// they have.
func withoutControl(raw []byte) {
	const del, long = 0x7f, len(`\u0000`)
	for at := bytes.IndexByte(raw, del); at >= 0; at = bytes.IndexByte(raw, del) {
		raw[at] = ' '
	}
	for at := bytes.IndexByte(raw, '\\'); at >= 0; {
		switch raw[at+1] {
		case 'b', 'f':
			raw[at+1] = 't'
		case 'u':
			code, _ := strconv.ParseUint(string(raw[at+2:at+long]), 16, 16)
			if code < ' ' && code != '\n' && code != '\r' && code != '\t' || code == del {
				copy(raw[at+2:], "fffd")
			}
		}
		next := bytes.IndexByte(raw[at+2:], '\\')
		if next < 0 {
			return
		}
		at += 2 + next
	}
}
