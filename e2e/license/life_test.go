// Package license runs the whole life of a license between the real panel and the real license authority, and shows in
// each state what API, command line and screen say and that the traffic of an applied flow goes on.
package license

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database/dbtest"
)

// status is the license as API and command line show it.
type status struct {
	Schema     string     `json:"schema"`
	State      string     `json:"state"`
	Reason     string     `json:"reason"`
	ReadOnly   bool       `json:"read_only"`
	Plan       *string    `json:"plan"`
	GraceUntil *time.Time `json:"grace_until"`
	LastCheck  *struct {
		OK    bool    `json:"ok"`
		Error *string `json:"error"`
	} `json:"last_check"`
	KeyMasked *string `json:"key_masked"`
}

// life is a panel with a license, a flow that carries traffic, and a way to break the license server.
type life struct {
	*testing.T
	stand   *rig.Stand
	front   *front
	dsn     string
	traffic *rigtest.Traffic
	screen  *screen
}

func begin(t *testing.T) *life {
	t.Helper()
	l := &life{T: t, front: newFront(t), dsn: dbtest.Empty(t)}
	l.stand = rigtest.Install(t, rig.PanelSettings{DSN: l.dsn, LicenseFront: l.front.before})
	l.traffic = rigtest.Carry(t, l.stand)
	l.screen = open(t, l.stand)
	l.is("active", "ok")
	return l
}

// is requires the state from the API, from panelctl and on the screen, what a write gets in it, and that traffic goes
// on.
func (l *life) is(state, reason string) status {
	l.Helper()
	var api status
	require.NoError(l, l.stand.API.Get(l.Context(), "/api/v1/license/status", &api))
	require.Equal(l, []string{state, reason}, []string{api.State, api.Reason})
	require.Equal(l, state == "degraded", api.ReadOnly)
	l.commandLineSays(api)
	l.screen.shows(l.T, state, reason)
	l.writes(state != "degraded")
	l.traffic.GoesOn(l.T)
	return api
}

func (l *life) commandLineSays(api status) {
	l.Helper()
	said, err := l.stand.Panel.Command(l.Context(), l.stand.API.Token, "license", "status", "--json")
	require.NoError(l, err)
	exit := 0
	if api.State == "degraded" {
		exit = 1
	}
	require.Equal(l, exit, said.Exit, said.Err)
	var shown status
	require.NoError(l, json.Unmarshal([]byte(said.Out), &shown))
	require.Equal(l, "panelctl.license/v1", shown.Schema)
	shown.Schema = ""
	require.Equal(l, api, shown)
	require.NotContains(l, said.Out, l.stand.Key)
}

// writes tries one change that is gated by state alone, one that a feature gates, and reads that always pass.
func (l *life) writes(open bool) {
	l.Helper()
	ctx := l.Context()
	for path, body := range map[string]any{
		"/api/v1/nodes/enrollment-tokens":                          map[string]any{"kind": "one_off"},
		"/api/v1/connection-units/" + l.traffic.Flow + "/versions": map[string]any{"note": "kept"},
	} {
		err := l.stand.API.Post(ctx, path, body, nil)
		if open {
			require.NoError(l, err)
			continue
		}
		var refusal *rig.Refusal
		require.ErrorAs(l, err, &refusal)
		require.Equal(l, http.StatusForbidden, refusal.Status)
		require.Equal(l, "license_read_only", refusal.Code)
	}
	for _, path := range []string{
		"/api/v1/nodes", "/api/v1/connection-units/" + l.traffic.Flow, "/api/v1/audit",
		"/api/v1/system/status",
	} {
		require.NoError(l, l.stand.API.Get(ctx, path, nil), "reads pass in every state")
	}
}

func (l *life) refresh() {
	l.Helper()
	require.NoError(l, l.stand.API.Post(l.Context(), "/api/v1/license/refresh", nil, nil))
}

func (l *life) activate(key string) {
	l.Helper()
	require.NoError(
		l,
		l.stand.API.Post(l.Context(), "/api/v1/license/activate", map[string]string{"license_key": key}, nil),
	)
}

// pass lets the panel believe that time went by. Nothing is shortened: grace lasts its 72 hours. The panel's time is
// the latest it has ever noted, kept in the database so that a clock set back helps nobody; noting a later one is what
// another panel on this database does, and only a fresh answer of the authority puts it right again.
func (l *life) pass(d time.Duration) {
	l.Helper()
	conn, err := pgx.Connect(l.Context(), l.dsn)
	require.NoError(l, err)
	defer func() { _ = conn.Close(context.WithoutCancel(l.Context())) }()
	_, err = conn.Exec(
		l.Context(),
		"update licenses set clock_at = greatest(clock_at, now()) + make_interval(secs => $1)",
		d.Seconds(),
	)
	require.NoError(l, err)
	_, err = conn.Exec(l.Context(), "select pg_notify('panel', 'license ')")
	require.NoError(l, err)
}

