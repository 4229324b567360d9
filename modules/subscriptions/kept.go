package subscriptions

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/jonboulle/clockwork"

	"panel/modules/flows/flowsapi"
	"panel/modules/subscriptions/format"
	"panel/platform/database"
)

// kept are the answers that were written lately. Each is given again while nothing has changed of what any subscription
// says: the database tells of every change, and before an answer is given again everything is heard that was committed
// before the request came.
type kept struct {
	listener *database.Listener
	clock    clockwork.Clock
	heard    atomic.Uint64 // changes so far

	mu      sync.Mutex
	changes uint64 // that all answers know of
	room    int    // bytes that are left
	answers *lru.LRU[answerKey, *answer]
}

// answerKey is what was asked for; of the token its hash alone is kept.
type answerKey struct {
	token [sha256.Size]byte
	form  format.Format
}

// answer is a subscription in one form.
type answer struct {
	body    []byte
	headers [][2]string
	says    Settings
	until   time.Time // when the time of its client ends; zero: never
}

const (
	mostAnswers = 20_000
	mostKept    = 32 << 20 // bytes of bodies
)

func newKept(l *database.Listener, clock clockwork.Clock) (*kept, error) {
	k := &kept{listener: l, clock: clock, room: mostKept}
	answers, err := lru.NewLRU(mostAnswers, func(_ answerKey, a *answer) { k.room += len(a.body) })
	if err != nil {
		return nil, fmt.Errorf("make room for answers: %w", err)
	}
	k.answers = answers
	l.On(flowsapi.SubscriptionsChanged, func(string) { k.heard.Add(1) })
	l.OnReady(func() { k.heard.Add(1) })
	return k, nil
}

// moment is how many changes were heard of when a request had come; it is not sure when some may be missing.
type moment struct {
	changes uint64
	sure    bool
}

// now hears of everything that was committed before.
func (k *kept) now(ctx context.Context) moment {
	sure := k.listener.CatchUp(ctx)
	return moment{k.heard.Load(), sure}
}

// find gives an answer that is true at a moment.
func (k *kept) find(key answerKey, at moment, says Settings) *answer {
	if !at.sure {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if at.changes > k.changes {
		k.answers.Purge()
		k.changes = at.changes
	}
	found, there := k.answers.Get(key)
	if !there || at.changes < k.changes || found.says != says || !found.lasts(k.clock.Now()) {
		return nil
	}
	return found
}

func (a *answer) lasts(now time.Time) bool { return a.until.IsZero() || now.Before(a.until) }

// keep remembers an answer that was read after a moment. One during which something has changed is not kept: nobody
// knows whether it was read before.
func (k *kept) keep(key answerKey, at moment, a *answer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !at.sure || at.changes != k.changes || at.changes != k.heard.Load() {
		return
	}
	k.answers.Remove(key)
	for k.room < len(a.body) && k.answers.Len() > 0 {
		k.answers.RemoveOldest()
	}
	if k.room >= len(a.body) {
		k.room -= len(a.body)
		k.answers.Add(key, a)
	}
}
