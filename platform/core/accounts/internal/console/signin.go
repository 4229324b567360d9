// Package console holds the commands of the accounts module that ask a running panel: signing in and out, and API
// tokens.
package console

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

// Commands are login, logout and token.
func Commands(env cli.Env) []*cobra.Command {
	return []*cobra.Command{loginCommand(env), logoutCommand(env), tokenCommand(env)}
}

func loginCommand(env cli.Env) *cobra.Command {
	var username string
	command := &cobra.Command{
		Use: "login", Short: "Sign in; later commands use the session", Args: cobra.NoArgs,
		Long: "Asks for username, password and second factor, and stores the session in panelctl/sessions below XDG_CONFIG_HOME or " +
			"~/.config, readable by you alone, for the panel at --api. --token and PANEL_API_TOKEN go before it.",
		Example: "panelctl login\npanelctl login --username anna --api https://panel.example.com",
		RunE:    func(cmd *cobra.Command, _ []string) error { return login(cmd.Context(), env, username) },
	}
	command.Flags().StringVar(&username, "username", "", "who signs in; asked for if it is not given")
	return command
}

type loginDocument struct {
	Schema    string    `json:"schema"`
	Address   string    `json:"address"`
	Username  string    `json:"username"`
	ExpiresAt time.Time `json:"expires_at"`
}

func login(ctx context.Context, env cli.Env, username string) error {
	address, err := env.Address()
	if err != nil {
		return err
	}
	if !env.CanAsk() {
		return cli.Usage(cli.Say("nobody can type a password here")).Advise(cli.Plain("PANEL_API_TOKEN"))
	}
	former := env.Stored(address)
	session, err := opened(ctx, env, username)
	if err != nil {
		return err
	}
	session.Address = address
	if err := env.Store(session); err != nil {
		_ = end(ctx, env, session.Token) // a session that nobody knows
		return err
	}
	if former != nil {
		_ = end(ctx, env, former.Token) // it ends by itself else
	}
	document := loginDocument{
		Schema: "panelctl.login/v1", Address: address, Username: session.Username,
		ExpiresAt: session.ExpiresAt,
	}
	return env.Record(document, cli.Field{Key: "address", Label: "Panel", Value: address},
		cli.Field{Key: "username", Label: "Username", Value: session.Username},
		cli.Field{Key: "expires_at", Label: "Session ends", Value: session.ExpiresAt.UTC().Format(time.RFC3339)})
}

// answer is what the panel says about a sign-in: a session, or what is still missing.
type answer struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
	Account   struct {
		Username string `json:"username"`
	} `json:"account"`
	Code      string   `json:"code"`
	Challenge string   `json:"challenge"`
	Methods   []string `json:"methods"`
}

func opened(ctx context.Context, env cli.Env, username string) (cli.StoredSession, error) {
	if username == "" {
		username = env.Ask(cli.Say("Username:"))
	}
	password, err := env.AskSecret(ctx, cli.Say("Password:"))
	if err != nil {
		return cli.StoredSession{}, err
	}
	said, err := ask(ctx, env, "/api/v1/auth/login", map[string]string{"username": username, "password": password})
	if err == nil && said.Code == "second_factor_required" {
		said, err = secondFactor(ctx, env, said)
	}
	return cli.StoredSession{Username: said.Account.Username, Token: said.Token, ExpiresAt: said.ExpiresAt}, err
}

func secondFactor(ctx context.Context, env cli.Env, asked answer) (answer, error) {
	if !slices.Contains(asked.Methods, "totp") {
		return answer{}, cli.NotAllowed(cli.Say("this account signs in with a passkey, which needs a browser")).
			Advise(cli.Say("create an API token in the web interface and set PANEL_API_TOKEN"))
	}
	typed, err := env.AskSecret(ctx, cli.Say("Code of the app, or a recovery code:"))
	if err != nil {
		return answer{}, err
	}
	const digits = 6
	body := map[string]string{"challenge": asked.Challenge, "recovery_code": strings.TrimSpace(typed)}
	if len(body["recovery_code"]) == digits {
		body = map[string]string{"challenge": asked.Challenge, "code": body["recovery_code"]}
	}
	return ask(ctx, env, "/api/v1/auth/second-factor", body)
}

// ask takes the demand for a second factor for an answer; everything else that is no session is a failure.
func ask(ctx context.Context, env cli.Env, path string, body any) (said answer, err error) {
	client, err := env.ClientWith("")
	if err != nil {
		return said, err
	}
	status, text, err := client.Answer(ctx, http.MethodPost, path, body)
	if err != nil {
		return said, err
	}
	readable := json.Unmarshal(text, &said) == nil
	switch {
	case readable && (status == http.StatusOK && said.Token != "" || said.Code == "second_factor_required"):
		return said, nil
	case readable && said.Code == "bad_credentials":
		return said, cli.NotAllowed(cli.Say("the username, the password or the code is wrong"))
	}
	return said, client.Refusal(status, text)
}

// end ends a session at the panel.
func end(ctx context.Context, env cli.Env, token string) error {
	client, err := env.ClientWith(token)
	if err != nil {
		return err
	}
	return client.Post(ctx, "/api/v1/auth/logout", nil, nil)
}

func logoutCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "End the session that login opened", Args: cobra.NoArgs,
		Long:    "Ends the session at the panel and removes it from this machine. API tokens and PANEL_API_TOKEN stay as they are.",
		Example: "panelctl logout",
		RunE:    func(cmd *cobra.Command, _ []string) error { return logout(cmd.Context(), env) },
	}
}

type logoutDocument struct {
	Schema   string `json:"schema"`
	Address  string `json:"address"`
	Username string `json:"username"`
}

// logout forgets the session first: whatever the panel answers, this machine must not use it any more.
func logout(ctx context.Context, env cli.Env) error {
	address, err := env.Address()
	if err != nil {
		return err
	}
	stored := env.Stored(address)
	if stored == nil {
		return cli.Failed(cli.Say("nobody is signed in to %s here", address)).Advise(cli.Plain("panelctl login"))
	}
	if err := env.Forget(address); err != nil {
		return err
	}
	var refused *cli.APIError
	err = end(ctx, env, stored.Token)
	if ended := errors.As(err, &refused) && refused.Status == http.StatusUnauthorized; err != nil && !ended {
		env.Warn(cli.Say("the session is removed here, but the panel did not end it; it ends by itself"))
		return err
	}
	return env.Record(logoutDocument{Schema: "panelctl.logout/v1", Address: address, Username: stored.Username},
		cli.Field{Key: "address", Label: "Panel", Value: address},
		cli.Field{Key: "username", Label: "Signed out", Value: stored.Username})
}
