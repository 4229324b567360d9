package ingest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/fault"
)

// Batch is one numbered batch of a node. An agent numbers the batches of a stream from 1, and begins a new stream when
// it has lost its numbers.
type Batch[T any] struct {
	NodeID   string
	StreamID string
	Seq      int64
	Dropped  int64 // what the agent had to drop since the stream began
	Content  T
}

// Kind says how the batches of one kind are stored.
type Kind[T any] struct {
	// Name says what is stored, for the log.
	Name string
	// Streams is the table of numbers: node_id uuid, stream_id text, last_seq bigint, dropped bigint, updated_at
	// timestamptz, with node_id and stream_id as its key.
	Streams string
	// Nodes is the table whose id a batch's node must have; batches of others are taken and not stored.
	Nodes string
	// StreamsPerDay bounds the streams that a node begins in a day.
	StreamsPerDay int
	// Copy is the COPY statement, binary and from stdin, and Columns how many it names.
	Copy    string
	Columns uint16
	// Size is about how many bytes the rows of a batch take.
	Size func(content T) int
	// Encode writes the rows of a batch. Xact is the number of the transaction that stores them.
	Encode func(rows *Rows, node uuid.UUID, xact int64, content T)
	// Prepare is a statement that makes the partitions of this moment, for a table with partitions.
	Prepare string
}

// Store stores the batches of one kind.
type Store[T any] struct {
	Kind[T]
	db      *database.DB
	log     *zap.Logger
	batches *Batcher[*delivery[T]]
}

// delivery is a batch on its way.
type delivery[T any] struct {
	*Batch[T]
	node    uuid.UUID
	decided bool // stored now, or known from before
	refused error
}

// Writers is how many transactions store batches side by side; a Store's Run is started so often.
const Writers = 2

const (
	writePace   = 200 * time.Millisecond // how often each writer begins a transaction while there is little to store
	mostBatches = 200                    // in one transaction
	streamPause = time.Hour              // how long an agent waits that has begun too many streams
	noPartition = "23514"                // the SQLSTATE of a row that no partition takes
)

// NewStore makes a store.
func NewStore[T any](kind Kind[T], db *database.DB, clock clockwork.Clock, log *zap.Logger) *Store[T] {
	s := &Store[T]{Kind: kind, db: db, log: log}
	s.batches = NewBatcher(mostBatches, s.write).Paced(clock, writePace)
	return s
}

// Run is one writer.
func (s *Store[T]) Run(ctx context.Context) error { return s.batches.Run(ctx) }

const longestStream = 64

// Take stores a batch and returns when it is durable. Faults: invalid_value (422), throttled (429), unavailable (503).
func (s *Store[T]) Take(ctx context.Context, batch *Batch[T]) error {
	d, err := newDelivery(batch)
	if err != nil {
		return err
	}
	return s.batches.Submit(ctx, d)
}

func newDelivery[T any](batch *Batch[T]) (*delivery[T], error) {
	node, err := uuid.Parse(batch.NodeID)
	switch {
	case err != nil:
		return nil, fmt.Errorf("storing a batch of the node %q: %w", batch.NodeID, err)
	case batch.StreamID == "" || len(batch.StreamID) > longestStream || !isPlain(batch.StreamID):
		return nil, fault.InvalidValue("stream_id", "must have 1 to 64 letters, digits or dashes")
	case batch.Seq < 1:
		return nil, fault.InvalidValue("seq", "must be 1 or more")
	}
	return &delivery[T]{Batch: batch, node: node}, nil
}

