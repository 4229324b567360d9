package hosting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/hosting/internal/cloud"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/outbound"
	"panel/platform/vault"
)

// Account is the access to one provider, and what was found at the last look. Credentials are only told to be there.
type Account struct {
	ID             string       `json:"id" format:"uuid"`
	Kind           string       `json:"kind"`
	Label          string       `json:"label"`
	BaseURL        string       `json:"base_url" doc:"Address of the API where it is not the usual one; else empty"`
	HasCredentials bool         `json:"has_credentials"`
	State          string       `json:"state" enum:"unchecked,ok,auth_failed,limited,unreachable" doc:"limited: it can be used in part, or not now"`
	Cause          string       `json:"cause" doc:"Stable word for why it is not ok; empty: it is"`
	Detail         string       `json:"detail" doc:"What the provider says of it; may be empty"`
	MissingRights  []string     `json:"missing_rights" doc:"Those that the credentials lack, in the provider's words"`
	Balance        *cloud.Money `json:"balance" doc:"What is left to spend; below zero: it is owed; null: the provider does not say"`
	Limits         Limits       `json:"limits"`
	CheckedAt      *time.Time   `json:"checked_at"`
	LastSyncAt     *time.Time   `json:"last_sync_at" doc:"When its machines were read last; null: never"`
	CreatedAt      time.Time    `json:"created_at"`
	UpdatedAt      time.Time    `json:"updated_at"`
	Revision       int64        `json:"revision"`
}

// Limits are how many machines an account has and may have.
type Limits struct {
	ServersUsed int64 `json:"servers_used"`
	Max         int64 `json:"max" doc:"0: the provider does not say"`
}

// NewAccount is what an account begins with.
type NewAccount struct {
	Kind        string            `json:"kind" minLength:"1" maxLength:"32" doc:"One of GET /api/v1/cloud-providers/kinds"`
	Label       string            `json:"label" minLength:"1" maxLength:"64"`
	BaseURL     string            `json:"base_url,omitempty" maxLength:"500" doc:"Address of the API, if it is not the usual one"`
	Credentials cloud.Credentials `json:"credentials,omitempty" doc:"By the names of the kind's fields; write-only"`
}

