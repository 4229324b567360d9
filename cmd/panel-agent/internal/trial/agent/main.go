// Command agent is panel-agent with one more part, for tests.
package main

import (
	"os"

	"panel/cmd/panel-agent/internal/parts"
	"panel/cmd/panel-agent/internal/program"
	"panel/cmd/panel-agent/internal/trial"
)

func main() {
	os.Exit(program.Main(program.Build{Version: "e2e", Parts: append(parts.All(), trial.Part)}))
}
