package audit

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
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
	require.NoError(t, j.Trim(t.Context()))
	require.Equal(t, 8, j.count(), "365 days are the default")
	j.clock.Advance(200 * 24 * time.Hour)
	require.NoError(t, j.Trim(t.Context()))
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
	j.tamper("insert into journal_checkpoints select seq, hash, 3, at, hash from journal where seq = 3",
		"delete from journal where seq <= 3")
	j.found(run(Removed, 1, 3))
}

// Somebody who may write SQL makes entries look old: they are neither removed nor forgotten.
func TestAnAgeThatWasWrittenIntoTheTableRemovesNothing(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(6)
	j.tamper("update journal set action = 'nothing.happened', at = at - interval '400 days' where seq <= 3")
	again := journalOn(t, j.db, j.dir, nil)
	require.NoError(t, again.Trim(t.Context()))
	require.Equal(t, 6, j.count())
	again.found(one(Edited, 1), one(Edited, 2), one(Edited, 3))
	again.clock.Advance(400 * 24 * time.Hour)
	require.NoError(t, again.Trim(t.Context()))
	require.Equal(t, 6, j.count(), "evidence stays, however old")
}

// Retention stops at whatever is not proven: the entries before it go, it stays.
func TestRetentionRemovesOnlyWhatIsProven(t *testing.T) {
	t.Parallel()
	for name, attack := range map[string]string{
		"edited":  "update journal set object_name = 'x' where seq = 4",
		"removed": "delete from journal where seq = 4",
		"swapped": "update journal set seq = -seq where seq in (4, 5); update journal set seq = 9 + seq where " +
			"seq < 0",
		"without mark": "update journal set mark = '' where seq = 4",
		"cut":          "delete from journal where seq >= 4",
		"checkpoint forged": "insert into journal_checkpoints (seq, hash, entries, at, mac) select 3, hash, 3, at, hash " +
			"from journal where seq = 3",
		"checkpoint of text": "insert into journal_checkpoints (seq, hash, entries, at, mac, removed) select 3, hash, 3, " +
			"at, hash, 'x' from journal where seq = 3",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t)
			j.filled(6)
			j.tamper(attack)
			before := j.verified()
			j.clock.Advance(400 * 24 * time.Hour)
			require.NoError(t, j.Trim(t.Context()))
			after := j.verified()
			require.Equal(t, Broken, before.State)
			require.Equal(t, Broken, after.State, "the proof of it is not removed")
		})
	}
}

// A clock that is a year ahead removes nothing; what was lived through in truth goes on counting.
func TestAClockThatIsAheadRemovesNothing(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]string{
		"restarted":                  "",
		"its data folder was lost":   "folder",
		"its database was forgotten": "delete from journal_clocks",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t)
			j.filled(4)
			dir := j.dir
			switch lost {
			case "":
			case "folder":
				dir = t.TempDir()
			default:
				j.tamper(lost)
			}
			ahead := journalOn(t, j.db, dir, nil)
			ahead.clock.Advance(2 * 366 * 24 * time.Hour)
			ahead.tended()
			require.NoError(t, ahead.Trim(t.Context()))
			require.Equal(t, 4, ahead.count())
			ahead.clock.Advance(300 * 24 * time.Hour)
			require.NoError(t, ahead.Trim(t.Context()))
			require.Equal(t, 4, ahead.count())
			ahead.clock.Advance(66 * 24 * time.Hour)
			require.NoError(t, ahead.Trim(t.Context()))
			require.Equal(t, 1, ahead.count(), "a year has passed, whatever the clock says")
			ahead.tended()
			ahead.found()
		})
	}
}

// A panel that was off for long keeps its entries for longer, by all but a week, and goes on with its retention.
func TestALongIdlePanelGoesOn(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(2)
	again := journalOn(t, j.db, j.dir, nil)
	again.clock.Advance(30 * 24 * time.Hour)
	require.NoError(t, again.Trim(t.Context()))
	for _, step := range []struct{ days, left int }{{357, 2}, {2, 1}} {
		again.clock.Advance(time.Duration(step.days) * 24 * time.Hour)
		require.NoError(t, again.Trim(t.Context()))
		require.Equal(t, step.left, again.count())
	}
}

