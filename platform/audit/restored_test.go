package audit

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// restored makes the journal what it was up to an entry, as a full restore does, and writes what a panel writes that
// starts on it.
func (j *journal) restored(upTo string, former string) (after int64) {
	j.t.Helper()
	j.tamper("delete from journal where seq is null or seq > "+upTo, "delete from journal_heads where seq > "+upTo)
	if gap := time.Since(j.clock.Now()); gap > 0 {
		j.clock.Advance(gap) // ids hold the time of the machine
	}
	require.NoError(j.t, j.db.InTx(j.t.Context(), func(ctx context.Context) (err error) {
		after, err = j.Continue(ctx, former, Object{Type: "installation"}, map[string]Change{"raised": {To: 1}})
		return err
	}))
	j.clock.Advance(time.Millisecond)
	require.Eventually(j.t, func() bool { return time.Now().After(j.clock.Now()) }, 60*time.Second, time.Millisecond)
	return after
}

// "continued after a restore at seq N" and never "cut": on the panel that restored, on others and on a new one.
func TestAJournalIsContinuedAfterARestore(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	other := journalOn(t, j.db, t.TempDir(), nil)
	j.filled(6)
	other.tended()
	other.clock.Advance(time.Since(other.clock.Now()) + time.Second)
	j = j.died()
	require.EqualValues(t, 3, j.restored("3", ""))
	look, err := other.Look(t.Context(), time.Minute)
	require.NoError(t, err)
	require.True(t, look.Intact, look.Findings)
	for _, panel := range []*journal{j, other, journalOn(t, j.db, t.TempDir(), nil)} {
		panel.found()
		report := panel.verified()
		require.True(t, report.Intact)
		require.Len(t, report.Continued, 1)
		require.Equal(t, []int64{3, 4}, []int64{report.Continued[0].After, report.Continued[0].Seq})
	}
	j.filled(3)
	j.found()
	kept, err := other.heads.read()
	require.NoError(t, err)
	for _, h := range kept.Heads {
		require.LessOrEqual(t, h.Seq, int64(7), "heads from before the restore are let go")
		require.False(t, h.Kept)
	}
}

// A restore explains what came after the backup, and nothing else.
func TestARestoreExplainsNothingElse(t *testing.T) {
	t.Parallel()
	for name, attack := range map[string]struct {
		statement string
		want      Finding
	}{
		"cut after the restore":     {"delete from journal where seq > 5", run(Cut, 6, 7)},
		"removed before the backup": {"delete from journal where seq = 2", run(Removed, 2, 2)},
		"the entry itself":          {"delete from journal where seq >= 4", run(Cut, 4, 7)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t)
			j.filled(6)
			j = j.died()
			j.restored("3", "")
			j.filled(3)
			j.tamper(attack.statement)
			require.Contains(t, kindsOf(j.verified().Findings), attack.want.Kind)
		})
	}
}

// Who has the database alone cannot explain a cut end with a restore.
func TestAForgedRestoreExplainsNothing(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(6)
	j.tamper("delete from journal where seq > 3", `insert into journal (id, at, actor_kind, action, result, changes)
		values (gen_random_uuid(), now() + interval '1 year', 'cli', 'backup.restored', 'ok',
			'{"continued_after":{"from":null,"to":3}}')`)
	report := j.verified()
	require.Equal(t, Broken, report.State)
	require.Empty(t, report.Continued)
}

// What was written in the last second before a restore went with it, and nobody removed it.
func TestWhatARestoreTookIsNoTampering(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(3)
	j.record("written.before")
	j = j.died()
	j.restored("3", "")
	j.found()
	j.tended()
	j.found()
	j.record("written.after")
	j.tamper("delete from journal where action = 'written.after'")
	require.Contains(t, kindsOf(j.verified().Findings), Witnessed, "what goes afterwards is seen as ever")
}

// The backup of another installation brings another journal; heads of the one before are none of it.
func TestHeadsOfAnotherJournalAreLetGo(t *testing.T) {
	t.Parallel()
	j, stranger := newJournal(t), newJournal(t)
	j.filled(2)
	stranger.filled(6)
	moved := journalOn(t, j.db, stranger.dir, nil)
	require.Equal(t, Broken, moved.verified().State)
	moved.restored("2", "another")
	moved.found()
	moved.tended()
	moved.found()
}
