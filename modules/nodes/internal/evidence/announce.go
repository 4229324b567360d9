package evidence

import (
	"context"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"

	"panel/modules/nodes/nodesapi"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/events"
)

// Announcer derives the states of nodes when they can have changed, lists each node under its state and emits each
// change once over all panels and restarts, in the transaction that notes it. Its cost follows what changes: a fleet
// whose agents report to this panel as they should costs no statement between two passes over the whole fleet.
type Announcer struct {
	db        *database.DB
	heartbeat time.Duration
	bus       *events.Bus
	clock     clockwork.Clock
	log       *zap.Logger
	began     time.Time
	wake      chan struct{}
	moments   *moments
	passed    time.Time // when the whole fleet was last derived
}

const (
	deriveEvery = time.Second
	passEvery   = 30 * time.Second // finds what other panels changed and could not finish
)

// NewAnnouncer makes the announcer of a panel.
func NewAnnouncer(db *database.DB, cfg *config.Config, b *events.Bus, clock clockwork.Clock,
	log *zap.Logger,
) *Announcer {
	heartbeat := cfg.Duration(config.AgentHeartbeat, time.Second)
	return &Announcer{
		db: db, heartbeat: heartbeat, bus: b, clock: clock, log: log, began: clock.Now(), wake: make(chan struct{}, 1),
		moments: newMoments(heartbeat),
	}
}

// Changed derives the states of the nodes soon, because something that they depend on has been committed.
func (a *Announcer) Changed(ids ...string) {
	if len(ids) == 0 {
		return
	}
	a.moments.changed(ids...)
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// Run derives states until the context ends. It is a loop of each panel and no schedule: what wakes it is in the memory
// of this process, and a node that falls silent is told within a second.
func (a *Announcer) Run(ctx context.Context) error {
	ticker := a.clock.NewTicker(deriveEvery)
	defer ticker.Stop()
	for {
		a.step(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.Chan():
		case <-a.wake:
		}
	}
}

// step derives the states of the nodes that are due, at times of all.
func (a *Announcer) step(ctx context.Context) {
	now := a.clock.Now().UTC()
	ids := a.moments.take(now)
	whole := a.passed.IsZero() || now.Sub(a.passed) >= passEvery
	if len(ids) == 0 && !whole {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	differing, err := a.derive(ctx, ids, whole, now)
	if err == nil && len(differing) > 0 {
		err = a.announce(ctx, differing, now)
	}
	if err != nil {
		a.moments.changed(ids...)
		a.log.Debug("states of nodes are derived again", zap.Error(err))
		return
	}
	if whole {
		a.passed = now
	}
}

// derive reads what the states depend on, notes when they can change next and gives the nodes whose state differs from
// the one that they are listed or announced under.
func (a *Announcer) derive(ctx context.Context, ids []string, whole bool, now time.Time) (differing []string,
	err error,
) {
	var rows []struct {
		ID      string     `bun:"id"`
		SeenAt  *time.Time `bun:"seen_at"`
		Other   *time.Time `bun:"other"`
		Differs bool       `bun:"differs"`
	}
	err = a.states(now).ColumnExpr("n.id, r.seen_at").
		ColumnExpr(`least(case when n.maintenance and n.maintenance_until > ?0 then n.maintenance_until end,
			case when n.desired_at + interval '1 minute' > ?0 then n.desired_at + interval '1 minute' end) AS other`, now).
		ColumnExpr("e.state <> n.listed_state OR e.state <> n.announced_state AS differs").
		Where("? OR n.id = any(?::uuid[])", whole, pgdialect.Array(ids)).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("deriving states: %w", err)
	}
	found := make(map[string]bool, len(rows))
	for _, row := range rows {
		found[row.ID] = true
		a.moments.derived(row.ID, row.SeenAt, row.Other, now)
		if row.Differs {
			differing = append(differing, row.ID)
		}
	}
	a.moments.retain(ids, whole, found)
	return differing, nil
}

// states selects nodes n with their reports r and derived states e.
func (a *Announcer) states(now time.Time) *bun.SelectQuery {
	return a.db.NewSelect().TableExpr("nodes AS n").Join("LEFT JOIN node_reports AS r ON r.node_id = n.id").
		Join("CROSS JOIN LATERAL (SELECT " + StateAt(now, a.heartbeat) + " AS state) AS e")
}

// announce writes the states of the nodes with their history and emits the changes with them. Rows are locked in one
// order for all, against deadlocks. Right after a start, silence is not yet evidence, because the panel itself was
// away.
func (a *Announcer) announce(ctx context.Context, ids []string, now time.Time) error {
	quiet := []string{""}
	if now.Sub(a.began) < 10*a.heartbeat {
		quiet = []string{"offline", "degraded"}
	}
	return a.db.InTx(ctx, func(ctx context.Context) error {
		var turned []struct{ ID, Name, Was, State string }
		err := a.db.In(ctx).NewRaw(`with s as (
				select n.id, n.announced_state as was, e.state, e.state <> n.announced_state and not e.state = any(?0) as announced
				from nodes n left join node_reports r on r.node_id = n.id, lateral (select `+StateAt(now, a.heartbeat)+` as state) e
				where n.id = any(?1::uuid[]) and (n.listed_state <> e.state or e.state <> n.announced_state and not e.state = any(?0))
				order by n.id for no key update of n
			), written as (
				update nodes n set listed_state = s.state, announced_state = case when s.announced then s.state else s.was end,
					state_since = case when n.listed_state = s.state then n.state_since else ?2 end
				from s where n.id = s.id returning n.id, n.name, s.was, s.state, s.announced
			), noted as (
				insert into node_states (node_id, at, was, state) select id, ?2, was, state from written where announced
				on conflict (node_id, at) do update set state = excluded.state
			)
			select id, name, was, state from written where announced`, pgdialect.Array(quiet), pgdialect.Array(ids), now).Scan(ctx, &turned)
		if err != nil {
			return fmt.Errorf("announcing states: %w", err)
		}
		news := []events.Event{}
		for _, t := range turned {
			if kind, has := announced[t.State]; has {
				data := nodesapi.StateChanged{Name: t.Name, Was: t.Was, State: t.State}
				news = append(news, events.Event{Kind: kind, SubjectID: t.ID, At: now, Data: data})
			}
		}
		return a.bus.Emit(ctx, news...)
	})
}

// announced are the states that come with an event.
var announced = map[string]string{
	"online": nodesapi.NodeOnline, "degraded": nodesapi.NodeDegraded, "offline": nodesapi.NodeOffline,
}
