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
	changes, err := v.changes(ctx, kind, []string{id}, out.From, out.To, whyToo)
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
	whole := periodOf(out.From, end)
	held := make([]heldFor, len(whole.dates))
	whole.sum(held, changes[id], row.State, row.Since)
	out.Days = daysOf(whole.dates, held)
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

// whyToo adds to changes why they happened.
const whyToo = ", reason, hint"

// changes gives those of a period by subject, oldest first.
func (v *Views) changes(
	ctx context.Context, kind string, ids []string, from, to time.Time, more string,
) (map[string][]changeRow, error) {
	var rows []changeRow
	err := v.db.In(ctx).NewRaw("select subject_id, at, was, state"+more+` from health_changes
		where kind = ? and subject_id = any(?::uuid[]) and at >= ? and at < ? order by subject_id, at, id`, kind,
		pgdialect.Array(ids), from, to).Scan(ctx, &rows)
	out := map[string][]changeRow{}
	first := 0
	for i := range rows {
		if i+1 == len(rows) || rows[i+1].SubjectID != rows[i].SubjectID {
			out[rows[i].SubjectID] = rows[first : i+1]
			first = i + 1
		}
	}
	return out, database.Fault(err, nil)
}

// days gives the last days of subjects.
func (v *Views) days(ctx context.Context, kind string, ids []string, count int) (map[string][]Day, error) {
	out := make(map[string][]Day, len(ids))
	return out, v.held(ctx, kind, ids, count, func(id string, dates []string, held []heldFor) {
		out[id] = daysOf(dates, held)
	})
}

// held tells of each subject how long each state held on each of the last days. The list is good until the next one.
func (v *Views) held(
	ctx context.Context, kind string, ids []string, count int, tell func(id string, dates []string, held []heldFor),
) error {
	if count == 0 || len(ids) == 0 {
		return nil
	}
	now := v.clock.Now().UTC()
	from := now.Truncate(dayLength).AddDate(0, 0, 1-count)
	changes, err := v.changes(ctx, kind, ids, from, now, "")
	if err != nil {
		return err
	}
	var rows []struct {
		SubjectID, State string
		Since            time.Time
	}
	err = v.db.In(ctx).NewRaw("select subject_id, state, since from health_states where kind = ? and subject_id = any(?::uuid[])",
		kind, pgdialect.Array(ids)).Scan(ctx, &rows)
	last := periodOf(from, now)
	held := make([]heldFor, len(last.dates))
	for _, row := range rows {
		last.sum(held, changes[row.SubjectID], row.State, row.Since)
		tell(row.SubjectID, last.dates, held)
	}
	return database.Fault(err, nil)
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

// period is a time with the names of its days, which are written once for all subjects.
type period struct {
	from, to time.Time
	dates    []string
}

func periodOf(from, to time.Time) period {
	p := period{from: from, to: to}
	for day := from.Truncate(dayLength); day.Before(to); day = day.Add(dayLength) {
		p.dates = append(p.dates, day.Format(time.DateOnly))
	}
	return p
}

// sum adds up how long each state held on each day.
func (p period) sum(out []heldFor, changes []changeRow, state string, since time.Time) {
	all, day := spans(changes, state, since, p.from, p.to), p.from.Truncate(dayLength)
	for i := range out {
		end := day.Add(dayLength)
		for len(all) > 1 && !all[0].to.After(day) {
			all = all[1:]
		}
		out[i] = heldFor{}
		for j := range all {
			if !all[j].from.Before(end) {
				break
			}
			out[i].add(all[j].state, overlap(&all[j], day, end))
		}
		day = end
	}
}

// daysOf says what the days were.
func daysOf(dates []string, held []heldFor) []Day {
	out, shares := make([]Day, len(dates)), make([]float64, len(dates))
	for i := range out {
		h := &held[i]
		out[i] = Day{
			Day: dates[i], State: h.judged(), DownS: int(h.down.Seconds()), DegradedS: int(h.degraded.Seconds()),
			UpPct: h.share(&shares[i]),
		}
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

func overlap(s *span, from, to time.Time) time.Duration {
	if s.from.After(from) {
		from = s.from
	}
	if s.to.Before(to) {
		to = s.to
	}
	return to.Sub(from)
}

// judged is the worst that lasted a minute or more.
func (h *heldFor) judged() string {
	switch {
	case h.up+h.degraded+h.down == 0:
		return verdict.Unknown
	case h.down >= time.Minute:
		return verdict.Down
	case h.degraded >= time.Minute:
		return verdict.Degraded
	}
	return verdict.Up
}

// share is how much of the time that is known it was not down, in the place for it; nil: nothing is known.
func (h *heldFor) share(place *float64) *float64 {
	known := h.up + h.degraded + h.down
	if known == 0 {
		return nil
	}
	*place = 100 * float64(known-h.down) / float64(known)
	return place
}
