package accounts

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/core/accounts/internal/throttle"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/owners"
	"panel/platform/password"
	"panel/platform/tokens"
	"panel/platform/vault"
)

type service struct {
	db        *database.DB
	store     *store
	directory *directory
	throttle  *throttle.Throttle
	hasher    *password.Hasher
	journal   audit.Journal
	refusals  audit.Refusals
	clock     clockwork.Clock
	log       *zap.Logger
	bus       *events.Bus
	catalogue *catalogue

	vault      *vault.Vault
	ceremonies *ceremonies

	accounts owners.Accounts
	owned    *owners.Registry
}

func newService(db *database.DB, s *store, d *directory, t *throttle.Throttle, h *password.Hasher, j audit.Journal,
	r audit.Refusals, c clockwork.Clock,
	log *zap.Logger, b *events.Bus, k *catalogue, v *vault.Vault, cs *ceremonies, a owners.Accounts,
	owned *owners.Registry,
) *service {
	return &service{
		db: db, store: s, directory: d, throttle: t, hasher: h, journal: j, refusals: r, clock: c, log: log, bus: b,
		catalogue: k, vault: v, ceremonies: cs, accounts: a, owned: owned,
	}
}

// signedIn is a fresh session; Token is shown this once.
type signedIn struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
	Account   account   `json:"account"`
}

var errCredentials = fault.Unauthenticated("bad_credentials", "the username or the password is wrong")

// login opens a session, or asks for a second factor. A wrong password, an unknown and a disabled account are told
// apart by neither body nor time. A password that is replaced meanwhile is judged again, by what is stored then.
// Faults: bad_credentials, second_factor_required (401), invalid_value (422) for a name that no account can have,
// throttled (429).
func (s *service) login(ctx context.Context, username, plain string) (*signedIn, error) {
	if err := plausible(username); err != nil {
		return nil, err
	}
	opened, err := s.tryLogin(ctx, username, plain)
	if errors.Is(err, errReplaced) {
		opened, err = s.tryLogin(ctx, username, plain)
	}
	if errors.Is(err, errReplaced) {
		return nil, s.refused(ctx, s.throttle.Account(username, access.From(ctx).IP), "account.login_failed",
			errCredentials)
	}
	return opened, err
}

// errReplaced says that the password, which was right, has been replaced or its account disabled before it could be
// used.
var errReplaced = errors.New("the password was replaced meanwhile")

func (s *service) tryLogin(ctx context.Context, username, plain string) (*signedIn, error) {
	ip := access.From(ctx).IP
	if err := s.throttle.Enter(username, ip); err != nil {
		return nil, s.refused(ctx, s.throttle.Account(username, ip), "account.login_throttled", err)
	}
	owner, err := s.store.byUsername(ctx, username)
	if err != nil && fault.KindOf(err) != fault.KindMissing {
		s.throttle.Forget(username, ip)
		return nil, err
	}
	s.throttle.Names(username, ip, owner.Username)
	matches, stale, err := s.hasher.Verify(ctx, plain, owner.PasswordHash)
	if err != nil {
		s.throttle.Forget(username, ip)
		return nil, err
	}
	if !matches || owner.State != stateActive {
		return nil, s.refused(ctx, owner.Username, "account.login_failed", errCredentials)
	}
	s.throttle.Succeed(username, ip)
	held, err := s.factorsOf(ctx, owner.ID)
	if err != nil {
		return nil, err
	}
	if len(held.methods()) > 0 {
		return nil, s.challenge(ctx, owner, held)
	}
	fresh := ""
	if stale {
		if fresh, err = s.hasher.Hash(ctx, plain); err != nil {
			fresh = "" // no core is free: the next sign-in may do it
		}
	}
	return s.open(ctx, owner, fresh)
}

// refused journals a refused sign-in without costing the database anything: anybody can cause as many as he likes. The
// username is that of an account that there is, else nothing: what else stands in that field is often a password that
// somebody typed into the wrong line.
func (s *service) refused(ctx context.Context, username, action string, cause error) error {
	s.refusals.Refused(ctx, audit.Entry{Action: action, Object: audit.Object{Type: "account", Name: username}})
	return cause
}

// open opens a session; fresh is the same password hashed at today's cost, or nothing.
func (s *service) open(ctx context.Context, owner *accountRow, fresh string) (*signedIn, error) {
	var opened *signedIn
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if opened, err = s.openIn(ctx, owner); err != nil || fresh == "" {
			return err
		}
		return s.store.rehash(ctx, owner.ID, fresh)
	})
	return opened, err
}

// openIn writes the session and its journal line with tx, while the account is still as it was read: else errReplaced.
func (s *service) openIn(ctx context.Context, owner *accountRow) (*signedIn, error) {
	now, caller := s.clock.Now().UTC(), access.From(ctx)
	token, digest := tokens.New(sessionPrefix)
	row := &sessionRow{
		ID: database.NewID(), AccountID: owner.ID, TokenHash: digest[:], CreatedAt: now, LastSeenAt: now,
		ExpiresAt: now.Add(absoluteLife), IP: caller.IP, UserAgent: caller.UserAgent,
	}
	if same, err := s.store.signedIn(ctx, owner, caller.IP, now); err != nil || !same {
		return nil, cmp.Or(err, errReplaced)
	}
	if err := s.store.insertSession(ctx, row); err != nil {
		return nil, err
	}
	owner.LastLoginAt, owner.LastLoginIP = &now, caller.IP
	caller.Kind, caller.AccountID, caller.Username = access.Admin, owner.ID, owner.Username
	err := s.note(access.With(ctx, caller), "account.login_ok", owner, nil)
	return &signedIn{Token: token, ExpiresAt: row.end(s.directory.idle), Account: owner.shown()}, err
}

