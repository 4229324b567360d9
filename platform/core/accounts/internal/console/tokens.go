package console

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

func tokenCommand(env cli.Env) *cobra.Command {
	group := &cobra.Command{Use: "token", Short: "List, create and revoke API tokens for scripts"}
	group.AddCommand(&cobra.Command{
		Use: "list", Short: "List your own API tokens", Args: cobra.NoArgs, Example: "panelctl token list --json",
		Long: "Lists your own API tokens. It needs a session: an API token may not look at tokens.",
		RunE: func(cmd *cobra.Command, _ []string) error { return listTokens(cmd.Context(), env) },
	}, createCommand(env), &cobra.Command{
		Use: "revoke <name>", Short: "Revoke one of your own API tokens", Args: cobra.ExactArgs(1),
		Long:    "The token is refused from the next request on. Its name must be typed again, unless --yes is given.",
		Example: "panelctl token revoke deploy",
		RunE:    func(cmd *cobra.Command, args []string) error { return revokeToken(cmd.Context(), env, args[0]) },
	})
	return group
}

func createCommand(env cli.Env) *cobra.Command {
	order := tokenOrder{}
	command := &cobra.Command{
		Use: "create <name>", Short: "Create an API token; it is shown once", Args: cobra.ExactArgs(1),
		Long: "Creates an API token with a part of your own permissions and prints it this once. It asks for your password and needs a " +
			"session: an API token cannot make another one.",
		Example: "panelctl token create deploy --permissions nodes.view,connection_units.* --days 30",
		RunE: func(cmd *cobra.Command, args []string) error {
			order.Name = args[0]
			return createToken(cmd.Context(), env, order)
		},
	}
	command.Flags().StringSliceVar(&order.Permissions, "permissions", []string{},
		"permission keys, separated by commas")
	command.Flags().IntVar(&order.Days, "days", 90, "after how many days it expires, at most 365")
	return command
}

type token struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Permissions []string   `json:"permissions"`
	CreatedAt   time.Time  `json:"created_at"`
	ExpiresAt   time.Time  `json:"expires_at"`
	LastUsedAt  *time.Time `json:"last_used_at"`
	Expired     bool       `json:"expired"`
}

type listDocument struct {
	Schema string  `json:"schema"`
	Tokens []token `json:"tokens"`
}

func ownTokens(ctx context.Context, env cli.Env) (*cli.Client, []token, error) {
	client, err := env.Client()
	if err != nil {
		return nil, nil, err
	}
	var page struct {
		Items []token `json:"items"`
	}
	err = client.Get(ctx, "/api/v1/auth/tokens", &page)
	return client, page.Items, err
}

func listTokens(ctx context.Context, env cli.Env) error {
	_, held, err := ownTokens(ctx, env)
	if err != nil {
		return err
	}
	rows := make([][]string, len(held))
	for i, one := range held {
		used := "-"
		if one.LastUsedAt != nil {
			used = one.LastUsedAt.UTC().Format(time.RFC3339)
		}
		rows[i] = []string{one.Name, one.ExpiresAt.UTC().Format(time.RFC3339), used, permissionsOf(one)}
	}
	return env.List(listDocument{Schema: "panelctl.tokens/v1", Tokens: held}, []string{
		"Name", "Expires", "Last used",
		"Permissions",
	}, rows)
}

func permissionsOf(one token) string {
	if len(one.Permissions) == 0 {
		return "-"
	}
	return strings.Join(one.Permissions, " ")
}

type tokenOrder struct {
	Name        string   `json:"name"`
	Permissions []string `json:"permissions"`
	Days        int      `json:"expires_in_days"`
	Password    string   `json:"current_password"`
}

type createdDocument struct {
	Schema string `json:"schema"`
	Token  string `json:"token"`
	About  token  `json:"api_token"`
}

func createToken(ctx context.Context, env cli.Env, order tokenOrder) (err error) {
	if !env.CanAsk() {
		return cli.Usage(cli.Say("nobody can type a password here"))
	}
	client, err := env.Client()
	if err != nil {
		return err
	}
	if order.Password, err = env.AskSecret(ctx, cli.Say("Your password:")); err != nil {
		return err
	}
	made := createdDocument{Schema: "panelctl.token/v1"}
	if err := client.Post(ctx, "/api/v1/auth/tokens", order, &made); err != nil {
		return err
	}
	env.Note(cli.Say("the token is shown this once; store it where only its script can read it"))
	return env.Record(made, cli.Field{Key: "name", Label: "Name", Value: made.About.Name},
		cli.Field{Key: "token", Label: "Token", Value: made.Token},
		cli.Field{Key: "expires_at", Label: "Expires", Value: made.About.ExpiresAt.UTC().Format(time.RFC3339)},
		cli.Field{Key: "permissions", Label: "Permissions", Value: permissionsOf(made.About)})
}

type revokedDocument struct {
	Schema string `json:"schema"`
	ID     string `json:"id"`
	Name   string `json:"name"`
}

func revokeToken(ctx context.Context, env cli.Env, name string) error {
	client, held, err := ownTokens(ctx, env)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(held, func(one token) bool { return one.Name == name })
	if at < 0 {
		return cli.Failed(cli.Say("you have no API token %q", name)).Advise(cli.Plain("panelctl token list"))
	}
	consequence := cli.Say("Whatever uses the token %q is refused from now on.", name)
	if err := env.Confirm(consequence, cli.Say("Type the name of the token to go on:"), name); err != nil {
		return err
	}
	if err := client.Do(ctx, "DELETE", "/api/v1/auth/tokens/"+url.PathEscape(held[at].ID), nil, nil); err != nil {
		return err
	}
	return env.Record(revokedDocument{Schema: "panelctl.token-revoked/v1", ID: held[at].ID, Name: name},
		cli.Field{Key: "revoked", Label: "Revoked", Value: name})
}
