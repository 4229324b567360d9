package console

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"panel/modules/abuse/internal/blocks"
	"panel/platform/cli"
)

const blocksPath = base + "/blocks"

var blockHeads = []string{"Network", "State", "Until", "Held by", "Waiting", "Not held by", "Who", "Why", "ID"}

func blockCells(b blocks.Block) []string {
	return []string{
		b.Network, b.State, cli.Stamp(&b.Until), strconv.Itoa(b.NodesHeld), strconv.Itoa(b.NodesWaiting),
		strconv.Itoa(b.NodesFailed), b.By, b.Reason, b.ID,
	}
}

func blocksCommand(env cli.Env) *cobra.Command {
	group := &cobra.Command{Use: "blocks", Short: "Addresses that nodes do not answer"}
	group.AddCommand(listBlocksCommand(env), addBlockCommand(env), removeBlockCommand(env))
	return group
}

func listBlocksCommand(env cli.Env) *cobra.Command {
	var state string
	command := &cobra.Command{
		Use: "list", Short: "List addresses that nodes do not answer", Args: cobra.NoArgs,
		Example: "panelctl abuse blocks list --state active",
		Long: "Lists blocks, the newest first, by GET /api/v1/abuse/blocks, page by page. With --json also why nodes cannot hold " +
			"one.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			path := cli.Asked(blocksPath, map[string]string{"state": state})
			return cli.ListAll(cmd.Context(), env, "panelctl.abuse.blocks/v1", path, blockHeads, blockCells)
		},
	}
	command.Flags().StringVar(&state, "state", "", "show only those that are active, ended or lifted")
	return command
}

func addBlockCommand(env cli.Env) *cobra.Command {
	var order blocks.NewBlock
	command := &cobra.Command{
		Use: "add <network>", Short: "Keep nodes from answering an address or network for a time", Args: cobra.ExactArgs(1),
		Example: "panelctl abuse blocks add 198.51.100.0/24 --minutes 60 --reason \"flood\"",
		Long: "Blocks an address or network on the listeners of nodes, by POST /api/v1/abuse/blocks. It ends by itself, also while " +
			"the panel is away. Your own address, the panel and nodes are refused.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			order.Network = args[0]
			var made blocks.Block
			if err := client.Post(cmd.Context(), blocksPath, order, &made); err != nil {
				return err
			}
			return cli.PrintAll(env, "panelctl.abuse.blocks/v1", []blocks.Block{made}, blockHeads, blockCells)
		},
	}
	flags := command.Flags()
	flags.StringVar(&order.Reason, "reason", "", "why, for those who read it later")
	flags.IntVar(&order.Minutes, "minutes", 60, "after how many minutes it ends by itself")
	flags.StringSliceVar(&order.NodeIDs, "node", nil, "only on this node, by its id; left out: on all")
	return command
}

func removeBlockCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "remove <id>", Short: "Lift a block, or take one that is over from the list", Args: cobra.ExactArgs(1),
		Example: "panelctl abuse blocks remove 0199a0de-0000-7000-8000-000000000001",
		Long:    "Lets nodes answer an address again, by DELETE /api/v1/abuse/blocks/{id}; one that is over leaves the list.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			return client.Do(cmd.Context(), http.MethodDelete, blocksPath+"/"+url.PathEscape(args[0]), nil, nil)
		},
	}
}
