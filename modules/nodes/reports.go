package nodes

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"

	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/httpapi"
)

// reports keeps what agents say in memory for a moment and writes it for many nodes at once. What is lost with a crash is at
// most a second of evidence that every agent repeats with its next heartbeat.
type reports struct {
	db    *database.DB
	store *store
	bus   *events.Bus
	clock clockwork.Clock
	log   *zap.Logger
	kick  chan struct{}
	began time.Time

	mu      sync.Mutex
	pending map[string]*evidence
	known   map[string]*familiar
}

// evidence is what a node has shown since the last write.
type evidence struct {
	seen    time.Time
	full    *fullReport // nil: unchanged
	metrics *agentapi.Sample
}

type fullReport struct {
	core         agentapi.CoreReport
	cloned       bool
	report       string
	surroundings string
}

// familiar remembers of each node what was written, to write only changes, and its last agent processes.
type familiar struct {
	digest        [sha256.Size]byte
	session, last string
	clonedUntil   time.Time
}

const (
	flushEvery  = time.Second
	flushPause  = 100 * time.Millisecond
	writeLimit  = 5 * time.Second
	clonedFor   = 10 * time.Minute
	flushAtMost = 2000 // nodes in one statement
)

func newReports(db *database.DB, s *store, b *events.Bus, clock clockwork.Clock, log *zap.Logger) *reports {
	return &reports{
		db: db, store: s, bus: b, clock: clock, log: log, kick: make(chan struct{}, 1), began: clock.Now(),
		pending: map[string]*evidence{}, known: map[string]*familiar{},
	}
}

// heard notes a heartbeat. What changed is written at once, a mere sign of life with the next batch.
func (r *reports) heard(nodeID string, beat *agentapi.Heartbeat) {
	now := r.clock.Now().UTC()
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.evidence(nodeID, now)
	k := r.familiar(nodeID)
	cloned := k.cloned(beat.SessionID, now)
	digest := lasting(beat, cloned)
	if digest == k.digest {
		return
	}
	k.digest, e.full = digest, fullOf(beat, cloned, now)
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

// alive notes a sign of life that is no heartbeat.
func (r *reports) alive(nodeID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.evidence(nodeID, r.clock.Now().UTC())
}

// measured notes the newest sample of a batch that is stored.
func (r *reports) measured(nodeID string, newest *agentapi.Sample) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.evidence(nodeID, r.clock.Now().UTC())
	if e.metrics == nil || newest.ObservedAt.After(e.metrics.ObservedAt) {
		e.metrics = newest
	}
}

func (r *reports) evidence(nodeID string, now time.Time) *evidence {
	e := r.pending[nodeID]
	if e == nil {
		e = &evidence{}
		r.pending[nodeID] = e
	}
	e.seen = now
	return e
}

func (r *reports) familiar(nodeID string) *familiar {
	k := r.known[nodeID]
	if k == nil {
		k = &familiar{}
		r.known[nodeID] = k
	}
	return k
}

// lasting is a digest without what changes with every heartbeat. It is made of each of them, its full form only of a few.
func lasting(beat *agentapi.Heartbeat, cloned bool) (digest [sha256.Size]byte) {
	lasts := *beat
	lasts.SentAt, lasts.Core.UptimeSeconds = time.Time{}, 0
	sum := sha256.New()
	_ = httpapi.Encode(sum, &struct {
		agentapi.Heartbeat
		Cloned bool
	}{lasts, cloned}) // plain values always encode
	sum.Sum(digest[:0])
	return digest
}

func fullOf(beat *agentapi.Heartbeat, cloned bool, now time.Time) *fullReport {
	full := &fullReport{core: beat.Core, cloned: cloned}
	full.report, full.surroundings = encoded(beat, now)
	return full
}

// cloned notices two agent processes that take turns under one identity: a copied server.
func (k *familiar) cloned(session string, now time.Time) bool {
	if session != k.session {
		if session == k.last && session != "" {
			k.clonedUntil = now.Add(clonedFor)
		}
		k.session, k.last = session, k.session
	}
	return now.Before(k.clonedUntil)
}

