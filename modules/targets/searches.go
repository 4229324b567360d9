package targets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/outbound"
)

// The words for what happens to searches, in the journal and as events.
const (
	object        = "target_search"
	kindStarted   = "target.search_started"
	kindEnded     = "target.search_ended"
	kindFound     = "target.found"
	actionStopped = "target.search_cancelled"
)

// SearchNews is the data of an event about a search.
type SearchNews struct {
	NodeID  string `json:"node_id"`
	State   string `json:"state"`
	Scanned int    `json:"scanned"`
	Found   int    `json:"found"`
	Total   int    `json:"total"`
}

// How much may be tried: hosters take those who try many addresses for attackers.
const (
	mostOfNode    = 1024 // targets in an hour from one node
	mostOfAccount = 2048 // targets in an hour by one account
	inAn          = time.Hour
)

const (
	usualAtOnce = 16
	// pace is what an agent waits between two targets.
	pace = 100 * time.Millisecond
	// slack is what an order may take beside its targets: the way to the agent and back.
	slack = 30 * time.Second
)

// searches are the rules about searches: each change, its line in the journal and its event commit together. A search
// changes no flow.
type searches struct {
	store    *store
	inputs   *inputs
	fleet    nodesapi.Fleet
	commands nodesapi.Commands
	journal  audit.Journal
	bus      *events.Bus
	queue    *jobs.Enqueuer
	clock    clockwork.Clock
	log      *zap.Logger
}

func newSearches(
	db *database.DB, d domainsapi.Domains, n *outbound.Network, f nodesapi.Fleet, c nodesapi.Commands, j audit.Journal,
	b *events.Bus, q *jobs.Enqueuer, clock clockwork.Clock, log *zap.Logger,
) *searches {
	return &searches{
		store: &store{db}, inputs: &inputs{domains: d, network: n}, fleet: f, commands: c, journal: j, bus: b,
		queue: q, clock: clock, log: log,
	}
}

func (s *searches) now() time.Time { return s.clock.Now().UTC() }

// start begins a search. Faults: invalid_value, agent_offline, capability_missing (422), search_active (409), throttled
// (429).
func (s *searches) start(ctx context.Context, in NewSearch) (Search, error) {
	node, err := s.node(ctx, in.NodeID)
	if err != nil {
		return Search{}, err
	}
	list, err := s.inputs.of(ctx, in, node)
	if err != nil {
		return Search{}, err
	}
	return s.begin(ctx, node, in.Mode, list, cmp.Or(in.Limits, &Limits{}))
}

// startCheck begins a search of one target. Faults are those of start, but search_active.
func (s *searches) startCheck(ctx context.Context, in NewCheck) (Search, error) {
	target, why := s.inputs.host(in.Target, usualPort)
	if why != "" {
		return Search{}, fault.InvalidValue("target", why)
	}
	if in.ServerName != "" {
		name, ok := nameOf(in.ServerName)
		if !ok {
			return Search{}, fault.InvalidValue("sni", "must be a host name")
		}
		target.ServerName = name
	}
	node, err := s.node(ctx, in.NodeID)
	if err != nil {
		return Search{}, err
	}
	return s.begin(ctx, node, modeCheck, []agentapi.ScanTarget{target}, &Limits{})
}

// node gives a node whose agent can search now.
func (s *searches) node(ctx context.Context, id string) (nodesapi.Node, error) {
	node, err := s.fleet.Node(ctx, id)
	switch {
	case errors.Is(err, nodesapi.ErrUnknown):
		return node, fault.InvalidValue("node_id", "there is no such node")
	case err != nil:
		return node, fmt.Errorf("read the node of a search: %w", err)
	case !node.Online:
		return node, fault.Invalid("agent_offline",
			"the node's agent is not connected; try again when the node is online").With("node", node.Name)
	case len(nodesapi.Lacking([]nodesapi.Node{node}, string(agentapi.CanScan),
		string(agentapi.TargetFindings.Capability()))) > 0:
		return node, fault.Invalid("capability_missing", "the agent of "+node.Name+" cannot search; update it").
			With("node", node.Name).With("capability", string(agentapi.CanScan))
	}
	return node, nil
}

