package backups

import (
	"github.com/spf13/cobra"

	"panel/platform/config"

	"panel/modules/backups/internal/console"
	"panel/platform/cli"
)

// commandRussian translates what the commands say.
var commandRussian = console.Russian

// commands are what this module adds to panelctl.
func commands(env cli.Env) []*cobra.Command {
	return console.Commands(env, console.Settings{Folder: folderKey, Messenger: config.MessengerAPIRoot})
}