func encoded(beat *agentapi.Heartbeat, now time.Time) (shown, around string) {
	short, _ := json.Marshal(report{
		AgentVersion: beat.AgentVersion, Protocol: beat.Protocol, OS: beat.OS, Arch: beat.Arch, Hostname: beat.Hostname,
		Capabilities: beat.Capabilities, SkewMillis: skew(beat, now), Core: beat.Core, PanelURL: beat.PanelURL,
	}) // plain values always encode
	long, _ := json.Marshal(surroundings{Sockets: beat.Sockets, Addresses: beat.Addresses, Firewall: beat.Firewall})
	return string(short), string(long)
}

func skew(beat *agentapi.Heartbeat, now time.Time) int64 {
	if beat.SentAt.IsZero() {
		return 0
	}
	return beat.SentAt.Sub(now).Milliseconds()
}

// forget drops what is known of a node whose identity changed hands.
func (r *reports) forget(nodeID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, nodeID)
}

// run writes once a second, sooner when something changed, and tells about nodes that came, went or broke.
func (r *reports) run(ctx context.Context) error {
	ticker := r.clock.NewTicker(flushEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			r.write(context.WithoutCancel(ctx))
			return nil
		case <-ticker.Chan():
		case <-r.kick:
			r.settle(ctx)
		}
		r.write(ctx)
		r.announce(ctx)
	}
}

// settle waits a moment for what else changes, so that a storm of changes shares a statement.
func (r *reports) settle(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-r.clock.After(flushPause):
	}
}

func (r *reports) write(ctx context.Context) {
	batch := r.take()
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	err := r.store.writeEvidence(ctx, batch)
	if unstorable(err) {
		err = r.writeApart(ctx, batch)
	}
	if err != nil {
		r.log.Warn("reports of agents are kept until the database answers", zap.Error(err))
		r.putBack(batch)
	}
}

// writeApart keeps of an agent whose words cannot be stored that it lives, and of the others everything.
func (r *reports) writeApart(ctx context.Context, batch map[string]*evidence) error {
	var bare []string
	err := apart(slices.Collect(maps.Keys(batch)), func(ids []string) error {
		part := make(map[string]*evidence, len(ids))
		for _, id := range ids {
			part[id] = batch[id]
		}
		return r.store.writeEvidence(ctx, part)
	}, func(id string, err error) {
		r.log.Warn("what an agent reports cannot be stored and is dropped", zap.String("node", id), zap.Error(err))
		batch[id] = &evidence{seen: batch[id].seen}
		bare = append(bare, id)
	})
	for _, id := range bare {
		err = errors.Join(err, r.store.writeEvidence(ctx, map[string]*evidence{id: batch[id]}))
	}
	return err
}

func (r *reports) take() map[string]*evidence {
	r.mu.Lock()
	defer r.mu.Unlock()
	batch := r.pending
	r.pending = make(map[string]*evidence, len(batch))
	return batch
}

// putBack returns what was not written, beneath what has come since.
func (r *reports) putBack(batch map[string]*evidence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, old := range batch {
		newer := r.pending[id]
		if newer == nil {
			r.pending[id] = old
			continue
		}
		if newer.full == nil {
			newer.full = old.full
		}
		if newer.metrics == nil {
			newer.metrics = old.metrics
		}
	}
}

// writeEvidence takes two statements for any number of nodes: whole reports where something changed, signs of life for the rest.
func (s *store) writeEvidence(ctx context.Context, batch map[string]*evidence) error {
	var changed, alive evidenceColumns
	for id, e := range batch {
		if e.full != nil {
			changed.add(id, e)
		}
		alive.add(id, e)
	}
	if len(changed.ids) > 0 {
		if _, err := s.db.Pool.Exec(ctx, writeReports, changed.ids, changed.seen, changed.states, changed.revisions, changed.hashes,
			changed.cloned, changed.reports, changed.surroundings); err != nil {
			return fmt.Errorf("writing reports: %w", err)
		}
	}
	if len(alive.ids) > 0 {
		if _, err := s.db.Pool.Exec(ctx, writeSigns, alive.ids, alive.seen, alive.metrics, alive.cpu, alive.tx); err != nil {
			return fmt.Errorf("writing signs of life: %w", err)
		}
	}
	return nil
}

