package documents

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/link"
	"panel/platform/agentapi"
)

const (
	applyLimit   = time.Minute
	firstRetry   = 2 * time.Second
	longestRetry = time.Minute
	mostAttempts = 3 // attempts of one revision that may end the agent
)

// Refuse marks an error of Apply as final: the content can never be applied on this node.
func Refuse(err error) error { return &refusal{err} }

type refusal struct{ error }

// Unwrap gives the cause.
func (r *refusal) Unwrap() error { return r.error }

// holder is one document on this node. One goroutine at a time works on it.
type holder struct {
	Options
	document Document
	store    store
	wake     chan struct{}
	retry    link.Backoff
	good     agentapi.Document    // the last one that was in force
	inForce  bool                 // it is, in this run of the agent
	refused  agentapi.DocumentRef // not tried again

	mu     sync.Mutex
	wanted agentapi.DocumentRef
	shown  agentapi.DocumentStatus
}

func newHolder(o Options, d Document) (*holder, error) {
	h := &holder{
		Options: o, document: d, store: store{dir: o.Dir, name: d.Name}, wake: make(chan struct{}, 1),
		retry: link.Backoff{First: firstRetry, Longest: longestRetry}, shown: agentapi.DocumentStatus{Name: d.Name},
	}
	h.Log = o.Log.With(zap.String("document", string(d.Name)))
	var err error
	h.good, err = h.store.open()
	return h, err
}

// boot applies the last good revision; where that fails, run tries it again.
func (h *holder) boot(ctx context.Context) {
	if h.good.Revision == 0 {
		return
	}
	if err := h.apply(ctx, h.good.Content); err != nil {
		h.failed(h.good.DocumentRef, err)
		return
	}
	h.enter(h.good)
}

func (h *holder) want(ref agentapi.DocumentRef) {
	h.mu.Lock()
	changed := h.wanted != ref
	h.wanted = ref
	h.mu.Unlock()
	if changed {
		select {
		case h.wake <- struct{}{}:
		default:
		}
	}
}

func (h *holder) run(ctx context.Context) {
	for {
		var again <-chan time.Time
		if pause := h.follow(ctx); pause > 0 {
			again = h.Clock.After(pause)
		}
		select {
		case <-ctx.Done():
			return
		case <-h.wake:
		case <-again:
		}
	}
}

// follow takes one step toward what is wanted and returns the pause before the next; 0 = at the next change.
func (h *holder) follow(ctx context.Context) time.Duration {
	target := h.target()
	if target.Revision == 0 || target == h.refused || h.inForce && target == h.good.DocumentRef {
		return 0
	}
	next, err := h.take(ctx, target)
	if err != nil {
		h.Log.Info("the wanted revision is not here yet; it is fetched again", zap.Int64("revision", target.Revision),
			zap.Error(err))
		return h.retry.Next()
	}
	if next.DocumentRef == h.refused || h.inForce && next.DocumentRef == h.good.DocumentRef {
		return 0 // an older message of the panel came late, and there is nothing newer
	}
	return h.install(ctx, next)
}

// target is what the panel wants, or what was in force before, until the panel says anything.
func (h *holder) target() agentapi.DocumentRef {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wanted.Revision == 0 {
		return h.good.DocumentRef
	}
	return h.wanted
}

// take gives a document from the disk where its content is there, else from the panel, which gives the newest.
func (h *holder) take(ctx context.Context, target agentapi.DocumentRef) (agentapi.Document, error) {
	if target.Hash == h.good.Hash {
		return agentapi.Document{DocumentRef: target, Content: h.good.Content}, nil
	}
	if next := h.store.attempt(); next.Document.Hash == target.Hash {
		return agentapi.Document{DocumentRef: target, Content: next.Document.Content}, nil
	}
	return h.Source.Document(ctx, h.document.Name)
}

// install writes the revision down, applies it and makes it the last good one. An attempt is counted before it begins,
// so that a revision that ends the whole agent is given up.
func (h *holder) install(ctx context.Context, next agentapi.Document) time.Duration {
	if h.inForce && next.Hash == h.good.Hash {
		return h.commit(next)
	}
	attempts := 0
	if before := h.store.attempt(); before.Document.Hash == next.Hash {
		attempts = before.Attempts
	}
	if attempts >= mostAttempts {
		return h.failed(next.DocumentRef, Refuse(errors.New("the agent ended each time that it applied this revision")))
	}
	if err := h.store.begin(attempt{Document: next, Attempts: attempts + 1}); err != nil {
		return h.failed(next.DocumentRef, err)
	}
	err := h.apply(ctx, next.Content)
	if err == nil {
		return h.commit(next)
	}
	if err := h.store.begin(attempt{Document: next, Attempts: attempts}); err != nil {
		h.Log.Warn("an attempt that did not end the agent counts as one that did", zap.Error(err))
	}
	if ctx.Err() != nil {
		return 0
	}
	return h.failed(next.DocumentRef, err)
}

func (h *holder) commit(next agentapi.Document) time.Duration {
	if err := h.store.commit(next); err != nil {
		return h.failed(next.DocumentRef, err)
	}
	h.enter(next)
	if h.target() != next.DocumentRef {
		return h.retry.Next()
	}
	return 0
}

// apply gives the part of the agent a bounded time; its panic costs the revision, not the agent.
func (h *holder) apply(ctx context.Context, content json.RawMessage) (err error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(h.document.Limit, applyLimit))
	defer cancel()
	defer func() {
		if cause := recover(); cause != nil {
			h.Log.Error("applying a document failed", zap.Any("panic", cause), zap.ByteString("stack", debug.Stack()))
			err = Refuse(fmt.Errorf("apply the document %s: the agent failed; its log says where", h.document.Name))
		}
	}()
	return h.document.Apply(ctx, content)
}

// enter notes what is in force now.
func (h *holder) enter(now agentapi.Document) {
	h.good, h.inForce, h.refused = now, true, agentapi.DocumentRef{}
	h.retry.Reset()
	h.show(agentapi.DocumentStatus{Name: h.document.Name, Revision: now.Revision, Hash: now.Hash})
}

// failed reports a revision and returns the pause before it is tried again; 0 for one that is refused.
func (h *holder) failed(ref agentapi.DocumentRef, err error) time.Duration {
	h.Log.Warn("a revision could not be applied", zap.Int64("revision", ref.Revision), zap.Error(err))
	status := agentapi.DocumentStatus{Name: h.document.Name, FailedRevision: ref.Revision, Error: clip(err.Error())}
	if h.inForce {
		status.Revision, status.Hash = h.good.Revision, h.good.Hash
	}
	h.show(status)
	var final *refusal
	if errors.As(err, &final) {
		h.refused = ref
		return 0
	}
	return h.retry.Next()
}

func clip(text string) string { return text[:min(len(text), agentapi.MaxTail)] }

func (h *holder) show(status agentapi.DocumentStatus) {
	h.mu.Lock()
	changed := h.shown != status
	h.shown = status
	h.mu.Unlock()
	if changed {
		h.Changed()
	}
}

func (h *holder) status() agentapi.DocumentStatus {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.shown
}
