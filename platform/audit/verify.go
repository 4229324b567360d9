package audit

import (
	"context"
	"crypto/hmac"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/platform/database"
)

// The ways in which a journal can be wrong.
const (
	Edited    = "edited"    // the entry is not what was sealed
	Removed   = "removed"   // entries are missing from the middle or the beginning
	Swapped   = "swapped"   // two entries took each other's place
	Cut       = "cut"       // entries are missing from the end
	Rewritten = "rewritten" // the chain is whole but is not the one that was noted outside the database
	Inserted  = "inserted"  // no panel wrote the entry
	Unmarked  = "unmarked"  // written where the journal's key was not known
)

const (
	verifyBatch  = 5000
	mostFindings = 1000
)

// Finding names one entry, or a run of entries, and what is wrong with it.
type Finding struct {
	Kind    string `json:"kind" enum:"edited,removed,swapped,cut,rewritten,inserted,unmarked"`
	Seq     int64  `json:"seq" doc:"Number of the entry in the chain; the first of a run; 0 for one that is not chained"`
	LastSeq int64  `json:"last_seq" doc:"The last of a run; equal to seq for a single entry"`
	EntryID string `json:"entry_id" doc:"Empty when the entry itself is gone"`
	Detail  string `json:"detail"`
}

// Report is the outcome of a verification.
type Report struct {
	Intact    bool      `json:"intact"`
	Complete  bool      `json:"complete" doc:"false when time ran out before the end"`
	Checked   int64     `json:"checked"`
	FirstSeq  int64     `json:"first_seq"`
	LastSeq   int64     `json:"last_seq"`
	Head      string    `json:"head" doc:"Hash of the last entry"`
	Heads     int       `json:"heads" doc:"Heads noted outside the database, and by other panels, that were compared"`
	Unsealed  int       `json:"unsealed" doc:"Entries of the last moments that are not chained yet"`
	Findings  []Finding `json:"findings"`
	CheckedAt time.Time `json:"checked_at"`
}

// Verify reads the whole chain and names every entry that was edited, removed, swapped,
// cut off or rewritten. It stops early, and says so, when the time is up.
func (s *Store) Verify(ctx context.Context, within time.Duration) (Report, error) {
	key, err := s.secret.key(ctx)
	if err != nil {
		return Report{}, err
	}
	if err := s.sealAll(ctx); err != nil {
		return Report{}, err
	}
	until := s.clock.Now().Add(within)
	v := &verifier{
		key: key, prover: newProver(key), report: Report{Complete: true, Findings: []Finding{}, CheckedAt: s.now()}, bySeq: map[int64][]Head{},
		late: func() bool { return s.clock.Now().After(until) },
	}
	err = s.verifyWith(ctx, v)
	return v.report, err
}

// verifyWith looks at one snapshot, so that sealing and retention that go on meanwhile
// do not look like tampering; the heads are read before it, because they only follow.
func (s *Store) verifyWith(ctx context.Context, v *verifier) error {
	kept, err := s.heads.read()
	if err != nil {
		return err
	}
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, s.db.Pool, snapshot, func(tx pgx.Tx) error {
		return errors.Join(v.gather(ctx, tx, kept), v.walk(ctx, tx), v.finish(ctx, tx))
	})
	return database.Fault(err, nil)
}

type verifier struct {
	key      []byte
	prover   *prover
	report   Report
	heads    []Head
	bySeq    map[int64][]Head
	before   head // what the next entry must follow
	unproven bool // the entry before was not intact, so nothing follows from its hash
	broken   []Row
	late     func() bool
}

func (v *verifier) note(kind string, first, last int64, id, detail string) {
	if len(v.report.Findings) < mostFindings {
		v.report.Findings = append(v.report.Findings, Finding{kind, first, last, id, detail})
	}
}

// walk reads the chain by its numbers, in pieces, until the end or until time is up. A cursor makes the database find its way
// once, not once for every piece.
func (v *verifier) walk(ctx context.Context, tx pgx.Tx) error {
	v.report.FirstSeq = v.before.Seq + 1
	query := fmt.Sprintf("declare chain no scroll cursor for select %s from journal where seq > %d order by seq", columns, v.before.Seq)
	if _, err := tx.Exec(ctx, query); err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	for {
		n, err := v.each(ctx, tx, fmt.Sprintf("fetch %d from chain", verifyBatch), v.check)
		if err != nil || n < verifyBatch {
			return err
		}
		if v.late() {
			v.report.Complete = false
			return nil
		}
	}
}

