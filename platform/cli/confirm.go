package cli

import (
	"fmt"
	"strings"
)

// Confirm asks for a word before something that cannot be undone, unless --yes is given. Where nobody sits at a
// terminal it is wrong usage (exit 2); any other word than the wanted one means that nothing was changed (exit 1).
func (env Env) Confirm(consequence, ask Message, word string) error {
	if env.Yes() {
		return nil
	}
	if !env.CanAsk() {
		return Usage(Say("nobody can confirm here")).Advise(Plain("--yes"))
	}
	if consequence.Text != "" {
		fmt.Fprintln(env.Err, env.Text(consequence))
	}
	fmt.Fprint(env.Err, env.Text(ask), " ")
	if env.Answer() != word {
		return Failed(Say("nothing was changed"))
	}
	return nil
}

// ConfirmWord is Confirm where the word is one of ours.
func (env Env) ConfirmWord(consequence Message, word string) error {
	return env.Confirm(consequence, Say("Type %s to go on:", word), word)
}

// CanAsk tells whether somebody sits at a terminal.
func (env Env) CanAsk() bool { return env.Terminal.In && env.Terminal.Err }

// Answer reads one line and nothing behind it; an ended input is an empty answer.
func (env Env) Answer() string {
	var typed []byte
	for one := make([]byte, 1); ; {
		n, err := env.In.Read(one)
		if err != nil && n == 0 || one[0] == '\n' {
			return strings.TrimSpace(string(typed))
		}
		typed = append(typed, one[:n]...)
	}
}
