package cdndns

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/modules/cdn-dns/internal/certificates"
	"panel/platform/cli"
)

const certificatesPath = "/api/v1/certificates"

// commands are what this module adds to panelctl. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "certs", Short: "Certificates of host names"}
	group.AddCommand(listCommand(env), renewCommand(env), uploadCommand(env), removeCommand(env), budgetsCommand(env))
	return []*cobra.Command{group, dnsCommands(env)}
}

var certificateHeads = []string{"Host names", "State", "Valid until", "Last error", "ID"}

func certificateCells(c certificates.Certificate) []string {
	return []string{strings.Join(c.Names, ", "), c.State, cli.Stamp(c.NotAfter), cli.OrDash(c.LastError), c.ID}
}

func listCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List certificates", Args: cobra.NoArgs,
		Example: "panelctl certs list --json",
		Long:    "Lists the certificates that the panel keeps, ordered or uploaded. It asks GET /api/v1/certificates, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.ListAll(cmd.Context(), env, "panelctl.certs.list/v1", certificatesPath, certificateHeads,
				certificateCells)
		},
	}
}

func renewCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "renew <id>", Short: "Order the next certificate now", Args: cobra.ExactArgs(1),
		Example: "panelctl certs renew 0199a0de-0000-7000-8000-000000000001",
		Long: "Orders the next certificate of the same host names by POST /api/v1/certificates/{id}/renew and does not wait for " +
			"it. The one in use stays until the next one is there.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return changed(cmd.Context(), env, "renew", certificatesPath+"/"+url.PathEscape(args[0])+"/renew", nil)
		},
	}
}

func changed(ctx context.Context, env cli.Env, what, path string, body any) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	var shown certificates.Certificate
	if err := client.Do(ctx, http.MethodPost, path, body, &shown); err != nil {
		return err
	}
	return cli.PrintAll(env, "panelctl.certs."+what+"/v1", []certificates.Certificate{shown}, certificateHeads,
		certificateCells)
}

func uploadCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "upload <chain-file> <key-file>", Short: "Upload a certificate of your own", Args: cobra.ExactArgs(2),
		Example: "panelctl certs upload fullchain.pem privkey.pem",
		Long: "Reads a chain and its private key, both PEM and the key without a passphrase, and hands them over by " +
			"POST /api/v1/certificates. The key is stored sealed and never shown.",
		RunE: func(cmd *cobra.Command, args []string) error {
			chain, err := readPEM(args[0])
			if err != nil {
				return err
			}
			key, err := readPEM(args[1])
			if err != nil {
				return err
			}
			return changed(cmd.Context(), env, "upload", certificatesPath, NewCertificate{Chain: chain, Key: key})
		},
	}
}

// mostPEM is what the panel takes of a chain.
const mostPEM = 64 << 10

func readPEM(path string) (string, error) {
	about, err := os.Stat(path)
	if err != nil {
		return "", cli.Usage(cli.Say("the file %s cannot be read; give the path of a PEM file", path))
	}
	if about.Size() > mostPEM {
		return "", cli.Usage(cli.Say("the file %s is too large for a certificate", path))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", cli.Usage(cli.Say("the file %s cannot be read; give the path of a PEM file", path))
	}
	return string(text), nil
}

func removeCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "remove <id>", Short: "Remove a certificate", Args: cobra.ExactArgs(1),
		Example: "panelctl certs remove 0199a0de-0000-7000-8000-000000000001 --yes",
		Long: "Removes a certificate and its key by DELETE /api/v1/certificates/{id}. One that a flow shows is kept unless " +
			"another one covers its host name.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			question := cli.Say("The certificate and its key are removed from the panel.")
			if err := env.ConfirmWord(question, "REMOVE"); err != nil {
				return err
			}
			return client.Do(cmd.Context(), http.MethodDelete, certificatesPath+"/"+url.PathEscape(args[0]), nil, nil)
		},
	}
}

func budgetsCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "budgets", Short: "Show what the authority still issues this week", Args: cobra.NoArgs,
		Example: "panelctl certs budgets",
		Long: "Shows for each registered domain how many new certificates were issued in the last 168 hours. It asks " +
			"GET /api/v1/certificates/budgets.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			var all BudgetList
			if err := client.Do(cmd.Context(), http.MethodGet, certificatesPath+"/budgets", nil, &all); err != nil {
				return err
			}
			return cli.PrintAll(env, "panelctl.certs.budgets/v1", all.Items, []string{"Domain", "Issued", "Limit", "Free again"},
				func(b certificates.Budget) []string {
					return []string{b.Domain, strconv.Itoa(b.Issued), strconv.Itoa(b.Limit), cli.Stamp(b.FreeAt)}
				})
		},
	}
}
