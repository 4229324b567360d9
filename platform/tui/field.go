package tui

import (
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
