package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/external/checker"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
)

// outcome is how a check ends.
type outcome struct {
	state, code, detail string
	cost                int64
	legs                []checker.Leg
	skipped             []checker.Skipped
}

// found is what the service has found, and charged.
func found(state string, result checker.Result) outcome {
	return outcome{state: state, cost: result.Cost, legs: result.Legs, skipped: result.Skipped}
}

// givenUp ends a check of which it is not known whether it was paid for: it counts as paid.
func (r *row) givenUp(code, detail string) outcome {
	o := outcome{state: Failed, code: code, detail: detail, cost: r.Price}
	if r.SentAt == nil {
		o.cost = 0
	}
	return o
}

// end settles a check that may have been settled by another panel meanwhile.
func (s *Service) end(ctx context.Context, r *row, o outcome) error {
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		held, err := s.report(ctx, r.ID, "update")
		if err != nil || !held.open() {
			return err
		}
		return s.settle(ctx, held, o)
	})
	if err == nil {
		s.refreshAccount(ctx)
	}
	return err
}

// settle writes the end of a check with what it has cost, and tells of it. It is part of the transaction that holds
// the row.
func (s *Service) settle(ctx context.Context, r *row, o outcome) error {
	now := s.now()
	r.State, r.ErrorCode, r.Error, r.Cost, r.CheckedAt, r.TouchedAt, r.Sealed = o.state, o.code, o.detail, &o.cost, &now, now, ""
	r.Legs, r.Total, r.Passed = append([]checker.Leg{}, o.legs...), len(o.legs), 0
	r.Skipped = append(append([]checker.Skipped{}, r.Skipped...), o.skipped...)
	for _, leg := range o.legs {
		if leg.Reachable {
			r.Passed++
		}
	}
	_, err := s.db.In(ctx).NewUpdate().Model(r).Column("state", "error_code", "error", "cost", "checked_at", "touched_at",
		"sealed", "legs", "total", "passed", "skipped").WherePK().Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("store the result of an external check: %w", err), nil)
	}
	if err := s.tell(ctx, r); err != nil {
		return fmt.Errorf("tell the end of an external check: %w", err)
	}
	return nil
}

// tell writes into the journal what was paid, and lets the rest of the panel know.
func (s *Service) tell(ctx context.Context, r *row) error {
	kind := map[string]string{Done: healthapi.EventCheckDone, Failed: healthapi.EventCheckFailed}[r.State]
	if kind == "" {
		kind = healthapi.EventCheckEnded
	}
	entry := audit.Entry{
		Action: kind, Object: r.object(),
		Changes: map[string]audit.Change{"cost": {To: *r.Cost}, "target": {To: r.Target}},
	}
	if r.State == Failed {
		entry.Result = audit.Failed
	}
	recorded := s.journal.Record(ctx, s.db.In(ctx), entry)
	return errors.Join(recorded, s.publish(ctx, kind, r), s.compare(ctx, r))
}

// compare looks for operators that reached the address in the report before and do not any more.
func (s *Service) compare(ctx context.Context, r *row) error {
	if r.State != Done {
		return nil
	}
	set, _, err := s.settings.Get(ctx)
	if err != nil {
		return err
	}
	var before []row
	err = s.db.In(ctx).NewSelect().Model(&before).
		Where("r.provider = ? and r.flow_id = ? and r.target = ? and r.kind = ? and r.state = 'done' and r.id <> ?",
			r.Provider, r.FlowID, r.Target, r.Kind, r.ID).
		OrderExpr("r.checked_at desc, r.id desc").Limit(1).Scan(ctx)
	if err != nil || len(before) == 0 {
		return database.Fault(err, nil)
	}
	lost, common := dropped(before[0].Legs, r.Legs)
	if len(lost) == 0 || len(lost)*100 < set.DropPercent*common {
		return nil
	}
	return s.bus.Emit(ctx, events.Event{
		Kind: healthapi.EventReachabilityDropped, SubjectID: r.FlowID, At: s.now(), Data: healthapi.DropNews{
			ReportID: r.ID, FlowName: r.FlowName, NodeName: r.NodeName, Target: r.Target, Was: before[0].Passed,
			Now: r.Passed, Total: r.Total, Lost: lost,
		},
	})
}

// dropped gives the operators that are lost, and how many stand in both reports: those that were not asked this time
// say nothing.
func dropped(before, after []checker.Leg) (lost []string, common int) {
	for _, leg := range after {
		at := slices.IndexFunc(before, func(b checker.Leg) bool { return b.Key == leg.Key })
		if at < 0 {
			continue
		}
		common++
		if before[at].Reachable && !leg.Reachable {
			lost = append(lost, leg.Key)
		}
	}
	return lost, common
}

// jsonOf writes what always has a form in JSON.
func jsonOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil || string(text) == "null" {
		return "[]"
	}
	return string(text)
}
