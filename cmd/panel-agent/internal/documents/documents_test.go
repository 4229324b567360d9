package documents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/agentapi"
)

// panel gives documents from memory.
type panel struct {
	mu      sync.Mutex
	newest  map[agentapi.DocumentName]agentapi.Document
	fetches int
	down    bool
}

func newPanel() *panel { return &panel{newest: map[agentapi.DocumentName]agentapi.Document{}} }

func (p *panel) set(name agentapi.DocumentName, revision int64, content string) agentapi.DocumentRef {
	hash, _ := agentapi.HashContent([]byte(content))
	ref := agentapi.DocumentRef{Name: name, Revision: revision, Hash: hash}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.newest[name] = agentapi.Document{DocumentRef: ref, Content: []byte(content)}
	return ref
}

func (p *panel) Document(_ context.Context, name agentapi.DocumentName) (agentapi.Document, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return agentapi.Document{}, errors.New("unreachable")
	}
	p.fetches++
	return p.newest[name], nil
}

// part remembers what was applied to it.
type part struct {
	mu      sync.Mutex
	applied []string
	err     error
}

func (p *part) apply(_ context.Context, content json.RawMessage) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if string(content) == `"panic"` {
		panic("a part is broken")
	}
	if p.err != nil {
		return p.err
	}
	p.applied = append(p.applied, string(content))
	return nil
}

func (p *part) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
}

func (p *part) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.applied...)
}

// bench is one run of a keeper.
type bench struct {
	*Keeper
	t     *testing.T
	clock *clockwork.FakeClock
}

func run(t *testing.T, dir string, source Source, documents ...Document) *bench {
	t.Helper()
	clock := clockwork.NewFakeClock()
	k, err := Open(Options{Dir: dir, Source: source, Clock: clock, Log: zap.NewNop(), Changed: func() {}}, documents)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	k.Boot(ctx)
	done := make(chan struct{})
	go func() { defer close(done); k.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return &bench{Keeper: k, t: t, clock: clock}
}

func (b *bench) until(name agentapi.DocumentName, holds func(agentapi.DocumentStatus) bool) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		for _, status := range b.Status() {
			if status.Name == name {
				return holds(status)
			}
		}
		return false
	}, 60*time.Second, time.Millisecond)
}

// untilAfterPauses lets every pause end that begins meanwhile: a wish that came while the keeper looked makes it try at
// once and begin another one.
func (b *bench) untilAfterPauses(name agentapi.DocumentName, holds func(agentapi.DocumentStatus) bool) {
	b.t.Helper()
	b.until(name, func(s agentapi.DocumentStatus) bool {
		b.clock.Advance(longestRetry)
		return holds(s)
	})
}

func at(revision int64) func(agentapi.DocumentStatus) bool {
	return func(s agentapi.DocumentStatus) bool { return s.Revision == revision && s.FailedRevision == 0 }
}

const (
	blocks  = agentapi.DocumentBlocks
	pools   = agentapi.DocumentPools
	watches = agentapi.DocumentWatches
)

func TestADocumentIsFetchedAppliedAndHeldWithoutThePanel(t *testing.T) {
	t.Parallel()
	dir, p, first := t.TempDir(), newPanel(), &part{}
	b := run(t, dir, p, Document{Name: blocks, Apply: first.apply})
	b.Desired([]agentapi.DocumentRef{p.set(blocks, 1, `{"ips":[1]}`)})
	b.until(blocks, at(1))
	b.Desired([]agentapi.DocumentRef{p.set(blocks, 2, `{"ips":[2]}`)})
	b.until(blocks, at(2))
	require.Equal(t, []string{`{"ips":[1]}`, `{"ips":[2]}`}, first.all())

	p.down = true
	second := &part{}
	again := run(t, dir, p, Document{Name: blocks, Apply: second.apply})
	again.until(blocks, at(2))
	require.Equal(t, []string{`{"ips":[2]}`}, second.all(), "the last good revision is applied at the start")
}

func TestTheSameContentUnderANewRevisionIsNeitherFetchedNorAppliedAgain(t *testing.T) {
	t.Parallel()
	p, only := newPanel(), &part{}
	b := run(t, t.TempDir(), p, Document{Name: blocks, Apply: only.apply})
	b.Desired([]agentapi.DocumentRef{p.set(blocks, 1, `{"a":1,"b":2}`)})
	b.until(blocks, at(1))
	b.Desired([]agentapi.DocumentRef{p.set(blocks, 2, `{"b":2,"a":1}`)})
	b.until(blocks, at(2))
	require.Len(t, only.all(), 1)
	require.Equal(t, 1, p.fetches)
}

