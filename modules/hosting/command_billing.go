package hosting

import (
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

// billLine is one line of the overview: what something costs, or a payment that comes.
type billLine struct {
	What     string `json:"what"`
	Name     string `json:"name"`
	Currency string `json:"currency"`
	Monthly  int64  `json:"monthly"`
	Due      string `json:"due"`
}

// lines are an overview as a table; amounts of different currencies stand in different lines.
func (b *Billing) lines() []billLine {
	list := []billLine{}
	for _, one := range b.Totals {
		list = append(list, billLine{What: "all", Currency: one.Currency, Monthly: one.Monthly})
	}
	for _, one := range b.Nodes {
		list = append(list, billLine{What: "node", Name: one.Name, Currency: one.Currency, Monthly: one.Monthly})
	}
	for _, one := range b.Flows {
		list = append(list, billLine{What: "flow", Name: one.Name, Currency: one.Currency, Monthly: one.Monthly})
	}
	for _, one := range b.Regions {
		name := one.Kind + " " + one.Region
		list = append(list, billLine{What: "region", Name: name, Currency: one.Currency, Monthly: one.Monthly})
	}
	for i := range b.Due {
		one := &b.Due[i]
		line := billLine{What: "due", Name: one.Account + " " + one.Name, Due: cli.Stamp(&one.DueAt)}
		if one.Price != nil {
			line.Currency, line.Monthly = one.Price.Currency, monthlyOf(one.Price)
		}
		list = append(list, line)
	}
	return list
}

func billingCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "billing", Short: "Show what the machines cost and which payments come", Args: cobra.NoArgs,
		Example: "panelctl hosting billing",
		Long: "Shows what all machines, each node, each flow and each region cost a month, by currency, and the " +
			"payments of the next 31 days. It asks GET /api/v1/cloud-providers/billing.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			var bill Billing
			if err := client.Get(cmd.Context(), accountsPath+"/billing", &bill); err != nil {
				return err
			}
			heads := []string{"What", "Name", "A month", "Due"}
			return cli.PrintAll(env, schema("billing"), bill.lines(), heads, func(l billLine) []string {
				amount := ""
				if l.Currency != "" {
					amount = money(l.Monthly, l.Currency)
				}
				return []string{l.What, cli.OrDash(l.Name), cli.OrDash(amount), cli.OrDash(l.Due)}
			})
		},
	}
}

func paidCommand(env cli.Env) *cobra.Command {
	var asked payment
	cmd := settleCommand(env, "paid <label> <machine>", "Note that a machine was paid",
		"panelctl hosting paid main ams-1",
		"Notes that the payment of a machine was made, by POST /api/v1/cloud-providers/{id}/servers/{server_id}/paid. "+
			"It is due a period of its price later, or on the day that is given.",
		func(now *Server) (any, error) {
			_, next, err := asked.read()
			return Settled{DueAt: *now.NextDueAt, NextDueAt: next}, err
		})
	cmd.Flags().StringVar(&asked.due, "due", "", "Day when it must be paid next: 2026-12-31")
	return cmd
}

func skipCommand(env cli.Env) *cobra.Command {
	return settleCommand(env, "skip <label> <machine>", "End the reminders of a payment",
		"panelctl hosting skip main ams-1",
		"Ends the reminders of the payment that comes next, by POST "+
			"/api/v1/cloud-providers/{id}/servers/{server_id}/skip.",
		func(now *Server) (any, error) { return Skipped{DueAt: *now.NextDueAt}, nil })
}

// settleCommand is a command about the payment of a machine that comes next.
func settleCommand(
	env cli.Env, use, short, example, long string, body func(now *Server) (any, error),
) *cobra.Command {
	return beside(env, use, short, example, long,
		func(cmd *cobra.Command, client *cli.Client, path string, now *Server) error {
			if now.NextDueAt == nil {
				return cli.Failed(cli.Say("nobody has said when the machine %s must be paid", now.Name))
			}
			wanted, err := body(now)
			if err != nil {
				return err
			}
			to := fmt.Sprintf("%s/servers/%s/%s", path, now.ID, cmd.Name())
			return printServer(cmd, env, client, http.MethodPost, to, wanted)
		})
}
