package paneltest

import (
	"maps"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/jobs"
)

const (
	scheduleWithin = 60 * time.Second
	scheduleAgain  = 50 * time.Millisecond
)

// RunSchedule makes a schedule due and returns when its job has succeeded, on this panel or on one like it that starts
// for this: a panel reads what is due when it starts.
func (p *Panel) RunSchedule(name string) {
	p.t.Helper()
	all := p.App.Schedules()
	at := slices.IndexFunc(all, func(s jobs.Schedule) bool { return s.Name == name })
	require.GreaterOrEqual(p.t, at, 0, "there is no schedule %s", name)
	kind := all[at].Args().Kind()
	before := p.succeeded(kind)
	require.Eventually(p.t, func() bool { return p.makeDue(name) }, scheduleWithin, scheduleAgain)
	Start(p.t, p.alike())
	require.Eventually(p.t, func() bool { return p.succeeded(kind) > before }, scheduleWithin, scheduleAgain)
}

// makeDue says whether the schedule was there: a panel notes its schedules soon after its start.
func (p *Panel) makeDue(name string) bool {
	p.t.Helper()
	done, err := p.DB.ExecContext(p.t.Context(), "update jobs.schedules set next_at = ? where name = ?",
		p.Clock.Now(), name)
	require.NoError(p.t, err)
	n, err := done.RowsAffected()
	require.NoError(p.t, err)
	return n == 1
}

// succeeded counts the jobs of a kind that have.
func (p *Panel) succeeded(kind string) (jobs int) {
	p.t.Helper()
	err := p.DB.NewRaw("select count(*) from jobs.river_job where kind = ? and state = 'completed'", kind).
		Scan(p.t.Context(), &jobs)
	require.NoError(p.t, err)
	return jobs
}

// alike are the settings of a panel that stands beside this one.
func (p *Panel) alike() Setting {
	return func(s *settings) {
		s.modules, s.license, s.clock, s.db = p.settings.modules, p.settings.license, p.Clock, p.DB
		s.env = maps.Clone(p.settings.env)
	}
}
