package clients

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"panel/platform/cli"
)

const (
	path      = "/api/v1/clients"
	flowsPath = "/api/v1/connection-units"
)

// commands are what this module adds to panelctl. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "clients", Short: "People and devices that use flows"}
	group.AddCommand(listCommand(env), summaryCommand(env), showCommand(env), addCommand(env), revokeCommand(env),
		exportCommand(env), importCommand(env))
	group.AddCommand(actCommands(env)...)
	group.AddCommand(useCommands(env)...)
	return []*cobra.Command{group}
}

var heads = []string{"Client", "State", "Flows", "Tags", "Expires", "ID"}

func cellsOf(c Client) []string {
	flows := make([]string, len(c.Flows))
	for i, use := range c.Flows {
		flows[i] = use.FlowName
	}
	return []string{
		c.Label, c.State, cli.OrDash(strings.Join(flows, ", ")), cli.OrDash(strings.Join(c.Tags, ", ")),
		endOf(c), c.ID,
	}
}

func endOf(c Client) string {
	if c.LastsDays != nil {
		return strconv.Itoa(*c.LastsDays) + " d from next use"
	}
	return cli.Stamp(c.ExpiresAt)
}

func listCommand(env cli.Env) *cobra.Command {
	var chosen chosenBy
	command := &cobra.Command{
		Use: "list", Short: "List clients of all flows", Args: cobra.NoArgs,
		Example: "panelctl clients list --ends-within 7",
		Long: "Lists the clients of all flows by their names, with the flows that each may use. It asks GET /api/v1/clients, " +
			"page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.ListAll(cmd.Context(), env, "panelctl.clients.list/v1", chosen.of(path), heads, cellsOf)
		},
	}
	chosen.flags(command)
	return command
}

func summaryCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "summary", Short: "Count clients by their state", Args: cobra.NoArgs,
		Example: "panelctl clients summary",
		Long: "Counts the clients in each state, those that are online and those whose time ends within seven days. It asks " +
			"GET /api/v1/clients/summary.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			shown := struct {
				Schema string `json:"schema"`
				Summary
			}{Schema: "panelctl.clients.summary/v1"}
			if err := client.Get(cmd.Context(), path+"/summary", &shown.Summary); err != nil {
				return err
			}
			count := func(key, label string, n int) cli.Field {
				return cli.Field{Key: key, Label: label, Value: strconv.Itoa(n)}
			}
			all := shown.Summary
			return env.Record(shown,
				count("total", "Clients", all.Total), count("online", "Online now", all.Online),
				count("active", "Active", all.Active), count("ending", "End within 7 days", all.Ending),
				count("expired", "Expired", all.Expired), count("spent", "Quota used up", all.Spent),
				count("disabled", "Disabled", all.Disabled), count("revoked", "Revoked for good", all.Revoked),
			)
		},
	}
}

func addCommand(env cli.Env) *cobra.Command {
	var flows []string
	var wanted NewClient
	var terms terms
	command := &cobra.Command{
		Use: "add <name>", Short: "Add a client", Args: cobra.ExactArgs(1),
		Example: "panelctl clients add Anna --flow \"Europe main\" --lasts-days 30 --quota-gb 50",
		Long: "Adds a client that may use the named flows, by POST /api/v1/clients. Nodes let it in at once, those with an " +
			"older agent after the next apply; its links are issued by the panel, not by this command.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			wanted.Label = args[0]
			if err := terms.of(&wanted); err != nil {
				return err
			}
			for _, named := range flows {
				id, err := flowNamed(cmd.Context(), client, named)
				if err != nil {
					return err
				}
				wanted.FlowIDs = append(wanted.FlowIDs, id)
			}
			var made Client
			if err := client.Do(cmd.Context(), http.MethodPost, path, wanted, &made); err != nil {
				return err
			}
			return cli.PrintAll(env, "panelctl.clients.add/v1", []Client{made}, heads, cellsOf)
		},
	}
	flags := command.Flags()
	flags.StringArrayVar(&flows, "flow", nil, "flow that it may use, by its name or id; may be given several times")
	flags.StringArrayVar(&wanted.Tags, "tag", nil, "tag; may be given several times")
	flags.StringVar(&wanted.Note, "note", "", "note for administrators")
	flags.IntVar(&wanted.LastsDays, "lasts-days", 0, "how many days its time lasts, which begins with its first use")
	terms.flags(flags)
	wanted.Limits.flags(flags)
	return command
}

// terms are until when a client may use its flows and how much, as a command line says it.
type terms struct {
	expires, reset string
	gigabytes      float64
}

func (t *terms) flags(flags *pflag.FlagSet) {
	flags.StringVar(&t.expires, "expires", "", "when its time ends: a day, as 2027-01-31 (its beginning in UTC), or a moment")
	flags.Float64Var(&t.gigabytes, "quota-gb", 0, "how much it may carry, in GB of 1024³ bytes; 0: as much as it likes")
	flags.StringVar(&t.reset, "quota-reset", never, "when the quota begins anew: never, daily, weekly or monthly")
}

// of puts them into a client that is to be added. Error: a usage error for a moment that is none, and for the reset of
// no quota.
func (t *terms) of(wanted *NewClient) error {
	if t.expires != "" {
		at, err := time.Parse(time.DateOnly, t.expires)
		if err != nil {
			at, err = time.Parse(time.RFC3339, t.expires)
		}
		if err != nil {
			return cli.Usage(cli.Say("%s is no day, as 2027-01-31, and no moment, as 2027-01-31T12:00:00Z", t.expires))
		}
		wanted.ExpiresAt = &at
	}
	if t.gigabytes == 0 && t.reset != never {
		return cli.Usage(cli.Say("--quota-reset belongs to --quota-gb"))
	}
	if t.gigabytes != 0 {
		const gigabyte = 1 << 30
		wanted.Quota = &Quota{Bytes: int64(t.gigabytes * gigabyte), Reset: t.reset}
	}
	return nil
}

// flags declares them. 0 is without a limit.
func (l *Limits) flags(flags *pflag.FlagSet) {
	flags.IntVar(&l.SpeedMbps, "speed", 0, "Mbit/s in each direction on each node; 0: no limit")
	flags.IntVar(&l.Addresses, "addresses", 0, "addresses from which it may use a node at once; 0: no limit")
}

// flowNamed gives the id of the flow that a command line names by its name or id.
func flowNamed(ctx context.Context, c *cli.Client, named string) (string, error) {
	type flow struct{ ID, Name string }
	return cli.IDOf(ctx, c, flowsPath, named, func(f flow) (string, string) { return f.ID, f.Name },
		cli.Say("there is no flow with the name %s", named))
}

func revokeCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "revoke <client>", Short: "Revoke a client for good", Args: cobra.ExactArgs(1),
		Example: "panelctl clients revoke Anna --yes",
		Long: "Revokes a client, named by its name or id, by DELETE /api/v1/clients/{id}: its links and its subscription end " +
			"at once, and it cannot be brought back.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			id, err := clientNamed(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			question := cli.Say("%s loses all its flows for good.", args[0])
			if err := env.ConfirmWord(question, "REVOKE"); err != nil {
				return err
			}
			return client.Do(cmd.Context(), http.MethodDelete, path+"/"+url.PathEscape(id), nil, nil)
		},
	}
}
