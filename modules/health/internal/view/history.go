package view

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/health/internal/verdict"
	"panel/platform/database"
	"panel/platform/fault"
)

// Rule of domain 4.18: results 6 hours, ten minutes 14 days, hours 90 days, changes 90 days.
const (
	keptRaw    = 6 * time.Hour
	keptTens   = 14 * 24 * time.Hour
	KeptLong   = 90 * 24 * time.Hour
	mostPoints = 2000
	most       = 500 // changes
)

// History gives how a subject did from one moment to another; empty ones are a day ago and now. Faults: not_found
// (404), bad_parameter (400).
func (v *Views) History(ctx context.Context, kind, id, from, to string) (out History, err error) {
	row, err := v.row(ctx, kind, id)
	if err != nil {
		return out, err
	}
	now := v.clock.Now().UTC()
	out.To = momentOr(to, now)
	out.From = momentOr(from, out.To.Add(-24*time.Hour))
	if out.From.Before(now.Add(-KeptLong)) {
		out.From = now.Add(-KeptLong)
	}
	if !out.To.After(out.From) {
		return out, fault.Malformed("bad_parameter", "the period ends before it begins").
			Field("query.from", "bad_parameter", "must be before to, and within the last 90 days")
	}
	if out.Points, out.StepS, err = v.points(ctx, kind, id, out.From, out.To, now); err != nil {
		return out, err
	}
	changes, err := v.changes(ctx, kind, []string{id}, out.From, out.To)
	if err != nil {
		return out, err
	}
	out.Changes = []Change{}
	for _, c := range changes[id][max(0, len(changes[id])-most):] {
		out.Changes = append(out.Changes, Change{c.At.UTC(), c.Was, c.State, c.Reason, c.Hint})
	}
	end := out.To
	if end.After(now) {
		end = now
	}
	out.Days = daysOf(changes[id], row.State, row.Since, out.From, end)
	return out, nil
}

func momentOr(text string, usual time.Time) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return usual
	}
	return at.UTC()
}

func (v *Views) points(
	ctx context.Context, kind, id string, from, to, now time.Time,
) (out []Point, step int, err error) {
	const ten, hour = 600, 3600
	query, step := `select c.type as "check", r.at, 1 as results, (not r.ok)::integer as failed, r.latency_ms
		from health_results r join health_checks c on c.id = r.check_id
			join health_watches w on w.check_id = r.check_id and w.vantage = r.vantage
		where c.kind = ? and c.subject_id = ? and r.at >= ? and r.at < ?`, 0
	switch {
	case to.Sub(from) <= time.Hour && !from.Before(now.Add(-keptRaw)):
	case to.Sub(from) <= keptTens && !from.Before(now.Add(-keptTens)):
		query, step = pointsOf("health_points_10m"), ten
	default:
		query, step = pointsOf("health_points_1h"), hour
	}
	err = v.db.In(ctx).NewRaw(`select at, "check", results, failed, latency_ms from (select q.*, row_number() over (partition by q."check" order by q.at desc) as n
		from (`+query+`) q) q where n <= ? order by at, "check"`, kind, id, from, to, mostPoints).Scan(ctx, &out)
	if err != nil {
		return nil, 0, database.Fault(fmt.Errorf("read the history of a subject: %w", err), nil)
	}
	if out == nil {
		out = []Point{}
	}
	for i := range out {
		out[i].At = out[i].At.UTC()
	}
	return out, step, nil
}

func pointsOf(table string) string {
	return `select type as "check", at, results, failed, latency_ms from ` + table +
		` where kind = ? and subject_id = ? and at >= ? and at < ?`
}

type changeRow struct {
	SubjectID, Was, State, Reason, Hint string
	At                                  time.Time
}

