package console

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/modules/health/internal/external"
	"panel/modules/health/internal/external/checker"
	"panel/platform/cli"
)

const externalPath = base + "/bscheck"

// checksCommand is panelctl health checks: what a paid service sees from the networks of mobile operators.
func checksCommand(env cli.Env) *cobra.Command {
	group := &cobra.Command{Use: "checks", Short: "External checks from the networks of mobile operators"}
	group.AddCommand(
		reportsCommand(env), previewCommand(env), runCommand(env), cancelCommand(env), settingsCommand(env),
		accountCommand(env), operatorsCommand(env),
	)
	return group
}

// flowID finds the flow that a command line names.
func flowID(ctx context.Context, client *cli.Client, named string) (string, error) {
	path, err := subjectPath(ctx, client, named, true)
	return path[strings.LastIndex(path, "/")+1:], err
}

func reportsCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list <flow>", Short: "List the newest external reports of a flow", Args: cobra.ExactArgs(1),
		Example: "panelctl health checks list \"Europe main\"",
		Long: "Lists the 100 newest stored reports of a flow, named by its name or id, by GET " +
			"/api/v1/health/connection-units/{id}/bscheck-reports. It starts no check and costs nothing. With --json each report " +
			"has what every operator found.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			id, err := flowID(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			var list external.ReportList
			if err := client.Get(cmd.Context(), flowsPath+"/"+url.PathEscape(id)+"/bscheck-reports", &list); err != nil {
				return err
			}
			heads := []string{"Asked", "Target", "Kind", "State", "Reached", "Cost", "By", "Reason", "ID"}
			return cli.PrintAll(env, "panelctl.health.checks.list/v1", list.Items, heads, reportCells)
		},
	}
}

func reportCells(r external.Report) []string {
	reached, cost := "-", "-"
	if r.Total > 0 {
		reached = fmt.Sprintf("%d/%d", r.Passed, r.Total)
	}
	if r.Cost != nil {
		cost = roubles(r.Cost.Amount)
	}
	return []string{
		cli.Stamp(&r.AskedAt), r.Target, r.Kind, r.State, reached, cost, cli.OrDash(r.RequestedBy),
		cli.OrDash(r.ErrorCode), r.ID,
	}
}

// roubles writes an amount of kopeks the same in every language: 0.40.
func roubles(kopeks int64) string { return strconv.FormatFloat(float64(kopeks)/100, 'f', 2, 64) }

// asked are the flags that say what is looked at.
type asked struct{ node, kind, operators string }

func (a *asked) flags(command *cobra.Command) {
	set := command.Flags()
	set.StringVar(&a.node, "node", "", "which node of the flow, by its id; needed where it has several")
	set.StringVar(&a.kind, "kind", "probe", "probe or scan")
	set.StringVar(&a.operators, "operators", "", "keys of operators with commas between them; all when left out")
}

func (a *asked) body() external.Asked {
	body := external.Asked{Kind: a.kind, NodeID: a.node}
	for key := range strings.SplitSeq(a.operators, ",") {
		if key = strings.TrimSpace(key); key != "" {
			body.Operators = append(body.Operators, key)
		}
	}
	return body
}

type previewed struct {
	Schema string `json:"schema"`
	external.Preview
}

func previewCommand(env cli.Env) *cobra.Command {
	var what asked
	command := &cobra.Command{
		Use: "preview <flow>", Short: "Ask what an external check would cost", Args: cobra.ExactArgs(1),
		Example: "panelctl health checks preview \"Europe main\"",
		Long: "Asks the service what a check of a flow would cost, by POST " +
			"/api/v1/health/connection-units/{id}/bscheck-checks/preview. It is free and starts nothing. Money is in roubles.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			shown, _, err := ask(cmd.Context(), client, args[0], what.body())
			if err != nil {
				return err
			}
			return env.Record(shown, previewFields(shown.Preview)...)
		},
	}
	what.flags(command)
	return command
}

// ask gives the price of a check, and the flow's id.
func ask(
	ctx context.Context, client *cli.Client, named string, body external.Asked,
) (shown previewed, id string, err error) {
	if id, err = flowID(ctx, client, named); err != nil {
		return shown, id, err
	}
	shown.Schema = "panelctl.health.checks.preview/v1"
	err = client.Post(ctx, flowsPath+"/"+url.PathEscape(id)+"/bscheck-checks/preview", body, &shown.Preview)
	return shown, id, err
}

func previewFields(p external.Preview) []cli.Field {
	return []cli.Field{
		{Key: "target", Label: "Target", Value: p.Target},
		{Key: "price", Label: "Price", Value: roubles(p.Price.Amount)},
		{Key: "operators", Label: "Operators", Value: strconv.Itoa(p.Operators)},
		{Key: "left_today", Label: "Left today", Value: roubles(p.Budget.Today.Left)},
		{Key: "left_month", Label: "Left this month", Value: roubles(p.Budget.Month.Left)},
		{Key: "refused", Label: "Cannot begin", Value: cli.OrDash(p.Refused)},
	}
}

type begun struct {
	Schema string `json:"schema"`
	external.Started
}