// A message that was on its way while the next revision came does not bring the old one back.
func TestAnOlderMessageThatComesLateChangesNothing(t *testing.T) {
	t.Parallel()
	p, only := newPanel(), &part{}
	b := run(t, t.TempDir(), p, Document{Name: blocks, Apply: only.apply})
	old := p.set(blocks, 1, `1`)
	newer := p.set(blocks, 2, `2`)
	b.Desired([]agentapi.DocumentRef{newer})
	b.until(blocks, at(2))
	before := p.fetches
	b.Desired([]agentapi.DocumentRef{old})
	require.Eventually(t, func() bool { p.mu.Lock(); defer p.mu.Unlock(); return p.fetches > before }, 5*time.Second,
		time.Millisecond)
	b.Desired([]agentapi.DocumentRef{newer})
	b.until(blocks, at(2))
	require.Equal(t, []string{`2`}, only.all())
}

func TestADocumentThatFailsLeavesTheOthersAndItsOwnLastGoodOne(t *testing.T) {
	t.Parallel()
	dir, p, bad, good := t.TempDir(), newPanel(), &part{}, &part{}
	b := run(t, dir, p, Document{Name: blocks, Apply: bad.apply}, Document{Name: pools, Apply: good.apply})
	b.Desired([]agentapi.DocumentRef{p.set(blocks, 1, `1`)})
	b.until(blocks, at(1))
	bad.fail(Refuse(errors.New("no such table")))
	b.Desired([]agentapi.DocumentRef{p.set(blocks, 2, `2`), p.set(pools, 7, `7`)})
	b.until(pools, at(7))
	b.until(blocks, func(s agentapi.DocumentStatus) bool {
		return s.Revision == 1 && s.FailedRevision == 2 && s.Error == "no such table"
	})
	bad.fail(nil)
	b.Desired([]agentapi.DocumentRef{p.set(blocks, 3, `3`)})
	b.until(blocks, at(3))
	require.Equal(t, []string{`1`, `3`}, bad.all())
}

func TestAFailureThatMayPassIsTriedAgainWithoutAnotherFetch(t *testing.T) {
	t.Parallel()
	p, only := newPanel(), &part{}
	only.fail(errors.New("the disk is full"))
	b := run(t, t.TempDir(), p, Document{Name: blocks, Apply: only.apply})
	b.Desired([]agentapi.DocumentRef{p.set(blocks, 1, `1`)})
	b.until(blocks, func(s agentapi.DocumentStatus) bool { return s.FailedRevision == 1 })
	only.fail(nil)
	b.untilAfterPauses(blocks, at(1))
	require.Equal(t, 1, p.fetches)
}

func TestAPanicOfAPartCostsTheRevisionAlone(t *testing.T) {
	t.Parallel()
	p, broken, other := newPanel(), &part{}, &part{}
	b := run(t, t.TempDir(), p, Document{Name: blocks, Apply: broken.apply}, Document{Name: pools, Apply: other.apply})
	b.Desired([]agentapi.DocumentRef{p.set(blocks, 1, `"panic"`), p.set(pools, 1, `1`)})
	b.until(pools, at(1))
	b.until(blocks, func(s agentapi.DocumentStatus) bool { return s.FailedRevision == 1 && s.Error != "" })
}

// A part that hangs for as long as it may does not hold up another document.
func TestADocumentThatHangsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	p, other := newPanel(), &part{}
	hangs := func(ctx context.Context, _ json.RawMessage) error { <-ctx.Done(); return ctx.Err() }
	b := run(t, t.TempDir(), p, Document{Name: blocks, Apply: hangs}, Document{Name: pools, Apply: other.apply})
	b.Desired([]agentapi.DocumentRef{p.set(blocks, 1, `1`), p.set(pools, 1, `1`)})
	b.until(pools, at(1))
}

