package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"panel/platform/cli/envfile"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
)

func (env *Env) doctorCommand() *cobra.Command {
	var strict bool
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Find out what is wrong with this panel and what to do",
		Long:    "Checks services, database, disk, network, DNS, TLS and connected components. A failed check does not stop the others; the last result is saved in the data directory. Run it on the panel server.",
		Example: "panelctl doctor\npanelctl doctor --json --strict",
		Args:    env.noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return env.doctor(cmd.Context(), strict) },
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "treat warnings as a negative answer")
	return cmd
}

func (env *Env) doctor(ctx context.Context, strict bool) error {
	world := env.world()
	report := doctor.Run(ctx, world, append(env.platformChecks, env.Checks...))
	if ctx.Err() != nil {
		return fmt.Errorf("run the diagnosis: %w", ctx.Err())
	}
	if err := env.printReport(report, env.keep(report, checks.DataDir(world))); err != nil {
		return err
	}
	summary := report.Summary()
	if summary[doctor.Failed] > 0 || (strict && summary[doctor.Warning] > 0) {
		return &Failure{Exit: ExitFailed}
	}
	return nil
}

// world is the environment of this process completed by the file of settings that the service would have loaded.
func (env *Env) world() doctor.Env {
	world := doctor.Env{Getenv: env.Getenv, Now: time.Now}
	found := envfile.Find(append(envfile.Places(env.Getenv("HOME")), "/etc/panel/panel.env"), "PANEL_DB_URL")
	if found == nil || env.isolated {
		return world
	}
	world.File, world.FileErr = found.Path, found.Err
	world.Getenv = func(name string) string { return firstOf(env.Getenv(name), found.Values[name]) }
	return world
}

// keep saves the last diagnosis and answers where; where that is not possible, the report itself says why.
func (env *Env) keep(report doctor.Report, dataDir string) string {
	if env.isolated {
		return ""
	}
	path := filepath.Join(dataDir, "doctor", "last.json")
	content, err := json.MarshalIndent(documentOf(report), "", "  ")
	if err != nil || os.MkdirAll(filepath.Dir(path), 0o700) != nil || os.WriteFile(path, content, 0o600) != nil {
		return ""
	}
	return path
}
