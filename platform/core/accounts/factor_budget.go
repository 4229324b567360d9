package accounts

import (
	"context"
	"time"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
)

// Who knows a password may be wrong about the second factor ten times an hour, from whatever addresses and through
// whichever panels. The attempts stand in the account's challenges, which a new password removes: a reset lets the
// owner in at once.
const (
	factorBudget = 10
	factorWindow = time.Hour
)

// factorsLocked is a journal action, an event and a notice: somebody who knows the password guesses second factors.
const factorsLocked = "account.second_factor_locked"

// withinBudget gives how many wrong factors the last hour has seen. Fault: throttled (429) when they are too many. A
// passkey cannot be guessed and always passes, so that a stranger with the password does not keep its owner out.
func (s *service) withinBudget(ctx context.Context, owner *accountRow, with shown) (int, error) {
	now := s.clock.Now()
	spent, err := s.store.attempts(ctx, owner.ID, now.Add(-factorWindow))
	if err != nil {
		return 0, err
	}
	total, free := 0, time.Time{}
	for _, each := range spent { // newest first: the budget is free again when the one that fills it is an hour old
		if total += each.Attempts; total >= factorBudget {
			free = each.ExpiresAt.Add(factorWindow)
			break
		}
	}
	if total >= factorBudget && len(with.passkey) == 0 {
		return total, fault.Throttled(free.Sub(now))
	}
	return total, nil
}

func (s *service) journalBudget(ctx context.Context, owner *accountRow, usedUp bool) error {
	if !usedUp {
		return nil
	}
	entry := audit.Entry{Action: factorsLocked, Object: object(owner), Result: audit.Denied}
	if err := s.journal.Record(ctx, s.db.In(ctx), entry); err != nil {
		return err
	}
	return s.bus.Emit(ctx, events.Event{
		Kind: factorsLocked, SubjectID: owner.ID, At: s.clock.Now().UTC(),
		Data: FactorsLocked{Username: owner.Username, Address: access.From(ctx).IP},
	})
}

// FactorsLocked is the data of the event that an account's budget of wrong second factors is used up.
type FactorsLocked struct {
	Username string `json:"username"`
	Address  string `json:"address"`
}

// attempts are the account's challenges that were tried and ended after the moment, the newest first.
func (s *store) attempts(ctx context.Context, accountID string, since time.Time) ([]challengeRow, error) {
	var rows []challengeRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Column("attempts", "expires_at").
		Where("account_id = ? and attempts > 0 and purpose = ? and expires_at > ?", accountID, purposeSignIn, since).
		Order("expires_at DESC").Scan(ctx)
	return rows, database.Fault(err, nil)
}

// liveChallenge reads a challenge that may still be tried.
func (s *store) liveChallenge(ctx context.Context, hash []byte, purpose string, most int, now time.Time) (*challengeRow,
	error,
) {
	row := new(challengeRow)
	err := s.db.In(ctx).NewSelect().Model(row).
		Where("token_hash = ? and purpose = ? and expires_at > ? and attempts < ?", hash, purpose, now, most).Scan(ctx)
	return row, database.Fault(err, nil)
}

// countAttempt counts one attempt; false means that others have used up the challenge meanwhile.
func (s *store) countAttempt(ctx context.Context, hash []byte, most int) (bool, error) {
	result, err := s.db.In(ctx).
		ExecContext(ctx, "update challenges set attempts = attempts + 1 where token_hash = ? and attempts < ?",
			hash, most)
	return one(result, err)
}
