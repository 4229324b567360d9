package tui

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// field is a line that takes text.
type field struct{ input textinput.Model }

const longestInput = 20000 // an offline license document

func newField(value string) *field {
	input := textinput.New()
	input.Prompt, input.CharLimit = "", longestInput
	input.SetStyles(textinput.Styles{})
	input.SetValue(value)
	input.Focus()
	return &field{input}
}

// secret shows stars in place of what is typed.
func (f *field) secret() *field {
	f.input.EchoMode = textinput.EchoPassword
	return f
}

func (f *field) value() string { return f.input.Value() }

// wipe forgets what was typed.
func (f *field) wipe() { f.input.Reset() }

func (f *field) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	f.input, cmd = f.input.Update(msg)
	return cmd
}

func (f *field) view(width int) string {
	f.input.SetWidth(max(1, width-1))
	return f.input.View()
}

// filter narrows the rows of a page by what is typed after "/".
type filter struct {
	w     *session
	field *field // while it is being typed
	text  string
}

func (f *filter) open() { f.field = newField(f.text) }

func (f *filter) typing() bool { return f.field != nil }

// closes tells that esc has something to take back here.
func (f *filter) closes() bool { return f.field != nil || f.text != "" }

// press takes a key and tells whether it was used.
func (f *filter) press(key string, msg tea.KeyPressMsg) (tea.Cmd, bool) {
	switch {
	case f.field == nil && key == "/":
		f.open()
	case key == "esc" && f.closes():
		f.field, f.text = nil, ""
	case f.field == nil:
		return nil, false
	case key == "enter":
		f.field = nil
	case key == "up" || key == "down":
		return nil, false
	default:
		cmd := f.field.update(msg)
		f.text = f.field.value()
		return cmd, true
	}
	return nil, true
}

func (f *filter) matches(texts ...string) bool {
	return f.text == "" || strings.Contains(strings.ToLower(strings.Join(texts, " ")), strings.ToLower(f.text))
}

// line says what the rows are narrowed to; empty when they are not.
func (f *filter) line(width int) string {
	switch {
	case f.field != nil:
		return "/ " + f.field.view(width-2)
	case f.text != "":
		return f.w.say("Filter: %s  (esc clears)", f.text)
	}
	return ""
}
