package ingest

import (
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/fault"
)

// words is a kind of batch: each holds words.
var words = Kind[[]string]{
	Name: "words", Streams: "word_streams", Nodes: "senders", StreamsPerDay: 3,
	Copy: "copy words (node_id, xact, word) from stdin binary", Columns: 3,
	Size: func(content []string) int { return 64 * len(content) },
	Encode: func(rows *Rows, node uuid.UUID, xact int64, content []string) {
		for _, word := range content {
			rows.Begin()
			rows.UUID(node)
			rows.Int(xact)
			rows.Text(word)
		}
	},
}

// store makes the tables of words, so many senders and a store whose writers run until the test ends.
func store(t *testing.T, senders int) (s *Store[[]string], ids []string) {
	t.Helper()
	db := dbtest.New(t)
	_, err := db.ExecContext(t.Context(), `create table senders (id uuid primary key);
		create table words (node_id uuid not null, xact bigint not null, word text not null);
		create table word_streams (node_id uuid references senders (id), stream_id text, last_seq bigint, dropped bigint,
			updated_at timestamptz not null default now(), primary key (node_id, stream_id))`)
	require.NoError(t, err)
	for range senders {
		ids = append(ids, database.NewID())
		_, err := db.ExecContext(t.Context(), "insert into senders values (?)", ids[len(ids)-1])
		require.NoError(t, err)
	}
	s = NewStore(words, db, clockwork.NewRealClock(), zaptest.NewLogger(t))
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	for range Writers {
		running.Go(func() { _ = s.Run(ctx) })
	}
	t.Cleanup(func() { stop(); running.Wait() })
	return s, ids
}

func batch(node, stream string, seq int64, content ...string) *Batch[[]string] {
	return &Batch[[]string]{NodeID: node, StreamID: stream, Seq: seq, Content: content}
}

func stored(t *testing.T, s *Store[[]string], node string) (list []string) {
	t.Helper()
	require.NoError(t, s.db.NewRaw("select word from words where node_id = ? order by word", node).Scan(t.Context(),
		&list))
	return list
}

func deliveries(t *testing.T, batches ...*Batch[[]string]) (all []*delivery[[]string]) {
	t.Helper()
	for _, b := range batches {
		d, err := newDelivery(b)
		require.NoError(t, err)
		all = append(all, d)
	}
	return all
}

func TestABatchSentManyTimesAtOnceIsStoredOnce(t *testing.T) {
	t.Parallel()
	s, ids := store(t, 1)
	var senders sync.WaitGroup
	failed := make(chan error, 20)
	for range 20 {
		senders.Go(func() { failed <- s.Take(t.Context(), batch(ids[0], "a", 1, "one", "two")) })
	}
	senders.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
	require.Equal(t, []string{"one", "two"}, stored(t, s, ids[0]))
	require.NoError(t, s.Take(t.Context(), batch(ids[0], "a", 2, "three")))
	require.NoError(t, s.Take(t.Context(), batch(ids[0], "b", 1, "four")))
	require.Equal(t, []string{"four", "one", "three", "two"}, stored(t, s, ids[0]))
}

// An answer comes after the commit: whoever has one finds the rows.
func TestABatchIsAcknowledgedWhenItIsStored(t *testing.T) {
	t.Parallel()
	s, ids := store(t, 1)
	for seq := range int64(20) {
		require.NoError(t, s.Take(t.Context(), batch(ids[0], "a", seq+1, "word")))
		require.Len(t, stored(t, s, ids[0]), int(seq)+1)
	}
}

