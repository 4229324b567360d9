package acts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/abuse/internal/blocks"
	"panel/modules/abuse/internal/cases"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/fault"
	"panel/platform/jobs"
)

// Plan says what is done without being asked about users of whom a step is recommended.
type Plan struct {
	Kinds   map[string][]string // of acts, by the recommended step
	Minutes int                 // how long each holds
}

const (
	actAutomatic  = "abuse.act"
	kindAutomatic = "abuse.automatic"

	// mostUsers are those about whom something is done by itself within an hour: a mistake of the settings, or a
	// carrier that changes its addresses, is to reach people before it reaches everybody.
	mostUsers = 30
	mostDue   = 200
)

// Automatic declares what this package does without being asked.
func Automatic(feature string) automation.Act {
	return automation.Act{
		Name:    actAutomatic,
		Summary: "Does about users with a case what the settings of abuse protection name for the recommended step",
		Budget:  "nothing unless it is set; each kind once for a case, with an end; at most 30 users in an hour",
		Actions: []string{EventActioned, EventUndone}, Feature: feature,
		ReadOnly: entitlement.Stops, Blocked: entitlement.Stops,
	}
}

type automaticArgs struct{}

// Kind names the worker.
func (automaticArgs) Kind() string { return kindAutomatic }

// AutomaticSchedule looks once a minute, as often as users are scored.
func AutomaticSchedule() jobs.Schedule {
	return jobs.Schedule{
		Name: kindAutomatic, Cron: "* * * * *", ReadOnly: entitlement.Stops, Blocked: entitlement.Stops,
		Args: func() jobs.Args { return automaticArgs{} },
	}
}

// dueRow is an act that the settings want done about the user of a case.
type dueRow struct{ CaseID, UserRef, Kind string }

// ByThemselves does what the settings want done, each act in a transaction of its own. What cannot be done is noted
// once as an act that failed.
func (a *Acts) ByThemselves(ctx context.Context) error {
	wanted, err := a.Plan(ctx)
	if err != nil || len(wanted.Kinds) == 0 {
		return err
	}
	if why, err := a.Stop.Stopped(ctx, actAutomatic); err != nil || why != automation.Free {
		return err
	}
	due, err := a.wanted(ctx, &wanted)
	if err != nil {
		return err
	}
	touched, err := a.touched(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, d := range due {
		if !touched[d.UserRef] && len(touched) >= mostUsers {
			continue
		}
		done, err := a.byItself(ctx, d, wanted.Minutes)
		if done {
			touched[d.UserRef] = true
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// wanted are the acts that are named for the steps of live cases, and that nobody has done about them, the highest
// scores first. Users who are left alone for a time are left out.
func (a *Acts) wanted(ctx context.Context, p *Plan) (due []dueRow, err error) {
	var steps, kinds []string
	for step, all := range p.Kinds {
		for _, kind := range all {
			steps, kinds = append(steps, step), append(kinds, kind)
		}
	}
	err = a.DB.In(ctx).NewRaw(`select c.id as case_id, c.user_ref, p.kind
		from abuse_cases c join unnest(?::text[], ?::text[]) p (step, kind) on p.step = c.recommended
		where c.state in ('open', 'actioned') and (c.whitelist_until is null or c.whitelist_until <= ?)
			and not exists (select from abuse_actions a where a.case_id = c.id and a.kind = p.kind)
		order by c.score desc, c.id, p.kind limit ?`,
		pgdialect.Array(steps), pgdialect.Array(kinds), a.now(), mostDue).Scan(ctx, &due)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read what is to be done about users: %w", err), nil)
	}
	return due, nil
}

// touched are the users about whom something was done by itself within the last hour.
func (a *Acts) touched(ctx context.Context) (map[string]bool, error) {
	var refs []string
	err := a.DB.In(ctx).NewRaw(`select distinct user_ref from abuse_actions
		where automatic and state <> ? and started_at > ?`, Failed, a.now().Add(-time.Hour)).Scan(ctx, &refs)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read what was done about users by itself: %w", err), nil)
	}
	out := make(map[string]bool, len(refs))
	for _, ref := range refs {
		out[ref] = true
	}
	return out, nil
}

// byItself does one act, unless something has changed since it was found to be due.
func (a *Acts) byItself(ctx context.Context, d dueRow, minutes int) (done bool, err error) {
	var safe *blocks.Guards
	if d.Kind == BlockIPs {
		if safe, err = a.Blocks.Guards(ctx); err != nil {
			return false, err
		}
	}
	order := Order{Kind: d.Kind, Minutes: minutes}
	err = a.held(ctx, d, func(ctx context.Context, c *cases.Held) error {
		order.Reason = reasonOf(c)
		_, err := a.do(ctx, c, &order, safe, true)
		done = err == nil
		return err
	})
	refused, is := fault.As(err)
	if !is || refused.Kind != fault.KindConflict {
		return done, err
	}
	if refused.Code == errActive.Code || refused.Code == errClosed.Code {
		return false, nil // somebody was faster
	}
	return false, a.held(ctx, d, func(ctx context.Context, c *cases.Held) error {
		return a.refuse(ctx, c, &order, refused.Code)
	})
}

func reasonOf(c *cases.Held) string {
	return fmt.Sprintf("case %d recommends %s", c.Number, c.Recommended)
}

// held works on a live case that nobody else changes meanwhile, while nothing stops what happens by itself.
func (a *Acts) held(ctx context.Context, d dueRow, work func(ctx context.Context, c *cases.Held) error) error {
	return a.DB.InTx(ctx, func(ctx context.Context) error {
		if why, err := a.Stop.Stopped(ctx, actAutomatic); err != nil || why != automation.Free {
			return err
		}
		c, err := a.Cases.Hold(ctx, d.CaseID)
		if err != nil || !c.Live() {
			return ignoreMissing(err)
		}
		return work(ctx, &c)
	})
}

// refuse notes an act that could not be done, so that people see it and nobody tries it again.
func (a *Acts) refuse(ctx context.Context, c *cases.Held, o *Order, code string) error {
	r := a.newRow(ctx, c, o, true)
	r.State, r.EndedAt, r.Result.Error = Failed, &r.StartedAt, code
	if _, err := a.DB.In(ctx).NewInsert().Model(r).Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("store an act that could not be done: %w", err), nil)
	}
	return a.publish(ctx, EventActioned, r, c.Number)
}
