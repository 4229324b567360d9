package external

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"panel/modules/health/internal/external/checker"
	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/operations"
)

const (
	runWithin = 10 * time.Minute
	callTakes = 155 * time.Second // a probe that answers late, and what is written then
)

// checkArgs name a check to be made.
type checkArgs struct {
	Report string `json:"report"`
}

// Kind names the worker.
func (checkArgs) Kind() string { return "health.external_check" }

// Jobs make and cancel checks. A job that is killed begins again and finds in the row how far the check is.
func (s *Service) Jobs() []jobs.Worker {
	const atOnce = 4
	return []jobs.Worker{
		{Kind: checkArgs{}.Kind(), Limit: atOnce, Timeout: runWithin, Work: jobs.Do(s.make)},
		{Kind: cancelArgs{}.Kind(), Limit: atOnce, Timeout: time.Minute, Attempts: 8, Work: jobs.Do(s.tellCancel)},
		{Kind: tendKind, Timeout: time.Minute, Attempts: 1, Work: s.tend},
		{Kind: scheduleKind, Timeout: time.Minute, Attempts: 1, Work: s.due},
	}
}

// make brings a check to its end. Its error has it tried again later.
func (s *Service) make(ctx context.Context, job jobs.Job, args checkArgs) error {
	ctx = access.With(ctx, access.Caller{Kind: access.System})
	for {
		r, err := s.report(ctx, args.Report, "")
		switch {
		case fault.KindOf(err) == fault.KindMissing:
			return nil
		case err != nil:
			return s.interrupted(ctx, args.Report, err)
		case !r.open():
			return r.ending()
		}
		pause, err := s.step(ctx, r)
		if err == nil && pause > 0 {
			err = s.wait(ctx, pause)
		}
		if err != nil {
			return s.interrupted(ctx, args.Report, s.lastly(ctx, job, r, err))
		}
	}
}

// ending is how the operation of a check ends.
func (r *row) ending() error {
	switch r.State {
	case Cancelled:
		return jobs.Permanent(operations.ErrCancelled)
	case Failed:
		return jobs.Permanent(errors.New(r.ErrorCode))
	}
	return nil
}

var errLater = errors.New("the service has not ended this check yet")

// wait sleeps where the job has the time for it and for a call after it.
func (s *Service) wait(ctx context.Context, pause time.Duration) error {
	if end, limited := ctx.Deadline(); limited && end.Sub(s.clock.Now()) < pause+callTakes {
		return errLater
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-s.clock.After(pause):
		return nil
	}
}

// lastly settles a check whose job is given up: what may have been paid for counts as paid.
func (s *Service) lastly(ctx context.Context, job jobs.Job, r *row, err error) error {
	if !job.Last || ctx.Err() != nil {
		return err
	}
	return errors.Join(err, s.end(ctx, r, r.givenUp(checker.TimedOut, "")))
}

// interrupted turns the end of a job that somebody cancelled in the list of operations into the wish to cancel the
// check; another job then waits for what the service has done until then.
func (s *Service) interrupted(ctx context.Context, id string, cause error) error {
	if !jobs.Cancelled(ctx) {
		return cause
	}
	const noteWithin = 5 * time.Second
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), noteWithin)
	defer stop()
	return errors.Join(cause, s.db.InTx(ctx, func(ctx context.Context) error {
		r, err := s.report(ctx, id, "update")
		if err != nil || !r.open() {
			return err
		}
		if r.CancelAskedAt == nil {
			err = s.askToCancel(ctx, r)
		}
		if err == nil && r.open() {
			err = s.queue.Insert(ctx, checkArgs{r.ID}, jobs.Opts{})
		}
		return err
	}))
}

// step does one thing for a check, and says how long to wait before the next.
func (s *Service) step(ctx context.Context, r *row) (pause time.Duration, err error) {
	set, _, err := s.settings.Get(ctx)
	if err != nil {
		return 0, err
	}
	fresh := r.SentAt == nil
	if fresh {
		if done, pause, err := s.agreed(ctx, r, set); done || pause > 0 || err != nil {
			return pause, err
		}
	}
	// Another account would charge for the check anew.
	if !s.now().Before(r.SentAt.Add(s.pace.giveUp)) || !s.marks(set, r.Account) {
		return 0, s.end(ctx, r, r.givenUp(checker.TimedOut, ""))
	}
	order := r.Content
	if r.Sealed != "" {
		link, err := s.vault.Open(linkRef(r.ID), r.Sealed)
		if err != nil {
			return 0, fmt.Errorf("open the link of an external check: %w", err)
		}
		order.Link = string(link)
	}
	if err := s.turn(ctx); err != nil {
		return 0, err
	}
	var result checker.Result
	if r.Ref == "" {
		result, err = s.adapter.Start(ctx, set.access(), order, r.CallKey)
	} else {
		result, err = s.adapter.Poll(ctx, set.access(), order, r.Ref)
	}
	if err != nil {
		return s.troubled(ctx, r, fresh, err)
	}
	return s.answered(ctx, r, result)
}

// mark is what a service account is recognized by, without its key.
func (s *Service) mark(set Settings) []byte {
	return s.vault.Digests([]byte(set.Address + "\x00" + set.APIKey.Reveal()))[0]
}

// marks tells whether a mark is that of the account which the settings name.
func (s *Service) marks(set Settings, mark []byte) bool {
	return slices.ContainsFunc(s.vault.Digests([]byte(set.Address+"\x00"+set.APIKey.Reveal())),
		func(known []byte) bool { return bytes.Equal(known, mark) })
}

