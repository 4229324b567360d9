package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/fault"
	"panel/platform/tokens"
)

const (
	challengeLife     = 5 * time.Minute
	challengeAttempts = 5
	purposeSignIn     = "sign_in"
	purposeRegister   = "register"
)

// factors is what an account can prove itself with beside its password.
type factors struct {
	totp     *totpRow
	passkeys []passkeyRow
}

func (f factors) methods() []string {
	var list []string
	if f.totp != nil && f.totp.ConfirmedAt != nil {
		list = append(list, "totp", "recovery_code")
	}
	if len(f.passkeys) > 0 {
		list = append(list, "passkey")
	}
	return list
}

func (s *service) factorsOf(ctx context.Context, accountID string) (factors, error) {
	app, err := s.store.totp(ctx, accountID)
	if err != nil {
		return factors{}, err
	}
	keys, err := s.store.passkeys(ctx, accountID)
	return factors{totp: app, passkeys: keys}, err
}

// challenge stops a sign-in whose password was right until a second factor is shown: fault second_factor_required
// (401).
func (s *service) challenge(ctx context.Context, owner *accountRow, held factors) error {
	required := fault.Unauthenticated("second_factor_required", "show a second factor to finish signing in").
		With("methods", held.methods())
	row := &challengeRow{AccountID: owner.ID, Purpose: purposeSignIn}
	if len(held.passkeys) > 0 {
		options, ceremony, err := s.ceremonies.beginSignIn(owner, held.passkeys)
		if err != nil {
			return err
		}
		row.Ceremony = ceremony
		required = required.With("passkey_options", options)
	}
	token, err := s.issue(ctx, owner, row)
	if errors.Is(err, errStale) {
		return errReplaced
	}
	if err != nil {
		return err
	}
	return required.With("challenge", token)
}

// issue stores a challenge and gives its token. Fault: revision_conflict (409) like hold.
func (s *service) issue(ctx context.Context, owner *accountRow, row *challengeRow) (string, error) {
	token, digest := tokens.New(sessionPrefix)
	row.TokenHash, row.CreatedAt = digest[:], s.clock.Now().UTC()
	row.ExpiresAt = row.CreatedAt.Add(challengeLife)
	return token, s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.hold(ctx, owner); err != nil {
			return err
		}
		return s.store.insertChallenge(ctx, row)
	})
}

// shown is the second factor that a caller shows: exactly one of the three.
type shown struct {
	code, recoveryCode string
	passkey            json.RawMessage
}

// finishLogin opens the session that a challenge stands for. Every failure is bad_credentials (401) or throttled (429).
func (s *service) finishLogin(ctx context.Context, token string, with shown) (*signedIn, error) {
	ip := access.From(ctx).IP
	if err := s.throttle.Waits(unknownChallenge, ip); err != nil {
		return nil, err
	}
	row, err := s.store.liveChallenge(ctx, digestOf(token), purposeSignIn, challengeAttempts, s.clock.Now())
	if fault.KindOf(err) == fault.KindMissing {
		_ = s.throttle.Enter(unknownChallenge, ip)
		return nil, errCredentials
	}
	if err != nil {
		return nil, err
	}
	if err := s.throttle.Enter(secondStep+row.AccountID, ip); err != nil {
		return nil, err
	}
	owner, err := s.store.account(ctx, row.AccountID)
	if err != nil {
		return nil, err
	}
	opened, err := s.prove(ctx, owner, row, with)
	if err == nil && opened == nil {
		return nil, s.refused(ctx, owner.Username, "account.login_failed", errCredentials)
	}
	if fault.KindOf(err) == fault.KindThrottled {
		return nil, s.refused(ctx, owner.Username, "account.login_throttled", err)
	}
	if err != nil {
		return nil, err
	}
	s.throttle.Succeed(secondStep+row.AccountID, ip)
	return opened, nil
}

// Names under which the throttle counts what is no username; none of them can be one.
const (
	secondStep       = "second factor of "
	unknownChallenge = "unknown challenge"
)

// prove counts the attempt, spends the factor and the challenge and opens the session in one transaction; a wrong
// factor opens none. The account is held first, so that attempts from many addresses, through many panels, are counted
// one after the other.
func (s *service) prove(
	ctx context.Context, owner *accountRow, row *challengeRow, with shown,
) (opened *signedIn, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		opened = nil
		if same, err := s.store.hold(ctx, owner); err != nil || !same {
			return err
		}
		wrong, err := s.withinBudget(ctx, owner, with)
		if err != nil {
			return err
		}
		if lives, err := s.store.countAttempt(ctx, row.TokenHash, challengeAttempts); err != nil || !lives {
			return err
		}
		right, err := s.spend(ctx, owner, row, with)
		if err != nil {
			return err
		}
		if !right {
			return s.journalBudget(ctx, owner, wrong+1 == factorBudget)
		}
		if alone, err := s.store.endChallenge(ctx, row.TokenHash); err != nil || !alone {
			return err
		}
		opened, err = s.openIn(ctx, owner)
		return err
	})
	return opened, err
}

func (s *service) spend(ctx context.Context, owner *accountRow, row *challengeRow, with shown) (bool, error) {
	switch {
	case with.code != "":
		return s.spendCode(ctx, owner.ID, with.code)
	case with.recoveryCode != "":
		return s.store.spendRecoveryCode(ctx, owner.ID, digestOf(normalised(with.recoveryCode)), s.clock.Now().UTC())
	case len(with.passkey) > 0 && len(row.Ceremony) > 0:
		return s.spendPasskey(ctx, owner, row.Ceremony, with.passkey)
	}
	return false, nil
}

// confirmed demands the caller's own password again; field is where the request carries it.
func (s *service) confirmed(ctx context.Context, field, plain string) (*accountRow, error) {
	caller := access.From(ctx)
	owner, err := s.store.account(ctx, caller.AccountID)
	if err != nil {
		return nil, err
	}
	if err := s.throttle.Enter(owner.Username, caller.IP); err != nil {
		return nil, err
	}
	matches, _, err := s.hasher.Verify(ctx, plain, owner.PasswordHash)
	if err != nil {
		s.throttle.Forget(owner.Username, caller.IP)
		return nil, err
	}
	if !matches {
		return nil, fault.InvalidValue(field, "this is not your password")
	}
	s.throttle.Succeed(owner.Username, caller.IP)
	return owner, nil
}

// factorChanged journals a change of the caller's own factors with tx.
func (s *service) factorChanged(ctx context.Context, owner *accountRow, what string, from, to any) error {
	changes := map[string]audit.Change{what: {From: from, To: to}}
	return s.note(ctx, "account.factor_changed", owner, changes)
}
