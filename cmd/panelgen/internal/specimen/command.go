package specimen

import (
	"context"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

// commands are what this module adds to panelctl. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "specimen", Short: "Items of specimen"}
	group.AddCommand(&cobra.Command{
		Use: "list", Short: "List the items of specimen", Args: cobra.NoArgs, Example: "panelctl specimen list --json",
		Long: "Lists the items by their names. It asks GET /api/v1/specimen/items, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), env) },
	})
	return []*cobra.Command{group}
}

// listing is what the command prints with --json.
type listing struct {
	Schema string `json:"schema"`
	Items  []Item `json:"items"`
}

func list(ctx context.Context, env cli.Env) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	found, err := cli.All[Item](ctx, client, "/api/v1/specimen/items")
	if err != nil {
		return err
	}
	rows := make([][]string, len(found))
	for i, item := range found {
		rows[i] = []string{item.Name, cli.Stamp(item.SeenAt), cli.OrDash(item.Comment)}
	}
	return env.List(listing{Schema: "panelctl.specimen/v1", Items: found}, []string{"Name", "Looked at", "Comment"},
		rows)
}