// The number and the rows are one transaction: when the rows are not stored, the batch is not known and comes again.
func TestABatchWhoseRowsFailIsTakenLater(t *testing.T) {
	t.Parallel()
	s, ids := store(t, 1)
	_, err := s.db.ExecContext(t.Context(), "alter table words add constraint refused check (word <> 'now')")
	require.NoError(t, err)
	require.Error(t, s.Take(t.Context(), batch(ids[0], "a", 1, "now")))
	_, err = s.db.ExecContext(t.Context(), "alter table words drop constraint refused")
	require.NoError(t, err)
	require.NoError(t, s.Take(t.Context(), batch(ids[0], "a", 1, "now")))
	require.Equal(t, []string{"now"}, stored(t, s, ids[0]))
}

func TestABatchOfANodeThatIsGoneDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	s, ids := store(t, 1)
	gone := database.NewID()
	answers := s.write(t.Context(), deliveries(t, batch(gone, "a", 1, "x"), batch(ids[0], "a", 1, "y"),
		batch(ids[0], "a", 2, "z")))
	require.Equal(t, []error{nil}, answers)
	require.Equal(t, []string{"y", "z"}, stored(t, s, ids[0]), "two batches of one stream in one round are both stored")
	require.Empty(t, stored(t, s, gone))
}

func TestABatchThatCannotBeStoredIsRefusedAlone(t *testing.T) {
	t.Parallel()
	s, ids := store(t, 3)
	answers := s.write(t.Context(), deliveries(t, batch(ids[0], "a", 1, "x"), batch(ids[1], "a", 1, "a\x00"),
		batch(ids[2], "a", 1, "z")))
	require.Equal(t, []error{nil, ErrUnstorable, nil}, answers)
	require.Equal(t, []string{"x"}, stored(t, s, ids[0]))
	require.Empty(t, stored(t, s, ids[1]))
	require.Equal(t, []string{"z"}, stored(t, s, ids[2]))
}

func TestANodeBeginsOnlySoManyStreamsInADay(t *testing.T) {
	t.Parallel()
	s, ids := store(t, 2)
	for _, stream := range []string{"a", "b", "c"} {
		require.NoError(t, s.Take(t.Context(), batch(ids[0], stream, 1)))
	}
	require.Equal(t, "throttled", fault.Code(s.Take(t.Context(), batch(ids[0], "d", 1, "refused"))))
	require.NoError(t, s.Take(t.Context(), batch(ids[0], "a", 2, "goes on")))
	require.NoError(t, s.Take(t.Context(), batch(ids[1], "d", 1, "another node")))
	_, err := s.db.Pool.Exec(t.Context(), "delete from "+s.Streams) // as a rule of the module does with old ones
	require.NoError(t, err)
	require.NoError(t, s.Take(t.Context(), batch(ids[0], "d", 1, "later")))
	require.Equal(t, []string{"goes on", "later"}, stored(t, s, ids[0]))
}

func TestNumbersAndNamesOfStreamsHaveAForm(t *testing.T) {
	t.Parallel()
	s, ids := store(t, 1)
	for _, bad := range []*Batch[[]string]{
		batch(ids[0], "", 1), batch(ids[0], "a b", 1), batch(ids[0], "ä", 1), batch(ids[0], string(make([]byte, 65)),
			1), batch(ids[0], "a", 0),
	} {
		require.Equal(t, "invalid_value", fault.Code(s.Take(t.Context(), bad)), bad)
	}
	require.Error(t, s.Take(t.Context(), batch("no id", "a", 1)))
}

// A table with partitions gets the one of this moment when it is missing.
func TestAMissingPartitionIsMadeWhenItIsNeeded(t *testing.T) {
	t.Parallel()
	s, ids := store(t, 1)
	_, err := s.db.ExecContext(t.Context(), `drop table words;
		create table words (node_id uuid not null, xact bigint not null, word text not null) partition by list (word);
		create function prepare() returns void language sql as 'create table words_default partition of words default'`)
	require.NoError(t, err)
	s.Prepare = "select prepare()"
	require.NoError(t, s.Take(t.Context(), batch(ids[0], "a", 1, "word")))
	require.Equal(t, []string{"word"}, stored(t, s, ids[0]))
}
