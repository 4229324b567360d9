package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

// clientNamed gives the id of the client that a command line names by its name or id.
func clientNamed(ctx context.Context, c *cli.Client, named string) (string, error) {
	return cli.IDOf(ctx, c, path, named, func(c Client) (string, string) { return c.ID, c.Label },
		cli.Say("there is no client with the name %s", named))
}

func showCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show <client>", Short: "Show a client", Args: cobra.ExactArgs(1),
		Example: "panelctl clients show Anna",
		Long: "Shows a client, named by its name or id, with its flows, its quota and what it has used, by GET " +
			"/api/v1/clients/{id}. Nothing secret is shown.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			id, err := clientNamed(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			shown := struct {
				Schema string `json:"schema"`
				Client
			}{Schema: "panelctl.clients.show/v1"}
			if err := client.Get(cmd.Context(), path+"/"+url.PathEscape(id), &shown.Client); err != nil {
				return err
			}
			return env.Record(shown, fieldsOf(shown.Client)...)
		},
	}
}

func fieldsOf(c Client) []cli.Field {
	row, quota := cellsOf(c), "-"
	if c.Quota != nil {
		quota = strconv.FormatInt(c.Quota.Bytes, 10)
	}
	return []cli.Field{
		{Key: "client", Label: heads[0], Value: row[0]},
		{Key: "state", Label: heads[1], Value: row[1]},
		{Key: "flows", Label: heads[2], Value: row[2]},
		{Key: "tags", Label: heads[3], Value: row[3]},
		{Key: "expires_at", Label: heads[4], Value: row[4]},
		{Key: "quota_bytes", Label: "Quota, bytes", Value: quota},
		{Key: "speed_mbps", Label: "Speed, Mbit/s", Value: cli.OrDash(number(c.Limits.SpeedMbps))},
		{Key: "addresses", Label: "Addresses at once", Value: cli.OrDash(number(c.Limits.Addresses))},
		{Key: "used_bytes", Label: "Used, bytes", Value: strconv.FormatInt(c.Used.Up+c.Used.Down, 10)},
		{Key: "total_bytes", Label: "In all, bytes", Value: strconv.FormatInt(c.Total.Up+c.Total.Down, 10)},
		{Key: "last_seen_at", Label: "Last seen", Value: cli.Stamp(c.LastSeenAt)},
		{Key: "online", Label: "Online", Value: strconv.FormatBool(c.Online)},
		{Key: "subscription", Label: "Subscription", Value: strconv.FormatBool(c.HasPublicLink)},
		{Key: "note", Label: "Note", Value: cli.OrDash(strings.Join(strings.Fields(c.Note), " "))},
		{Key: "id", Label: "ID", Value: c.ID},
	}
}

// act is one that takes any number of clients and needs no question: it can be taken back.
type act struct {
	use, short, example, long string
	body                      Acts
	flags                     func(command *cobra.Command, body *Acts)
}

func actCommands(env cli.Env) []*cobra.Command {
	all := []act{
		{
			use: "enable", short: "Enable clients", body: Acts{Act: actEnable},
			example: "panelctl clients enable Anna Boris",
			long:    "Lets clients that were disabled use their flows again. They are named by their names or ids.",
		},
		{
			use: "disable", short: "Disable clients", body: Acts{Act: actDisable},
			example: "panelctl clients disable Anna Boris",
			long: "Keeps clients from using anything until they are enabled again; their connections end. They are named by " +
				"their names or ids.",
		},
		{
			use: "extend", short: "Give clients more time", body: Acts{Act: actExtend},
			example: "panelctl clients extend Anna Boris --days 30",
			long: "Gives clients more days: after the end that they had, or from now where it is past. They are named by their " +
				"names or ids.",
			flags: func(command *cobra.Command, body *Acts) {
				command.Flags().IntVar(&body.ExtendDays, "days", 30, "how many days")
			},
		},
		{
			use: "limit", short: "Limit the speed and the addresses of clients",
			body: Acts{Act: actLimits, Limits: &Limits{}}, example: "panelctl clients limit Anna Boris --speed 50 --addresses 3",
			long: "Limits how fast clients are and from how many addresses at once each uses a node, in place of the limits that " +
				"they had; without flags it takes them away. They are named by their names or ids.",
			flags: func(command *cobra.Command, body *Acts) { body.Limits.flags(command.Flags()) },
		},
		{
			use: "reset", short: "Let the quotas of clients begin anew", body: Acts{Act: actReset},
			example: "panelctl clients reset Anna",
			long:    "Counts what clients have used of their quotas from zero. They are named by their names or ids.",
		},
	}
	commands := make([]*cobra.Command, len(all))
	for i := range all {
		commands[i] = all[i].command(env)
	}
	return commands
}

func (a *act) command(env cli.Env) *cobra.Command {
	command := &cobra.Command{
		Use: a.use + " <client>...", Short: a.short, Example: a.example, Long: a.long, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			return actOn(cmd.Context(), env, client, a.body, args)
		},
	}
	if a.flags != nil {
		a.flags(command, &a.body)
	}
	return command
}

// bulkMost is how many clients one call acts on.
const bulkMost = 200

