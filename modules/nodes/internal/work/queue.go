// Package work is what the panel wants of each agent: the configuration it shall serve, the commands it shall carry out
// and their results.
package work

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"

	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/ingest"
	"panel/platform/vault"
)

// Queue holds what waits for each agent: the configuration it shall serve and its commands without a result. It answers
// from memory while notifications of other panels arrive and from the database while they do not.
type Queue struct {
	db       *database.DB
	listener *database.Listener
	vault    *vault.Vault
	clock    clockwork.Clock
	log      *zap.Logger
	origin   string
	acks     *ingest.Collector

	mu        sync.Mutex
	pages     map[string]agentapi.Pending
	changes   uint64            // counts changes of all nodes
	latest    map[string]uint64 // by node, the number of its last change: what was read before it is not remembered
	announced map[string]uint64 // by node, the number of its last change that streams are told of
	cleared   uint64            // both for all nodes at once
	waiters   map[string][]chan struct{}
	present   func(ids []string) []string // those that hold a stream here; nothing means all
	deliver   func(nodeID string, work agentapi.Pending)

	delivering sync.Mutex        // taken before mu
	delivered  map[string]uint64 // by node, how many changes there were when what its stream got last was read
}

const (
	workChannel = "panel_node_work"
	ackPause    = 250 * time.Millisecond // most commands have ended by then, and their acknowledgement is pointless
	writeLimit  = 5 * time.Second
)

// NewQueue makes the queue of a panel.
func NewQueue(db *database.DB, listener *database.Listener, v *vault.Vault, clock clockwork.Clock,
	log *zap.Logger,
) *Queue {
	q := &Queue{
		db: db, listener: listener, vault: v, clock: clock, log: log, origin: database.NewID(),
		pages: map[string]agentapi.Pending{}, latest: map[string]uint64{}, announced: map[string]uint64{},
		waiters: map[string][]chan struct{}{}, delivered: map[string]uint64{},
		present: func([]string) []string { return nil }, deliver: func(string, agentapi.Pending) {},
	}
	q.acks = ingest.NewCollector(clock, ackPause, q.writeAcks)
	listener.On(workChannel, q.onNotify)
	listener.OnReady(func() { q.Changed(nil) })
	return q
}

// Streams says which nodes hold a stream to this panel, and takes work for them. It is called once, while the panel is
// composed.
func (q *Queue) Streams(present func(ids []string) []string, deliver func(nodeID string, work agentapi.Pending)) {
	q.present, q.deliver = present, deliver
}

// Run writes acknowledgements until the context ends.
func (q *Queue) Run(ctx context.Context) error { return q.acks.Run(ctx) }

// Pending is what waits for the agent.
func (q *Queue) Pending(ctx context.Context, nodeID string) (agentapi.Pending, error) {
	page, _, err := q.newest(ctx, nodeID)
	return page, err
}

// newest gives the page with the number of changes that it knows of. What has changed while it was read is read again.
func (q *Queue) newest(ctx context.Context, nodeID string) (agentapi.Pending, uint64, error) {
	const tries = 3 // a node that changes all the time is told of it by each change
	for try := 1; ; try++ {
		page, before, known := q.remembered(nodeID)
		if known {
			return q.current(page), before, nil
		}
		pages, err := q.read(ctx, []string{nodeID})
		if err != nil {
			return page, before, err
		}
		if q.remember(pages, before); try == tries || !q.changedSince(nodeID, before) {
			return q.current(pages[nodeID]), before, nil
		}
	}
}

// remembered also gives the number of changes until now.
func (q *Queue) remembered(nodeID string) (page agentapi.Pending, before uint64, known bool) {
	healthy := q.listener.Healthy()
	q.mu.Lock()
	defer q.mu.Unlock()
	page, known = q.pages[nodeID]
	return page, q.changes, known && healthy
}

func (q *Queue) remember(pages map[string]agentapi.Pending, before uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for id, page := range pages {
		if q.holds(id, before) {
			q.pages[id] = page
		}
	}
}

func (q *Queue) changedSince(id string, before uint64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.holds(id, before)
}

