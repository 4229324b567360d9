package accounts

import (
	"context"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/database"
	"panel/platform/fault"
)

type totpRow struct {
	bun.BaseModel `bun:"table:totp_factors,alias:t"`
	AccountID     string     `bun:"account_id,pk"`
	SealedSecret  string     `bun:"sealed_secret"`
	ConfirmedAt   *time.Time `bun:"confirmed_at"`
	LastStep      int64      `bun:"last_step"`
	CreatedAt     time.Time  `bun:"created_at"`
}

type passkeyRow struct {
	bun.BaseModel `bun:"table:passkeys,alias:p"`
	ID            string          `bun:",pk"`
	AccountID     string          `bun:"account_id"`
	CredentialID  []byte          `bun:"credential_id"`
	Name          string          `bun:"name"`
	Credential    json.RawMessage `bun:"credential,type:jsonb"`
	CreatedAt     time.Time       `bun:"created_at"`
	LastUsedAt    *time.Time      `bun:"last_used_at"`
}

type challengeRow struct {
	bun.BaseModel `bun:"table:challenges,alias:c"`
	TokenHash     []byte          `bun:"token_hash,pk"`
	AccountID     string          `bun:"account_id"`
	Purpose       string          `bun:"purpose"`
	Ceremony      json.RawMessage `bun:"ceremony,type:jsonb,nullzero"`
	Attempts      int             `bun:"attempts"`
	CreatedAt     time.Time       `bun:"created_at"`
	ExpiresAt     time.Time       `bun:"expires_at"`
}

// totp gives the account's authenticator, or nothing where it has none.
func (s *store) totp(ctx context.Context, accountID string) (*totpRow, error) {
	row := new(totpRow)
	err := database.Fault(s.db.In(ctx).NewSelect().Model(row).Where("account_id = ?", accountID).Scan(ctx), nil)
	if fault.KindOf(err) == fault.KindMissing {
		return nil, nil //nolint:nilnil // no authenticator is an ordinary answer
	}
	return row, err
}

// lockTOTP says whether the account has a confirmed authenticator and keeps it so until tx ends:
// of two renewals at once the later one's codes alone count.
func (s *store) lockTOTP(ctx context.Context, accountID string) (bool, error) {
	rows, err := s.db.In(ctx).NewSelect().Model((*totpRow)(nil)).Column("account_id").
		Where("account_id = ? and confirmed_at is not null", accountID).For("update").Exec(ctx)
	return one(rows, err)
}

// saveTOTP stores an authenticator; one that is confirmed already stays, and then it is false.
func (s *store) saveTOTP(ctx context.Context, row *totpRow) (bool, error) {
	result, err := s.db.In(ctx).NewInsert().Model(row).On("conflict (account_id) do update").
		Set("sealed_secret = excluded.sealed_secret, confirmed_at = excluded.confirmed_at, last_step = excluded.last_step").Where("t.confirmed_at is null").Exec(ctx)
	return one(result, err)
}

// spendStep takes a time step once: the same code never works twice.
func (s *store) spendStep(ctx context.Context, accountID string, step int64) (bool, error) {
	result, err := s.db.In(ctx).NewUpdate().Model((*totpRow)(nil)).Set("last_step = ?", step).
		Where("account_id = ? and last_step < ?", accountID, step).Exec(ctx)
	return one(result, err)
}

func (s *store) spendRecoveryCode(ctx context.Context, accountID string, hash []byte, at time.Time) (bool, error) {
	result, err := s.db.In(ctx).
		ExecContext(ctx,
			"update recovery_codes set used_at = ? where account_id = ? and code_hash = ? and used_at is null",
			at, accountID, hash)
	return one(result, err)
}

