package geo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/module"
	"panel/platform/testneed/geofiles"
)

// "`panelctl geo`": a geo file lives from the command line alone, and what is not there is said by its name.
func TestAFileLivesFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	run := func(line string) string {
		t.Helper()
		said := s.admin.Command([]module.Module{Module()}, line+" --plain")
		require.Equal(t, cli.ExitDone, said.Exit, "%s: %s", line, said.Err)
		return said.Out
	}
	first := s.origin.publish("own.dat", geofiles.File(geofiles.Site("ads", "ads.example"), geofiles.Site("old", "o.example")))
	run("geo add custom --name own.dat --source " + s.origin.URL + "/own.dat --checksum " + s.origin.URL +
		"/own.dat.sha256sum --update")
	id := s.admin.Get(assetsPath).Value("items").([]any)[0].(map[string]any)["id"].(string)
	s.until(id, inState(stateCurrent))
	require.Equal(t, "own.dat\tcurrent\t-\t"+first[:12]+"\t2\t0/0\n", run("geo list"))
	require.Equal(t, run("geo show own.dat"), run("geo show "+id), "by its name and by its id")
	require.Equal(t, "ads\t1\t0\n", run("geo categories own.dat --query AD"))
	require.Equal(t, "own.dat\tads\tdomain\tads.example\t0\n", run("geo lookup www.ads.example"))
	require.Equal(t, "own.dat:ads\t-\t-\nown.dat:adds\tgeo_category_missing\town.dat:ads, own.dat:old\n",
		run("geo validate own.dat:ads own.dat:adds"))
	require.Contains(t, run("geo pin own.dat"), "own.dat")
	require.True(t, s.asset(id).Pinned)
	run("geo pin own.dat --off")
	require.False(t, s.asset(id).Pinned)

	second := s.origin.publish("own.dat", geofiles.File(geofiles.Site("ads", "ads.example", "b.example"),
		geofiles.Site("new", "n.example")))
	run("geo update own.dat --no-distribute")
	s.until(id, inState(stateReady))
	require.Equal(t, "new\t+\t\nold\t\t-\nads\t+1\t-0\n", run("geo changes own.dat"))
	run("geo distribute own.dat")
	require.Equal(t, second, s.until(id, inState(stateCurrent)).Version.SHA256)
	run("geo rollback own.dat")
	require.Equal(t, first, s.until(id, inState(stateReady)).Version.SHA256)

	missing := s.admin.Command([]module.Module{Module()}, "geo show nothing.dat")
	require.Equal(t, cli.ExitFailed, missing.Exit)
	require.Contains(t, missing.Err, "nothing.dat")
}
