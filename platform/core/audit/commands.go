package audit

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"panel/platform/audit"
	"panel/platform/cli"
)

func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "audit", Short: "The journal: prove that nobody changed it"}
	group.AddCommand(&cobra.Command{
		Use:   "verify",
		Short: "Prove the journal; one that was changed or is not proven is exit code 1",
		Long: "Asks GET /api/v1/audit/verify and names every entry that was edited, removed, swapped, cut off, rewritten or inserted, " +
			"and what nobody can prove. The state is intact, unproven or broken. Entries of an earlier version are unproven too; they alone are exit code 0. " +
			"Where the journal continues after a restore, the entry at which the backup ended is named; what came after it is not missed.",
		Example: "panelctl audit verify\npanelctl audit verify --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return verify(cmd.Context(), env) },
	})
	return []*cobra.Command{group}
}

type verifyDocument struct {
	Schema string `json:"schema"`
	audit.Report
}

func verify(ctx context.Context, env cli.Env) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	document := verifyDocument{}
	if err := client.Get(ctx, "/api/v1/audit/verify", &document); err != nil {
		return err
	}
	document.Schema = "panelctl.audit/v1"
	if err := env.Record(document, fields(document.Report)...); err != nil {
		return err
	}
	if document.State == audit.Broken || !document.Complete || !earlierOnly(document.Report) {
		return &cli.Failure{Exit: cli.ExitFailed}
	}
	return nil
}

var moods = map[string]cli.Mood{audit.Intact: cli.Good, audit.Unproven: cli.Careful, audit.Broken: cli.Bad}

func fields(r audit.Report) []cli.Field {
	list := []cli.Field{
		{Key: "state", Label: "Journal", Value: r.State, Shown: stateWord(r.State), Mood: moods[r.State]},
		{Key: "intact", Label: "Intact", Value: fmt.Sprint(r.Intact), Shown: yesOrNo(r.Intact)},
		{Key: "complete", Label: "Complete", Value: fmt.Sprint(r.Complete), Shown: yesOrNo(r.Complete)},
		{Key: "entries", Label: "Entries", Value: fmt.Sprint(r.Checked)},
		{Key: "heads", Label: "Heads compared", Value: fmt.Sprint(r.Heads)},
	}
	for _, c := range r.Continued {
		list = append(list, cli.Field{
			Key: "continued", Label: "Continued", Value: fmt.Sprint(c.After),
			Shown: cli.Say("after a restore at entry %d", c.After),
		})
	}
	for _, f := range r.Findings {
		list = append(list, cli.Field{Key: f.Kind, Label: f.Kind, Value: fmt.Sprintf("%d-%d %s %s", f.Seq, f.LastSeq,
			f.EntryID, f.Detail), Mood: moods[f.Verdict]})
	}
	return list
}

func stateWord(state string) cli.Message {
	switch state {
	case audit.Intact:
		return cli.Say("intact")
	case audit.Unproven:
		return cli.Say("unproven")
	}
	return cli.Say("changed by somebody")
}

func yesOrNo(yes bool) cli.Message {
	if yes {
		return cli.Say("yes")
	}
	return cli.Say("no")
}
