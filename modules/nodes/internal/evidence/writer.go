// Package evidence is what agents show of themselves: it writes their reports for many nodes at once, derives each
// node's state from them and announces the states that changed.
package evidence

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/ingest"
)

// Writer holds what agents say in memory for a moment and writes it for many nodes at once. What is lost with a crash
// is at most a second of evidence that every agent repeats with its next heartbeat.
type Writer struct {
	db        *database.DB
	announcer *Announcer
	clock     clockwork.Clock
	log       *zap.Logger
	wake      chan struct{}

	mu      sync.Mutex
	pending map[string]*evidence
	known   map[string]*lastWritten
}

// evidence is what a node has shown since the last write.
type evidence struct {
	seen    time.Time
	full    *fullReport // nil: unchanged
	digest  string      // of the last heartbeat; empty: none came, or what it says cannot be stored
	metrics *agentapi.Sample
}

// mere says that the node shows nothing but that it lives: it has sent a frame that is no heartbeat.
func (e *evidence) mere() bool { return e.full == nil && e.metrics == nil && e.digest == "" }

type fullReport struct {
	core   agentapi.CoreReport
	cloned bool
	report string
	host   string
}

// lastWritten remembers of each node what was written, to write only changes, and its last agent processes.
type lastWritten struct {
	digest        string
	unstorable    string // a digest
	session, last string
	clonedUntil   time.Time
	coreStart     time.Time // zero: no core ran
	at            time.Time // of the last write
}

const (
	flushEvery = time.Second
	flushPause = 100 * time.Millisecond
	writeLimit = 5 * time.Second
	clonedFor  = 10 * time.Minute

	// startJitter is how far the start of one and the same core may seem to move: seconds are rounded, and heartbeats
	// take their time on the way.
	startJitter = 10 * time.Second
)

// NewWriter makes the writer of a panel.
func NewWriter(db *database.DB, a *Announcer, clock clockwork.Clock, log *zap.Logger) *Writer {
	return &Writer{
		db: db, announcer: a, clock: clock, log: log, wake: make(chan struct{}, 1), pending: map[string]*evidence{},
		known: map[string]*lastWritten{},
	}
}

// Heartbeat notes a heartbeat. What changed is written at once, a mere sign of life with the next batch.
func (w *Writer) Heartbeat(nodeID string, beat *agentapi.Heartbeat) {
	now := w.clock.Now().UTC()
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.evidence(nodeID, now)
	k := w.lastWritten(nodeID)
	cloned := k.cloned(beat.SessionID, now)
	digest := lasting(beat, cloned)
	if digest == k.unstorable {
		return
	}
	start := coreStart(&beat.Core, now)
	if e.digest = digest; digest == k.digest && start.Sub(k.coreStart).Abs() <= startJitter {
		return
	}
	k.digest, k.coreStart, e.full = digest, start, fullOf(beat, cloned, digest, now)
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Alive notes a sign of life that is no heartbeat.
func (w *Writer) Alive(nodeID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.evidence(nodeID, w.clock.Now().UTC())
}

// Measured notes the newest sample of a batch that is stored.
func (w *Writer) Measured(nodeID string, newest *agentapi.Sample) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.evidence(nodeID, w.clock.Now().UTC())
	if e.metrics == nil || newest.ObservedAt.After(e.metrics.ObservedAt) {
		e.metrics = newest
	}
}

func (w *Writer) evidence(nodeID string, now time.Time) *evidence {
	e := w.pending[nodeID]
	if e == nil {
		e = &evidence{}
		w.pending[nodeID] = e
	}
	e.seen = now
	return e
}

func (w *Writer) lastWritten(nodeID string) *lastWritten {
	k := w.known[nodeID]
	if k == nil {
		k = &lastWritten{}
		w.known[nodeID] = k
	}
	return k
}

// lasting is a digest without what changes with every heartbeat. It is made of each of them, its full form only of a
// few.
func lasting(beat *agentapi.Heartbeat, cloned bool) string {
	lasts := *beat
	lasts.SentAt, lasts.Core.UptimeSeconds = time.Time{}, 0
	sum := sha256.New()
	_ = httpapi.Encode(sum, &struct {
		agentapi.Heartbeat
		Cloned bool
	}{lasts, cloned}) // plain values always encode
	return hex.EncodeToString(sum.Sum(nil))
}

// coreStart is when the serving core started, by the panel's clock; zero where none runs.
func coreStart(core *agentapi.CoreReport, now time.Time) time.Time {
	if core.State != agentapi.CoreRunning {
		return time.Time{}
	}
	return now.Add(-time.Duration(core.UptimeSeconds) * time.Second)
}

func fullOf(beat *agentapi.Heartbeat, cloned bool, digest string, now time.Time) *fullReport {
	full := &fullReport{core: beat.Core, cloned: cloned}
	full.report, full.host = encoded(beat, digest, now)
	return full
}

// cloned notices two agent processes that take turns under one identity: a copied server.
func (k *lastWritten) cloned(session string, now time.Time) bool {
	if session != k.session {
		if session == k.last && session != "" {
			k.clonedUntil = now.Add(clonedFor)
		}
		k.session, k.last = session, k.session
	}
	return now.Before(k.clonedUntil)
}

