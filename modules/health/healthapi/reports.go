package healthapi

import (
	"context"
	"errors"
	"time"
)

// ErrUnknown says that there is no such incident.
var ErrUnknown = errors.New("there is no such incident")

// Verdict is the verdict about a node or flow as it is now.
type Verdict struct {
	State       string // one of the states
	Maintenance bool   // watched, but it opens no incident
	Since       time.Time
}

// Day is how a node or flow did on one day, in UTC.
type Day struct {
	Date      string // 2006-01-02
	State     string // the worst that lasted a minute or more; Unknown when nothing is known
	UpPercent *float64
}

// States of an incident.
const (
	IncidentOpen         = "open"
	IncidentAcknowledged = "acknowledged"
	IncidentMitigated    = "mitigated"
	IncidentResolved     = "resolved"
)

// Incident is what an incident is about, without a name or an address.
type Incident struct {
	ID         string
	State      string
	Severity   string // of events
	OpenedAt   time.Time
	ResolvedAt *time.Time
	Reopened   int
	Nodes      []string // ids of those that suffer, or did
	Flows      []string
}

// Reports tell how nodes and flows do and did. Calls take part in the context's transaction.
type Reports interface {
	// Verdicts gives the verdicts about nodes or flows. Those of which nothing is known are left out, all of them
	// while nobody judges.
	Verdicts(ctx context.Context, kind string, ids ...string) (map[string]Verdict, error)
	// Days gives the last days of nodes or flows, oldest first, today among them. Those of which nothing is known are
	// left out.
	Days(ctx context.Context, kind string, count int, ids ...string) (map[string][]Day, error)
	// Incident gives one, or ErrUnknown.
	Incident(ctx context.Context, id string) (Incident, error)
}
