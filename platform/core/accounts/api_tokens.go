package accounts

import (
	"context"
	"fmt"
	"strings"
	"time"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/tokens"
)

// mostTokens bounds the API tokens of one account.
const mostTokens = 20

// tokenOrder is what a caller wants an API token to be.
type tokenOrder struct {
	name        string
	permissions []string
	days        int
	password    string
}

// createToken makes an API token for the caller's own account; the token is given back this once.
// Faults: permission_denied (403), name_taken, too_many_tokens, revision_conflict (409), invalid_value (422), throttled
// (429).
func (s *service) createToken(ctx context.Context, order tokenOrder) (string, *apiTokenRow, error) {
	name := strings.TrimSpace(order.name)
	if name == "" {
		return "", nil, fault.InvalidValue("name", "a name is more than spaces")
	}
	keys, err := s.granted(ctx, order.permissions, nil)
	if err != nil {
		return "", nil, err
	}
	owner, err := s.confirmed(ctx, "current_password", order.password)
	if err != nil {
		return "", nil, err
	}
	token, digest := tokens.New(apiTokenPrefix)
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	row := &apiTokenRow{
		ID: database.NewID(), AccountID: owner.ID, Name: name, TokenHash: digest[:], Permissions: keys, CreatedAt: now,
		ExpiresAt: now.AddDate(0, 0, order.days),
	}
	return token, row, s.db.InTx(ctx, func(ctx context.Context) error { return s.storeToken(ctx, owner, row) })
}

// storeToken holds the account first, so that tokens that are created at once are counted one after the other.
func (s *service) storeToken(ctx context.Context, owner *accountRow, row *apiTokenRow) error {
	if err := s.hold(ctx, owner); err != nil {
		return err
	}
	count, err := s.store.countTokens(ctx, owner.ID)
	if err != nil {
		return err
	}
	if count >= mostTokens {
		return fault.Conflict("too_many_tokens", fmt.Sprintf("an account has at most %d API tokens; revoke one first",
			mostTokens))
	}
	if err := s.store.insertToken(ctx, row); err != nil {
		return err
	}
	return s.journal.Record(ctx, s.db.In(ctx), audit.Entry{
		Action: "account.token_created", Object: tokenObject(row),
		Changes: map[string]audit.Change{
			"permissions": {To: words(row.Permissions)},
			"expires_at":  {To: row.ExpiresAt},
		},
	})
}

func tokenObject(row *apiTokenRow) audit.Object {
	return audit.Object{Type: "api_token", ID: row.ID, Name: row.Name}
}

func (s *service) tokensOf(ctx context.Context, accountID string) ([]apiToken, error) {
	rows, err := s.store.tokensOf(ctx, accountID)
	if err != nil {
		return nil, err
	}
	now, held := s.clock.Now(), make([]apiToken, len(rows))
	for i := range rows {
		held[i] = rows[i].shown(now)
	}
	return held, nil
}

// revokeToken ends one of the caller's own API tokens, at its next request through whichever panel. Fault: not_found
// (404).
func (s *service) revokeToken(ctx context.Context, id string) error {
	own := access.From(ctx).AccountID
	return s.change(ctx, own, func(ctx context.Context) error { return s.endToken(ctx, own, id) })
}

// revokeTokenOf ends an API token of an account. Faults: not_found (404), permission_denied (403).
func (s *service) revokeTokenOf(ctx context.Context, accountID, id string) error {
	return s.change(ctx, accountID, func(ctx context.Context) error {
		row, err := s.store.lock(ctx, accountID)
		if err != nil {
			return err
		}
		if _, err := s.apply(ctx, row, draft{}); err != nil {
			return err
		}
		return s.endToken(ctx, accountID, id)
	})
}

func (s *service) endToken(ctx context.Context, accountID, id string) error {
	row, err := s.store.deleteToken(ctx, accountID, id)
	if err != nil {
		return err
	}
	return s.journal.Record(ctx, s.db.In(ctx), audit.Entry{Action: "account.token_revoked", Object: tokenObject(row)})
}

// apiToken reads an API token with its account; a disabled account has none.
func (s *store) apiToken(ctx context.Context, digest tokens.Digest) (*apiTokenRow, *accountRow, error) {
	row := new(apiTokenRow)
	if err := s.db.In(ctx).NewSelect().Model(row).Where("token_hash = ?", digest[:]).Scan(ctx); err != nil {
		return nil, nil, database.Fault(err, nil)
	}
	owner, err := s.activeOwner(ctx, row.AccountID)
	return row, owner, err
}

func (s *store) tokensOf(ctx context.Context, accountID string) ([]apiTokenRow, error) {
	var rows []apiTokenRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("account_id = ?", accountID).Scan(ctx)
	return rows, database.Fault(err, nil)
}

func (s *store) countTokens(ctx context.Context, accountID string) (int, error) {
	n, err := s.db.In(ctx).NewSelect().Model((*apiTokenRow)(nil)).Where("account_id = ?", accountID).Count(ctx)
	return int(n), database.Fault(err, nil)
}

var errTokenName = fault.Conflict("name_taken", "another API token of this account has this name").
	Field("name", "name_taken", "choose another name")

func (s *store) insertToken(ctx context.Context, row *apiTokenRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, map[string]*fault.Fault{"api_tokens_name": errTokenName})
}

func (s *store) deleteToken(ctx context.Context, accountID, id string) (*apiTokenRow, error) {
	row := new(apiTokenRow)
	err := s.db.In(ctx).NewRaw("delete from api_tokens where id = ? and account_id = ? returning *", id, accountID).
		Scan(ctx, row)
	return row, database.Fault(err, nil)
}

// deleteTokens ends all API tokens of an account. A reset on the server also meets the database of a version that had
// none.
func (s *store) deleteTokens(ctx context.Context, accountID string) error {
	var exist bool
	if err := s.db.In(ctx).NewRaw("select to_regclass('api_tokens') is not null").Scan(ctx, &exist); err != nil ||
		!exist {
		return database.Fault(err, nil)
	}
	_, err := s.db.In(ctx).NewDelete().Model((*apiTokenRow)(nil)).Where("account_id = ?", accountID).Exec(ctx)
	return database.Fault(err, nil)
}

// touchTokens moves the last use of many API tokens at once; it never moves one back.
func (s *store) touchTokens(ctx context.Context, seen map[string]time.Time) error {
	ids, times := columnsOf(seen)
	_, err := s.db.Pool.Exec(ctx, `update api_tokens t set last_used_at = u.at from unnest($1::uuid[], $2::timestamptz[]) as u(id, at)
		where t.id = u.id and (t.last_used_at is null or t.last_used_at < u.at)`, ids, times)
	if err != nil {
		return fmt.Errorf("store when API tokens were last used: %w", err)
	}
	return nil
}