func one(result interface{ RowsAffected() (int64, error) }, err error) (bool, error) {
	if err != nil {
		return false, database.Fault(err, nil)
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

func (s *store) replaceRecoveryCodes(ctx context.Context, accountID string, hashes [][]byte) error {
	if _, err := s.db.In(ctx).ExecContext(ctx, "delete from recovery_codes where account_id = ?",
		accountID); err != nil {
		return database.Fault(err, nil)
	}
	for _, hash := range hashes {
		if _, err := s.db.In(ctx).ExecContext(ctx, "insert into recovery_codes (account_id, code_hash) values (?, ?)",
			accountID, hash); err != nil {
			return database.Fault(err, nil)
		}
	}
	return nil
}

func (s *store) recoveryCodesLeft(ctx context.Context, accountID string) (int, error) {
	var n int
	err := s.db.In(ctx).NewRaw("select count(*) from recovery_codes where account_id = ? and used_at is null",
		accountID).Scan(ctx, &n)
	return n, database.Fault(err, nil)
}

// removeFactors takes every second factor off an account.
func (s *store) removeFactors(ctx context.Context, accountID string) error {
	for _, table := range []string{"totp_factors", "recovery_codes", "passkeys", "challenges"} {
		if _, err := s.db.In(ctx).NewRaw("delete from ? where account_id = ?", bun.Ident(table), accountID).
			Exec(ctx); err != nil {
			return database.Fault(err, nil)
		}
	}
	return nil
}

func (s *store) removeTOTP(ctx context.Context, accountID string) error {
	_, err := s.db.In(ctx).NewDelete().Model((*totpRow)(nil)).Where("account_id = ?", accountID).Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) passkeys(ctx context.Context, accountID string) ([]passkeyRow, error) {
	var rows []passkeyRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("account_id = ?", accountID).Order("created_at").Scan(ctx)
	return rows, database.Fault(err, nil)
}

func (s *store) insertPasskey(ctx context.Context, row *passkeyRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, map[string]*fault.Fault{
		"passkeys_credential": fault.Conflict("name_taken", "this passkey is already registered"),
	})
}

func (s *store) usedPasskey(ctx context.Context, row *passkeyRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).Column("credential", "last_used_at").WherePK().Exec(ctx)
	return database.Fault(err, nil)
}

// lockPasskey reads one of the account's passkeys for change.
func (s *store) lockPasskey(ctx context.Context, accountID, id string) (*passkeyRow, error) {
	row := new(passkeyRow)
	err := database.Fault(s.db.In(ctx).NewSelect().Model(row).Where("id = ? and account_id = ?", id,
		accountID).For("update").Scan(ctx), nil)
	if fault.KindOf(err) == fault.KindMissing {
		return nil, errNoPasskey
	}
	return row, err
}

func (s *store) renamePasskey(ctx context.Context, row *passkeyRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).Column("name").WherePK().Exec(ctx)
	return database.Fault(err, nil)
}

var errNoPasskey = fault.Missing(fault.NoSuchThing)

func (s *store) deletePasskey(ctx context.Context, accountID, id string) error {
	result, err := s.db.In(ctx).NewDelete().Model((*passkeyRow)(nil)).Where("id = ? and account_id = ?", id, accountID).
		Exec(ctx)
	found, err := one(result, err)
	if err == nil && !found {
		return errNoPasskey
	}
	return err
}

func (s *store) insertChallenge(ctx context.Context, row *challengeRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, nil)
}

// tryChallenge counts one attempt and gives the challenge while it lives and has attempts left.
func (s *store) tryChallenge(ctx context.Context, hash []byte, purpose string, most int, now time.Time) (*challengeRow,
	error,
) {
	row := new(challengeRow)
	err := s.db.In(ctx).NewRaw(`update challenges set attempts = attempts + 1
		where token_hash = ? and purpose = ? and expires_at > ? and attempts < ? returning *`, hash, purpose, now, most).Scan(ctx, row)
	return row, database.Fault(err, nil)
}

// endChallenge removes a challenge; false means that another request has used it already.
func (s *store) endChallenge(ctx context.Context, hash []byte) (bool, error) {
	result, err := s.db.In(ctx).NewDelete().Model((*challengeRow)(nil)).Where("token_hash = ?", hash).Exec(ctx)
	return one(result, err)
}
