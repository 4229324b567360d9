package subscriptions

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

const (
	clientsPath  = "/api/v1/clients"
	settingsPath = "/api/v1/subscriptions/settings"
)

// commands are what this module adds to panelctl. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "subscriptions", Short: "Addresses at which clients fetch their connections"}
	group.AddCommand(settingsCommand(env), listCommand(env), issueCommand(env), revokeCommand(env))
	return []*cobra.Command{group}
}

func settingsCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "settings", Short: "Show what all subscriptions say", Args: cobra.NoArgs,
		Example: "panelctl subscriptions settings",
		Long: "Shows title, support address, announcement and interval, which all subscriptions say beside their " +
			"connections. It asks GET /api/v1/subscriptions/settings.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			var held struct {
				Revision int64    `json:"revision"`
				Settings Settings `json:"settings"`
			}
			if err := client.Get(cmd.Context(), settingsPath, &held); err != nil {
				return err
			}
			document := struct {
				Schema   string `json:"schema"`
				Revision int64  `json:"revision"`
				Settings
			}{"panelctl.subscriptions.settings/v1", held.Revision, held.Settings}
			return env.Record(document,
				cli.Field{Key: "title", Label: "Title", Value: cli.OrDash(held.Settings.Title)},
				cli.Field{Key: "support", Label: "Support", Value: cli.OrDash(held.Settings.Support)},
				cli.Field{Key: "announcement", Label: "Announcement", Value: cli.OrDash(held.Settings.Announcement)},
				cli.Field{
					Key: "interval_hours", Label: "Asked again after, hours", Value: strconv.Itoa(held.Settings.IntervalHours),
				})
		},
	}
}

// holder is a client as its subscription is told.
type holder struct {
	ID        string     `json:"id"`
	Label     string     `json:"label"`
	State     string     `json:"state"`
	ExpiresAt *time.Time `json:"expires_at"`
	Has       bool       `json:"has_public_link"`
	Flows     []struct {
		Name      string `json:"flow_name"`
		Installed bool   `json:"installed"`
	} `json:"flows"`
}

func listCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List clients that have a subscription", Args: cobra.NoArgs,
		Example: "panelctl subscriptions list",
		Long: "Lists the clients that have a subscription, and how many of their flows let them in, so that it has a link. " +
			"It asks GET /api/v1/clients, page by page. URLs are known to nobody but those who hold them.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			all, err := cli.All[holder](cmd.Context(), client, clientsPath)
			if err != nil {
				return err
			}
			held := []holder{}
			for _, one := range all {
				if one.Has {
					held = append(held, one)
				}
			}
			return cli.PrintAll(env, "panelctl.subscriptions.list/v1", held,
				[]string{"Client", "State", "Flows with a link", "Expires", "ID"}, holderCells)
		},
	}
}

func holderCells(h holder) []string {
	linked := 0
	for _, use := range h.Flows {
		if use.Installed && h.State == "active" {
			linked++
		}
	}
	return []string{
		h.Label, h.State, strconv.Itoa(linked) + "/" + strconv.Itoa(len(h.Flows)), cli.Stamp(h.ExpiresAt), h.ID,
	}
}

// confirmedLink finds a client's subscription URL, the client being named by its name or id, and asks for
// the word before something that stops it. It gives the path of its calls.
func confirmedLink(cmd *cobra.Command, env cli.Env, named string, question cli.Message, word string) (
	c *cli.Client, path string, err error,
) {
	if c, err = env.Client(); err != nil {
		return nil, "", err
	}
	id, err := cli.IDOf(cmd.Context(), c, clientsPath, named, func(h holder) (string, string) { return h.ID, h.Label },
		cli.Say("there is no client with the name %s", named))
	if err != nil {
		return nil, "", err
	}
	return c, clientsPath + "/" + url.PathEscape(id) + "/public-link", env.ConfirmWord(question, word)
}

func issueCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "issue <client>", Short: "Issue a new subscription URL", Args: cobra.ExactArgs(1),
		Example: "panelctl subscriptions issue Anna --yes",
		Long: "Issues a new URL of a client's subscription, by POST /api/v1/clients/{id}/public-link, and prints it once: " +
			"the panel keeps its hash alone. An earlier URL stops at once. Whoever has the URL has the client's links.",
		RunE: func(cmd *cobra.Command, args []string) error {
			question := cli.Say("A URL that %s has already stops at once.", args[0])
			client, path, err := confirmedLink(cmd, env, args[0], question, "ISSUE")
			if err != nil {
				return err
			}
			made := struct {
				Schema    string    `json:"schema"`
				URL       string    `json:"url"`
				CreatedAt time.Time `json:"created_at"`
			}{Schema: "panelctl.subscriptions.issue/v1"}
			if err := client.Post(cmd.Context(), path, nil, &made); err != nil {
				return err
			}
			return env.Record(made, cli.Field{Key: "url", Label: "Address", Value: made.URL})
		},
	}
}

func revokeCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "revoke <client>", Short: "Revoke a subscription URL", Args: cobra.ExactArgs(1),
		Example: "panelctl subscriptions revoke Anna --yes",
		Long: "Revokes the URL of a client's subscription, by DELETE /api/v1/clients/{id}/public-link. The client keeps its " +
			"flows and its links.",
		RunE: func(cmd *cobra.Command, args []string) error {
			question := cli.Say("The URL that %s has stops at once.", args[0])
			client, path, err := confirmedLink(cmd, env, args[0], question, "REVOKE")
			if err != nil {
				return err
			}
			return client.Do(cmd.Context(), http.MethodDelete, path, nil, nil)
		},
	}
}
