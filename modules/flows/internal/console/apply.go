package console

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

const lookEvery = 500 * time.Millisecond

// planned is a plan as far as these commands show it.
type planned struct {
	Flow     string `json:"flow"`
	FlowID   string `json:"flow_id"`
	ID       string `json:"id"`
	Revision int    `json:"revision"`
	Noop     bool   `json:"is_noop"`
	Checking bool   `json:"checking"`
	Steps    []struct {
		Interruption string `json:"interruption"`
	} `json:"steps"`
	Readiness []struct {
		Status string `json:"status"`
	} `json:"readiness"`
	Canary *canaryOf `json:"canary"`
}

func (p planned) reloads() (n int) {
	for _, step := range p.Steps {
		if step.Interruption != "none" {
			n++
		}
	}
	return n
}

func (p planned) unconfirmed() (n int) {
	for _, check := range p.Readiness {
		if check.Status != "confirmed" {
			n++
		}
	}
	return n
}

var planHeads = []string{"Flow", "Nodes", "Reloads", "Open checks", "Plan ID", "Canary"}

func planCells(p planned) []string {
	nodes := strconv.Itoa(len(p.Steps))
	return []string{p.Flow, nodes, strconv.Itoa(p.reloads()), strconv.Itoa(p.unconfirmed()), p.ID, p.Canary.planned()}
}

func planCommand(env cli.Env) *cobra.Command {
	var first canaryFlags
	command := &cobra.Command{
		Use: "plan <flow>...", Short: "Compile plans and install nothing", Args: cobra.MinimumNArgs(1),
		Example: `panelctl flows plan "Europe main" --canary-nodes fra-01,ams-01 --canary-watch 30m`,
		Long: "Compiles the drafts of flows, named by their names or ids, and waits until their nodes have been " +
			"asked about readiness. With --canary-nodes or --canary-share some nodes of each go first. It " +
			"sends POST /api/v1/connection-units/{id}/plan/compile for each.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			plans, err := compiled(cmd.Context(), client, args, &first)
			if err != nil {
				return err
			}
			return cli.PrintAll(env, "panelctl.flows.plan/v1", plans, planHeads, planCells)
		},
	}
	first.bind(command)
	return command
}

// compiled compiles the drafts of flows, with what goes first, and waits for their checks.
func compiled(ctx context.Context, client *cli.Client, names []string, first *canaryFlags) ([]planned, error) {
	wish, err := first.wish(ctx, client)
	if err != nil {
		return nil, err
	}
	plans := make([]planned, len(names))
	for i, name := range names {
		id, err := cli.IDOf(ctx, client, path, name, func(f listed) (string, string) { return f.ID, f.Name },
			cli.Say("there is no flow with the name %s", name))
		if err != nil {
			return nil, err
		}
		p := &plans[i]
		if err := client.Post(ctx, path+"/"+url.PathEscape(id)+"/plan/compile", wish, p); err != nil {
			return nil, err
		}
		p.Flow, p.FlowID = name, id
	}
	for i := range plans {
		for p := &plans[i]; p.Checking; {
			if err := pause(ctx); err != nil {
				return nil, err
			}
			if err := client.Get(ctx, path+"/"+p.FlowID+"/plans/"+p.ID, p); err != nil {
				return nil, err
			}
		}
	}
	return plans, nil
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(lookEvery):
		return nil
	}
}

// bulkApply is how flows that are applied together stand.
type bulkApply struct {
	ID         string     `json:"id"`
	Items      []applying `json:"items"`
	FinishedAt *time.Time `json:"finished_at"`
}

type applying struct {
	FlowID  string  `json:"flow_id"`
	Flow    string  `json:"flow_name"`
	State   string  `json:"state"`
	ApplyID *string `json:"apply_id"`
	Code    string  `json:"code"`
	Error   string  `json:"error"`

	Canary *canaryOf `json:"canary"`
}

var applyHeads = []string{"Flow", "State", "Reason", "Canary", "Watch", "Probes"}

func applyCells(a applying) []string {
	watch := "-"
	if a.Canary != nil {
		watch = cli.OrDash(a.Canary.State)
	}
	return []string{a.Flow, a.State, cli.OrDash(a.Error), a.Canary.names(), watch, a.Canary.probes()}
}

func applyCommand(env cli.Env) *cobra.Command {
	var stopOnFailure bool
	var first canaryFlags
	command := &cobra.Command{
		Use: "apply <flow>...", Short: "Compile and install the drafts of flows", Args: cobra.MinimumNArgs(1),
		Example: `panelctl flows apply "Europe main" Reserve --stop-on-failure`,
		Long: "Compiles the drafts of flows, named by their names or ids, asks, installs those that change " +
			"something and waits for their ends, by POST /api/v1/connection-units/bulk/apply. Nothing is " +
			"forced: a flow whose checks are open is refused. With --canary-nodes or --canary-share some " +
			"nodes go first, and the rest follows when they have done well. It goes on when this command is " +
			"interrupted. The exit code is 1 when a flow was not applied.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			plans, err := compiled(cmd.Context(), client, args, &first)
			if err != nil {
				return err
			}
			return install(cmd.Context(), env, client, plans, stopOnFailure)
		},
	}
	command.Flags().BoolVar(&stopOnFailure, "stop-on-failure", false, "one flow after the other, until one is not applied")
	first.bind(command)
	return command
}

func install(ctx context.Context, env cli.Env, client *cli.Client, plans []planned, stopOnFailure bool) error {
	items, reloads := []map[string]any{}, 0
	for _, p := range plans {
		if !p.Noop {
			items = append(items, map[string]any{"flow_id": p.FlowID, "id": p.ID, "revision": p.Revision})
			reloads += p.reloads()
		}
	}
	if len(items) == 0 {
		env.Note(cli.Say("there is nothing to install"))
		return cli.PrintAll(env, "panelctl.flows.apply/v1", []applying{}, applyHeads, applyCells)
	}
	consequence := cli.Say("Flows to install: %d. Nodes that reload: %d.", len(items), reloads)
	if err := env.ConfirmWord(consequence, "apply"); err != nil {
		return err
	}
	var begun bulkApply
	body := map[string]any{"items": items, "stop_on_failure": stopOnFailure}
	if err := client.Post(ctx, path+"/bulk/apply", body, &begun); err != nil {
		return err
	}
	for begun.FinishedAt == nil {
		if err := pause(ctx); err != nil {
			return err
		}
		if err := client.Get(ctx, path+"/bulk/apply/"+begun.ID, &begun); err != nil {
			return err
		}
	}
	if err := withCanaries(ctx, client, begun.Items); err != nil {
		return err
	}
	return ended(env, begun.Items)
}

// withCanaries reads how the canaries of applies have ended.
func withCanaries(ctx context.Context, client *cli.Client, items []applying) error {
	for i, item := range items {
		if item.ApplyID == nil {
			continue
		}
		at := path + "/" + url.PathEscape(item.FlowID) + "/applies/" + url.PathEscape(*item.ApplyID)
		var a installing
		if err := client.Get(ctx, at, &a); err != nil {
			return err
		}
		items[i].Canary = a.Canary
	}
	return nil
}

// ended prints how flows ended; one that was not applied is a failure of the command.
func ended(env cli.Env, items []applying) error {
	missed := 0
	for _, item := range items {
		if item.State != "applied" {
			missed++
		}
	}
	if err := cli.PrintAll(env, "panelctl.flows.apply/v1", items, applyHeads, applyCells); err != nil || missed == 0 {
		return err
	}
	return cli.Failed(cli.Say("%d of %d flows were not applied", missed, len(items)))
}