// What a kill leaves on the disk at each step of an installation: fetched and counted, applied, written, forgotten.
func TestAKillAtAnyStepOfAnInstallationConverges(t *testing.T) {
	t.Parallel()
	first, second := newPanel().set(blocks, 1, `1`), newPanel().set(blocks, 2, `2`)
	old := agentapi.Document{DocumentRef: first, Content: []byte(`1`)}
	next := agentapi.Document{DocumentRef: second, Content: []byte(`2`)}
	steps := map[string]func(s store){
		"before anything": func(s store) { require.NoError(t, s.commit(old)) },
		"fetched": func(s store) {
			require.NoError(t, s.commit(old))
			require.NoError(t, s.begin(attempt{next, 1}))
		},
		"written, not cleaned": func(s store) {
			require.NoError(t, s.commit(next))
			require.NoError(t, s.begin(attempt{next, 1}))
		},
		"damaged": func(s store) {
			require.NoError(t, os.WriteFile(s.goodPath(), []byte(`{"content":`), 0o600))
			require.NoError(t, os.WriteFile(s.nextPath(), []byte(`{`), 0o600))
		},
	}
	for name, leave := range steps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, p, only := t.TempDir(), newPanel(), &part{}
			leave(store{dir: dir, name: blocks})
			b := run(t, dir, p, Document{Name: blocks, Apply: only.apply})
			b.Desired([]agentapi.DocumentRef{p.set(blocks, 2, `2`)})
			b.until(blocks, at(2))
			applied := only.all()
			require.Equal(t, `2`, applied[len(applied)-1])
			require.NoFileExists(t, filepath.Join(dir, "blocks.next.json.tmp"))
		})
	}
}

// A revision during which the agent ends time after time is given up, so that the agent can serve with the last good
// one.
func TestARevisionThatKeepsEndingTheAgentIsGivenUp(t *testing.T) {
	t.Parallel()
	dir, p, only := t.TempDir(), newPanel(), &part{}
	s := store{dir: dir, name: blocks}
	require.NoError(t, s.commit(agentapi.Document{DocumentRef: p.set(blocks, 1, `1`), Content: []byte(`1`)}))
	poison := p.set(blocks, 2, `2`)
	require.NoError(t, s.begin(attempt{agentapi.Document{DocumentRef: poison, Content: []byte(`2`)}, mostAttempts}))
	b := run(t, dir, p, Document{Name: blocks, Apply: only.apply})
	b.Desired([]agentapi.DocumentRef{poison})
	b.until(blocks, func(s agentapi.DocumentStatus) bool { return s.Revision == 1 && s.FailedRevision == 2 })
	require.Equal(t, []string{`1`}, only.all())
	b.Desired([]agentapi.DocumentRef{p.set(blocks, 3, `3`)})
	b.until(blocks, at(3))
}

func TestALastGoodRevisionThatFailsAtTheStartIsTriedAgain(t *testing.T) {
	t.Parallel()
	dir, p, only := t.TempDir(), newPanel(), &part{}
	p.down = true
	require.NoError(t, store{dir: dir, name: blocks}.commit(agentapi.Document{
		DocumentRef: p.set(blocks, 1, `1`),
		Content:     []byte(`1`),
	}))
	only.fail(errors.New("not yet"))
	b := run(t, dir, p, Document{Name: blocks, Apply: only.apply})
	b.until(blocks, func(s agentapi.DocumentStatus) bool { return s.Revision == 0 && s.FailedRevision == 1 })
	require.NoError(t, b.clock.BlockUntilContext(t.Context(), 1))
	only.fail(nil)
	b.untilAfterPauses(blocks, at(1))
}

func TestAnUnreachablePanelIsAskedAgain(t *testing.T) {
	t.Parallel()
	p, only := newPanel(), &part{}
	p.down = true
	b := run(t, t.TempDir(), p, Document{Name: blocks, Apply: only.apply})
	b.Desired([]agentapi.DocumentRef{p.set(blocks, 1, `1`)})
	require.NoError(t, b.clock.BlockUntilContext(t.Context(), 1))
	p.mu.Lock()
	p.down = false
	p.mu.Unlock()
	b.untilAfterPauses(blocks, at(1))
}

func TestTheNamesOfDocumentsAreAClosedListAndEachHasOneHolder(t *testing.T) {
	t.Parallel()
	nothing := func(context.Context, json.RawMessage) error { return nil }
	for _, documents := range [][]Document{
		{{Name: "shell", Apply: nothing}},
		{{Name: agentapi.DocumentConfig, Apply: nothing}},
		{{Name: blocks, Apply: nothing}, {Name: blocks, Apply: nothing}},
	} {
		_, err := Open(Options{Dir: t.TempDir(), Log: zap.NewNop()}, documents)
		require.Error(t, err, fmt.Sprint(documents))
	}
	b := run(t, t.TempDir(), newPanel(), Document{Name: blocks, Apply: nothing})
	b.Desired([]agentapi.DocumentRef{{Name: watches, Revision: 1, Hash: "x"}})
	require.Equal(t, []agentapi.DocumentStatus{{Name: blocks}}, b.Status(), "what no part holds is not reported")
}
