package nodes

import (
	"context"
	"encoding/json"
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

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/vault"
)

// commands is the outbox of orders to agents and the place of their results. It is nodesapi.Commands.
type commands struct {
	db      *database.DB
	desk    *desk
	vault   *vault.Vault
	clock   clockwork.Clock
	log     *zap.Logger
	results *batcher[*commandRow]
	news    *collector

	mu      sync.Mutex
	waiters map[string][]*signal // by command
}

// signal collects the commands that have ended since its owner last looked: with their results where they came to this
// panel, and by their ids where another one has them.
type signal struct {
	rang  chan struct{} // holds at most one ring
	got   []nodesapi.Result
	ended []string
}

const (
	resultChannel = "panel_command_results"
	lookAgain     = 2 * time.Second // in case the news of a result was lost
	keepResults   = 7 * 24 * time.Hour
	newsPause     = 20 * time.Millisecond
)

func newCommands(db *database.DB, d *desk, v *vault.Vault, l *database.Listener, clock clockwork.Clock, log *zap.Logger) *commands {
	c := &commands{db: db, desk: d, vault: v, clock: clock, log: log, waiters: map[string][]*signal{}}
	c.results, c.news = newBatcher(500, c.store), newCollector(clock, newsPause, c.tellOthers)
	l.On(resultChannel, c.hear)
	return c
}

func exportCommands(c *commands) nodesapi.Commands { return c }

// Send stores the orders and wakes their agents.
func (c *commands) Send(ctx context.Context, orders ...nodesapi.Order) ([]string, error) {
	return c.sendWith(ctx, orders, func(context.Context, bun.Tx) error { return nil })
}

// sendWith stores orders together with what their sender has to write about them.
func (c *commands) sendWith(ctx context.Context, orders []nodesapi.Order, also func(ctx context.Context, tx bun.Tx) error) ([]string, error) {
	rows, err := c.rows(orders)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	ids, nodes := make([]string, len(rows)), map[string]bool{}
	for i, row := range rows {
		ids[i], nodes[row.NodeID] = row.ID, true
	}
	addressed := valid(slices.Sorted(maps.Keys(nodes)))
	err = c.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := c.put(ctx, tx, rows, addressed); err != nil {
			return err
		}
		return also(ctx, tx)
	})
	if err != nil {
		return nil, database.Fault(fmt.Errorf("storing commands: %w", err), nil)
	}
	c.desk.changed(addressed)
	return ids, nil
}

// put leaves out nodes that are gone: an order to one of them has ended before it began, as Results tells.
func (c *commands) put(ctx context.Context, tx bun.Tx, rows []commandRow, addressed []string) error {
	var here []string
	err := tx.NewRaw("select id from nodes where id = any(?::uuid[]) order by id for key share", pgdialect.Array(addressed)).Scan(ctx, &here)
	if err != nil {
		return err
	}
	kept := slices.DeleteFunc(slices.Clone(rows), func(row commandRow) bool {
		_, found := slices.BinarySearch(here, row.NodeID)
		return !found
	})
	if len(kept) == 0 {
		return nil
	}
	if _, err := tx.NewInsert().Model(&kept).Exec(ctx); err != nil {
		return err
	}
	return c.desk.tell(ctx, tx, here)
}

