package pools

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/platform/agentapi"
	"panel/platform/database/dbtest"
	"panel/platform/doctor"
	"panel/platform/events"
)

func (w *world) doctor() doctor.Finding {
	w.t.Helper()
	return asked(w.t, w.panel.DB.Pool.Config().ConnString())
}

func asked(t *testing.T, dsn string) doctor.Finding {
	t.Helper()
	return check().Run(t.Context(), doctor.Env{
		Now:    time.Now,
		Getenv: func(name string) string { return map[string]string{"PANEL_DB_URL": dsn}[name] },
	})
}

// Doctor tells pools that are short of members from those whose fallback carries the traffic, and is content with the
// rest; the metric counts the same.
func TestDoctorLooksAtPools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, doctor.OK, w.doctor().Status)
	p := w.pool("Europe", "min_healthy", 2)
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	at := w.panel.Clock.Now()
	w.report(serves(p, agentapi.PoolServesMembers, 3, agentapi.PoolReasonStarted, at))
	found := w.doctor()
	require.Equal(t, doctor.OK, found.Status)
	require.Equal(t, map[string]any{"pools": 1, "on_fallback": 0, "below_minimum": 0}, found.Data)

	w.report(serves(p, agentapi.PoolServesMembers, 1, "member_down", at.Add(time.Second)))
	found = w.doctor()
	require.Equal(t, doctor.Warning, found.Status)
	require.Equal(t, map[string]any{"pools": 1, "on_fallback": 0, "below_minimum": 1}, found.Data)
	require.Equal(t, "пулов, где слишком мало доступных участников: 1 из 1", found.Found.In(doctor.Russian))

	w.report(serves(p, agentapi.PoolServesFallback, 0, "member_down", at.Add(2*time.Second)))
	require.Equal(t, doctor.Failed, w.doctor().Status)
	require.Contains(t, w.panel.Scrape(), "panel_pools_on_fallback 1\n")
}

// Doctor works while there is no database, and on one that this module has not migrated yet.
func TestDoctorSkipsPoolsThatItCannotSee(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{"postgres://panel@127.0.0.1:1/panel", dbtest.Empty(t)} {
		require.Equal(t, doctor.Skipped, asked(t, dsn).Status)
	}
}

// When another version of a flow is installed that is a member of a pool, the flows in front of it that run are
// installed anew, and no others: where to the traffic goes on may have changed.
func TestFlowsInFrontFollowAnotherVersionOfAMember(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.plain("Other")
	p := w.pool("Flows", "members", inFlows(other))
	runs, drawn, apart := w.flow("Runs", p.ID), w.flow("Drawn", p.ID), w.flow("Apart", w.pool("Nodes").ID)
	for _, flow := range []string{other, runs, apart} {
		w.install(flow)
	}
	require.NoError(t, w.panel.Bus().Emit(t.Context(), events.Event{
		Kind: flowsapi.EventApplySucceeded, SubjectID: other, At: w.panel.Clock.Now(), Data: flowsapi.ApplyNews{Name: "Other"},
	}))
	require.Eventually(t, func() bool { return w.rerendered(runs) == 1 }, within, every)
	require.Zero(t, w.rerendered(drawn), "it does not run")
	require.Zero(t, w.rerendered(apart), "its pool has no flow")
	require.Zero(t, w.rerendered(other), "it is installed already")
}
