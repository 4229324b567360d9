// Package program is the command line of the agent.
package program

import (
	"github.com/spf13/cobra"

	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/part"
)

// Build is what one executable of the agent is made of.
type Build struct {
	Version    string
	UpdateKeys string // keys that updates are checked with; empty: those that the panel shows at enrolment
	Parts      []part.Part
}

// Main runs the command line of this process and returns its exit code.
func Main(b Build) int {
	if err := root(b).Execute(); err != nil {
		return core.Fail(err)
	}
	return 0
}

func root(b Build) *cobra.Command {
	cmd := &cobra.Command{
		Use: "panel-agent", Short: "The agent of Panel on a server", Version: b.Version,
		SilenceUsage: true, SilenceErrors: true,
	}
	cmd.AddCommand(
		runCommand(b), enrollCommand(b), stopCommand(), versionCommand(b), coreCommand(), fetchCommand(),
		simulateCommand(b),
	)
	return cmd
}

func versionCommand(b Build) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Show the version of the agent and of its core", Args: cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			cmd.Printf("panel-agent %s\n%s %s\n", b.Version, core.Kind, core.Version())
		},
	}
}

// dataFlag names the agent's folder; --config is an older word for it.
func dataFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "data", "/var/lib/panel-agent",
		"folder of the agent's identity, configuration and buffer")
	cmd.Flags().StringVar(dir, "config", "/var/lib/panel-agent", "the same as --data")
	_ = cmd.Flags().MarkHidden("config")
}
