package provider

import "strings"

// quoted is a text as zone files write it: parts of at most 255 bytes in quotes.
func quoted(text string) string {
	const longest = 255
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	var parts []string
	for len(text) > longest {
		parts, text = append(parts, `"`+escape.Replace(text[:longest])+`"`), text[longest:]
	}
	return strings.Join(append(parts, `"`+escape.Replace(text)+`"`), " ")
}

// unquoted reads a text that may be written as in zone files.
func unquoted(text string) string {
	if !strings.HasPrefix(text, `"`) || !strings.HasSuffix(text, `"`) {
		return text
	}
	var out strings.Builder
	inside := false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			out.WriteByte(text[i])
		case text[i] == '"':
			inside = !inside
		case inside:
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

// dotted is the value of a record for services that write zone files: names end with a dot, texts stand in quotes.
func dotted(r Record) string {
	switch r.Type {
	case TypeCNAME:
		return Canonical(r.Value) + "."
	case TypeTXT:
		return quoted(r.Value)
	}
	return r.Value
}

// bare is the value of a record without what dotted adds.
func bare(kind, value string) string {
	switch kind {
	case TypeCNAME:
		return Canonical(value)
	case TypeTXT:
		return unquoted(value)
	}
	return value
}

// written tells whether the panel writes records of the type.
func written(kind string) bool {
	return kind == TypeA || kind == TypeAAAA || kind == TypeCNAME || kind == TypeTXT
}
