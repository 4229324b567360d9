package nodes

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
	"panel/platform/vault"
)

// desk holds what waits for each agent: the configuration it shall serve and its commands without a result.
// It answers from memory while other panels' changes can be heard and from the database while they cannot.
type desk struct {
	db       *database.DB
	listener *database.Listener
	vault    *vault.Vault
	clock    clockwork.Clock
	log      *zap.Logger
	origin   string
	acks     *collector

	mu      sync.Mutex
	pages   map[string]agentapi.Pending
	changes uint64            // counts changes of all nodes
	latest  map[string]uint64 // by node, the number of its last change: what was read before it is not remembered
	cleared uint64            // the same for all nodes at once
	waiters map[string][]chan struct{}
	present func(ids []string) []string // those that hold a stream here; nothing means all
	deliver func(nodeID string, work agentapi.Pending)
}

const (
	workChannel = "panel_node_work"
	ackPause    = 250 * time.Millisecond // most commands have ended by then, and their acknowledgement says nothing any more
)

func newDesk(db *database.DB, listener *database.Listener, v *vault.Vault, clock clockwork.Clock, log *zap.Logger) *desk {
	d := &desk{
		db: db, listener: listener, vault: v, clock: clock, log: log, origin: database.NewID(),
		pages: map[string]agentapi.Pending{}, latest: map[string]uint64{}, waiters: map[string][]chan struct{}{},
		present: func([]string) []string { return nil }, deliver: func(string, agentapi.Pending) {},
	}
	d.acks = newCollector(clock, ackPause, d.writeAcks)
	listener.On(workChannel, d.hear)
	listener.OnReady(func() { d.changed(nil) })
	return d
}

// work gives what waits for the agent.
func (d *desk) work(ctx context.Context, nodeID string) (agentapi.Pending, error) {
	if page, known := d.remembered(nodeID); known {
		return d.current(page), nil
	}
	d.mu.Lock()
	before := d.changes
	d.mu.Unlock()
	pages, err := d.read(ctx, []string{nodeID})
	if err != nil {
		return agentapi.Pending{}, err
	}
	d.remember(pages, before)
	return d.current(pages[nodeID]), nil
}

