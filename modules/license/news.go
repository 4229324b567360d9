package license

import (
	"context"
	"time"

	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/events"
)

// The words of the event catalogue, for the journal and for events alike.
const (
	kindActivated = "license.activated"
	kindRefreshed = "license.refreshed"
	kindGrace     = "license.grace_started"
	kindDegraded  = "license.degraded"
	kindRemoved   = "license.removed"
	kindExpiring  = "license.expiring"
)

// News is the data of every license event.
type News struct {
	State      string     `json:"state"`
	Reason     string     `json:"reason"`
	ValidUntil *time.Time `json:"valid_until,omitempty"`
	GraceUntil *time.Time `json:"grace_until,omitempty"`
	DaysLeft   int        `json:"days_left,omitempty"`
}

// screen is where the web interface shows the license.
const screen = "/license"

// kinds declares the events. Every administrator may see them: they say what the panel allows.
func kinds() []events.Kind {
	return []events.Kind{
		{
			Name: kindActivated, Summary: "A license was activated", Live: true, Data: News{}, Notify: true,
			Resolves: []string{kindGrace, kindDegraded, kindRemoved, kindExpiring}, Screen: screen,
		},
		{
			Name: kindRefreshed, Summary: "The license was checked and has changed", Live: true, Data: News{},
			Notify: true, Resolves: []string{kindGrace, kindDegraded, kindExpiring}, Screen: screen,
		},
		{
			Name: kindGrace, Summary: "The license server does not answer; a grace period began",
			Severity: events.Warning,
			Effect:   "When it is over, the panel becomes read-only; traffic goes on.", Screen: screen,
			Notify: true, Live: true, Data: News{},
		},
		{
			Name: kindDegraded, Summary: "The panel became read-only", Severity: events.Critical, Notify: true,
			Effect: "Nothing can be changed until a license is active; traffic goes on.", Screen: screen,
			Live: true,
			Data: News{},
		},
		{
			Name: kindRemoved, Summary: "The license was removed", Severity: events.Warning, Notify: true, Live: true,
			Effect: "Nothing can be changed until a license is active; traffic goes on.", Screen: screen, Data: News{},
		},
		{
			Name: kindExpiring, Summary: "The license ends soon", Severity: events.Warning, Notify: true, Live: true,
			Effect: "After its end the panel becomes read-only; traffic goes on.", Screen: screen,
			Data: News{},
		},
	}
}

// settle shows a committed change to memory and the file.
func (s *service) settle(ctx context.Context, r row) {
	if r.unconfirmed != nil {
		s.log.Warn("another panel has not confirmed the change of the license in time; it may answer by the former one "+
			"until it hears again",
			access.Logged(ctx), zap.Error(r.unconfirmed))
	}
	s.refresh(ctx, r)
	s.keepCopy(ctx)
}

// refresh reads what is stored now: another panel may have changed it again since the row was written, and its word
// about that may have been heard before. A database that does not answer leaves the row, and the next look reads it.
func (s *service) refresh(ctx context.Context, r row) {
	s.changes.Add(1)
	if err := s.reload(ctx); err != nil {
		s.reading <- struct{}{}
		s.publish(r)
		<-s.reading
		s.changes.Add(1)
	}
}

// emit is called in the transaction of the change that led to this license.
func (s *service) emit(ctx context.Context, kind string, now *snapshot, daysLeft int) error {
	status := now.status(s.clock.Now(), s.grace)
	return s.bus.Emit(ctx, events.Event{
		Kind: kind, SubjectID: status.InstanceID, At: s.clock.Now(),
		Data: News{status.State, status.Reason, status.ValidUntil, status.GraceUntil, daysLeft},
	})
}

// keepCopy is best effort: the database is the record, the file helps when an older
// database comes back.
func (s *service) keepCopy(ctx context.Context) {
	k := s.current.Load()
	c := copied{k.InstanceID, k.Document, k.SealedKey, k.KeyMasked, s.clock.Now(), k.Known, k.FailingSince}
	if err := s.file.write(c); err != nil {
		s.log.Warn("the copy of the license in the data folder is not up to date", access.Logged(ctx), zap.Error(err))
	}
}

func (s *service) recordCheck(
	ctx context.Context, tx bun.Tx, kind string, byHand bool, before, now *snapshot, failure string,
) error {
	action := kind
	if byHand {
		action = kindRefreshed
	}
	if action != "" {
		if err := s.record(ctx, tx, action, before, now, failure); err != nil {
			return err
		}
	}
	if kind == "" {
		return nil
	}
	return s.emit(ctx, kind, now, 0)
}

// recordChange writes the journal's line and emits the event of the same name.
func (s *service) recordChange(ctx context.Context, tx bun.IDB, kind string, before, after *snapshot) error {
	if err := s.record(ctx, tx, kind, before, after, ""); err != nil {
		return err
	}
	return s.emit(ctx, kind, after, 0)
}

// record writes the journal's line in the transaction of the change.
func (s *service) record(ctx context.Context, tx bun.IDB, kind string, before, after *snapshot, failure string) error {
	entry := audit.Entry{
		Action:  kind,
		Object:  object(before, after),
		Result:  audit.OK,
		Changes: s.differences(before, after),
	}
	if failure != "" {
		entry.Result = audit.Failed
		entry.Changes["error"] = audit.Change{To: failure}
	}
	return s.journal.Record(ctx, tx, entry)
}

func (s *service) recordWarning(ctx context.Context, tx bun.IDB, k *snapshot, daysLeft int) error {
	err := s.journal.Record(ctx, tx, audit.Entry{
		Action: kindExpiring, Object: object(k, k), Result: audit.OK,
		Changes: map[string]audit.Change{"days_left": {To: daysLeft}},
	})
	if err != nil {
		return err
	}
	return s.emit(ctx, kindExpiring, k, daysLeft)
}

// journalFailure tells of an operation that changed nothing.
func (s *service) journalFailure(ctx context.Context, kind string, before *snapshot, failure string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := s.store.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return s.record(ctx, tx, kind, before, before, failure)
	})
	if err != nil {
		s.log.Error("a failed license operation could not be journalled", access.Logged(ctx), zap.Error(err))
	}
}

func object(before, after *snapshot) audit.Object {
	for _, k := range []*snapshot{after, before} {
		if k.document != nil {
			return audit.Object{Type: "license", ID: k.document.LicenseID, Name: k.KeyMasked}
		}
	}
	return audit.Object{Type: "license", ID: after.InstanceID}
}

func (s *service) differences(before, after *snapshot) map[string]audit.Change {
	now := s.clock.Now()
	old, fresh := before.status(now, s.grace), after.status(now, s.grace)
	changes := map[string]audit.Change{}
	note := func(field string, from, to any) {
		if from != to {
			changes[field] = audit.Change{From: from, To: to}
		}
	}
	note("state", old.State, fresh.State)
	note("reason", old.Reason, fresh.Reason)
	note("plan", text(old.Plan), text(fresh.Plan))
	note("key", text(old.KeyMasked), text(fresh.KeyMasked))
	note("valid_until", moment(old.ValidUntil), moment(fresh.ValidUntil))
	return changes
}

func text(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

func moment(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.Format(time.RFC3339)
}
