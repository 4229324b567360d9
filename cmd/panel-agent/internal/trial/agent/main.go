// Command agent is panel-agent with one more part and without three, for tests.
package main

import (
	"os"
	"slices"

	"panel/cmd/panel-agent/internal/part"
	"panel/cmd/panel-agent/internal/parts"
	"panel/cmd/panel-agent/internal/program"
	"panel/cmd/panel-agent/internal/trial"
)

func main() {
	// the trial holds the blocks, and has no part for drop_sessions
	// The trial holds the documents blocks and assets, and nothing here drops sessions.
	replaced := []string{"blocks", "assets", "abuse"}
	others := slices.DeleteFunc(parts.All(), func(p part.Part) bool { return slices.Contains(replaced, p.Name) })
	os.Exit(program.Main(program.Build{Version: "e2e", Parts: append(others, trial.Part)}))
}
