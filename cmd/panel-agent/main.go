// Command panel-agent runs on every server: it dials out to the panel, keeps the proxy core serving and reports.
package main

import (
	"os"

	"panel/cmd/panel-agent/internal/parts"
	"panel/cmd/panel-agent/internal/program"
)

// Both are set when the executable is built. Without keys of its own an agent keeps those that its panel shows at
// enrolment.
var (
	version    = "dev"
	updateKeys = ""
)

func main() {
	os.Exit(program.Main(program.Build{Version: version, UpdateKeys: updateKeys, Parts: parts.All()}))
}