func (c *commands) rows(orders []nodesapi.Order) ([]commandRow, error) {
	rows := make([]commandRow, 0, len(orders))
	now := c.clock.Now().UTC()
	for _, order := range orders {
		row := commandRow{
			ID: database.NewID(), NodeID: order.NodeID, Kind: order.Kind, Deadline: order.Deadline.UTC(), CreatedAt: now, StartedBy: order.By,
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

// finish stores what an agent answered, once; the same answer again changes nothing.
// Fault: not_found (404) for a command that is not this node's.
func (c *commands) finish(ctx context.Context, nodeID string, result *agentapi.CommandResult) error {
	if !database.IsID(result.ID) {
		return errUnknownCommand
	}
	at := c.clock.Now().UTC()
	row := &commandRow{
		ID: result.ID, NodeID: nodeID, EndedAt: &at, OK: result.OK, Code: clip(string(result.Code), wordLimit),
		Error: clip(result.Error, agentapi.MaxTail), Stage: clip(string(result.Stage), wordLimit), StderrTail: clip(result.StderrTail, agentapi.MaxTail),
	}
	if json.Valid(result.Data) {
		row.Data = result.Data
	}
	return c.results.submit(ctx, row)
}

var errUnknownCommand = fault.Missing(fault.NoSuchThing)

// store writes many agents' results in one statement.
func (c *commands) store(ctx context.Context, rows []*commandRow) []error {
	written, dropped := map[string]ending{}, map[*commandRow]bool{}
	err := apart(rows, func(part []*commandRow) error { return c.write(ctx, part, written) }, func(row *commandRow, err error) {
		c.log.Warn("a result cannot be stored and is dropped", zap.String("node", row.NodeID), zap.String("command", row.ID), zap.Error(err))
		dropped[row] = true
	})
	if err != nil {
		return []error{database.Fault(fmt.Errorf("storing results: %w", err), nil)}
	}
	answers, done := make([]error, len(rows)), []*commandRow{}
	for i, row := range rows {
		found, known := written[row.ID+row.NodeID]
		switch {
		case dropped[row]:
			answers[i] = errUnstorable
		case !known:
			answers[i] = errUnknownCommand
		}
		if found.now {
			row.Kind = found.kind
			done = append(done, row)
		}
	}
	c.tellEnded(done)
	return answers
}

const writeResults = `with given as (
		select distinct on (id) * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::text[], $9::jsonb[])
			g(id, node_id, ended_at, ok, code, error, stage, stderr_tail, data)
	), written as (
		update node_commands c set ended_at = g.ended_at, ok = g.ok, code = g.code, error = g.error, stage = g.stage,
			stderr_tail = g.stderr_tail, data = g.data
		from given g where c.id = g.id and c.node_id = g.node_id and c.ended_at is null returning c.id
	)
	select c.id::text, c.node_id::text, c.kind, w.id is not null from given g join node_commands c on c.id = g.id and c.node_id = g.node_id
		left join written w on w.id = c.id`

// ending is what the database knows of a command that got a result: what it was, and whether it has ended with this.
type ending struct {
	kind string
	now  bool
}

// write notes the commands that exist.
func (c *commands) write(ctx context.Context, rows []*commandRow, written map[string]ending) error {
	var ids, nodes, codes, errs, stages, tails []string
	var ended []time.Time
	var oks []bool
	var data []*string
	for _, r := range rows {
		ids, nodes, ended, oks = append(ids, r.ID), append(nodes, r.NodeID), append(ended, *r.EndedAt), append(oks, r.OK)
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

// tellEnded wakes who waits: here with the result that is durable now, on other panels by a notification. A lost one only
// costs the time until they look again.
func (c *commands) tellEnded(done []*commandRow) {
	for _, row := range done {
		result := row.result()
		c.ended(row.NodeID, row.ID, &result)
		c.news.add(row.NodeID + "/" + row.ID)
	}
}

func (c *commands) tellOthers(ctx context.Context, news []string) {
	const together = 100
	var messages []string
	for part := range slices.Chunk(news, together) {
		messages = append(messages, resultChannel+" "+strings.Join(part, ","))
	}
	if err := database.NotifyAll(ctx, c.db.Pool, messages); err != nil {
		c.log.Warn("other panels look for results by themselves", zap.Error(err))
	}
}

func (c *commands) hear(payload string) {
	for news := range strings.SplitSeq(payload, ",") {
		node, id, _ := strings.Cut(news, "/")
		c.ended(node, id, nil)
	}
}

func (c *commands) ended(nodeID, id string, result *nodesapi.Result) {
	c.desk.finished(nodeID, id)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.waiters[id] {
		if result != nil {
			s.got = append(s.got, *result)
		} else {
			s.ended = append(s.ended, id)
		}
		select {
		case s.rang <- struct{}{}:
		default:
		}
	}
	delete(c.waiters, id)
}

// Await waits until all have ended or the context ends. It asks the database for what has ended, not for everything again.
func (c *commands) Await(ctx context.Context, ids ...string) ([]nodesapi.Result, error) {
	s := c.expect(ids)
	defer c.giveUp(s, ids)
	got := make(map[string]nodesapi.Result, len(ids))
	for look := ids; ; look = c.next(ctx, s, got, ids) {
		if len(look) > 0 {
			found, err := c.Results(ctx, look...)
			if err != nil {
				return nil, err
			}
			maps.Copy(got, found)
		}
		if len(got) == len(ids) {
			return inOrder(got, ids), nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("waiting for agents: %w", ctx.Err())
		}
	}
}

func inOrder(got map[string]nodesapi.Result, ids []string) []nodesapi.Result {
	results := make([]nodesapi.Result, len(ids))
	for i, id := range ids {
		results[i] = got[id]
	}
	return results
}

// next takes what has ended and gives what must be read; after a while that is everything that is missing.
func (c *commands) next(ctx context.Context, s *signal, got map[string]nodesapi.Result, ids []string) []string {
	select {
	case <-ctx.Done():
		return nil
	case <-c.clock.After(lookAgain):
		return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { _, have := got[id]; return have })
	case <-s.rang:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, result := range s.got {
		got[result.ID] = result
	}
	ended := s.ended
	s.got, s.ended = nil, nil
	return ended
}

func (c *commands) expect(ids []string) *signal {
	s := &signal{rang: make(chan struct{}, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		c.waiters[id] = append(c.waiters[id], s)
	}
	return s
}

func (c *commands) giveUp(s *signal, ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		c.waiters[id] = slices.DeleteFunc(c.waiters[id], func(other *signal) bool { return other == s })
		if len(c.waiters[id]) == 0 {
			delete(c.waiters, id)
		}
	}
}

// Results gives those that have ended; one whose deadline passed has ended with the code expired, and so has one that is gone,
// with its node or after a week.
func (c *commands) Results(ctx context.Context, ids ...string) (map[string]nodesapi.Result, error) {
	var rows []commandRow
	err := c.db.NewSelect().Model(&rows).ExcludeColumn("sealed").Where("id = any(?::uuid[])", pgdialect.Array(ids)).Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("reading results: %w", err), nil)
	}
	now, found := c.clock.Now(), make(map[string]nodesapi.Result, len(ids))
	for _, id := range ids {
		found[id] = nodesapi.Result{
			ID: id, Code: string(agentapi.CodeExpired), Error: "the order is gone, most likely with its node", FinishedAt: now.UTC(),
		}
	}
	for i := range rows {
		if rows[i].EndedAt != nil || !rows[i].Deadline.After(now) {
			found[rows[i].ID] = rows[i].result()
		} else {
			delete(found, rows[i].ID)
		}
	}
	return found, nil
}

func (row *commandRow) result() nodesapi.Result {
	result := nodesapi.Result{
		ID: row.ID, NodeID: row.NodeID, Kind: row.Kind, OK: row.OK, Code: row.Code, Error: row.Error, Stage: row.Stage,
		StderrTail: row.StderrTail, Data: row.Data,
	}
	if row.EndedAt == nil {
		result.Code, result.Error = string(agentapi.CodeExpired), "the agent did not answer in time; is its node online?"
		result.FinishedAt = row.Deadline.UTC()
		return result
	}
	result.FinishedAt = row.EndedAt.UTC()
	return result
}

// tidy removes results that nobody asks for any more.
func (c *commands) tidy(ctx context.Context) error {
	_, err := c.db.NewRaw("delete from node_commands where ended_at < ?0 or ended_at is null and deadline < ?0", c.clock.Now().Add(-keepResults)).Exec(ctx)
	return err
}
