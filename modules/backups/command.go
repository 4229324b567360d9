package backups

import (
	"github.com/spf13/cobra"

	"panel/modules/backups/internal/console"
	"panel/platform/cli"
	"panel/platform/config"
)

// commands are what this module adds to panelctl.
func commands(env cli.Env) []*cobra.Command {
	return console.Commands(env, console.Settings{Folder: folderKey, Messenger: config.MessengerAPIRoot})
}
