// Command panel-agent runs on every server: it dials out to the panel, keeps the proxy core serving and reports.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"panel/cmd/panel-agent/internal/core"
)

// Both are set when the executable is built. Without keys of its own an agent keeps those that its panel shows at enrolment.
var (
	version    = "dev"
	updateKeys = ""
)

func main() {
	if err := root().Execute(); err != nil {
		os.Exit(core.Fail(err))
	}
}

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use: "panel-agent", Short: "The agent of Panel on a server", Version: version,
		SilenceUsage: true, SilenceErrors: true,
	}
	cmd.AddCommand(runCommand(), enrollCommand(), stopCommand(), versionCommand(), coreCommand(), fetchCommand(), simulateCommand())
	return cmd
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Show the version of the agent and of its core", Args: cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			cmd.Printf("panel-agent %s\n%s %s\n", version, core.Kind, core.Version())
		},
	}
}

// dataFlag names the agent's folder; --config is an older word for it.
func dataFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "data", "/var/lib/panel-agent", "folder of the agent's identity, configuration and buffer")
	cmd.Flags().StringVar(dir, "config", "/var/lib/panel-agent", "the same as --data")
	_ = cmd.Flags().MarkHidden("config")
}
