package audit

import "time"

// What a verification says of the whole journal.
const (
	Intact   = "intact"   // everything is proven
	Unproven = "unproven" // nothing contradicts the journal, but not everything in it can be proved
	Broken   = "broken"   // somebody changed it
)

// The ways in which a journal can be wrong.
const (
	Edited    = "edited"    // the entry is not what was sealed
	Removed   = "removed"   // entries are missing from the middle or the beginning
	Swapped   = "swapped"   // two entries took each other's place
	Cut       = "cut"       // entries are missing from the end
	Rewritten = "rewritten" // the chain is whole but is not the one that was noted outside the database
	Inserted  = "inserted"  // no panel wrote the entry
	Witnessed = "witnessed" // a panel saw that an entry it had written was removed or changed before it was sealed
)

// The ways in which a journal can be without proof.
const (
	Unmarked   = "unmarked"   // written where the journal's key was not known, or by nobody who may
	Unnumbered = "unnumbered" // written by an earlier version, whose marks do not show a gap
	Missing    = "missing"    // numbers that were given and that nobody accounts for
	Forgotten  = "forgotten"  // an entry is gone, and the database cannot say whether it was ever committed
)

// verdictOf tells what one finding means for the journal.
func verdictOf(kind string) string {
	switch kind {
	case Unmarked, Unnumbered, Missing, Forgotten:
		return Unproven
	}
	return Broken
}

// Finding names one entry, or a run of entries, and what is wrong with it.
type Finding struct {
	Kind    string `json:"kind" enum:"edited,removed,swapped,cut,rewritten,inserted,witnessed,unmarked,unnumbered,missing,forgotten"`
	Verdict string `json:"verdict" enum:"unproven,broken" doc:"broken: somebody changed the journal; unproven: nobody can say whether somebody did"`
	Seq     int64  `json:"seq" doc:"Number of the entry in the chain; the first of a run; 0 for one that is not chained"`
	LastSeq int64  `json:"last_seq" doc:"The last of a run; equal to seq for a single entry"`
	EntryID string `json:"entry_id" doc:"Empty when the entry itself is gone"`
	Detail  string `json:"detail"`
}

// Report is the outcome of a verification.
type Report struct {
	State     string         `json:"state" enum:"intact,unproven,broken"`
	Intact    bool           `json:"intact" doc:"true when state is intact"`
	Complete  bool           `json:"complete" doc:"false when time ran out before the end; the journal is then not proven"`
	Checked   int64          `json:"checked"`
	FirstSeq  int64          `json:"first_seq"`
	LastSeq   int64          `json:"last_seq"`
	Head      string         `json:"head" doc:"Hash of the last entry"`
	Heads     int            `json:"heads" doc:"Heads noted outside the database, and by other panels, that were compared"`
	Unsealed  int            `json:"unsealed" doc:"Entries of the last moments that are not chained yet"`
	Findings  []Finding      `json:"findings"`
	Continued []Continuation `json:"continued" doc:"Where the journal goes on after a restore; no finding"`
	CheckedAt time.Time      `json:"checked_at"`
}

// conclude sets the state: the worst of what was found.
func (r *Report) conclude() {
	r.State = Intact
	if !r.Complete {
		r.State = Unproven
	}
	for _, f := range r.Findings {
		if f.Verdict == Broken || r.State == Intact {
			r.State = f.Verdict
		}
	}
	r.Intact = r.State == Intact
}
