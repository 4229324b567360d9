package external

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/modules/health/healthapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/keyset"
)

const (
	scheduleKind = "health.external_schedule"
	object       = "health_check_schedule"
)

// Plan says what is checked by the clock.
type Plan struct {
	FlowID     string   `json:"flow_id" format:"uuid"`
	NodeID     string   `json:"node_id,omitempty" maxLength:"64" doc:"Needed where the flow has several nodes"`
	Operators  []string `json:"operators,omitempty" maxItems:"200" doc:"Keys of operators; none: all"`
	EveryHours int      `json:"every_hours" minimum:"1" maximum:"720"`
	MaxPrice   int64    `json:"max_price" minimum:"1" maximum:"100000000" doc:"Kopeks that each check may cost at most"`
	Enabled    bool     `json:"enabled"`
}

// Schedule is a plan as it is stored, with what came of it last.
type Schedule struct {
	ID string `json:"id" format:"uuid"`
	Plan
	FlowName  string     `json:"flow_name"`
	Revision  int64      `json:"revision"`
	NextAt    time.Time  `json:"next_at"`
	LastAt    *time.Time `json:"last_at" doc:"When it was due last; null: not yet"`
	LastError string     `json:"last_error" doc:"Why no check began then, in one word; empty: one did"`
}

// ScheduleChange replaces a plan.
type ScheduleChange struct {
	Revision *int64 `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Plan
}

type scheduleRow struct {
	bun.BaseModel `bun:"table:health_check_schedules,alias:s"`

	ID        string     `bun:"id,pk,type:uuid"`
	FlowID    string     `bun:"flow_id"`
	FlowName  string     `bun:"flow_name"`
	Content   Plan       `bun:"content,type:jsonb"`
	Enabled   bool       `bun:"enabled"`
	Revision  int64      `bun:"revision"`
	NextAt    time.Time  `bun:"next_at"`
	LastAt    *time.Time `bun:"last_at"`
	LastError string     `bun:"last_error"`
	SortKey   string     `bun:"sort_key,scanonly"`
}

func (r *scheduleRow) shown() Schedule {
	shown := Schedule{
		ID: r.ID, Plan: r.Content, FlowName: r.FlowName, Revision: r.Revision, NextAt: r.NextAt.UTC(),
		LastError: r.LastError,
	}
	shown.FlowID, shown.Enabled = r.FlowID, r.Enabled
	if r.LastAt != nil {
		at := r.LastAt.UTC()
		shown.LastAt = &at
	}
	return shown
}

func (r *scheduleRow) object() audit.Object {
	return audit.Object{Type: object, ID: r.ID, Name: r.FlowName}
}

var scheduleOrders = map[string]keyset.Order{
	"name": {Expression: `lower(s.flow_name) collate "C"`, Kind: httpapi.CursorText},
	"next": {Expression: "s.next_at", Kind: httpapi.CursorMoment},
}

func (s *Service) plans(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Schedule], err error) {
	k, err := keyset.New(query, "s.id", "name", scheduleOrders)
	if err != nil {
		return page, err
	}
	var rows []scheduleRow
	if err := k.Apply(s.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("s.*"), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list schedules of external checks: %w", err), nil)
	}
	total, err := s.db.In(ctx).NewSelect().Model((*scheduleRow)(nil)).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count schedules of external checks: %w", err), nil)
	}
	last := func(r *scheduleRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*scheduleRow).shown, last), nil
}

// planned checks a plan and puts it into a row. Its first check is due after one interval. Fault: invalid_value (422).
func (s *Service) planned(ctx context.Context, r *scheduleRow, p Plan) error {
	flow, err := s.flow(ctx, p.FlowID)
	if fault.KindOf(err) == fault.KindMissing {
		return fault.InvalidValue("flow_id", "there is no such flow")
	}
	if err != nil {
		return err
	}
	if _, err := s.aimed(ctx, &flow, Asked{NodeID: p.NodeID, Operators: p.Operators}); err != nil {
		return err
	}
	if r.NextAt.IsZero() || r.Content.EveryHours != p.EveryHours || p.Enabled && !r.Enabled {
		r.NextAt = s.now().Add(time.Duration(p.EveryHours) * time.Hour)
	}
	r.FlowID, r.FlowName, r.Content, r.Enabled = p.FlowID, flow.Name, p, p.Enabled
	return nil
}

func (s *Service) addPlan(ctx context.Context, p Plan) (shown Schedule, err error) {
	r := &scheduleRow{ID: database.NewID(), Revision: 1}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.planned(ctx, r, p); err != nil {
			return err
		}
		if _, err := s.db.In(ctx).NewInsert().Model(r).Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("store a schedule of external checks: %w", err), nil)
		}
		return s.recordPlan(ctx, healthapi.ActionScheduleAdded, r)
	})
	return r.shown(), err
}

func (s *Service) plan(ctx context.Context, id string) (*scheduleRow, error) {
	r := new(scheduleRow)
	if !database.IsID(id) {
		return r, fault.Missing(fault.NoSuchThing)
	}
	err := s.db.In(ctx).NewSelect().Model(r).Where("s.id = ?", id).For("update").Scan(ctx)
	return r, database.Fault(err, nil)
}

func (s *Service) changePlan(ctx context.Context, id string, revision int64, p Plan) (shown Schedule, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		r, err := s.plan(ctx, id)
		if err == nil && r.Revision != revision {
			err = fault.Conflict("revision_conflict", "somebody else changed this schedule in the meantime; read it again").
				With("revision", r.Revision)
		}
		if err == nil {
			err = s.planned(ctx, r, p)
		}
		if err != nil {
			return err
		}
		r.Revision++
		if _, err := s.db.In(ctx).NewUpdate().Model(r).WherePK().Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("change a schedule of external checks: %w", err), nil)
		}
		shown = r.shown()
		return s.recordPlan(ctx, healthapi.ActionScheduleChanged, r)
	})
	return shown, err
}

func (s *Service) removePlan(ctx context.Context, id string) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		r, err := s.plan(ctx, id)
		if err != nil {
			return err
		}
		if _, err := s.db.In(ctx).NewDelete().Model(r).WherePK().Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("remove a schedule of external checks: %w", err), nil)
		}
		return s.recordPlan(ctx, healthapi.ActionScheduleRemoved, r)
	})
}

func (s *Service) recordPlan(ctx context.Context, action string, r *scheduleRow) error {
	changes := map[string]audit.Change{
		"every_hours": {To: r.Content.EveryHours}, "max_price": {To: r.Content.MaxPrice}, "enabled": {To: r.Enabled},
	}
	return s.journal.Record(ctx, s.db.In(ctx), audit.Entry{Action: action, Object: r.object(), Changes: changes})
}

type scheduleArgs struct{}

// Kind names the worker.
func (scheduleArgs) Kind() string { return scheduleKind }

// byTheClock starts what is due. It costs money, so that it stops while the panel is read-only or without the feature.
func byTheClock() jobs.Schedule {
	return jobs.Schedule{
		Name: scheduleKind, Cron: "*/5 * * * *", Feature: Feature, ReadOnly: entitlement.Stops, Blocked: entitlement.Stops,
		Args: func() jobs.Args { return scheduleArgs{} },
	}
}

// StopsBy has the schedules ask first whether they may act: it names what stops them, or nothing.
func (s *Service) StopsBy(asked func(ctx context.Context) (why string, err error)) { s.stopped = asked }

// due starts a check for each plan whose time has come, once: the time moves on in the transaction that reserves the
// money. One that cannot begin says why, and is due again after its interval.
func (s *Service) due(ctx context.Context, _ jobs.Job) error {
	ctx = access.With(ctx, access.Caller{Kind: access.System})
	if s.stopped != nil {
		why, err := s.stopped(ctx)
		if err != nil || why != "" {
			s.log.Info("scheduled external checks do not begin", zap.String("why", why), zap.Error(err))
			return err
		}
	}
	var ids []string
	err := s.db.In(ctx).NewRaw("select id from health_check_schedules where enabled and next_at <= ? order by next_at, id limit 500",
		s.now()).Scan(ctx, &ids)
	if err != nil {
		return database.Fault(fmt.Errorf("look for due external checks: %w", err), nil)
	}
	var problems []error
	for _, id := range ids {
		problems = append(problems, s.runPlan(ctx, id))
	}
	return errors.Join(problems...)
}

func (s *Service) runPlan(ctx context.Context, id string) error {
	var r *scheduleRow
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if r, err = s.plan(ctx, id); err != nil || !r.Enabled || r.NextAt.After(s.now()) {
			r = nil
			return err
		}
		if err := s.movePlan(ctx, r, ""); err != nil {
			return err
		}
		_, err = s.start(ctx, r.FlowID, Order{
			Asked: Asked{NodeID: r.Content.NodeID, Operators: r.Content.Operators}, MaxPrice: r.Content.MaxPrice,
		}, origin{source: BySchedule, schedule: &r.ID})
		return err
	})
	refused, is := fault.As(err)
	switch {
	case err == nil || r == nil && fault.KindOf(err) == fault.KindMissing:
		return nil
	case !is || refused.Kind == fault.KindUnavailable || r == nil:
		return err
	}
	if refused.Code == errLimit.Code {
		if err := s.tellOf(ctx, refused); err != nil {
			return err
		}
	}
	return s.movePlan(ctx, r, refused.Code)
}

// movePlan makes a plan due again after its interval.
func (s *Service) movePlan(ctx context.Context, r *scheduleRow, why string) error {
	now := s.now()
	next := now.Add(time.Duration(r.Content.EveryHours) * time.Hour)
	_, err := s.db.In(ctx).NewRaw("update health_check_schedules set next_at = ?, last_at = ?, last_error = ? where id = ?",
		next, now, why, r.ID).Exec(ctx)
	return database.Fault(err, nil)
}
