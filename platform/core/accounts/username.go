package accounts

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/names"
)

// longestUsername is the most characters of a username.
const longestUsername = 64

// plausible refuses a name that no account can have, before it is folded, hashed or looked up. Fault: invalid_value
// (422).
func plausible(username string) error {
	if len(username) > longestUsername*utf8.UTFMax || utf8.RuneCountInString(username) > longestUsername {
		return fault.InvalidValue("username", fmt.Sprintf("a username has at most %d characters", longestUsername))
	}
	return nil
}

// heldApart ends the key of an account whose name folds like an older account's. No username holds this character, so
// that the account signs in by its exact name alone.
const heldApart = "~"

type namedRow struct {
	bun.BaseModel `bun:"table:accounts,alias:a"`
	ID            string  `bun:",pk"`
	Username      string  `bun:"username"`
	UsernameKey   *string `bun:"username_key"`
}

// keyUsernames gives every account the key of its name: those of a version that knew no keys, and those of another
// folding. Of two names that fold alike the older account keeps the key.
func (s *service) keyUsernames(ctx context.Context) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.store.lockAll(ctx); err != nil {
			return err
		}
		rows, err := s.store.names(ctx)
		if err != nil {
			return fmt.Errorf("read the usernames to key them: %w", err)
		}
		return s.store.setKeys(ctx, s.rekeyed(rows))
	})
}

// rekeyed gives the rows whose key has to change, with their new keys.
func (s *service) rekeyed(rows []namedRow) []namedRow {
	var changed []namedRow
	owners := map[string]string{}
	for _, row := range rows {
		key := names.Key(row.Username)
		if owner, taken := owners[key]; taken {
			s.log.Warn("two accounts have the same username but for the case or form of its letters; each signs in by its exact name "+
				"until one of them is renamed", zap.String("username", row.Username), zap.String("other", owner))
			key += heldApart + row.ID
		}
		owners[key] = row.Username
		if row.UsernameKey == nil || *row.UsernameKey != key {
			row.UsernameKey = &key
			changed = append(changed, row)
		}
	}
	return changed
}

func (s *store) names(ctx context.Context) ([]namedRow, error) {
	var rows []namedRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Order("created_at", "id").Scan(ctx)
	return rows, database.Fault(err, nil)
}

// setKeys takes all former keys away first: one account may get the key that another one had.
func (s *store) setKeys(ctx context.Context, rows []namedRow) error {
	for _, row := range rows {
		if _, err := s.db.In(ctx).ExecContext(ctx, "update accounts set username_key = null where id = ?",
			row.ID); err != nil {
			return database.Fault(err, constraints)
		}
	}
	for _, row := range rows {
		if _, err := s.db.In(ctx).ExecContext(ctx, "update accounts set username_key = ? where id = ?",
			*row.UsernameKey, row.ID); err != nil {
			return database.Fault(err, constraints)
		}
	}
	return nil
}
