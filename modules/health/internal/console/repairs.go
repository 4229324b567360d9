package console

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/modules/health/internal/repair"
	"panel/platform/cli"
)

const (
	actionsPath = base + "/self-heal/actions"
	dryRunPath  = base + "/self-heal/dry-run"
)

var (
	repairHeads = []string{"Action", "Node", "State", "Why", "Outcome", "Approved by", "Time", "ID"}
	dryHeads    = []string{"Time", "Node", "Action", "State", "Why"}
)

func repairsCommand(env cli.Env) *cobra.Command {
	var state, node string
	command := &cobra.Command{
		Use: "repairs", Short: "List what self-repair did, proposes or left", Args: cobra.NoArgs,
		Example: "panelctl health repairs --state proposed\npanelctl health repairs --node fra-01 --json",
		Long: "Lists what self-repair did, proposes or left, the newest first, by GET /api/v1/health/self-heal/actions, page by page. " +
			"With --json each with what it was decided by.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			id, err := nodeNamed(cmd.Context(), client, node)
			if err != nil {
				return err
			}
			asked := cli.Asked(actionsPath, map[string]string{"state": state, "node_id": id})
			return cli.ListAll(cmd.Context(), env, "panelctl.health.repairs/v1", asked, repairHeads, repairCells)
		},
	}
	command.Flags().StringVar(&state, "state", "",
		"show only those in this state: proposed, approved, running, succeeded, failed, skipped, undone or open")
	command.Flags().StringVar(&node, "node", "", "show only those about this node, by its name or id")
	return command
}

// nodeNamed gives the id of the node that a flag names; empty when it names none.
func nodeNamed(ctx context.Context, client *cli.Client, named string) (string, error) {
	if named == "" {
		return "", nil
	}
	path, err := subjectPath(ctx, client, named, false)
	return path[strings.LastIndex(path, "/")+1:], err
}

func repairCells(a repair.Action) []string {
	why := a.Reason
	if a.Error != "" {
		why = a.Error
	}
	return []string{
		a.Act, a.NodeName, a.State, cli.OrDash(why), cli.OrDash(a.Outcome), cli.OrDash(a.ApprovedBy),
		cli.Stamp(&a.CreatedAt), a.ID,
	}
}

func repairCommand(env cli.Env) *cobra.Command {
	group := &cobra.Command{Use: "repair", Short: "Decide what self-repair proposes, and see what it would have done"}
	group.AddCommand(
		decideCommand(env, "approve", &cobra.Command{
			Use: "approve <id>", Short: "Approve what self-repair proposes", Args: cobra.ExactArgs(1),
			Example: "panelctl health repair approve 0199a0de-0000-7000-8000-000000000001",
			Long: "Has a proposed repair done, by POST /api/v1/health/self-heal/actions/{id}/approve. It is looked at once more before: a " +
				"node that is well by then, in maintenance or being installed is left alone.",
		}),
		decideCommand(env, "dismiss", &cobra.Command{
			Use: "dismiss <id>", Short: "Dismiss what self-repair proposes", Args: cobra.ExactArgs(1),
			Example: "panelctl health repair dismiss 0199a0de-0000-7000-8000-000000000001",
			Long: "Says that a proposed repair is not to be done, by POST /api/v1/health/self-heal/actions/{id}/dismiss. It is not " +
				"proposed again until the node has been well.",
		}),
		decideCommand(env, "undo", &cobra.Command{
			Use: "undo <id>", Short: "Give back what self-repair has changed", Args: cobra.ExactArgs(1),
			Example: "panelctl health repair undo 0199a0de-0000-7000-8000-000000000001",
			Long: "Gives back what a repair has changed, by POST /api/v1/health/self-heal/actions/{id}/undo: the node gets new traffic of " +
				"its pools again, and its hosts at proxy panels are shown again. The panel does the same by itself when the node has been well for a minute.",
		}),
		dryRunCommand(env),
	)
	return group
}

// decideCommand decides about an action, and prints what became of it.
func decideCommand(env cli.Env, decision string, command *cobra.Command) *cobra.Command {
	command.RunE = func(cmd *cobra.Command, args []string) error {
		client, err := env.Client()
		if err != nil {
			return err
		}
		var action repair.Action
		path := actionsPath + "/" + url.PathEscape(args[0]) + "/" + decision
		if err := client.Post(cmd.Context(), path, nil, &action); err != nil {
			return err
		}
		return cli.PrintAll(env, "panelctl.health.repairs/v1", []repair.Action{action}, repairHeads, repairCells)
	}
	return command
}

// rehearsal is a dry run as the command prints it.
type rehearsal struct {
	Schema string `json:"schema"`
	repair.DryRun
}

func dryRunCommand(env cli.Env) *cobra.Command {
	var named string
	var hourly, cooldown, share int
	command := &cobra.Command{
		Use: "dry-run", Short: "Show what self-repair would have done last week", Args: cobra.NoArgs,
		Example: "panelctl health repair dry-run --policy Edge --hourly 5",
		Long: "Shows what self-repair would have done in the last seven days if it had acted by itself within these limits, by GET " +
			"/api/v1/health/self-heal/dry-run: of the nodes of a policy, or of all. Nothing is done.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			asked := map[string]string{
				"max_actions_per_hour": strconv.Itoa(hourly), "cooldown_s": strconv.Itoa(cooldown),
				"max_pct_of_pool": strconv.Itoa(share),
			}
			if named != "" {
				found, err := policyNamed(cmd.Context(), client, named)
				if err != nil {
					return err
				}
				asked["policy_id"] = found.ID
			}
			shown := rehearsal{Schema: "panelctl.health.repair.dry-run/v1"}
			if err := client.Get(cmd.Context(), cli.Asked(dryRunPath, asked), &shown.DryRun); err != nil {
				return err
			}
			rows := make([][]string, len(shown.Items))
			for i, item := range shown.Items {
				rows[i] = []string{cli.Stamp(&item.At), item.NodeName, item.Act, item.State, cli.OrDash(item.Reason)}
			}
			return env.List(shown, dryHeads, rows)
		},
	}
	command.Flags().StringVar(&named, "policy", "", "only nodes of this health policy, by its name or id")
	command.Flags().IntVar(&hourly, "hourly", 10, "repairs in an hour, of all these nodes together: 1 to 1000")
	command.Flags().IntVar(&cooldown, "cooldown", 300, "seconds for which a node is left alone after a repair: 60 to 86400")
	command.Flags().IntVar(&share, "pool-share", 30, "percent of a pool's members that may be withdrawn at once: 1 to 100")
	return command
}
