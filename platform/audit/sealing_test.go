package audit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"panel/platform/access"
	"panel/platform/database/dbtest"
)

// pending counts the entries whose end this process does not know yet.
func (j *journal) pending() int {
	_, list := j.numbers.open()
	return len(list)
}

func (j *journal) witnesses() []string {
	j.t.Helper()
	files, err := filepath.Glob(filepath.Join(j.dir, witnessFolder, "*"))
	require.NoError(j.t, err)
	return files
}

// died is the same installation after its process was killed: nothing was said or written at its end.
func (j *journal) died() *journal {
	j.t.Helper()
	j.numbers.witness.close()
	return journalOn(j.t, j.db, j.dir, nil)
}

// R16, before sealing: whatever happens to an entry in that second, the journal is not intact afterwards.
func TestNothingHappensUnseenBeforeAnEntryIsSealed(t *testing.T) {
	t.Parallel()
	type attack struct {
		statement string
		kinds     []string
	}
	for name, attack := range map[string]attack{
		"deleted":   {"delete from journal where action = 'the.victim'", []string{Witnessed}},
		"rewritten": {"update journal set action = 'other' where seq is null", []string{Inserted}},
		"exchanged with the next one": {`
			update journal a set number = b.number from journal b
			where a.seq is null and b.seq is null and a.id <> b.id`, []string{Inserted}},
		"exchanged with the next one, proof and all": {`
			update journal a set number = b.number, mark = b.mark from journal b
			where a.seq is null and b.seq is null and a.id <> b.id`, []string{Inserted}},
		"rewritten without mark": {
			"update journal set action = 'other', mark = '' where seq is null",
			[]string{Unmarked, Witnessed},
		},
		"made an old one": {
			"update journal set mark = '', writer = '', number = 0 where seq is null",
			[]string{Unmarked, Witnessed},
		},
		"given another number": {"update journal set number = 7 where seq is null", []string{Inserted}},
		"replaced": {
			"update journal set id = gen_random_uuid() where seq is null",
			[]string{Inserted, Witnessed},
		},
		"aged": {"update journal set at = at - interval '400 days' where seq is null", []string{Inserted}},
		"an entry without a mark": {"insert into journal (id, at, actor_kind, action, result, changes) values " +
			"(gen_random_uuid(), now(), 'admin', 'x', 'ok', '{}')", []string{Unmarked}},
		"an entry of an old one's mark": {`
			insert into journal (id, at, actor_kind, action, result, changes, mark, writer, number)
			select gen_random_uuid(), at, actor_kind, action, result, changes, mark, writer, number
			from journal where seq = 2`, []string{Inserted}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t)
			j.filled(3)
			j.record("the.victim")
			j.record("the.next")
			j.tamper(attack.statement)
			report := j.verified()
			require.NotEqual(t, Intact, report.State)
			require.False(t, report.Intact)
			require.Subset(t, kindsOf(report.Findings), attack.kinds)
			j.filled(2)
			require.False(t, j.verified().Intact, "also later")
			again := journalOn(t, j.db, t.TempDir(), nil)
			again.clock.Advance(time.Hour)
			require.False(t, again.verified().Intact, "also to a panel that saw nothing of it")
		})
	}
}

func kindsOf(findings []Finding) (kinds []string) {
	for _, f := range findings {
		kinds = append(kinds, f.Kind)
	}
	return kinds
}

// An undone change leaves a number that nobody has: its process says so, and the journal is intact to every panel.
func TestAnUndoneChangeLeavesTheJournalIntact(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	other := journalOn(t, j.db, t.TempDir(), nil)
	j.filled(1)
	for range 3 {
		err := j.db.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return errors.Join(j.Record(ctx, tx, Entry{Action: "undone"}), context.Canceled)
		})
		require.ErrorIs(t, err, context.Canceled)
		j.record("kept")
	}
	require.Equal(t, 7, j.pending()+1)
	j.found()
	require.Zero(t, j.pending())
	other.clock.Advance(time.Hour)
	other.found()
	j.tamper("delete from journal_voids where number = 4")
	other.found(one(Missing, 3))
	j.tamper("insert into journal_voids select writer, 4, mac from journal_voids where number = 2")
	other.found(one(Missing, 3))
}

// An entry whose transaction is open is neither missing nor settled.
func TestAnOpenTransactionIsWaitedFor(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	require.NoError(t, j.Load(t.Context()))
	err := j.db.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		require.NoError(t, j.Record(ctx, tx, Entry{Action: "slow"}))
		j.record("quick")
		j.found()
		require.Equal(t, 1, j.pending())
		return nil
	})
	require.NoError(t, err)
	j.found()
	require.Zero(t, j.pending())
	require.Equal(t, int64(2), j.verified().LastSeq)
}

