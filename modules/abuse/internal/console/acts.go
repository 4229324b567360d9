package console

import (
	"net/url"

	"github.com/spf13/cobra"

	"panel/modules/abuse/internal/acts"
	"panel/modules/abuse/internal/cases"
	"panel/platform/cli"
)

const actionsPath = base + "/actions"

var actionHeads = []string{"Time", "Act", "User", "State", "Until", "Who", "Why", "ID"}

func actionCells(a cases.Action) []string {
	return []string{
		cli.Stamp(&a.StartedAt), a.Kind, nameOr(a.User.Name, a.UserRef), a.State, cli.Stamp(a.Until), a.By,
		a.Reason, a.ID,
	}
}

func printAction(env cli.Env, done cases.Action) error {
	return cli.PrintAll(env, "panelctl.abuse.actions/v1", []cases.Action{done}, actionHeads, actionCells)
}

func actCommand(env cli.Env) *cobra.Command {
	var order acts.Order
	command := &cobra.Command{
		Use: "act <case> <kind>", Short: "Do something about the user of a case",
		Args:    cobra.ExactArgs(2), //nolint:mnd // case and kind
		Example: "panelctl abuse cases act 14 limit --minutes 60 --reason \"shared\"",
		Long: "Warns a user, limits it, ends its sessions, blocks its addresses or takes its flows, by POST " +
			"/api/v1/abuse/cases/{id}/actions: warn, limit, drop_sessions, block_ips or revoke. It ends by itself, and panelctl abuse actions undo takes it back before.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			id, err := found(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			order.Kind = args[1]
			var done cases.Action
			path := casesPath + "/" + url.PathEscape(id) + "/actions"
			if err := client.Post(cmd.Context(), path, order, &done); err != nil {
				return err
			}
			return printAction(env, done)
		},
	}
	flags := command.Flags()
	flags.StringVar(&order.Reason, "reason", "", "why, for those who read it later")
	flags.IntVar(&order.Minutes, "minutes", 0, "after how many minutes it ends by itself; 0: a day, revoke never")
	flags.StringSliceVar(&order.Networks, "network", nil, "what block_ips blocks; left out: addresses that signals name")
	return command
}

func actionsCommand(env cli.Env) *cobra.Command {
	group := &cobra.Command{Use: "actions", Short: "What was done about users"}
	group.AddCommand(listActionsCommand(env), undoCommand(env))
	return group
}

func listActionsCommand(env cli.Env) *cobra.Command {
	var state string
	command := &cobra.Command{
		Use: "list", Short: "List what was done about users", Args: cobra.NoArgs,
		Example: "panelctl abuse actions list --state active",
		Long:    "Lists acts, the newest first, by GET /api/v1/abuse/actions, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			path := cli.Asked(actionsPath, map[string]string{"state": state})
			return cli.ListAll(cmd.Context(), env, "panelctl.abuse.actions/v1", path, actionHeads, actionCells)
		},
	}
	command.Flags().StringVar(&state, "state", "", "show only those that are pending, active, failed, ended or undone")
	return command
}

func undoCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "undo <id>", Short: "Take back what was done about a user", Args: cobra.ExactArgs(1),
		Example: "panelctl abuse actions undo 0199a0de-0000-7000-8000-000000000001",
		Long:    "Gives a user back what an act has taken, by POST /api/v1/abuse/actions/{id}/undo.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			var undone cases.Action
			path := actionsPath + "/" + url.PathEscape(args[0]) + "/undo"
			if err := client.Post(cmd.Context(), path, nil, &undone); err != nil {
				return err
			}
			return printAction(env, undone)
		},
	}
}
