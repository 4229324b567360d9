package accounts

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	"panel/platform/tokens"
)

// channel tells every panel on this database which account changed.
const channel = "panel_accounts"

// directory proves session tokens and API tokens, in steady state from memory.
type directory struct {
	store     *store
	sessions  *tokens.Image[*liveSession]
	apiTokens *tokens.Image[*liveToken]
	unknown   *tokens.Unknown
	clock     clockwork.Clock
	idle      time.Duration
	log       *zap.Logger

	mu          sync.RWMutex // guards the last uses in what the images hold
	sessionUses *uses
	tokenUses   *uses
}

type liveSession struct {
	caller access.Caller
	row    *sessionRow
	last   time.Time
}

func newDirectory(
	db *database.DB, listener *database.Listener, clock clockwork.Clock, cfg *config.Config, log *zap.Logger,
) (*directory, error) {
	unknown, err := tokens.NewUnknown()
	if err != nil {
		return nil, err
	}
	s := newStore(db)
	d := &directory{
		store: s, unknown: unknown, clock: clock, idle: cfg.Duration(config.SessionTTL, time.Hour), log: log,
		sessionUses: newUses(s.touchSessions), tokenUses: newUses(s.touchTokens),
	}
	listener.On(channel, func(string) { unknown.Forget() })
	d.sessions = tokens.NewImage(listener, tokens.Options[*liveSession]{
		Channel: channel, Read: d.readSession, Owner: func(held *liveSession) string { return held.row.AccountID },
	})
	d.apiTokens = tokens.NewImage(listener, tokens.Options[*liveToken]{
		Channel: channel, Read: d.readToken, Owner: func(held *liveToken) string { return held.row.AccountID },
	})
	return d, nil
}

func exportSessions(d *directory) httpapi.Sessions { return d }

var (
	errNoSession = fault.Unauthenticated("no_session", "sign in and send the session token as a Bearer token")
	errExpired   = fault.Unauthenticated("session_expired", "the session has ended; sign in again")
)

// Authenticate proves a session token or an API token.
// Faults: no_session, session_expired, api_token_expired (401), throttled (429), unavailable (503).
func (d *directory) Authenticate(ctx context.Context, token string) (access.Caller, error) {
	if strings.HasPrefix(token, apiTokenPrefix) {
		return d.proveToken(ctx, token, d.usedToken)
	}
	return d.proveSession(ctx, token, d.used)
}

// Recognise is Authenticate for what goes on by itself: it is no use of the session or the API token.
func (d *directory) Recognise(ctx context.Context, token string) (access.Caller, error) {
	if strings.HasPrefix(token, apiTokenPrefix) {
		return d.proveToken(ctx, token, d.livingToken)
	}
	return d.proveSession(ctx, token, d.lives)
}

// proveSession reads what memory calls ended once more: the session may have been used through another panel.
func (d *directory) proveSession(
	ctx context.Context, token string, by func(*liveSession) (access.Caller, error),
) (access.Caller, error) {
	digest := tokens.DigestOf(token)
	if held, known := d.sessions.Remembered(digest); known {
		if caller, err := by(held); err == nil {
			return caller, nil
		}
	}
	held, err := d.sessions.Read(ctx, digest)
	if err != nil {
		return access.Caller{}, err
	}
	return by(held)
}

// readSession is what the image of sessions reads.
func (d *directory) readSession(ctx context.Context, digest tokens.Digest) (*liveSession, error) {
	row, owner, err := lookedUp(ctx, d, digest, d.store.session)
	if err != nil {
		return nil, err
	}
	return &liveSession{row: row, last: d.sessionUses.latest(row.ID, row.LastSeenAt), caller: access.Caller{
		Kind: access.Admin, AccountID: owner.ID, Username: owner.Username, SessionID: row.ID,
		Permissions:        owner.Permissions,
		MustChangePassword: owner.MustChangePassword,
	}}, nil
}

// lookedUp reads a token with its account, unless the caller's network has to wait or the token is known to be unknown.
func lookedUp[R any](
	ctx context.Context, d *directory, digest tokens.Digest,
	read func(context.Context, tokens.Digest) (R, *accountRow, error),
) (row R, owner *accountRow, err error) {
	ip := access.Address(ctx)
	if err := d.unknown.Refuse(digest, ip, d.clock.Now(), errNoSession); err != nil {
		return row, nil, err
	}
	row, owner, err = read(ctx, digest)
	if fault.KindOf(err) == fault.KindMissing {
		d.unknown.Note(digest, ip, d.clock.Now())
		return row, nil, errNoSession
	}
	if err != nil {
		return row, nil, fmt.Errorf("read the token: %w", err)
	}
	return row, owner, nil
}

// clockError is how far ahead a clock may have been when a session began. One from farther ahead, left behind by a
// clock that was wrong and was put right, would live until the calendar catches up with it: it has ended.
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
	tooFarAhead := held.row.CreatedAt.After(now.Add(clockError))
	return tooFarAhead || !now.Before(held.row.ExpiresAt) || now.Sub(held.last) >= d.idle
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
		d.sessionUses.note(held.row.ID, now)
	}
	return held.caller, nil
}

// forget drops what is remembered of an account.
func (d *directory) forget(accountID string) {
	d.unknown.Forget()
	d.sessions.Forget(accountID)
	d.apiTokens.Forget(accountID)
}

// announced tells all panels with the transaction of the change; the caller waits for their answers after the commit.
func announced(ctx context.Context, db bun.IDB, accountID string) (database.Barrier, error) {
	if err := database.Notify(ctx, db, channel, accountID); err != nil {
		return database.Barrier{}, err
	}
	return database.NewBarrier(ctx, db)
}

// await waits until every other panel has forgotten what it remembered. One that does not answer cannot undo what is
// committed: it learns of it as soon as it listens again.
func (d *directory) await(ctx context.Context, barrier database.Barrier) {
	if err := barrier.Await(ctx, d.store.db); err != nil {
		d.log.Warn("a change of an account may reach another panel late", zap.Error(err))
	}
}

const (
	touchStep  = time.Minute
	touchEvery = 20 * time.Second
)

// keepTouching stores last uses in batches; the last batch goes out when the panel stops. It is a loop of each panel
// and no schedule, because the uses are in the memory of this process.
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
	if err := errors.Join(d.sessionUses.flush(ctx), d.tokenUses.flush(ctx)); err != nil {
		d.log.Warn("could not store when sessions and API tokens were last used", zap.Error(err))
	}
}