func object(row *accountRow) audit.Object {
	return audit.Object{Type: "account", ID: row.ID, Name: row.Username}
}

// logout ends the caller's own session.
func (s *service) logout(ctx context.Context) error {
	return s.endSession(ctx, access.From(ctx).SessionID, "account.logout")
}

// endSession ends one of the caller's sessions. Fault: not_found (404), also for another account's session.
func (s *service) endSession(ctx context.Context, id, action string) error {
	caller := access.From(ctx)
	return s.change(ctx, caller.AccountID, func(ctx context.Context) error {
		if err := s.store.deleteSession(ctx, caller.AccountID, id); err != nil {
			return err
		}
		object := audit.Object{Type: "session", ID: id, Name: caller.Username}
		return s.journal.Record(ctx, s.db.In(ctx), audit.Entry{Action: action, Object: object})
	})
}

// changePassword sets the caller's own password and ends his other sessions.
// Faults: current password wrong (422 invalid_value), throttled (429), revision_conflict (409) when it was replaced
// meanwhile.
func (s *service) changePassword(ctx context.Context, current, next string) error {
	caller := access.From(ctx)
	owner, err := s.confirmed(ctx, "current_password", current)
	if err != nil {
		return err
	}
	if owner.MustChangePassword && next == current {
		return fault.InvalidValue("new_password", "this is the password that has to be changed")
	}
	hash, err := s.hasher.Hash(ctx, next)
	if err != nil {
		return err
	}
	return s.change(ctx, owner.ID, func(ctx context.Context) error {
		if err := s.hold(ctx, owner); err != nil {
			return err
		}
		return s.replacePassword(ctx, owner, replacing{hash: hash, keptSession: caller.SessionID})
	})
}

// hold keeps the account as it was read until tx ends. What a password was proved for is done in the same transaction:
// who replaces the password or disables the account waits, or was faster, and then it is fault revision_conflict (409).
func (s *service) hold(ctx context.Context, owner *accountRow) error {
	same, err := s.store.hold(ctx, owner)
	if err == nil && !same {
		return errStale
	}
	return err
}

// replacing is the password that an account gets, as its hash.
type replacing struct {
	hash        string
	mustChange  bool
	keptSession string // the one session that goes on
}

// replacePassword ends what the former password has opened and what it could still open.
func (s *service) replacePassword(ctx context.Context, owner *accountRow, next replacing) error {
	if err := s.store.setPassword(ctx, owner.ID, next, s.clock.Now().UTC()); err != nil {
		return err
	}
	if err := s.store.endAccess(ctx, owner.ID, next.keptSession); err != nil {
		return err
	}
	changes := map[string]audit.Change{"password": {From: "set", To: "set"}}
	if next.mustChange != owner.MustChangePassword {
		changes["must_change_password"] = audit.Change{From: owner.MustChangePassword, To: next.mustChange}
	}
	return s.note(ctx, "account.password_reset", owner, changes)
}

// change commits a change of one account, makes every panel forget what it remembered of it, and returns when they
// have: the change is seen at the very next request, through whichever panel.
func (s *service) change(ctx context.Context, accountID string, do func(context.Context) error) error {
	defer s.directory.forget(accountID)
	var barrier database.Barrier
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if err := do(ctx); err != nil {
			return err
		}
		barrier, err = announced(ctx, s.db.In(ctx), accountID)
		return err
	})
	if err != nil {
		return err
	}
	s.directory.await(ctx, barrier)
	return nil
}

// SignedIn is the answer of the operations that open a session.
type SignedIn = signedIn

func exportFirst(s *service) FirstAdministrator { return FirstAdministrator{service: s} }

// FirstAdministrator makes the one account that needs no other account.
type FirstAdministrator struct{ service *service }

// Exists says whether there is any administrator.
func (f FirstAdministrator) Exists(ctx context.Context) (bool, error) {
	n, err := f.service.store.count(ctx)
	return n > 0, err
}

// Create writes the first administrator with full access and signs him in, all with tx.
func (f FirstAdministrator) Create(ctx context.Context, username, plain string) (*SignedIn, error) {
	hash, err := f.service.hasher.Hash(ctx, plain)
	if err != nil {
		return nil, err
	}
	now := f.service.clock.Now().UTC()
	owner := &accountRow{
		ID: database.NewID(), PasswordHash: hash, Permissions: []access.Key{access.All},
		State: stateActive, CreatedAt: now, UpdatedAt: now, Revision: 1,
	}
	owner.named(username)
	if err := f.service.store.insertAccount(ctx, owner); err != nil {
		return nil, err
	}
	changes := map[string]audit.Change{"permissions": {To: words(owner.Permissions)}}
	if err := f.service.note(ctx, "account.created", owner, changes); err != nil {
		return nil, err
	}
	return f.service.openIn(ctx, owner)
}
