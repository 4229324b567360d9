package console

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

// redrawn is how a change of many drafts stands, as far as commands show it.
type redrawn struct {
	ID         string     `json:"id"`
	Items      []redraw   `json:"items"`
	FinishedAt *time.Time `json:"finished_at"`
}

type redraw struct {
	FlowID string `json:"flow_id"`
	Flow   string `json:"flow_name"`
	State  string `json:"state"`
	Code   string `json:"code"`
	Error  string `json:"error"`

	Domains []string `json:"domains"`
	Blocks  []struct {
		Node  string `json:"node_name"`
		From  string `json:"from"`
		To    string `json:"to"`
		Check string `json:"check"`
	} `json:"blocks"`
}

var redrawHeads = []string{"Flow", "State", "Nodes", "Reason"}

func redrawCells(r redraw) []string {
	nodes := []string{}
	for _, b := range r.Blocks {
		if b.Check == "none" {
			nodes = append(nodes, b.From+" -> "+b.To)
			continue
		}
		nodes = append(nodes, strings.TrimSpace(b.Node+" "+b.Check))
	}
	nodes = append(slices.Compact(nodes), r.Domains...)
	return []string{r.Flow, r.State, cli.OrDash(strings.Join(nodes, ", ")), cli.OrDash(r.Error)}
}

func changeTargetCommand(env cli.Env) *cobra.Command {
	var from string
	var dryRun bool
	command := &cobra.Command{
		Use: "change-target <host> [<flow>...]", Short: "Change the REALITY target of many drafts", Args: cobra.MinimumNArgs(1),
		Example: "panelctl flows change-target www.example.net --from www.example.org:443",
		Long: "Gives the listeners of flows, named by their names or ids, another REALITY target, or those of all flows that " +
			"have the target of --from. The target is checked from each node; flows without a suitable result are left out. " +
			"Nothing is installed: apply the flows afterwards. It asks POST /api/v1/connection-units/bulk/change-target, first " +
			"with dry_run. The exit code is 1 when a draft was not changed.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			body := map[string]any{"target": args[0], "from": from}
			if len(args) > 1 {
				if body["flow_ids"], err = flowIDs(cmd.Context(), client, args[1:]); err != nil {
					return err
				}
			}
			return change(cmd.Context(), env, client, "/bulk/change-target", "panelctl.flows.change-target/v1", body, dryRun)
		},
	}
	flags := command.Flags()
	flags.StringVar(&from, "from", "", "only listeners with this target, host or host:port")
	flags.BoolVar(&dryRun, "dry-run", false, "only show what would be changed")
	return command
}

func replaceNodeCommand(env cli.Env) *cobra.Command {
	var dryRun bool
	command := &cobra.Command{
		Use: "replace-node <node> <by> [<flow>...]", Short: "Put another node in the place of one, in many drafts",
		Args: cobra.MinimumNArgs(2), Example: "panelctl flows replace-node fra-01 fra-02",
		Long: "Puts another node in the place of one, both named by their names or ids, in the drafts of the named flows or of " +
			"all that have it, and in the host names that they use. Nothing is installed: apply the flows afterwards. A host " +
			"name leads to the new node as soon as the first flow that has it is applied there. It asks POST " +
			"/api/v1/connection-units/bulk/replace-node, first with dry_run. The exit code is 1 when a draft was not changed.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			body := map[string]any{}
			for i, field := range []string{"node_id", "by_node_id"} {
				if body[field], err = nodeID(cmd.Context(), client, args[i]); err != nil {
					return err
				}
			}
			if len(args) > 2 {
				if body["flow_ids"], err = flowIDs(cmd.Context(), client, args[2:]); err != nil {
					return err
				}
			}
			return change(cmd.Context(), env, client, "/bulk/replace-node", "panelctl.flows.replace-node/v1", body, dryRun)
		},
	}
	command.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would be changed")
	return command
}

func nodeID(ctx context.Context, client *cli.Client, name string) (string, error) {
	return cli.IDOf(ctx, client, "/api/v1/nodes", name,
		func(n struct{ ID, Name string }) (string, string) { return n.ID, n.Name },
		cli.Say("there is no node with the name %s", name))
}

func flowIDs(ctx context.Context, client *cli.Client, names []string) ([]string, error) {
	ids := make([]string, len(names))
	for i, name := range names {
		id, err := cli.IDOf(ctx, client, path, name, func(f listed) (string, string) { return f.ID, f.Name },
			cli.Say("there is no flow with the name %s", name))
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

// change asks what would be done, then the person, then has it done and waits for its end.
func change(
	ctx context.Context, env cli.Env, client *cli.Client, act, schema string, body map[string]any, dryRun bool,
) error {
	var told, begun redrawn
	body["dry_run"] = true
	if err := client.Post(ctx, path+act, body, &told); err != nil {
		return err
	}
	taking := 0
	for _, item := range told.Items {
		if item.State == "waiting" {
			taking++
		}
	}
	if dryRun || taking == 0 {
		return printed(env, schema, told.Items, dryRun)
	}
	consequence := cli.Say("Drafts to change: %d of %d. Nothing is installed.", taking, len(told.Items))
	if err := env.ConfirmWord(consequence, "change"); err != nil {
		return err
	}
	body["dry_run"] = false
	if err := client.Post(ctx, path+act, body, &begun); err != nil {
		return err
	}
	for begun.FinishedAt == nil {
		if err := pause(ctx); err != nil {
			return err
		}
		if err := client.Get(ctx, path+"/bulk/changes/"+url.PathEscape(begun.ID), &begun); err != nil {
			return err
		}
	}
	return printed(env, schema, begun.Items, false)
}

// printed prints what became of drafts; one that was not changed is a failure of the command.
func printed(env cli.Env, schema string, items []redraw, dryRun bool) error {
	missed := 0
	for _, item := range items {
		if item.State != "changed" {
			missed++
		}
	}
	err := cli.PrintAll(env, schema, items, redrawHeads, redrawCells)
	if err != nil || dryRun || missed == 0 {
		return err
	}
	return cli.Failed(cli.Say("%d of %d drafts were not changed", missed, len(items)))
}
