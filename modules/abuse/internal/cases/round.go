package cases

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/abuse/internal/intake"
	"panel/modules/abuse/internal/score"
	"panel/platform/agentapi"
	"panel/platform/database"
)

const (
	longest = 30 * time.Second // of one round
	atOnce  = 4000             // lines of each kind that one round takes
	due     = 1000             // cases that one round scores again
)

// progress is how far the scoring is: everything up to a transaction, and in it up to a user.
type progress struct {
	DiversityXact int64
	DiversityRef  string
	SignalsXact   int64
	SignalsRef    string
}

// round is one round of scoring, in one transaction.
type round struct {
	*Cases
	progress
	Rules
	now     time.Time
	allowed allowed
	states  map[string]*score.State
}

// allowed are the users and networks that are no abuse.
type allowed struct {
	users    map[string]bool
	networks map[int64]bool
}

// Round scores once and tells whether more waits. While another panel scores, nothing happens.
func (c *Cases) Round(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	rules, err := c.Rules(ctx)
	if err != nil {
		return false, err
	}
	err = c.DB.InTx(ctx, func(ctx context.Context) error {
		var rows []progress
		err := c.DB.In(ctx).NewRaw(`select diversity_xact, diversity_ref, signals_xact, signals_ref from abuse_progress
			for update skip locked`).Scan(ctx, &rows)
		if err != nil || len(rows) == 0 {
			return database.Fault(err, nil)
		}
		r := &round{Cases: c, progress: rows[0], Rules: rules, now: c.now()}
		more, err = r.do(ctx)
		return err
	})
	return more, err
}

func (r *round) do(ctx context.Context) (more bool, err error) {
	if err := r.allow(ctx); err != nil {
		return false, err
	}
	var to int64
	// A snapshot of its own, after the lock: one from before the wait is older than what another panel has taken.
	err = r.DB.In(ctx).NewRaw("select pg_snapshot_xmin(pg_current_snapshot())::text::bigint").Scan(ctx, &to)
	if err != nil {
		return false, database.Fault(err, nil)
	}
	r.comeBack(to)
	lines, moreLines, err := r.lines(ctx, to)
	if err != nil {
		return false, err
	}
	signals, moreSignals, err := r.signals(ctx, to)
	if err != nil {
		return false, err
	}
	if err := r.fold(ctx, lines, signals); err != nil {
		return false, err
	}
	if err := r.tally(ctx, signals); err != nil {
		return false, err
	}
	if err := r.judge(ctx); err != nil {
		return false, err
	}
	if err := r.expire(ctx); err != nil {
		return false, err
	}
	_, err = r.DB.In(ctx).NewRaw(`update abuse_progress set diversity_xact = ?, diversity_ref = ?, signals_xact = ?,
		signals_ref = ?, alive_at = ?`, r.DiversityXact, r.DiversityRef, r.SignalsXact, r.SignalsRef, r.now).Exec(ctx)
	return moreLines || moreSignals, database.Fault(err, nil)
}

// comeBack begins at this moment where the database was restored into another one, whose transactions have lower
// numbers.
func (r *round) comeBack(to int64) {
	if r.DiversityXact > to {
		r.DiversityXact, r.DiversityRef = to, ""
	}
	if r.SignalsXact > to {
		r.SignalsXact, r.SignalsRef = to, ""
	}
}

// allow reads who and what is no abuse now.
func (r *round) allow(ctx context.Context) error {
	r.allowed = allowed{users: map[string]bool{}, networks: map[int64]bool{}}
	var rows []struct{ Kind, Value string }
	err := r.DB.In(ctx).NewRaw("select kind, value from abuse_allowlist where until is null or until > ?", r.now).
		Scan(ctx, &rows)
	for _, one := range rows {
		if n, err := strconv.ParseInt(one.Value, 10, 64); err == nil && one.Kind == "asn" {
			r.allowed.networks[n] = true
			continue
		}
		r.allowed.users[one.Value] = true
	}
	return database.Fault(err, nil)
}

// whole cuts rows so that of no user a part of a transaction is left, and gives where they end.
func whole[T any](rows []T, key func(*T) (int64, string)) (kept []T, xact int64, ref string, more bool) {
	if len(rows) == 0 {
		return rows, 0, "", false
	}
	xact, ref = key(&rows[len(rows)-1])
	if len(rows) <= atOnce {
		return rows, xact, ref, false
	}
	cut := len(rows)
	for cut > 0 {
		if x, u := key(&rows[cut-1]); x != xact || u != ref {
			break
		}
		cut--
	}
	if cut == 0 { // one user filled the page: take it, what is left of it is too much to be true
		return rows, xact, ref, true
	}
	xact, ref = key(&rows[cut-1])
	return rows[:cut], xact, ref, true
}

func (r *round) lines(ctx context.Context, to int64) (rows []diversityRow, more bool, err error) {
	err = r.DB.In(ctx).NewRaw(`select xact, node_id, user_ref, to_at, sources, max_concurrent, devices,
			coalesce(lists, '{}') as lists
		from abuse_diversity where (xact, user_ref) > (?, ?) and xact < ? order by xact, user_ref limit ?`,
		r.DiversityXact, r.DiversityRef, to, atOnce+1).Scan(ctx, &rows)
	if err != nil {
		return nil, false, database.Fault(fmt.Errorf("read from where users were connected: %w", err), nil)
	}
	rows, xact, ref, more := whole(rows, func(d *diversityRow) (int64, string) { return d.Xact, d.UserRef })
	if len(rows) > 0 {
		r.DiversityXact, r.DiversityRef = xact, ref
	}
	return rows, more, nil
}

