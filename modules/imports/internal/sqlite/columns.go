package sqlite

import "strings"

// columnsOf gives the names of the columns of a table from the statement that has made it, in their order, and which of
// them is another name of the row's number.
func columnsOf(statement string) (columns []string, rowid int) {
	rowid = -1
	open := strings.IndexByte(statement, '(')
	if open < 0 {
		return nil, rowid
	}
	for _, part := range parts(statement[open+1:]) {
		name, rest := firstName(part)
		if name == "" || constraint(part) {
			continue
		}
		definition := " " + strings.ToLower(strings.Join(strings.Fields(rest), " ")) + " "
		if strings.HasPrefix(definition, " integer ") && strings.Contains(definition, " primary key ") {
			rowid = len(columns)
		}
		columns = append(columns, name)
	}
	return columns, rowid
}

// parts cuts a list at its commas, but for those inside of brackets and quotes, and ends with the bracket that closes
// it.
func parts(list string) (out []string) {
	depth, from := 0, 0
	var quote byte
	for i := range len(list) {
		c := list[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '`' || c == '\'':
			quote = c
		case c == '[':
			quote = ']'
		case c == '(':
			depth++
		case c == ')' && depth == 0:
			return append(out, list[from:i])
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out, from = append(out, list[from:i]), i+1
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
	if end := strings.IndexByte("\"`[", part[0]); end >= 0 {
		name, rest, _ = strings.Cut(part[1:], string("\"`]"[end]))
		return name, rest
	}
	name, rest, _ = strings.Cut(part, " ")
	return name, rest
}

// constraint tells what a list of columns ends with from a column.
func constraint(part string) bool {
	part = strings.ToLower(strings.TrimSpace(part))
	for _, word := range []string{"constraint ", "primary key", "unique ", "unique(", "foreign key", "check ", "check("} {
		if strings.HasPrefix(part, word) {
			return true
		}
	}
	return false
}
