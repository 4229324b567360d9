package app_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules"
	"panel/platform/app"
	"panel/platform/paneltest"
)

// docs/reference/automatic.md tells operators, and whoever reviews a change, what happens by itself and what becomes of
// it while the panel is read-only or the feature is not in the plan. What looks, tells, tidies or ends something goes
// on; what acts on nodes, on other systems or for money stops and says so.
func TestWhatHappensByItselfIsWrittenDown(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/reference/automatic.md")
	require.NoError(t, err)
	var written, declared, listed, acts []string
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.ReplaceAll(line, "`", ""), "|\n "), " | ")
		if len(cells) == 6 && strings.Contains(cells[0], ".") {
			listed = append(listed, cells[0])
		}
		if cells[0] == "listener" || cells[0] == "schedule" {
			written = append(written, strings.Join([]string{cells[1], cells[len(cells)-2], cells[len(cells)-1]}, ": "))
		}
	}
	panel := paneltest.New(t, modules.All()...).App
	for _, l := range panel.Listeners() {
		declared = append(declared, strings.Join([]string{l.Name, string(l.ReadOnly), string(l.Blocked)}, ": "))
	}
	for _, s := range panel.Schedules() {
		declared = append(declared, strings.Join([]string{s.Name, string(s.ReadOnly), string(s.Blocked)}, ": "))
	}
	for _, a := range app.Acts(modules.All()) {
		acts = append(acts, a.Name)
	}
	require.Equal(t, acts, listed, "make generate writes the list of automatic acts anew")
	require.Equal(t, declared, written, "make generate writes the page anew; read what it changes")
}
