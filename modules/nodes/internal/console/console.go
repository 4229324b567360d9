// Package console is what the fleet adds to panelctl.
package console

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"panel/modules/nodes/internal/figures"
	"panel/platform/cli"
)

const momentPath = "/api/v1/nodes/moment"

// Commands are panelctl nodes and what is below it. Their Russian stands in the module's russian.txt.
func Commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "nodes", Short: "Servers of the fleet"}
	group.AddCommand(&cobra.Command{
		Use: "past <moment>", Short: "Show the fleet as it was", Args: cobra.ExactArgs(1),
		Example: "panelctl nodes past 90m\npanelctl nodes past 2026-11-20T05:53:00Z --json",
		Long: "Shows states, figures and failing nodes of a moment of the last 30 days, by GET /api/v1/nodes/moment. The " +
			"moment is a time with its zone, or how long ago it was: 30m, 1h or 2d.",
		RunE: func(cmd *cobra.Command, args []string) error { return past(cmd.Context(), env, args[0]) },
	})
	group.AddCommand(listCommand(env), showCommand(env), setCommand(env), maintenanceCommand(env))
	return []*cobra.Command{group}
}

// document is what is printed with --json: the API's body and the schema.
type document struct {
	Schema string `json:"schema"`
	figures.Moment
}

func past(ctx context.Context, env cli.Env, text string) error {
	at, err := momentOf(text, time.Now()) //nolint:forbidigo // "90m" is said by a person, of now
	if err != nil {
		return err
	}
	client, err := env.Client()
	if err != nil {
		return err
	}
	shown := document{Schema: "panelctl.nodes.past/v1"}
	query := url.Values{"at": {at.UTC().Format(time.RFC3339)}}
	if err := client.Get(ctx, momentPath+"?"+query.Encode(), &shown.Moment); err != nil {
		return err
	}
	return env.Record(shown, fieldsOf(shown.Moment)...)
}

// momentOf reads a time, or how long before now it was.
func momentOf(text string, now time.Time) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	ago, err := cli.Period(text)
	if err != nil || ago == 0 {
		return now, cli.Usage(cli.Say("%s is neither a time nor a period", text)).
			Advise(cli.Say("give a time as 2026-11-20T05:53:00Z, or how long ago it was: 30m, 1h or 2d"))
	}
	return now.Add(-ago), nil
}

func fieldsOf(m figures.Moment) []cli.Field {
	fields := []cli.Field{
		{Key: "at", Label: "Moment", Value: cli.Stamp(&m.At)},
		{Key: "nodes", Label: "Nodes", Value: strconv.Itoa(m.Total)},
		{Key: "states", Label: "States", Value: cli.OrDash(statesOf(m.States))},
		{Key: "sessions", Label: "Sessions", Value: "-"},
		{Key: "in_bps", Label: "Traffic in, bit/s", Value: "-"},
		{Key: "out_bps", Label: "Traffic out, bit/s", Value: "-"},
	}
	if f := m.Figures; f != nil {
		if f.Sessions != nil {
			fields[3].Value = strconv.FormatInt(*f.Sessions, 10)
		}
		fields[4].Value, fields[5].Value = fmt.Sprintf("%.0f", f.NetRxBps), fmt.Sprintf("%.0f", f.NetTxBps)
	}
	for _, node := range m.Failing {
		fields = append(fields, failingField(node))
	}
	if more := m.Failures - len(m.Failing); more > 0 {
		fields = append(fields, cli.Field{Key: "more_failing", Label: "More failing", Value: strconv.Itoa(more)})
	}
	return append(fields,
		cli.Field{Key: "earlier_change", Label: "Change before", Value: cli.Stamp(m.Earlier)},
		cli.Field{Key: "later_change", Label: "Change after", Value: cli.Stamp(m.Later)})
}

// statesOf names how many nodes were in each state, as "offline 2, online 40".
func statesOf(states map[string]int) string {
	var parts []string
	for _, state := range slices.Sorted(maps.Keys(states)) {
		if states[state] > 0 {
			parts = append(parts, state+" "+strconv.Itoa(states[state]))
		}
	}
	return strings.Join(parts, ", ")
}

func failingField(node figures.Failed) cli.Field {
	since, until := cli.Stamp(node.Since), cli.Stamp(node.Until)
	return cli.Field{
		Key: "failing", Label: "Failing", Mood: cli.Bad,
		Value: strings.Join([]string{node.Name, node.State, since, until}, "\t"),
		Shown: cli.Say("%s: %s from %s to %s", node.Name, node.State, since, until),
	}
}
