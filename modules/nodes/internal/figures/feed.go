package figures

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
)

const (
	// every is the pause between two frames.
	every = 3 * time.Second
	// mostPerSecond bounds what one viewer is sent; what does not fit comes with the next frame, the oldest first.
	mostPerSecond = 64 << 10
	// mostWatched is how many nodes a viewer can name.
	mostWatched = 64
	readLimit   = 5 * time.Second
)

// Feed gives live readings to those who watch. While somebody does, the newest readings of the fleet are read with one
// statement every few seconds for all of them; without viewers it costs nothing.
type Feed struct {
	fleet *Fleet
	wake  chan struct{}

	mu      sync.Mutex
	viewers map[*viewer]struct{}
	image   image
}

// NewFeed makes the feed of a panel.
func NewFeed(f *Fleet) *Feed {
	return &Feed{fleet: f, wake: make(chan struct{}, 1), viewers: map[*viewer]struct{}{}}
}

// Run reads while somebody watches, until the context ends. It is a loop of each panel and no schedule, because it
// serves those who watch through this process.
func (f *Feed) Run(ctx context.Context) error {
	ticker := f.fleet.clock.NewTicker(every)
	defer ticker.Stop()
	for {
		age := time.Duration(0)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.Chan():
		case <-f.wake:
			age = every / 2
		}
		if err := f.refresh(ctx, age); err != nil && ctx.Err() == nil {
			f.fleet.log.Warn("live readings stand still until the database answers", zap.Error(err))
		}
	}
}

// refresh reads the fleet, unless nobody watches or what was read is younger than the age.
func (f *Feed) refresh(ctx context.Context, age time.Duration) error {
	now := f.fleet.now()
	f.mu.Lock()
	idle := len(f.viewers) == 0 || now.Sub(f.image.at) < age
	f.mu.Unlock()
	if idle {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	rows, err := f.fleet.readings(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.image.take(rows, now)
	for v := range f.viewers {
		v.wake()
	}
	return nil
}

// Watch begins to watch: nothing gives the fleet as a whole, a star each node, ids with dots between them these nodes.
// Fault: bad_parameter (400).
func (f *Feed) Watch(ctx context.Context, what string, wake func()) (events.Frames, error) {
	v := &viewer{feed: f, wake: wake, all: what == "*"}
	if what != "" && !v.all {
		v.ids = strings.Split(what, ".")
	}
	if len(v.ids) > mostWatched || len(v.ids) != len(database.OnlyIDs(v.ids)) {
		return nil, fault.Malformed("bad_parameter", "the nodes to watch cannot be read").
			Field("query.topics", "bad_parameter",
				fmt.Sprintf("metrics: must be followed by a star or by at most %d ids with dots between them", mostWatched))
	}
	f.mu.Lock()
	f.viewers[v] = struct{}{}
	f.mu.Unlock()
	context.AfterFunc(ctx, func() { f.leave(v) })
	wake()
	select {
	case f.wake <- struct{}{}:
	default:
	}
	return v, nil
}

func (f *Feed) leave(v *viewer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.viewers, v)
	if len(f.viewers) == 0 {
		f.image = image{version: f.image.version}
	}
}

// reading is the newest reading of one node. Sessions is below zero where the agent does not count them.
type reading struct {
	id, region, state string
	at                time.Time
	sessions          int64
	rx, tx, cpu, mem  float64
}

// readings are those of the whole fleet, in one statement over narrow rows.
func (f *Fleet) readings(ctx context.Context) ([]reading, error) {
	rows, err := f.db.Pool.Query(ctx, `select n.id::text, n.region, n.listed_state, m.observed_at, coalesce(m.sessions, -1),
			m.net_rx_bps, m.net_tx_bps, m.cpu_pct, m.mem_pct
		from nodes n join node_readings m on m.node_id = n.id order by n.region`)
	if err != nil {
		return nil, fmt.Errorf("read the newest readings: %w", err)
	}
	defer rows.Close()
	var found []reading
	for rows.Next() {
		var r reading
		err := rows.Scan(&r.id, &r.region, &r.state, &r.at, &r.sessions, &r.rx, &r.tx, &r.cpu, &r.mem)
		if err != nil {
			return nil, fmt.Errorf("read the newest readings: %w", err)
		}
		found = append(found, r)
	}
	return found, rows.Err()
}
