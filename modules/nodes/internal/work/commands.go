package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"

	"panel/modules/nodes/internal/texts"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/ingest"
	"panel/platform/vault"
)

// Commands stores commands for agents and their results. It is nodesapi.Commands.
type Commands struct {
	db      *database.DB
	queue   *Queue
	vault   *vault.Vault
	clock   clockwork.Clock
	log     *zap.Logger
	results *ingest.Batcher[*CommandRow]
	notices *ingest.Collector

	mu      sync.Mutex
	waiters map[string][]*signal // by command
}

const (
	resultChannel   = "panel_command_results"
	readAgain       = 2 * time.Second // in case the notification of a result was lost
	resultRetention = 7 * 24 * time.Hour
	noticePause     = 20 * time.Millisecond
)

// NewCommands makes the store of commands.
func NewCommands(db *database.DB, q *Queue, v *vault.Vault, l *database.Listener, clock clockwork.Clock,
	log *zap.Logger,
) *Commands {
	c := &Commands{db: db, queue: q, vault: v, clock: clock, log: log, waiters: map[string][]*signal{}}
	c.results, c.notices = ingest.NewBatcher(500, c.store), ingest.NewCollector(clock, noticePause, c.notify)
	l.On(resultChannel, c.onNotify)
	return c
}

// Loops are what runs while the panel does.
func (c *Commands) Loops() []func(context.Context) error {
	return []func(context.Context) error{c.results.Run, c.notices.Run}
}

// Send stores the orders, in the context's transaction, and wakes their agents after its commit.
func (c *Commands) Send(ctx context.Context, orders ...nodesapi.Order) ([]string, error) {
	return c.SendWith(ctx, orders, func(context.Context, bun.Tx) error { return nil })
}

// SendWith stores orders in one transaction with what their sender writes about them.
func (c *Commands) SendWith(ctx context.Context, orders []nodesapi.Order, also func(ctx context.Context,
	tx bun.Tx) error,
) ([]string, error) {
	rows, err := c.rows(orders)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	ids, nodes := make([]string, len(rows)), map[string]bool{}
	for i, row := range rows {
		ids[i], nodes[row.NodeID] = row.ID, true
	}
	addressed := database.OnlyIDs(slices.Sorted(maps.Keys(nodes)))
	err = c.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		here, err := c.put(ctx, tx, rows, addressed)
		if err != nil {
			return err
		}
		database.AfterCommit(ctx, func() { c.queue.Changed(addressed) })
		return errors.Join(c.queue.Notify(ctx, tx, here), also(ctx, tx))
	})
	if err != nil {
		return nil, database.Fault(fmt.Errorf("storing commands: %w", err), nil)
	}
	return ids, nil
}

// put leaves out nodes that are gone: an order to one of them has ended before it began, as Results tells.
func (c *Commands) put(ctx context.Context, tx bun.Tx, rows []CommandRow, addressed []string) (here []string,
	err error,
) {
	err = tx.NewRaw("select id from nodes where id = any(?::uuid[]) order by id for key share",
		pgdialect.Array(addressed)).Scan(ctx, &here)
	if err != nil {
		return nil, err
	}
	known := slices.DeleteFunc(slices.Clone(rows), func(row CommandRow) bool {
		_, found := slices.BinarySearch(here, row.NodeID)
		return !found
	})
	if len(known) == 0 {
		return nil, nil
	}
	_, err = tx.NewInsert().Model(&known).Exec(ctx)
	return here, err
}

