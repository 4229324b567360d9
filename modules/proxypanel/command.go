package proxypanel

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"panel/platform/cli"
)

// commands are what this module adds to panelctl. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "proxypanel", Short: "External proxy panels"}
	group.AddCommand(listCommand(env), addCommand(env), tokenCommand(env), testCommand(env), removeCommand(env),
		scopesCommand(env), syncCommand(env), syncsCommand(env), objectsCommand(env), usersCommand(env),
		webhookCommand(env), mappingCommand(env), adoptCommand(env), releaseCommand(env), driftCommand(env),
		takeOverCommand(env), overwriteCommand(env))
	return []*cobra.Command{group}
}

var heads = []string{"Label", "State", "Cause", "Version", "Token ends", "Last check", "Address", "ID"}

func cells(c Connection) []string {
	cause := c.Cause
	if len(c.MissingScopes) > 0 {
		cause += " (" + strings.Join(c.MissingScopes, ", ") + ")"
	}
	return []string{
		c.Label, c.State, cli.OrDash(cause), cli.OrDash(c.Version), cli.Stamp(c.TokenExpiresAt), cli.Stamp(c.CheckedAt),
		c.BaseURL, c.ID,
	}
}

func listCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List connections with proxy panels", Args: cobra.NoArgs,
		Example: "panelctl proxypanel list",
		Long: "Lists the connections with the state of the last look and its cause. It asks GET " +
			"/api/v1/proxypanel/connections, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.ListAll(cmd.Context(), env, "panelctl.proxypanel.list/v1", connectionsPath, heads, cells)
		},
	}
}

// mostAccess is what is taken of a file with an access, in bytes.
const mostAccess = 256 << 10

func addCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "add <label> <address> <access-file>", Short: "Add a connection with a proxy panel", Args: cobra.ExactArgs(3),
		Example: `echo '{"token": "..."}' | panelctl proxypanel add main https://panel.example.com -`,
		Long: "Reads the access from a JSON file, or from standard input where the file is -: token, and where they are " +
			"needed direct, extra_headers, cookie, ca and client_certificate. POST /api/v1/proxypanel/connections stores it " +
			"sealed and looks at the proxy panel; state and cause say what was found.",
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := env.Input(args[2], mostAccess)
			if err != nil {
				return err
			}
			var wanted NewConnection
			if len(text) > mostAccess || json.Unmarshal(text, &wanted) != nil || wanted.Token == "" {
				return cli.Usage(cli.Say(`the access is one JSON object, such as {"token": "..."}`))
			}
			wanted.Label, wanted.BaseURL = args[0], args[1]
			return change(cmd, env, http.MethodPost, connectionsPath, wanted)
		},
	}
}

func tokenCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "token <label> <token-file>", Short: "Give a connection a new token", Args: cobra.ExactArgs(2),
		Example: "panelctl proxypanel token main - < token.txt",
		Long: "Reads an API token of the proxy panel from a file, or from standard input where the file is -, and stores it by " +
			"PATCH /api/v1/proxypanel/connections/{id}. The panel looks at once whether it has all scopes.",
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := env.Input(args[1], mostAccess)
			if err != nil {
				return err
			}
			token := strings.TrimSpace(string(text))
			if token == "" || len(text) > mostAccess {
				return cli.Usage(cli.Say("the file must hold one API token"))
			}
			client, err := env.Client()
			if err != nil {
				return err
			}
			id, err := idOf(cmd, client, args[0])
			if err != nil {
				return err
			}
			var now Connection
			if err := client.Get(cmd.Context(), pathOf(id), &now); err != nil {
				return err
			}
			wanted := ConnectionChange{Revision: &now.Revision, Token: &token}
			return change(cmd, env, http.MethodPatch, pathOf(id), wanted)
		},
	}
}

func testCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "test <label>", Short: "Look at a proxy panel now", Args: cobra.ExactArgs(1),
		Example: "panelctl proxypanel test main",
		Long: "Lets the panel look at the proxy panel at once, by POST /api/v1/proxypanel/connections/{id}/test, and shows what " +
			"it found: whether it can be reached, its version, and each scope that the token lacks. It ends with 1 where it " +
			"cannot be used.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			id, err := idOf(cmd, client, args[0])
			if err != nil {
				return err
			}
			return change(cmd, env, http.MethodPost, pathOf(id)+"/test", nil)
		},
	}
}

// change sends a change, or a test, and prints the connection that comes back. Failure: it cannot be used.
func change(cmd *cobra.Command, env cli.Env, method, path string, in any) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	var now Connection
	if err := client.Do(cmd.Context(), method, path, in, &now); err != nil {
		return err
	}
	schema := "panelctl.proxypanel." + cmd.Name() + "/v1"
	if err := cli.PrintAll(env, schema, []Connection{now}, heads, cells); err != nil {
		return err
	}
	row := connectionRow{State: now.State}
	if !row.works() {
		return cli.Failed(cli.Say("the proxy panel %s cannot be used: %s", now.Label, now.Cause))
	}
	return nil
}

func removeCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "remove <label>", Short: "Remove a connection with a proxy panel", Args: cobra.ExactArgs(1),
		Example: "panelctl proxypanel remove main --yes",
		Long: "Removes a connection and its secrets by DELETE /api/v1/proxypanel/connections/{id}. At the proxy panel nothing " +
			"changes; delete the API token there.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			id, err := idOf(cmd, client, args[0])
			if err != nil {
				return err
			}
			question := cli.Say("The panel loses its access to the proxy panel. Nothing changes there.")
			if err := env.ConfirmWord(question, "REMOVE"); err != nil {
				return err
			}
			return client.Do(cmd.Context(), http.MethodDelete, pathOf(id), nil, nil)
		},
	}
}

func scopesCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "scopes", Short: "List the scopes that a token needs", Args: cobra.NoArgs,
		Example: "panelctl proxypanel scopes --plain",
		Long: "Lists the scopes that an API token must have at the proxy panel, and what each is for. It asks GET " +
			"/api/v1/proxypanel/scopes.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			var list ScopeList
			if err := client.Get(cmd.Context(), "/api/v1/proxypanel/scopes", &list); err != nil {
				return err
			}
			return cli.PrintAll(env, "panelctl.proxypanel.scopes/v1", list.Items, []string{"Scope", "Needed for"},
				func(s TokenScope) []string { return []string{s.Scope, s.Use} })
		},
	}
}

func pathOf(id string) string { return connectionsPath + "/" + url.PathEscape(id) }

// idOf finds a connection by its label, or takes an id as it is.
func idOf(cmd *cobra.Command, client *cli.Client, label string) (string, error) {
	if uuid.Validate(label) == nil {
		return label, nil
	}
	all, err := cli.All[Connection](cmd.Context(), client, connectionsPath)
	if err != nil {
		return "", err
	}
	for _, one := range all {
		if one.Label == label {
			return one.ID, nil
		}
	}
	return "", cli.Failed(cli.Say("there is no connection %s", label))
}
