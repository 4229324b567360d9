package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The exit codes of every command.
const (
	ExitDone        = 0
	ExitFailed      = 1   // a negative answer or a failure
	ExitUsage       = 2   // wrong arguments, or a confirmation that nobody can give
	ExitUnreachable = 3   // the API or the database does not answer
	ExitNotAllowed  = 4   // 401, 403, or not root
	ExitConflict    = 5   // 409
	ExitInterrupted = 130 // Ctrl-C
)

// Message is an English text with its values; the catalogue of a language translates the text.
type Message struct {
	Text string
	Args []any
}

// Say makes a message that is translated by its English text.
func Say(text string, args ...any) Message { return Message{Text: text, Args: args} }

// Plain makes a message that reads the same in every language: a command, an address, a word of the system.
func Plain(text string) Message { return Message{Text: "%s", Args: []any{text}} }

// Failure ends a command: what was attempted, why it failed, what to do, and the exit code.
type Failure struct {
	Exit    int
	Problem Message
	Cause   Message
	Try     []Message
	Err     error
}

// Error gives the English text for logs and tests.
func (f *Failure) Error() string {
	text := english(f.Problem)
	if cause := english(f.Cause); cause != "" {
		text += ": " + cause
	}
	return text
}

func (f *Failure) Unwrap() error { return f.Err }

// Because adds the cause.
func (f *Failure) Because(cause Message) *Failure { f.Cause = cause; return f }

// Advise adds what the operator can do next.
func (f *Failure) Advise(try ...Message) *Failure { f.Try = append(f.Try, try...); return f }

// Failed is exit code 1.
func Failed(problem Message) *Failure { return &Failure{Exit: ExitFailed, Problem: problem} }

// Usage is exit code 2.
func Usage(problem Message) *Failure { return &Failure{Exit: ExitUsage, Problem: problem} }

// Unreachable is exit code 3.
func Unreachable(problem Message) *Failure { return &Failure{Exit: ExitUnreachable, Problem: problem} }

// NotAllowed is exit code 4.
func NotAllowed(problem Message) *Failure { return &Failure{Exit: ExitNotAllowed, Problem: problem} }

// Conflict is exit code 5.
func Conflict(problem Message) *Failure { return &Failure{Exit: ExitConflict, Problem: problem} }

func asFailure(err error) *Failure {
	var failure *Failure
	if errors.As(err, &failure) {
		return failure
	}
	return &Failure{Exit: ExitFailed, Problem: English(err.Error()), Err: err}
}

func english(m Message) string {
	if m.Text == "" {
		return ""
	}
	args := make([]any, len(m.Args))
	for i, arg := range m.Args {
		if inner, is := arg.(Message); is {
			arg = english(inner)
		}
		args[i] = arg
	}
	return fmt.Sprintf(m.Text, args...)
}

// report prints the block Error, Cause, Try, with --json one document; a failure without a problem has already said
// everything.
func (env Env) report(f *Failure) {
	if f.Problem.Text == "" {
		return
	}
	if env.Form() == JSON {
		env.complain(env.inEnglish().documentOf(f))
		return
	}
	lines := []struct {
		label string
		text  string
	}{{"Error:", env.Text(f.Problem)}, {"Cause:", env.Text(f.Cause)}, {"Try:", env.advice(f.Try)}}
	for _, line := range lines {
		if line.text != "" {
			fmt.Fprintf(env.Err, "%-6s %s\n", env.T(line.label), line.text)
		}
	}
}

func (env Env) documentOf(f *Failure) remarkDocument {
	d := remarkDocument{Level: "error", Message: env.Text(f.Problem), Cause: env.Text(f.Cause), Exit: f.Exit}
	var refused *APIError
	if errors.As(f.Err, &refused) {
		d.Code = refused.Code
	}
	for _, m := range f.Try {
		d.Try = append(d.Try, env.Text(m))
	}
	return d
}

func (env Env) advice(try []Message) string {
	texts := make([]string, len(try))
	for i, m := range try {
		texts[i] = env.Text(m)
	}
	return strings.Join(texts, env.symbol(" · ", " | "))
}

func flagFailure(cmd *cobra.Command, err error) error {
	help := helpOf(cmd)
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		return Usage(Say("unknown flag %s", dashed(unknown.GetSpecifiedName()))).Advise(help)
	}
	var missing *pflag.ValueRequiredError
	if errors.As(err, &missing) {
		return Usage(Say("flag %s needs a value", dashed(missing.GetSpecifiedName()))).Advise(help)
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		return Usage(Say("flag %s cannot take this value", "--"+invalid.GetFlag().Name)).Advise(help)
	}
	return Usage(Say("the flags cannot be read")).Because(English(err.Error())).Advise(help)
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
