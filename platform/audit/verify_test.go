package audit

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database/dbtest"
)

func one(kind string, seq int64) Finding { return Finding{Kind: kind, Seq: seq, LastSeq: seq} }

func run(kind string, first, last int64) Finding {
	return Finding{Kind: kind, Seq: first, LastSeq: last}
}

func TestAnUntouchedJournalIsIntact(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.found()
	j.filled(8)
	report := j.verified()
	require.True(t, report.Intact && report.Complete)
	require.Equal(t, []int64{8, 1, 8}, []int64{report.Checked, report.FirstSeq, report.LastSeq})
	require.NotZero(t, report.Heads)
}

// R16: every changed byte of every column is located at its entry.
func TestAnEditedEntryIsNamed(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(6)
	for column, value := range map[string]string{
		"at": "at + interval '1 microsecond'", "actor_kind": "'cli'", "actor_id": "'x'", "actor_name": "'oleg'",
		"action":      "action || 'x'",
		"object_type": "'y'", "object_id": "'y'", "object_name": "'y'", "result": "'failed'", "ip": "'192.0.2.1'",
		"user_agent": "''",
		"request_id": "''", "changes": "replace(changes, 'a', 'b')", "count": "2",
		"mark":      "set_byte(mark, 0, 255 - get_byte(mark, 0))",
		"hash":      "set_byte(hash, 31, 255 - get_byte(hash, 31))",
		"hash_prev": "set_byte(hash_prev, 5, 255 - get_byte(hash_prev, 5))",
	} {
		j.tamper("create temporary table saved on commit drop as select * from journal where seq = 3",
			fmt.Sprintf("update journal set %s = %s where seq = 3", column, value),
			"create table if not exists kept as select * from saved")
		findings := j.verified().Findings
		require.NotEmpty(t, findings, column)
		require.Equal(t, []any{Edited, int64(3)}, []any{findings[len(findings)-1].Kind, findings[len(findings)-1].Seq},
			column)
		j.tamper("delete from journal where seq = 3", "insert into journal select * from kept", "drop table kept")
		j.found()
	}
}

func TestRemovedEntriesAreNamed(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(9)
	j.tamper("delete from journal where seq = 3 or seq in (6, 7)")
	j.found(one(Removed, 3), run(Removed, 6, 7))
}

func TestARemovedBeginningIsNamed(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(5)
	j.tamper("delete from journal where seq <= 2")
	j.found(run(Removed, 1, 2))
}

func TestRenumberingDoesNotHideARemoval(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(6)
	j.tamper("delete from journal where seq = 3", "update journal set seq = -seq where seq > 3",
		"update journal set seq = -seq - 1 where seq < 0")
	report := j.verified()
	require.False(t, report.Intact)
	require.Equal(t, int64(3), report.Findings[0].Seq)
}

// The links stay with their numbers, or travel with the entries: both are seen for what they are.
func TestSwappedEntriesAreNamed(t *testing.T) {
	t.Parallel()
	for name, statements := range map[string][]string{
		"whole rows": {
			"update journal set seq = -seq where seq in (2, 5)",
			"update journal set seq = 7 + seq where seq < 0",
		},
		"all but ids": {"update journal a set action = b.action, object_id = b.object_id, object_name = b.object_name, changes = b.changes, mark = b.mark, at = b.at, request_id = b.request_id from journal b where (a.seq, b.seq) in ((2, 5), (5, 2))"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t)
			j.filled(7)
			j.tamper(statements...)
			findings := j.verified().Findings
			var swapped []int64
			for _, f := range findings {
				if f.Kind == Swapped {
					swapped = append(swapped, f.Seq)
				}
			}
			require.ElementsMatch(t, []int64{2, 5}, swapped, "%v", findings)
		})
	}
}

// R16: "truncate tail": caught by the head outside the database, also after the panel went on writing.
func TestACutEndIsNamedAlsoAfterMoreWasWritten(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(8)
	j.tamper("delete from journal where seq > 5")
	j.found(run(Cut, 6, 8))
	j.filled(5)
	report := j.verified()
	require.False(t, report.Intact)
	require.Equal(t, []int64{6, 7, 8}, seqsOf(onlyOf(report.Findings, Rewritten)))
}

// The whole journal replaced by an older copy of itself is a cut end too.
func TestAnOlderCopyOfTheJournalIsNoticed(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(3)
	j.tamper("create table older as select * from journal")
	j.filled(3)
	j.tamper("delete from journal", "insert into journal select * from older")
	j.found(run(Cut, 4, 6))
}

