package external

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/modules/health/internal/external/checker"
	"panel/platform/database"
	"panel/platform/fault"
)

const (
	operatorsLast = 10 * time.Minute
	accountLasts  = time.Minute
	longestTurn   = 20 * time.Second
)

// checkerRow is what is known of the service.
type checkerRow struct {
	bun.BaseModel `bun:"table:health_checkers,alias:c"`

	Name          string             `bun:"name,pk"`
	Account       []byte             `bun:"account"`
	Balance       *int64             `bun:"balance"`
	Tier          string             `bun:"tier"`
	TierExpiresAt *time.Time         `bun:"tier_expires_at"`
	AccountAt     *time.Time         `bun:"account_at"`
	Operators     []checker.Operator `bun:"operators,type:jsonb"`
	OperatorsAt   *time.Time         `bun:"operators_at"`
	Trouble       string             `bun:"trouble"`
	TroubleAt     *time.Time         `bun:"trouble_at"`
}

// turn waits until the service takes the next call of this account, whichever panel makes it.
// Fault: unavailable (503) when too many wait.
func (s *Service) turn(ctx context.Context) error {
	var pause float64
	name, every := s.adapter.Name(), s.every.Seconds()
	err := s.db.In(ctx).NewRaw(`insert into health_checkers as c (name, next_call_at)
		values (?0, now() + make_interval(secs => ?1))
		on conflict (name) do update set next_call_at = greatest(c.next_call_at, now()) + make_interval(secs => ?1)
			where c.next_call_at < now() + make_interval(secs => ?2)
		returning extract(epoch from next_call_at - now())::float8 - ?1`,
		name, every, longestTurn.Seconds()).Scan(ctx, &pause)
	if fault.KindOf(database.Fault(err, nil)) == fault.KindMissing {
		return fault.Unavailable("too many calls wait for the service for external checks; try again in a moment").
			After(longestTurn)
	}
	if err != nil {
		return database.Fault(fmt.Errorf("take a turn for an external check: %w", err), nil)
	}
	if pause <= 0 {
		return nil
	}
	timer := time.NewTimer(time.Duration(pause * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// upstream puts an error of the service into what a caller of the API sees. Faults: checker_error (502),
// checker_timeout (504), and those that the panel made.
func (s *Service) upstream(ctx context.Context, err error) error {
	s.noteTrouble(ctx, err)
	refused, is := checker.RefusalOf(err)
	switch {
	case !is:
		return err
	case refused.Code == checker.TimedOut:
		return fault.UpstreamTimeout("checker_timeout", "the service for external checks did not answer in time").
			Wrap(err)
	}
	return fault.Upstream("checker_error", "the service for external checks could not be used").
		With("reason", refused.Code).After(refused.After).Wrap(err)
}

// noteTrouble keeps what Doctor tells of: a key that is refused, a balance that is too low.
func (s *Service) noteTrouble(ctx context.Context, cause error) {
	code := ""
	if refused, is := checker.RefusalOf(cause); is {
		code = refused.Code
	}
	if lost, is := checker.LostOf(cause); is {
		code = lost.Code
	}
	if code == "" || code == checker.StillRunning || code == checker.TooFast {
		return
	}
	s.note(ctx, code)
}

func (s *Service) note(ctx context.Context, code string) {
	_, err := s.db.In(ctx).NewRaw(`insert into health_checkers as c (name, trouble, trouble_at) values (?, ?, ?)
		on conflict (name) do update set trouble = excluded.trouble, trouble_at = excluded.trouble_at
			where c.trouble <> excluded.trouble`, s.adapter.Name(), code, s.now()).Exec(ctx)
	if err != nil {
		s.log.Warn("the state of the service for external checks could not be noted", zap.Error(err))
	}
}

// AccountView is what the panel has with the service, and what it may spend there.
type AccountView struct {
	Provider  string     `json:"provider"`
	Unit      string     `json:"unit" enum:"kopek"`
	Balance   int64      `json:"balance"`
	Tier      string     `json:"tier"`
	ExpiresAt *time.Time `json:"expires_at" doc:"When the tier ends; null: never, or unknown"`
	CheckedAt time.Time  `json:"checked_at"`
	Budget    Budget     `json:"budget"`
}

// Account asks the service what is left there; what it said within the last minute is not asked again.
// Faults: checker_not_configured (422), checker_error (502), checker_timeout (504).
func (s *Service) Account(ctx context.Context) (view AccountView, err error) {
	set, _, err := s.settings.Get(ctx)
	if err != nil {
		return view, err
	}
	if !set.APIKey.Set() {
		return view, errNoKey
	}
	known, err := s.known(ctx, set)
	if err != nil {
		return view, err
	}
	if known.AccountAt == nil || s.now().After(known.AccountAt.Add(accountLasts)) {
		if known, err = s.askAccount(ctx, set, known); err != nil {
			return view, s.upstream(ctx, err)
		}
	}
	view = AccountView{
		Provider: s.adapter.Name(), Unit: checker.Kopek, Balance: *known.Balance, Tier: known.Tier,
		ExpiresAt: known.TierExpiresAt, CheckedAt: known.AccountAt.UTC(),
	}
	view.Budget, err = s.budget(ctx, set)
	return view, err
}

// known gives what was heard of the account that the settings name.
func (s *Service) known(ctx context.Context, set Settings) (checkerRow, error) {
	found := checkerRow{}
	err := s.db.In(ctx).NewSelect().Model(&found).Column("name", "account", "balance", "tier", "tier_expires_at", "account_at", "operators", "operators_at",
		"trouble", "trouble_at").
		Where("name = ?", s.adapter.Name()).Scan(ctx)
	if err = database.Fault(err, nil); err != nil && fault.KindOf(err) != fault.KindMissing {
		return found, err
	}
	if !s.marks(set, found.Account) {
		found = checkerRow{Name: s.adapter.Name(), Account: s.mark(set), Operators: []checker.Operator{}}
	}
	return found, nil
}

// keep stores what was heard of the account; the row is there since the turn was taken.
func (s *Service) keep(ctx context.Context, known checkerRow) (checkerRow, error) {
	_, err := s.db.In(ctx).NewUpdate().Model(&known).WherePK().Exec(ctx)
	return known, database.Fault(err, nil)
}

func (s *Service) askAccount(ctx context.Context, set Settings, known checkerRow) (checkerRow, error) {
	if err := s.turn(ctx); err != nil {
		return known, err
	}
	account, err := s.adapter.Account(ctx, set.access())
	if err != nil {
		return known, err
	}
	now := s.now()
	known.Balance, known.Tier, known.TierExpiresAt = &account.Balance, account.Tier, account.ExpiresAt
	known.AccountAt, known.Trouble, known.TroubleAt = &now, "", nil
	return s.keep(ctx, known)
}

// refreshAccount asks for the balance after a check. That it fails keeps nothing from being done.
func (s *Service) refreshAccount(ctx context.Context) {
	set, _, err := s.settings.Get(ctx)
	if err != nil || !set.APIKey.Set() || database.InTransaction(ctx) {
		return
	}
	known, err := s.known(ctx, set)
	if err == nil {
		_, err = s.askAccount(ctx, set, known)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		s.noteTrouble(ctx, err)
	}
}

// OperatorList are the operators that can be asked.
type OperatorList struct {
	Items     []checker.Operator `json:"items"`
	CheckedAt time.Time          `json:"checked_at" doc:"When the service was asked; it is asked every ten minutes at most"`
}

// Operators gives the operators of the service; when it cannot be asked, those that it named last.
// Faults: checker_not_configured (422), checker_error (502), checker_timeout (504).
func (s *Service) Operators(ctx context.Context) (list OperatorList, err error) {
	set, _, err := s.settings.Get(ctx)
	if err != nil {
		return list, err
	}
	if !set.APIKey.Set() {
		return list, errNoKey
	}
	known, err := s.known(ctx, set)
	if err != nil {
		return list, err
	}
	if known.OperatorsAt == nil || s.now().After(known.OperatorsAt.Add(operatorsLast)) {
		fresh, err := s.askOperators(ctx, set, known)
		switch {
		case err == nil:
			known = fresh
		case known.OperatorsAt == nil:
			return list, s.upstream(ctx, err)
		default:
			s.noteTrouble(ctx, err)
		}
	}
	list.Items, list.CheckedAt = append([]checker.Operator{}, known.Operators...), known.OperatorsAt.UTC()
	return list, nil
}

func (s *Service) askOperators(ctx context.Context, set Settings, known checkerRow) (checkerRow, error) {
	if err := s.turn(ctx); err != nil {
		return known, err
	}
	operators, err := s.adapter.Operators(ctx, set.access())
	if err != nil {
		return known, err
	}
	now := s.now()
	known.Operators, known.OperatorsAt = operators, &now
	return s.keep(ctx, known)
}
