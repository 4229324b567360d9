// Package tokens takes a text that is known to be valid JSON apart, for a fraction of what the library's decoder costs.
package tokens

import (
	"bytes"
	"encoding/json"
)

// Reader gives the tokens of one valid text in their order, as json.Decoder with UseNumber does.
type Reader struct {
	text []byte
	at   int
}

// Of reads a text for which json.Valid holds.
func Of(text []byte) Reader { return Reader{text: text} }

// More says whether the object or list that is open has another member.
func (r *Reader) More() bool {
	r.skip()
	return r.at < len(r.text) && r.text[r.at] != '}' && r.text[r.at] != ']'
}

// Next gives json.Delim, string, json.Number, bool or nil; nothing but nil comes after the end.
func (r *Reader) Next() json.Token {
	r.skip()
	if r.at >= len(r.text) {
		return nil
	}
	switch first := r.text[r.at]; first {
	case '{', '}', '[', ']':
		r.at++
		return json.Delim(first)
	case '"':
		return r.string()
	case 't', 'f':
		return len(r.word()) == len("true")
	case 'n':
		r.word()
		return nil
	default:
		return json.Number(r.word())
	}
}

// Plain gives the next token as it is written, without a copy of it: a text without escapes in its quotes, a number,
// true or false. Every other token is left where it is.
func (r *Reader) Plain() (token []byte, ok bool) {
	r.skip()
	if r.at >= len(r.text) {
		return nil, false
	}
	switch r.text[r.at] {
	case '{', '}', '[', ']', 'n':
		return nil, false
	case '"':
		from := r.at
		end := bytes.IndexByte(r.text[from+1:], '"')
		if end < 0 || bytes.IndexByte(r.text[from+1:from+1+end], '\\') >= 0 {
			return nil, false
		}
		r.at = from + end + 2
		return r.text[from:r.at], true
	default:
		token = r.word()
		return token, len(token) > 0
	}
}

// skip passes over what stands between tokens; in a valid text the order of commas and colons holds nothing new.
func (r *Reader) skip() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\r', '\n', ',', ':':
			r.at++
		default:
			return
		}
	}
}

// string leaves escapes to the library, which knows what becomes of half a surrogate.
func (r *Reader) string() string {
	from := r.at + 1
	end := bytes.IndexAny(r.text[from:], `"\`)
	if end < 0 {
		r.at = len(r.text)
		return ""
	}
	if r.text[from+end] == '"' {
		r.at = from + end + 1
		return string(r.text[from : from+end])
	}
	for end += from; end < len(r.text) && r.text[end] != '"'; end++ {
		if r.text[end] == '\\' {
			end++
		}
	}
	r.at = min(end+1, len(r.text))
	var text string
	_ = json.Unmarshal(r.text[from-1:r.at], &text) // cannot fail in a valid text
	return text
}

func (r *Reader) word() []byte {
	from := r.at
	for r.at < len(r.text) && inWord(r.text[r.at]) {
		r.at++
	}
	return r.text[from:r.at]
}

// inWord is what numbers, true, false and null consist of.
func inWord(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || b == 'E' || b == '+' || b == '-' || b == '.'
}
