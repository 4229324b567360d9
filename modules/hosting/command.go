package hosting

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"panel/modules/hosting/internal/cloud"
	"panel/platform/cli"
)

// commands are what this module adds to panelctl. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "hosting", Short: "Hosting providers"}
	group.AddCommand(kindsCommand(env), accountsCommand(env), addCommand(env), credentialsCommand(env),
		testCommand(env),
		removeCommand(env), syncCommand(env), serversCommand(env), regionsCommand(env), plansCommand(env),
		enterCommand(env), payCommand(env), forgetCommand(env),
		billingCommand(env), paidCommand(env), skipCommand(env), imagesCommand(env), createCommand(env),
		powerCommand(env), deleteCommand(env), ordersCommand(env), replaceCommand(env), replacementsCommand(env),
		cancelCommand(env), continueCommand(env))
	return []*cobra.Command{group}
}

func schema(name string) string { return "panelctl.hosting." + name + "/v1" }

func kindsCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "kinds", Short: "List the kinds of hosting providers", Args: cobra.NoArgs,
		Example: "panelctl hosting kinds",
		Long: "Lists the providers that the panel can speak with, what an account needs and what it can do. It " +
			"asks GET " +
			"/api/v1/cloud-providers/kinds.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			var list KindList
			if err := client.Get(cmd.Context(), accountsPath+"/kinds", &list); err != nil {
				return err
			}
			heads := []string{"Kind", "Provider", "Credentials", "Abilities", "Rights"}
			return cli.PrintAll(env, schema("kinds"), list.Items, heads, func(k KindView) []string {
				fields := []string{}
				for _, one := range k.Fields {
					fields = append(fields, one.Name)
				}
				return []string{
					k.Kind, k.Title, cli.OrDash(strings.Join(fields, ", ")), strings.Join(k.Abilities, ", "),
					cli.OrDash(strings.Join(k.Rights, ", ")),
				}
			})
		},
	}
}

var accountHeads = []string{"Label", "Kind", "State", "Cause", "Balance", "Machines", "Last read", "ID"}

func accountCells(a Account) []string {
	cause := a.Cause
	if len(a.MissingRights) > 0 {
		cause += " (" + strings.Join(a.MissingRights, ", ") + ")"
	}
	balance := ""
	if a.Balance != nil {
		balance = money(a.Balance.Amount, a.Balance.Currency)
	}
	return []string{
		a.Label, a.Kind, a.State, cli.OrDash(cause), cli.OrDash(balance), fmt.Sprint(a.Limits.ServersUsed),
		cli.Stamp(a.LastSyncAt), a.ID,
	}
}

// money writes minor units as people do, the same in every language: 12.50 EUR.
func money(amount int64, currency string) string {
	const hundredths = 100
	sign := ""
	if amount < 0 {
		sign, amount = "-", -amount
	}
	return fmt.Sprintf("%s%d.%02d %s", sign, amount/hundredths, amount%hundredths, currency)
}

func accountsCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "accounts", Short: "List accounts at hosting providers", Args: cobra.NoArgs,
		Example: "panelctl hosting accounts",
		Long: "Lists the accounts with the state of the last look, its cause and what is left to spend. It asks GET " +
			"/api/v1/cloud-providers, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.ListAll(cmd.Context(), env, schema("accounts"), accountsPath, accountHeads, accountCells)
		},
	}
}

// mostCredentials is what is taken of a file with credentials, in bytes.
const mostCredentials = 64 << 10

func addCommand(env cli.Env) *cobra.Command {
	var base string
	cmd := &cobra.Command{
		Use: "add <kind> <label> [<credentials-file>]", Short: "Add an account at a hosting provider",
		Args:    cobra.RangeArgs(2, 3),
		Example: `echo '{"api_token": "..."}' | panelctl hosting add hetzner main -`,
		Long: "Reads the credentials from a JSON file, or from standard input where the file is -; panelctl " +
			"hosting kinds " +
			"names their fields. POST /api/v1/cloud-providers stores them sealed and asks the provider what they " +
			"may do.",
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted := NewAccount{Kind: args[0], Label: args[1], BaseURL: base}
			if len(args) > 2 {
				given, err := readCredentials(env, args[2])
				if err != nil {
					return err
				}
				wanted.Credentials = given
			}
			return change(cmd, env, http.MethodPost, accountsPath, wanted)
		},
	}
	cmd.Flags().StringVar(&base, "base-url", "", "Address of the API, if it is not the usual one")
	return cmd
}

