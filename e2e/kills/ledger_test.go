package kills

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"panel/e2e/rig"
	"panel/platform/agentapi"
)

// ledger is what the panel has acknowledged with 2xx, as its clients wrote it down.
type ledger struct {
	mu      sync.Mutex
	nodes   map[string]string // id by name
	labels  []string          // of enrolment tokens
	drafts  map[string]draft  // newest acknowledged draft by flow
	samples int64
	batches map[string]int64 // acknowledged number by node
	unclear int              // calls without an answer: done or not, both are right

	acked atomic.Int64 // of all kinds, for the moments of kills
}

// draft is the newest acknowledged one of a flow; a later one may have been stored without an answer.
type draft struct{ revision, sent int }

func newLedger() *ledger {
	return &ledger{nodes: map[string]string{}, drafts: map[string]draft{}, batches: map[string]int64{}}
}

func (l *ledger) note(write func()) {
	l.mu.Lock()
	write()
	l.mu.Unlock()
	l.acked.Add(1)
}

// writer calls the panel without a pause until its context ends. An error without an answer is what a kill looks like.
type writer struct {
	api  *rig.API
	book *ledger
	name string
}

func (w *writer) unanswered(ctx context.Context, err error) {
	w.book.mu.Lock()
	w.book.unclear++
	w.book.mu.Unlock()
	select { // a panel that is down is asked again soon
	case <-ctx.Done():
	case <-time.After(5 * time.Millisecond):
	}
}

// nodes adds nodes under names that are used once.
func (w *writer) nodes(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		name := fmt.Sprintf("%s %06d", w.name, n)
		var made struct {
			ID string `json:"id"`
		}
		if err := w.api.Post(ctx, "/api/v1/nodes", map[string]any{"name": name, "tags": []string{"kills"}},
			&made); err != nil {
			w.unanswered(ctx, err)
			continue
		}
		w.book.note(func() { w.book.nodes[name] = made.ID })
	}
}

// tokens issues enrolment tokens under labels that are used once.
func (w *writer) tokens(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		label := fmt.Sprintf("%s %06d", w.name, n)
		if err := w.api.Post(ctx, "/api/v1/nodes/enrollment-tokens", map[string]any{"kind": "one_off", "label": label},
			nil); err != nil {
			w.unanswered(ctx, err)
			continue
		}
		w.book.note(func() { w.book.labels = append(w.book.labels, label) })
	}
}

// drafts saves one flow's draft again and again; the title of its only block tells which one is stored.
func (w *writer) drafts(ctx context.Context, flow string) {
	for n := 1; ctx.Err() == nil; n++ {
		var stored struct {
			Revision int `json:"draft_revision"`
		}
		if err := w.api.Get(ctx, "/api/v1/connection-units/"+flow, &stored); err != nil {
			w.unanswered(ctx, err)
			continue
		}
		if err := w.api.Put(ctx, "/api/v1/connection-units/"+flow+"/draft", drawing(stored.Revision, n),
			nil); err != nil {
			w.unanswered(ctx, err)
			continue
		}
		w.book.note(func() { w.book.drafts[flow] = draft{revision: stored.Revision + 1, sent: n} })
	}
}

func drawing(revision, number int) map[string]any {
	block := map[string]any{"key": "stop", "kind": "block", "title": fmt.Sprintf("draft %d", number)}
	return map[string]any{"revision": revision, "graph": map[string]any{"nodes": []any{block}, "edges": []any{}}}
}

const samplesPerBatch = 20

// telemetry delivers numbered batches; one that is not acknowledged is repeated unchanged, as the agent does.
func (w *writer) telemetry(ctx context.Context, began time.Time) {
	for seq := int64(1); ctx.Err() == nil; {
		batch := agentapi.MetricsBatch{StreamID: "kills", Seq: seq, Samples: samplesOf(began, seq)}
		var reply agentapi.MetricsReply
		err := w.api.Call(ctx, http.MethodPost, agentapi.PathMetrics, batch, &reply)
		if err != nil || reply.AckedSeq < seq {
			w.unanswered(ctx, err)
			continue
		}
		w.book.note(func() { w.book.samples += samplesPerBatch; w.book.batches[w.name] = seq })
		seq++
	}
}

// samplesOf gives every sample of an agent a moment of its own, by which it is found again.
func samplesOf(began time.Time, seq int64) []agentapi.Sample {
	samples := make([]agentapi.Sample, samplesPerBatch)
	for i := range samples {
		at := began.Add(time.Duration(seq*samplesPerBatch+int64(i)) * time.Millisecond)
		samples[i] = agentapi.Sample{
			ObservedAt:    at,
			CPUPercent:    1,
			Load1:         1,
			MemUsed:       1,
			MemTotal:      2,
			DiskUsed:      1,
			DiskTotal:     2,
			UptimeSeconds: 1,
		}
	}
	return samples
}