// A statement that fails takes its number with it.
func TestARefusedEntryIsNotMissed(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	ended, cancel := context.WithCancel(t.Context())
	require.NoError(t, j.db.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		cancel()
		require.Error(t, j.Record(ended, tx, Entry{Action: "x"}))
		return nil
	}))
	j.filled(2)
	j.found()
}

// A savepoint that is undone inside a change that is kept.
func TestAnUndoneSavepointLeavesTheJournalIntact(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	require.NoError(t, j.db.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		err := j.db.WithTx(ctx, func(ctx context.Context, inner bun.Tx) error {
			return errors.Join(j.Record(ctx, inner, Entry{Action: "undone"}), context.Canceled)
		})
		require.ErrorIs(t, err, context.Canceled)
		return j.Record(ctx, tx, Entry{Action: "kept"})
	}))
	j.found()
	require.Zero(t, j.pending())
}

// After a crash the next process proves what the dead one left open: committed, undone, or removed meanwhile.
func TestACrashLeavesNothingUnproven(t *testing.T) {
	t.Parallel()
	t.Run("an honest one", func(t *testing.T) {
		t.Parallel()
		j := newJournal(t)
		j.filled(2)
		require.Error(t, j.db.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return errors.Join(j.Record(ctx, tx, Entry{Action: "undone"}), context.Canceled)
		}))
		j.record("the last")
		next := j.died()
		next.found()
		require.Empty(t, next.witnesses())
		next.clock.Advance(time.Hour)
		next.found()
	})
	t.Run("entries were removed while nobody looked", func(t *testing.T) {
		t.Parallel()
		j := newJournal(t)
		j.filled(2)
		j.record("the last")
		next := j.died()
		j.tamper("delete from journal where seq is null")
		require.Equal(t, Broken, next.verified().State)
		require.Equal(t, Broken, journalOn(t, j.db, t.TempDir(), nil).verified().State, "it stays told")
		require.NoError(t, next.Finish(t.Context()))
		require.Empty(t, next.witnesses())
	})
	t.Run("its witness is lost too", func(t *testing.T) {
		t.Parallel()
		j := newJournal(t)
		j.filled(2)
		j.record("victim")
		j.record("after it")
		j.numbers.witness.remove()
		j.tamper("delete from journal where action = 'victim'")
		next := journalOn(t, j.db, t.TempDir(), nil)
		next.clock.Advance(time.Hour)
		report := next.verified()
		require.Equal(t, Unproven, report.State)
		next.reported(report, one(Missing, 3))
	})
	t.Run("the database forgot the transaction", func(t *testing.T) {
		t.Parallel()
		j := newJournal(t)
		j.record("the last")
		for _, p := range j.numbers.pending {
			p.Tx += 1 << 32
		}
		j.tamper("delete from journal")
		report := j.verified()
		require.Equal(t, Unproven, report.State)
		require.Contains(t, kindsOf(report.Findings), Forgotten)
	})
}

// The witness of a living process is left alone, and a torn one makes nobody say what he does not know.
func TestWitnesses(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.record("open")
	tool := journalOn(t, j.db, j.dir, nil)
	found, err := left(j.dir)
	require.NoError(t, err)
	require.Empty(t, found)
	tool.record("of a command line")
	require.Len(t, j.witnesses(), 2)
	require.NoError(t, tool.Finish(t.Context()))
	require.Len(t, j.witnesses(), 1)
	path := filepath.Join(j.dir, witnessFolder, "torn"+witnessEnding)
	const whole = `{"settled":2}` + "\n" +
		`{"number":5,"id":"0197f3a0-0000-7000-8000-00000000000a","mark":"","tx":3}` + "\n"
	require.NoError(t, os.WriteFile(path, []byte(whole+`{"num`), 0o600))
	found, err = left(j.dir)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, []int64{5}, numbersOf(found[0].entries))
	require.NoError(t, os.Truncate(path, int64(len(whole))))
	again, err := readWitness(reopened(t, path))
	require.NoError(t, err)
	require.Equal(t, []int64{5, 3, 4}, numbersOf(again))
	require.True(t, again[1].undone)
}

func reopened(t *testing.T, path string) *os.File {
	file, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	return file
}

func numbersOf(list []pending) (numbers []int64) {
	for _, p := range list {
		numbers = append(numbers, p.Number)
	}
	return numbers
}

