package console

import (
	"fmt"

	"panel/modules/backups/internal/artefact"
	"panel/platform/cli"
)

// steps shows how far a command is: a line for each step, and at a terminal how much of it is done.
type steps struct {
	env   cli.Env
	last  string
	shown int64
	open  bool // a line that is written over
}

func (t *tool) steps() *steps { return &steps{env: t.env} }

var stepTexts = map[string]cli.Message{
	"checking":  cli.Say("checking the parts of the backup"),
	"dumping":   cli.Say("dumping the database"),
	"uploading": cli.Say("writing the backup"),
	"verifying": cli.Say("comparing tables, secrets and journal"),
	"saving":    cli.Say("keeping the present database"),
	"restoring": cli.Say("restoring the database"),
	"finishing": cli.Say("finishing"),
}

const everyMegabytes = 4

// note writes nothing for scripts that read JSON.
func (s *steps) note(p artefact.Progress) {
	text, known := stepTexts[p.Step]
	if !known || s.env.Form() == cli.JSON {
		return
	}
	megabytes := p.Bytes >> 20
	switch {
	case p.Step != s.last:
		s.end()
		s.last, s.shown = p.Step, 0
		fmt.Fprint(s.env.Err, s.env.Text(text))
		s.open = s.env.Terminal.Err
		if !s.open {
			fmt.Fprintln(s.env.Err)
		}
	case s.open && megabytes >= s.shown+everyMegabytes:
		s.shown = megabytes
		fmt.Fprintf(s.env.Err, "\r%s  %s", s.env.Text(text), s.env.Text(cli.Say("%d MB", megabytes)))
	}
}

// end leaves the line.
func (s *steps) end() {
	if s.open {
		fmt.Fprintln(s.env.Err)
		s.open = false
	}
}
