package license

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/database"
)

// Domain 4.18: "license: heartbeat 8 h, retry 15 min", with jitter.
func TestTheWatchChecksEveryEightHoursAndRetriesEveryQuarter(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	asked := p.authority.asked.Load()
	p.pass(7 * time.Hour)
	require.Equal(t, asked, p.authority.asked.Load())
	p.pass(2 * time.Hour)
	require.Equal(t, asked+1, p.authority.asked.Load())
	p.authority.fails(status503)
	p.pass(9 * time.Hour)
	require.Equal(t, asked+2, p.authority.asked.Load())
	p.is("grace", "unreachable")
	p.pass(13 * time.Minute)
	require.Equal(t, asked+2, p.authority.asked.Load())
	p.pass(4 * time.Minute)
	require.Equal(t, asked+3, p.authority.asked.Load())
	require.Equal(
		t,
		[]string{"license.activated ok", "license.grace_started failed"},
		p.journal.lines(),
		"a retry that changes nothing is not journalled",
	)
	p.authority.fails(nil)
	p.pass(17 * time.Minute)
	p.is("active", "ok")
	require.Equal(t, "license.refreshed ok", p.journal.lines()[2])
}

// Domain 4.14 and events: warnings 30, 14, 7, 3 and 1 days ahead, once each.
func TestPeopleAreWarnedOnceAtEachStep(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	license := p.authority.issue("--days", "40")
	_, err := p.Activate(t.Context(), p.authority.offline(license.Key, p.look().InstanceID))
	require.NoError(t, err)
	for range 41 * 4 {
		p.pass(6 * time.Hour)
	}
	var days []int
	for _, e := range p.news.published {
		if e.Kind == kindExpiring {
			days = append(days, e.Data.(News).DaysLeft)
		}
	}
	require.Equal(t, []int{30, 14, 7, 3, 1}, days)
	require.Equal(t, kindDegraded, p.news.published[len(p.news.published)-1].Kind)
	require.Contains(t, p.journal.lines(), "license.expiring ok")
}

func TestAPanelThatWasOffSkipsTheStepsThatPassed(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated("--days", "40")
	p.authority.fails(status503)
	p.pass(35 * 24 * time.Hour)
	require.Equal(
		t,
		[]string{kindExpiring},
		filter(p.news.kinds(), kindExpiring),
		"30, 14 and 7 days at once are one warning",
	)
}

func filter(kinds []string, wanted string) (found []string) {
	for _, kind := range kinds {
		if kind == wanted {
			found = append(found, kind)
		}
	}
	return found
}

// Several panels on one database agree: one identity, one check, changes seen over NOTIFY.
func TestAnotherPanelSeesTheChange(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	other := panelOn(t, p.authority, p.store.db, t.TempDir())
	listener := database.NewListener(p.store.db.Pool, zap.NewNop())
	other.live = listener
	listener.On(channel, func(string) { other.outdate() })
	listener.OnReady(other.outdate)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- listener.Run(ctx) }()
	require.Eventually(t, listener.Healthy, 60*time.Second, time.Millisecond)

	other.is("degraded", "none")
	p.activated()
	require.Equal(t, p.Status().InstanceID, other.Status().InstanceID)
	require.Eventually(t, func() bool { return other.Current().State == "active" }, 60*time.Second, time.Millisecond)
	_, err := other.Remove(t.Context())
	require.NoError(t, err)
	p.outdate()
	p.is("degraded", "removed")
	cancel()
	require.NoError(t, <-ended)
}

// The rule holds with the notification channel cut: then every look reads the database.
func TestWithoutNotificationsEveryLookReadsTheDatabase(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	other := panelOn(t, p.authority, p.store.db, t.TempDir())
	other.live = disconnected{}
	other.is("degraded", "none")
	p.activated()
	other.is("active", "ok")
	_, err := p.Remove(t.Context())
	require.NoError(t, err)
	other.is("degraded", "removed")
}

type disconnected struct{ hearing }

func (disconnected) Healthy() bool { return false }

func TestOnlyOneOfSeveralPanelsAsks(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	other := panelOn(t, p.authority, p.store.db, t.TempDir())
	other.live = disconnected{}
	p.activated()
	p.authority.fails(status503)
	asked := p.authority.asked.Load()
	for _, panel := range []*panel{other, p} {
		panel.pass(9 * time.Hour)
	}
	require.Equal(t, asked+1, p.authority.asked.Load())
}

// Every reading comes from memory; asking the state costs no statement.
func TestTheStateComesFromMemory(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	require.NoError(t, p.store.db.Close())
	for range 1000 {
		p.is("active", "ok")
	}
}

func TestTheWatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.watch(ctx) }()
	require.NoError(t, p.wall.BlockUntilContext(ctx, 1))
	cancel()
	require.NoError(t, <-ended)
}
