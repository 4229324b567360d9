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
		key: key, report: Report{Complete: true, Findings: []Finding{}, CheckedAt: s.now()}, bySeq: map[int64][]Head{},
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

// walk reads the chain by its numbers, in pieces, until the end or until time is up.
func (v *verifier) walk(ctx context.Context, tx pgx.Tx) error {
	v.report.FirstSeq = v.before.Seq + 1
	for {
		n, err := v.each(ctx, tx, "where seq > $1 order by seq limit $2", v.check, v.before.Seq, verifyBatch)
		if err != nil || n < verifyBatch {
			return err
		}
		if v.late() {
			v.report.Complete = false
			return nil
		}
	}
}

const columns = `id::text, at, actor_kind, actor_id, actor_name, action, object_type, object_id, object_name, result, ip, user_agent,
	request_id, changes, count, mark, coalesce(seq, 0), hash_prev, hash`

// each reads rows without the comfort of the mapper: a verification reads everything there is.
func (v *verifier) each(ctx context.Context, tx pgx.Tx, which string, use func(Row), args ...any) (n int, err error) {
	found, err := tx.Query(ctx, "select "+columns+" from journal "+which, args...)
	if err != nil {
		return 0, fmt.Errorf("reading the journal: %w", err)
	}
	defer found.Close()
	for ; found.Next(); n++ {
		var r Row
		err := found.Scan(&r.ID, &r.At, &r.ActorKind, &r.ActorID, &r.ActorName, &r.Action, &r.ObjectType, &r.ObjectID, &r.ObjectName, &r.Result,
			&r.IP, &r.UserAgent, &r.RequestID, &r.Changes, &r.Count, &r.Mark, &r.Seq, &r.HashPrev, &r.Hash)
		if err != nil {
			return n, fmt.Errorf("reading the journal: %w", err)
		}
		use(r)
	}
	return n, found.Err()
}

func (v *verifier) check(row Row) {
	v.report.Checked++
	missing := row.Seq > v.before.Seq+1
	if missing {
		v.note(Removed, v.before.Seq+1, row.Seq-1, "", fmt.Sprintf("entries %d to %d are missing", v.before.Seq+1, row.Seq-1))
	}
	intact := hmac.Equal(row.Hash, row.hashWith(v.key, row.HashPrev, row.Seq))
	switch {
	case !intact:
		v.broken = append(v.broken, row)
	case !missing && !v.unproven && !hmac.Equal(row.HashPrev, v.before.Hash):
		v.note(Rewritten, row.Seq, row.Seq, row.ID, "the entry is genuine but does not follow the one before it")
	case len(row.Mark) == 0:
		v.note(Unmarked, row.Seq, row.Seq, row.ID, "written where the journal's key was not known, for example by a command line without the panel's settings")
	case !hmac.Equal(row.Mark, row.markWith(v.key)):
		v.note(Inserted, row.Seq, row.Seq, row.ID, "no panel wrote this entry, or it was changed before it was sealed")
	}
	v.compare(row)
	v.before, v.unproven = head{row.Seq, row.Hash}, !intact
}

// compare holds an entry against the heads that were noted when it was the last one.
func (v *verifier) compare(row Row) {
	for _, h := range v.bySeq[row.Seq] {
		if !hmac.Equal(h.Hash, row.Hash) {
			v.note(Rewritten, row.Seq, row.Seq, row.ID, fmt.Sprintf("the chain had another entry here when its head was noted at %s", h.At.Format(time.RFC3339)))
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
	v.report.Unsealed, err = v.each(ctx, tx, "where seq is null order by id limit $1", v.checkOpen, sealBatch)
	return err
}

func (v *verifier) checkOpen(row Row) {
	if len(row.Mark) > 0 && !hmac.Equal(row.Mark, row.markWith(v.key)) {
		v.note(Inserted, 0, 0, row.ID, "no panel wrote this entry, or it was changed before it was sealed")
	}
}
