package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Form is how a result is printed.
type Form int

// The three forms: a table for people, text for scripts, one JSON document.
const (
	Table Form = iota
	PlainText
	JSON
)

// Form follows the flags, else a table at a terminal and plain text in a pipe.
func (env Env) Form() Form {
	switch {
	case env.flags.json:
		return JSON
	case env.flags.plain:
		return PlainText
	case env.flags.table, env.Terminal.Out:
		return Table
	}
	return PlainText
}

// Field is one line of a result: a name for scripts, a label for people, and the value for both.
type Field struct {
	Key   string  // plain, never translated
	Label string  // English, translated in the table
	Value string  // plain
	Shown Message // the table's text; empty means Value
	Mood  Mood
}

// Mood colours a value in the table.
type Mood int

// The moods of a value.
const (
	Neutral Mood = iota
	Good
	Bad
	Careful
)

// Record prints one thing: document as JSON, or its fields as a table or plain text.
func (env Env) Record(document any, fields ...Field) error {
	switch env.Form() {
	case JSON:
		return env.document(document)
	case PlainText:
		return env.write(plainFields(fields))
	case Table:
		return env.write(env.tableFields(fields))
	}
	return nil
}

// List prints many things: document as JSON, or their rows as a table under headings or as plain text.
func (env Env) List(document any, headings []string, rows [][]string) error {
	switch env.Form() {
	case JSON:
		return env.document(document)
	case PlainText:
		var b strings.Builder
		for _, row := range rows {
			b.WriteString(strings.Join(row, "\t") + "\n")
		}
		return env.write(b.String())
	case Table:
	}
	head := make([]string, len(headings))
	for i, heading := range headings {
		head[i] = strings.ToUpper(env.T(heading))
	}
	return env.write(columns(append([][]string{head}, rows...)))
}

func (env Env) document(document any) error {
	encoder := json.NewEncoder(env.Out)
	encoder.SetEscapeHTML(false)
	if env.Terminal.Out {
		encoder.SetIndent("", "  ")
	}
	if err := encoder.Encode(document); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}

// stream prints one document of many, each on a line of its own.
func (env Env) stream(document any) error {
	encoder := json.NewEncoder(env.Out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}

func plainFields(fields []Field) string {
	var b strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&b, "%s\t%s\n", f.Key, f.Value)
	}
	return b.String()
}

func (env Env) tableFields(fields []Field) string {
	width := 0
	for _, f := range fields {
		width = max(width, utf8.RuneCountInString(env.T(f.Label)))
	}
	var b strings.Builder
	for _, f := range fields {
		label := env.T(f.Label)
		gap := strings.Repeat(" ", width+2-utf8.RuneCountInString(label))
		b.WriteString(label + gap + env.shown(f) + "\n")
	}
	return b.String()
}

func (env Env) shown(f Field) string {
	text := f.Value
	if f.Shown.Text != "" {
		text = env.Text(f.Shown)
	}
	if f.Mood == Neutral {
		return text
	}
	return env.paint(f.Mood, env.bullet(f.Mood)) + " " + text
}

func (env Env) bullet(mood Mood) string {
	if mood == Bad {
		return env.symbol("○", "o")
	}
	return env.symbol("●", "*")
}

func (env Env) write(text string) error {
	if _, err := io.WriteString(env.Out, text); err != nil {
		return fmt.Errorf("print the result: %w", err)
	}
	return nil
}

// Note tells something on the error stream that does not change the outcome.
func (env Env) Note(m Message) { env.remark("note", "Note:", m) }

// Warn tells a warning on the error stream.
func (env Env) Warn(m Message) { env.remark("warning", "Warning:", m) }

// Step says with --verbose and --debug what is being done.
func (env Env) Step(m Message) {
	if env.flags.verbose || env.flags.debug {
		env.remark("note", "·", m)
	}
}

// remark says something beside the result: a line for people, with --json a document like every other.
func (env Env) remark(level, label string, m Message) {
	if env.Form() == JSON {
		env.complain(remarkDocument{Level: level, Message: env.inEnglish().Text(m)})
		return
	}
	fmt.Fprintln(env.Err, env.T(label), env.Text(m))
}

// remarkDocument is one line of the error stream with --json. Its texts are English, as in every document.
type remarkDocument struct {
	Schema  string   `json:"schema"`
	Level   string   `json:"level"` // note, warning or error
	Message string   `json:"message"`
	Cause   string   `json:"cause,omitempty"`
	Code    string   `json:"code,omitempty"` // of the API's refusal
	Try     []string `json:"try,omitempty"`
	Exit    int      `json:"exit,omitempty"`
}

func (env Env) complain(d remarkDocument) {
	d.Schema = "panelctl.message/v1"
	encoder := json.NewEncoder(env.Err)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(d) // where the error stream is closed nobody listens
}

func (env Env) symbol(unicode, ascii string) string {
	locale := firstOf(env.Getenv("LC_ALL"), env.Getenv("LC_CTYPE"), env.Getenv("LANG"))
	upper := strings.ToUpper(locale)
	if strings.Contains(upper, "UTF-8") || strings.Contains(upper, "UTF8") {
		return unicode
	}
	return ascii
}

var colours = map[Mood]string{Good: "\x1b[32m", Bad: "\x1b[31m", Careful: "\x1b[33m"}

const uncoloured = "\x1b[0m"

func (env Env) paint(mood Mood, text string) string {
	if !env.coloured() {
		return text
	}
	return colours[mood] + text + uncoloured
}

func (env Env) coloured() bool {
	if env.Form() != Table || env.Getenv("NO_COLOR") != "" {
		return false
	}
	if env.Getenv("CLICOLOR_FORCE") != "" && env.Getenv("CLICOLOR_FORCE") != "0" {
		return true
	}
	return env.Terminal.Out && env.Getenv("TERM") != "dumb"
}

// seen is the width of a text on the screen, where colours take none.
func seen(text string) int {
	width := utf8.RuneCountInString(text)
	for _, colour := range append(slices.Collect(maps.Values(colours)), uncoloured) {
		width -= strings.Count(text, colour) * len(colour)
	}
	return width
}

// columns aligns rows by their widest cells, two spaces apart, the last column free.
func columns(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], seen(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row[:len(row)-1] {
			b.WriteString(cell + strings.Repeat(" ", widths[i]+2-seen(cell)))
		}
		b.WriteString(row[len(row)-1] + "\n")
	}
	return b.String()
}
