// Package results stores what agents and the panel have found, as it comes, and condenses it. Who judges reads it from
// there.
package results

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/ingest"
	"panel/platform/jobs"
)

// Results stores results.
type Results struct {
	db      *database.DB
	clock   clockwork.Clock
	batches *ingest.Store[[]result]
	stored  func()
}

// result is one result with its check.
type result struct {
	agentapi.CheckResult
	check uuid.UUID
}

// New makes the store.
func New(db *database.DB, clock clockwork.Clock, log *zap.Logger) *Results {
	return &Results{db: db, clock: clock, batches: ingest.NewStore(kind, db, clock, log), stored: func() {}}
}

// OnStored takes who is told that results have become durable, while the panel is composed.
func (r *Results) OnStored(tell func()) { r.stored = tell }

// Loops are what runs while the panel does.
func (r *Results) Loops() []func(context.Context) error {
	var loops []func(context.Context) error
	for range ingest.Writers {
		loops = append(loops, r.batches.Run)
	}
	return loops
}

// Intake takes the batches of agents.
func (r *Results) Intake() ingest.Intake {
	return ingest.Intake{Kind: agentapi.BatchHealth, Take: r.take}
}

// keptFor is how long results are kept as they came; what is older when it comes says nothing any more.
const keptFor = 6 * time.Hour

// take stores a batch and returns when it is durable. What an agent says of things that it was not asked to look at is
// stored and never read. Faults: invalid_value (422), throttled (429), unavailable (503).
func (r *Results) take(ctx context.Context, nodeID string, batch *agentapi.Batch) error {
	now := r.clock.Now().UTC()
	found := make([]result, 0, len(batch.Items))
	for i, item := range batch.Items {
		var one result
		if json.Unmarshal(item, &one.CheckResult) != nil || !database.IsID(one.WatchID) || one.At.IsZero() {
			return fault.InvalidValue(fmt.Sprintf("items[%d]", i), "must be a result of a watch")
		}
		one.check = uuid.MustParse(one.WatchID)
		if one.Clean(); one.At.After(now) {
			one.At = now
		}
		if now.Sub(one.At) <= keptFor {
			found = append(found, one)
		}
	}
	err := r.batches.Take(ctx, &ingest.Batch[[]result]{
		NodeID: nodeID, StreamID: batch.StreamID, Seq: batch.Seq, Dropped: batch.Dropped, Content: found,
	})
	if err == nil {
		r.stored()
	}
	return err
}

// streamsPerDay is as many as an agent needs whose data folder is made anew each hour.
const streamsPerDay = 24

const (
	copyRows = `copy health_results (check_id, vantage, at, xact, ok, reason, error, latency_ms, cert_expires_at)
		from stdin binary`
	columns = 9
	rowSize = 160
)

var kind = ingest.Kind[[]result]{
	Name: "results of checks", Streams: "health_streams", Nodes: "nodes", StreamsPerDay: streamsPerDay, Copy: copyRows,
	Columns: columns, Size: func(batch []result) int { return rowSize * len(batch) }, Encode: encode,
	Prepare: "select health_prepare()",
}

func encode(rows *ingest.Rows, vantage uuid.UUID, xact int64, batch []result) {
	for i := range batch {
		one := &batch[i]
		rows.Begin()
		rows.UUID(one.check)
		rows.UUID(vantage)
		rows.Time(one.At)
		rows.Int(xact)
		rows.Bool(one.OK)
		rows.Text(one.Reason)
		rows.Text(one.Error)
		if one.OK {
			rows.Float(one.LatencyMillis)
		} else {
			rows.Null()
		}
		if one.CertExpires == nil {
			rows.Null()
		} else {
			rows.Time(*one.CertExpires)
		}
	}
}

// Own stores what the panel itself has found.
func (r *Results) Own(ctx context.Context, found []agentapi.CheckResult) error {
	batch := make([]result, 0, len(found))
	for _, one := range found {
		batch = append(batch, result{one, uuid.MustParse(one.WatchID)})
	}
	err := r.copyOwn(ctx, batch)
	if database.State(err) == noPartition {
		if _, preparing := r.db.Pool.Exec(ctx, "select health_prepare()"); preparing == nil {
			err = r.copyOwn(ctx, batch)
		}
	}
	if err == nil {
		r.stored()
	}
	return database.Fault(err, nil)
}

const noPartition = "23514" // the SQLSTATE of a row that no partition takes

func (r *Results) copyOwn(ctx context.Context, batch []result) error {
	return pgx.BeginFunc(ctx, r.db.Pool, func(tx pgx.Tx) error {
		var xact int64
		if err := tx.QueryRow(ctx, "select pg_current_xact_id()::text::bigint").Scan(&xact); err != nil {
			return err
		}
		rows := ingest.NewRows(columns, rowSize*len(batch))
		encode(rows, uuid.Nil, xact, batch)
		_, err := tx.Conn().PgConn().CopyFrom(ctx, readerOf(rows), copyRows)
		return err
	})
}

// Tidy lets the numbers of streams go that have ended.
func Tidy() jobs.Tidy {
	const keepStreams = 30 * 24 * time.Hour
	return jobs.Tidy{Table: kind.Streams, Column: "updated_at", Age: keepStreams}
}
