package proxypanel

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
	"panel/modules/proxypanel/internal/syncs"
	"panel/platform/cli"
)

// pathBelow is a path below that of the connection that the first argument names.
func pathBelow(cmd *cobra.Command, client *cli.Client, label, below string) (string, error) {
	id, err := idOf(cmd, client, label)
	return pathOf(id) + below, err
}

func syncCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "sync <label>", Short: "Read a proxy panel now", Args: cobra.ExactArgs(1),
		Example: "panelctl proxypanel sync main",
		Long: "Has the nodes, profiles, inbounds, hosts, squads and users of a proxy panel read by POST " +
			"/api/v1/proxypanel/connections/{id}/sync, and prints the operation. panelctl proxypanel syncs shows how it goes.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			path, err := pathBelow(cmd, client, args[0], "/sync")
			if err != nil {
				return err
			}
			var started SyncStarted
			if err := client.Do(cmd.Context(), http.MethodPost, path, nil, &started); err != nil {
				return err
			}
			return cli.PrintAll(env, "panelctl.proxypanel.sync/v1", []SyncStarted{started}, []string{"Operation"},
				func(s SyncStarted) []string { return []string{s.OperationID} })
		},
	}
}

func syncsCommand(env cli.Env) *cobra.Command {
	heads := []string{"Began", "Ended", "What", "State", "Cause", "Objects", "Users", "Added", "Changed", "Gone"}
	return listBelow(env, "syncs <label>", "List readings of a proxy panel", "panelctl proxypanel syncs main",
		"Lists the readings of a proxy panel, the newest first, with what they found and why one failed. It asks GET "+
			"/api/v1/proxypanel/connections/{id}/syncs. One that the schedule began and that found nothing new is not listed.",
		"/syncs", heads, func(r syncs.Run) []string {
			return []string{
				cli.Stamp(&r.StartedAt), cli.Stamp(r.FinishedAt), r.Scope, r.State, cli.OrDash(r.Cause),
				strconv.Itoa(r.Objects), strconv.Itoa(r.Users),
				strconv.Itoa(r.Added), strconv.Itoa(r.Changed), strconv.Itoa(r.Gone),
			}
		})
}

func usersCommand(env cli.Env) *cobra.Command {
	heads := []string{"ID", "Username", "State", "Used", "Online", "Since"}
	return listBelow(env, "users <label>", "List the users of a proxy panel", "panelctl proxypanel users main --plain",
		"Lists the users of a proxy panel as they were last read, by GET /api/v1/proxypanel/connections/{id}/users. "+
			"Credentials are never read.",
		"/users", heads, func(u shadow.ListedUser) []string {
			return []string{
				strconv.FormatInt(u.ID, 10), u.Username, u.Status, strconv.FormatInt(u.TrafficUsed, 10),
				cli.Stamp(u.OnlineAt), cli.Stamp(&u.SeenAt),
			}
		})
}

// listBelow is a command that lists what stands below a connection.
func listBelow[T any](
	env cli.Env, use, short, example, long, below string, heads []string, cells func(T) []string,
) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(1), Example: example, Long: long,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			path, err := pathBelow(cmd, client, args[0], below)
			if err != nil {
				return err
			}
			return cli.ListAll(cmd.Context(), env, "panelctl.proxypanel."+cmd.Name()+"/v1", path, heads, cells)
		},
	}
}

// lists are the paths of the lists of each kind of objects.
var lists = map[string]string{
	remnawave.KindNode: "/nodes", remnawave.KindProfile: "/profiles", remnawave.KindInbound: "/inbounds",
	remnawave.KindHost: "/hosts", remnawave.KindSquad: "/squads",
}

func objectsCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "objects <label> <kind>", Short: "List what is known of a proxy panel's objects", Args: cobra.ExactArgs(2),
		Example: "panelctl proxypanel objects main host",
		Long: "Lists the objects of one kind (node, profile, inbound, host or squad) as they were last read. It asks GET " +
			"/api/v1/proxypanel/connections/{id}/nodes, /profiles, /inbounds, /hosts or /squads.",
		RunE: func(cmd *cobra.Command, args []string) error {
			below, known := lists[args[1]]
			if !known {
				return cli.Usage(cli.Say("the kind is node, profile, inbound, host or squad"))
			}
			client, err := env.Client()
			if err != nil {
				return err
			}
			path, err := pathBelow(cmd, client, args[0], below)
			if err != nil {
				return err
			}
			return cli.ListAll(cmd.Context(), env, "panelctl.proxypanel.objects/v1", path, []string{"Name", "Since", "ID"},
				func(k Known) []string { return []string{k.Name, cli.Stamp(&k.SeenAt), k.ID} })
		},
	}
}

func webhookCommand(env cli.Env) *cobra.Command {
	const mostSecret = 1 << 10
	return &cobra.Command{
		Use: "webhook <label> <secret-file>", Short: "Set the secret of a proxy panel's webhooks", Args: cobra.ExactArgs(2),
		Example: "panelctl proxypanel webhook main - < secret.txt",
		Long: "Reads the secret that the proxy panel has as WEBHOOK_SECRET_HEADER from a file, or from standard input where " +
			"the file is -, and stores it by PUT /api/v1/proxypanel/connections/{id}/webhook. An empty file takes it away. It " +
			"prints the path that WEBHOOK_URL there ends with.",
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := env.Input(args[1], mostSecret)
			if err != nil {
				return err
			}
			client, err := env.Client()
			if err != nil {
				return err
			}
			path, err := pathBelow(cmd, client, args[0], "/webhook")
			if err != nil {
				return err
			}
			var now Connection
			wanted := WebhookSecret{Secret: strings.TrimSpace(string(text))}
			if err := client.Do(cmd.Context(), http.MethodPut, path, wanted, &now); err != nil {
				return err
			}
			return cli.PrintAll(env, "panelctl.proxypanel.webhook/v1", []Connection{now}, []string{"Label", "Secret", "Path"},
				func(c Connection) []string {
					return []string{c.Label, strconv.FormatBool(c.Webhook.HasSecret), c.Webhook.Path}
				})
		},
	}
}
