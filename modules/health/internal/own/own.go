// Package own is the panel as a vantage: it looks at what is due, bounded in how much at once, and stores what it
// finds. Several panels share the work.
package own

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/internal/place"
	"panel/modules/health/internal/results"
	"panel/modules/health/internal/rules"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/outbound"
	"panel/platform/probing"
)

const (
	pace    = 800 * time.Millisecond
	atOnce  = 512 // looks under way: a third of a large fleet may hang until its time is over
	claimed = 256 // by one statement
	stored  = 200 // results that wait at most
)

// Looks looks at what is due.
type Looks struct {
	db      *database.DB
	results *results.Results
	loads   nodesapi.Loads
	probes  flowsapi.Probes
	clock   clockwork.Clock
	log     *zap.Logger
	prober  *probing.Prober
	slots   chan struct{}
	late    atomic.Int64 // of the last round, in nanoseconds

	mu      sync.Mutex
	found   []agentapi.CheckResult
	refused []string // checks that the panel may not make
}

// New makes it. The panel dials what an administrator has put on nodes, private networks among it, and never itself.
func New(
	db *database.DB, r *results.Results, loads nodesapi.Loads, probes flowsapi.Probes, network *outbound.Network,
	clock clockwork.Clock, log *zap.Logger,
) *Looks {
	dial := func(ctx context.Context, kind, address string) (net.Conn, error) {
		if kind == "udp" {
			return network.DialUDP(ctx, address, outbound.Private)
		}
		return network.Dial(ctx, address, outbound.Private)
	}
	return &Looks{
		db: db, results: r, loads: loads, probes: probes, clock: clock, log: log, slots: make(chan struct{}, atOnce),
		prober: &probing.Prober{
			Dial: dial, Now: clock.Now,
			Forbidden: func(err error) bool { return errors.Is(err, outbound.ErrForbidden) },
		},
	}
}

// Late is how long what was due last had waited.
func (l *Looks) Late() time.Duration { return time.Duration(l.late.Load()) }

// Run looks until the context ends.
func (l *Looks) Run(ctx context.Context) error {
	var looks sync.WaitGroup
	defer looks.Wait()
	tick := l.clock.NewTicker(pace)
	defer tick.Stop()
	failed := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.Chan():
		}
		err := errors.Join(l.round(ctx, &looks), l.store(ctx))
		if err != nil && !failed && ctx.Err() == nil {
			l.log.Warn("the panel's own checks are behind", zap.Error(err))
		}
		failed = err != nil
	}
}

func (l *Looks) round(ctx context.Context, looks *sync.WaitGroup) error {
	for {
		due, err := l.claim(ctx)
		if err != nil {
			return err
		}
		reached, err := l.measure(ctx, due)
		if err != nil {
			return err
		}
		for _, w := range reached {
			select {
			case l.slots <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
			looks.Go(func() { l.once(ctx, w); <-l.slots })
		}
		if len(due) < claimed {
			return nil
		}
	}
}

// claim takes what is due, so that no other panel looks at it, and sets its next time. What is far behind is not made
// up for.
func (l *Looks) claim(ctx context.Context) ([]place.Look, error) {
	var rows []struct {
		Watch place.Look `bun:",type:jsonb"`
		DueAt time.Time
	}
	now := l.clock.Now().UTC()
	err := l.db.NewRaw(`with due as (select check_id, vantage, next_at from health_watches where next_at <= ?0
			order by next_at limit ?1 for update skip locked)
		update health_watches w set next_at = greatest(due.next_at, ?0::timestamptz - c.interval_s * interval '1 second')
			+ c.interval_s * interval '1 second'
		from due, health_checks c where w.check_id = due.check_id and w.vantage = due.vantage and c.id = w.check_id
		returning c.watch, due.next_at as due_at`, now, claimed).Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("take what the panel has to look at: %w", err), nil)
	}
	var late time.Duration
	out := make([]place.Look, len(rows))
	for i, row := range rows {
		out[i], late = row.Watch, max(late, now.Sub(row.DueAt))
	}
	l.late.Store(int64(late))
	return out, nil
}

// look gives the result, or false where nothing can be said.
func (l *Looks) look(ctx context.Context, w place.Look) (agentapi.CheckResult, bool) {
	switch w.Type {
	case rules.CertExpiry:
		return l.certificate(ctx, w)
	case rules.Tunnel:
		return l.tunnel(ctx, w)
	}
	return l.prober.Look(ctx, w.Watch)
}

func (l *Looks) once(ctx context.Context, w place.Look) {
	result, said := l.look(ctx, w)
	if ctx.Err() != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case said:
		l.found = append(l.found, result)
	case result.Reason == probing.NotAllowed:
		l.refused = append(l.refused, w.ID)
	}
}

// store writes what was found. What cannot be written is given up: the next look comes soon.
func (l *Looks) store(ctx context.Context) error {
	l.mu.Lock()
	found, refused := l.found, l.refused
	l.found, l.refused = nil, nil
	l.mu.Unlock()
	for len(found) > 0 {
		part := found[:min(len(found), stored)]
		found = found[len(part):]
		if err := l.results.Own(ctx, part); err != nil {
			return err
		}
	}
	return l.refuse(ctx, refused)
}

// refuse notes of checks that the panel may not make them: people would wait for what never comes.
func (l *Looks) refuse(ctx context.Context, checks []string) error {
	if len(checks) == 0 {
		return nil
	}
	_, err := l.db.NewRaw(`update health_watches set reason = ?0 where vantage = ?1 and check_id = any(?2::uuid[])
		and at is null and reason <> ?0`, probing.NotAllowed, place.Panel, pgdialect.Array(checks)).Exec(ctx)
	return database.Fault(err, nil)
}
