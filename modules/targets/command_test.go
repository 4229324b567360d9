package targets

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/paneltest"
)

func (s *stage) command(line string) paneltest.Said {
	s.t.Helper()
	return s.admin.Command(features(), line)
}

// cells are those of the only line that a command has printed.
func cells(t *testing.T, said paneltest.Said) []string {
	t.Helper()
	require.Zero(t, said.Exit, said.Err)
	lines := strings.Split(strings.TrimSpace(said.Out), "\n")
	require.Len(t, lines, 1, said.Out)
	return strings.Split(lines[0], "\t")
}

// A search is started from a node by its name, followed, shown with reasons and cancelled by commands.
func TestCommandsSearchForTargets(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	started := cells(t, s.command("targets search FRA-01 www.example.org www.example.net:8443 --plain"))
	id := started[6]
	require.Equal(t, []string{"fra-01", modeHosts, stateRunning, "0/2", "0"}, started[:5])
	_, args := s.order(id, false)
	require.Equal(t, []agentapi.ScanTarget{
		{Host: "www.example.org", Port: 443}, {Host: "www.example.net", Port: 8443},
	}, args.Targets)
	s.deliver(finding(id, 0), finding(id, 1, func(f *agentapi.TargetFinding) { f.TLSVersion = "1.2" })).Is(200)

	shown := s.command("targets show " + id + " --plain")
	require.Zero(t, shown.Exit, shown.Err)
	lines := strings.Split(strings.TrimSpace(shown.Out), "\n")
	require.Len(t, lines, 2)
	best, worst := strings.Split(lines[0], "\t"), strings.Split(lines[1], "\t")
	require.Equal(t, []string{"www.example.org:443", "www.example.org", "suitable", "95", "20ms"}, best[:5])
	require.Equal(t, "unsuitable", worst[2])
	require.True(t, strings.HasPrefix(worst[5], "no_tls13; h2; "), "a script gets the codes of reasons: %s", worst[5])

	require.Equal(t, stateCancelled, cells(t, s.command("targets cancel "+id+" --plain"))[2])
	s.order(id, true)
	require.Equal(t, id, cells(t, s.command("targets list --plain"))[6])
}

// One target is checked for the name that its clients will ask for.
func TestCommandsCheckOneTarget(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := cells(t, s.command("targets check fra-01 93.184.216.34:443 --sni www.example.org --plain"))[6]
	_, args := s.order(id, false)
	require.Equal(t, []agentapi.ScanTarget{{Host: "93.184.216.34", Port: 443, ServerName: "www.example.org"}}, args.Targets)
}

// Rule: private ranges are always refused; so is what no agent could try, with the reason and before anything starts.
func TestCommandsRefuseWhatMayNotBeSearched(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for line, exit := range map[string]int{
		"targets search nobody www.example.org":                   1,
		"targets search":                                          2,
		"targets search fra-01":                                   1,
		"targets search fra-01 10.0.0.1":                          1,
		"targets search fra-01 www.example.org --mode nonsense":   1,
		"targets search fra-01 192.168.0.0/24 --mode cidr":        1,
		"targets search fra-01 93.184.216.0/23 --mode cidr":       1,
		"targets search fra-01 www.example.org --port 70000":      1,
		"targets check fra-01 127.0.0.1:443":                      1,
		"targets check fra-01":                                    2,
		"targets show " + database.NewID():                        1,
		"targets cancel " + database.NewID():                      1,
		"targets show nonsense":                                   1,
		"targets check fra-01 www.example.org --sni not_a_name!?": 1,
	} {
		said := s.command(line)
		require.Equal(t, exit, said.Exit, "%s: %s", line, said.Err)
		require.NotEmpty(t, said.Err, line)
	}
	require.EqualValues(t, 0, s.admin.Get(path).Is(200).Value("total"))
}

// Rule: a result is valid for 24 hours; later it is shown as one that counts no more.
func TestAResultCountsForADay(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.search("www.example.org")
	s.deliver(finding(id, 0)).Is(200)
	s.finish(id, agentapi.CodeDone, agentapi.ScanTargetsData{Scanned: 1})
	s.ends(id, stateDone)
	fresh := func() bool {
		var page struct{ Items []Result }
		s.admin.Get(path + "/" + id + "/results").Is(200).JSON(&page)
		return page.Items[0].Fresh
	}
	require.True(t, fresh())
	for age, counts := range map[time.Duration]bool{validFor - time.Hour: true, validFor + time.Second: false} {
		_, err := s.DB.ExecContext(t.Context(), "update target_results set valid_until = ? where search_id = ?",
			time.Now().Add(validFor-age), id)
		require.NoError(t, err)
		require.Equal(t, counts, fresh(), "%s later", age)
	}
}
