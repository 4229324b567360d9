package repair

import (
	"context"
	"fmt"
	"time"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/rules"
	"panel/platform/database"
)

// Outcomes of actions that were done.
const (
	Helped    = "helped"
	NotHelped = "not_helped"
)

// given is how long a node may take to get well after an action before that did not help.
const given = 5 * time.Minute

// follow notes what has come of the actions so far: proposals that nobody needs any more, whether those that were done
// have helped, and what is given back because its cause is gone. It takes part in the context's transaction.
func (r *Repairs) follow(ctx context.Context) error {
	if err := r.withdraw(ctx); err != nil {
		return err
	}
	if err := r.judge(ctx); err != nil {
		return err
	}
	if err := r.judgeNames(ctx); err != nil {
		return err
	}
	return r.giveBack(ctx)
}

// withdraw takes back proposals about nodes that need them no more.
func (r *Repairs) withdraw(ctx context.Context) error {
	var open []row
	err := r.DB.In(ctx).NewSelect().Model(&open).ColumnExpr(columns).Where("a.state = ?", Proposed).OrderExpr("a.id").
		For("update of a").Scan(ctx)
	if err != nil || len(open) == 0 {
		return database.Fault(err, nil)
	}
	about := make([]string, len(open))
	for i := range open {
		about[i] = open[i].NodeID
	}
	suspects, err := r.suspects(ctx, about...)
	if err != nil {
		return err
	}
	needed := map[string]Subject{}
	for i := range suspects {
		needed[suspects[i].ID] = suspects[i].subject()
	}
	now := r.now()
	for i := range open {
		if a := &open[i]; !fits(a.Act, needed[a.NodeID]) {
			a.State, a.Reason, a.FinishedAt = Skipped, Recovered, &now
			if err := r.skip(ctx, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// judge notes whether actions have helped: the node is well, or it is not after the time that it was given. What
// nobody knows about a node says neither.
func (r *Repairs) judge(ctx context.Context) error {
	now := r.now()
	_, err := r.DB.In(ctx).NewRaw(`update health_actions a set outcome = case when s.state = ? then ? else ? end
		from health_states s where s.kind = ? and s.subject_id = a.node_id and a.state = ? and a.outcome = ''
			and (a.act <> ? or a.effects = '[]') and (s.state = ? or s.state in (?, ?) and a.finished_at <= ?)`, healthapi.Up, Helped, NotHelped, healthapi.Node,
		Succeeded, rules.SwitchDNS, healthapi.Up, healthapi.Down, healthapi.Degraded, now.Add(-given)).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("note what repairs have helped: %w", err), nil)
	}
	return nil
}

// Counts are the actions that wait or run now, and those of the last 24 hours by how they ended; those of the latter
// that did not help are counted as such and not as succeeded.
func Counts(ctx context.Context, db *database.DB) (map[string]float64, error) {
	out := map[string]float64{
		Proposed: 0, Running: 0, Succeeded: 0, NotHelped: 0, Failed: 0, Skipped: 0, Undone: 0,
	}
	var rows []struct {
		State string
		N     float64
	}
	err := db.NewRaw(`select case when outcome = ? then outcome when state = ? then ? else state end as state,
			count(*)::float8 as n from health_actions
		where state in (?, ?, ?) or finished_at > now() - interval '24 hours' group by 1`, NotHelped, Approved, Running,
		Proposed, Approved, Running).Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("count repairs: %w", err), nil)
	}
	for _, r := range rows {
		out[r.State] = r.N
	}
	return out, nil
}