// A clock that jumps while the panel runs is believed as far as time has really passed, and never in the other
// direction.
func TestTimeIsLivedThrough(t *testing.T) {
	t.Parallel()
	l := lived{at: start}
	l.forward(start.AddDate(1, 0, 0), time.Second)
	require.Equal(t, start.Add(time.Second), l.at)
	l.forward(start.AddDate(-1, 0, 0), time.Hour)
	require.Equal(t, start.Add(time.Second), l.at)
	l.forward(start.Add(time.Minute), time.Hour)
	require.Equal(t, start.Add(time.Minute), l.at, "no further than the clock")
	l.forward(start.Add(time.Hour), -time.Hour)
	require.Equal(t, start.Add(time.Minute), l.at)
}

// An entry that was written while the clock was behind is as old as those around it.
func TestAnEntryOfAClockThatWasBehindIsNotOld(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(2)
	behind := journalOn(t, j.db, j.dir, nil)
	behind.clock = clockwork.NewFakeClockAt(start.AddDate(-2, 0, 0))
	behind.Store.clock = behind.clock
	behind.record("behind")
	behind.tended()
	j.clock.Advance(24 * time.Hour)
	require.NoError(t, j.Trim(t.Context()))
	require.Equal(t, 3, j.count())
}

// Numbers go on after retention removed the entries that had the first of them.
func TestNumbersSurviveRetention(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(3)
	j.clock.Advance(300 * 24 * time.Hour)
	j.filled(2)
	j.clock.Advance(100 * 24 * time.Hour)
	require.NoError(t, j.Trim(t.Context()))
	j.filled(2)
	other := journalOn(t, j.db, t.TempDir(), nil)
	other.clock.Advance(500 * 24 * time.Hour)
	other.found()
	require.Equal(t, 5, j.count())
}

// What an earlier version left unmarked ages with what is around it, and does not hold retention up.
func TestUnmarkedEntriesAgeWithTheOthers(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	tool := journalOn(t, j.db, t.TempDir(), map[string]string{"PANEL_SECRET_KEY": ""})
	j.filled(1)
	tool.record("account.password_reset")
	j.tended()
	j.filled(1)
	tool.record("account.password_reset")
	j.tended()
	j.clock.Advance(400 * 24 * time.Hour)
	require.NoError(t, j.Trim(t.Context()))
	j.tended()
	require.Equal(t, 2, j.count(), "the last one has nothing after it that proves its age")
}

func TestRetentionOfZeroDaysKeepsEverything(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.keepDays = 0
	j.filled(2)
	j.clock.Advance(10 * 365 * 24 * time.Hour)
	require.NoError(t, j.Trim(t.Context()))
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
	require.Equal(t, []string{"access.denied", "denied", "POST /api/v1/nodes", "anna"}, []string{
		rows[2].Action,
		rows[2].Result, rows[2].ObjectID, rows[2].ActorName,
	})
	j.found()
}

func (j *journal) rows() (rows []Row) {
	require.NoError(j.t, j.db.NewSelect().Model(&rows).Order("id").Scan(j.t.Context()))
	return rows
}

// Strangers fill neither memory nor disk, however many networks and operations they use: there are so many rows a
// minute, and what is beyond is counted. Who has proved himself keeps his own row.
func TestAFloodOfStrangersIsBounded(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	const seconds, each = 120, 40
	for second := range seconds {
		for i := range each {
			from := access.Caller{Kind: access.Nobody, IP: fmt.Sprintf("2001:db8:%x:%x::1", second, i)}
			j.Denied(access.With(t.Context(), from), httpapi.Operation{Method: "GET", Path: fmt.Sprintf("/%d", i)},
				"no_session")
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
	require.True(t, slices.ContainsFunc(rows, func(r Row) bool {
		return r.ActorName == "many addresses" &&
			r.Count > 1
	}))
}

// A customer of IPv6 owns a whole /64: all its addresses are one stranger.
func TestTheAddressesOfOneNetworkShareARow(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	for i := range 300 {
		from := access.Caller{Kind: access.Nobody, IP: fmt.Sprintf("2001:db8::%x", i)}
		j.Refused(access.With(t.Context(), from), Entry{
			Action: "account.login_throttled",
			Object: Object{Type: "account", Name: "anna"},
		})
	}
	j.tended()
	rows := j.rows()
	require.Len(t, rows, 1)
	require.Equal(t, 300, rows[0].Count)
	require.Equal(t, []string{"account.login_throttled", Denied, "anna", "2001:db8::0"}, []string{
		rows[0].Action,
		rows[0].Result, rows[0].ObjectName, rows[0].IP,
	})
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
