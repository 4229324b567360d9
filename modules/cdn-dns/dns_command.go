package cdndns

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/cdn-dns/internal/records"
	"panel/modules/domains/domainsapi"
	"panel/platform/cli"
)

const integrationsPath = "/api/v1/dns/integrations"

// dnsCommands are about DNS services and the records at them.
func dnsCommands(env cli.Env) *cobra.Command {
	services := &cobra.Command{Use: "integrations", Short: "Access to DNS services"}
	services.AddCommand(listIntegrationsCommand(env), addIntegrationCommand(env), removeIntegrationCommand(env))
	group := &cobra.Command{Use: "dns", Short: "DNS services and the records of host names"}
	group.AddCommand(services, recordsCommand(env), checkCommand(env))
	return group
}

var integrationHeads = []string{"Label", "Service", "Zones", "Last check", "Last error", "ID"}

func integrationCells(i Integration) []string {
	zones := make([]string, len(i.Zones))
	for at, zone := range i.Zones {
		zones[at] = zone.Name
	}
	return []string{
		i.Label, i.Provider, cli.OrDash(strings.Join(zones, ", ")), cli.Stamp(i.LastVerifiedAt), cli.OrDash(i.LastError),
		i.ID,
	}
}

func listIntegrationsCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List integrations with DNS services", Args: cobra.NoArgs,
		Example: "panelctl dns integrations list",
		Long:    "Lists the DNS services that the panel has access to. It asks GET /api/v1/dns/integrations, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.ListAll(cmd.Context(), env, "panelctl.dns.integrations.list/v1", integrationsPath, integrationHeads,
				integrationCells)
		},
	}
}

func addIntegrationCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "add <service> <label> <fields-file>", Short: "Add an integration with a DNS service",
		Args:    cobra.ExactArgs(3),
		Example: `echo '{"token": "..."}' | panelctl dns integrations add cloudflare main -`,
		Long: "Reads the fields of the service, its token among them, from a JSON file, or from standard input where the file " +
			"is -, and hands them over by POST /api/v1/dns/integrations. The panel asks the service whether they suffice; what " +
			"is secret is stored sealed and never shown.",
		RunE: func(cmd *cobra.Command, args []string) error {
			fields, err := readFields(env, args[2])
			if err != nil {
				return err
			}
			client, err := env.Client()
			if err != nil {
				return err
			}
			wanted, made := NewIntegration{Provider: args[0], Label: args[1], Fields: fields}, Integration{}
			if err := client.Do(cmd.Context(), http.MethodPost, integrationsPath, wanted, &made); err != nil {
				return err
			}
			return cli.PrintAll(env, "panelctl.dns.integrations.add/v1", []Integration{made}, integrationHeads,
				integrationCells)
		},
	}
}

// mostFields is what the panel takes of all fields of a service.
const mostFields = 64 << 10

func readFields(env cli.Env, path string) (fields provider.Values, err error) {
	text, err := env.Input(path, mostFields)
	if err != nil {
		return nil, err
	}
	if len(text) > mostFields || json.Unmarshal(text, &fields) != nil || len(fields) == 0 {
		return nil, cli.Usage(cli.Say(`the fields are one JSON object, such as {"token": "..."}`))
	}
	return fields, nil
}

func removeIntegrationCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "remove <id>", Short: "Remove an integration with a DNS service", Args: cobra.ExactArgs(1),
		Example: "panelctl dns integrations remove 0199a0de-0000-7000-8000-000000000001 --yes",
		Long: "Removes an integration and its secrets by DELETE /api/v1/dns/integrations/{id}. Records at the service stay; the " +
			"panel writes none there any more.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			question := cli.Say("The panel loses its access to the DNS service. Records that stand there stay.")
			if err := env.ConfirmWord(question, "REMOVE"); err != nil {
				return err
			}
			return client.Do(cmd.Context(), http.MethodDelete, integrationsPath+"/"+url.PathEscape(args[0]), nil, nil)
		},
	}
}

func recordsCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "records <host-name>", Short: "Show the wanted and the actual records of a host name",
		Args:    cobra.ExactArgs(1),
		Example: "panelctl dns records entry.example.com",
		Long: "Shows the records that the binding of a host name wants, what stands in their way, and what name servers " +
			"answered at the last look. It asks GET /api/v1/node-domains/{id}/dns.",
		RunE: func(cmd *cobra.Command, args []string) error { return showRecords(cmd, env, args[0], false) },
	}
}

func checkCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "check <host-name>", Short: "Look at the records of a host name now", Args: cobra.ExactArgs(1),
		Example: "panelctl dns check entry.example.com",
		Long: "Lets the panel ask the name servers at once, by POST /api/v1/node-domains/{id}/check, and shows what they " +
			"answered. It ends with 1 where the name does not lead to its node.",
		RunE: func(cmd *cobra.Command, args []string) error { return showRecords(cmd, env, args[0], true) },
	}
}

// recordsDocument is what --json prints of a host name.
type recordsDocument struct {
	Schema string `json:"schema"`
	records.Detail
}

// showRecords prints what is known of a host name, after a look at it where one is wanted. Failure: a look that found
// that the name does not lead to its node.
func showRecords(cmd *cobra.Command, env cli.Env, host string, look bool) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	type binding struct{ ID, Hostname string }
	id, err := cli.IDOf(cmd.Context(), client, domainsapi.Path, host,
		func(b binding) (string, string) { return b.ID, b.Hostname },
		cli.Say("no host name %s is bound to a node", host))
	if err != nil {
		return err
	}
	path := domainsapi.Path + "/" + url.PathEscape(id)
	shown := recordsDocument{Schema: "panelctl.dns." + cmd.Name() + "/v1"}
	if look {
		err = client.Do(cmd.Context(), http.MethodPost, path+"/check", nil, &shown.Detail)
	} else {
		err = client.Get(cmd.Context(), path+"/dns", &shown.Detail)
	}
	if err != nil {
		return err
	}
	heads := []string{"Part", "Name", "Type", "Value", "State"}
	if err := env.List(shown, heads, recordRows(shown.Detail)); err != nil {
		return err
	}
	if look && shown.State != records.OK {
		return cli.Failed(cli.Say("%s does not lead to its node yet: %s", shown.Hostname, shown.State))
	}
	return nil
}

// recordRows are the records that are wanted, those in their way, and the answers of name servers.
func recordRows(d records.Detail) (rows [][]string) {
	for _, wanted := range d.Wanted {
		rows = append(rows, []string{"wanted", wanted.Name, wanted.Type, wanted.Value, wanted.State})
	}
	for _, other := range d.Conflicts {
		rows = append(rows, []string{"conflict", other.Name, other.Type, other.Value, "-"})
	}
	for _, seen := range d.Seen {
		values := cli.OrDash(strings.Join(seen.Values, ", "))
		rows = append(rows, []string{"answer", seen.Server, "-", values, seen.Answer})
	}
	return rows
}
