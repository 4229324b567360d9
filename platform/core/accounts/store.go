package accounts

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/names"
	"panel/platform/tokens"
)

type store struct{ db *database.DB }

func newStore(db *database.DB) *store { return &store{db: db} }

var constraints = map[string]*fault.Fault{
	"accounts_username":     errNameTaken,
	"accounts_username_key": errNameTaken,
}

var errNameTaken = fault.Conflict("name_taken", "another account has this username")

// selectAccounts also tells which second factors are set up.
func (s *store) selectAccounts(ctx context.Context, model any) *bun.SelectQuery {
	return withFactors(s.db.In(ctx).NewSelect().Model(model).ColumnExpr("a.*"))
}

func withFactors(q *bun.SelectQuery) *bun.SelectQuery {
	return q.ColumnExpr(
		"exists (select 1 from totp_factors t where t.account_id = a.id and t.confirmed_at is not null) as totp_enabled").ColumnExpr(
		"(select count(*) from passkeys p where p.account_id = a.id) as passkeys")
}

// byUsername finds an account by its name in any case; the exact name goes first, for accounts whose names fold alike.
func (s *store) byUsername(ctx context.Context, username string) (*accountRow, error) {
	row := new(accountRow)
	err := s.selectAccounts(ctx, row).Where("username_key = ? or username = ?", names.Key(username), username).
		OrderExpr("username = ? desc", username).Limit(1).Scan(ctx)
	return row, database.Fault(err, nil)
}

// everybody reads all accounts. It names no column that a later version added: an offline reset also meets the database
// of an earlier one.
func (s *store) everybody(ctx context.Context) ([]accountRow, error) {
	var rows []accountRow
	err := s.selectAccounts(ctx, &rows).Scan(ctx)
	return rows, database.Fault(err, nil)
}

func (s *store) account(ctx context.Context, id string) (*accountRow, error) {
	row := new(accountRow)
	err := s.selectAccounts(ctx, row).Where("id = ?", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

func (s *store) insertAccount(ctx context.Context, row *accountRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, constraints)
}

// session reads a live session with its account; a disabled account has none.
func (s *store) session(ctx context.Context, digest tokens.Digest) (*sessionRow, *accountRow, error) {
	held := new(sessionRow)
	if err := s.db.In(ctx).NewSelect().Model(held).Where("token_hash = ?", digest[:]).Scan(ctx); err != nil {
		return nil, nil, database.Fault(err, nil)
	}
	owner, err := s.activeOwner(ctx, held.AccountID)
	return held, owner, err
}

// activeOwner reads the account of a token; a disabled one has none.
func (s *store) activeOwner(ctx context.Context, id string) (*accountRow, error) {
	owner := new(accountRow)
	err := s.db.In(ctx).NewSelect().Model(owner).Where("id = ? and state = ?", id, stateActive).Scan(ctx)
	return owner, database.Fault(err, nil)
}

func (s *store) sessionsOf(ctx context.Context, accountID string, now, idleSince time.Time) ([]sessionRow, error) {
	var rows []sessionRow
	err := s.db.In(ctx).NewSelect().Model(&rows).
		Where("account_id = ? and expires_at > ? and last_seen_at > ?", accountID, now, idleSince).
		Order("last_seen_at DESC", "id").Scan(ctx)
	return rows, database.Fault(err, nil)
}

func (s *store) insertSession(ctx context.Context, row *sessionRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) deleteSession(ctx context.Context, accountID, id string) error {
	result, err := s.db.In(ctx).NewDelete().Model((*sessionRow)(nil)).Where("id = ? and account_id = ?", id, accountID).
		Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return fault.Missing(fault.NoSuchThing).Wrap(err)
	}
	return nil
}

// endAccess ends the account's sessions and challenges, because a proved password must not live on in them, and its API
// tokens. Whoever keeps a session is the owner, who revokes API tokens one by one: they stay.
func (s *store) endAccess(ctx context.Context, accountID, keptSession string) error {
	if err := s.deleteOtherSessions(ctx, accountID, keptSession); err != nil {
		return err
	}
	if keptSession == "" {
		if err := s.deleteTokens(ctx, accountID); err != nil {
			return err
		}
	}
	_, err := s.db.In(ctx).NewDelete().Model((*challengeRow)(nil)).Where("account_id = ?", accountID).Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) deleteOtherSessions(ctx context.Context, accountID, kept string) error {
	query := s.db.In(ctx).NewDelete().Model((*sessionRow)(nil)).Where("account_id = ?", accountID)
	if kept != "" {
		query = query.Where("id <> ?", kept)
	}
	_, err := query.Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) setPassword(ctx context.Context, id string, next replacing, at time.Time) error {
	_, err := s.db.In(ctx).NewUpdate().Model((*accountRow)(nil)).
		Set("password_hash = ?, must_change_password = ?, updated_at = ?, revision = revision + 1", next.hash,
			next.mustChange, at).
		Where("id = ?", id).Exec(ctx)
	return database.Fault(err, nil)
}

