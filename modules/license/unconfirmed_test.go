package license

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/cli"
	"panel/platform/database"
)

// frozen is a second panel on the database that listens and does not get on; it comes back with the function's call.
func (p *panel) frozen() (thaw func()) {
	p.t.Helper()
	release := make(chan struct{})
	listener := database.NewListener(p.store.db.Pool, zap.NewNop())
	listener.On(channel, func(string) { <-release })
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- listener.Run(ctx) }()
	require.Eventually(p.t, listener.Healthy, 60*time.Second, time.Millisecond)
	return func() {
		close(release)
		stop()
		require.NoError(p.t, <-ended)
	}
}

// An answer that another panel could not confirm says so, whichever change it is of; the change itself is kept. The
// status that is asked for later does not say it, nor does a change that all panels have heard of.
func TestAChangeThatAnotherPanelDoesNotConfirmSaysSo(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]struct {
		do          func(*panel) (Status, error)
		state, says string
	}{
		"activate": {func(p *panel) (Status, error) {
			return p.Activate(p.t.Context(), p.authority.issue().Key)
		}, "active", "ok"},
		"refresh": {func(p *panel) (Status, error) { return p.Refresh(p.t.Context()) }, "active", "ok"},
		"failing": {func(p *panel) (Status, error) {
			p.authority.fails(status503)
			return p.Refresh(p.t.Context())
		}, "grace", "unreachable"},
		"remove": {func(p *panel) (Status, error) { return p.Remove(p.t.Context()) }, "degraded", "removed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPanel(t)
			license := p.authority.issue()
			answer, err := p.Activate(t.Context(), license.Key)
			require.NoError(t, err)
			require.False(t, answer.Unconfirmed)
			thaw := p.frozen()
			status, err := act.do(p)
			thaw() // before anything may fail: the listener must come to its end
			require.NoError(t, err)
			require.True(t, status.Unconfirmed)
			require.Equal(t, []string{act.state, act.says}, []string{status.State, status.Reason})
			require.False(t, p.is(act.state, act.says).Unconfirmed)
		})
	}
}

// The command prints the change on the standard output as always, and beside it what is not sure.
func TestTheCommandSaysThatAChangeIsNotConfirmed(t *testing.T) {
	t.Parallel()
	const sentence = "another panel on this database has not confirmed the change in time"
	unsure := shown("active", "ok")
	unsure.Unconfirmed = true
	for _, args := range [][]string{{"activate", "PNL-AAAA-BBBB-CCCC"}, {"refresh"}, {"remove", "--yes"}} {
		done := panelctl(t, unsure, "", args...)
		require.Equal(t, cli.ExitDone, done.exit)
		require.Contains(t, done.err, sentence)
		require.NotContains(t, done.out, sentence)
		require.NotContains(t, panelctl(t, shown("active", "ok"), "", args...).err, sentence)
	}
	var printed map[string]any
	require.NoError(t, json.Unmarshal([]byte(panelctl(t, unsure, "", "refresh", "--json").out), &printed))
	require.Equal(t, true, printed["unconfirmed"])
}