// A node that is deleted meanwhile is left out by the join.
const (
	writeReports = `insert into node_reports as r (node_id, seen_at, core_state, config_revision, config_hash, cloned, report, surroundings)
		select u.id, u.seen, u.state, u.revision, u.hash, u.cloned, u.report, u.around
		from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::bigint[], $5::text[], $6::boolean[], $7::jsonb[], $8::jsonb[])
			u(id, seen, state, revision, hash, cloned, report, around) join nodes n on n.id = u.id
		order by u.id
		on conflict (node_id) do update set seen_at = greatest(r.seen_at, excluded.seen_at), core_state = excluded.core_state,
			config_revision = excluded.config_revision, config_hash = excluded.config_hash, cloned = excluded.cloned,
			report = excluded.report, surroundings = excluded.surroundings`
	writeSigns = `with u as (
			select * from unnest($1::uuid[], $2::timestamptz[], $3::jsonb[], $4::float8[], $5::float8[]) u(id, seen, metrics, cpu, tx)
		), reported as (
			update node_reports r set seen_at = greatest(r.seen_at, u.seen), metrics = coalesce(u.metrics, r.metrics) from u where r.node_id = u.id
		)
		update node_readings m set seen_at = greatest(m.seen_at, u.seen), cpu_pct = coalesce(u.cpu, m.cpu_pct), net_tx_bps = coalesce(u.tx, m.net_tx_bps)
		from u where m.node_id = u.id`
)

// evidenceColumns are the arrays of the two statements.
type evidenceColumns struct {
	ids, states, hashes   []string
	seen                  []time.Time
	revisions             []int64
	cloned                []bool
	reports, surroundings []string
	metrics               []*string
	cpu, tx               []*float64
}

func (c *evidenceColumns) add(id string, e *evidence) {
	c.ids, c.seen = append(c.ids, id), append(c.seen, e.seen)
	c.measured(e.metrics)
	if e.full == nil {
		return
	}
	core := e.full.core
	c.states, c.hashes = append(c.states, orElse(string(core.State), "unknown")), append(c.hashes, core.ConfigHash)
	c.revisions, c.cloned = append(c.revisions, core.ConfigRevision), append(c.cloned, e.full.cloned)
	c.reports, c.surroundings = append(c.reports, e.full.report), append(c.surroundings, e.full.surroundings)
}

// measured adds the newest sample, or nothing in its places.
func (c *evidenceColumns) measured(s *agentapi.Sample) {
	if s == nil {
		c.metrics, c.cpu, c.tx = append(c.metrics, nil), append(c.cpu, nil), append(c.tx, nil)
		return
	}
	short := *s
	short.Traffic = nil
	text, _ := json.Marshal(short) // finite numbers always encode; others were refused
	shown := string(text)
	c.metrics, c.cpu, c.tx = append(c.metrics, &shown), append(c.cpu, &short.CPUPercent), append(c.tx, &short.NetTxBps)
}

// announce lists each node under its derived state and publishes each change of it once, over all panels and restarts: the
// statement that notes it decides who tells. Rows are locked in one order for all, against deadlocks. Right after a start, silence is not yet evidence, because the panel itself was away.
func (r *reports) announce(ctx context.Context) {
	now := r.clock.Now().UTC()
	quiet := []string{""}
	if now.Sub(r.began) < 10*r.store.heartbeat {
		quiet = []string{"offline", "degraded"}
	}
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	var turned []struct{ ID, Name, Was, State string }
	err := r.db.NewRaw(`with s as (
			select n.id, n.announced_state as was, e.state, e.state <> n.announced_state and not e.state = any(?) as told
			from nodes n left join node_reports r on r.node_id = n.id, lateral (select `+r.store.stateAt(now)+` as state) e
			where n.listed_state <> e.state or e.state <> n.announced_state and not e.state = any(?)
			order by n.id for no key update of n
		), written as (
			update nodes n set listed_state = s.state, announced_state = case when s.told then s.state else s.was end
			from s where n.id = s.id returning n.id, n.name, s.was, s.state, s.told
		)
		select id, name, was, state from written where told`, pgdialect.Array(quiet), pgdialect.Array(quiet)).Scan(ctx, &turned)
	if err != nil {
		r.log.Debug("looking for nodes that changed", zap.Error(err))
		return
	}
	for _, t := range turned {
		if t.State == "online" || t.State == "offline" || t.State == "degraded" {
			r.bus.Publish(ctx, events.Event{
				Kind: "node." + t.State, SubjectType: "node", SubjectID: t.ID, At: now, Permission: View,
				Data: map[string]string{"name": t.Name, "was": t.Was, "state": t.State},
			})
		}
	}
}