// eventually waits for a state that time alone brings.
func (l *life) eventually(state string) {
	l.Helper()
	require.Eventually(l, func() bool {
		var api status
		return l.stand.API.Get(l.Context(), "/api/v1/license/status", &api) == nil && api.State == state
	}, 60*time.Second, 20*time.Millisecond)
}

const grace = 72 * time.Hour

// Specification, License: active -> server down -> grace -> grace over -> degraded -> activate, with every way to be
// down.
func TestTheServerIsDownThenGraceThenDegradedThenActivate(t *testing.T) {
	t.Parallel()
	l := begin(t)
	for name, down := range map[string]http.HandlerFunc{"503": unavailable, "garbage": garbage, "timeout": hang} {
		l.front.fails(down)
		l.refresh()
		seen := l.is("grace", "unreachable")
		require.False(t, seen.LastCheck.OK, name)
		require.NotNil(t, seen.GraceUntil, name)
		require.WithinDuration(t, time.Now().Add(grace), *seen.GraceUntil, 10*time.Minute, name)
		l.front.works()
		l.refresh()
		l.is("active", "ok")
	}
	require.NoError(t, l.stand.Authority.Stop())
	l.refresh()
	l.is("grace", "unreachable")
	l.pass(grace - time.Hour)
	l.is("grace", "unreachable")
	l.pass(2 * time.Hour)
	l.eventually("degraded")
	l.is("degraded", "unreachable")
	l.restarted("degraded", "unreachable")
	var err error
	l.stand.Authority, err = l.stand.Authority.Again()
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return l.stand.API.Post(
			t.Context(),
			"/api/v1/license/activate",
			map[string]string{"license_key": l.stand.Key},
			nil,
		) == nil
	}, 60*time.Second, 100*time.Millisecond)
	l.is("active", "ok")
}

// restarted shows that a state is no memory of one process.
func (l *life) restarted(state, reason string) {
	l.Helper()
	require.NoError(l, l.stand.Panel.Stop())
	require.NoError(l, l.stand.Panel.Up(l.Context()))
	l.is(state, reason)
}

// Specification, License: active -> signed refusal -> degraded at once, without grace; from grace too. Remove and
// activate.
func TestASignedRefusalDegradesAtOnceAndActivateLeadsBack(t *testing.T) {
	t.Parallel()
	l := begin(t)
	l.revoke(l.stand.Key)
	l.refresh()
	refused := l.is("degraded", "refused")
	require.Nil(t, refused.GraceUntil)
	require.True(t, refused.LastCheck.OK, "a signed refusal is a good answer")
	second := l.issue()
	l.activate(second)
	l.is("active", "ok")

	l.front.fails(unavailable)
	l.refresh()
	l.is("grace", "unreachable")
	l.revoke(second)
	l.front.works()
	l.refresh()
	l.is("degraded", "refused")
	l.front.fails(unavailable)
	l.refresh()
	l.is("degraded", "refused")
	l.front.works()

	l.activate(l.issue())
	l.is("active", "ok")
	require.NoError(t, l.stand.API.Post(t.Context(), "/api/v1/license/remove", nil, nil))
	removed := l.is("degraded", "removed")
	require.Nil(t, removed.KeyMasked)
	l.activate(l.issue())
	l.is("active", "ok")
}

// revoke ends a license at the vendor's.
func (l *life) revoke(key string) {
	l.Helper()
	listed, err := l.stand.Vendor(l.Context(), "list", "--json")
	require.NoError(l, err)
	var licenses struct {
		Items []struct {
			ID        string     `json:"id"`
			KeyMasked string     `json:"key_masked"`
			RevokedAt *time.Time `json:"revoked_at"`
		} `json:"items"`
	}
	require.NoError(l, json.Unmarshal([]byte(listed), &licenses))
	for _, license := range licenses.Items {
		if license.KeyMasked[len(license.KeyMasked)-4:] == key[len(key)-4:] && license.RevokedAt == nil {
			_, err := l.stand.Vendor(l.Context(), "revoke", license.ID)
			require.NoError(l, err)
			return
		}
	}
	require.FailNow(l, "the vendor does not know the license")
}

func (l *life) issue() string {
	l.Helper()
	said, err := l.stand.Vendor(l.Context(), "issue", "--plan", "Test", "--features", "*")
	require.NoError(l, err)
	return said
}
