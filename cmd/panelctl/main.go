// Command panelctl is the panel and its command line in one executable.
package main

import (
	"os"

	"panel/modules"
	"panel/platform/app"
)

var version = "dev"

func main() { os.Exit(app.Main(version, modules.All, os.Args[1:])) }