func isPlain(text string) bool {
	for _, r := range text {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	return true
}

// write stores deliveries in one transaction. A second batch of the same node waits for the next round, because a row
// can be changed once per statement and a statement does not see the streams that it begins itself.
func (s *Store[T]) write(ctx context.Context, all []*delivery[T]) []error {
	for left := all; len(left) > 0; {
		round, later := firstOfEachNode(left)
		if err := Bisect(round, func(part []*delivery[T]) error { return s.store(ctx, part) }, s.refuse); err != nil {
			return answers(all, database.Fault(fmt.Errorf("storing %s: %w", s.Name, err), nil))
		}
		left = later
	}
	if slices.ContainsFunc(all, func(d *delivery[T]) bool { return d.refused != nil }) {
		return answers(all, nil)
	}
	return []error{nil}
}

func (s *Store[T]) refuse(d *delivery[T], err error) {
	s.log.Warn("a batch of an agent cannot be stored and is refused", zap.String("kind", s.Name), zap.String("node",
		d.NodeID),
		zap.Int64("seq", d.Seq), zap.Error(err))
	d.refused = ErrUnstorable
}

// answers are err for those that are neither stored nor refused.
func answers[T any](all []*delivery[T], err error) []error {
	each := make([]error, len(all))
	for i, d := range all {
		if each[i] = d.refused; !d.decided && d.refused == nil {
			each[i] = err
		}
	}
	return each
}

func firstOfEachNode[T any](all []*delivery[T]) (round, later []*delivery[T]) {
	seen := make(map[string]bool, len(all))
	for _, d := range all {
		if seen[d.NodeID] {
			later = append(later, d)
		} else {
			seen[d.NodeID] = true
			round = append(round, d)
		}
	}
	return round, later
}

func (s *Store[T]) store(ctx context.Context, round []*delivery[T]) error {
	err := s.storeOnce(ctx, round)
	if database.State(err) == noPartition && s.Prepare != "" {
		if _, preparing := s.db.Pool.Exec(ctx, s.Prepare); preparing == nil {
			err = s.storeOnce(ctx, round)
		}
	}
	if err != nil {
		return err
	}
	for _, d := range round {
		d.decided = true
	}
	return nil
}

func (s *Store[T]) storeOnce(ctx context.Context, round []*delivery[T]) error {
	return pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
		fresh, xact, err := s.advance(ctx, tx, round)
		if err != nil {
			return err
		}
		if err := s.refuseStreams(ctx, tx, round, fresh); err != nil || len(fresh) == 0 {
			return err
		}
		_, err = tx.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(s.encode(fresh, xact)), s.Copy)
		return err
	})
}

func (s *Store[T]) encode(fresh []*delivery[T], xact int64) []byte {
	size := 0
	for _, d := range fresh {
		size += s.Size(d.Content)
	}
	rows := NewRows(s.Columns, size)
	for _, d := range fresh {
		s.Encode(rows, d.node, xact, d.Content)
	}
	return rows.Bytes()
}

// advance moves each stream on to its batch's number and gives the batches that are new. The rows stay locked until the
// commit, so that the same batch sent twice at once, even to two panels, is stored once. Sorted against deadlocks.
func (s *Store[T]) advance(ctx context.Context, tx pgx.Tx, round []*delivery[T]) (fresh []*delivery[T], xact int64,
	err error,
) {
	nodes, streams := make([]string, len(round)), make([]string, len(round))
	seqs, dropped := make([]int64, len(round)), make([]int64, len(round))
	at := make(map[string]*delivery[T], len(round))
	for i, d := range round {
		nodes[i], streams[i], seqs[i], dropped[i] = d.NodeID, d.StreamID, d.Seq, d.Dropped
		at[d.NodeID+d.StreamID] = d
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`insert into %[1]s as t (node_id, stream_id, last_seq, dropped)
		select u.node_id, u.stream_id, u.seq, u.dropped
		from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) u(node_id, stream_id, seq, dropped)
			join %[2]s n on n.id = u.node_id
		where exists (select 1 from %[1]s k where k.node_id = u.node_id and k.stream_id = u.stream_id) or
			(select count(*) from %[1]s k where k.node_id = u.node_id and k.updated_at > now() - interval '1 day') < $5
		order by 1, 2
		on conflict (node_id, stream_id) do update
			set last_seq = excluded.last_seq, dropped = greatest(t.dropped, excluded.dropped), updated_at = now()
			where t.last_seq < excluded.last_seq
		returning node_id::text, stream_id, pg_current_xact_id()::text::bigint`, s.Streams, s.Nodes),
		nodes, streams, seqs, dropped, s.StreamsPerDay)
	if err != nil {
		return nil, 0, err
	}
	var node, stream string
	_, err = pgx.ForEachRow(rows, []any{&node, &stream, &xact}, func() error {
		fresh = append(fresh, at[node+stream])
		return nil
	})
	return fresh, xact, err
}

// refuseStreams answers the batches that were not numbered because their node has begun too many streams; what else was
// not numbered is known from before, or of a node that is gone.
func (s *Store[T]) refuseStreams(ctx context.Context, tx pgx.Tx, round, fresh []*delivery[T]) error {
	if len(fresh) == len(round) {
		return nil
	}
	nodes, streams := make([]string, len(round)), make([]string, len(round))
	for i, d := range round {
		nodes[i], streams[i] = d.NodeID, d.StreamID
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`select u.at from unnest($1::uuid[], $2::text[]) with ordinality u(node_id, stream_id, at)
		join %[2]s n on n.id = u.node_id
		where not exists (select 1 from %[1]s k where k.node_id = u.node_id and k.stream_id = u.stream_id)`, s.Streams, s.Nodes),
		nodes, streams)
	if err != nil {
		return err
	}
	var at int
	_, err = pgx.ForEachRow(rows, []any{&at}, func() error {
		round[at-1].refused = fault.Throttled(streamPause)
		return nil
	})
	return err
}
