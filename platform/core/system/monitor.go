package system

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/database"
)

// Values of the panel status; only Running is normal.
const (
	Running             = "running"
	Stopping            = "stopping"
	DatabaseUnavailable = "database_unavailable"
)

const (
	pingEvery  = time.Second
	pingWithin = 900 * time.Millisecond
)

// monitor asks the database once a second, so that no health answer waits for it.
type monitor struct {
	db       *database.DB
	clock    clockwork.Clock
	began    time.Time
	up       atomic.Bool
	stopping atomic.Bool
}

func newMonitor(db *database.DB, clock clockwork.Clock) *monitor {
	return &monitor{db: db, clock: clock, began: clock.Now()}
}

func (m *monitor) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingWithin)
	defer cancel()
	m.up.Store(m.db.Pool.Ping(ctx) == nil)
	return nil
}

// watch is a loop of each panel and no schedule: it is this process that has the database or not, and a schedule would
// need the database to say so.
func (m *monitor) watch(ctx context.Context) error {
	ticker := m.clock.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.Chan():
			_ = m.ping(ctx) // the flag tells of a failure
		case <-ctx.Done():
			m.stopping.Store(true)
			return nil
		}
	}
}

// Answers says whether the database answered the last look.
func (m *monitor) Answers() bool { return m.up.Load() }

func (m *monitor) status() string {
	switch {
	case m.stopping.Load():
		return Stopping
	case !m.up.Load():
		return DatabaseUnavailable
	}
	return Running
}

func (m *monitor) database() string {
	if m.up.Load() {
		return "connected"
	}
	return "unavailable"
}

func (m *monitor) uptime() time.Duration { return m.clock.Since(m.began).Truncate(time.Second) }
