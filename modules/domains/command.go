package domains

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/modules/domains/domainsapi"
	"panel/platform/cli"
)

// commands are what this module adds to panelctl. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "domains", Short: "Host names that are bound to nodes"}
	group.AddCommand(listCommand(env), addCommand(env), removeCommand(env))
	return []*cobra.Command{group}
}

var bindingHeads = []string{"Host name", "Mode", "DNS", "Certificate", "Valid until", "Flows", "ID"}

func bindingCells(d Domain) []string {
	return []string{
		d.Hostname, d.Mode, d.DNSState, d.Certificate.State, cli.Stamp(d.Certificate.NotAfter),
		strconv.Itoa(len(d.UsedByFlows)), d.ID,
	}
}

func listCommand(env cli.Env) *cobra.Command {
	var part string
	command := &cobra.Command{
		Use: "list", Short: "List domain bindings", Args: cobra.NoArgs,
		Example: "panelctl domains list --find example.com",
		Long: "Lists the host names that are bound to nodes, with the state of their records and certificates. It asks " +
			"GET /api/v1/node-domains, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			path := domainsapi.Path
			if part != "" {
				path += "?q=" + url.QueryEscape(part)
			}
			return cli.ListAll(cmd.Context(), env, "panelctl.domains.list/v1", path, bindingHeads, bindingCells)
		},
	}
	command.Flags().StringVar(&part, "find", "", "show only host names that contain this text")
	return command
}

// binding is the body of a new one; what is empty is left to the panel.
type binding struct {
	NodeID string `json:"node_id"`
	Zone   string `json:"zone"`
	Label  string `json:"label,omitempty"`
	Mode   string `json:"mode,omitempty"`
	TTL    int    `json:"ttl,omitempty"`
	CDNID  string `json:"cdn_integration_id,omitempty"`
}

func addCommand(env cli.Env) *cobra.Command {
	var wanted binding
	var network string
	command := &cobra.Command{
		Use: "add <node> <domain>", Short: "Bind a host name to a node", Args: cobra.ExactArgs(2),
		Example: "panelctl domains add fra-01 example.com --label entry",
		Long: "Binds a host name in a domain to a node, named by its name or id, by POST /api/v1/node-domains. Where the panel " +
			"holds the zone, it writes the records; else the command dns records shows which ones to make.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			if wanted.NodeID, err = nodeNamed(cmd.Context(), client, args[0]); err != nil {
				return err
			}
			if wanted.CDNID, err = networkNamed(cmd.Context(), client, network); err != nil {
				return err
			}
			wanted.Zone = args[1]
			var made Domain
			if err := client.Do(cmd.Context(), http.MethodPost, domainsapi.Path, wanted, &made); err != nil {
				return err
			}
			return cli.PrintAll(env, "panelctl.domains.add/v1", []Domain{made}, bindingHeads, bindingCells)
		},
	}
	flags := command.Flags()
	flags.StringVar(&wanted.Label, "label", "", "first part of the host name; made from the node's name without it")
	flags.StringVar(&wanted.Mode, "mode", "", "how clients reach it: direct, cdn, relay, reality_sni or static_site")
	flags.StringVar(&network, "cdn", "", "with the mode cdn: label or id of the integration with a CDN that it leads through")
	flags.IntVar(&wanted.TTL, "ttl", 0, "seconds that name servers keep its records")
	return command
}

// nodeNamed gives the id of the node that a command line names by its name or id.
func nodeNamed(ctx context.Context, c *cli.Client, named string) (string, error) {
	type node struct{ ID, Name string }
	return cli.IDOf(ctx, c, "/api/v1/nodes", named, func(n node) (string, string) { return n.ID, n.Name },
		cli.Say("there is no node with the name %s", named))
}

// networkNamed gives the id of the integration with a CDN that a command line names by its label or id; empty for none.
func networkNamed(ctx context.Context, c *cli.Client, named string) (string, error) {
	if named == "" {
		return "", nil
	}
	type integration struct{ ID, Label string }
	found, err := cli.All[integration](ctx, c, "/api/v1/dns/integrations")
	if err != nil {
		return "", err
	}
	for _, one := range found {
		if one.ID == named || strings.EqualFold(one.Label, named) {
			return one.ID, nil
		}
	}
	return "", cli.Failed(cli.Say("there is no integration with the label %s", named))
}

func removeCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "remove <host-name>", Short: "Remove a domain binding", Args: cobra.ExactArgs(1),
		Example: "panelctl domains remove entry.example.com --yes",
		Long: "Removes the binding of a host name, named by itself or by its id, by DELETE /api/v1/node-domains/{id}, with the " +
			"records that the panel wrote for it. One that a flow uses is kept.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			id, err := cli.IDOf(cmd.Context(), client, domainsapi.Path, args[0],
				func(d Domain) (string, string) { return d.ID, d.Hostname },
				cli.Say("no host name %s is bound to a node", args[0]))
			if err != nil {
				return err
			}
			question := cli.Say("%s leads to its node no more, and the records that the panel wrote are removed.", args[0])
			if err := env.ConfirmWord(question, "REMOVE"); err != nil {
				return err
			}
			return client.Do(cmd.Context(), http.MethodDelete, domainsapi.Path+"/"+url.PathEscape(id), nil, nil)
		},
	}
}
