// Package blocks keeps nodes from answering addresses for a time: blocks are a document of each node, which its agent
// puts into the packet filter of the host. Each block ends by itself there, also while panel and agent are away.
package blocks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/abuse/internal/watching"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// The words for what happens to blocks, in the journal and as events.
const (
	Object       = "abuse_block"
	EventBlocked = "abuse.blocked"
	EventLifted  = "abuse.unblocked"
)

// News is the data of an event about a block. It names no address: those who are told need not know it.
type News struct {
	Reason string    `json:"reason"`
	Until  time.Time `json:"until"`
}

// row is a block as it is stored.
type row struct {
	bun.BaseModel `bun:"table:abuse_blocks,alias:b"`

	ID        string     `bun:"id,pk,type:uuid"`
	Network   string     `bun:"network"`
	NodeIDs   []string   `bun:"node_ids,array"` // none: all
	Reason    string     `bun:"reason"`
	CreatedBy string     `bun:"created_by"`
	ActionID  *string    `bun:"action_id,type:uuid"`
	CaseID    *string    `bun:"case_id,type:uuid"`
	CreatedAt time.Time  `bun:"created_at"`
	Until     time.Time  `bun:"until"`
	LiftedAt  *time.Time `bun:"lifted_at"`
	LiftedBy  string     `bun:"lifted_by"`
	Placed    bool       `bun:"placed"` // in the documents of nodes
	SortKey   string     `bun:"sort_key,scanonly"`
}

// NewBlock is what somebody wants blocked.
type NewBlock struct {
	Network string     `json:"network" minLength:"2" maxLength:"64" doc:"An address, or a network such as 198.51.100.0/24"`
	Minutes int        `json:"minutes,omitempty" minimum:"1" maximum:"527040" doc:"After how many minutes it ends by itself; or give until"`
	Until   *time.Time `json:"until,omitempty" doc:"When it ends by itself; or give minutes"`
	NodeIDs []string   `json:"node_ids,omitempty" maxItems:"200" doc:"Only on these nodes; left out: on all"`
	Reason  string     `json:"reason" minLength:"1" maxLength:"500" doc:"For those who read it later"`
}

// Tools are what blocks work with.
type Tools struct {
	DB       *database.DB
	Clock    clockwork.Clock
	Journal  audit.Journal
	Bus      *events.Bus
	Watching *watching.Watching
	Fleet    nodesapi.Fleet
	Docs     nodesapi.Documents
	PanelURL string // as agents dial it
}

// Blocks blocks and lifts.
type Blocks struct {
	Tools
	lifted func(ctx context.Context) error
}

// New makes blocks. From now on they are among what agents are told.
func New(t Tools) *Blocks {
	b := &Blocks{t, func(context.Context) error { return nil }}
	t.Watching.Also(b.place)
	return b
}

// OnLifted has somebody told when a block of an act is lifted alone, in the transaction of that.
func (b *Blocks) OnLifted(told func(ctx context.Context) error) { b.lifted = told }

func (b *Blocks) now() time.Time { return b.Clock.Now().UTC().Truncate(time.Microsecond) }

var (
	errBlocked = fault.Conflict("block_active", "this is blocked already: lift it first to change it")
	errFull    = fault.Conflict("blocks_full",
		fmt.Sprintf("nodes take at most %d blocks: lift some, or name networks", agentapi.MaxBlocks))
	errOver = fault.Conflict("block_over", "this block is over")
)

const longestTime = 366 * 24 * time.Hour