func (c *Commands) rows(orders []nodesapi.Order) ([]CommandRow, error) {
	rows := make([]CommandRow, 0, len(orders))
	now := c.clock.Now().UTC()
	for _, order := range orders {
		if !agentapi.CommandKind(order.Kind).Known() {
			return nil, fmt.Errorf("sending the command %q: %w", order.Kind, nodesapi.ErrUnknownKind)
		}
		row := CommandRow{
			ID: database.NewID(), NodeID: order.NodeID, Kind: order.Kind, Deadline: order.Deadline.UTC(),
			CreatedAt: now, StartedBy: order.By,
		}
		if order.Args != nil {
			args, err := json.Marshal(order.Args)
			if err != nil {
				return nil, fmt.Errorf("encoding the arguments of %s: %w", order.Kind, err)
			}
			row.Sealed = c.vault.Seal(commandRef(row.ID), args)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Finish stores what an agent answered, once; the same answer again changes nothing.
// Fault: not_found (404) for a command that is not this node's.
func (c *Commands) Finish(ctx context.Context, nodeID string, result *agentapi.CommandResult) error {
	if !database.IsID(result.ID) {
		return ErrUnknownCommand
	}
	at := c.clock.Now().UTC()
	row := &CommandRow{
		ID: result.ID, NodeID: nodeID, EndedAt: &at, OK: result.OK, Code: texts.Clip(string(result.Code),
			texts.WordLimit),
		Error: texts.Clip(result.Error, agentapi.MaxTail), Stage: texts.Clip(string(result.Stage), texts.WordLimit),
		StderrTail: texts.Clip(result.StderrTail, agentapi.MaxTail),
	}
	if json.Valid(result.Data) {
		row.Data = result.Data
	}
	return c.results.Submit(ctx, row)
}

// ErrUnknownCommand says that the command is not this node's. Fault: not_found (404).
var ErrUnknownCommand = fault.Missing(fault.NoSuchThing)

// store writes many agents' results in one statement.
func (c *Commands) store(ctx context.Context, rows []*CommandRow) []error {
	written, dropped := map[string]ending{}, map[*CommandRow]bool{}
	err := ingest.Bisect(rows, func(part []*CommandRow) error { return c.write(ctx, part, written) },
		func(row *CommandRow, err error) {
			c.log.Warn("a result cannot be stored and is dropped", zap.String("node", row.NodeID), zap.String("command",
				row.ID), zap.Error(err))
			dropped[row] = true
		})
	if err != nil {
		return []error{database.Fault(fmt.Errorf("storing results: %w", err), nil)}
	}
	answers, done := make([]error, len(rows)), []*CommandRow{}
	for i, row := range rows {
		found, known := written[row.ID+row.NodeID]
		switch {
		case dropped[row]:
			answers[i] = ingest.ErrUnstorable
		case !known:
			answers[i] = ErrUnknownCommand
		}
		if found.now {
			row.Kind = found.kind
			done = append(done, row)
		}
	}
	c.announce(done)
	return answers
}

// writeResults locks the commands in the order of their identifiers, as every writer of many does: two panels that got
// the same results, in another order each, would otherwise wait for each other.
const writeResults = `with given as (
		select distinct on (id) * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::boolean[], $5::text[], $6::text[],
			$7::text[], $8::text[], $9::jsonb[])
			g(id, node_id, ended_at, ok, code, error, stage, stderr_tail, data)
	), open as materialized (
		select c.id from node_commands c join given g on c.id = g.id and c.node_id = g.node_id
		where c.ended_at is null order by c.id for no key update of c
	), written as (
		update node_commands c set ended_at = g.ended_at, ok = g.ok, code = g.code, error = g.error, stage = g.stage,
			stderr_tail = g.stderr_tail, data = g.data
		from given g join open o on o.id = g.id where c.id = g.id returning c.id
	)
	select c.id::text, c.node_id::text, c.kind, w.id is not null from given g join node_commands c on c.id = g.id and c.node_id = g.node_id
		left join written w on w.id = c.id`

// ending is what the database knows of a command that got a result: what it was, and whether it has ended with this.
type ending struct {
	kind string
	now  bool
}

// write notes the commands that exist.
func (c *Commands) write(ctx context.Context, rows []*CommandRow, written map[string]ending) error {
	var ids, nodes, codes, errs, stages, tails []string
	var ended []time.Time
	var oks []bool
	var data []*string
	for _, r := range rows {
		ids, nodes, ended, oks = append(ids, r.ID), append(nodes, r.NodeID), append(ended, *r.EndedAt),
			append(oks, r.OK)
		codes, errs, stages = append(codes, r.Code), append(errs, r.Error), append(stages, r.Stage)
		tails, data = append(tails, r.StderrTail), append(data, jsonText(r.Data))
	}
	found, err := c.db.Pool.Query(ctx, writeResults, ids, nodes, ended, oks, codes, errs, stages, tails, data)
	if err != nil {
		return err
	}
	var id, node string
	var e ending
	_, err = pgx.ForEachRow(found, []any{&id, &node, &e.kind, &e.now}, func() error {
		written[id+node] = e
		return nil
	})
	return err
}

func jsonText(raw json.RawMessage) *string {
	if len(raw) == 0 {
		return nil
	}
	text := string(raw)
	return &text
}

// announce wakes who waits: here with the result that is durable now, on other panels by a notification. A lost one
// only costs the time until they read again.
func (c *Commands) announce(done []*CommandRow) {
	for _, row := range done {
		result := row.Result()
		c.ended(row.NodeID, row.ID, &result)
		c.notices.Add(row.NodeID + "/" + row.ID)
	}
}

func (c *Commands) notify(ctx context.Context, ended []string) {
	const together = 100
	var messages []string
	for part := range slices.Chunk(ended, together) {
		messages = append(messages, resultChannel+" "+strings.Join(part, ","))
	}
	if err := database.NotifyAll(ctx, c.db.Pool, messages); err != nil {
		c.log.Warn("other panels read results by themselves", zap.Error(err))
	}
}

func (c *Commands) onNotify(payload string) {
	for one := range strings.SplitSeq(payload, ",") {
		node, id, _ := strings.Cut(one, "/")
		c.ended(node, id, nil)
	}
}

func (c *Commands) ended(nodeID, id string, result *nodesapi.Result) {
	c.queue.finished(nodeID, id)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.waiters[id] {
		if result != nil {
			s.got = append(s.got, *result)
		} else {
			s.ended = append(s.ended, id)
		}
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
	delete(c.waiters, id)
}