func (d *desk) remembered(nodeID string) (agentapi.Pending, bool) {
	if !d.listener.Healthy() {
		return agentapi.Pending{}, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	page, known := d.pages[nodeID]
	return page, known
}

func (d *desk) remember(pages map[string]agentapi.Pending, before uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, page := range pages {
		if d.latest[id] <= before && d.cleared <= before {
			d.pages[id] = page
		}
	}
}

// current leaves out commands whose time has passed.
func (d *desk) current(page agentapi.Pending) agentapi.Pending {
	now := d.clock.Now()
	page.Commands = slices.DeleteFunc(slices.Clone(page.Commands), func(c agentapi.Command) bool { return !c.Deadline.After(now) })
	return page
}

// read takes two statements for any number of nodes.
func (d *desk) read(ctx context.Context, ids []string) (map[string]agentapi.Pending, error) {
	var wanted []struct {
		ID              string
		DesiredRevision int64
		DesiredHash     string
	}
	err := d.db.NewRaw("select id, desired_revision, desired_hash from nodes where id = any(?::uuid[])", pgdialect.Array(ids)).Scan(ctx, &wanted)
	if err != nil {
		return nil, database.Fault(err, nil)
	}
	pages := make(map[string]agentapi.Pending, len(ids))
	for _, w := range wanted {
		pages[w.ID] = agentapi.Pending{Desired: agentapi.Desired{DesiredRevision: w.DesiredRevision, DesiredHash: w.DesiredHash}}
	}
	return pages, d.readCommands(ctx, ids, pages)
}

func (d *desk) readCommands(ctx context.Context, ids []string, pages map[string]agentapi.Pending) error {
	var rows []commandRow
	err := d.db.NewSelect().Model(&rows).Where("node_id = any(?::uuid[])", pgdialect.Array(ids)).Where("ended_at IS NULL").
		Where("deadline > ?", d.clock.Now()).Order("created_at", "id").Scan(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	for i := range rows {
		command, err := d.open(&rows[i])
		if err != nil {
			d.log.Error("a command cannot be opened and is left out", zap.String("command", rows[i].ID), zap.Error(err))
			continue
		}
		page := pages[rows[i].NodeID]
		page.Commands = append(page.Commands, command)
		pages[rows[i].NodeID] = page
	}
	return nil
}

func (d *desk) open(row *commandRow) (agentapi.Command, error) {
	command := agentapi.Command{ID: row.ID, Kind: agentapi.CommandKind(row.Kind), Deadline: row.Deadline.UTC()}
	if row.Sealed == "" {
		return command, nil
	}
	args, err := d.vault.Open(commandRef(row.ID), row.Sealed)
	command.Args = json.RawMessage(args)
	return command, err
}

func commandRef(id string) vault.Ref {
	return vault.Ref{Table: "node_commands", ID: id, Column: "sealed"}
}

// tell lets the other panels know, in the transaction of the change; the caller calls changed after the commit.
func (d *desk) tell(ctx context.Context, tx bun.IDB, ids []string) error {
	const most = 200 // ids that fit into one notification
	for part := range slices.Chunk(ids, most) {
		if err := database.Notify(ctx, tx, workChannel, d.origin+" "+strings.Join(part, ",")); err != nil {
			return err
		}
	}
	return nil
}

func (d *desk) hear(payload string) {
	origin, ids, _ := strings.Cut(payload, " ")
	if origin != d.origin {
		d.changed(strings.Split(ids, ","))
	}
}

// changed drops what is remembered of the nodes (all without any), wakes their long-polls and hands new work to their streams.
func (d *desk) changed(ids []string) {
	d.mu.Lock()
	d.changes++
	if ids == nil {
		clear(d.pages)
		clear(d.latest)
		d.cleared = d.changes
	}
	for _, id := range ids {
		delete(d.pages, id)
		d.latest[id] = d.changes
		d.wake(id)
	}
	if ids == nil {
		for id := range d.waiters {
			d.wake(id)
		}
	}
	here := d.present(ids)
	d.mu.Unlock()
	if len(here) > 0 {
		go d.handOut(here)
	}
}

func (d *desk) wake(id string) {
	for _, waiter := range d.waiters[id] {
		close(waiter)
	}
	delete(d.waiters, id)
}

func (d *desk) handOut(ids []string) {
	ctx, cancel := context.WithTimeout(context.Background(), writeLimit)
	defer cancel()
	d.mu.Lock()
	before := d.changes
	d.mu.Unlock()
	pages, err := d.read(ctx, ids)
	if err != nil {
		d.log.Warn("new work reaches agents with their next heartbeat", zap.Error(err))
		return
	}
	d.remember(pages, before)
	for id, page := range pages {
		d.deliver(id, d.current(page))
	}
}

// wait gives a channel that closes at the next change for the node, and a function that gives it up.
func (d *desk) wait(nodeID string) (<-chan struct{}, func()) {
	waiter := make(chan struct{})
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiters[nodeID] = append(d.waiters[nodeID], waiter)
	return waiter, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.waiters[nodeID] = slices.DeleteFunc(d.waiters[nodeID], func(w chan struct{}) bool { return w == waiter })
		if len(d.waiters[nodeID]) == 0 {
			delete(d.waiters, nodeID)
		}
	}
}

// finished takes a command off the node's page; nobody needs to be woken for that.
func (d *desk) finished(nodeID, commandID string) {
	d.acks.drop(nodeID + "/" + commandID)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changes++
	d.latest[nodeID] = d.changes
	page, known := d.pages[nodeID]
	if !known {
		return
	}
	page.Commands = slices.DeleteFunc(slices.Clone(page.Commands), func(c agentapi.Command) bool { return c.ID == commandID })
	d.pages[nodeID] = page
}

// acked notes that the agent has the command on its disk; it is shown as running from then on. A rollout brings thousands
// at once, so they are written together. A command of another node is left alone.
func (d *desk) acked(nodeID, commandID string) {
	if database.IsID(commandID) {
		d.acks.add(nodeID + "/" + commandID)
	}
}

func (d *desk) writeAcks(ctx context.Context, acked []string) {
	nodes, ids := make([]string, len(acked)), make([]string, len(acked))
	for i, one := range acked {
		nodes[i], ids[i], _ = strings.Cut(one, "/")
	}
	_, err := d.db.NewRaw(`update node_commands c set acked_at = ? from unnest(?::uuid[], ?::uuid[]) u(node_id, id)
		where c.id = u.id and c.node_id = u.node_id and c.acked_at is null and c.ended_at is null`,
		d.clock.Now().UTC(), pgdialect.Array(nodes), pgdialect.Array(ids)).Exec(ctx)
	if err != nil {
		d.log.Debug("noting that agents took commands", zap.Error(err))
	}
}
