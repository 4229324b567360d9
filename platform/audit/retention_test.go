package audit

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/access"
	"panel/platform/httpapi"
)

// Retention by PANEL_AUDIT_RETENTION_DAYS keeps the chain provable.
func TestRetentionRemovesWhatIsOldAndTheRestStaysProvable(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(5)
	j.clock.Advance(200 * 24 * time.Hour)
	j.filled(3)
	require.NoError(t, j.trim(t.Context()))
	require.Equal(t, 8, j.count(), "365 days are the default")
	j.clock.Advance(200 * 24 * time.Hour)
	require.NoError(t, j.trim(t.Context()))
	j.tended()
	require.Equal(t, 4, j.count(), "three and the entry that tells of the removal")
	j.found()
	require.Equal(t, int64(6), j.verified().FirstSeq)
	j.tamper("delete from journal where seq = 6")
	j.found(one(Removed, 6))
}

func TestAForgedCheckpointIsNotBelieved(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(5)
	j.tamper("insert into journal_checkpoints select seq, hash, 3, at, hash from journal where seq = 3", "delete from journal where seq <= 3")
	j.found(run(Removed, 1, 3))
}

func TestRetentionOfZeroDaysKeepsEverything(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.keepDays = 0
	j.filled(2)
	j.clock.Advance(10 * 365 * 24 * time.Hour)
	require.NoError(t, j.trim(t.Context()))
	require.Equal(t, 2, j.count())
}

// Domain 4.14: denials are one row a minute per actor (or address) and route, with a count.
func TestDenialsAreOneRowAMinuteWithACount(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	op := httpapi.Operation{Method: "POST", Path: "/api/v1/nodes", Summary: "Add a node"}
	ctx := access.With(t.Context(), anna)
	for range 100 {
		j.Denied(ctx, op, "permission_denied")
		j.tended()
	}
	j.Denied(access.With(t.Context(), access.Caller{Kind: access.Nobody, IP: "198.51.100.1"}), op, "no_session")
	j.tended()
	require.Equal(t, 2, j.count())
	j.clock.Advance(time.Minute)
	j.tended()
	rows := j.rows()
	require.Len(t, rows, 3)
	require.Equal(t, []int{1, 1, 99}, []int{rows[0].Count, rows[1].Count, rows[2].Count})
	require.Equal(t, []string{"access.denied", "denied", "POST /api/v1/nodes", "anna"}, []string{rows[2].Action, rows[2].Result, rows[2].ObjectID, rows[2].ActorName})
	j.found()
}

func (j *journal) rows() (rows []Row) {
	require.NoError(j.t, j.db.NewSelect().Model(&rows).Order("id").Scan(j.t.Context()))
	return rows
}

func TestAFloodOfStrangersIsBounded(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	for i := range 3 * mostDenials {
		caller := access.Caller{Kind: access.Nobody, IP: time.Duration(i).String()}
		j.denials.note(caller, "GET /x", "X", "no_session")
	}
	require.LessOrEqual(t, len(j.denials.waiting), mostDenials+1)
	j.tended()
	total := 0
	for _, row := range j.rows() {
		total += row.Count
	}
	require.Equal(t, 3*mostDenials, total)
}

func TestRunSealsAndAnchorsAndWritesOutAtItsEnd(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- j.Run(ctx) }()
	require.NoError(t, j.clock.BlockUntilContext(ctx, 1))
	j.record("flow.created")
	j.denials.note(anna, "GET /x", "X", "permission_denied")
	cancel()
	require.NoError(t, <-ended)
	for _, row := range j.rows() {
		require.NotZero(t, row.Seq)
	}
	require.Len(t, j.rows(), 2)
	kept, err := j.heads.read()
	require.NoError(t, err)
	require.Equal(t, int64(2), kept.Heads[len(kept.Heads)-1].Seq)
}
