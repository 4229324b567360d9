package audit

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// R16, "insert": an entry forced in between, with all numbers after it moved on, is located where it stands; so are all
// that moved.
func TestAnEntryForcedInBetweenIsLocated(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(6)
	j.tamper("update journal set seq = -seq where seq > 3", "update journal set seq = 1 - seq where seq < 0",
		`insert into journal (id, at, actor_kind, action, result, changes, mark, seq, hash_prev, hash)
			select gen_random_uuid(), at, actor_kind, 'flow.deleted', result, changes, mark, 4, hash, sha256(hash) from journal where seq = 3`)
	findings := j.verified().Findings
	require.Equal(t, int64(4), least(findings))
	require.ElementsMatch(t, []int64{4, 5, 6, 7}, unique(seqsOf(findings)))
}

func unique(numbers []int64) (distinct []int64) {
	seen := map[int64]bool{}
	for _, n := range numbers {
		if !seen[n] {
			distinct = append(distinct, n)
		}
		seen[n] = true
	}
	return distinct
}

// R16, "insert": an entry put at the end with number and hash of its own making is located too.
func TestAForgedLastEntryIsLocated(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(3)
	j.tamper(`insert into journal (id, at, actor_kind, action, result, changes, mark, seq, hash_prev, hash)
		select gen_random_uuid(), at, actor_kind, 'flow.deleted', result, changes, sha256('x'), 4, hash, sha256(hash) from journal where seq = 3`)
	j.found(one(Edited, 4))
}

// R16, "rewrite whole chain": from the very first entry, by somebody without the key and by somebody with it.
func TestAWhollyRewrittenChainIsLocatedFromItsBeginning(t *testing.T) {
	t.Parallel()
	t.Run("without the key", func(t *testing.T) {
		t.Parallel()
		j := newJournal(t)
		j.filled(5)
		j.tamper("update journal set object_name = 'x', mark = sha256('x'), hash = sha256(hash), hash_prev = sha256(hash_prev)")
		require.ElementsMatch(t, []int64{1, 2, 3, 4, 5}, unique(seqsOf(j.verified().Findings)))
	})
	t.Run("with the key", func(t *testing.T) {
		t.Parallel()
		j := newJournal(t)
		j.filled(5)
		thief := journalOn(t, j.db, t.TempDir(), nil)
		j.tamper("update journal set seq = null, hash = null, hash_prev = null, object_name = 'x', mark = ''")
		require.NoError(t, thief.sealAll(t.Context()))
		require.ElementsMatch(t, []int64{1, 2, 3, 4, 5}, unique(seqsOf(onlyOf(j.verified().Findings, Rewritten))))
	})
}

// R16, "truncate": an emptied journal is missing from its first entry to the last that was noted.
func TestAnEmptiedJournalIsCutFromItsFirstEntry(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(5)
	j.tamper("delete from journal")
	j.found(run(Cut, 1, 5))
}

// A report stays small and a verification ends, however much is wrong.
func TestAVerificationKeepsNoMoreThanAReportHolds(t *testing.T) {
	t.Parallel()
	v := verifierOf([]byte("k"))
	entry := &raw{}
	for range 3 * mostFindings {
		entry.seq++
		v.check(entry)
	}
	require.Len(t, v.broken, mostFindings)
	v.sortBroken()
	require.Len(t, v.report.Findings, mostFindings)
}

// The same entry has the same content whether it is written or verified, and proving it makes nothing new: a journal
// has millions of entries.
func TestProvingAnEntryAllocatesNothing(t *testing.T) {
	key := []byte("a key")
	row := Row{
		ID: "0197f3a0-0000-7000-8000-000000000001", At: time.UnixMicro(1_800_000_000_123_456).UTC(), ActorKind: "admin",
		ActorID: "a", ActorName: "anna",
		Action: "flow.created", ObjectType: "flow", ObjectID: "f", ObjectName: "Привет", Result: OK, IP: "2001:db8::1",
		UserAgent: "Firefox",
		RequestID: "r", Changes: `{"a":{"from":null,"to":1}}`, Count: 7, Seq: 42,
	}
	previous := sha256.Sum256([]byte("before"))
	row.HashPrev = previous[:]
	row.Mark = row.markWith(key)
	row.Hash = row.hashWith(key, row.HashPrev, row.Seq)
	entry := rawOf(row)
	require.Equal(t, row.content(), entry.content(nil))
	require.Equal(t, row, entry.row())
	p := newProver(key)
	link, mark := p.proves(entry)
	require.True(t, link && mark)
	require.Zero(t, testing.AllocsPerRun(100, func() { p.proves(entry) }))
	entry.texts[4] = []byte("flow.deleted")
	link, mark = p.proves(entry)
	require.False(t, link || mark)
}

func rawOf(row Row) *raw {
	entry := &raw{
		at: row.At.UnixMicro(), seq: row.Seq, count: uint64(row.Count), //nolint:gosec // a count of a test
		mark: row.Mark, previous: row.HashPrev, hash: row.Hash,
	}
	copy(entry.id[:], row.ID)
	for i, text := range []string{
		row.ID, row.ActorKind, row.ActorID, row.ActorName, row.Action, row.ObjectType, row.ObjectID, row.ObjectName,
		row.Result,
		row.IP, row.UserAgent, row.RequestID, row.Changes,
	} {
		entry.texts[i] = []byte(text)
	}
	return entry
}
