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

// speaking names the modules that this executable has as panelctl, of all others only their tables; unset: all.
const speaking = "SCRIPT_MODULES"

func spoken() []module.Module {
	all := modules.All()
	if only, limited := os.LookupEnv(speaking); limited {
		for i := range all {
			if !slices.Contains(strings.Fields(only), all[i].Name) {
				all[i] = module.Module{Name: all[i].Name, Summary: all[i].Summary, Migrations: all[i].Migrations}
			}
		}
	}
	return all
}

// TestMain lets the scripts start this executable as panelctl.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"panelctl": func() { os.Exit(app.Main(toolVersion, spoken, os.Args[1:])) },
	})
}