// holds says whether what was read of a node before a change still holds; the caller has the lock.
func (q *Queue) holds(id string, before uint64) bool {
	return q.latest[id] <= before && q.cleared <= before
}

// current leaves out commands whose time has passed.
func (q *Queue) current(page agentapi.Pending) agentapi.Pending {
	now := q.clock.Now()
	page.Commands = slices.DeleteFunc(slices.Clone(page.Commands),
		func(c agentapi.Command) bool { return !c.Deadline.After(now) })
	return page
}

// read takes two statements for any number of nodes.
func (q *Queue) read(ctx context.Context, ids []string) (map[string]agentapi.Pending, error) {
	var wanted []struct {
		ID              string
		DesiredRevision int64
		DesiredHash     string
		Documents       []agentapi.DocumentRef `bun:"documents,type:jsonb"`
	}
	err := q.db.NewRaw(`select n.id, n.desired_revision, n.desired_hash, (
			select jsonb_agg(jsonb_build_object('name', d.name, 'revision', d.revision, 'hash', d.hash) order by d.name)
			from node_documents d where d.node_id = n.id) as documents
		from nodes n where n.id = any(?::uuid[])`, pgdialect.Array(ids)).Scan(ctx, &wanted)
	if err != nil {
		return nil, database.Fault(err, nil)
	}
	pages := make(map[string]agentapi.Pending, len(ids))
	for _, w := range wanted {
		desired := agentapi.Desired{DesiredRevision: w.DesiredRevision, DesiredHash: w.DesiredHash}
		pages[w.ID] = agentapi.Pending{Desired: desired, Documents: w.Documents}
	}
	return pages, q.readCommands(ctx, ids, pages)
}

