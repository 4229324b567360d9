package paneltest

import (
	"bytes"
	"strings"

	"panel/platform/app"
	"panel/platform/cli"
	"panel/platform/module"
)

// Said is what a command line printed and how it ended.
type Said struct {
	Exit     int
	Out, Err string
}

// Command runs a command line of panelctl, with the commands of the modules, against the panel as this caller. Pairs of
// name and value set variables.
func (c *Client) Command(features []module.Module, line string, variables ...string) Said {
	c.panel.t.Helper()
	set := map[string]string{"PANEL_API_URL": c.panel.URL, "PANEL_API_TOKEN": c.Token, "HOME": c.panel.t.TempDir()}
	for i := 0; i+1 < len(variables); i += 2 {
		set[variables[i]] = variables[i+1]
	}
	var out, complaints bytes.Buffer
	env := cli.Env{
		Out: &out, Err: &complaints, In: strings.NewReader(""),
		Getenv: func(name string) string { return set[name] },
	}
	exit := cli.Run(c.panel.t.Context(), app.CommandLine(env, features), strings.Fields(line))
	return Said{exit, out.String(), complaints.String()}
}
