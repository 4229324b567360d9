package console

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

const allowlistPath = base + "/allowlist"

// allowed is an entry of the allow-list as the API gives it.
type allowed struct {
	ID        string     `json:"id"`
	Kind      string     `json:"kind"`
	Value     string     `json:"value"`
	Label     string     `json:"label"`
	Note      string     `json:"note"`
	Until     *time.Time `json:"until"`
	CreatedBy string     `json:"created_by"`
	CreatedAt time.Time  `json:"created_at"`
}

var allowedHeads = []string{"Kind", "Value", "Name", "Note", "Until", "Who", "ID"}

func allowedCells(a allowed) []string {
	return []string{a.Kind, a.Value, cli.OrDash(a.Label), cli.OrDash(a.Note), cli.Stamp(a.Until), a.CreatedBy, a.ID}
}

func allowlistCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "allowlist", Short: "List who and what is no abuse", Args: cobra.NoArgs,
		Example: "panelctl abuse allowlist",
		Long:    "Lists the users and networks whose signals are left out, by GET /api/v1/abuse/allowlist, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.ListAll(cmd.Context(), env, "panelctl.abuse.allowlist/v1", allowlistPath, allowedHeads, allowedCells)
		},
	}
}

func allowCommand(env cli.Env) *cobra.Command {
	var note string
	var days int
	command := &cobra.Command{
		Use: "allow user|asn <value>", Short: "Say that a user or network is no abuse", Args: cobra.ExactArgs(2), //nolint:mnd // kind and value
		Example: "panelctl abuse allow user c:0199a0de-0000-7000-8000-000000000001 --note \"our monitoring\"\n" +
			"panelctl abuse allow asn 64500 --days 30",
		Long: "Puts a user or a network on the allow-list, by POST /api/v1/abuse/allowlist. Its signals are kept and left out of " +
			"lists. A user is c:<client id>, a network the number of its autonomous system.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			body := map[string]any{"kind": args[0], "value": args[1]}
			if note != "" {
				body["note"] = note
			}
			if days > 0 {
				body["until"] = ago(-days * hoursOfDay)
			}
			var added allowed
			if err := client.Post(cmd.Context(), allowlistPath, body, &added); err != nil {
				return err
			}
			return cli.PrintAll(env, "panelctl.abuse.allowlist/v1", []allowed{added}, allowedHeads, allowedCells)
		},
	}
	command.Flags().StringVar(&note, "note", "", "why, for those who read it later")
	command.Flags().IntVar(&days, "days", 0, "after how many days it ends by itself; 0: never")
	return command
}

func disallowCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "disallow <id>", Short: "Take a user or network from the allow-list", Args: cobra.ExactArgs(1),
		Example: "panelctl abuse disallow 0199a0de-0000-7000-8000-000000000001",
		Long:    "Takes an entry from the allow-list, by DELETE /api/v1/abuse/allowlist/{id}.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			return client.Do(cmd.Context(), http.MethodDelete, allowlistPath+"/"+url.PathEscape(args[0]), nil, nil)
		},
	}
}

// document is the settings as the API gives them.
type document struct {
	Schema   string         `json:"schema"`
	Revision int64          `json:"revision"`
	Settings map[string]any `json:"settings"`
}

func settingsCommand(env cli.Env) *cobra.Command {
	var keep, addresses int
	command := &cobra.Command{
		Use: "settings", Short: "Show or change how long signals of abuse are kept", Args: cobra.NoArgs,
		Example: "panelctl abuse settings\npanelctl abuse settings --keep-days 30 --keep-address-days 7",
		Long:    "Shows the settings of abuse protection by GET /api/v1/abuse/settings, and with flags changes them by PUT.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			shown := document{Schema: "panelctl.abuse.settings/v1"}
			if err := client.Get(cmd.Context(), base+"/settings", &shown); err != nil {
				return err
			}
			changed := false
			for flag, field := range map[string]string{"keep-days": "keep_days", "keep-address-days": "keep_address_days"} {
				if given := cmd.Flags().Lookup(flag); given.Changed {
					shown.Settings[field], changed = json.Number(given.Value.String()), true
				}
			}
			if changed {
				body := map[string]any{"revision": shown.Revision, "settings": shown.Settings}
				if err := client.Do(cmd.Context(), http.MethodPut, base+"/settings", body, &shown); err != nil {
					return err
				}
			}
			return env.Record(shown,
				cli.Field{Key: "keep_days", Label: "Days that all is kept", Value: fmt.Sprint(shown.Settings["keep_days"])},
				cli.Field{
					Key: "keep_address_days", Label: "Days that addresses are kept",
					Value: fmt.Sprint(shown.Settings["keep_address_days"]),
				})
		},
	}
	command.Flags().IntVar(&keep, "keep-days", 0, "days that signals and session diversity are kept: 1 to 90")
	command.Flags().IntVar(&addresses, "keep-address-days", 0, "days that addresses of users are kept: 1 to 14")
	return command
}
