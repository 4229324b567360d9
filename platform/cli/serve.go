package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

func (env *Env) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "serve",
		Short:   "Run the panel: migrations, API and web interface",
		Long:    "Loads the configuration from PANEL_ variables, connects to the database, applies migrations and serves the API and the web interface until SIGINT or SIGTERM.",
		Example: "panelctl serve\nPANEL_PORT=9090 PANEL_DATA_DIR=./data panelctl serve",
		Args:    env.noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return env.serve(cmd.Context()) },
	}
}

// serve ends with success when a signal asked it to end.
func (env *Env) serve(ctx context.Context) error {
	err := env.Serve(ctx)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil
	}
	return err
}

func (env *Env) noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return Usage(Say("%s takes no arguments", cmd.CommandPath())).Advise(helpOf(cmd))
}