// each reads entries as the database sends them: a verification reads everything there is.
func (v *verifier) each(ctx context.Context, tx pgx.Tx, query string, use func(*raw)) (n int, err error) {
	found, err := tx.Query(ctx, query, pgx.QueryExecModeDescribeExec, pgx.QueryResultFormats{pgx.BinaryFormatCode})
	if err != nil {
		return 0, fmt.Errorf("reading the journal: %w", err)
	}
	defer found.Close()
	var entry raw
	for ; found.Next(); n++ {
		if err := entry.read(found.RawValues()); err != nil {
			return n, fmt.Errorf("reading the journal: %w", err)
		}
		use(&entry)
	}
	return n, found.Err()
}

func (v *verifier) check(entry *raw) {
	v.report.Checked++
	missing := entry.seq > v.before.Seq+1
	if missing {
		v.note(Removed, v.before.Seq+1, entry.seq-1, "", fmt.Sprintf("entries %d to %d are missing", v.before.Seq+1, entry.seq-1))
	}
	intact, marked := v.prover.proves(entry)
	switch {
	case !intact:
		v.breaks(entry)
	case !missing && !v.unproven && !hmac.Equal(entry.previous, v.before.Hash):
		v.note(Rewritten, entry.seq, entry.seq, string(entry.id[:]), "the entry is genuine but does not follow the one before it")
	case len(entry.mark) == 0:
		v.note(Unmarked, entry.seq, entry.seq, string(entry.id[:]), "written where the journal's key was not known, for example by a command line without the panel's settings")
	case !marked:
		v.note(Inserted, entry.seq, entry.seq, string(entry.id[:]), "no panel wrote this entry, or it was changed before it was sealed")
	}
	v.compare(entry)
	v.before = head{entry.seq, append(v.before.Hash[:0], entry.hash...)}
	v.unproven = !intact
}

// breaks keeps an entry for sorting; what is more than a report holds is not kept.
func (v *verifier) breaks(entry *raw) {
	if len(v.broken) < mostFindings {
		v.broken = append(v.broken, entry.row())
	}
}

// compare holds an entry against the heads that were noted when it was the last one.
func (v *verifier) compare(entry *raw) {
	for _, h := range v.bySeq[entry.seq] {
		if !hmac.Equal(h.Hash, entry.hash) {
			v.note(Rewritten, entry.seq, entry.seq, string(entry.id[:]), fmt.Sprintf("the chain had another entry here when its head was noted at %s", h.At.Format(time.RFC3339)))
			return
		}
	}
}

// finish sorts what was broken, looks for a cut end and closes the report.
func (v *verifier) finish(ctx context.Context, tx pgx.Tx) error {
	v.sortBroken()
	v.cutEnd()
	if err := v.openEnd(ctx, tx); err != nil {
		return err
	}
	v.report.LastSeq, v.report.Head, v.report.Heads = v.before.Seq, hex.EncodeToString(v.before.Hash), len(v.heads)
	v.report.Intact = v.report.Complete
	for _, f := range v.report.Findings {
		v.report.Intact = v.report.Intact && f.Kind == Unmarked
	}
	return nil
}

// cutEnd finds heads beyond the end of the chain.
func (v *verifier) cutEnd() {
	last := v.before.Seq
	for _, h := range v.heads {
		last = max(last, h.Seq)
	}
	if v.report.Complete && last > v.before.Seq {
		v.note(Cut, v.before.Seq+1, last, "", fmt.Sprintf("the journal ends at %d but had at least %d entries when its head was noted", v.before.Seq, last))
	}
}

// openEnd counts what is not chained yet.
func (v *verifier) openEnd(ctx context.Context, tx pgx.Tx) (err error) {
	v.report.Unsealed, err = v.each(ctx, tx, fmt.Sprintf("select %s from journal where seq is null order by id limit %d", columns, sealBatch), v.checkOpen)
	return err
}

func (v *verifier) checkOpen(entry *raw) {
	if _, marked := v.prover.proves(entry); len(entry.mark) > 0 && !marked {
		v.note(Inserted, 0, 0, string(entry.id[:]), "no panel wrote this entry, or it was changed before it was sealed")
	}
}
