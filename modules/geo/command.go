package geo

import (
	"github.com/spf13/cobra"

	"panel/platform/cli"
)

func commands(cli.Env) []*cobra.Command { return nil }
