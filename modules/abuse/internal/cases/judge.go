package cases

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/abuse/internal/score"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/names"
)

const (
	// calm is how long a closed case is opened again by new evidence; later a new one begins.
	calm = 7 * 24 * time.Hour
	// worse is by how many points a user must be more conspicuous than when somebody dismissed the case.
	worse = 20
	// expireAfter is how long an open case waits for new evidence.
	expireAfter = 30 * 24 * time.Hour

	mostFindings = 50
)

// judge opens cases of users who are conspicuous by what came in, and scores again those that are due.
func (r *round) judge(ctx context.Context) error {
	again, err := r.dueCases(ctx)
	if err != nil {
		return err
	}
	conspicuous := map[string]score.Result{}
	for ref, s := range r.states {
		if result := score.Of(s, r.Values, r.Thresholds); r.conspicuous(ref, &result) {
			conspicuous[ref] = result
		}
	}
	newest, err := r.newest(ctx, slices.Sorted(maps.Keys(conspicuous)))
	if err != nil {
		return err
	}
	labels, err := r.Views.Labels(ctx, slices.Sorted(maps.Keys(conspicuous))...)
	if err != nil {
		return err
	}
	changed := false
	for _, ref := range slices.Sorted(maps.Keys(conspicuous)) {
		result := conspicuous[ref]
		opened, err := r.open(ctx, ref, labels[ref], &result, newest[ref])
		if err != nil {
			return err
		}
		changed = changed || opened
	}
	for i := range again {
		if err := r.rescore(ctx, &again[i]); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	return r.Watched(ctx)
}

// conspicuous tells whether a score is worth a case. What would block hard is, whatever its points.
func (r *round) conspicuous(ref string, result *score.Result) bool {
	if r.allowed.users[ref] || result.EvidenceAt.IsZero() {
		return false
	}
	return result.Score >= r.Values.MinScore || result.Recommended == score.HardBlock
}

// dueCases are the live cases whose cool-down is over. One that was scored in the future waits for no clock.
func (r *round) dueCases(ctx context.Context) (rows []row, err error) {
	before := r.now.Add(-time.Duration(r.Values.CooldownMinutes) * time.Minute)
	err = r.DB.In(ctx).NewSelect().Model(&rows).ColumnExpr("c.*").
		Where("c.state in (?, ?) and (c.scored_at <= ? or c.scored_at > ?)", Open, Actioned, before, r.now).
		OrderExpr("c.scored_at").Limit(due).For("update").Scan(ctx)
	return rows, database.Fault(err, nil)
}

// newest gives the newest case of each user.
func (r *round) newest(ctx context.Context, refs []string) (map[string]*row, error) {
	out := map[string]*row{}
	if len(refs) == 0 {
		return out, nil
	}
	var rows []row
	err := r.DB.In(ctx).NewSelect().Model(&rows).ColumnExpr("c.*").Where("c.user_ref = any(?::text[])", pgdialect.Array(refs)).
		OrderExpr("c.opened_at, c.number").For("update").Scan(ctx)
	for i := range rows {
		out[rows[i].UserRef] = &rows[i]
	}
	return out, database.Fault(err, nil)
}

// open begins a case of a conspicuous user, or opens the last one again, unless there is a live one or people have said
// that it is none.
func (r *round) open(
	ctx context.Context, ref, label string, result *score.Result, last *row,
) (opened bool, err error) {
	if last != nil && (last.live() || !r.fresh(last, result)) {
		return false, nil
	}
	if last != nil && last.ClosedAt != nil && r.now.Sub(*last.ClosedAt) < calm {
		last.State, last.ClosedAt, last.ClosedBy, last.Reopened = Open, nil, "", last.Reopened+1
		last.Revision++
		r.scored(last, result)
		if err := r.save(ctx, last); err != nil {
			return false, err
		}
		return true, r.announce(ctx, EventOpened, last)
	}
	c := &row{
		ID: database.NewID(), UserRef: ref, Label: label, LabelKey: names.SearchKey(label), State: Open,
		OpenedAt: r.now, Revision: 1,
	}
	r.scored(c, result)
	if _, err := r.DB.In(ctx).NewInsert().Model(c).Returning("number").Exec(ctx, &c.Number); err != nil {
		return false, database.Fault(fmt.Errorf("open a case: %w", err), nil)
	}
	return true, r.announce(ctx, EventOpened, c)
}

// fresh tells whether evidence speaks against a user that did not when the last case was closed. A dismissed case needs
// more than what somebody has dismissed.
func (r *round) fresh(last *row, result *score.Result) bool {
	switch {
	case last.WhitelistUntil != nil && last.WhitelistUntil.After(r.now):
		return false
	case last.ClosedAt == nil:
		return true
	case !result.EvidenceAt.After(*last.ClosedAt):
		return false
	}
	return last.State != Dismissed || r.now.Sub(*last.ClosedAt) >= calm || result.Score >= last.ClosedScore+worse
}

// scored writes a score on a case. Evidence that was found before stays.
func (r *round) scored(c *row, result *score.Result) {
	c.Score, c.Most, c.Confidence, c.Recommended = result.Score, result.Most, result.Confidence, result.Recommended
	c.Breakdown, c.Findings = result.Parts, merged(result.Findings, c.Findings)
	if c.Signals == nil {
		c.Signals = map[string]int64{}
	}
	for kind, count := range result.Signals {
		c.Signals[kind] = max(c.Signals[kind], count)
	}
	c.ScoredAt, c.UpdatedAt = r.now, r.now
	if result.EvidenceAt.After(c.EvidenceAt) {
		c.EvidenceAt = result.EvidenceAt
	}
	if s := r.states[c.UserRef]; s != nil {
		c.NodeIDs, c.FlowIDs = placesOf(c.NodeIDs, s.Nodes), placesOf(c.FlowIDs, s.Flows)
	}
}

// merged are findings, each sentence once with the newest of its times.
func merged(now, before []score.Finding) []score.Finding {
	out, known := []score.Finding{}, map[string]bool{}
	for _, f := range slices.Concat(now, before) {
		if key := f.Code + "\n" + f.Text; !known[key] {
			known[key] = true
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b score.Finding) int { return cmp.Compare(b.At.Unix(), a.At.Unix()) })
	return out[:min(len(out), mostFindings)]
}

func placesOf(before []string, now []score.Seen) []string {
	out := append([]string{}, before...)
	for _, one := range now {
		if database.IsID(one.What) && !slices.Contains(out, one.What) && len(out) < mostFindings {
			out = append(out, one.What)
		}
	}
	slices.Sort(out)
	return out
}

// rescore scores a live case by what is remembered of its user now.
func (r *round) rescore(ctx context.Context, c *row) error {
	if r.states[c.UserRef] == nil {
		if err := r.remember(ctx, []string{c.UserRef}); err != nil {
			return err
		}
		r.states[c.UserRef].Forget(r.now)
	}
	result := score.Of(r.states[c.UserRef], r.Values, r.Thresholds)
	before := c.Score
	r.scored(c, &result)
	if err := r.save(ctx, c); err != nil {
		return err
	}
	if c.Score == before {
		return nil
	}
	return r.announce(ctx, EventChanged, c)
}

// expire closes open cases of which nothing was heard for long.
func (r *round) expire(ctx context.Context) error {
	var rows []row
	err := r.DB.In(ctx).NewSelect().Model(&rows).ColumnExpr("c.*").
		Where("c.state = ? and c.evidence_at <= ?", Open, r.now.Add(-expireAfter)).Limit(due).For("update").Scan(ctx)
	if err != nil || len(rows) == 0 {
		return database.Fault(err, nil)
	}
	for i := range rows {
		rows[i].close(Expired, "", r.now)
		if err := r.save(ctx, &rows[i]); err != nil {
			return err
		}
		if err := r.announce(ctx, EventChanged, &rows[i]); err != nil {
			return err
		}
	}
	return r.Watched(ctx)
}

func (r *row) close(state, by string, now time.Time) {
	r.State, r.ClosedAt, r.ClosedBy, r.ClosedScore = state, &now, by, r.Score
	r.UpdatedAt = now
	r.Revision++
}

func (c *Cases) save(ctx context.Context, r *row) error {
	_, err := c.DB.In(ctx).NewUpdate().Model(r).WherePK().Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("store a case: %w", err), nil)
	}
	return nil
}

func (c *Cases) announce(ctx context.Context, kind string, r *row) error {
	return c.Bus.Emit(ctx, events.Event{Kind: kind, SubjectID: r.ID, At: c.now(), Data: News{
		Number: r.Number, User: cmp.Or(r.Label, r.UserRef), State: r.State, Score: r.Score,
		Recommended: string(r.Recommended), Why: r.why().Text,
	}})
}

// why is the sentence of the part that gives the most.
func (r *row) why() score.Sentence {
	out, most := score.Sentence{Args: map[string]any{}}, 0
	for _, p := range r.Breakdown {
		if p.Points > most {
			out, most = p.Sentence, p.Points
		}
	}
	return out
}