func (r *round) signals(ctx context.Context, to int64) (rows []signalRow, more bool, err error) {
	err = r.DB.In(ctx).NewRaw(`select xact, node_id, user_ref, coalesce(flow_id::text, '') as flow_id, kind, count,
			confidence, last_at, source_asn
		from abuse_signals where (xact, user_ref) > (?, ?) and xact < ? order by xact, user_ref limit ?`,
		r.SignalsXact, r.SignalsRef, to, atOnce+1).Scan(ctx, &rows)
	if err != nil {
		return nil, false, database.Fault(fmt.Errorf("read the signals of users: %w", err), nil)
	}
	rows, xact, ref, more := whole(rows, func(s *signalRow) (int64, string) { return s.Xact, s.UserRef })
	if len(rows) > 0 {
		r.SignalsXact, r.SignalsRef = xact, ref
	}
	return rows, more, nil
}

// fold adds what came in to what is remembered of its users.
func (r *round) fold(ctx context.Context, lines []diversityRow, signals []signalRow) error {
	refs := map[string]bool{}
	for i := range lines {
		refs[lines[i].UserRef] = true
	}
	for i := range signals {
		refs[signals[i].UserRef] = true
	}
	r.states = make(map[string]*score.State, len(refs))
	if len(refs) == 0 {
		return nil
	}
	if err := r.remember(ctx, keys(refs)); err != nil {
		return err
	}
	for i := range lines {
		if line, fine := r.line(&lines[i]); fine {
			r.states[lines[i].UserRef].Take(line, r.now)
		}
	}
	for i := range signals {
		s := &signals[i]
		if !r.allowed.networks[s.SourceASN] {
			r.states[s.UserRef].Hear(score.Signal{
				NodeID: s.NodeID, FlowID: s.FlowID, Kind: s.Kind, Count: s.Count, Confidence: s.Confidence,
				LastAt: s.LastAt,
			}, r.now)
		}
	}
	return r.keep(ctx)
}

// line is a row without the networks that are allowed; false where nothing is left of it.
func (r *round) line(d *diversityRow) (score.Line, bool) {
	var lists intake.Lists
	_ = json.Unmarshal(d.Lists, &lists) // written by this panel
	out := score.Line{
		NodeID: d.NodeID, To: d.ToAt, Sources: d.Sources, MaxConcurrent: d.MaxConcurrent, Devices: d.Devices,
		Countries: lists.Countries, Networks: lists.Networks,
	}
	if len(r.allowed.networks) == 0 {
		return out, true
	}
	before, gone := len(lists.Networks), int64(0)
	out.Networks = slices.DeleteFunc(lists.Networks, func(n agentapi.UserNetwork) bool {
		if !r.allowed.networks[n.ASN] {
			return false
		}
		gone += max(1, int64(len(n.Prefixes)))
		return true
	})
	if gone > 0 { // a country of an allowed network says nothing
		out.Countries = nil
		out.Sources, out.MaxConcurrent = max(0, out.Sources-gone), min(out.MaxConcurrent, max(0, out.Sources-gone))
	}
	return out, before == 0 || len(out.Networks) > 0
}

func keys(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for one := range set {
		out = append(out, one)
	}
	slices.Sort(out)
	return out
}

// remember reads what is remembered of users.
func (r *round) remember(ctx context.Context, refs []string) error {
	var rows []struct {
		UserRef string
		State   json.RawMessage
	}
	err := r.DB.In(ctx).NewRaw("select user_ref, state from abuse_subjects where user_ref = any(?::text[])",
		pgdialect.Array(refs)).Scan(ctx, &rows)
	if err != nil {
		return database.Fault(fmt.Errorf("read what is remembered of users: %w", err), nil)
	}
	for _, one := range rows {
		state := new(score.State)
		if err := json.Unmarshal(one.State, state); err != nil {
			return fmt.Errorf("read what is remembered of %s: %w", one.UserRef, err)
		}
		r.states[one.UserRef] = state
	}
	for _, ref := range refs {
		if r.states[ref] == nil {
			r.states[ref] = new(score.State)
		}
	}
	return nil
}

// keep stores what is remembered of users now.
func (r *round) keep(ctx context.Context) error {
	refs := make([]string, 0, len(r.states))
	for ref := range r.states {
		refs = append(refs, ref)
	}
	slices.Sort(refs)
	texts, scores := make([]string, len(refs)), make([]int, len(refs))
	for i, ref := range refs {
		s := r.states[ref]
		s.Forget(r.now)
		text, err := json.Marshal(s)
		if err != nil {
			return fmt.Errorf("write what is remembered of %s: %w", ref, err)
		}
		texts[i], scores[i] = string(text), score.Of(s, r.Values, r.Thresholds).Score
	}
	_, err := r.DB.In(ctx).NewRaw(`insert into abuse_subjects (user_ref, state, score, updated_at)
		select u.ref, u.state::jsonb, u.score, ? from unnest(?::text[], ?::text[], ?::int[]) u(ref, state, score)
		on conflict (user_ref) do update set state = excluded.state, score = excluded.score,
			updated_at = excluded.updated_at`,
		r.now, pgdialect.Array(refs), pgdialect.Array(texts), pgdialect.Array(scores)).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("store what is remembered of users: %w", err), nil)
	}
	return nil
}
