package audit

import (
	"cmp"
	"context"
	"crypto/hmac"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/zap"

	"panel/platform/database"
)

const (
	verifyBatch  = 5000
	mostFindings = 1000
)

// Verify reads the whole chain and names every entry that was edited, removed, swapped, cut off or rewritten, also in
// the moments before it was sealed, and every one that cannot be proved. It stops early, and says so, when the time is
// up.
func (s *Store) Verify(ctx context.Context, within time.Duration) (Report, error) {
	v, err := s.newVerifier(ctx)
	if err != nil {
		return Report{}, err
	}
	if err := s.tend(ctx, false); err != nil {
		s.log.Warn("the journal is verified although its last entries could not be sealed and noted", zap.Error(err))
	}
	until := s.clock.Now().Add(within)
	v.late = func() bool { return s.clock.Now().After(until) }
	writer, open := s.numbers.open()
	for _, p := range open {
		v.open[writer] = append(v.open[writer], p.Number)
	}
	err = s.verifyWith(ctx, v)
	return v.report, err
}

// Look proves the journal as Verify does and changes nothing: what was written in the last moments may still be open.
func (s *Store) Look(ctx context.Context, within time.Duration) (Report, error) {
	key, err := s.secret.known(ctx)
	if err != nil {
		return Report{}, err
	}
	v, until := s.verifierWith(key), s.clock.Now().Add(within)
	v.late = func() bool { return s.clock.Now().After(until) }
	err = s.verifyWith(ctx, v)
	return v.report, err
}

func (s *Store) newVerifier(ctx context.Context) (*verifier, error) {
	key, err := s.secret.key(ctx)
	if err != nil {
		return nil, err
	}
	return s.verifierWith(key), nil
}

func (s *Store) verifierWith(key []byte) *verifier {
	v := verifierOf(key)
	v.now = s.now()
	v.report.CheckedAt = v.now
	return v
}

func verifierOf(key []byte) *verifier {
	return &verifier{
		key: key, prover: newProver(key),
		report: Report{Complete: true, Findings: []Finding{}, Continued: []Continuation{}},
		bySeq:  map[int64][]Head{}, trails: map[string]*trail{}, open: map[string][]int64{},
	}
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
	key       []byte
	prover    *prover
	report    Report
	heads     []Head
	bySeq     map[int64][]Head
	before    head // what the next entry must follow
	unproven  bool // the entry before was not intact, so nothing follows from its hash
	marked    bool // the entry before was written by a panel, as it stands
	broken    []Row
	breaks    int   // findings that mean that somebody changed the journal
	lastBreak int64 // the last entry at which the chain was not what it should be
	newest    time.Time
	trails    map[string]*trail
	open      map[string][]int64 // numbers of this panel whose transactions are open
	earlier   stretch            // entries of an earlier version, whose marks have no number
	now       time.Time
	late      func() bool
}

// stretch is a number of entries from the first to the last.
type stretch struct{ first, last, entries int64 }

func (v *verifier) note(kind string, first, last int64, id, detail string) {
	verdict := verdictOf(kind)
	if verdict == Broken {
		v.breaks++
		v.lastBreak = max(v.lastBreak, last)
	}
	if len(v.report.Findings) < mostFindings {
		v.report.Findings = append(v.report.Findings, Finding{kind, verdict, first, last, id, detail})
	}
}

// tampered says whether anything contradicts the journal so far.
func (v *verifier) tampered() bool { return v.breaks > 0 || len(v.broken) > 0 }

// walk reads the chain by its numbers, in pieces, until the end or until time is up. A cursor makes the database find
// its way once, not once for every piece.
func (v *verifier) walk(ctx context.Context, tx pgx.Tx) error {
	v.report.FirstSeq = v.before.Seq + 1
	query := fmt.Sprintf("declare chain no scroll cursor for select %s from journal where seq > %d order by seq",
		columns, v.before.Seq)
	if _, err := tx.Exec(ctx, query); err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	for {
		n, err := entries(ctx, tx, fmt.Sprintf("fetch %d from chain", verifyBatch), v.check)
		if err != nil || n < verifyBatch {
			return err
		}
		if v.late() {
			v.report.Complete = false
			return nil
		}
	}
}

