package cli

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/spf13/cobra"
)

// versionDocument is what `panelctl version --json` prints; panel is null while the panel does not answer.
type versionDocument struct {
	Schema string  `json:"schema"`
	CLI    string  `json:"cli"`
	Panel  *string `json:"panel"`
}

func (env *Env) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Aliases: []string{"v"},

		Annotations: map[string]string{standsAlone: "true"},

		Short:   "Show the version of panelctl and of the running panel",
		Long:    "Prints the build version of this tool and, by a live call of GET /health, the version of the running panel. No token is needed. While the panel is down the exit code is 3.",
		Example: "panelctl version\npanelctl v --plain",
		Args:    env.noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return env.version(cmd.Context()) },
	}
}

func (env *Env) version(ctx context.Context) error {
	running, asked := env.runningVersion(ctx)
	document := versionDocument{Schema: "panelctl.version/v1", CLI: env.Version, Panel: running}
	fields := []Field{{Key: "cli", Label: "panelctl", Value: env.Version}}
	if running != nil {
		fields = append(fields, Field{Key: "panel", Label: "panel", Value: *running})
	}
	if err := env.Record(document, fields...); err != nil {
		return err
	}
	return asked
}

// runningVersion also believes an unhealthy panel: its health document carries the version too.
func (env *Env) runningVersion(ctx context.Context) (*string, error) {
	client, err := env.Client()
	if err != nil {
		return nil, err
	}
	status, answer, err := client.exchange(ctx, http.MethodGet, "/health", nil)
	if err != nil {
		return nil, err
	}
	var health struct {
		Version string `json:"version"`
	}
	if json.Unmarshal(answer, &health) == nil && health.Version != "" {
		return &health.Version, nil
	}
	if status >= http.StatusMultipleChoices {
		return nil, client.refusal(status, answer)
	}
	return nil, client.stranger()
}
