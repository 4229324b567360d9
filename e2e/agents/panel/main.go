// Command panel is panelctl with one more module, for tests of agents.
package main

import (
	"os"

	"panel/e2e/agents/trial"
	"panel/modules"
	"panel/platform/app"
	"panel/platform/module"
)

func main() { os.Exit(app.Main("e2e", features, os.Args[1:])) }

func features() []module.Module { return append(modules.All(), trial.Module()) }
