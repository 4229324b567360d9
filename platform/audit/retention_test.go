package audit

import (
	"context"
	"fmt"
	"slices"
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

// Strangers fill neither memory nor disk, however many networks and operations they use: there are so many rows a minute, and
// what is beyond is counted. Who has proved himself keeps his own row.
func TestAFloodOfStrangersIsBounded(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	const seconds, each = 120, 40
	for second := range seconds {
		for i := range each {
			from := access.Caller{Kind: access.Nobody, IP: fmt.Sprintf("2001:db8:%x:%x::1", second, i)}
			j.Denied(access.With(t.Context(), from), httpapi.Operation{Method: "GET", Path: fmt.Sprintf("/%d", i)}, "no_session")
		}
		j.tended()
		j.clock.Advance(time.Second)
	}
	j.Denied(access.With(t.Context(), anna), httpapi.Operation{Method: "GET", Path: "/x"}, "permission_denied")
	j.clock.Advance(time.Minute)
	j.tended()
	rows, total := j.rows(), 0
	for _, row := range rows {
		total += row.Count
	}
	require.Equal(t, seconds*each+1, total, "nothing is lost")
	require.LessOrEqual(t, len(rows), 3*(mostDenials+each))
	require.True(t, slices.ContainsFunc(rows, func(r Row) bool { return r.ActorName == "anna" }))
	require.True(t, slices.ContainsFunc(rows, func(r Row) bool { return r.ActorName == "many addresses" && r.Count > 1 }))
}

// A customer of IPv6 owns a whole /64: all its addresses are one stranger.
func TestTheAddressesOfOneNetworkShareARow(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	for i := range 300 {
		from := access.Caller{Kind: access.Nobody, IP: fmt.Sprintf("2001:db8::%x", i)}
		j.Refused(access.With(t.Context(), from), Entry{Action: "account.login_throttled", Object: Object{Type: "account", Name: "anna"}})
	}
	j.tended()
	rows := j.rows()
	require.Len(t, rows, 1)
	require.Equal(t, 300, rows[0].Count)
	require.Equal(t, []string{"account.login_throttled", Denied, "anna", "2001:db8::0"}, []string{rows[0].Action, rows[0].Result, rows[0].ObjectName, rows[0].IP})
}

func TestRunSealsAndAnchorsAndWritesOutAtItsEnd(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- j.Run(ctx) }()
	require.NoError(t, j.clock.BlockUntilContext(ctx, 1))
	j.record("flow.created")
	j.Denied(access.With(t.Context(), anna), httpapi.Operation{Method: "GET", Path: "/x"}, "permission_denied")
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