// Add blocks an address or network. Faults: refusals of Faults (409, 422), invalid_value (422).
func (b *Blocks) Add(ctx context.Context, in NewBlock) (Block, error) {
	now := b.now()
	until, err := in.ends(now)
	if err != nil {
		return Block{}, err
	}
	safe, err := b.Guards(ctx)
	if err != nil {
		return Block{}, err
	}
	network, err := safe.Judge(in.Network, "network")
	if err != nil {
		return Block{}, err
	}
	nodes, err := b.known(ctx, in.NodeIDs)
	if err != nil {
		return Block{}, err
	}
	r := &row{
		ID: database.NewID(), Network: Text(network), NodeIDs: nodes, Reason: strings.TrimSpace(in.Reason),
		Until: until, CreatedBy: access.From(ctx).Name(), CreatedAt: now,
	}
	err = b.DB.InTx(ctx, func(ctx context.Context) error {
		if err := b.once(ctx, r); err != nil {
			return err
		}
		if err := b.insert(ctx, r); err != nil {
			return err
		}
		if err := b.Watching.Soon(ctx); err != nil {
			return err
		}
		return b.publish(ctx, EventBlocked, r)
	})
	if err != nil {
		return Block{}, err
	}
	return b.Get(ctx, r.ID)
}

func (n *NewBlock) ends(now time.Time) (time.Time, error) {
	var until time.Time
	if n.Until != nil {
		until = n.Until.UTC().Truncate(time.Microsecond)
	} else {
		until = now.Add(time.Duration(n.Minutes) * time.Minute)
	}
	switch {
	case strings.TrimSpace(n.Reason) == "":
		return until, fault.InvalidValue("reason", "say why, for those who read it later")
	case (n.Until != nil) == (n.Minutes > 0):
		return until, fault.InvalidValue("minutes", "give minutes or until")
	case !until.After(now) || until.Sub(now) > longestTime:
		return until, fault.InvalidValue("until", "must lie in the future, within a year")
	}
	return until, nil
}

// known are the named nodes, each once. Fault: invalid_value (422).
func (b *Blocks) known(ctx context.Context, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return []string{}, nil
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	found, err := b.Fleet.Nodes(ctx, database.OnlyIDs(ids)...)
	if err != nil {
		return nil, fmt.Errorf("read the nodes that are to block: %w", err)
	}
	for _, id := range ids {
		if !slices.ContainsFunc(found, func(n nodesapi.Node) bool { return n.ID == id }) {
			return nil, fault.InvalidValue("node_ids", "there is no such node")
		}
	}
	return ids, nil
}

// once refuses what is blocked already by a block of its own.
func (b *Blocks) once(ctx context.Context, r *row) error {
	var blocked bool
	err := b.DB.In(ctx).NewRaw(`select exists (select from abuse_blocks
		where network = ? and lifted_at is null and until > ?
			and action_id is null and node_ids = ?::uuid[])`, r.Network, r.CreatedAt, pgdialect.Array(r.NodeIDs)).
		Scan(ctx, &blocked)
	if err == nil && blocked {
		return errBlocked
	}
	return database.Fault(err, nil)
}

// insert stores a block while nodes take so many. Fault: blocks_full (409).
func (b *Blocks) insert(ctx context.Context, rows ...*row) error {
	var blocks int
	err := b.DB.In(ctx).NewRaw("select count(*) from abuse_blocks where lifted_at is null and until > ?", b.now()).
		Scan(ctx, &blocks)
	if err != nil {
		return database.Fault(err, nil)
	}
	if blocks+len(rows) > agentapi.MaxBlocks {
		return errFull
	}
	if _, err := b.DB.In(ctx).NewInsert().Model(&rows).Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("store a block: %w", err), nil)
	}
	return nil
}

// AddFor blocks networks for an act, in the transaction of the context.
func (b *Blocks) AddFor(
	ctx context.Context, actionID, caseID, reason string, until time.Time, networks []string,
) error {
	rows := make([]*row, len(networks))
	for i, one := range networks {
		rows[i] = &row{
			ID: database.NewID(), Network: one, NodeIDs: []string{}, Reason: reason, CreatedBy: access.From(ctx).Name(),
			ActionID: &actionID, CaseID: &caseID, CreatedAt: b.now(), Until: until,
		}
	}
	if err := b.insert(ctx, rows...); err != nil {
		return err
	}
	return b.Watching.Soon(ctx)
}

