package cloud

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"sync"
	"time"
)

// session is what a provider gave for the credentials of an account.
type session struct {
	token string
	root  string // where it counts
	ends  time.Time
}

// tokens keeps sessions in memory until shortly before their end, so that not each step of an order asks for one.
type tokens struct {
	now func() time.Time

	mu    sync.Mutex
	known map[string]session // by the digest of an account's credentials
}

func newTokens(now func() time.Time) *tokens { return &tokens{now: now, known: map[string]session{}} }

// spare is how long before its end a session is not used any more.
const spare = 5 * time.Minute

// placeOf is where the session of some credentials is kept.
func placeOf(root string, given Credentials) string {
	sum := sha256.New()
	sum.Write([]byte(root))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		sum.Write([]byte("\x00" + name + "\x00" + given[name]))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func (t *tokens) get(place string) (session, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, known := t.known[place]
	return found, known && t.now().Add(spare).Before(found.ends)
}

// put keeps a session, and forgets those that have ended.
func (t *tokens) put(place string, s session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.known, func(_ string, old session) bool { return old.ends.Before(t.now()) })
	t.known[place] = s
}

func (t *tokens) forget(place string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.known, place)
}
