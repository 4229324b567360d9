package console

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"panel/modules/abuse/internal/cases"
	"panel/platform/cli"
)

const casesPath = base + "/cases"

func casesCommand(env cli.Env) *cobra.Command {
	group := &cobra.Command{Use: "cases", Short: "Cases of abuse, and what is done about their users"}
	group.AddCommand(listCasesCommand(env), showCaseCommand(env),
		turnCommand(env, "dismiss", "dismissed", "Dismiss a case: it is no abuse",
			"Closes a case as no abuse, by PATCH /api/v1/abuse/cases/{id}. It is opened again only by evidence that is worse."),
		turnCommand(env, "reopen", "open", "Open a case again",
			"Opens a closed case again, by PATCH /api/v1/abuse/cases/{id}."),
		noteCommand(env), actCommand(env))
	return group
}

var caseHeads = []string{"Case", "User", "State", "Score", "Recommended", "Why", "Opened", "ID"}

func caseCells(c cases.Line) []string {
	return []string{
		strconv.FormatInt(c.Number, 10), nameOr(c.User.Name, c.UserRef), c.State, strconv.Itoa(c.Score),
		string(c.Recommended), cli.OrDash(c.Why.Text), cli.Stamp(&c.OpenedAt), c.ID,
	}
}

func listCasesCommand(env cli.Env) *cobra.Command {
	var state, query, recommended, node string
	command := &cobra.Command{
		Use: "list", Short: "List cases of abuse", Args: cobra.NoArgs,
		Example: "panelctl abuse cases list --state open",
		Long:    "Lists cases, those that were opened last first, by GET /api/v1/abuse/cases, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			path := cli.Asked(casesPath, map[string]string{
				"state": state, "q": query, "recommended": recommended, "node_id": node,
			})
			return cli.ListAll(cmd.Context(), env, "panelctl.abuse.cases/v1", path, caseHeads, caseCells)
		},
	}
	command.Flags().StringVar(&state, "state", "", "show only those that are open, actioned, dismissed or expired")
	command.Flags().StringVar(&query, "search", "", "show only those whose user has this in its name")
	command.Flags().StringVar(&recommended, "recommended", "", "show only those with this recommended step, as temp_block")
	command.Flags().StringVar(&node, "node", "", "show only those with evidence from the node with this id")
	return command
}

// found is the id of a case that people name by its number.
func found(ctx context.Context, client *cli.Client, name string) (string, error) {
	if uuid.Validate(name) == nil {
		return name, nil
	}
	number := strings.TrimPrefix(name, "#")
	all, err := cli.All[cases.Line](ctx, client, cli.Asked(casesPath, map[string]string{"q": "#" + number}))
	if err != nil {
		return "", err
	}
	for i := range all {
		if strconv.FormatInt(all[i].Number, 10) == number {
			return all[i].ID, nil
		}
	}
	return "", cli.Usage(cli.Say("there is no case with this number"))
}

// shownCase is a case as the command prints it.
type shownCase struct {
	Schema string `json:"schema"`
	cases.Case
}

func printCase(env cli.Env, c *cases.Case) error {
	fields := []cli.Field{
		{Key: "number", Label: "Case", Value: strconv.FormatInt(c.Number, 10)},
		{Key: "user", Label: "User", Value: nameOr(c.User.Name, c.UserRef)},
		{Key: "state", Label: "State", Value: c.State},
		{Key: "score", Label: "Score", Value: strconv.Itoa(c.Score)},
		{Key: "recommended", Label: "Recommended", Value: string(c.Recommended)},
		{Key: "why", Label: "Why", Value: cli.OrDash(c.Why.Text)},
		{Key: "opened_at", Label: "Opened", Value: cli.Stamp(&c.OpenedAt)},
		{Key: "id", Label: "ID", Value: c.ID},
	}
	for i := range c.Actions {
		one := &c.Actions[i]
		fields = append(fields, cli.Field{Key: "act", Label: "Act", Value: one.Kind + ", " + one.State + ", " + one.ID})
	}
	return env.Record(shownCase{"panelctl.abuse.case/v1", *c}, fields...)
}

func showCaseCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show <case>", Short: "Show a case and what was done about its user", Args: cobra.ExactArgs(1),
		Example: "panelctl abuse cases show 14 --json",
		Long: "Shows a case by its number or id, by GET /api/v1/abuse/cases/{id}. With --json also its evidence, its notes and what " +
			"each node did.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return withCase(cmd.Context(), env, args[0], func(*cli.Client, *cases.Case) error { return nil })
		},
	}
}

// withCase does something with a case and prints it as it is then.
func withCase(
	ctx context.Context, env cli.Env, name string, do func(client *cli.Client, c *cases.Case) error,
) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	id, err := found(ctx, client, name)
	if err != nil {
		return err
	}
	var one cases.Case
	if err := client.Get(ctx, casesPath+"/"+url.PathEscape(id), &one); err != nil {
		return err
	}
	if err := do(client, &one); err != nil {
		return err
	}
	return printCase(env, &one)
}

func turnCommand(env cli.Env, verb, state, short, long string) *cobra.Command {
	var note string
	command := &cobra.Command{
		Use: verb + " <case>", Short: short, Args: cobra.ExactArgs(1), Long: long,
		Example: "panelctl abuse cases " + verb + " 14 --note \"one household\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			return withCase(cmd.Context(), env, args[0], func(client *cli.Client, c *cases.Case) error {
				change := cases.Change{Revision: &c.Revision, State: &state}
				if note != "" {
					change.Note = &note
				}
				path := casesPath + "/" + c.ID
				*c = cases.Case{}
				return client.Do(cmd.Context(), http.MethodPatch, path, change, c)
			})
		},
	}
	command.Flags().StringVar(&note, "note", "", "why, for those who read it later")
	return command
}

func noteCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "note <case> <text>", Short: "Note something about a case", Args: cobra.ExactArgs(2), //nolint:mnd // case and text
		Example: "panelctl abuse cases note 14 \"asked the reseller\"",
		Long:    "Adds a note to a case, by POST /api/v1/abuse/cases/{id}/notes.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return withCase(cmd.Context(), env, args[0], func(client *cli.Client, c *cases.Case) error {
				path := casesPath + "/" + c.ID + "/notes"
				*c = cases.Case{}
				return client.Post(cmd.Context(), path, map[string]any{"text": args[1]}, c)
			})
		},
	}
}