// LiftFor lifts what is left of the blocks of an act, in the transaction of the context.
func (b *Blocks) LiftFor(ctx context.Context, actionID, by string) error {
	_, err := b.DB.In(ctx).NewRaw(`update abuse_blocks set lifted_at = ?0, lifted_by = ?1
		where action_id = ?2 and lifted_at is null and until > ?0`, b.now(), by, actionID).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("lift the blocks of an act: %w", err), nil)
	}
	return b.Watching.Soon(ctx)
}

// Lift lifts a block before its end. Faults: not_found (404), block_over (409).
func (b *Blocks) Lift(ctx context.Context, id string) (Block, error) {
	if err := b.lift(ctx, id); err != nil {
		return Block{}, err
	}
	return b.Get(ctx, id)
}

func (b *Blocks) lift(ctx context.Context, id string) error {
	if !database.IsID(id) {
		return fault.Missing(fault.NoSuchThing)
	}
	return b.DB.InTx(ctx, func(ctx context.Context) error {
		r := new(row)
		now := b.now()
		err := b.DB.In(ctx).NewSelect().Model(r).Where("b.id = ?", id).For("update").Scan(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		if !r.live(now) {
			return errOver
		}
		r.LiftedAt, r.LiftedBy = &now, access.From(ctx).Name()
		if _, err := b.DB.In(ctx).NewUpdate().Model(r).Column("lifted_at", "lifted_by").WherePK().Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("lift a block: %w", err), nil)
		}
		if err := b.Watching.Soon(ctx); err != nil {
			return err
		}
		if r.ActionID != nil {
			if err := b.lifted(ctx); err != nil {
				return err
			}
		}
		return b.publish(ctx, EventLifted, r)
	})
}

// Remove lifts a block that holds, and takes one that is over from the list. Fault: not_found (404).
func (b *Blocks) Remove(ctx context.Context, id string) error {
	switch found, err := b.Get(ctx, id); {
	case err != nil:
		return err
	case found.State == Active:
		return b.lift(ctx, id)
	}
	_, err := b.DB.In(ctx).NewRaw("delete from abuse_blocks where id = ? and (lifted_at is not null or until <= ?)", id,
		b.now()).Exec(ctx)
	return database.Fault(err, nil)
}

func (r *row) live(now time.Time) bool { return r.LiftedAt == nil && r.Until.After(now) }

// publish writes the journal's line and emits the event of the same name, in the transaction of the change. The journal
// is kept longer than addresses of users: it names the network around them.
func (b *Blocks) publish(ctx context.Context, kind string, r *row) error {
	err := b.Journal.Record(ctx, b.DB.In(ctx), audit.Entry{
		Action: kind, Object: audit.Object{Type: Object, ID: r.ID, Name: around(r.Network)},
		Changes: map[string]audit.Change{"reason": {To: r.Reason}, "until": {To: r.Until}},
	})
	if err != nil {
		return fmt.Errorf("record a block: %w", err)
	}
	return b.Bus.Emit(ctx, events.Event{
		Kind: kind, SubjectID: r.ID, At: b.now(), Data: News{Reason: r.Reason, Until: r.Until},
	})
}

// Forget lets blocks go that were over before a moment: they name addresses of users.
func (b *Blocks) Forget(ctx context.Context, before time.Time) error {
	_, err := b.DB.In(ctx).NewRaw("delete from abuse_blocks where least(lifted_at, until) <= ?", before.UTC()).Exec(ctx)
	if err == nil { // what acts say of them goes with them
		_, err = b.DB.In(ctx).NewRaw(`update abuse_actions set result = jsonb_set(result, '{networks}', '[]')
			where ended_at <= ? and result->'networks' <> '[]'`, before.UTC()).Exec(ctx)
	}
	if err != nil {
		return database.Fault(fmt.Errorf("forget old blocks: %w", err), nil)
	}
	return nil
}

// States of a block.
const (
	Active = "active"
	Ended  = "ended"
	Lifted = "lifted"
)

// Filter chooses blocks of a page. What is empty chooses all.
type Filter struct {
	httpapi.PageQuery
	State, Network string
}
