package domains

import (
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

const domainsPath = "/api/v1/node-domains"

// commands are what this module adds to panelctl. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "domains", Short: "Host names that are bound to nodes"}
	group.AddCommand(listCommand(env))
	return []*cobra.Command{group}
}

func listCommand(env cli.Env) *cobra.Command {
	var part string
	command := &cobra.Command{
		Use: "list", Short: "List domain bindings", Args: cobra.NoArgs,
		Example: "panelctl domains list --find example.com",
		Long: "Lists the host names that are bound to nodes, with the state of their certificates. It asks " +
			"GET /api/v1/node-domains, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			path := domainsPath
			if part != "" {
				path += "?q=" + url.QueryEscape(part)
			}
			return cli.ListAll(cmd.Context(), env, "panelctl.domains.list/v1", path,
				[]string{"Host name", "Mode", "Certificate", "Valid until", "Flows", "ID"},
				func(d Domain) []string {
					return []string{
						d.Hostname, d.Mode, d.Certificate.State, cli.Stamp(d.Certificate.NotAfter),
						strconv.Itoa(len(d.UsedByFlows)), d.ID,
					}
				})
		},
	}
	command.Flags().StringVar(&part, "find", "", "show only host names that contain this text")
	return command
}
