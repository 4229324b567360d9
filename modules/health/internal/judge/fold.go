package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/health/internal/place"
	"panel/modules/health/internal/verdict"
	"panel/platform/database"
)

// watchRow is a watch with what was seen last.
type watchRow struct {
	CheckID       string     `json:"check_id"`
	Vantage       string     `json:"vantage"`
	NextAt        *time.Time `json:"next_at"`
	State         string     `json:"state"`
	OK            *bool      `json:"ok" bun:"ok"`
	Reason        string     `json:"reason"`
	Error         string     `json:"error"`
	LatencyMs     *float64   `json:"latency_ms"`
	Failures      int        `json:"failures"`
	Successes     int        `json:"successes"`
	At            *time.Time `json:"at"`
	Since         *time.Time `json:"since"`
	CertExpiresAt *time.Time `json:"cert_expires_at"`

	Kind             string `json:"-"`
	SubjectID        string `json:"-"`
	FailureThreshold int    `json:"-"`
	SuccessThreshold int    `json:"-"`
	RecheckS         int    `json:"-" bun:"recheck_s"`
}

type resultRow struct {
	CheckID, Vantage string
	At               time.Time
	OK               bool `bun:"ok"`
	Reason, Error    string
	LatencyMs        *float64
	CertExpiresAt    *time.Time
}

func moment(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}

func (w *watchRow) after(r resultRow) {
	streak := verdict.Streak{
		State: w.State, OK: w.OK, Reason: w.Reason, Error: w.Error, Latency: w.LatencyMs, Expires: w.CertExpiresAt,
		Failures: w.Failures, Successes: w.Successes, At: moment(w.At), Since: moment(w.Since),
	}
	next := streak.After(
		verdict.Result{
			At: r.At, OK: r.OK, Reason: r.Reason, Error: r.Error, Latency: r.LatencyMs, Expires: r.CertExpiresAt,
		},
		verdict.Thresholds{Failures: w.FailureThreshold, Successes: w.SuccessThreshold},
	)
	if next.At.Equal(streak.At) {
		return
	}
	w.State, w.OK, w.Reason, w.Error, w.LatencyMs, w.CertExpiresAt = next.State, next.OK, next.Reason, next.Error,
		next.Latency, next.Expires
	w.Failures, w.Successes, w.At, w.Since = next.Failures, next.Successes, &next.At, &next.Since
	w.hurry()
}

// hurry lets the panel look again soon while a failure or a recovery is not certain yet. Agents do so by themselves.
func (w *watchRow) hurry() {
	certain := w.State == verdict.Down && w.Failures > 0 || w.State == verdict.Up && w.Successes > 0
	if certain || w.Vantage != place.Panel || w.NextAt == nil || w.RecheckS == 0 {
		return
	}
	if soon := w.At.Add(time.Duration(w.RecheckS) * time.Second); soon.Before(*w.NextAt) {
		w.NextAt = &soon
	}
}

// fold takes the results of all transactions that have ended since the last round, each once, and makes their subjects
// due.
func (r *round) fold(ctx context.Context) error {
	var to int64
	db := r.db.In(ctx)
	// A snapshot of its own, after the lock: one from before the wait is older than what another panel has taken.
	err := db.NewRaw("select pg_snapshot_xmin(pg_current_snapshot())::text::bigint").Scan(ctx, &to)
	if err != nil || to == r.Folded {
		return database.Fault(err, nil)
	}
	if to, err = r.bounded(ctx, to); err != nil {
		return err
	}
	var found []resultRow
	err = db.NewRaw(`select r.check_id, r.vantage, r.at, r.ok, r.reason, r.error, r.latency_ms, r.cert_expires_at
		from health_results r join health_watches w on w.check_id = r.check_id and w.vantage = r.vantage
		where r.xact >= ? and r.xact < ? order by r.at`, r.Folded, to).Scan(ctx, &found)
	if err != nil {
		return database.Fault(fmt.Errorf("read what came in: %w", err), nil)
	}
	r.Folded = to
	if len(found) == 0 {
		return nil
	}
	watches, err := r.watches(ctx, found)
	if err != nil {
		return err
	}
	changed := []*watchRow{}
	for _, one := range found {
		if w := watches[one.CheckID+one.Vantage]; w != nil {
			w.after(one)
		}
	}
	for _, w := range watches {
		changed = append(changed, w)
	}
	return r.put(ctx, changed)
}

// foldedAtOnce is about how many results one round takes. What agents have kept while the panel was away may be
// millions, and a round is one transaction.
const foldedAtOnce = 20_000

// bounded gives up to which transaction one round takes results, at least one of them. What is left follows in the next
// rounds at once, and until then evidence may simply not have come yet.
func (r *round) bounded(ctx context.Context, to int64) (int64, error) {
	var cut []int64
	err := r.db.In(ctx).NewRaw(`select greatest(xact, (select min(xact) + 1 from health_results where xact >= ?0))
		from health_results where xact >= ?0 and xact < ?1 order by xact offset ?2 limit 1`, r.Folded, to, foldedAtOnce).
		Scan(ctx, &cut)
	if err != nil || len(cut) == 0 {
		return to, database.Fault(err, nil)
	}
	if until := r.now.Add(sweepEvery); r.SettledAt == nil || r.SettledAt.Before(until) {
		r.SettledAt = &until
	}
	r.Stored()
	return cut[0], nil
}

func (r *round) watches(ctx context.Context, found []resultRow) (map[string]*watchRow, error) {
	checks, vantages := make([]string, len(found)), make([]string, len(found))
	for i, one := range found {
		checks[i], vantages[i] = one.CheckID, one.Vantage
	}
	var rows []watchRow
	err := r.db.In(ctx).NewRaw(`select w.*, c.kind, c.subject_id, c.failure_threshold, c.success_threshold,
			coalesce((c.watch ->> 'recheck_s')::integer, 0) as recheck_s
		from health_watches w join health_checks c on c.id = w.check_id
		where (w.check_id, w.vantage) in (select distinct a, b from unnest(?::uuid[], ?::uuid[]) u(a, b))
		order by w.check_id, w.vantage for update of w`, pgdialect.Array(checks), pgdialect.Array(vantages)).Scan(ctx, &rows)
	out := make(map[string]*watchRow, len(rows))
	for i := range rows {
		out[rows[i].CheckID+rows[i].Vantage] = &rows[i]
	}
	return out, database.Fault(err, nil)
}

// put writes watches and makes their subjects due.
func (r *round) put(ctx context.Context, watches []*watchRow) error {
	text, err := json.Marshal(watches)
	if err != nil {
		return fmt.Errorf("encode what was seen: %w", err)
	}
	_, err = r.db.In(ctx).NewRaw(`with seen as (select s.* from jsonb_to_recordset(?::jsonb) s(check_id uuid, vantage uuid,
			next_at timestamptz, state text, ok boolean, reason text, error text, latency_ms double precision,
			failures integer, successes integer, at timestamptz, since timestamptz, cert_expires_at timestamptz)),
		put as (update health_watches w set next_at = s.next_at, state = s.state, ok = s.ok, reason = s.reason,
				error = s.error, latency_ms = s.latency_ms, failures = s.failures, successes = s.successes, at = s.at,
				since = s.since, cert_expires_at = s.cert_expires_at
			from seen s where w.check_id = s.check_id and w.vantage = s.vantage)
		update health_states h set due_at = ? from health_checks c join seen s on s.check_id = c.id
		where h.kind = c.kind and h.subject_id = c.subject_id`, string(text), r.now).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("store what was seen: %w", err), nil)
	}
	return nil
}
