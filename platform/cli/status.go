package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// statusDocument is what `panelctl status --json` prints.
type statusDocument struct {
	Schema        string `json:"schema"`
	Status        string `json:"status"`
	Version       string `json:"version"`
	Database      string `json:"database"`
	SetupDone     bool   `json:"setup_done"`
	Uptime        string `json:"uptime"`
	UptimeSeconds int64  `json:"uptime_seconds"`
}

func (env *Env) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Short:   "Show whether the panel runs; a negative answer is exit code 1",
		Long:    "Asks GET /api/v1/system/status and prints status, version, database, set-up and uptime. Every status but running ends with exit code 1.",
		Example: "panelctl status\npanelctl status --json --api https://panel.example.org",
		Args:    env.noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return env.status(cmd.Context()) },
	}
}

func (env *Env) status(ctx context.Context) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	var document statusDocument
	if err := client.Get(ctx, "/api/v1/system/status", &document); err != nil {
		return err
	}
	document.Schema = "panelctl.status/v1"
	if err := env.Record(document, statusFields(document)...); err != nil {
		return err
	}
	if document.Status != "running" {
		return &Failure{Exit: ExitFailed}
	}
	return nil
}

func statusFields(d statusDocument) []Field {
	mood := Bad
	if d.Status == "running" {
		mood = Good
	}
	return []Field{
		{Key: "status", Label: "Status", Value: d.Status, Mood: mood},
		{Key: "version", Label: "Version", Value: d.Version},
		{Key: "database", Label: "Database", Value: d.Database},
		{Key: "setup_done", Label: "Setup done", Value: fmt.Sprint(d.SetupDone), Shown: doneText(d.SetupDone)},
		{Key: "uptime", Label: "Uptime", Value: d.Uptime, Shown: Span(time.Duration(d.UptimeSeconds) * time.Second)},
	}
}

func doneText(done bool) Message {
	if done {
		return Say("yes|setup")
	}
	return Say("no|setup")
}

// Span tells a duration with its three largest units, such as "12d 4h 31m".
func Span(d time.Duration) Message {
	days, hours, minutes := int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60
	switch {
	case days > 0:
		return Say("%dd %dh %dm", days, hours, minutes)
	case hours > 0:
		return Say("%dh %dm", hours, minutes)
	case minutes > 0:
		return Say("%dm %ds", minutes, int(d.Seconds())%60)
	}
	return Say("%ds", int(d.Seconds()))
}
