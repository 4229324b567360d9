package updates

import (
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes"
	"panel/platform/agentapi"
	"panel/platform/config"
	"panel/platform/paneltest"
	"panel/platform/release"
	"panel/platform/selfupdate"
)

// beside starts another panel on the same database, whose machine has no agents in its folder.
func (st *stage) beside() *paneltest.Panel {
	return paneltest.Start(st.t, paneltest.Modules(nodes.Module(), Module()), paneltest.On(st.panel.DB),
		paneltest.Env(map[string]string{
			nodes.AgentDir.Name: st.t.TempDir(), selfupdate.PublicKey.Name: st.key.Public(),
			config.AgentHeartbeat.Name: "3600",
		}))
}

// A build that was put on one panel's machine reaches agents through every panel, also when its file is gone.
func TestABuildOfOnePanelIsHandedOutByTheOther(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	a := st.server("aaa", "1.0.0")
	require.NoError(t, os.RemoveAll(st.folder))
	agent := st.beside().Bearer(a.Token)
	var offered agentapi.Update
	agent.Get(agentapi.PathUpdate).Is(http.StatusOK).JSON(&offered)
	require.Equal(t, newVersion, offered.Version)
	executable := agent.Get("/agent/v1/update/linux/amd64").Is(http.StatusOK).Body
	require.Equal(t, "the executable of "+newVersion, string(executable))
}

// The executable is also an asset that agents fetch by its digest; nobody else may, and nothing else is given.
func TestAgentsFetchABuildByItsDigest(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	a := st.server("aaa", "1.0.0")
	var sum string
	require.NoError(t, st.panel.DB.NewRaw("select sha256 from files").Scan(t.Context(), &sum))
	require.Equal(t, "the executable of "+newVersion, string(a.Get("/agent/v1/assets/"+sum).Is(http.StatusOK).Body))
	st.panel.Anonymous().Get("/agent/v1/assets/"+sum).Refused(http.StatusUnauthorized, "agent_token_invalid")
	st.panel.Admin().Get("/agent/v1/assets/"+sum).Refused(http.StatusUnauthorized, "agent_token_invalid")
	_, err := st.panel.DB.ExecContext(t.Context(), "delete from file_uses")
	require.NoError(t, err)
	a.Get("/agent/v1/assets/"+sum).Refused(http.StatusNotFound, "not_found")
	a.Get("/agent/v1/assets/..%2fmaster.key").Refused(http.StatusNotFound, "not_found")
}

// A release that came with a panel is offered by panels of that version, and by those that have it beside them; whoever
// went back to an earlier version offers it no more.
func TestTheReleaseOfAPanelGoesBackWithIt(t *testing.T) {
	t.Parallel()
	st := published(t)
	b := following(t, st, "")
	b.folders, b.own = []string{st.folder}, st.folder
	require.NoError(t, b.store(t.Context()))
	found, _ := b.newest(t.Context())
	require.Equal(t, newVersion, found.Version)
	require.NoError(t, os.RemoveAll(st.folder))
	require.NoError(t, b.store(t.Context()))
	found, why := b.newest(t.Context())
	require.Nil(t, found)
	require.Equal(t, noManifest, why)
}

// The two newest builds stay; what older ones had is free to go.
func TestOldBuildsAreForgotten(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	for _, version := range []string{"1.2.0", "1.3.0"} {
		st.publish(version)
		st.eventually(func() bool {
			return st.viewer().Get("/api/v1/nodes/agent-rings").Is(http.StatusOK).Text("build.version") == version
		})
	}
	var versions []string
	require.NoError(t, st.panel.DB.NewRaw("select version from agent_builds order by 1").Scan(t.Context(), &versions))
	require.Equal(t, []string{"1.2.0", "1.3.0"}, versions)
	var unused int
	require.NoError(
		t,
		st.panel.DB.NewRaw(`select count(*) from files f
			where not exists (select from file_uses u where u.sha256 = f.sha256)`).
			Scan(t.Context(), &unused),
	)
	require.Equal(t, 1, unused)
}

// An older release in a folder does not take the place of what all panels hand out already.
func TestAnOlderReleaseChangesNothing(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	older := &build{Manifest: release.Manifest{Version: "1.0.0"}, files: map[string]string{"linux/amd64": "x"}}
	b := following(t, st, "")
	require.NoError(
		t,
		b.put(
			t.Context(),
			&build{Manifest: release.Manifest{Version: newVersion}, text: []byte(`{"version":"` + newVersion + `"}`)},
		),
	)
	newer, err := b.outdated(t.Context(), older)
	require.NoError(t, err)
	require.False(t, newer)
}
