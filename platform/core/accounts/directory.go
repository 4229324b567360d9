package accounts

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// channel tells every panel on this database which account changed.
const channel = "panel_accounts"

// mostRemembered bounds the memory image; beyond it the image starts anew from the database.
const mostRemembered = 50_000

// directory is the memory image of live sessions: token hash to caller.
type directory struct {
	store    *store
	listener *database.Listener
	unknown  *strangers
	clock    clockwork.Clock
	idle     time.Duration
	log      *zap.Logger

	mu      sync.RWMutex
	live    map[string]*liveSession
	changes uint64               // heard so far, so that a slow reader remembers nothing old
	seen    map[string]time.Time // uses that are not stored yet
}

type liveSession struct {
	caller access.Caller
	row    *sessionRow
	last   time.Time
}

func newDirectory(db *database.DB, listener *database.Listener, clock clockwork.Clock, cfg *config.Config, log *zap.Logger) (*directory, error) {
	unknown, err := newStrangers()
	if err != nil {
		return nil, err
	}
	d := &directory{
		store: newStore(db), listener: listener, unknown: unknown, clock: clock, idle: cfg.Duration(config.SessionTTL, time.Hour), log: log,
		live: map[string]*liveSession{}, seen: map[string]time.Time{},
	}
	listener.On(channel, d.forget)
	listener.OnReady(func() { d.forget("") })
	return d, nil
}

func exportSessions(d *directory) httpapi.Sessions { return d }

var (
	errNoSession = fault.Unauthenticated("no_session", "sign in and send the session token as a Bearer token")
	errExpired   = fault.Unauthenticated("session_expired", "the session has ended; sign in again")
)

// Authenticate proves a session token. Faults: no_session, session_expired (401), throttled (429), unavailable (503).
func (d *directory) Authenticate(ctx context.Context, token string) (access.Caller, error) {
	return d.prove(ctx, token, d.used)
}

// Recognise is Authenticate for what goes on by itself: it is no use of the session.
func (d *directory) Recognise(ctx context.Context, token string) (access.Caller, error) {
	return d.prove(ctx, token, d.lives)
}

// prove reads what memory calls ended once more: the session may have been used through another panel.
func (d *directory) prove(ctx context.Context, token string, by func(*liveSession) (access.Caller, error)) (access.Caller, error) {
	hash := hashToken(token)
	if held := d.remembered(string(hash)); held != nil {
		if caller, err := by(held); err == nil {
			return caller, nil
		}
	}
	held, err := d.read(ctx, hash)
	if err != nil {
		return access.Caller{}, err
	}
	return by(held)
}

// remembered gives nothing while other processes' changes cannot be heard.
func (d *directory) remembered(key string) *liveSession {
	if !d.listener.Healthy() {
		return nil
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.live[key]
}

func (d *directory) read(ctx context.Context, hash []byte) (*liveSession, error) {
	network := access.Network(access.Address(ctx))
	if err := d.unknown.refuse(hash, network, d.clock.Now()); err != nil {
		return nil, err
	}
	before := d.mark()
	row, owner, err := d.store.session(ctx, hash)
	if fault.KindOf(err) == fault.KindMissing {
		d.unknown.note(hash, network, d.clock.Now())
		return nil, errNoSession
	}
	if err != nil {
		return nil, fmt.Errorf("read the session: %w", err)
	}
	held := &liveSession{row: row, last: d.lastUse(row), caller: access.Caller{
		Kind: access.Admin, AccountID: owner.ID, Username: owner.Username, SessionID: row.ID, Permissions: owner.Permissions,
		MustChangePassword: owner.MustChangePassword,
	}}
	d.remember(string(hash), held, before)
	return held, nil
}

// mark counts the changes heard before a read, for remember to compare.
func (d *directory) mark() uint64 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.changes
}

func (d *directory) remember(key string, held *liveSession, before uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.changes != before {
		return
	}
	if len(d.live) >= mostRemembered {
		clear(d.live)
	}
	d.live[key] = held
}

