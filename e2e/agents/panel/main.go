// Command panel is panelctl with one more module, for tests of agents.
package main

import (
	"os"

	"panel/e2e/agents/trial"
	"panel/modules"
	"panel/platform/app"
)

func main() { os.Exit(app.Main("e2e", append(modules.All(), trial.Module()), os.Args[1:])) }
