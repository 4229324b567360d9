package accounts

import (
	"context"
	"slices"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/names"
)

var (
	errLastAdmin = fault.Conflict("last_admin",
		"this is the last account with full access; give another one full access first")
	errStale = fault.Conflict("revision_conflict",
		"the account was changed meanwhile; read it again and repeat your change")
)

// draft is what a caller wants an account to be; nil means unchanged.
type draft struct {
	Username    *string
	Permissions *[]string
	State       *string
	Password    *string
	MustChange  *bool
}

// create makes an account. Permissions that are not sent mean full access (specification, "Administrator account").
// Faults: permission_denied (403), name_taken (409), invalid_value (422).
func (s *service) create(ctx context.Context, d draft) (*accountRow, error) {
	keys, err := s.granted(ctx, orAll(d.Permissions), nil)
	if err != nil {
		return nil, err
	}
	hash, err := s.hasher.Hash(ctx, *d.Password)
	if err != nil {
		return nil, err
	}
	now := s.clock.Now().UTC()
	row := &accountRow{
		ID: database.NewID(), PasswordHash: hash, Permissions: keys, State: stateActive,
		MustChangePassword: d.MustChange != nil && *d.MustChange, CreatedAt: now, UpdatedAt: now, Revision: 1,
	}
	row.named(*d.Username)
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.store.insertAccount(ctx, row); err != nil {
			return err
		}
		changes := map[string]audit.Change{"permissions": {To: words(keys)}, "username": {To: row.Username}}
		return s.note(ctx, "account.created", row, changes)
	})
	return row, err
}

func orAll(permissions *[]string) []string {
	if permissions == nil {
		return []string{string(access.All)}
	}
	return *permissions
}

// granted turns words into keys and refuses unknown ones and those that the caller himself lacks. A key of a module
// that this build lacks stays with whoever holds it.
func (s *service) granted(ctx context.Context, permissions []string, held []access.Key) ([]access.Key, error) {
	keys := make(access.Set, 0, len(permissions))
	for _, word := range permissions {
		key := access.Key(word)
		if !s.catalogue.knows(key) && !slices.Contains(held, key) {
			return nil, fault.InvalidValue("permissions", "there is no such permission")
		}
		keys = append(keys, key)
	}
	if len(keys) > 1 && keys.Has(access.All) && containsAll(keys) {
		return nil, fault.InvalidValue("permissions", "full access stands alone")
	}
	if caller := access.From(ctx); !caller.Permissions.Covers(keys) {
		return nil, fault.Forbidden("permission_denied", "you cannot grant a permission that you lack yourself").
			With("required", missing(caller.Permissions, keys))
	}
	return keys, nil
}

func containsAll(keys access.Set) bool {
	for _, key := range keys {
		if key == access.All {
			return true
		}
	}
	return false
}

func missing(held, wanted access.Set) []string {
	var lacking []string
	for _, key := range wanted {
		if !held.Covers(access.Set{key}) {
			lacking = append(lacking, string(key))
		}
	}
	return lacking
}

// update changes an account at the given revision. It ends no session, unless the account is disabled.
// Faults: not_found (404), permission_denied (403), last_admin, name_taken, revision_conflict (409), invalid_value
// (422).
func (s *service) update(ctx context.Context, id string, revision int64, d draft) (*accountRow, error) {
	var changed *accountRow
	err := s.change(ctx, id, func(ctx context.Context) error {
		row, err := s.store.lock(ctx, id)
		if err != nil {
			return err
		}
		if row.Revision != revision {
			return httpapi.ErrRevision.With("revision", row.Revision)
		}
		changes, err := s.apply(ctx, row, d)
		if err != nil {
			return err
		}
		changed = row
		return s.save(ctx, row, changes)
	})
	return changed, err
}

// apply changes the row and tells what changed. Nobody changes an account that holds more than he does.
func (s *service) apply(ctx context.Context, row *accountRow, d draft) (map[string]audit.Change, error) {
	if caller := access.From(ctx); !caller.Permissions.Covers(row.Permissions) {
		return nil, fault.Forbidden("permission_denied", "this account holds permissions that you lack yourself").
			With("required", missing(caller.Permissions, row.Permissions))
	}
	changes := map[string]audit.Change{}
	if d.Permissions != nil {
		keys, err := s.granted(ctx, *d.Permissions, row.Permissions)
		if err != nil {
			return nil, err
		}
		changes["permissions"] = audit.Change{From: words(row.Permissions), To: words(keys)}
		row.Permissions = keys
	}
	if d.Username != nil && names.Composed(*d.Username) != row.Username {
		changes["username"] = audit.Change{From: row.Username, To: names.Composed(*d.Username)}
		row.named(*d.Username)
	}
	if d.State != nil && *d.State != row.State {
		changes["state"] = audit.Change{From: row.State, To: *d.State}
		row.State = *d.State
	}
	return changes, nil
}