func (s *searches) begin(
	ctx context.Context, node nodesapi.Node, mode string, list []agentapi.ScanTarget, limits *Limits,
) (Search, error) {
	caller, now := access.From(ctx), s.now()
	row := searchRow{
		ID: database.NewID(), NodeID: node.ID, NodeName: node.Name, Mode: mode, Targets: list, Total: len(list),
		Concurrency: cmp.Or(limits.Concurrency, usualAtOnce), Seconds: cmp.Or(limits.Seconds, agentapi.MaxScanSeconds),
		State: stateRunning, AccountID: caller.AccountID, StartedBy: caller.Username, CreatedAt: now,
	}
	row.EndsBy = now.Add(row.longest())
	err := s.store.db.InTx(ctx, func(ctx context.Context) error {
		missing, err := s.fleet.Hold(ctx, node.ID)
		if err != nil {
			return fmt.Errorf("hold the node of a search: %w", err)
		}
		if len(missing) > 0 {
			return fault.InvalidValue("node_id", "there is no such node")
		}
		if err := s.room(ctx, &row); err != nil {
			return err
		}
		return s.send(ctx, &row)
	})
	return row.shown(), err
}

// longest is how long an agent may be at work: its pace, and every round of targets that answer nothing.
func (r *searchRow) longest() time.Duration {
	rounds := (r.Total + r.Concurrency - 1) / r.Concurrency
	return time.Duration(r.Total)*pace + time.Duration(rounds*r.Seconds)*time.Second + slack
}

// room refuses more than may be tried within an hour. Fault: throttled (429).
func (s *searches) room(ctx context.Context, row *searchRow) error {
	used, err := s.store.used(ctx, row.NodeID, row.AccountID, row.CreatedAt.Add(-inAn))
	if err != nil {
		return err
	}
	if used.Node+row.Total > mostOfNode || used.Account+row.Total > mostOfAccount {
		detail := fmt.Sprintf("at most %d targets an hour are tried from one node, and %d by one account, because "+
			"hosters take more for an attack; wait, or search for fewer", mostOfNode, mostOfAccount)
		refused := fault.Throttled(max(time.Minute, used.Oldest.Add(inAn).Sub(row.CreatedAt)))
		refused.Detail = detail
		return refused
	}
	return nil
}

// send stores a search with the order to its agent, and with the job that follows it.
func (s *searches) send(ctx context.Context, row *searchRow) error {
	ids, err := s.commands.Send(ctx, nodesapi.Order{
		NodeID: row.NodeID, Kind: string(agentapi.ScanTargets), Deadline: row.EndsBy, By: row.StartedBy,
		Args: agentapi.ScanTargetsArgs{
			SearchID: row.ID, Targets: row.Targets, Concurrency: row.Concurrency, Seconds: row.Seconds,
		},
	})
	if err != nil {
		return fmt.Errorf("order a search: %w", err)
	}
	row.CommandID = ids[0]
	if err := s.store.insert(ctx, row); err != nil {
		return err
	}
	entry := audit.Entry{Action: kindStarted, Object: row.object(), Changes: map[string]audit.Change{
		"node": {To: row.NodeName}, "mode": {To: row.Mode}, "targets": {To: row.Total},
	}}
	return errors.Join(
		s.journal.Record(ctx, s.store.db.In(ctx), entry), s.emit(ctx, kindStarted, row),
		s.queue.Insert(ctx, followArgs{SearchID: row.ID}, jobs.Opts{Unique: row.ID}),
	)
}

func (s *searches) emit(ctx context.Context, kind string, row *searchRow) error {
	return s.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: row.ID, At: s.now(), Data: SearchNews{
		NodeID: row.NodeID, State: row.State, Scanned: row.Scanned, Found: row.Found, Total: row.Total,
	}})
}

// cancel ends a search that runs; one that has ended stays as it is. The agent is told to stop; what it has found up to
// then stays. Fault: not_found (404).
func (s *searches) cancel(ctx context.Context, id string) (Search, error) {
	var row searchRow
	err := s.store.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = s.store.lock(ctx, id); err != nil || row.State != stateRunning {
			return err
		}
		_, err = s.commands.Send(ctx, nodesapi.Order{
			NodeID: row.NodeID, Kind: string(agentapi.ScanTargets), Deadline: row.EndsBy, By: row.StartedBy,
			Args: agentapi.ScanTargetsArgs{SearchID: row.ID, Stop: true},
		})
		if err != nil {
			return fmt.Errorf("order the end of a search: %w", err)
		}
		entry := audit.Entry{Action: actionStopped, Object: row.object()}
		return errors.Join(s.journal.Record(ctx, s.store.db.In(ctx), entry), s.end(ctx, &row, stateCancelled, ""))
	})
	return row.shown(), err
}

// end gives a search that runs its last state, in the transaction that holds its row.
func (s *searches) end(ctx context.Context, row *searchRow, state, reason string) error {
	now := s.now()
	row.State, row.Reason, row.EndedAt = state, reason, &now
	return errors.Join(s.store.update(ctx, row), s.emit(ctx, kindEnded, row))
}