func runCommand(env cli.Env) *cobra.Command {
	var what asked
	var most float64
	command := &cobra.Command{
		Use: "run <flow>", Short: "Start a paid external check", Args: cobra.ExactArgs(1),
		Example: "panelctl health checks run \"Europe main\"\npanelctl health checks run \"Europe main\" --max-price 0.40 --yes",
		Long: "Asks for the price, has it confirmed and starts a paid check of a flow, by POST " +
			"/api/v1/health/connection-units/{id}/bscheck-checks. With --max-price, in roubles, a check that would cost more is not " +
			"made. panelctl health checks list shows its report.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			priced, id, err := ask(cmd.Context(), client, args[0], what.body())
			if err != nil {
				return err
			}
			limit := priced.Price.Amount
			if most > 0 && float64(limit) > most*100 {
				return cli.Failed(cli.Say("the check would cost %s, more than --max-price", roubles(limit)))
			}
			consequence := cli.Say("a check of %s is paid with %s from the account of the service", priced.Target, roubles(limit))
			if err := env.Confirm(consequence, cli.Say("Run the paid check?"), "run"); err != nil {
				return err
			}
			shown := begun{Schema: "panelctl.health.checks.run/v1"}
			order := external.Order{Asked: what.body(), MaxPrice: limit}
			path := flowsPath + "/" + url.PathEscape(id) + "/bscheck-checks"
			if err := client.Post(cmd.Context(), path, order, &shown.Started); err != nil {
				return err
			}
			return env.Record(shown,
				cli.Field{Key: "report", Label: "Report", Value: shown.Report.ID},
				cli.Field{Key: "target", Label: "Target", Value: shown.Report.Target},
				cli.Field{Key: "price", Label: "Price", Value: roubles(shown.Report.Price.Amount)},
				cli.Field{Key: "state", Label: "State", Value: shown.Report.State})
		},
	}
	what.flags(command)
	command.Flags().Float64Var(&most, "max-price", 0, "roubles that the check may cost at most")
	return command
}

type ended struct {
	Schema string `json:"schema"`
	external.Report
}

func cancelCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "cancel <flow> <report>", Short: "Cancel an external check", Args: cobra.ExactArgs(2),
		Example: "panelctl health checks cancel \"Europe main\" 0199a0de-0000-7000-8000-000000000005",
		Long: "Cancels a check of a flow, by POST " +
			"/api/v1/health/connection-units/{id}/bscheck-checks/{report_id}/cancel. What the service has done until then stays " +
			"paid for and is kept in the report.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			id, err := flowID(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			shown := ended{Schema: "panelctl.health.checks.cancel/v1"}
			path := flowsPath + "/" + url.PathEscape(id) + "/bscheck-checks/" + url.PathEscape(args[1]) + "/cancel"
			if err := client.Post(cmd.Context(), path, nil, &shown.Report); err != nil {
				return err
			}
			return env.Record(shown,
				cli.Field{Key: "report", Label: "Report", Value: shown.ID},
				cli.Field{Key: "state", Label: "State", Value: shown.State})
		},
	}
}

type accounted struct {
	Schema string `json:"schema"`
	external.AccountView
}

func accountCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "account", Short: "Show what is left at the service for external checks", Args: cobra.NoArgs,
		Example: "panelctl health checks account",
		Long: "Shows the balance at the service and what may still be spent today and this month, by GET " +
			"/api/v1/health/bscheck/account. Money is in roubles.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			shown := accounted{Schema: "panelctl.health.checks.account/v1"}
			if err := client.Get(cmd.Context(), externalPath+"/account", &shown.AccountView); err != nil {
				return err
			}
			today, month := shown.Budget.Today, shown.Budget.Month
			return env.Record(shown,
				cli.Field{Key: "balance", Label: "Balance", Value: roubles(shown.Balance)},
				cli.Field{Key: "tier", Label: "Tier", Value: cli.OrDash(shown.Tier)},
				cli.Field{Key: "tier_ends", Label: "Tier ends", Value: cli.Stamp(shown.ExpiresAt)},
				cli.Field{Key: "today", Label: "Spent today", Value: roubles(today.Spent) + " / " + roubles(today.Cap)},
				cli.Field{Key: "month", Label: "Spent this month", Value: roubles(month.Spent) + " / " + roubles(month.Cap)})
		},
	}
}

func operatorsCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "operators", Short: "List the operators that external checks can ask", Args: cobra.NoArgs,
		Example: "panelctl health checks operators",
		Long: "Lists the operators of the service with their districts and white lists, by GET " +
			"/api/v1/health/bscheck/operators. The keys are for --operators.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			var list external.OperatorList
			if err := client.Get(cmd.Context(), externalPath+"/operators", &list); err != nil {
				return err
			}
			heads := []string{"Operator", "Region", "White list", "Ready", "Key"}
			return cli.PrintAll(env, "panelctl.health.checks.operators/v1", list.Items, heads, operatorCells)
		},
	}
}

func operatorCells(o checker.Operator) []string {
	return []string{o.Name, o.Region, strconv.FormatBool(o.Whitelist), strconv.FormatBool(o.Ready), o.Key}
}
