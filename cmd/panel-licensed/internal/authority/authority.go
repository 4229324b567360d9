// Package authority is the vendor's side of a license: it issues keys, counts
// installations, revokes, and signs what it says.
package authority

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/jonboulle/clockwork"
	bolt "go.etcd.io/bbolt"

	"panel/platform/licensedoc"
)

// Faults that callers tell apart.
var (
	ErrNotFound = errNotFound
	ErrRequest  = errors.New("the request is not what the license server takes")
	ErrBusy     = errors.New("the license server is busy; try again soon")
)

// Authority keeps everything in one data folder.
type Authority struct {
	store *store
	clock clockwork.Clock
	salt  string
	slots chan struct{}
}

// Open prepares the data folder; the first time it makes the signing key.
func Open(folder string, clock clockwork.Clock) (*Authority, error) {
	s, err := openStore(folder)
	if err != nil {
		return nil, err
	}
	a := &Authority{store: s, clock: clock, slots: make(chan struct{}, runtime.NumCPU())}
	return a, s.write(func(tx *bolt.Tx) error {
		if err := a.ensureSalt(tx); err != nil {
			return err
		}
		return a.ensureSigningKey(tx)
	})
}

func (a *Authority) ensureSalt(tx *bolt.Tx) error {
	if err := get(tx, factsBucket, "salt", &a.salt); !errors.Is(err, errNotFound) {
		return err
	}
	raw := make([]byte, 16)
	if _, err := rand.Read(raw); err != nil {
		return fmt.Errorf("making the salt: %w", err)
	}
	a.salt = hex.EncodeToString(raw)
	return put(tx, factsBucket, "salt", a.salt)
}

func (a *Authority) now() time.Time { return a.clock.Now().UTC().Truncate(time.Millisecond) }

// hash is slow on purpose, so it runs in as many slots as there are cores.
func (a *Authority) hash(key licensedoc.Key, salt string) (string, error) {
	const patience = 2 * time.Second
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
		return key.Hash(salt), nil
	case <-a.clock.After(patience):
		return "", ErrBusy
	}
}

func (a *Authority) lookupHash(key licensedoc.Key) (string, error) {
	return a.hash(key, "authority "+a.salt)
}
