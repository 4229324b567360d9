package incidents

import (
	"time"

	"github.com/uptrace/bun"
)

// incidentRow is an incident as the table keeps it.
type incidentRow struct {
	bun.BaseModel `bun:"table:health_incidents,alias:i"`

	ID             string     `bun:"id,pk,type:uuid"`
	Kind           string     `bun:"kind"`
	SubjectID      string     `bun:"subject_id,type:uuid"`
	Name           string     `bun:"name"`
	Class          string     `bun:"class"`
	Hint           string     `bun:"hint"`
	Severity       string     `bun:"severity"`
	State          string     `bun:"state"`
	Causes         []string   `bun:"causes,array"`
	BeganAt        time.Time  `bun:"began_at"`
	OpenedAt       time.Time  `bun:"opened_at"`
	JoinedAt       time.Time  `bun:"joined_at"`
	AcknowledgedAt *time.Time `bun:"acknowledged_at"`
	AcknowledgedBy string     `bun:"acknowledged_by"`
	MitigatedAt    *time.Time `bun:"mitigated_at"`
	ResolvedAt     *time.Time `bun:"resolved_at"`
	ResolvedBy     string     `bun:"resolved_by"`
	Reopened       int        `bun:"reopened"`

	Nodes     int    `bun:"nodes,scanonly"`
	Flows     int    `bun:"flows,scanonly"`
	Suffering int    `bun:"suffering,scanonly"`
	CauseName string `bun:"cause_name,scanonly"`

	SufferingIDs []string `bun:"suffering_ids,array,scanonly"`

	SortKey string `bun:"sort_key,scanonly"`
}

// subjectRow is one who suffers, or did.
type subjectRow struct {
	bun.BaseModel `bun:"table:health_incident_subjects,alias:m"`

	IncidentID string     `bun:"incident_id,pk,type:uuid"`
	Kind       string     `bun:"kind,pk"`
	SubjectID  string     `bun:"subject_id,pk,type:uuid"`
	Name       string     `bun:"name"`
	State      string     `bun:"state"`
	Reason     string     `bun:"reason"`
	Hint       string     `bun:"hint"`
	JoinedAt   time.Time  `bun:"joined_at"`
	LeftAt     *time.Time `bun:"left_at"`
	Evidence   []Seen     `bun:"evidence,type:jsonb"`
}

// What the entries of an incident tell.
const (
	saidOpened       = "opened"
	saidReopened     = "reopened"
	saidJoined       = "joined"
	saidWorse        = "worse"
	saidBetter       = "better"
	saidChanged      = "changed" // another reason for the same state
	saidLeft         = "left"    // it is well
	saidRests        = "rests"   // in maintenance, or switched off
	saidGone         = "gone"    // it was removed
	saidMoved        = "moved"   // to the incident of its node
	saidAcknowledged = "acknowledged"
	saidMitigated    = "mitigated"
	saidRelapsed     = "relapsed" // somebody suffers again
	saidResolved     = "resolved"
)

type entryRow struct {
	bun.BaseModel `bun:"table:health_incident_entries,alias:e"`

	ID         int64     `bun:"id,pk,autoincrement"`
	IncidentID string    `bun:"incident_id,type:uuid"`
	At         time.Time `bun:"at"`
	What       string    `bun:"what"`
	Kind       string    `bun:"kind"`
	SubjectID  string    `bun:"subject_id,type:uuid,nullzero"`
	Name       string    `bun:"name"`
	State      string    `bun:"state"`
	Reason     string    `bun:"reason"`
	Hint       string    `bun:"hint"`
	Actor      string    `bun:"actor"`
	Note       string    `bun:"note"`
}

// about is an entry about a subject.
func (s *Subject) entry(what string) entryRow {
	return entryRow{
		What: what, Kind: s.Kind, SubjectID: s.ID, Name: s.Name, State: s.State, Reason: s.Reason, Hint: s.Hint,
	}
}

func (m *subjectRow) entry(what string) entryRow {
	return entryRow{
		What: what, Kind: m.Kind, SubjectID: m.SubjectID, Name: m.Name, State: m.State, Reason: m.Reason, Hint: m.Hint,
	}
}