func (q *Queue) readCommands(ctx context.Context, ids []string, pages map[string]agentapi.Pending) error {
	var rows []CommandRow
	err := q.db.NewSelect().Model(&rows).Where("node_id = any(?::uuid[])", pgdialect.Array(ids)).
		Where("ended_at IS NULL").
		Where("deadline > ?", q.clock.Now()).Order("created_at", "id").Scan(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	for i := range rows {
		command, err := q.open(&rows[i])
		if err != nil {
			q.log.Error("a command cannot be opened and is left out", zap.String("command", rows[i].ID), zap.Error(err))
			continue
		}
		page := pages[rows[i].NodeID]
		page.Commands = append(page.Commands, command)
		pages[rows[i].NodeID] = page
	}
	return nil
}

func (q *Queue) open(row *CommandRow) (agentapi.Command, error) {
	command := agentapi.Command{ID: row.ID, Kind: agentapi.CommandKind(row.Kind), Deadline: row.Deadline.UTC()}
	if row.Sealed == "" {
		return command, nil
	}
	args, err := q.vault.Open(commandRef(row.ID), row.Sealed)
	command.Args = json.RawMessage(args)
	return command, err
}

func commandRef(id string) vault.Ref {
	return vault.Ref{Table: "node_commands", ID: id, Column: "sealed"}
}

// Notify tells the other panels of a change when its transaction commits; the caller calls Changed after the commit.
func (q *Queue) Notify(ctx context.Context, tx bun.IDB, ids []string) error {
	const most = 200 // ids that fit into one notification
	for part := range slices.Chunk(ids, most) {
		if err := database.Notify(ctx, tx, workChannel, q.origin+" "+strings.Join(part, ",")); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queue) onNotify(payload string) {
	origin, ids, _ := strings.Cut(payload, " ")
	if origin != q.origin {
		q.Changed(strings.Split(ids, ","))
	}
}

// Changed drops what is remembered of the nodes (all for nil), wakes their long-polls and delivers new work on their
// streams.
func (q *Queue) Changed(ids []string) {
	q.mu.Lock()
	q.changes++
	if ids == nil {
		clear(q.pages)
		clear(q.latest)
		clear(q.announced)
		q.cleared = q.changes
	}
	for _, id := range ids {
		delete(q.pages, id)
		q.latest[id], q.announced[id] = q.changes, q.changes
		q.wake(id)
	}
	if ids == nil {
		for id := range q.waiters {
			q.wake(id)
		}
	}
	here := q.present(ids)
	q.mu.Unlock()
	if len(here) > 0 {
		go q.deliverTo(here)
	}
}

func (q *Queue) wake(id string) {
	for _, waiter := range q.waiters[id] {
		close(waiter)
	}
	delete(q.waiters, id)
}

func (q *Queue) deliverTo(ids []string) {
	ctx, cancel := context.WithTimeout(context.Background(), writeLimit)
	defer cancel()
	q.mu.Lock()
	before := q.changes
	q.mu.Unlock()
	pages, err := q.read(ctx, ids)
	if err != nil {
		q.log.Warn("new work reaches agents with their next heartbeat", zap.Error(err))
		return
	}
	q.remember(pages, before)
	for id, page := range pages {
		q.handOver(id, before, func() { q.deliver(id, q.current(page)) })
	}
}

// Greet hands a stream that begins what waits for its agent.
func (q *Queue) Greet(ctx context.Context, nodeID string, take func(agentapi.Pending)) error {
	for {
		page, before, err := q.newest(ctx, nodeID)
		if err != nil || q.handOver(nodeID, before, func() { take(page) }) {
			return err
		}
	}
}

// handOver gives streams what was read, unless a change was announced since: what was read later may have been given
// already, and this would lead the agent back. A stream gets the newer state by the delivery that the change began.
// Between the commit of a change and its announcement two readings may still change places; the announcement mends it.
func (q *Queue) handOver(nodeID string, before uint64, give func()) bool {
	q.delivering.Lock()
	defer q.delivering.Unlock()
	if before < q.delivered[nodeID] || q.overtaken(nodeID, before) {
		return false
	}
	q.delivered[nodeID] = before
	give()
	return true
}

func (q *Queue) overtaken(nodeID string, before uint64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return before < q.announced[nodeID] || before < q.cleared
}

// Wait gives a channel that closes at the next change for the node, and a function that ends the waiting.
func (q *Queue) Wait(nodeID string) (<-chan struct{}, func()) {
	waiter := make(chan struct{})
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiters[nodeID] = append(q.waiters[nodeID], waiter)
	return waiter, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.waiters[nodeID] = slices.DeleteFunc(q.waiters[nodeID], func(w chan struct{}) bool { return w == waiter })
		if len(q.waiters[nodeID]) == 0 {
			delete(q.waiters, nodeID)
		}
	}
}

// finished takes a command off the node's page; nobody needs to be woken for that.
func (q *Queue) finished(nodeID, commandID string) {
	q.acks.Drop(nodeID + "/" + commandID)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changes++
	q.latest[nodeID] = q.changes
	page, known := q.pages[nodeID]
	if !known {
		return
	}
	page.Commands = slices.DeleteFunc(slices.Clone(page.Commands),
		func(c agentapi.Command) bool { return c.ID == commandID })
	q.pages[nodeID] = page
}

// Acked notes that the agent has the command on its disk; it is shown as running from then on. A rollout brings
// thousands at once, so they are written together. A command of another node is left alone.
func (q *Queue) Acked(nodeID, commandID string) {
	if database.IsID(commandID) {
		q.acks.Add(nodeID + "/" + commandID)
	}
}

// writeAcks passes over commands that another is writing: their result is on its way, and to wait for each other's rows
// would be a deadlock of both.
func (q *Queue) writeAcks(ctx context.Context, acked []string) {
	nodes, ids := make([]string, len(acked)), make([]string, len(acked))
	for i, one := range acked {
		nodes[i], ids[i], _ = strings.Cut(one, "/")
	}
	_, err := q.db.NewRaw(`with open as materialized (
			select c.id from node_commands c join unnest(?::uuid[], ?::uuid[]) u(node_id, id)
				on c.id = u.id and c.node_id = u.node_id
			where c.acked_at is null and c.ended_at is null order by c.id for no key update of c skip locked)
		update node_commands c set acked_at = ? from open where c.id = open.id`,
		pgdialect.Array(nodes), pgdialect.Array(ids), q.clock.Now().UTC()).Exec(ctx)
	if err != nil {
		q.log.Debug("noting that agents took commands", zap.Error(err))
	}
}
