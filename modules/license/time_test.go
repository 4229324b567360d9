package license

import (
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
)

// R8, trap 14: "Clock moved back 3 days -> grace does not grow."
func TestAClockSetBackNeverLengthensGrace(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	p.authority.fails(status503)
	until := *p.refreshed().GraceUntil
	p.pass(70 * time.Hour)
	p.is("grace", "unreachable")
	p.wall.Advance(-72 * time.Hour)
	p.is("grace", "unreachable")
	require.Equal(t, until, *p.Status().GraceUntil)
	p.pass(2*time.Hour + time.Second)
	p.is("degraded", "unreachable")
}

// R8: the high-water mark survives a restart, in the file and in the database alike.
func TestAClockSetBackBeforeAStartDoesNotHelp(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	p.authority.fails(status503)
	p.refreshed()
	p.pass(80 * time.Hour)
	p.noteTime(t.Context(), p.clock.Now())
	for _, forget := range []func(){
		func() {},
		func() { require.NoError(t, p.file.write(copied{})) },
		func() {
			_, err := p.store.db.ExecContext(t.Context(), "update licenses set clock_at = '2020-01-01'")
			require.NoError(t, err)
		},
	} {
		p.noteTime(t.Context(), p.clock.Now())
		forget()
		p.wall.Advance(-80 * time.Hour)
		p.restart()
		p.is("degraded", "unreachable")
		p.wall.Advance(80 * time.Hour)
	}
}

// R8: neither does it lengthen the license itself.
func TestAClockSetBackNeverLengthensTheLicense(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	license := p.authority.issue("--days", "10")
	_, err := p.Activate(t.Context(), p.authority.offline(license.Key, p.look().InstanceID))
	require.NoError(t, err)
	p.pass(9 * 24 * time.Hour)
	p.wall.Advance(-30 * 24 * time.Hour)
	p.pass(23 * time.Hour)
	p.is("active", "ok")
	p.pass(2 * time.Hour)
	p.is("degraded", "expired")
}

// R8: a clock that ran ahead is put right by the next fresh answer, and harms nobody for good.
func TestAClockThatWasAheadIsPutRightByTheAuthority(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated("--days", "30")
	p.wall.Advance(40 * 24 * time.Hour)
	p.is("degraded", "expired")
	p.refreshed()
	p.is("active", "ok")
	p.wall.Advance(-40 * 24 * time.Hour)
	p.is("active", "ok")
	require.Equal(t, 30, p.look().daysLeft(p.clock.Now()))
}

// R8: one hour and one day to both sides neither ends a license nor makes it immortal.
func TestSmallStepsOfTheClockChangeNothing(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	for _, step := range []time.Duration{time.Hour, -2 * time.Hour, 24 * time.Hour, -48 * time.Hour} {
		p.wall.Advance(step)
		p.looked()
		p.is("active", "ok")
	}
}

func TestTrustedTimeNeverGoesBackAndNeverStandsStill(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	wall, steady := clockwork.NewFakeClockAt(start), clockwork.NewFakeClockAt(start)
	c := newTrustedClock(wall, steady)
	last := c.Now()
	for _, step := range []struct{ wall, steady time.Duration }{
		{time.Hour, time.Hour},
		{-5 * time.Hour, time.Minute},
		{0, time.Hour},
		{9 * time.Hour, time.Second},
		{-time.Hour, 0},
	} {
		wall.Advance(step.wall)
		steady.Advance(step.steady)
		now := c.Now()
		require.False(t, now.Before(last.Add(step.steady)), "%s after %s", now, last)
		last = now
	}
	c.AtLeast(last.Add(time.Hour))
	require.Equal(t, last.Add(time.Hour), c.Now())
	c.Anchor(start)
	require.Equal(t, start, c.Now())
	wall.Advance(time.Minute)
	require.Equal(t, start.Add(time.Minute), c.Now())
}
