package cases

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/abuse/internal/score"
	"panel/modules/abuse/internal/views"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
	"panel/platform/names"
)

// Named is something with its name.
type Named struct {
	ID   string `json:"id" format:"uuid"`
	Name string `json:"name" doc:"Empty: it is gone"`
}

// User is whom a case is about.
type User struct {
	Name  string `json:"name" doc:"As it was called when the case began, where it is gone"`
	Known bool   `json:"known" doc:"false: the client is gone"`
}

// Line is a case as lists show it.
type Line struct {
	ID             string           `json:"id" format:"uuid"`
	Number         int64            `json:"number" doc:"That people call it by"`
	UserRef        string           `json:"user_ref"`
	User           User             `json:"user"`
	NodeIDs        []string         `json:"node_ids" doc:"Whose agents saw it"`
	Nodes          []Named          `json:"nodes"`
	Flows          []Named          `json:"flows"`
	Score          int              `json:"score"`
	Most           int              `json:"most" doc:"The most that is possible"`
	Confidence     float64          `json:"confidence" doc:"0 to 1"`
	Recommended    score.Step       `json:"recommended" enum:"none,monitor,warn,soft_block,temp_block,hard_block"`
	State          string           `json:"state" enum:"open,dismissed,actioned,expired"`
	Why            score.Sentence   `json:"why" doc:"What counts most"`
	Signals        map[string]int64 `json:"signals" doc:"How often each kind came within a day, at most"`
	OpenedAt       time.Time        `json:"opened_at"`
	UpdatedAt      time.Time        `json:"updated_at"`
	ScoredAt       time.Time        `json:"scored_at"`
	ClosedAt       *time.Time       `json:"closed_at" doc:"null: it is live"`
	ClosedBy       string           `json:"closed_by" doc:"Empty: nobody, it ended by itself"`
	WhitelistUntil *time.Time       `json:"whitelist_until" doc:"Until then no case of this user is opened; null: one may be"`
	Reopened       int              `json:"reopened" doc:"How often it was opened again"`
	Earlier        int              `json:"earlier" doc:"Cases of this user before it"`
	Revision       int64            `json:"revision"`
}

// Case is all of a case.
type Case struct {
	Line
	Breakdown  []score.Part    `json:"breakdown"`
	Findings   []score.Finding `json:"findings" doc:"The newest first"`
	Incomplete []Incomplete    `json:"incomplete" doc:"What agents of these nodes do not see: there may be more than the score says"`
	Notes      []Note          `json:"notes" doc:"The newest last"`
	Actions    []Action        `json:"actions" doc:"What was done about the user in this case, the newest last"`
}

// Incomplete is a node of which not all is seen.
type Incomplete struct {
	NodeID    string `json:"node_id" format:"uuid"`
	Node      string `json:"node"`
	Why       string `json:"why" enum:"not_seen_whole,proxy_panel_serves" doc:"not_seen_whole: the agent does not see all sessions of some listeners; proxy_panel_serves: the node of a proxy panel has some entries, and no agent of ours"`
	Listeners int    `json:"listeners"`
}

// Note is what somebody wrote about a case.
type Note struct {
	ID   string    `json:"id" format:"uuid"`
	Text string    `json:"text"`
	By   string    `json:"by"`
	At   time.Time `json:"at"`
}

// Filter chooses cases of a page. What is empty chooses all.
type Filter struct {
	httpapi.PageQuery
	State, Recommended, UserRef, NodeID, Q string
	MinScore                               int
}

var orders = map[string]keyset.Order{
	"score":      {Expression: "c.score", Kind: httpapi.CursorNumber},
	"opened_at":  {Expression: "c.opened_at", Kind: httpapi.CursorMoment},
	"updated_at": {Expression: "c.updated_at", Kind: httpapi.CursorMoment},
}

// earlier counts the cases of the same user that began before.
const earlier = `(select count(*) from abuse_cases e where e.user_ref = c.user_ref and e.opened_at < c.opened_at) as earlier`

// Page lists cases, those that were opened last first.
func (c *Cases) Page(ctx context.Context, f Filter) (page httpapi.Page[Line], err error) {
	k, err := keyset.New(f.PageQuery, "c.id", "-opened_at", orders)
	if err != nil {
		return page, err
	}
	var rows []row
	q := f.chosen(c.DB.In(ctx).NewSelect().Model(&rows).ColumnExpr("c.*").ColumnExpr(earlier))
	if err := k.Apply(q, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list cases: %w", err), nil)
	}
	total, err := f.chosen(c.DB.In(ctx).NewSelect().Model((*row)(nil))).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count cases: %w", err), nil)
	}
	page = keyset.Page(k, rows, int(total), (*row).line, func(r *row) (string, string) { return r.SortKey, r.ID })
	return page, c.name(ctx, page.Items)
}

func (f *Filter) chosen(q *bun.SelectQuery) *bun.SelectQuery {
	for column, value := range map[string]string{
		"c.state": f.State, "c.recommended": f.Recommended, "c.user_ref": f.UserRef,
	} {
		if value != "" {
			q = q.Where(column+" = ?", value)
		}
	}
	switch {
	case f.NodeID == "":
	case database.IsID(f.NodeID):
		q = q.Where("c.node_ids @> array[?]::uuid[]", f.NodeID)
	default:
		q = q.Where("false")
	}
	if f.MinScore > 0 {
		q = q.Where("c.score >= ?", f.MinScore)
	}
	if f.Q == "" {
		return q
	}
	number, _ := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(f.Q), "#"), 10, 64) // 0 is no case's
	return q.Where("(strpos(c.label_key, ?) > 0 or strpos(c.user_ref, ?) > 0 or c.number = ?)", names.SearchKey(f.Q),
		strings.ToLower(f.Q), number)
}

