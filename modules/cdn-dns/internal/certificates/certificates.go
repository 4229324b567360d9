// Package certificates obtains certificates of host names from an ACME authority, keeps them, and renews them in time.
//
// A certificate is a row with its chain and its sealed key. An order is the process that fills it: a row that says how
// far it is, with the address of the order at the authority and the key that it is for, so that whichever panel takes
// it over goes on with the same order. The certificate in use stays until the next one has been checked and stored.
package certificates

import (
	"context"
	"errors"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/libdns/libdns"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/lease"
	"panel/platform/outbound"
	"panel/platform/vault"
)

// Solver writes and removes the TXT records of DNS-01.
type Solver interface {
	libdns.RecordAppender
	libdns.RecordDeleter
}

// Answer is what the node of a host name answers an authority that asks for a token over HTTP.
type Answer struct{ Host, Token, Text string }

// Answerer lets nodes answer authorities (HTTP-01).
type Answerer interface {
	// Can gives the reason why no node can answer for a host name; none when one can.
	Can(ctx context.Context, host string) (reason string, err error)
	// Show lets the nodes of the host names answer for an order, and tells whether all of them do already. A node that
	// says it cannot gives ErrNoAnswer.
	Show(ctx context.Context, orderID string, answers ...Answer) (shown bool, err error)
	// Withdraw ends the answers for an order, in the context's transaction.
	Withdraw(ctx context.Context, orderID string) error
}

// ErrNoZone says that no integration holds the zone of a host name.
var ErrNoZone = errors.New("no integration holds the zone of the host name")

// ErrNoAnswer ends an order: the node cannot answer the authority, or does not take the answer.
var ErrNoAnswer = errors.New("the node cannot answer the authority")

// CodeNoProof is the fault of a host name that can be proved neither in its zone nor by a node.
const CodeNoProof = "certificate_zone_unknown"

// FindSolver gives who writes into the zone of a host name, and the zone; ErrNoZone when no integration holds the zone.
type FindSolver func(ctx context.Context, hostname string) (zone string, solver Solver, err error)

// Tools are what an engine works with.
type Tools struct {
	DB       *database.DB
	Vault    *vault.Vault
	Listener *database.Listener
	Network  *outbound.Network
	Journal  audit.Journal
	Bus      *events.Bus
	Clock    clockwork.Clock
	Log      *zap.Logger
	// Settings gives the authority that certificates are ordered from.
	Settings func(ctx context.Context) (Authority, error)
	Find     FindSolver
	Answers  Answerer
	// Changed is told, in the transaction of the change, that the certificates for some names are others now: issued,
	// uploaded or removed. It may be nil, and refuses a change by its error.
	Changed func(ctx context.Context, names []string) error
}

// Engine orders, keeps and renews certificates. Run brings orders to their end on this panel.
type Engine struct {
	Tools
	*lease.Driver
}

const (
	stepLimit  = 4 * time.Minute
	attempts   = 8
	firstPause = 2 * time.Second
	lastPause  = time.Minute
	parallel   = 4
)

// New makes an engine.
func New(tools Tools) *Engine {
	e := &Engine{Tools: tools}
	e.Driver = lease.New(tools.DB, tools.Listener, tools.Clock, tools.Log, lease.Process{
		Name: "certificate order", Step: e.step, GiveUp: e.giveUp, Parallel: parallel, StepLimit: stepLimit,
		Attempts: attempts, FirstPause: firstPause, LongestPause: lastPause,
		Table: lease.Table{Name: "certificate_orders", Open: "finished_at is null", Order: "created_at"},
	})
	return e
}

func (e *Engine) now() time.Time { return e.Clock.Now().UTC() }

// The words for what happens to certificates, as events and in the journal.
const (
	Object = "certificate"

	ActionOrdered  = "domain.cert_ordered"
	ActionUploaded = "domain.cert_uploaded"
	ActionRemoved  = "domain.cert_deleted"
	KindIssued     = "domain.cert_issued"
	KindFailed     = "domain.cert_failed"
	KindExpiring   = "domain.cert_expiring"
)

// Actions are what the journal has of certificates.
func Actions() []string {
	return []string{ActionOrdered, ActionUploaded, ActionRemoved, KindIssued, KindFailed, KindExpiring}
}

// News is the data of an event about a certificate.
type News struct {
	Names    []string  `json:"names"`
	Issuer   string    `json:"issuer,omitempty"`
	NotAfter time.Time `json:"not_after,omitzero"`
	Error    string    `json:"error,omitempty"`
	// NextTry is when the panel orders again by itself.
	NextTry time.Time `json:"next_try,omitzero"`
}

// EventKinds are what is emitted about certificates; needs is the permission to see them.
func EventKinds(needs access.Key) []events.Kind {
	kinds := []events.Kind{
		{
			Name: KindIssued, Summary: "A certificate was issued", Notify: true,
			Resolves: []string{KindFailed, KindExpiring},
		},
		{
			Name: KindFailed, Summary: "A certificate could not be issued", Severity: events.Warning, Notify: true,
			Effect: "The certificate that is there stays in use; the panel tries again by itself.",
		},
		{
			Name: KindExpiring, Summary: "A certificate expires soon", Severity: events.Critical, Notify: true,
			Effect: "After its end clients refuse the connection. Renew it, or upload a new one.",
		},
	}
	for i := range kinds {
		kinds[i].Subject, kinds[i].Needs, kinds[i].Live, kinds[i].Data = Object, needs, true, News{}
	}
	return kinds
}

// Faults are what orders and uploads are refused with.
func Faults() []fault.Declared {
	return []fault.Declared{
		{
			Kind: fault.KindConflict, Code: codeBudget,
			Summary: "As many certificates were issued for the domain as its authority allows in a week",
		},
		{
			Kind: fault.KindConflict, Code: "certificate_held",
			Summary: "The authority has asked to wait with further orders of this certificate",
		},
		{
			Kind: fault.KindInvalid, Code: CodeNoProof,
			Summary: "No DNS integration holds the zone of the host name, and no node can answer for it",
		},
	}
}

const codeBudget = "certificate_budget_spent"

// Secrets are the sealed columns.
func Secrets() []vault.Column {
	return []vault.Column{
		{Table: "certificates", ID: "id", Column: "key"},
		{Table: "certificate_orders", ID: "id", Column: "key"},
		{Table: "certificate_accounts", ID: "id", Column: "key"},
	}
}

// keepOrders is longer than the window of the budget.
const keepOrders = 90 * 24 * time.Hour

// Tidy removes orders that ended long ago.
func Tidy() []jobs.Tidy {
	return []jobs.Tidy{{Table: "certificate_orders", Column: "finished_at", Age: keepOrders}}
}
