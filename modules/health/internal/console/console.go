// Package console is what health adds to panelctl.
package console

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/modules/health/internal/view"
	"panel/platform/cli"
)

const (
	base         = "/api/v1/health"
	nodesPath    = base + "/nodes"
	flowsPath    = base + "/connection-units"
	policiesPath = base + "/policies"
	poolsPath    = "/api/v1/transit-pools"
)

// Commands are panelctl health and what is below it. Their Russian stands in the module's russian.txt.
func Commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "health", Short: "How nodes and flows do, seen from several places"}
	group.AddCommand(
		nodesCommand(env), flowsCommand(env), showCommand(env), checkCommand(env),
		incidentsCommand(env), incidentCommand(env), ackCommand(env), resolveCommand(env),
		repairsCommand(env), repairCommand(env),
		policiesCommand(env), createPolicyCommand(env), changePolicyCommand(env), deletePolicyCommand(env),
		checksCommand(env),
	)
	return []*cobra.Command{group}
}

func nodesCommand(env cli.Env) *cobra.Command {
	return listCommand(env, nodesPath, "panelctl.health.nodes/v1", &cobra.Command{
		Use: "nodes", Short: "List nodes with how they do", Args: cobra.NoArgs,
		Example: "panelctl health nodes --state not_up",
		Long: "Lists nodes by how they do, the worst first, with the checks that fail. It asks GET /api/v1/health/nodes, page by " +
			"page. A check that 3 of 4 places see down stands as tcp 3/4.",
	})
}

func flowsCommand(env cli.Env) *cobra.Command {
	return listCommand(env, flowsPath, "panelctl.health.flows/v1", &cobra.Command{
		Use: "flows", Short: "List flows with how they do", Args: cobra.NoArgs,
		Example: "panelctl health flows --state down",
		Long: "Lists flows by how they do, the worst first, with the checks that fail. It asks GET " +
			"/api/v1/health/connection-units, page by page.",
	})
}

func listCommand(env cli.Env, path, schema string, command *cobra.Command) *cobra.Command {
	var state, part string
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		asked := cli.Asked(path, map[string]string{"sort": "-state", "state": state, "q": part})
		heads := []string{"Name", "State", "Since", "Reason", "Failing checks", "ID"}
		return cli.ListAll(cmd.Context(), env, schema, asked, heads, func(s view.Subject) []string {
			return []string{
				s.Name, shownState(s), cli.Stamp(&s.Since), cli.OrDash(s.Reason), cli.OrDash(failing(s)), s.ID,
			}
		})
	}
	command.Flags().StringVar(&state, "state", "", "show only those in this state: up, degraded, down, unknown or not_up")
	command.Flags().StringVar(&part, "find", "", "show only those with this text in their name")
	return command
}

// shownState is the state, and whether it is one of maintenance.
func shownState(s view.Subject) string {
	if s.Maintenance {
		return s.State + ", maintenance"
	}
	return s.State
}

// failing names the checks that some place sees down, with how many of all places do.
func failing(s view.Subject) string {
	var parts []string
	for _, c := range s.Checks {
		if c.Down > 0 {
			parts = append(parts, fmt.Sprintf("%s %d/%d", c.Check, c.Down, c.Up+c.Down+c.Unknown))
		}
	}
	return strings.Join(parts, ", ")
}

func showCommand(env cli.Env) *cobra.Command {
	var flow bool
	command := &cobra.Command{
		Use: "show <node or flow>", Short: "Show how a node or flow does, and what each place sees", Args: cobra.ExactArgs(1),
		Example: "panelctl health show fra-01\npanelctl health show \"Europe main\" --flow",
		Long: "Shows what each place sees of a node, or with --flow of a flow, named by its name or id, by GET " +
			"/api/v1/health/nodes/{id} or /api/v1/health/connection-units/{id}. Evidence that is too old says so and counts for " +
			"nothing. With --json the verdict and its likely cause stand above the evidence.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			path, err := subjectPath(cmd.Context(), client, args[0], flow)
			if err != nil {
				return err
			}
			shown := struct {
				Schema string `json:"schema"`
				view.SubjectDetail
			}{Schema: "panelctl.health.show/v1"}
			if err := client.Get(cmd.Context(), path, &shown.SubjectDetail); err != nil {
				return err
			}
			heads := []string{"Check", "Address", "Place", "State", "Reason", "Failures", "Latency, ms", "Seen"}
			rows := make([][]string, len(shown.Evidence))
			for i, e := range shown.Evidence {
				rows[i] = evidenceCells(e)
			}
			return env.List(shown, heads, rows)
		},
	}
	command.Flags().BoolVar(&flow, "flow", false, "the name is one of a flow")
	return command
}

func evidenceCells(e view.Evidence) []string {
	place, state, latency := e.Vantage.Name, e.State, "-"
	if e.Vantage.Kind != "agent" {
		place = e.Vantage.Kind
	}
	if e.Stale {
		state = "old"
	}
	if e.LatencyMs != nil {
		latency = strconv.FormatFloat(*e.LatencyMs, 'f', 1, 64)
	}
	return []string{
		e.Check, cli.OrDash(e.Target), cli.OrDash(place), state, cli.OrDash(e.Reason), strconv.Itoa(e.Failures),
		latency, cli.Stamp(e.At),
	}
}

// subjectPath is where the API has the node or flow that a command line names.
func subjectPath(ctx context.Context, client *cli.Client, named string, flow bool) (string, error) {
	path, none := nodesPath, cli.Say("there is no node with the name %s", named)
	if flow {
		path, none = flowsPath, cli.Say("there is no flow with the name %s", named)
	}
	id, err := cli.IDOf(ctx, client, path, named, func(s view.Subject) (string, string) { return s.ID, s.Name }, none)
	if err != nil {
		return "", err
	}
	return path + "/" + url.PathEscape(id), nil
}

// started is what is under way after a command to look now.
type started struct {
	Schema   string `json:"schema"`
	Checks   int    `json:"checks"`
	Vantages int    `json:"vantages"`
}

func checkCommand(env cli.Env) *cobra.Command {
	var flow bool
	command := &cobra.Command{
		Use: "check <node or flow>", Short: "Check a node or flow now", Args: cobra.ExactArgs(1),
		Example: "panelctl health check fra-01",
		Long: "Asks all that check a node, or with --flow a flow, named by its name or id, to do so now, by POST " +
			"/api/v1/health/checks/run. What they find comes within seconds; panelctl health show prints it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			path, err := subjectPath(cmd.Context(), client, args[0], flow)
			if err != nil {
				return err
			}
			ids := []string{path[strings.LastIndex(path, "/")+1:]}
			wanted := map[string][]string{"node_ids": ids}
			if flow {
				wanted = map[string][]string{"connection_unit_ids": ids}
			}
			shown := started{Schema: "panelctl.health.check/v1"}
			if err := client.Post(cmd.Context(), base+"/checks/run", wanted, &shown); err != nil {
				return err
			}
			return env.Record(shown,
				cli.Field{Key: "checks", Label: "Checks", Value: strconv.Itoa(shown.Checks)},
				cli.Field{Key: "vantages", Label: "Seen from", Value: strconv.Itoa(shown.Vantages)})
		},
	}
	command.Flags().BoolVar(&flow, "flow", false, "the name is one of a flow")
	return command
}
