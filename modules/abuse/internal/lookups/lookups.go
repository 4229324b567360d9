// Package lookups finds the user behind a complaint: an address of the fleet, a moment, and often what was reached for.
// What signals tell is answered at once; the entries whose flows may leave by the address are asked for what their
// records of connections know, by orders that a job follows. Nobody waits for a node, and a panel that is killed leaves
// the question to the next one.
package lookups

import (
	"context"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/abuse/internal/views"
	"panel/modules/clients/clientsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/jobs"
)

// The words of the journal.
const (
	Object      = "abuse_lookup"
	ActionAsked = "abuse.lookup_asked"
)

// States of a lookup.
const (
	running = "running" // some entry has not answered yet
	done    = "done"
)

// States of an entry that is asked.
const (
	asked       = "asked"
	answered    = "answered"
	unreachable = "unreachable" // it did not answer in time, or could not look
	noRecord    = "no_record"   // it keeps none, or its agent is too old to
)

// Sources of a person.
const (
	fromSignals = "signals"
	fromRecord  = "record"
)

// New is a complaint as a hoster writes it.
type New struct {
	Address   string    `json:"address" minLength:"2" maxLength:"64" doc:"Of a node: where the traffic came from, as the complaint says"`
	Port      int       `json:"port,omitempty" minimum:"1" maximum:"65535" doc:"Where it came from; kept with the question, as no record knows it"`
	Dest      string    `json:"dest,omitempty" maxLength:"253" doc:"What was reached for: an address, a network or a name"`
	DestPort  int       `json:"dest_port,omitempty" minimum:"1" maximum:"65535"`
	At        time.Time `json:"at" doc:"When; not in the future, and not before anything that is kept"`
	Tolerance int       `json:"tolerance_s,omitempty" minimum:"1" maximum:"3600" doc:"Seconds around that moment; 300 when left out"`
	Reason    string    `json:"reason" minLength:"1" maxLength:"500" doc:"Why somebody looks at what users did; told in the journal"`
}

// Line is a question.
type Line struct {
	ID        string    `json:"id" format:"uuid"`
	Address   string    `json:"address"`
	Port      int       `json:"port" doc:"0: not asked for"`
	Dest      string    `json:"dest" doc:"Empty: not asked for"`
	DestPort  int       `json:"dest_port" doc:"0: not asked for"`
	At        time.Time `json:"at"`
	Tolerance int       `json:"tolerance_s" doc:"Seconds"`
	Reason    string    `json:"reason"`
	State     string    `json:"state" enum:"running,done" doc:"running: some entry has not answered yet"`
	AskedBy   string    `json:"asked_by"`
	AskedAt   time.Time `json:"asked_at"`
}

// Lookup is a question with its answer, which grows while entries are asked.
type Lookup struct {
	Line

	Nodes  []Node   `json:"nodes" doc:"Entries of the flows that are installed on nodes with the address; none: no node has it, or serves nobody"`
	People []Person `json:"people" doc:"Whoever may have been it, the likeliest first"`
	More   bool     `json:"more" doc:"There are more than are told: ask for what was reached for, or for a shorter time"`
}

// Node is an entry that is asked.
type Node struct {
	NodeID string     `json:"node_id" format:"uuid"`
	Node   string     `json:"node" doc:"Its name when it was asked"`
	State  string     `json:"state" enum:"asked,answered,unreachable,no_record"`
	Since  *time.Time `json:"since" doc:"How far back its record goes; null: unknown, or there is none"`
	Error  string     `json:"error" doc:"Why it could not tell"`
}

// Person is a user who may have been it, by one flow and the entry that saw it.
type Person struct {
	UserRef     string    `json:"user_ref" doc:"c:<client id> or p:<connection>:<user id>"`
	User        string    `json:"user" doc:"Name of the client; empty: it is gone"`
	FlowID      string    `json:"flow_id" doc:"Empty: unknown"`
	Flow        string    `json:"flow"`
	NodeID      string    `json:"node_id" format:"uuid"`
	Node        string    `json:"node"`
	Connections int64     `json:"connections" doc:"Of the record; of a signal, how often it was seen"`
	FirstAt     time.Time `json:"first_at"`
	LastAt      time.Time `json:"last_at"`
	From        string    `json:"from" enum:"signals,record"`
	Exact       bool      `json:"exact" doc:"It reached for what the complaint names; false: nothing was named, or what it reached for is not known"`
	Also        []Also    `json:"also" doc:"Signals of this user in the 30 days before the question, as far as they were counted"`
}

// Also is how often a user did something in a month.
type Also struct {
	Kind  string `json:"kind"`
	Count int64  `json:"count"`
}

// Tools are what lookups work with.
type Tools struct {
	DB       *database.DB
	Clock    clockwork.Clock
	Journal  audit.Journal
	Queue    *jobs.Enqueuer
	Fleet    nodesapi.Fleet
	Held     nodesapi.Addresses
	Commands nodesapi.Commands
	Flows    flowsapi.Flows
	Clients  clientsapi.Clients
	Views    *views.Views
	// Kept says how long signals, and answers, which name people, are kept.
	Kept func(ctx context.Context) (signals, answers time.Duration, err error)
}

// Lookups asks.
type Lookups struct {
	Tools
}

// NewLookups makes it.
func NewLookups(t Tools) *Lookups { return &Lookups{t} }

func (l *Lookups) now() time.Time { return l.Clock.Now().UTC().Truncate(time.Microsecond) }