// actOn acts on clients and tells the outcome of each. Where one was refused the command fails.
func actOn(ctx context.Context, env cli.Env, c *cli.Client, body Acts, named []string) error {
	names := make(map[string]string, len(named))
	for _, name := range named {
		id, err := clientNamed(ctx, c, name)
		if err != nil {
			return err
		}
		if _, twice := names[id]; !twice {
			body.IDs = append(body.IDs, id)
		}
		names[id] = name
	}
	if len(body.IDs) > bulkMost {
		return cli.Usage(cli.Say("at most %d clients at once", bulkMost))
	}
	var out BulkOutcome
	if err := c.Post(ctx, path+"/bulk", body, &out); err != nil {
		return err
	}
	cells := func(one BulkResult) []string {
		outcome := "done"
		if !one.OK {
			outcome = one.Code
		}
		return []string{names[one.ClientID], outcome, cli.OrDash(one.Error), one.ClientID}
	}
	heads := []string{"Client", "Outcome", "Reason", "ID"}
	if err := cli.PrintAll(env, "panelctl.clients.act/v1", out.Results, heads, cells); err != nil {
		return err
	}
	if out.Failed > 0 {
		return cli.Failed(cli.Say("refused for clients: %d", out.Failed))
	}
	return nil
}

// useCommand gives a client a flow, or takes it.
func useCommand(env cli.Env, use, short, long, method string) *cobra.Command {
	return &cobra.Command{
		Use: use + " <client> <flow>", Short: short, Long: long, Args: cobra.ExactArgs(2),
		Example: "panelctl clients " + use + ` Anna "Europe main"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			id, err := clientNamed(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			flow, err := flowNamed(cmd.Context(), client, args[1])
			if err != nil {
				return err
			}
			return client.Do(cmd.Context(), method, path+"/"+url.PathEscape(id)+"/flows/"+url.PathEscape(flow), nil, nil)
		},
	}
}

func exportCommand(env cli.Env) *cobra.Command {
	var chosen chosenBy
	command := &cobra.Command{
		Use: "export", Short: "Write clients in the form that an import reads", Args: cobra.NoArgs,
		Example: "panelctl clients export --tag vip > clients.json",
		Long: "Writes the chosen clients as JSON, by GET /api/v1/clients/export, for clients import of this or another panel. " +
			"No secret, token or link is in it: whoever is imported gets new ones.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			var file json.RawMessage
			if err := client.Get(cmd.Context(), chosen.of(path+"/export"), &file); err != nil {
				return err
			}
			var line bytes.Buffer
			if err := json.Compact(&line, file); err != nil {
				return fmt.Errorf("print an export: %w", err)
			}
			line.WriteByte('\n')
			_, err = env.Out.Write(line.Bytes())
			return err
		},
	}
	chosen.flags(command)
	return command
}

func importCommand(env cli.Env) *cobra.Command {
	var dry bool
	command := &cobra.Command{
		Use: "import <file>", Short: "Add the clients of a file", Args: cobra.ExactArgs(1),
		Example: "panelctl clients import clients.json --dry-run",
		Long: "Adds all clients of a file that clients export wrote, or of standard input where the file is -, by POST " +
			"/api/v1/clients/import: all of them, or none. Names that are there already are left alone.",
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := readImport(env, args[0])
			if err != nil {
				return err
			}
			client, err := env.Client()
			if err != nil {
				return err
			}
			list.DryRun = dry
			done := struct {
				Schema string `json:"schema"`
				Imported
			}{Schema: "panelctl.clients.import/v1"}
			if err := client.Post(cmd.Context(), path+"/import", list, &done.Imported); err != nil {
				return err
			}
			return env.Record(done,
				cli.Field{Key: "added", Label: "Added", Value: strconv.Itoa(done.Added)},
				cli.Field{Key: "skipped", Label: "There already", Value: strconv.Itoa(len(done.Skipped))})
		},
	}
	command.Flags().BoolVar(&dry, "dry-run", false, "only tell what would be done")
	return command
}

func readImport(env cli.Env, name string) (list Import, err error) {
	text, err := env.Input(name, mostImport)
	if err != nil {
		return list, err
	}
	if len(text) > mostImport || json.Unmarshal(text, &list) != nil || len(list.Clients) == 0 {
		return list, cli.Usage(cli.Say(`the file is what clients export writes, such as {"clients": [{"label": "Anna"}]}`))
	}
	return list, nil
}

// chosenBy are the flags that choose clients.
type chosenBy struct {
	part, state, tag string
	online, notBegun bool
	endsWithin       int
}

// flags declares them.
func (b *chosenBy) flags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&b.part, "find", "", "only clients whose name or note contains this text")
	flags.StringVar(&b.state, "state", "", "only clients in this state: active, disabled, expired, spent or revoked")
	flags.StringVar(&b.tag, "tag", "", "only clients with this tag")
	flags.BoolVar(&b.online, "online", false, "only clients that carried something within the last three minutes")
	flags.IntVar(&b.endsWithin, "ends-within", 0, "only active clients whose time ends within so many days")
	flags.BoolVar(&b.notBegun, "not-begun", false, "only active clients whose time begins with their next use")
}

// of is an address that is asked for the chosen clients.
func (b *chosenBy) of(address string) string {
	asked := map[string]string{"q": b.part, "state": b.state, "tag": b.tag, "ends_within": number(b.endsWithin)}
	if b.online {
		asked["online"] = "true"
	}
	if b.notBegun {
		asked["not_begun"] = "true"
	}
	return cli.Asked(address, asked)
}

func useCommands(env cli.Env) []*cobra.Command {
	return []*cobra.Command{
		useCommand(env, "give", "Let a client use a flow", "Lets a client use a flow, both named by their names or ids, by PUT "+
			"/api/v1/clients/{id}/flows/{flow_id}. Nodes let it in at once, those with an older agent after the next apply.",
			http.MethodPut),
		useCommand(env, "take", "End a client's use of a flow", "Ends a client's use of a flow, both named by their names or "+
			"ids, by DELETE /api/v1/clients/{id}/flows/{flow_id}. Given the flow again, it has another secret there.",
			http.MethodDelete),
	}
}
