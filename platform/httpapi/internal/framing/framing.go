// Package framing finds requests that a proxy and this server could read in two ways.
package framing

import "bytes"

var (
	contentLength    = []byte("Content-Length")
	transferEncoding = []byte("Transfer-Encoding")
)

// Ambiguous finds headers in which a proxy may see another request than this server does: a body with two lengths, a
// space around a name, a line that ends in a bare line feed. The HTTP library takes all of them. What cannot be looked
// at is the line end of the first line, which the library does not keep; it says nothing about where a request ends.
func Ambiguous(headers []byte) bool {
	var length, chunked bool
	for len(headers) > 0 {
		end := bytes.IndexByte(headers, '\n')
		if end < 1 || headers[end-1] != '\r' {
			return true
		}
		line := headers[:end-1]
		headers = headers[end+1:]
		if len(line) == 0 {
			break
		}
		name, _, isHeader := bytes.Cut(line, []byte(":"))
		if !isHeader || len(bytes.TrimSpace(name)) != len(name) {
			return true
		}
		length = length || bytes.EqualFold(name, contentLength)
		chunked = chunked || bytes.EqualFold(name, transferEncoding)
	}
	return length && chunked
}
