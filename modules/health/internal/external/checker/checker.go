// Package checker is what the panel wants of a service that looks at addresses from the networks of mobile operators:
// each such service is one adapter.
package checker

import (
	"context"
	"errors"
	"time"
)

// The kinds of checks.
const (
	Probe  = "probe" // ICMP, TCP and handshakes of addresses
	Scan   = "scan"  // the /24 network around an address
	Tunnel = "vless" // a real tunnel with a link
)

// Kopek is the unit of prices: a hundredth of a rouble.
const Kopek = "kopek"

// Access is how to reach the service.
type Access struct {
	Address string
	Key     string
}

// Account is what the panel has with the service. Balance is in kopeks.
type Account struct {
	Balance   int64      `json:"balance"`
	Tier      string     `json:"tier"`
	ExpiresAt *time.Time `json:"expires_at" doc:"When the tier ends; null: never, or unknown"`
}

// Operator is a unit that can be asked: an operator in a district, with its white list on or off.
type Operator struct {
	Key       string `json:"op_key" doc:"To name it in a check"`
	Operator  string `json:"operator"`
	Name      string `json:"name"`
	Region    string `json:"region"`
	Whitelist bool   `json:"whitelist" doc:"Only what stands on the operator's white list passes there"`
	Ready     bool   `json:"ready" doc:"It can be asked now"`
}

// Order is what is looked at. It has no secret but Link.
type Order struct {
	Kind       string   `json:"kind"`
	Target     string   `json:"target"` // host or host:port; of a scan the network
	Handshake  bool     `json:"handshake,omitempty"`
	ServerName string   `json:"server_name,omitempty"` // that the handshake asks for
	Datagrams  bool     `json:"datagrams,omitempty"`   // nothing listens on TCP there
	Operators  []string `json:"operators"`             // keys; empty for all
	Link       string   `json:"-"`                     // of a tunnel
}

// Price is what a check would cost, in kopeks, and how many units it would ask.
type Price struct {
	Amount int64
	Units  int
	// AfterStart says that the service names the price only once the check waits in its queue.
	AfterStart bool
}

// Leg is what one operator's unit found.
type Leg struct {
	Key       string   `json:"op_key"`
	Operator  string   `json:"operator"`
	Region    string   `json:"region"`
	Whitelist bool     `json:"whitelist"`
	Reachable bool     `json:"reachable" doc:"ICMP or TCP arrived, or the tunnel carried; that the probe itself ran is not enough"`
	Channel   string   `json:"channel_state" doc:"As the service calls it"`
	LatencyMs *float64 `json:"latency_ms"`
	TLS       string   `json:"tls" enum:"ok,failed,none" doc:"Handshakes for the server name"`
	Error     string   `json:"error"`
}

// Skipped is an operator that was asked for and did not take part, or an address that the service refuses.
type Skipped struct {
	Key    string `json:"op_key"`
	Name   string `json:"name"`
	Reason string `json:"reason" enum:"whitelist_off,unavailable,target_refused"`
}

// The states of a result.
const (
	Running   = "running"
	Done      = "done"
	Cancelled = "cancelled"
)

// Result is what the service answers. While it is running, only Ref and Price count.
type Result struct {
	State   string
	Ref     string // by which the service knows a check that goes on
	Price   int64  // what it will cost at most, 0 when it was not said
	Cost    int64  // what it has cost; of a cancelled one the part that was done
	Legs    []Leg
	Skipped []Skipped
}

// Adapter speaks to one service. Its errors are *Refusal, or *Lost when it cannot be known what became of a call.
type Adapter interface {
	// Name is stored with each report.
	Name() string
	// Every is how long the service wants between two calls of one account.
	Every() time.Duration
	Account(ctx context.Context, access Access) (Account, error)
	Operators(ctx context.Context, access Access) ([]Operator, error)
	// Preview costs nothing.
	Preview(ctx context.Context, access Access, order Order) (Price, error)
	// Start costs money once for each key; sent again with the same key it gives what became of the first.
	Start(ctx context.Context, access Access, order Order, key string) (Result, error)
	// Poll asks for a check that goes on. It costs nothing.
	Poll(ctx context.Context, access Access, order Order, ref string) (Result, error)
	// Cancel ends a check; what was done stays paid for and comes with Start or Poll.
	Cancel(ctx context.Context, access Access, order Order, key, ref string) error
}

// The codes of refusals, the same for all services.
const (
	KeyRefused     = "key_refused"
	BalanceLow     = "balance_low"
	TooFast        = "too_fast"
	StillRunning   = "still_running"
	Refused        = "refused"
	NothingToAsk   = "no_operators"
	AnswerUnusable = "answer_unusable"
	Unreachable    = "unreachable"
	TimedOut       = "timeout"
)

// Refusal is an answer by which nothing was paid for.
type Refusal struct {
	Code   string // one of the codes of this package
	Detail string // the service's own words, short and without control characters
	After  time.Duration
	// Repeat says that the same call may succeed later.
	Repeat bool
}

func (r *Refusal) Error() string { return r.Code + ": " + r.Detail }

// Lost says that a call may have been carried out and paid for without its answer having arrived. The same call with
// the same key tells.
type Lost struct {
	Code string // AnswerUnusable, Unreachable or TimedOut
	Err  error
}

func (l *Lost) Error() string { return l.Code }
func (l *Lost) Unwrap() error { return l.Err }

// RefusalOf gives the refusal in an error, if there is one.
func RefusalOf(err error) (*Refusal, bool) {
	var refused *Refusal
	return refused, errors.As(err, &refused)
}

// LostOf gives the lost call in an error, if there is one.
func LostOf(err error) (*Lost, bool) {
	var lost *Lost
	return lost, errors.As(err, &lost)
}
