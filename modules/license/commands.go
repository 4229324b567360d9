package license

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"panel/platform/cli"
	"panel/platform/entitlement"
)

type tool struct{ env cli.Env }

func commands(env cli.Env) []*cobra.Command {
	t := tool{env}
	group := &cobra.Command{Use: "license", Short: "Show, activate, refresh and remove the license"}
	group.AddCommand(
		&cobra.Command{
			Use: "status", Aliases: []string{"info"}, Short: "Show the license; a read-only panel is exit code 1",
			Args:    cobra.NoArgs,
			Long:    "Asks GET /api/v1/license/status and prints state, plan, validity, grace period, last check and features. The key is masked.",
			Example: "panelctl license status\npanelctl license info --json",
			RunE:    func(cmd *cobra.Command, _ []string) error { return t.status(cmd.Context()) },
		},
		&cobra.Command{
			Use: "activate <key>", Short: "Activate a license; it replaces the current one", Args: cobra.ExactArgs(1),
			Long:    "Calls POST /api/v1/license/activate. In place of a key the text of an offline document may stand.",
			Example: "panelctl license activate PNL-XXXX-XXXX-XXXX",
			RunE:    func(cmd *cobra.Command, args []string) error { return t.activate(cmd.Context(), args[0]) },
		},
		&cobra.Command{
			Use: "refresh", Short: "Check the license now", Args: cobra.NoArgs,
			Long:    "Calls POST /api/v1/license/refresh. A license server that does not answer begins the grace period.",
			Example: "panelctl license refresh",
			RunE:    func(cmd *cobra.Command, _ []string) error { return t.act(cmd.Context(), "refresh", nil) },
		},
		&cobra.Command{
			Use: "remove", Short: "Remove the license; the panel becomes read-only", Args: cobra.NoArgs,
			Long:    "Calls POST /api/v1/license/remove. Traffic on nodes goes on.",
			Example: "panelctl license remove --yes",
			RunE:    func(cmd *cobra.Command, _ []string) error { return t.remove(cmd.Context()) },
		},
	)
	return []*cobra.Command{group}
}

// document is what the commands print with --json: the API's body and the schema.
type document struct {
	Schema string `json:"schema"`
	Status
}

func (t tool) status(ctx context.Context) error {
	client, err := t.env.Client()
	if err != nil {
		return err
	}
	var d document
	if err := client.Get(ctx, "/api/v1/license/status", &d); err != nil {
		return err
	}
	return t.print(d)
}

func (t tool) activate(ctx context.Context, secret string) error {
	t.env.Note(cli.Say("a license key on the command line can be seen by other users of this machine"))
	return t.act(ctx, "activate", map[string]string{"license_key": secret})
}

func (t tool) act(ctx context.Context, what string, body any) error {
	d, err := t.post(ctx, what, body)
	if err != nil {
		return err
	}
	return t.print(d)
}

func (t tool) post(ctx context.Context, what string, body any) (d document, err error) {
	client, err := t.env.Client()
	if err != nil {
		return d, err
	}
	return d, client.Post(ctx, "/api/v1/license/"+what, body, &d)
}

// remove is done when the panel is read-only, so that state is no failure here.
func (t tool) remove(ctx context.Context) error {
	if err := t.confirm(); err != nil {
		return err
	}
	d, err := t.post(ctx, "remove", nil)
	if err != nil {
		return err
	}
	return t.record(d)
}

const word = "REMOVE"

func (t tool) confirm() error {
	return t.env.Confirm(
		cli.Say("Without a license the panel is read-only. Traffic on nodes goes on."),
		cli.Say("Type %s to go on:", word),
		word,
	)
}

func (t tool) print(d document) error {
	if err := t.record(d); err != nil {
		return err
	}
	if d.ReadOnly {
		return &cli.Failure{Exit: cli.ExitFailed}
	}
	return nil
}

func (t tool) record(d document) error {
	d.Schema = "panelctl.license/v1"
	if d.Unconfirmed {
		t.env.Note(cli.Say("another panel on this database has not confirmed the change in time; " +
			"it may answer by the former license until it hears of the change"))
	}
	return t.env.Record(d, fields(d.Status, time.Now())...) //nolint:forbidigo // "in 101 days" is said to a person, now
}

func fields(s Status, now time.Time) []cli.Field {
	return []cli.Field{
		{Key: "state", Label: "State", Value: s.State, Shown: stateText(s, now), Mood: moodOf(s.State)},
		{Key: "reason", Label: "Reason", Value: s.Reason},
		{Key: "plan", Label: "Plan", Value: orDash(s.Plan)},
		{Key: "valid_until", Label: "Valid until", Value: stampOf(s.ValidUntil), Shown: untilText(s.ValidUntil, now)},
		{Key: "grace_until", Label: "Grace until", Value: stampOf(s.GraceUntil), Shown: momentText(s.GraceUntil)},
		{Key: "last_check", Label: "Last check", Value: checkOf(s.LastCheck), Shown: checkText(s.LastCheck)},
		{Key: "enabled", Label: "Enabled", Value: listOf(s.Features.Enabled), Shown: featuresText(s.Features.Enabled)},
		{Key: "blocked", Label: "Blocked", Value: listOf(s.Features.Blocked), Shown: featuresText(s.Features.Blocked)},
		{Key: "key", Label: "Key", Value: orDash(s.KeyMasked)},
	}
}

func moodOf(state string) cli.Mood {
	switch state {
	case entitlement.Active:
		return cli.Good
	case entitlement.Grace:
		return cli.Careful
	}
	return cli.Bad
}

// stateText keeps the state's word in every language.
func stateText(s Status, now time.Time) cli.Message {
	if s.GraceUntil == nil {
		return cli.Plain(s.State)
	}
	return cli.Say("%s (%d h left)", s.State, int(s.GraceUntil.Sub(now).Hours()))
}

func untilText(until *time.Time, now time.Time) cli.Message {
	if until == nil {
		return cli.Plain("-")
	}
	days := int(until.Sub(now).Hours()) / 24
	if until.Before(now) {
		return cli.Say("%s (over)", cli.Day(*until))
	}
	return cli.Say("%s (in %d days)", cli.Day(*until), days)
}

func checkText(c *LastCheck) cli.Message {
	switch {
	case c == nil:
		return cli.Plain("-")
	case c.OK && c.Error != nil:
		return cli.Say("%s refused: %s", cli.Moment(c.At), *c.Error)
	case c.OK:
		return cli.Say("%s", cli.Moment(c.At))
	}
	return cli.Say("%s failed: %s", cli.Moment(c.At), orDash(c.Error))
}

func momentText(t *time.Time) cli.Message {
	if t == nil {
		return cli.Plain("-")
	}
	return cli.Say("%s", cli.Moment(*t))
}

// featuresText names features as people call them, where their language has a word.
func featuresText(features []string) cli.Message {
	if len(features) == 0 {
		return cli.Plain("-")
	}
	text := cli.English(features[0])
	for _, feature := range features[1:] {
		text = cli.Say("%s, %s", text, cli.English(feature))
	}
	return text
}

func checkOf(c *LastCheck) string {
	switch {
	case c == nil:
		return "-"
	case c.Error != nil:
		return stampOf(&c.At) + " " + *c.Error
	}
	return stampOf(&c.At)
}

func stampOf(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Format(time.RFC3339)
}

func orDash(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}

func listOf(words []string) string {
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, ", ")
}