// AccountChange is what may change. What is absent stays.
type AccountChange struct {
	Revision    *int64            `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Label       *string           `json:"label,omitempty" minLength:"1" maxLength:"64"`
	BaseURL     *string           `json:"base_url,omitempty" maxLength:"500" doc:"Empty: the usual one"`
	Credentials cloud.Credentials `json:"credentials,omitempty" doc:"Fields that change; the others stay"`
}

// States of an account.
const (
	stateUnchecked   = "unchecked"
	stateOK          = "ok"
	stateAuthFailed  = "auth_failed"
	stateLimited     = "limited"
	stateUnreachable = "unreachable"
)

// accounts are the rules about accounts: each change, its line in the journal and its event commit together. The
// provider is asked before, never inside the transaction, and an account is kept whatever it answers.
type accounts struct {
	store     *store
	providers *cloud.Providers
	vault     *vault.Vault
	journal   audit.Journal
	bus       *events.Bus
	queue     *jobs.Enqueuer
	clock     clockwork.Clock
}

func newProviders(n *outbound.Network, p *pace, c clockwork.Clock) *cloud.Providers {
	return cloud.New(n, p, c.Now)
}

func newAccounts(
	s *store, p *cloud.Providers, v *vault.Vault, j audit.Journal, b *events.Bus, q *jobs.Enqueuer, c clockwork.Clock,
) *accounts {
	return &accounts{s, p, v, j, b, q, c}
}

func (a *accounts) now() time.Time { return a.clock.Now().UTC().Truncate(time.Microsecond) }

// add stores an account, then asks the provider what the credentials may do. Faults: name_taken (409), invalid_value
// (422).
func (a *accounts) add(ctx context.Context, in NewAccount) (Account, error) {
	if err := a.providers.Check(in.Kind, in.BaseURL, in.Credentials); err != nil {
		return Account{}, err
	}
	now := a.now()
	row := &accountRow{
		ID: database.NewID(), Kind: in.Kind, Label: in.Label, BaseURL: in.BaseURL, State: stateUnchecked,
		MissingRights: json.RawMessage("[]"), CreatedAt: now, UpdatedAt: now, Revision: 1,
	}
	if in.Kind == cloud.Custom {
		row.State = stateOK
	}
	if err := a.seal(row, in.Credentials); err != nil {
		return Account{}, err
	}
	err := a.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := a.store.insertAccount(ctx, row); err != nil {
			return err
		}
		return a.publish(ctx, accountAdded, row, map[string]audit.Change{
			"kind":     {To: row.Kind},
			"base_url": {To: row.BaseURL},
		})
	})
	if err != nil {
		return Account{}, err
	}
	return a.test(ctx, row.ID)
}

func (a *accounts) seal(row *accountRow, given cloud.Credentials) error {
	text, err := json.Marshal(given)
	if err != nil {
		return fmt.Errorf("write the credentials of an account: %w", err)
	}
	row.Sealed, row.HasCredentials = a.vault.Seal(row.place(), text), len(given) > 0
	return nil
}

func (a *accounts) credentials(row *accountRow) (given cloud.Credentials, err error) {
	text, err := a.vault.Open(row.place(), row.Sealed)
	if err != nil {
		return nil, fmt.Errorf("open the credentials of an account: %w", err)
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, fmt.Errorf("read the credentials of an account: %w", err)
	}
	return given, nil
}

// open makes a client for an account. Fault: not_able (409) where nobody is called.
func (a *accounts) open(row *accountRow) (*cloud.Client, error) {
	given, err := a.credentials(row)
	if err != nil {
		return nil, err
	}
	return a.providers.Open(row.ID, row.Kind, row.BaseURL, given)
}

// ask asks the provider of an account something that its kind can answer. Faults: not_found (404), not_able (409),
// those of a provider.
func ask[T any](
	ctx context.Context, a *accounts, id, ability string, question func(*cloud.Client, context.Context) (T, error),
) (answer T, err error) {
	row, err := a.store.account(ctx, id)
	if err != nil {
		return answer, err
	}
	kind := a.providers.Kind(row.Kind)
	if !kind.Can(ability) {
		return answer, cloud.NotAble(kind)
	}
	client, err := a.open(&row)
	if err != nil {
		return answer, err
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	answer, err = question(client, ctx)
	return answer, cloud.AsFault(err)
}

// change alters what is given, and asks the provider anew where the access changes.
// Faults: not_found (404), revision_conflict, name_taken (409), invalid_value (422).
func (a *accounts) change(ctx context.Context, id string, revision int64, to AccountChange) (Account, error) {
	row, err := a.store.account(ctx, id)
	if err != nil {
		return Account{}, err
	}
	before, reaches := row, to.BaseURL != nil || len(to.Credentials) > 0
	if to.Label != nil {
		row.Label = *to.Label
	}
	changes := map[string]audit.Change{"label": {From: before.Label, To: row.Label}}
	if reaches {
		if err := a.retarget(&row, to); err != nil {
			return Account{}, err
		}
		changes["base_url"] = audit.Change{From: before.BaseURL, To: row.BaseURL}
		changes["credentials"] = audit.Change{To: "changed"}
	}
	row.Revision, row.UpdatedAt = revision+1, a.now()
	err = a.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := a.store.lockAccount(ctx, id, revision); err != nil {
			return err
		}
		if err := a.store.updateAccount(ctx, &row); err != nil {
			return err
		}
		return a.publish(ctx, accountChanged, &row, changes)
	})
	if err != nil || !reaches {
		return row.shown(), err
	}
	return a.test(ctx, id)
}

func (a *accounts) retarget(row *accountRow, to AccountChange) error {
	given, err := a.credentials(row)
	if err != nil {
		return err
	}
	if given == nil {
		given = cloud.Credentials{}
	}
	maps.Copy(given, to.Credentials)
	if to.BaseURL != nil {
		row.BaseURL = *to.BaseURL
	}
	if err := a.providers.Check(row.Kind, row.BaseURL, given); err != nil {
		return err
	}
	row.State, row.Cause, row.Detail, row.CheckedAt, row.Failures = stateUnchecked, "", "", nil, 0
	row.MissingRights = json.RawMessage("[]")
	return a.seal(row, given)
}

// remove forgets an account with its machines; at the provider nothing changes. Faults: not_found (404),
// hosting_account_in_use, hosting_order_active (409).
func (a *accounts) remove(ctx context.Context, id string) error {
	return a.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := a.store.account(ctx, id)
		if err != nil {
			return err
		}
		open, err := a.store.working(ctx, id)
		switch {
		case err != nil:
			return err
		case open:
			return errOrderActive
		case row.Kind == cloud.Custom && row.ServersUsed > 0:
			return errAccountInUse
		}
		if err := a.store.removeAccount(ctx, id); err != nil {
			return err
		}
		return a.publish(ctx, accountRemoved, &row, nil)
	})
}

// test asks the provider now what the credentials may do. What was found is the answer, also where nobody answers.
// Fault: not_found (404).
func (a *accounts) test(ctx context.Context, id string) (Account, error) {
	row, err := a.store.account(ctx, id)
	if err != nil || row.Kind == cloud.Custom {
		return row.shown(), err
	}
	client, err := a.open(&row)
	if err != nil {
		return Account{}, err
	}
	within, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	seen, failure := client.Look(within)
	if failure != nil && cloud.ProblemOf(failure) == nil {
		return Account{}, failure
	}
	err = a.store.db.InTx(ctx, func(ctx context.Context) error {
		return a.note(ctx, row.ID, row.Revision, seen, failure)
	})
	if err != nil {
		return Account{}, err
	}
	kept, err := a.store.account(ctx, id)
	return kept.shown(), err
}

// note writes down what a look found, unless somebody has changed the account meanwhile, and tells once that it fails
// and once that it works again.
func (a *accounts) note(ctx context.Context, id string, revision int64, seen cloud.Account, failure error) error {
	row, err := a.store.unchanged(ctx, id, revision)
	if err != nil || row == nil {
		return err
	}
	now := a.now()
	row.CheckedAt = &now
	if err := row.judge(seen, cloud.ProblemOf(failure)); err != nil {
		return err
	}
	return errors.Join(a.tell(ctx, row), a.store.updateAccount(ctx, row))
}

// judge takes over what a look found. What the provider did not say stays.
func (r *accountRow) judge(seen cloud.Account, problem *cloud.Problem) (err error) {
	missing := seen.Missing
	r.State, r.Cause, r.Detail = stateOK, "", ""
	if problem != nil {
		missing = append(missing, problem.Missing...)
		r.State, r.Cause, r.Detail = stateOf(problem), problem.Cause, problem.Words
	}
	if len(missing) > 0 && r.State == stateOK {
		r.State, r.Cause = stateLimited, cloud.RightMissing
	}
	if seen.Balance != nil {
		r.BalanceAmount, r.BalanceCurrency = &seen.Balance.Amount, seen.Balance.Currency
	}
	if seen.ServersMax > 0 {
		r.ServersMax = int64(seen.ServersMax)
	}
	r.MissingRights, err = json.Marshal(append([]string{}, missing...))
	return err
}

func stateOf(problem *cloud.Problem) string {
	switch problem.Cause {
	case cloud.CredentialsRefused:
		return stateAuthFailed
	case cloud.RightMissing, cloud.AccountLocked, cloud.RateLimited, cloud.LimitReached:
		return stateLimited
	}
	return stateUnreachable
}

// failuresTold is the failure in a row that is told of, where it may pass by itself.
const failuresTold = 3

func (a *accounts) tell(ctx context.Context, row *accountRow) error {
	passing := row.Cause == cloud.RateLimited || row.State == stateUnreachable
	switch {
	case row.State == stateOK:
		told := row.ToldFailure
		row.Failures, row.ToldFailure = 0, false
		if told {
			return a.emit(ctx, accountWorks, row, Named{row.Label})
		}
		return nil
	case row.ToldFailure:
		return nil
	}
	if row.Failures++; passing && row.Failures < failuresTold {
		return nil
	}
	row.ToldFailure = true
	return a.emit(ctx, accountFailed, row, Failed{Name: row.Label, State: row.State, Cause: row.Cause})
}

// publish writes the journal's line and emits the event of the same name, in the transaction of the change.
func (a *accounts) publish(ctx context.Context, kind string, row *accountRow, changes map[string]audit.Change) error {
	recorded := a.journal.Record(ctx, a.store.db.In(ctx), audit.Entry{
		Action: kind, Object: row.object(), Changes: changes,
	})
	if err := errors.Join(recorded, a.emit(ctx, kind, row, Named{row.Label})); err != nil {
		return fmt.Errorf("publish what happened to an account: %w", err)
	}
	return nil
}

func (a *accounts) emit(ctx context.Context, kind string, row *accountRow, data any) error {
	return a.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: row.ID, At: a.now(), Data: data})
}
