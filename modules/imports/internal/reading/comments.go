package reading

import "bytes"

// withoutComments is a document of JSON in which the comments that the core allows became blanks: those after // and #
// to the end of the line, and those between /* and */. Texts stay as they are.
func withoutComments(text []byte) []byte {
	out := bytes.Clone(text)
	for at := 0; at < len(out); {
		rest := out[at:]
		switch {
		case rest[0] == '"':
			at += lengthOfText(rest)
		case rest[0] == '#' || bytes.HasPrefix(rest, []byte("//")):
			at += blank(rest, bytes.IndexByte(rest, '\n'))
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end >= 0 {
				end += len("/**/")
			}
			at += blank(rest, end)
		default:
			at++
		}
	}
	return out
}

// lengthOfText is how long a text is that begins here, with its quotation marks.
func lengthOfText(text []byte) int {
	for at := 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}

// blank overwrites what is before the end, or everything without one, and says how much that was.
func blank(text []byte, end int) int {
	if end < 0 {
		end = len(text)
	}
	for i := range end {
		text[i] = ' '
	}
	return end
}