func encoded(beat *agentapi.Heartbeat, digest string, now time.Time) (shown, host string) {
	short, _ := json.Marshal(Report{
		AgentVersion: beat.AgentVersion, Protocol: beat.Protocol, OS: beat.OS, Arch: beat.Arch, Hostname: beat.Hostname,
		Capabilities: beat.Capabilities, SkewMillis: skew(beat, now), Core: beat.Core, PanelURL: beat.PanelURL,
		CoreStart: coreStart(&beat.Core, now), Digest: digest,
	}) // plain values always encode
	long, _ := json.Marshal(HostFacts{
		Sockets: beat.Sockets, Addresses: beat.Addresses, Firewall: beat.Firewall,
		Documents: beat.Documents,
	})
	return string(short), string(long)
}

func skew(beat *agentapi.Heartbeat, now time.Time) int64 {
	if beat.SentAt.IsZero() {
		return 0
	}
	return beat.SentAt.Sub(now).Milliseconds()
}

// Forget drops what is known of a node whose identity changed hands.
func (w *Writer) Forget(nodeID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.known, nodeID)
}

// Run writes once a second, sooner when something changed, and lets the announcer know.
func (w *Writer) Run(ctx context.Context) error {
	ticker := w.clock.NewTicker(flushEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			w.put(context.WithoutCancel(ctx), w.take())
			return nil
		case <-ticker.Chan():
		case <-w.wake:
			w.settle(ctx)
		}
		w.write(ctx)
	}
}

// settle waits a moment for what else changes, so that a storm of changes shares a statement.
func (w *Writer) settle(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-w.clock.After(flushPause):
	}
}

func (w *Writer) write(ctx context.Context) { w.put(ctx, w.due()) }

func (w *Writer) put(ctx context.Context, batch map[string]*evidence) {
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	err := w.store(ctx, batch)
	if ingest.Unstorable(err) {
		err = w.bisect(ctx, batch)
	}
	if err != nil {
		w.log.Warn("reports of agents wait in memory until the database answers", zap.Error(err))
		w.putBack(batch)
		return
	}
	w.report(batch)
}

// report lets the announcer know what is stored now.
func (w *Writer) report(batch map[string]*evidence) {
	w.stored(batch)
	var changed []string
	for id, e := range batch {
		if e.full != nil {
			changed = append(changed, id)
		} else {
			w.announcer.moments.seenAt(id, e.seen)
		}
	}
	w.announcer.Changed(changed...)
}

// bisect stores of an agent whose words cannot be stored that it lives, and of the others everything.
func (w *Writer) bisect(ctx context.Context, batch map[string]*evidence) error {
	var bare []string
	err := ingest.Bisect(slices.Collect(maps.Keys(batch)), func(ids []string) error {
		part := make(map[string]*evidence, len(ids))
		for _, id := range ids {
			part[id] = batch[id]
		}
		return w.store(ctx, part)
	}, func(id string, err error) {
		w.log.Warn("what an agent reports cannot be stored and is dropped", zap.String("node", id), zap.Error(err))
		w.refuse(id, batch[id].digest)
		batch[id] = &evidence{seen: batch[id].seen}
		bare = append(bare, id)
	})
	for _, id := range bare {
		err = errors.Join(err, w.store(ctx, map[string]*evidence{id: batch[id]}))
	}
	return err
}

// refuse remembers what cannot be stored, so that its repetition is a sign of life alone.
func (w *Writer) refuse(nodeID, digest string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	k := w.lastWritten(nodeID)
	k.digest, k.unstorable = "", digest
}

// elsewhere makes the next heartbeats of nodes be written whole whose stored reports are not those that came here:
// their agents have said something else to another panel meanwhile.
func (w *Writer) elsewhere(nodeIDs []string, batch map[string]*evidence) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range nodeIDs {
		if k := w.lastWritten(id); k.digest == batch[id].digest {
			k.digest = ""
		}
	}
}

// stored remembers when these nodes were written.
func (w *Writer) stored(batch map[string]*evidence) {
	now := w.clock.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range batch {
		w.lastWritten(id).at = now
	}
}

// signsPerHeartbeat bounds how often mere signs of life of a node are written. Each frame of an apply is one, and a
// state changes after two heartbeats of silence at the earliest.
const signsPerHeartbeat = 3

// due takes what is to be written now. A mere sign of life waits for a while after the write before.
func (w *Writer) due() map[string]*evidence {
	now, apart := w.clock.Now(), w.announcer.heartbeat/signsPerHeartbeat
	w.mu.Lock()
	defer w.mu.Unlock()
	batch := make(map[string]*evidence, len(w.pending))
	for id, e := range w.pending {
		since := now.Sub(w.lastWritten(id).at)
		if e.mere() && since >= 0 && since < apart {
			continue
		}
		batch[id] = e
		delete(w.pending, id)
	}
	return batch
}

func (w *Writer) take() map[string]*evidence {
	w.mu.Lock()
	defer w.mu.Unlock()
	batch := w.pending
	w.pending = make(map[string]*evidence, len(batch))
	return batch
}

// putBack returns what was not written, beneath what has come since.
func (w *Writer) putBack(batch map[string]*evidence) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, old := range batch {
		newer := w.pending[id]
		if newer == nil {
			w.pending[id] = old
			continue
		}
		if newer.full == nil {
			newer.full = old.full
		}
		newer.digest = cmp.Or(newer.digest, old.digest)
		if newer.metrics == nil {
			newer.metrics = old.metrics
		}
	}
}
