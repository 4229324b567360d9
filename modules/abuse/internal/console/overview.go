package console

import (
	"strconv"

	"github.com/spf13/cobra"

	"panel/modules/abuse/internal/views"
	"panel/platform/cli"
)

// shownOverview is how abuse protection stands as the command prints it.
type shownOverview struct {
	Schema string `json:"schema"`
	views.Overview
}

func overviewCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "overview", Short: "Show how abuse protection stands", Args: cobra.NoArgs,
		Example: "panelctl abuse overview --json",
		Long: "Shows how many signals and cases there are, which agents do not see all sessions and which nodes can block nothing, by " +
			"GET /api/v1/abuse/overview. With --json also the signals of each hour and day by their kinds.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			found := shownOverview{Schema: "panelctl.abuse.overview/v1"}
			if err := client.Get(cmd.Context(), base+"/overview", &found.Overview); err != nil {
				return err
			}
			if err := env.Record(found, overviewFields(&found.Overview)...); err != nil {
				return err
			}
			for _, one := range found.Unprotected {
				env.Note(cli.Say("%s can block no address: %s", nameOr(one.Node, one.NodeID), cli.OrDash(one.Why)))
			}
			return nil
		},
	}
}

func overviewFields(o *views.Overview) []cli.Field {
	return []cli.Field{
		{Key: "signals_day", Label: "Signals in 24 hours", Value: total(o.Hours)},
		{Key: "signals_week", Label: "Signals in 7 days", Value: total(o.Days)},
		{Key: "cases_open", Label: "Open cases", Value: strconv.Itoa(o.Cases.Open)},
		{Key: "cases_actioned", Label: "Cases acted on", Value: strconv.Itoa(o.Cases.Actioned)},
		{Key: "agents_incomplete", Label: "Agents that do not see all", Value: strconv.Itoa(len(o.Incomplete))},
		{Key: "nodes_unprotected", Label: "Nodes that can block nothing", Value: strconv.Itoa(len(o.Unprotected))},
	}
}

func total(bars []views.Bar) string {
	n := int64(0)
	for _, one := range bars {
		n += one.Total
	}
	return strconv.FormatInt(n, 10)
}
