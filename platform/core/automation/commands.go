package automation

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"panel/platform/automation"
	"panel/platform/cli"
)

const base = "/api/v1/system/automation"

// commands are what this module adds to panelctl. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "automation", Short: "What the panel does by itself, and the switch that stops it"}
	group.AddCommand(listCommand(env), stopCommand(env), resumeCommand(env))
	return []*cobra.Command{group}
}

func listCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List what the panel does by itself", Args: cobra.NoArgs,
		Example: "panelctl automation list",
		Long: "Lists every automatic act with what bounds it, whether it may happen now and what it did last, by GET " +
			"/api/v1/system/automation/acts. It needs settings.manage.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			shown := struct {
				Schema string `json:"schema"`
				ActList
			}{Schema: "panelctl.automation/v1"}
			if err := client.Get(cmd.Context(), base+"/acts", &shown.ActList); err != nil {
				return err
			}
			heads, rows := []string{"Act", "What it does", "Limit", "Now", "Last", "Of"}, [][]string{}
			for _, a := range shown.Items {
				rows = append(rows, cells(env, a))
			}
			return env.List(shown, heads, rows)
		},
	}
}

// spoken are the words that a table says in the language of its reader.
var spoken = []string{"on", "stopped", "read_only", "not_in_plan"}

func cells(env cli.Env, a Act) []string {
	row := []string{a.Name, a.Summary, a.Budget, string(a.Why), "-", "-"}
	if a.Why == automation.Free {
		row[3] = spoken[0]
	}
	if env.Form() == cli.Table && slices.Contains(spoken, row[3]) {
		row[1], row[2], row[3] = env.T(row[1]), env.T(row[2]), env.T(row[3])
	}
	if a.Last != nil {
		row[4], row[5] = cli.Stamp(&a.Last.At), cli.OrDash(a.Last.Object)
	}
	return row
}

func stopCommand(env cli.Env) *cobra.Command {
	var reason string
	command := &cobra.Command{
		Use: "stop", Short: "Stop everything that the panel does by itself", Args: cobra.NoArgs,
		Example: "panelctl automation stop --reason \"the new provider behaves strangely\"",
		Long: "From its answer on nothing begins by itself on any panel: no change of DNS, no " +
			"promotion of a canary. What has begun comes to its end, and what people ask for is still done. It " +
			"also works while the panel is read-only.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if strings.TrimSpace(reason) == "" {
				return cli.Usage(cli.Say("say why with --reason")).Advise(cli.Plain("panelctl automation stop --help"))
			}
			return change(cmd.Context(), env, "/stop", StopOrder{Reason: reason})
		},
	}
	command.Flags().StringVar(&reason, "reason", "", "why; shown to everybody who finds everything stopped")
	return command
}

func resumeCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "resume", Short: "Let the panel act by itself again", Args: cobra.NoArgs,
		Example: "panelctl automation resume",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return change(cmd.Context(), env, "/resume", nil)
		},
	}
}

func change(ctx context.Context, env cli.Env, path string, body any) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	shown := struct {
		Schema string `json:"schema"`
		automation.State
	}{Schema: "panelctl.automation.state/v1"}
	if err := client.Post(ctx, base+path, body, &shown.State); err != nil {
		return err
	}
	state := "on"
	if shown.Stopped {
		state = "stopped"
	}
	return env.Record(shown,
		cli.Field{Key: "state", Label: "State", Value: state, Shown: cli.Say(state)},
		cli.Field{Key: "by", Label: "By", Value: cli.OrDash(shown.By)},
		cli.Field{Key: "at", Label: "At", Value: cli.Stamp(shown.At)},
		cli.Field{Key: "reason", Label: "Reason", Value: cli.OrDash(shown.Reason)},
	)
}
