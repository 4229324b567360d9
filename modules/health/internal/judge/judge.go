// Package judge makes verdicts of evidence: one panel at a time folds what came in, judges the subjects that it speaks
// of, and commits each change of state with its event.
package judge

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/health/internal/incidents"
	"panel/modules/health/internal/place"
	"panel/modules/health/internal/rules"
	"panel/modules/nodes/nodesapi"
	"panel/modules/pools/poolsapi"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/database"
	"panel/platform/events"
)

const (
	pace = time.Second
	// seldom is how often the judge looks while this panel has stored nothing: another one may have.
	seldom = 5 * time.Second
	// after is how many rounds follow what was stored: a transaction of somebody else may hold it back in the first.
	after = 3
	// sweepEvery is how often the reports of agents are read as a whole; their changes of state wake a sweep.
	sweepEvery = 10 * time.Second
	// absent is how long nobody judged before what is old may simply not have come yet, and settling how long it is
	// given to come.
	absent   = time.Minute
	settling = 2 * time.Minute
	longest  = 30 * time.Second // of one round

	// Still is how long nobody judged when something is wrong with that.
	Still = 2 * time.Minute
)

// Judge judges.
type Judge struct {
	db    *database.DB
	fleet nodesapi.Statuses
	there proxypanelapi.Nodes
	pools poolsapi.Directory
	bus   *events.Bus
	kept  *incidents.Incidents
	clock clockwork.Clock
	log   *zap.Logger
	soon  atomic.Int32 // rounds that are to follow each other at once
}

// New makes a judge.
func New(
	db *database.DB, fleet nodesapi.Statuses, there proxypanelapi.Nodes, pools poolsapi.Directory, bus *events.Bus,
	kept *incidents.Incidents, clock clockwork.Clock, log *zap.Logger,
) *Judge {
	return &Judge{db: db, fleet: fleet, there: there, pools: pools, bus: bus, kept: kept, clock: clock, log: log}
}

// Stored lets the judge look in its next rounds: results have come.
func (j *Judge) Stored() { j.soon.Store(after) }

// Run judges until the context ends.
func (j *Judge) Run(ctx context.Context) error {
	tick := j.clock.NewTicker(pace)
	defer tick.Stop()
	failed := false
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.Chan():
		}
		if j.soon.Load() <= 0 && j.clock.Since(last) < seldom {
			continue
		}
		j.soon.Add(-1)
		last = j.clock.Now()
		err := j.Round(ctx)
		if err != nil && !failed && ctx.Err() == nil {
			j.log.Error("health cannot be judged", zap.Error(err))
		}
		failed = err != nil
	}
}

// progress is how far the judging is.
type progress struct {
	Folded    int64
	AliveAt   *time.Time
	SettledAt *time.Time
	SweptAt   *time.Time
	CutOff    bool
	Able      int // agents that answer and can look
	Lacking   int // that answer and cannot
}

// round is one round of judging, in one transaction: what it folded, and what follows from it, commit together.
type round struct {
	*Judge
	progress
	now       time.Time
	policies  map[string]rules.Named
	incidents *incidents.Round
	blocked   *[]string // flows of which a transit pool blocks traffic; nil: not asked yet
}

// Round judges once. While another panel does, nothing happens.
func (j *Judge) Round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	return j.db.InTx(ctx, func(ctx context.Context) error {
		var rows []progress
		err := j.db.In(ctx).NewRaw(`select folded, alive_at, settled_at, swept_at, cut_off, able, lacking from health_progress
			for update skip locked`).Scan(ctx, &rows)
		if err != nil || len(rows) == 0 {
			return database.Fault(err, nil)
		}
		r := &round{Judge: j, progress: rows[0], now: j.clock.Now().UTC()}
		r.incidents = j.kept.Begin(r.now)
		if r.AliveAt == nil || r.now.Sub(*r.AliveAt) > absent {
			until := r.now.Add(settling)
			r.SettledAt = &until
		}
		return r.do(ctx)
	})
}

func (r *round) do(ctx context.Context) error {
	if err := r.fold(ctx); err != nil {
		return err
	}
	sweeps := r.SweptAt == nil || r.now.Sub(*r.SweptAt) >= sweepEvery
	if sweeps {
		if err := r.sweep(ctx); err != nil {
			return err
		}
		if err := r.noticeBlocked(ctx); err != nil {
			return err
		}
	}
	if err := r.judgeDue(ctx); err != nil {
		return err
	}
	if err := r.incidents.Settle(ctx, sweeps); err != nil {
		return fmt.Errorf("settle incidents: %w", err)
	}
	_, err := r.db.In(ctx).NewRaw(`update health_progress set folded = ?, alive_at = ?, settled_at = ?, swept_at = ?,
		cut_off = ?, able = ?, lacking = ?`, r.Folded, r.now, r.SettledAt, r.SweptAt, r.CutOff, r.Able, r.Lacking).Exec(ctx)
	return database.Fault(err, nil)
}

// settles says that evidence may simply not have come yet.
func (r *round) settles() bool { return r.SettledAt != nil && r.now.Before(*r.SettledAt) }

func (r *round) policy(ctx context.Context, id string) (rules.Named, error) {
	if r.policies == nil {
		all, err := place.Policies(ctx, r.db)
		if err != nil {
			return rules.Named{}, fmt.Errorf("read the policies: %w", err)
		}
		r.policies = map[string]rules.Named{}
		for _, p := range all {
			r.policies[p.ID] = p
		}
	}
	if p, known := r.policies[id]; known {
		return p, nil
	}
	return rules.Named{Policy: rules.Default()}, nil // it is gone, and the next placing says so
}

// Wake has the reports of agents read in the next round.
func (j *Judge) Wake(ctx context.Context) error {
	_, err := j.db.In(ctx).NewRaw("update health_progress set swept_at = null where swept_at is not null").Exec(ctx)
	j.Stored()
	return database.Fault(err, nil)
}