func (v *verifier) check(entry *raw) {
	v.report.Checked++
	missing := entry.seq > v.before.Seq+1
	if missing {
		v.note(Removed, v.before.Seq+1, entry.seq-1, "", fmt.Sprintf("entries %d to %d are missing", v.before.Seq+1,
			entry.seq-1))
		v.lastBreak = entry.seq
	}
	v.compare(entry)
	intact, marked := v.prover.proves(entry)
	switch {
	case !intact:
		v.breaksAt(entry)
	case !missing && !v.unproven && !hmac.Equal(entry.previous, v.before.Hash):
		v.note(Rewritten, entry.seq, entry.seq, string(entry.id[:]),
			"the entry is genuine but does not follow the one before it")
	default:
		v.author(entry, marked)
	}
	v.before = head{entry.seq, append(v.before.Hash[:0], entry.hash...)}
	v.unproven, v.marked = !intact, intact && marked
}

// author looks at who wrote the entry, which stands where it was sealed.
func (v *verifier) author(entry *raw, marked bool) {
	switch {
	case len(entry.mark) == 0:
		v.note(Unmarked, entry.seq, entry.seq, string(entry.id[:]),
			"written where the journal's key was not known, for "+
				"example by a command line without the panel's settings, or by somebody who wrote into the database")
		return
	case !marked:
		v.note(Inserted, entry.seq, entry.seq, string(entry.id[:]),
			"no panel wrote this entry, or it was changed before it was sealed")
		return
	case entry.number == 0:
		v.earlier.first, v.earlier.last = cmp.Or(v.earlier.first, entry.seq), entry.seq
		v.earlier.entries++
	default:
		v.follow(entry)
	}
	v.newest = later(v.newest, time.UnixMicro(entry.at).UTC())
	switch string(entry.texts[textAction]) {
	case actionTampered:
		v.note(Witnessed, entry.seq, entry.seq, string(entry.id[:]),
			"here a panel saw that an entry it had written was removed or changed before it was sealed")
	case actionUnproven:
		v.note(Forgotten, entry.seq, entry.seq, string(entry.id[:]),
			"here a panel missed an entry it had written, and could not learn any more whether it was ever committed")
	}
}

// breaksAt keeps an entry for sorting; what is more than a report holds is not kept.
func (v *verifier) breaksAt(entry *raw) {
	v.lastBreak = entry.seq
	if len(v.broken) < mostFindings {
		v.broken = append(v.broken, entry.row())
	}
}

// compare holds an entry against the heads that were noted when it was the last one.
func (v *verifier) compare(entry *raw) {
	for _, h := range v.bySeq[entry.seq] {
		if !hmac.Equal(h.Hash, entry.hash) {
			v.note(Rewritten, entry.seq, entry.seq, string(entry.id[:]),
				fmt.Sprintf("the chain had another entry here when its head was noted at %s",
					h.At.Format(time.RFC3339)))
			return
		}
	}
}

// finish sorts what was broken, looks for a cut end and for gaps, and closes the report.
func (v *verifier) finish(ctx context.Context, tx pgx.Tx) error {
	v.sortBroken()
	v.cutEnd()
	if err := errors.Join(v.openEnd(ctx, tx), v.gaps(ctx, tx)); err != nil {
		return err
	}
	if v.earlier.entries > 0 {
		v.note(Unnumbered, v.earlier.first, v.earlier.last, "",
			fmt.Sprintf("%d entries of an earlier version: they are what was sealed, "+
				"but whether others were removed in the second before they were sealed, nobody can say",
				v.earlier.entries))
	}
	v.report.LastSeq, v.report.Head, v.report.Heads = v.before.Seq, hex.EncodeToString(v.before.Hash), len(v.heads)
	v.report.conclude()
	return nil
}

// cutEnd finds heads beyond the end of the chain.
func (v *verifier) cutEnd() {
	last := v.before.Seq
	for _, h := range v.heads {
		last = max(last, h.Seq)
	}
	if v.report.Complete && last > v.before.Seq {
		v.note(Cut, v.before.Seq+1, last, "",
			fmt.Sprintf("the journal ends at %d but had at least %d entries when its head was noted", v.before.Seq,
				last))
	}
}

// openEnd counts what is not chained yet.
func (v *verifier) openEnd(ctx context.Context, tx pgx.Tx) (err error) {
	v.report.Unsealed, err = entries(ctx, tx,
		fmt.Sprintf("select %s from journal where seq is null order by id limit %d", columns, sealBatch), v.checkOpen)
	return err
}

func (v *verifier) checkOpen(entry *raw) {
	entry.seq = 0
	_, marked := v.prover.proves(entry)
	v.author(entry, marked)
}
