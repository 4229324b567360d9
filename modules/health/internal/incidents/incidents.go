// Package incidents gathers what is wrong into incidents: one for one cause. The judge tells it of each verdict, in the
// transaction of the verdict; people acknowledge and resolve.
package incidents

import (
	"slices"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/place"
	"panel/modules/health/internal/verdict"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
)

// States of an incident: its effect is gone when it is mitigated, and has stayed so when it is resolved.
const (
	Open         = "open"
	Acknowledged = "acknowledged"
	Mitigated    = "mitigated"
	Resolved     = "resolved"
)

const (
	// together is how long after the last who joined another one with the same cause belongs to the same incident.
	together = 3 * time.Minute
	// Calm is how long nobody suffers any more before an incident is resolved.
	Calm = time.Minute
)

// Incidents keeps incidents.
type Incidents struct {
	db      *database.DB
	bus     *events.Bus
	journal audit.Journal
	clock   clockwork.Clock
}

// New makes the keeper of incidents.
func New(db *database.DB, bus *events.Bus, journal audit.Journal, clock clockwork.Clock) *Incidents {
	return &Incidents{db, bus, journal, clock}
}

// Subject is a node or flow as it has just been judged.
type Subject struct {
	Kind, ID, Name      string
	State, Reason, Hint string
	Maintenance         bool
	Layers              place.Layers
	// Window is how long after an incident the same subject reopens it.
	Window time.Duration
	// Seen is the evidence, oldest check first.
	Seen func() []Seen
}

// Seen is what one vantage said of one check when the subject joined.
type Seen struct {
	Check     string     `json:"check"`
	Entry     string     `json:"entry,omitempty"`
	Vantage   string     `json:"vantage"`
	State     string     `json:"state"`
	Reason    string     `json:"reason"`
	At        *time.Time `json:"at"`
	LatencyMs *float64   `json:"latency_ms"`
}

// effect is what a verdict means for incidents.
type effect int

const (
	unsure effect = iota // neither begins nor ends anything
	well
	rests // in maintenance, or switched off: nobody waits for it
	bad
)

// effect of a subject. What nobody suffers from is no incident: an agent that is late for a moment, and a route of
// the panel alone.
func (s *Subject) effect() effect {
	switch {
	case s.Maintenance || s.Layers.Resting != "":
		return rests
	case s.State == verdict.Up || s.Hint == verdict.HintPanelRoute && s.State == verdict.Degraded:
		return well
	case s.State == verdict.Unknown || s.Reason == verdict.AgentSilent:
		return unsure
	}
	return bad
}

func (s *Subject) severity() string {
	if s.State == verdict.Down {
		return string(events.Critical)
	}
	return string(events.Warning)
}

// Classes of failures. Only those of one class have one cause, but what fails because its node is down follows the
// node.
const (
	classNetwork = "network"
	classCore    = "core"
	classCert    = "cert"
	classDNS     = "dns"
	classNode    = "node"
	classLoad    = "load"
)

func (s *Subject) class() string {
	switch s.Hint {
	case verdict.HintCore:
		return classCore
	case verdict.HintCert:
		return classCert
	case verdict.HintDNS:
		return classDNS
	case verdict.HintNode:
		return classNode
	case verdict.HintOverload:
		return classLoad
	}
	return classNetwork
}

// hint is the likely cause, in the words of incidents.
func (s *Subject) hint() string {
	if s.Hint == verdict.HintNode {
		return verdict.HintUnreachable
	}
	return s.Hint
}

var severities = []string{string(events.Info), string(events.Warning), string(events.Critical)}

func worse(a, b string) string {
	if slices.Index(severities, b) > slices.Index(severities, a) {
		return b
	}
	return a
}

// onNodes are the nodes that a subject runs on: of a node itself.
func (s *Subject) onNodes() []string {
	if s.Kind == healthapi.Node {
		return []string{s.ID}
	}
	return s.Layers.Nodes
}
