package specimen

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// The command lists in each form; only the table speaks the language of whoever reads it.
func TestTheCommandListsItems(t *testing.T) {
	t.Parallel()
	admin, features := paneltest.New(t, Module()).Admin(), []module.Module{Module()}
	for _, name := range []string{"second", "first"} {
		admin.Post(path, fields{"name": name, "comment": "of " + name}).Is(http.StatusCreated)
	}
	plain := admin.Command(features, "specimen list --plain")
	require.Equal(t, cli.ExitDone, plain.Exit, plain.Err)
	lines := strings.Split(plain.Out, "\n")
	require.Regexp(t, "^first\t[^\t]+\tof first$", lines[0])
	require.Regexp(t, "^second\t[^\t]+\tof second$", lines[1])

	require.Contains(t, admin.Command(features, "specimen list --table").Out, "LOOKED AT")
	require.Contains(t, admin.Command(features, "specimen list --table", "PANEL_LANG", "ru").Out, "ПРОВЕРЕНА")

	var document listing
	require.NoError(t, json.Unmarshal([]byte(admin.Command(features, "specimen list --json").Out), &document))
	require.Equal(t, "panelctl.specimen/v1", document.Schema)
	require.Len(t, document.Items, 2)
}

func TestTheCommandEndsWithTheExitCodeOfARefusal(t *testing.T) {
	t.Parallel()
	p, features := paneltest.New(t, Module()), []module.Module{Module()}
	require.Equal(t, cli.ExitNotAllowed, p.As().Command(features, "specimen list").Exit)
	require.Equal(t, cli.ExitUsage, p.Admin().Command(features, "specimen list more").Exit)
	away := p.Admin().Command(features, "specimen list", "PANEL_API_URL", "http://127.0.0.1:1")
	require.Equal(t, cli.ExitUnreachable, away.Exit)
}
