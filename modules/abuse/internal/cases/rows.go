// Package cases scores users by what agents tell and keeps a case of each who is conspicuous: one panel at a time folds
// what came in, opens cases and scores them again, with their events, in one transaction. People dismiss cases, open
// them again and note what they found.
package cases

import (
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/abuse/internal/score"
)

// States of a case.
const (
	Open      = "open"
	Dismissed = "dismissed"
	Actioned  = "actioned" // something is being done about the user
	Expired   = "expired"  // what was done has ended, or nothing was seen for long
)

// row is a case as it is stored.
type row struct {
	bun.BaseModel `bun:"table:abuse_cases,alias:c"`

	ID             string           `bun:"id,pk,type:uuid"`
	Number         int64            `bun:"number,scanonly"`
	UserRef        string           `bun:"user_ref"`
	Label          string           `bun:"label"`
	LabelKey       string           `bun:"label_key"`
	State          string           `bun:"state"`
	Score          int              `bun:"score"`
	Most           int              `bun:"most"`
	Confidence     float64          `bun:"confidence"`
	Recommended    score.Step       `bun:"recommended"`
	Breakdown      []score.Part     `bun:"breakdown,type:jsonb"`
	Findings       []score.Finding  `bun:"findings,type:jsonb"`
	Signals        map[string]int64 `bun:"signals,type:jsonb"`
	NodeIDs        []string         `bun:"node_ids,array"`
	FlowIDs        []string         `bun:"flow_ids,array"`
	EvidenceAt     time.Time        `bun:"evidence_at"`
	OpenedAt       time.Time        `bun:"opened_at"`
	UpdatedAt      time.Time        `bun:"updated_at"`
	ScoredAt       time.Time        `bun:"scored_at"`
	ClosedAt       *time.Time       `bun:"closed_at"`
	ClosedBy       string           `bun:"closed_by"`
	ClosedScore    int              `bun:"closed_score"`
	WhitelistUntil *time.Time       `bun:"whitelist_until"`
	Reopened       int              `bun:"reopened"`
	Revision       int64            `bun:"revision"`
	Earlier        int              `bun:"earlier,scanonly"`
	SortKey        string           `bun:"sort_key,scanonly"`
}

func (r *row) live() bool { return r.State == Open || r.State == Actioned }

type noteRow struct {
	bun.BaseModel `bun:"table:abuse_notes,alias:n"`

	ID        string    `bun:"id,pk,type:uuid"`
	CaseID    string    `bun:"case_id,type:uuid"`
	Text      string    `bun:"text"`
	CreatedBy string    `bun:"created_by"`
	CreatedAt time.Time `bun:"created_at"`
}

// diversityRow and signalRow are what came in.
type diversityRow struct {
	Xact          int64
	NodeID        string
	UserRef       string
	ToAt          time.Time
	Sources       int64
	MaxConcurrent int64
	Devices       *int64
	Lists         json.RawMessage
}

type signalRow struct {
	Xact       int64
	NodeID     string
	UserRef    string
	FlowID     string
	Kind       string
	Count      int64
	Confidence float64
	LastAt     time.Time
	SourceASN  int64 `bun:"source_asn"`
}
