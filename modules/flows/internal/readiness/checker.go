// Package readiness finds the evidence for plans: it orders probes, reads the answers and writes down what was seen.
package readiness

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/lease"
)

// Nodes is what a checker needs of the fleet.
type Nodes interface {
	nodesapi.Fleet
	nodesapi.Commands
}

// Checker checks plans. A plan whose checks are open is a row that one panel works on; when that panel dies, another
// one checks again what is not confirmed.
type Checker struct {
	db      *database.DB
	nodes   Nodes
	clock   clockwork.Clock
	log     *zap.Logger
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	publish func(ctx context.Context, planID, flowID string)

	mu      sync.Mutex
	running map[string]context.CancelFunc // by plan
}

// New makes a checker; publish is called when new evidence of a plan was written down.
func New(
	db *database.DB,
	nodes Nodes,
	clock clockwork.Clock,
	log *zap.Logger,
	publish func(ctx context.Context, planID, flowID string),
) *Checker {
	return &Checker{
		db: db, nodes: nodes, clock: clock, log: log, publish: publish, dial: (&net.Dialer{}).DialContext,
		running: map[string]context.CancelFunc{},
	}
}

// Limits of the checks of one plan.
const (
	checkLimit = 90 * time.Second
	// checksAtOnce keeps a plan over hundreds of nodes from taking every database connection.
	checksAtOnce = 32
)

// Process is how plans are brought to the end of their checks.
func (k *Checker) Process() lease.Process {
	return lease.Process{
		Name: "readiness check", Table: lease.Table{Name: "flow_plans", Open: "checking", Order: "created_at"},
		Step: k.step, GiveUp: k.giveUp, StepLimit: checkLimit + dialLimit, Attempts: 3,
	}
}

// Open makes the checks of a plan due, in the transaction of the context.
func (k *Checker) Open(ctx context.Context, planID string) error {
	_, err := k.db.In(ctx).
		NewRaw(`update flow_plans set checking = true, lease_token = '', lease_until = now(), lease_failures = 0
		where id = ?`, planID).
		Exec(ctx)
	return database.Fault(err, nil)
}

// Close ends the checks of a plan, in the transaction of the context: their answers would come too late, and what they
// would open on the nodes is about to be opened for good. Call Cancel when it has committed.
func (k *Checker) Close(ctx context.Context, planID string) error {
	_, err := k.db.In(ctx).
		NewRaw("update flow_plans set checking = false, lease_token = '' where id = ? and checking", planID).
		Exec(ctx)
	return database.Fault(err, nil)
}

// Cancel ends what this panel checks of a plan at once; other panels notice that the plan was closed.
func (k *Checker) Cancel(planID string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if cancel := k.running[planID]; cancel != nil {
		cancel()
	}
}

func (k *Checker) begin(ctx context.Context, planID string) (context.Context, func()) {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running[planID] = cancel
	return ctx, func() {
		cancel()
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.running, planID)
	}
}

// run is the check of one plan by this panel.
type run struct {
	*Checker
	claim *lease.Claim
	flow  string
	found chan Row
}

func (k *Checker) now() time.Time { return k.clock.Now().UTC().Truncate(time.Microsecond) }

// step finds evidence for every check of the plan that is not confirmed, then closes the plan's checks.
func (k *Checker) step(ctx context.Context, claim *lease.Claim) (lease.Next, error) {
	checks, err := Of(ctx, k.db, claim.ID)
	if err != nil {
		return lease.Next{}, err
	}
	r := &run{Checker: k, claim: claim, found: make(chan Row, len(checks))}
	if err := k.db.NewRaw("select flow_id from flow_plans where id = ?", claim.ID).Scan(ctx, &r.flow); err != nil {
		return lease.Next{}, database.Fault(err, nil)
	}
	checking, end := k.begin(ctx, claim.ID)
	defer end()
	go func() {
		defer close(r.found)
		r.check(checking, checks)
	}()
	if err := r.write(ctx, end); err != nil {
		return lease.Next{}, err
	}
	err = claim.InTx(ctx, func(ctx context.Context) error {
		_, err := k.db.In(ctx).NewRaw("update flow_plans set checking = false where id = ?", claim.ID).Exec(ctx)
		return database.Fault(err, nil)
	})
	if err == nil {
		k.publish(ctx, claim.ID, r.flow)
	}
	return lease.Done(), err
}

// check asks the nodes about everything that is not confirmed, some at a time, until the context ends.
func (k *run) check(ctx context.Context, checks []Row) {
	var all sync.WaitGroup
	defer all.Wait()
	slots := make(chan struct{}, checksAtOnce)
	begin := func(check func()) {
		select {
		case <-ctx.Done():
			return
		case slots <- struct{}{}:
		}
		if ctx.Err() != nil {
			return
		}
		all.Go(func() {
			defer func() { <-slots }()
			check()
		})
	}
	peers := k.peers(ctx)
	for i, p := range ports(checks) {
		begin(func() { k.port(ctx, p, peerOf(peers, i, p.firewall.NodeID)) })
	}
	for _, c := range checks {
		if c.Probe.ServerName != "" && c.Status != plan.Confirmed {
			begin(func() { k.note(c, k.target(ctx, c)) })
		}
	}
}

func (k *run) note(c Row, f finding) {
	seen := k.now()
	c.Status, c.Evidence, c.Finding, c.ObservedAt = f.status, f.seen.Text, f.seen, &seen
	c.Blocker, c.Holder = f.blocker, f.holder
	k.found <- c // there is room for every check
}

// write stores evidence as it comes, all that has gathered in one statement. When it cannot, nothing more is asked.
func (k *run) write(ctx context.Context, stop func()) (failed error) {
	for first := range k.found {
		rows := []Row{first}
		for gathered := true; gathered; {
			select {
			case next, more := <-k.found:
				if gathered = more; more {
					rows = append(rows, next)
				}
			default:
				gathered = false
			}
		}
		if failed != nil {
			continue
		}
		failed = k.claim.InTx(ctx, func(ctx context.Context) error { return save(ctx, k.db, k.claim.ID, rows) })
		if failed != nil {
			stop()
			continue
		}
		k.publish(ctx, k.claim.ID, k.flow)
	}
	return failed
}

// giveUp leaves the checks as they are; what is not confirmed says so.
func (k *Checker) giveUp(ctx context.Context, claim *lease.Claim, _ error) error {
	return k.Close(ctx, claim.ID)
}

// portChecks are the two questions about one port: can it be bound, and does somebody else reach it.
type portChecks struct{ listener, firewall Row }

// ports pairs the checks of each port that is not confirmed.
func ports(checks []Row) []portChecks {
	firewalls := map[string]Row{}
	for _, c := range checks {
		if rest, is := strings.CutPrefix(c.Key, "firewall:"); is {
			firewalls[rest] = c
		}
	}
	var out []portChecks
	for _, c := range checks {
		rest, is := strings.CutPrefix(c.Key, "listener:")
		firewall, paired := firewalls[rest]
		if is && paired && slices.ContainsFunc([]Row{c, firewall},
			func(r Row) bool { return r.Status != plan.Confirmed }) {
			out = append(out, portChecks{listener: c, firewall: firewall})
		}
	}
	return out
}
