package operator

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"panel/modules"
	"panel/platform/app"
	"panel/platform/module"
)

// toolVersion is what the command line of the scripts calls itself.
const toolVersion = "1.4.2"

// speaking names the modules whose commands and checks this executable has as panelctl; unset: all.
const speaking = "SCRIPT_MODULES"

func spoken() []module.Module {
	all := modules.All()
	if only, limited := os.LookupEnv(speaking); limited {
		for i := range all {
			if !slices.Contains(strings.Fields(only), all[i].Name) {
				all[i].Commands, all[i].Checks = nil, nil
			}
		}
	}
	return all
}

// TestMain lets the scripts start this executable as panelctl.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"panelctl": func() { os.Exit(app.Main(toolVersion, spoken(), os.Args[1:])) },
	})
}