func readCredentials(env cli.Env, file string) (given cloud.Credentials, err error) {
	text, err := env.Input(file, mostCredentials)
	if err != nil {
		return nil, err
	}
	if len(text) > mostCredentials || json.Unmarshal(text, &given) != nil || len(given) == 0 {
		return nil, cli.Usage(cli.Say(`the credentials are one JSON object, such as {"api_token": "..."}`))
	}
	return given, nil
}

func credentialsCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "credentials <label> <credentials-file>", Short: "Give an account new credentials",
		Args:    cobra.ExactArgs(2),
		Example: "panelctl hosting credentials main - < credentials.json",
		Long: "Reads credentials as panelctl hosting add does and stores them by PATCH " +
			"/api/v1/cloud-providers/{id}. The provider " +
			"is asked at once what they may do.",
		RunE: func(cmd *cobra.Command, args []string) error {
			given, err := readCredentials(env, args[1])
			if err != nil {
				return err
			}
			client, err := env.Client()
			if err != nil {
				return err
			}
			path, err := pathOf(cmd, client, args[0])
			if err != nil {
				return err
			}
			var now Account
			if err := client.Get(cmd.Context(), path, &now); err != nil {
				return err
			}
			return change(cmd, env, http.MethodPatch, path, AccountChange{Revision: &now.Revision, Credentials: given})
		},
	}
}

func testCommand(env cli.Env) *cobra.Command {
	return below(env, "test <label>", "Ask a hosting provider now", "panelctl hosting test main",
		"Has the provider asked what the credentials may do, by POST /api/v1/cloud-providers/{id}/test, and "+
			"names each right that they lack. It ends with 1 where the account cannot be used fully.",
		func(cmd *cobra.Command, _ *cli.Client, path string) error {
			return change(cmd, env, http.MethodPost, path+"/test", nil)
		})
}

// change sends a change, or a test, and prints the account that comes back. Failure: it cannot be used fully.
func change(cmd *cobra.Command, env cli.Env, method, path string, in any) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	var now Account
	if err := client.Do(cmd.Context(), method, path, in, &now); err != nil {
		return err
	}
	if err := cli.PrintAll(env, schema(cmd.Name()), []Account{now}, accountHeads, accountCells); err != nil {
		return err
	}
	if now.State != stateOK {
		return cli.Failed(cli.Say("the account %s cannot be used fully: %s", now.Label, now.Cause))
	}
	return nil
}

func removeCommand(env cli.Env) *cobra.Command {
	return below(env, "remove <label>", "Remove an account at a hosting provider", "panelctl hosting remove main --yes",
		"Removes an account with its credentials and what was read of its machines, by DELETE "+
			"/api/v1/cloud-providers/{id}. At the provider nothing changes.",
		func(cmd *cobra.Command, client *cli.Client, path string) error {
			question := cli.Say("The panel forgets the account and its machines. At the provider nothing changes.")
			if err := env.ConfirmWord(question, "REMOVE"); err != nil {
				return err
			}
			return client.Do(cmd.Context(), http.MethodDelete, path, nil, nil)
		})
}

func syncCommand(env cli.Env) *cobra.Command {
	return below(env, "sync <label>", "Read the machines of an account now", "panelctl hosting sync main",
		"Has the machines of an account read at once, by POST /api/v1/cloud-providers/{id}/sync, and prints "+
			"the operation. They are read every hour anyway.",
		func(cmd *cobra.Command, client *cli.Client, path string) error {
			var started SyncStarted
			if err := client.Do(cmd.Context(), http.MethodPost, path+"/sync", nil, &started); err != nil {
				return err
			}
			return cli.PrintAll(env, schema("sync"), []SyncStarted{started}, []string{"Operation"},
				func(s SyncStarted) []string { return []string{s.OperationID} })
		})
}

// pathOf is the address of an account that is named by its label or its id.
func pathOf(cmd *cobra.Command, client *cli.Client, label string) (string, error) {
	if uuid.Validate(label) == nil {
		return accountsPath + "/" + url.PathEscape(label), nil
	}
	all, err := cli.All[Account](cmd.Context(), client, accountsPath)
	if err != nil {
		return "", err
	}
	for _, one := range all {
		if one.Label == label {
			return accountsPath + "/" + one.ID, nil
		}
	}
	return "", cli.Failed(cli.Say("there is no account %s", label))
}