// rehash stores another hash of the same password.
func (s *store) rehash(ctx context.Context, id, hash string) error {
	_, err := s.db.In(ctx).NewUpdate().Model((*accountRow)(nil)).Set("password_hash = ?", hash).Where("id = ?", id).
		Exec(ctx)
	return database.Fault(err, nil)
}

// setLanguage leaves the revision alone: nobody who changes an account at the same moment has to look again.
func (s *store) setLanguage(ctx context.Context, id, language string) error {
	_, err := s.db.In(ctx).NewUpdate().Model((*accountRow)(nil)).Set("language = ?", language).Where("id = ?", id).
		Exec(ctx)
	return database.Fault(err, nil)
}

const asRead = "id = ? and password_hash = ? and state = 'active'"

// signedIn notes a sign-in and holds the account like hold.
func (s *store) signedIn(ctx context.Context, read *accountRow, ip string, at time.Time) (bool, error) {
	result, err := s.db.In(ctx).NewUpdate().Model((*accountRow)(nil)).
		Set("last_login_at = ?, last_login_ip = ?", at, ip).Where(asRead, read.ID, read.PasswordHash).Exec(ctx)
	return one(result, err)
}

// hold keeps the account active and its password in place until tx ends; false means that it is not as it was read any
// more.
func (s *store) hold(ctx context.Context, read *accountRow) (bool, error) {
	result, err := s.db.In(ctx).NewSelect().Model((*accountRow)(nil)).Column("id").
		Where(asRead, read.ID, read.PasswordHash).For("no key update").Exec(ctx)
	return one(result, err)
}

// touchSessions moves the last use of many sessions at once; it never moves one back.
func (s *store) touchSessions(ctx context.Context, seen map[string]time.Time) error {
	ids, times := columnsOf(seen)
	_, err := s.db.Pool.Exec(ctx, `update sessions s set last_seen_at = u.at
		from unnest($1::uuid[], $2::timestamptz[]) as u(id, at) where s.id = u.id and s.last_seen_at < u.at`, ids, times)
	if err != nil {
		return fmt.Errorf("store when sessions were last used: %w", err)
	}
	return nil
}

func columnsOf(seen map[string]time.Time) (ids []string, times []time.Time) {
	for id, at := range seen {
		ids, times = append(ids, id), append(times, at)
	}
	return ids, times
}

func (s *store) count(ctx context.Context) (int, error) {
	n, err := s.db.In(ctx).NewSelect().Model((*accountRow)(nil)).Count(ctx)
	return int(n), database.Fault(err, nil)
}

// lock serialises changes of permissions and states over all accounts, then reads one for change.
func (s *store) lock(ctx context.Context, id string) (*accountRow, error) {
	if err := s.lockAll(ctx); err != nil {
		return nil, err
	}
	row := new(accountRow)
	err := s.selectAccounts(ctx, row).Where("id = ?", id).For("update").Scan(ctx)
	return row, database.Fault(err, nil)
}

func (s *store) lockAll(ctx context.Context) error {
	_, err := s.db.In(ctx).ExecContext(ctx, "select pg_advisory_xact_lock(hashtext('accounts'))")
	return database.Fault(err, nil)
}

func (s *store) updateAccount(ctx context.Context, row *accountRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).WherePK().
		Column("username", "username_key", "permissions", "state", "updated_at", "revision").Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) deleteAccount(ctx context.Context, id string) error {
	_, err := s.db.In(ctx).NewDelete().Model((*accountRow)(nil)).Where("id = ?", id).Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) countFullAccess(ctx context.Context) (int, error) {
	n, err := s.db.In(ctx).NewSelect().Model((*accountRow)(nil)).
		Where("state = ? and '*' = any(permissions)", stateActive).Count(ctx)
	return int(n), database.Fault(err, nil)
}