// agreed asks for the price once more, for nothing, and marks the check as sent when it is not above what was agreed
// to. Done says that the check has ended instead.
func (s *Service) agreed(ctx context.Context, r *row, set Settings) (done bool, pause time.Duration, err error) {
	code := ""
	if !set.APIKey.Set() {
		code = errNoKey.Code
	}
	if why := s.license.Current().Stopped(Feature, entitlement.Stops, entitlement.Stops); why != "" {
		code = "license_stopped"
	}
	if code != "" {
		return true, 0, s.end(ctx, r, outcome{state: Failed, code: code})
	}
	price, err := s.price(ctx, set.access(), r.Content)
	if err != nil {
		pause, err = s.unpriced(ctx, r, err)
		return true, pause, err
	}
	if price.Amount > r.Price {
		return true, 0, s.end(ctx, r, outcome{state: Failed, code: "price_changed"})
	}
	now, account := s.now(), s.mark(set)
	marked, err := s.db.In(ctx).NewRaw(`update health_reports set sent_at = ?, state = 'running', touched_at = ?,
		account = ? where id = ? and sent_at is null and state = 'queued' and cancel_asked_at is null`,
		now, now, account, r.ID).Exec(ctx)
	if err != nil {
		return false, 0, database.Fault(fmt.Errorf("note that an external check is sent: %w", err), nil)
	}
	n, err := marked.RowsAffected()
	r.SentAt, r.State, r.Account = &now, Running, account
	return n == 0, 0, err // 0: cancelled at this moment, or sent by another panel; the row says which
}

// answered stores what the service says.
func (s *Service) answered(ctx context.Context, r *row, result checker.Result) (time.Duration, error) {
	switch result.State {
	case checker.Done:
		return 0, s.end(ctx, r, found(Done, result))
	case checker.Cancelled:
		return 0, s.end(ctx, r, found(Cancelled, result))
	}
	fresh := r.Ref == ""
	_, err := s.db.In(ctx).NewRaw(`update health_reports set ref = ?, touched_at = ?,
		skipped = case when ? then ?::jsonb else skipped end where id = ? and state = 'running'`, result.Ref, s.now(),
		fresh, jsonOf(result.Skipped), r.ID).Exec(ctx)
	if err != nil {
		return 0, database.Fault(fmt.Errorf("note that an external check goes on: %w", err), nil)
	}
	if fresh && result.Price > r.Price {
		s.log.Warn("an external check is ended, for it would cost more than was agreed to", zap.String("report", r.ID))
		return s.pace.poll, s.overpriced(ctx, r.ID)
	}
	return s.pace.poll, nil
}

// overpriced ends a check that waits at the service and turns out to cost more than was agreed to.
func (s *Service) overpriced(ctx context.Context, id string) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		r, err := s.report(ctx, id, "update")
		if err != nil || !r.open() || r.CancelAskedAt != nil {
			return err
		}
		return s.askToCancel(ctx, r)
	})
}

// unpriced decides what follows when the service does not say a price: nothing was sent, so that nothing is paid.
func (s *Service) unpriced(ctx context.Context, r *row, cause error) (time.Duration, error) {
	s.noteTrouble(ctx, cause)
	refused, is := checker.RefusalOf(cause)
	switch {
	case !is:
		return 0, cause
	case refused.Repeat && s.now().Before(r.AskedAt.Add(s.pace.patience)):
		return max(refused.After, s.pace.poll), nil
	}
	return 0, s.end(ctx, r, outcome{state: Failed, code: refused.Code, detail: refused.Detail})
}

// troubled decides what follows when a check that was sent is refused, or when its answer is lost. Fresh says that
// nobody had sent it before this call.
func (s *Service) troubled(ctx context.Context, r *row, fresh bool, cause error) (time.Duration, error) {
	s.noteTrouble(ctx, cause)
	if _, is := checker.LostOf(cause); is {
		return 3 * s.pace.poll, s.touch(ctx, r)
	}
	refused, is := checker.RefusalOf(cause)
	switch {
	case !is:
		return 0, cause
	case refused.Code == checker.StillRunning:
		return max(refused.After, s.pace.poll), s.touch(ctx, r)
	case refused.Repeat && fresh && s.now().Before(r.AskedAt.Add(s.pace.patience)):
		return max(refused.After, s.pace.poll), s.unsent(ctx, r)
	case refused.Repeat && !fresh:
		return max(refused.After, s.pace.poll), s.touch(ctx, r)
	case r.Ref != "":
		return 0, s.end(ctx, r, r.givenUp(refused.Code, refused.Detail))
	case r.CancelAskedAt != nil:
		return 0, s.end(ctx, r, outcome{state: Cancelled})
	}
	return 0, s.end(ctx, r, outcome{state: Failed, code: refused.Code, detail: refused.Detail})
}

// unsent takes back that a check was sent: the service has refused the only attempt, so that it can be cancelled at
// once while it waits.
func (s *Service) unsent(ctx context.Context, r *row) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		held, err := s.report(ctx, r.ID, "update")
		switch {
		case err != nil || !held.open():
			return err
		case held.CancelAskedAt != nil:
			return s.settle(ctx, held, outcome{state: Cancelled})
		}
		_, err = s.db.In(ctx).NewRaw(`update health_reports set sent_at = null, account = null, state = 'queued',
			touched_at = ? where id = ?`, s.now(), r.ID).Exec(ctx)
		return database.Fault(err, nil)
	})
}

func (s *Service) touch(ctx context.Context, r *row) error {
	_, err := s.db.In(ctx).NewRaw("update health_reports set touched_at = ? where id = ?", s.now(), r.ID).Exec(ctx)
	return database.Fault(err, nil)
}
