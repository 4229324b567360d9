package lookups

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

type row struct {
	bun.BaseModel `bun:"table:abuse_lookups,alias:l"`

	ID        string     `bun:"id,pk,type:uuid"`
	Address   string     `bun:"address"`
	Port      int        `bun:"port"`
	Dest      string     `bun:"dest"`
	DestPort  int        `bun:"dest_port"`
	At        time.Time  `bun:"at"`
	Tolerance int        `bun:"tolerance_s"`
	Reason    string     `bun:"reason"`
	State     string     `bun:"state"`
	People    []Person   `bun:"people,type:jsonb"` // as signals told when it was asked
	More      bool       `bun:"more"`
	AskedBy   string     `bun:"asked_by"`
	AskedAt   time.Time  `bun:"asked_at"`
	EndsBy    time.Time  `bun:"ends_by"`
	EndedAt   *time.Time `bun:"ended_at"`
	SortKey   string     `bun:"sort_key,scanonly"`
}

// span is the time that the complaint may be about.
func (r *row) span() (from, to time.Time) {
	around := time.Duration(r.Tolerance) * time.Second
	return r.At.Add(-around).UTC(), r.At.Add(around).UTC()
}

func (r *row) object() audit.Object { return audit.Object{Type: Object, ID: r.ID, Name: r.Address} }

func (r *row) line() Line {
	return Line{
		ID: r.ID, Address: r.Address, Port: r.Port, Dest: r.Dest, DestPort: r.DestPort, At: r.At.UTC(),
		Tolerance: r.Tolerance, Reason: r.Reason, State: r.State, AskedBy: r.AskedBy, AskedAt: r.AskedAt.UTC(),
	}
}

type nodeRow struct {
	bun.BaseModel `bun:"table:abuse_lookup_nodes,alias:n"`

	LookupID  string     `bun:"lookup_id,pk,type:uuid"`
	NodeID    string     `bun:"node_id,pk,type:uuid"`
	Node      string     `bun:"node"`
	FlowIDs   []string   `bun:"flow_ids,array"`
	CommandID string     `bun:"command_id,type:uuid,nullzero"`
	State     string     `bun:"state"`
	Since     *time.Time `bun:"since"`
	More      bool       `bun:"more"`
	Error     string     `bun:"error"`
	People    []Person   `bun:"people,type:jsonb"`
}

func (n *nodeRow) shown() Node {
	out := Node{NodeID: n.NodeID, Node: n.Node, State: n.State, Error: n.Error}
	if n.Since != nil {
		at := n.Since.UTC()
		out.Since = &at
	}
	return out
}

var orders = map[string]keyset.Order{"asked_at": {Expression: "l.asked_at", Kind: httpapi.CursorMoment}}

// Page lists who asked what, the newest first.
func (l *Lookups) Page(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Line], err error) {
	k, err := keyset.New(query, "l.id", "-asked_at", orders)
	if err != nil {
		return page, err
	}
	var rows []row
	q := l.DB.In(ctx).NewSelect().Model(&rows).ExcludeColumn("people")
	if err := k.Apply(q, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list lookups: %w", err), nil)
	}
	total, err := l.DB.In(ctx).NewSelect().Model((*row)(nil)).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count lookups: %w", err), nil)
	}
	last := func(r *row) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*row).line, last), nil
}

// Get gives a question with its answer so far. Fault: not_found (404).
func (l *Lookups) Get(ctx context.Context, id string) (Lookup, error) {
	r, err := l.load(ctx, id, "")
	if err != nil {
		return Lookup{}, err
	}
	nodes, err := l.nodes(ctx, id)
	return shown(r, nodes), err
}

func (l *Lookups) load(ctx context.Context, id, lock string) (*row, error) {
	r := new(row)
	q := l.DB.In(ctx).NewSelect().Model(r).Where("l.id::text = ?", id)
	if database.IsID(id) {
		q = l.DB.In(ctx).NewSelect().Model(r).Where("l.id = ?", id)
	}
	if lock != "" {
		q = q.For(lock)
	}
	return r, database.Fault(q.Scan(ctx), nil)
}

func (l *Lookups) nodes(ctx context.Context, id string) (all []nodeRow, err error) {
	err = l.DB.In(ctx).NewSelect().Model(&all).Where("n.lookup_id = ?", id).OrderExpr("n.node, n.node_id").Scan(ctx)
	return all, database.Fault(err, nil)
}

func shown(r *row, nodes []nodeRow) Lookup {
	out := Lookup{Line: r.line(), Nodes: []Node{}, People: append([]Person{}, r.People...), More: r.More}
	for i := range nodes {
		out.Nodes = append(out.Nodes, nodes[i].shown())
		out.People = append(out.People, nodes[i].People...)
		out.More = out.More || nodes[i].More
	}
	slices.SortStableFunc(out.People, likelier)
	return out
}

// likelier puts those first who reached for what the complaint names, and who did so most often.
func likelier(a, b Person) int {
	if a.Exact != b.Exact {
		if a.Exact {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.Connections, a.Connections), cmp.Compare(a.UserRef, b.UserRef),
		cmp.Compare(a.FlowID+a.NodeID+a.From, b.FlowID+b.NodeID+b.From))
}