// clockError is how far ahead a clock may have been when a session began. One from farther ahead, left behind by a clock
// that was wrong and was put right, would live until the calendar catches up with it: it has ended.
const clockError = 25 * time.Hour

// lives checks the session's ends.
func (d *directory) lives(held *liveSession) (access.Caller, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.ended(held, d.clock.Now()) {
		return access.Caller{}, errExpired
	}
	return held.caller, nil
}

func (d *directory) ended(held *liveSession, now time.Time) bool {
	fromAfar := held.row.CreatedAt.After(now.Add(clockError))
	return fromAfar || !now.Before(held.row.ExpiresAt) || now.Sub(held.last) >= d.idle
}

// used checks the session's ends and notes the use.
func (d *directory) used(held *liveSession) (access.Caller, error) {
	now := d.clock.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended(held, now) {
		return access.Caller{}, errExpired
	}
	if now.Sub(held.last) >= touchStep {
		held.last = now
		d.seen[held.row.ID] = now
	}
	return held.caller, nil
}

// forget drops what is remembered of an account; an empty payload, after a gap in hearing, drops everything.
func (d *directory) forget(accountID string) {
	d.unknown.forget()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changes++
	if accountID == "" {
		clear(d.live)
		return
	}
	for key, held := range d.live {
		if held.row.AccountID == accountID {
			delete(d.live, key)
		}
	}
}

// announced tells all panels with the transaction of the change; the caller waits for the echo after the commit.
func announced(ctx context.Context, tx bun.IDB, accountID string) (database.Echo, error) {
	if err := database.Notify(ctx, tx, channel, accountID); err != nil {
		return database.Echo{}, err
	}
	return database.Ask(ctx, tx)
}

// heard waits for the other panels. One that does not answer cannot undo what is committed: it learns of it as soon as it
// hears again.
func (d *directory) heard(ctx context.Context, echo database.Echo) {
	if err := echo.Await(ctx, d.store.db); err != nil {
		d.log.Warn("a change of an account may reach another panel late", zap.Error(err))
	}
}

const (
	touchStep   = time.Minute
	touchEvery  = 20 * time.Second
	sweepEvery  = time.Hour
	writeWithin = 5 * time.Second
	// rememberEnded lets a late client hear that its session has ended, rather than that there never was one.
	rememberEnded = 24 * time.Hour
)

func (d *directory) loops() []func(context.Context) error {
	return []func(context.Context) error{d.keepTouching, d.keepSweeping}
}

// keepTouching stores last uses in batches; the last batch goes out when the panel stops.
func (d *directory) keepTouching(ctx context.Context) error {
	ticker := d.clock.NewTicker(touchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.Chan():
			d.flush(ctx)
		case <-ctx.Done():
			d.flush(context.WithoutCancel(ctx))
			return nil
		}
	}
}

func (d *directory) flush(ctx context.Context) {
	d.mu.RLock()
	batch := maps.Clone(d.seen)
	d.mu.RUnlock()
	if len(batch) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	if err := d.store.touch(ctx, batch); err != nil {
		d.log.Warn("could not store when sessions were last used", zap.Error(err))
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.seen, func(id string, at time.Time) bool { return at.Equal(batch[id]) })
}

// lastUse is the later of the stored use of a session and of one that this panel has not stored yet.
func (d *directory) lastUse(row *sessionRow) time.Time {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if at := d.seen[row.ID]; at.After(row.LastSeenAt) {
		return at
	}
	return row.LastSeenAt
}

func (d *directory) keepSweeping(ctx context.Context) error {
	ticker := d.clock.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.Chan():
			d.flush(ctx)
			ended := d.clock.Now().Add(-rememberEnded)
			if err := d.store.deleteEnded(ctx, ended, ended.Add(-d.idle)); err != nil {
				d.log.Warn("could not remove ended sessions", zap.Error(err))
			}
			if err := d.store.deleteOldChallenges(ctx, d.clock.Now()); err != nil {
				d.log.Warn("could not remove unanswered challenges", zap.Error(err))
			}
		case <-ctx.Done():
			return nil
		}
	}
}