// R16: "rewrite whole chain": without the key nobody can make the links, so the first rewritten entry is named.
func TestARewrittenChainIsNamedFromItsFirstEntry(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(6)
	j.tamper("update journal set action = 'nothing.happened', mark = sha256('x'), hash = sha256(hash) where seq >= 4",
		"update journal a set hash_prev = b.hash from journal b where b.seq = a.seq - 1 and a.seq > 4")
	findings := j.verified().Findings
	require.Equal(t, int64(4), least(findings))
	require.Len(t, onlyOf(findings, Edited), 3)
}

// A chain that was rewritten with the key itself still contradicts the heads.
func TestAChainRewrittenWithTheKeyContradictsTheHeads(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(6)
	thief := journalOn(t, j.db, t.TempDir(), nil)
	j.tamper("update journal set seq = null, hash = null, hash_prev = null where seq >= 4")
	j.tamper("update journal set object_name = 'changed', mark = '' where seq is null")
	require.NoError(t, thief.sealAll(t.Context()))
	findings := j.verified().Findings
	require.Equal(t, []int64{4, 5, 6}, seqsOf(onlyOf(findings, Rewritten)))
}

func least(findings []Finding) int64 {
	first := findings[0].Seq
	for _, f := range findings {
		first = min(first, f.Seq)
	}
	return first
}

func onlyOf(findings []Finding, kind string) (only []Finding) {
	for _, f := range findings {
		if f.Kind == kind {
			only = append(only, f)
		}
	}
	return only
}

func seqsOf(findings []Finding) (seqs []int64) {
	for _, f := range findings {
		seqs = append(seqs, f.Seq)
	}
	return seqs
}

// R16: "insert": an entry that no panel wrote is named, sealed or not, and so is one that was edited before it was
// sealed.
func TestAnInsertedEntryIsNamed(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(3)
	_, err := j.db.ExecContext(t.Context(), `insert into journal (id, at, actor_kind, action, result, changes, mark)
		values (gen_random_uuid(), now(), 'admin', 'flow.deleted', 'ok', '{}', sha256('x'))`)
	require.NoError(t, err)
	j.found(one(Inserted, 4))
	j.record("open")
	j.tamper("update journal set action = 'other' where seq is null")
	j.tended()
	j.found(one(Inserted, 4), one(Inserted, 5))
}

// A tool without the panel's settings still writes; the report says so, and does not call the journal intact.
func TestAnEntryWithoutTheKeyIsToldApart(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(1)
	tool := journalOn(t, j.db, t.TempDir(), map[string]string{"PANEL_SECRET_KEY": ""})
	tool.record("account.password_reset")
	report := j.verified()
	require.Equal(t, Unproven, report.State)
	require.False(t, report.Intact)
	require.Equal(t, Unmarked, report.Findings[0].Kind)
	require.Equal(t, int64(2), report.Findings[0].Seq)
	_, err := os.Stat(tool.dir + "/secret.key")
	require.ErrorIs(t, err, os.ErrNotExist, "no master key is made by the way")
}

// One head per panel, verified against all.
func TestAnotherPanelsHeadIsComparedToo(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	other := journalOn(t, j.db, t.TempDir(), nil)
	j.filled(4)
	other.tended()
	j.tamper("delete from journal where seq > 2")
	fresh := journalOn(t, j.db, t.TempDir(), nil)
	fresh.found(run(Cut, 3, 4))
	other.found(run(Cut, 3, 4))
}

func TestAHeadThatWasEditedIsNotBelieved(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(3)
	kept, err := j.heads.read()
	require.NoError(t, err)
	kept.Heads[len(kept.Heads)-1].Hash = make([]byte, 32)
	require.NoError(t, j.heads.write(kept))
	j.found(one(Rewritten, 3))
}

func TestHeadsSurviveARestartAndAreThinned(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(3)
	again := journalOn(t, j.db, j.dir, nil)
	kept, err := again.heads.read()
	require.NoError(t, err)
	require.Len(t, kept.Heads, 3)
	var many []Head
	for i := range 10 * recentHeads {
		many = append(many, Head{Seq: int64(i), At: start.Add(time.Duration(i) * time.Hour), Kept: i == 5})
	}
	thin := thinned(many)
	require.Less(t, len(thin), recentHeads+40)
	require.Contains(t, thin, many[5])
	require.Contains(t, thin, many[0])
}

func TestSeveralPanelsMakeOneChain(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	first, second := journalOn(t, db, t.TempDir(), nil), journalOn(t, db, t.TempDir(), nil)
	ended := make(chan error, 2)
	for _, j := range []*journal{first, second} {
		go func() {
			for range 20 {
				j.record("flow.created")
				if err := j.tend(t.Context(), false); err != nil {
					ended <- err
					return
				}
			}
			ended <- nil
		}()
	}
	require.NoError(t, <-ended)
	require.NoError(t, <-ended)
	first.found()
	require.Equal(t, int64(40), second.verified().LastSeq)
}
