package operator

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"panel/modules"
	"panel/platform/app"
)

// toolVersion is what the command line of the scripts calls itself.
const toolVersion = "1.4.2"

// TestMain lets the scripts start this executable as panelctl.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"panelctl": func() { os.Exit(app.Main(toolVersion, modules.All(), os.Args[1:])) },
	})
}