func (r *row) line() Line {
	return Line{
		ID: r.ID, Number: r.Number, UserRef: r.UserRef, User: User{Name: r.Label}, NodeIDs: r.NodeIDs, Nodes: []Named{},
		Flows: named(r.FlowIDs, nil), Score: r.Score, Most: r.Most, Confidence: r.Confidence,
		Recommended: r.Recommended,
		State:       r.State, Why: r.why(), Signals: r.Signals, OpenedAt: r.OpenedAt.UTC(),
		UpdatedAt: r.UpdatedAt.UTC(),
		ScoredAt:  r.ScoredAt.UTC(), ClosedAt: utc(r.ClosedAt), ClosedBy: r.ClosedBy,
		WhitelistUntil: utc(r.WhitelistUntil), Reopened: r.Reopened, Earlier: r.Earlier, Revision: r.Revision,
	}
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	out := at.UTC()
	return &out
}

func named(ids []string, names map[string]string) []Named {
	out := make([]Named, len(ids))
	for i, id := range ids {
		out[i] = Named{ID: id, Name: names[id]}
	}
	return out
}

// name says what users, nodes and flows are called, each asked once.
func (c *Cases) name(ctx context.Context, all []Line) error {
	var refs, nodeIDs, flowIDs []string
	for i := range all {
		refs, nodeIDs = append(refs, all[i].UserRef), append(nodeIDs, all[i].NodeIDs...)
		for _, f := range all[i].Flows {
			flowIDs = append(flowIDs, f.ID)
		}
	}
	users, err := c.Views.Labels(ctx, refs...)
	if err != nil {
		return err
	}
	nodes, err := c.Views.NodeNames(ctx, distinct(nodeIDs)...)
	if err != nil {
		return err
	}
	flows, err := c.Views.FlowNames(ctx, distinct(flowIDs)...)
	if err != nil {
		return err
	}
	for i := range all {
		one := &all[i]
		if name, known := users[one.UserRef]; known {
			one.User = User{Name: name, Known: true}
		}
		one.Nodes = named(one.NodeIDs, nodes)
		for n := range one.Flows {
			one.Flows[n].Name = flows[one.Flows[n].ID]
		}
	}
	return nil
}

func distinct(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Get gives all of a case. Fault: not_found (404).
func (c *Cases) Get(ctx context.Context, id string) (Case, error) {
	r, err := c.load(ctx, id, "")
	if err != nil {
		return Case{}, err
	}
	lines := []Line{r.line()}
	if err := c.name(ctx, lines); err != nil {
		return Case{}, err
	}
	out := Case{
		Line: lines[0], Breakdown: r.Breakdown, Findings: r.Findings, Incomplete: []Incomplete{}, Notes: []Note{},
	}
	if err := c.incomplete(ctx, &out); err != nil {
		return Case{}, err
	}
	var notes []noteRow
	if out.Actions, err = c.actsOf(ctx, id); err != nil {
		return Case{}, err
	}
	err = c.DB.In(ctx).NewSelect().Model(&notes).Where("n.case_id = ?", id).OrderExpr("n.created_at, n.id").Scan(ctx)
	for _, n := range notes {
		out.Notes = append(out.Notes, Note{ID: n.ID, Text: n.Text, By: n.CreatedBy, At: n.CreatedAt.UTC()})
	}
	return out, database.Fault(err, nil)
}

func (c *Cases) load(ctx context.Context, id, lock string) (*row, error) {
	if !database.IsID(id) {
		return nil, fault.Missing(fault.NoSuchThing)
	}
	r := new(row)
	q := c.DB.In(ctx).NewSelect().Model(r).ColumnExpr("c.*").ColumnExpr(earlier).Where("c.id = ?", id)
	if lock != "" {
		q = q.For(lock)
	}
	return r, database.Fault(q.Scan(ctx), nil)
}

// incomplete are the nodes of a case whose agents do not see all.
func (c *Cases) incomplete(ctx context.Context, out *Case) error {
	var rows []struct {
		NodeID    string
		Listeners int
	}
	err := c.DB.In(ctx).NewRaw(`select node_id, count(*)::int as listeners from abuse_coverage
		where node_id = any(?::uuid[]) and not complete group by node_id order by node_id`, pgdialect.Array(out.NodeIDs)).
		Scan(ctx, &rows)
	if err != nil {
		return database.Fault(err, nil)
	}
	for _, one := range rows {
		out.unseen(one.NodeID, views.NotSeenWhole, one.Listeners)
	}
	if len(out.NodeIDs) == 0 {
		return nil
	}
	served, err := c.Views.ServedOn(ctx, out.NodeIDs...)
	for _, e := range served {
		out.unseen(e.NodeID, views.ProxyPanelServes, 1)
	}
	return err
}

// unseen counts listeners of a node that are not seen whole, for each reason.
func (c *Case) unseen(nodeID, why string, listeners int) {
	at := slices.IndexFunc(c.Incomplete, func(one Incomplete) bool { return one.NodeID == nodeID && one.Why == why })
	if at >= 0 {
		c.Incomplete[at].Listeners += listeners
		return
	}
	one := Incomplete{NodeID: nodeID, Why: why, Listeners: listeners}
	if i := slices.IndexFunc(c.Nodes, func(n Named) bool { return n.ID == nodeID }); i >= 0 {
		one.Node = c.Nodes[i].Name
	}
	c.Incomplete = append(c.Incomplete, one)
}
