package accounts

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/owners"
)

// register is owners.Accounts.
type register struct{ db *database.DB }

func exportAccounts(db *database.DB) owners.Accounts { return &register{db: db} }

// Hold takes the lock that the deletion of the account waits for.
func (h *register) Hold(ctx context.Context, accountID string) error {
	if !database.IsID(accountID) {
		return owners.ErrUnknown
	}
	var one int
	err := h.db.In(ctx).NewRaw("select 1 from accounts where id = ? for key share", accountID).Scan(ctx, &one)
	if errors.Is(err, sql.ErrNoRows) {
		return owners.ErrUnknown
	}
	return database.Fault(err, nil)
}

// mostOwned bounds how much a refused deletion lists; the number that it tells is the whole.
const mostOwned = 20

// leaveNothing keeps what the account owns from being left without an owner: it goes to the named heir, or the deletion
// is refused. Faults: account_in_use (409), permission_denied (403), invalid_value (422).
func (s *service) leaveNothing(ctx context.Context, row *accountRow, heir string) (map[string]audit.Change, error) {
	some, total, err := s.owned.Owned(ctx, row.ID, mostOwned)
	if err != nil || total == 0 {
		return nil, err
	}
	full := access.From(ctx).Permissions.Has(access.All)
	if heir == "" {
		return nil, inUse(some, total, full)
	}
	if !full {
		return nil, fault.Forbidden("permission_denied", "only full access hands over what an account owns").
			With("required", []string{string(access.All)})
	}
	if heir == row.ID {
		return nil, fault.InvalidValue("hand_over_to", "name another account than the one that is deleted")
	}
	if err := s.accounts.Hold(ctx, heir); errors.Is(err, owners.ErrUnknown) {
		return nil, fault.InvalidValue("hand_over_to", "there is no such account")
	} else if err != nil {
		return nil, err
	}
	return map[string]audit.Change{"handed_over_to": {To: heir}}, s.owned.HandOver(ctx, row.ID, heir)
}

// inUse tells what is owned by name to those who may see everything, and by number to all.
func inUse(some []owners.Thing, total int, full bool) error {
	f := fault.Conflict("account_in_use",
		fmt.Sprintf("the account owns %d flows or domain bindings; delete it with hand_over_to, "+
			"which gives them to another account, or remove them first", total)).With("owned_total", total)
	if full {
		f = f.With("owned", some)
	}
	return f
}