// changes gives those of a period by subject, oldest first.
func (v *Views) changes(
	ctx context.Context, kind string, ids []string, from, to time.Time,
) (map[string][]changeRow, error) {
	var rows []changeRow
	err := v.db.In(ctx).NewRaw(`select subject_id, at, was, state, reason, hint from health_changes
		where kind = ? and subject_id = any(?::uuid[]) and at >= ? and at < ? order by subject_id, at, id`, kind,
		pgdialect.Array(ids), from, to).Scan(ctx, &rows)
	out := map[string][]changeRow{}
	for _, row := range rows {
		out[row.SubjectID] = append(out[row.SubjectID], row)
	}
	return out, database.Fault(err, nil)
}

// days gives the last days of subjects.
func (v *Views) days(ctx context.Context, kind string, ids []string, count int) (map[string][]Day, error) {
	out := map[string][]Day{}
	if count == 0 || len(ids) == 0 {
		return out, nil
	}
	now := v.clock.Now().UTC()
	from := now.Truncate(24*time.Hour).AddDate(0, 0, 1-count)
	changes, err := v.changes(ctx, kind, ids, from, now)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		SubjectID, State string
		Since            time.Time
	}
	err = v.db.In(ctx).NewRaw("select subject_id, state, since from health_states where kind = ? and subject_id = any(?::uuid[])",
		kind, pgdialect.Array(ids)).Scan(ctx, &rows)
	for _, row := range rows {
		out[row.SubjectID] = daysOf(changes[row.SubjectID], row.State, row.Since, from, now)
	}
	return out, database.Fault(err, nil)
}

// span is a time in one state.
type span struct {
	from, to time.Time
	state    string
}

// spans lays the states of a period side by side. Before the first change is what it says was there; without a change
// the state of now holds since it began, and nothing is known before.
func spans(changes []changeRow, state string, since, from, to time.Time) (out []span) {
	at, held := from, verdict.Unknown
	switch {
	case len(changes) > 0:
		held = changes[0].Was
	case !since.After(from):
		held = state
	default:
		changes = []changeRow{{At: since, State: state}}
	}
	for _, c := range changes {
		if !c.At.After(at) {
			held = c.State
			continue
		}
		if c.At.After(to) {
			break
		}
		out = append(out, span{at, c.At, held})
		at, held = c.At, c.State
	}
	return append(out, span{at, to, held})
}

const dayLength = 24 * time.Hour

// daysOf sums up the states of each day.
func daysOf(changes []changeRow, state string, since, from, to time.Time) []Day {
	all, out := spans(changes, state, since, from, to), []Day{}
	for day := from.Truncate(dayLength); day.Before(to); day = day.Add(dayLength) {
		end := day.Add(dayLength)
		for len(all) > 1 && !all[0].to.After(day) {
			all = all[1:]
		}
		var held heldFor
		for _, s := range all {
			if !s.from.Before(end) {
				break
			}
			held.add(s.state, overlap(s, day, end))
		}
		out = append(out, dayOf(day, held))
	}
	return out
}

// heldFor is how long each state held on a day.
type heldFor struct{ up, degraded, down time.Duration }

func (h *heldFor) add(state string, d time.Duration) {
	switch {
	case d <= 0:
	case state == verdict.Up:
		h.up += d
	case state == verdict.Degraded:
		h.degraded += d
	case state == verdict.Down:
		h.down += d
	}
}

func overlap(s span, from, to time.Time) time.Duration {
	if s.from.After(from) {
		from = s.from
	}
	if s.to.Before(to) {
		to = s.to
	}
	return to.Sub(from)
}

func dayOf(day time.Time, held heldFor) Day {
	d := Day{
		Day: day.Format(time.DateOnly), State: verdict.Unknown, DownS: int(held.down.Seconds()),
		DegradedS: int(held.degraded.Seconds()),
	}
	known := held.up + held.degraded + held.down
	if known == 0 {
		return d
	}
	up := 100 * float64(known-held.down) / float64(known)
	d.UpPct, d.State = &up, verdict.Up
	if held.degraded >= time.Minute {
		d.State = verdict.Degraded
	}
	if held.down >= time.Minute {
		d.State = verdict.Down
	}
	return d
}
