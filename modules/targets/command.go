package targets

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

// commands are what this module adds to panelctl. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "targets", Short: "Sites that REALITY listeners may show to strangers"}
	group.AddCommand(listCommand(env), searchCommand(env), checkCommand(env), showCommand(env), cancelCommand(env))
	return []*cobra.Command{group}
}

var heads = []string{"Node", "Mode", "State", "Tried", "Found", "Started", "ID"}

func cellsOf(s Search) []string {
	return []string{
		s.NodeName, s.Mode, strings.TrimSpace(s.State + " " + s.Reason),
		strconv.Itoa(s.Scanned) + "/" + strconv.Itoa(s.Total), strconv.Itoa(s.Found), cli.Stamp(&s.CreatedAt), s.ID,
	}
}

func listCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List searches for targets", Args: cobra.NoArgs, Example: "panelctl targets list",
		Long: "Lists the searches of the last 30 days, the newest first. It asks GET /api/v1/target-search, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.ListAll(cmd.Context(), env, "panelctl.targets.list/v1", path, heads, cellsOf)
		},
	}
}

// order is the body of a search; what is left out is left to the panel.
type order struct {
	NodeID string   `json:"node_id"`
	Mode   string   `json:"mode"`
	Inputs []string `json:"inputs,omitempty"`
	Port   int      `json:"port,omitempty"`
}

func searchCommand(env cli.Env) *cobra.Command {
	var wanted order
	command := &cobra.Command{
		Use: "search <node> [<host or network>...]", Short: "Search for targets from a node",
		Args:    cobra.MinimumNArgs(1),
		Example: "panelctl targets search fra-01 www.example.org www.example.net:443",
		Long: "Has the agent of a node, named by its name or id, try sites as REALITY targets, by POST /api/v1/target-search. " +
			"It answers at once; the command show prints what was found. No flow changes.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			if wanted.NodeID, err = nodeNamed(cmd.Context(), client, args[0]); err != nil {
				return err
			}
			wanted.Inputs = args[1:]
			return started(cmd.Context(), env, client, path, wanted)
		},
	}
	flags := command.Flags()
	flags.StringVar(&wanted.Mode, "mode", modeHosts,
		"where targets come from: host_list, cidr, neighbours of the node, or own_domain")
	flags.IntVar(&wanted.Port, "port", 0, "port of targets that name none; 443 without it")
	return command
}

// single is the body of a check.
type single struct {
	NodeID     string `json:"node_id"`
	Target     string `json:"target"`
	ServerName string `json:"sni,omitempty"`
}

func checkCommand(env cli.Env) *cobra.Command {
	var wanted single
	command := &cobra.Command{
		Use: "check <node> <host>", Short: "Check one target from a node", Args: cobra.ExactArgs(2),
		Example: "panelctl targets check fra-01 www.example.org:443",
		Long: "Has the agent of a node try one site as a REALITY target, by POST /api/v1/target-search/check. It answers at " +
			"once; the command show prints what was found.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			if wanted.NodeID, err = nodeNamed(cmd.Context(), client, args[0]); err != nil {
				return err
			}
			wanted.Target = args[1]
			return started(cmd.Context(), env, client, path+"/check", wanted)
		},
	}
	command.Flags().StringVar(&wanted.ServerName, "sni", "", "name to ask for, where it is not the host")
	return command
}

func started(ctx context.Context, env cli.Env, client *cli.Client, at string, wanted any) error {
	var made Search
	if err := client.Do(ctx, http.MethodPost, at, wanted, &made); err != nil {
		return err
	}
	return cli.PrintAll(env, "panelctl.targets.search/v1", []Search{made}, heads, cellsOf)
}

// nodeNamed gives the id of the node that a command line names by its name or id.
func nodeNamed(ctx context.Context, c *cli.Client, named string) (string, error) {
	type node struct{ ID, Name string }
	return cli.IDOf(ctx, c, "/api/v1/nodes", named, func(n node) (string, string) { return n.ID, n.Name },
		cli.Say("there is no node with the name %s", named))
}

// shownSearch is what show prints with --json.
type shownSearch struct {
	Schema  string   `json:"schema"`
	Search  Search   `json:"search"`
	Results []Result `json:"results"`
}

func showCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show <search>", Short: "Show what a search for targets found", Args: cobra.ExactArgs(1),
		Example: "panelctl targets show 0199a0de-0000-7000-8000-000000000001",
		Long: "Prints the targets of a search with what they are worth and why, the best first. It asks " +
			"GET /api/v1/target-search/{id} and its results, page by page.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			at := path + "/" + url.PathEscape(args[0])
			var search Search
			if err := client.Get(cmd.Context(), at, &search); err != nil {
				return err
			}
			results, err := cli.All[Result](cmd.Context(), client, at+"/results")
			if err != nil {
				return err
			}
			rows := make([][]string, len(results))
			for i, r := range results {
				rows[i] = resultCells(env, r)
			}
			return env.List(shownSearch{"panelctl.targets.show/v1", search, results},
				[]string{"Target", "Name", "Suitability", "Score", "Latency", "Reasons", "Valid until", "ID"}, rows)
		},
	}
}

func resultCells(env cli.Env, r Result) []string {
	latency := "-"
	if r.Latency != nil {
		latency = (time.Duration(*r.Latency) * time.Millisecond).String()
	}
	said := make([]string, len(r.Reasons))
	for i, reason := range r.Reasons {
		if said[i] = reason.Code; env.Form() == cli.Table {
			said[i] = env.Text(cli.Say(reason.Text))
		}
	}
	return []string{
		r.Target, cli.OrDash(r.ServerName), r.Suitability, strconv.Itoa(r.Score), latency,
		cmp.Or(strings.Join(said, "; "), "-"), cli.Stamp(&r.ValidUntil), r.ID,
	}
}

func cancelCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "cancel <search>", Short: "Cancel a search for targets", Args: cobra.ExactArgs(1),
		Example: "panelctl targets cancel 0199a0de-0000-7000-8000-000000000001",
		Long: "Ends a search by POST /api/v1/target-search/{id}/cancel. The agent stops; what it has found stays. A search " +
			"that has ended stays as it is.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			return started(cmd.Context(), env, client, path+"/"+url.PathEscape(args[0])+"/cancel", struct{}{})
		},
	}
}
