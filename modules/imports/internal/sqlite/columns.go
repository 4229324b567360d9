package sqlite

import (
	"slices"
	"strings"
	"unicode"
)

// columnsOf gives the names of the columns that rows of a table store, in their order, from the statement that has made
// the table, and which of them is another name of the row's number.
func columnsOf(statement string) (columns []string, rowid int) {
	rowid = -1
	statement = plain(statement)
	open := opening(statement)
	if open < 0 {
		return nil, rowid
	}
	var numbers []string
	for _, part := range parts(statement[open+1:]) {
		if constraint(part) {
			if key := keyOf(part); slices.Contains(numbers, key) {
				rowid = slices.Index(columns, key)
			}
			continue
		}
		name, rest := firstName(part)
		definition := " " + strings.ToLower(strings.Join(strings.Fields(rest), " ")) + " "
		if name == "" || computed(definition) {
			continue
		}
		if strings.HasPrefix(definition, " integer ") {
			numbers = append(numbers, name)
			if strings.Contains(definition, " primary key ") {
				rowid = len(columns)
			}
		}
		columns = append(columns, name)
	}
	return columns, rowid
}

// computed tells a column that is worked out when it is read: rows do not store it.
func computed(definition string) bool {
	return (strings.Contains(definition, " generated always as ") || strings.Contains(definition, " as (")) &&
		!strings.HasSuffix(definition, " stored ")
}

// keyOf is the one column of a primary key that stands behind the columns; empty for others.
func keyOf(part string) string {
	const primary = "primary key"
	words := strings.Join(strings.Fields(part), " ")
	at := strings.Index(strings.ToLower(words), primary)
	if at < 0 {
		return ""
	}
	_, list, _ := strings.Cut(words[at+len(primary):], "(")
	names := parts(list)
	if len(names) != 1 {
		return ""
	}
	name, _ := firstName(names[0])
	return name
}

// plain is a statement without its comments.
func plain(statement string) string {
	var out strings.Builder
	for rest := statement; rest != ""; {
		length := token(rest)
		if strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "/*") {
			out.WriteByte(' ')
		} else {
			out.WriteString(rest[:length])
		}
		rest = rest[length:]
	}
	return out.String()
}

// token is the length of a comment or of a quoted text that a text begins with; else 1.
func token(text string) int {
	begins := []string{"--", "/*", `"`, "`", "'", "["}
	ends := []string{"\n", "*/", `"`, "`", "'", "]"}
	for i, begin := range begins {
		if rest, found := strings.CutPrefix(text, begin); found {
			if end := strings.Index(rest, ends[i]); end >= 0 {
				return len(begin) + end + len(ends[i])
			}
			return len(text)
		}
	}
	return 1
}

// opening is where the list of columns begins: the name before it may hold a bracket itself. It is -1 for none.
func opening(statement string) int {
	for at := 0; at < len(statement); at += token(statement[at:]) {
		if statement[at] == '(' {
			return at
		}
	}
	return -1
}

// parts cuts a list at its commas, but for those inside of brackets and quotes, and ends with the bracket that closes
// it.
func parts(list string) (out []string) {
	depth, from := 0, 0
	for at := 0; at < len(list); at += token(list[at:]) {
		switch c := list[at]; {
		case c == '(':
			depth++
		case c == ')' && depth == 0:
			return append(out, list[from:at])
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out, from = append(out, list[from:at]), at+1
		}
	}
	return append(out, list[from:])
}

// firstName gives the name that a definition begins with.
func firstName(part string) (name, rest string) {
	part = strings.TrimSpace(part)
	if part == "" {
		return "", ""
	}
	if strings.IndexByte("\"`['", part[0]) >= 0 {
		end := token(part)
		return part[1:max(end-1, 1)], part[end:]
	}
	end := strings.IndexFunc(part, func(r rune) bool { return unicode.IsSpace(r) || r == '(' })
	if end < 0 {
		return part, ""
	}
	return part[:end], part[end:]
}

// constraint tells what a list of columns ends with from a column.
func constraint(part string) bool {
	words := strings.ToLower(strings.Join(strings.Fields(part), " "))
	for _, word := range []string{"constraint", "primary key", "unique", "foreign key", "check"} {
		if rest, found := strings.CutPrefix(words, word); found && (rest == "" || strings.IndexByte(" (\"`[", rest[0]) >= 0) {
			return true
		}
	}
	return false
}