func (s *service) save(ctx context.Context, row *accountRow, changes map[string]audit.Change) error {
	row.Revision++
	row.UpdatedAt = s.clock.Now().UTC()
	if err := s.store.updateAccount(ctx, row); err != nil {
		return err
	}
	if row.State == stateDisabled {
		if err := s.store.endAccess(ctx, row.ID, ""); err != nil {
			return err
		}
	}
	if err := s.someoneHasAll(ctx); err != nil {
		return err
	}
	action := "account.updated"
	if _, permissions := changes["permissions"]; permissions {
		action = "account.permissions_changed"
	}
	return s.note(ctx, action, row, changes)
}

// someoneHasAll keeps the last active account with full access from losing it, also when two are changed at once: the
// lock of store.lock serialises such changes.
func (s *service) someoneHasAll(ctx context.Context) error {
	n, err := s.store.countFullAccess(ctx)
	if err == nil && n == 0 {
		return errLastAdmin
	}
	return err
}

// remove deletes an account and its sessions. What it owns goes to the heir; without one an owner is not deleted.
// Faults: not_found (404), permission_denied (403), last_admin, account_in_use (409), invalid_value (422).
func (s *service) remove(ctx context.Context, id, heir string) error {
	return s.change(ctx, id, func(ctx context.Context) error {
		row, err := s.store.lock(ctx, id)
		if err != nil {
			return err
		}
		if _, err := s.apply(ctx, row, draft{}); err != nil {
			return err
		}
		changes, err := s.leaveNothing(ctx, row, heir)
		if err != nil {
			return err
		}
		if err := s.store.deleteAccount(ctx, id); err != nil {
			return err
		}
		if err := s.someoneHasAll(ctx); err != nil {
			return err
		}
		return s.note(ctx, "account.deleted", row, changes)
	})
}

// newPassword is what a reset makes of an account.
type newPassword struct {
	plain          string
	mustChange     bool
	withoutFactors bool
	confirmation   *string // the caller's own password, which the removal of second factors needs
}

var errOwnAccount = fault.Conflict("own_account",
	"this is your own account; change its password with POST /api/v1/auth/password, which asks for the current one")

// resetPassword sets another account's password and ends all its sessions; its second factors stay unless they are to
// go.
// Faults: not_found (404), permission_denied (403), own_account (409), and of a removal of second factors those of
// stepUp.
func (s *service) resetPassword(ctx context.Context, id string, next newPassword) error {
	if id == access.From(ctx).AccountID {
		return errOwnAccount
	}
	if _, err := s.store.account(ctx, id); err != nil {
		return err
	}
	if next.withoutFactors {
		if err := s.stepUp(ctx, "current_password", next.confirmation); err != nil {
			return err
		}
	}
	hash, err := s.hasher.Hash(ctx, next.plain)
	if err != nil {
		return err
	}
	return s.change(ctx, id, func(ctx context.Context) error {
		row, err := s.store.lock(ctx, id)
		if err != nil {
			return err
		}
		if _, err := s.apply(ctx, row, draft{}); err != nil {
			return err
		}
		if err := s.replacePassword(ctx, row, replacing{hash: hash, mustChange: next.mustChange}); err != nil ||
			!next.withoutFactors {
			return err
		}
		return s.removeFactors(ctx, row)
	})
}

// stepUp demands the caller's own password for what a stolen session must not do.
// Faults: missing_field (400), invalid_value (422), throttled (429).
func (s *service) stepUp(ctx context.Context, field string, plain *string) error {
	if plain == nil {
		return fault.Malformed("missing_field", "second factors are removed with your own password").
			Field(field, "missing_field", "this field is required to remove second factors")
	}
	_, err := s.confirmed(ctx, field, *plain)
	return err
}

// removeFactors takes every second factor off an account and journals it with tx.
func (s *service) removeFactors(ctx context.Context, owner *accountRow) error {
	if err := s.store.removeFactors(ctx, owner.ID); err != nil {
		return err
	}
	return s.factorChanged(ctx, owner, "second_factor", "set", "unset")
}

// endSessionOf ends one session of an account. Fault: not_found (404).
func (s *service) endSessionOf(ctx context.Context, accountID, id string) error {
	return s.change(ctx, accountID, func(ctx context.Context) error {
		row, err := s.store.lock(ctx, accountID)
		if err != nil {
			return err
		}
		if _, err := s.apply(ctx, row, draft{}); err != nil {
			return err
		}
		if err := s.store.deleteSession(ctx, accountID, id); err != nil {
			return err
		}
		return s.journal.Record(ctx, s.db.In(ctx), audit.Entry{
			Action: "account.session_ended",
			Object: audit.Object{Type: "session", ID: id, Name: row.Username},
		})
	})
}