// A data folder that takes no file stops nobody from working; the process itself still knows what it wrote.
func TestAFolderThatTakesNoWitnessStopsNothing(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	require.NoError(t, os.WriteFile(filepath.Join(j.dir, "audit"), nil, 0o600))
	j.record("x")
	require.NoError(t, j.sealAll(t.Context()))
	_, err := j.settle(t.Context())
	require.NoError(t, err)
	require.Zero(t, j.pending())
}

// A panel that writes without a pause keeps a short witness.
func TestTheWitnessStaysShort(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	rows := []Row{{}}
	for range 4000 {
		rows[0].ID = "0197f3a0-0000-7000-8000-00000000000a"
		j.numbers.take(rows, start)
		j.numbers.inserted(rows, 9)
	}
	_, list := j.numbers.open()
	require.Greater(t, j.numbers.witness.size, int64(longWitness))
	j.numbers.settled(numbersOf(list[:3999]))
	info, err := os.Stat(j.numbers.witness.path)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(300))
	entries, err := readWitness(reopened(t, j.numbers.witness.path))
	require.NoError(t, err)
	require.Equal(t, []int64{4000}, numbersOf(entries), "the settled ones are not taken for undone")
}

// Entries of the release before have marks without numbers. They stay provable, and what nobody can know is said.
func TestEntriesFromBeforeNumbersAreUnprovenButHold(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	for range 3 {
		j.recordAsBefore("flow.created")
		j.tended()
	}
	j.filled(2)
	report := j.verified()
	require.Equal(t, Unproven, report.State)
	j.reported(report, run(Unnumbered, 1, 3))
	j.tamper("update journal set action = 'x' where seq = 2")
	require.Equal(t, Broken, j.verified().State)
}

func (j *journal) recordAsBefore(action string) {
	j.t.Helper()
	row, err := j.row(access.From(access.With(j.t.Context(), anna)), Entry{Action: action})
	require.NoError(j.t, err)
	key, err := j.secret.key(j.t.Context())
	require.NoError(j.t, err)
	row.Mark = row.markWith(key)
	_, err = j.db.NewInsert().Model(&row).ExcludeColumn("seq", "hash_prev", "hash").Exec(j.t.Context())
	require.NoError(j.t, err)
}

// Two panels number their entries apart from each other, at once, with changes that are undone in between.
func TestSeveralPanelsNumberTheirEntries(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	panels := []*journal{journalOn(t, db, t.TempDir(), nil), journalOn(t, db, t.TempDir(), nil)}
	ended := make(chan error, len(panels))
	for _, j := range panels {
		go func() {
			var failed error
			for i := range 30 {
				err := db.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
					if err := j.Record(ctx, tx, Entry{Action: "flow.created"}); err != nil || i%3 > 0 {
						return err
					}
					return context.Canceled
				})
				if err != nil && !errors.Is(err, context.Canceled) {
					failed = err
				}
				if err := j.tend(t.Context(), false); err != nil {
					failed = err
				}
			}
			ended <- failed
		}()
	}
	for range panels {
		require.NoError(t, <-ended)
	}
	for _, j := range panels {
		j.clock.Advance(time.Hour)
		j.found()
		require.Equal(t, int64(40), j.verified().LastSeq)
	}
}

// An entry whose transaction is still open, and is the newest that the database knows of, is neither gone nor unproven.
func TestAnEntryOfTheNewestOpenTransactionIsWaitedFor(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.filled(1) // the keys are there
	for range 20 {
		err := j.db.InTx(t.Context(), func(ctx context.Context) error {
			if err := j.Record(ctx, j.db.In(ctx), Entry{Action: "test.done"}); err != nil {
				return err
			}
			_, open := j.numbers.open()
			tx := open[len(open)-1].Tx
			require.NotZero(t, tx)
			ends, err := j.ends(context.WithoutCancel(t.Context()), []int64{tx})
			require.NoError(t, err)
			require.Equal(t, map[int64]string{tx: txRunning}, ends)
			found, err := j.settle(context.WithoutCancel(t.Context()))
			require.NoError(t, err)
			require.False(t, found, "nothing is wrong")
			return nil
		})
		require.NoError(t, err)
	}
	j.tended()
	require.Equal(t, Intact, j.verified().State)
	ends, err := j.ends(t.Context(), []int64{1 << 40})
	require.NoError(t, err)
	require.Equal(t, map[int64]string{1 << 40: endUnknown}, ends, "a number of another server")
}
