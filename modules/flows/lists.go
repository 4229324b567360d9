package flows

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/stages"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/names"
)

// flowSorts are expressions of type text, so that a cursor holds any of them.
var flowSorts = map[string]string{
	"name":       flowName,
	"created_at": "to_char(f.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')",
	"updated_at": "to_char(f.updated_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')",
	worst:        "w.worst",
}

// worst is the sort by how much a flow needs somebody, then by name: no node of it serves, the last apply failed, some
// node does not serve, something else runs than was installed, all is well, it is off or was never installed.
const worst = "worst"

// worstFirst joins the rank of a flow. Values: the nodes that do not serve, those that do not run what they shall.
const worstFirst = `cross join lateral (select count(*) as all,
		count(*) filter (where g.node_id = any(?0::text[])) as down,
		count(*) filter (where g.node_id = any(?1::text[])) as drifted from flow_fragments g where g.flow_id = f.id) n
	cross join lateral (select case
		when f.enabled and n.all > 0 and n.down = n.all then '0'
		when a.stage = 'apply_failed' then '1'
		when not f.enabled or n.all = 0 then '5'
		when n.down > 0 then '2'
		when n.drifted > 0 or exists (select from flow_followups u
			where u.flow_id = f.id and (u.undo or (u.record ->> 'attempts')::int > 0)) then '3'
		else '4' end || ` + flowName + ` as worst) w`

// unwell are the nodes that make flows need somebody. They are read at most once in a while: sorting all flows takes
// all nodes of the fleet.
type unwell struct {
	mu            sync.Mutex
	at            time.Time
	down, drifted []string
}

const unwellTTL = 2 * time.Second

func (s *service) unwellNodes(ctx context.Context) (down, drifted []string, err error) {
	u := &s.unwell
	u.mu.Lock()
	defer u.mu.Unlock()
	if age := s.now().Sub(u.at); age >= 0 && age < unwellTTL {
		return u.down, u.drifted, nil
	}
	all, err := s.nodes.readings.Serving(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("look up which nodes serve: %w", err)
	}
	down, drifted = []string{}, []string{}
	for _, n := range all {
		switch {
		case !n.Online || n.CoreState != "running":
			down = append(down, n.ID)
		case n.RevisionInstalled != n.RevisionDesired:
			drifted = append(drifted, n.ID)
		}
	}
	u.at, u.down, u.drifted = s.now(), down, drifted
	return down, drifted, nil
}

// list gives flows by name or time; state, tag, node and name narrow it down in the database.
func (s *service) list(ctx context.Context, in *listInput) (httpapi.Page[Flow], error) {
	page := httpapi.Page[Flow]{Items: []Flow{}}
	sort := cmp.Or(in.Sort, "name")
	word, falling := strings.CutPrefix(sort, "-")
	by, known := flowSorts[word]
	if !known {
		return page, httpapi.ErrSort
	}
	after, err := httpapi.ReadCursor(in.Cursor, sort, httpapi.CursorText)
	if err != nil {
		return page, err
	}
	args := new(database.Arguments)
	where, values := flowFilter(in, args)
	order, compare := " asc", " > "
	if falling {
		order, compare = " desc", " < "
	}
	var rows []shownRow
	matching := s.db.NewSelect().Model((*flowRow)(nil)).ColumnExpr("count(*)").Where(where, values...)
	ids := s.db.NewSelect().TableExpr("flows as f").ColumnExpr(by+" as sort_key").
		ColumnExpr("(?) as total", matching).Where(where, values...).
		OrderExpr(by + order + ", f.id" + order).Limit(int64(in.Limit) + 1)
	if word == worst {
		down, drifted, err := s.unwellNodes(ctx)
		if err != nil {
			return page, err
		}
		ids = ids.Join("left join flow_applies as a on a.id = f.last_apply_id").
			Join(worstFirst, args.Add(down), args.Add(drifted))
	}
	if after != nil {
		ids = ids.Where("("+by+", f.id)"+compare+"(?, ?)", args.Add(after.Value), args.Add(after.ID))
	}
	q := s.shownFlows(ids, args).OrderExpr("p.sort_key" + order + ", p.id" + order)
	if err := database.Read(ctx, s.db, &rows, q, args); err != nil {
		return page, database.Fault(err, nil)
	}
	if len(rows) > 0 {
		page.Total = rows[0].Total
	} else if page.Total, err = s.matching(ctx, in); err != nil {
		return page, err
	}
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		last := rows[in.Limit-1]
		page.NextCursor = httpapi.Cursor{Sort: sort, Value: last.SortKey, ID: last.ID}.Text()
	}
	page.Items, err = s.shown(ctx, rows)
	return page, err
}

// matching counts the flows of a page that has none: the filter keeps none, or the cursor is beyond the last.
func (s *service) matching(ctx context.Context, in *listInput) (int, error) {
	if in.Cursor == "" {
		return 0, nil
	}
	where, values := flowFilter(in, nil)
	total, err := s.db.NewSelect().Model((*flowRow)(nil)).Where(where, values...).Count(ctx)
	return int(total), database.Fault(err, nil)
}

// The state is a word for people that is worked out when it is shown; stateFilter says the same in SQL.
const stateFilter = `case
	when exists (select from flow_applies a where a.id = f.last_apply_id and a.finished_at is null) then 'applying'
	when exists (select from flow_applies a where a.id = f.last_apply_id and a.stage = 'apply_failed') then 'apply_failed'
	when f.installed_version_id is not null then 'applied'
	when f.compiled_revision = f.draft_revision then 'compiled' else 'draft' end`

func flowFilter(in *listInput, args *database.Arguments) (string, []any) {
	where, values := "not f.deleting", []any(nil)
	add := func(condition string, value any) {
		where, values = where+" and "+condition, append(values, args.Add(value))
	}
	if in.State != "" {
		add(stateFilter+" = ?", in.State)
	}
	if in.Tag != "" {
		add("? = any(f.tags)", in.Tag)
	}
	if in.NodeID != "" {
		add("exists (select from flow_fragments g where g.flow_id = f.id and g.node_id = ?)", in.NodeID)
	}
	if in.Q != "" {
		add("strpos("+flowName+", ?) > 0", names.SearchKey(in.Q))
	}
	return where, values
}

// versionList has the newest version first.
var versionList = httpapi.ShortList[Version]{
	ID: func(v Version) string { return v.ID }, Usual: "-number",
	Sorts: map[string]func(a, b Version) int{
		"number": func(a, b Version) int { return cmp.Compare(a.Number, b.Number) },
		"created_at": func(a, b Version) int {
			return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Number, b.Number))
		},
	},
}

func (s *service) listVersions(ctx context.Context, in *pageInput) (httpapi.Page[Version], error) {
	f, err := s.store.flow(ctx, in.ID)
	if err != nil {
		return httpapi.Page[Version]{}, err
	}
	var rows []versionRow
	err = s.db.In(ctx).NewSelect().Model(&rows).ExcludeColumn("graph").Where("flow_id = ?", in.ID).Scan(ctx)
	if err != nil {
		return httpapi.Page[Version]{}, database.Fault(err, nil)
	}
	all := make([]Version, len(rows))
	for i, row := range rows {
		all[i] = shownVersion(row, f)
	}
	return versionList.Page(all, in.PageQuery)
}

func (s *service) snapshot(ctx context.Context, flowID, id string) (VersionSnapshot, error) {
	f, err := s.store.flow(ctx, flowID)
	if err != nil {
		return VersionSnapshot{}, err
	}
	row, err := s.store.version(ctx, flowID, id)
	if err != nil {
		return VersionSnapshot{}, err
	}
	return VersionSnapshot{Version: shownVersion(*row, f), Graph: row.Graph}, nil
}

// listApplies gives the newest apply first.
func (s *service) listApplies(ctx context.Context, in *pageInput) (httpapi.Page[Apply], error) {
	page := httpapi.Page[Apply]{Items: []Apply{}}
	sort := cmp.Or(in.Sort, "-started_at")
	order, beyond := "started_at, id", "(started_at, id) > (?::timestamptz, ?::uuid)"
	switch sort {
	case "started_at":
	case "-started_at":
		order, beyond = "started_at desc, id desc", "(started_at, id) < (?::timestamptz, ?::uuid)"
	default:
		return page, httpapi.ErrSort
	}
	after, err := httpapi.ReadCursor(in.Cursor, sort, httpapi.CursorMoment)
	if err != nil {
		return page, err
	}
	if _, err := s.store.flow(ctx, in.ID); err != nil {
		return page, err
	}
	total, err := s.db.In(ctx).NewSelect().Model((*applyRow)(nil)).Where("flow_id = ?", in.ID).Count(ctx)
	if err != nil {
		return page, database.Fault(err, nil)
	}
	page.Total = int(total)
	var rows []applyRow
	q := s.db.In(ctx).NewSelect().Model(&rows).ExcludeColumn("content", "previous", "graph", "change", "listens").
		Where("flow_id = ?", in.ID).OrderExpr(order).Limit(int64(in.Limit) + 1)
	if after != nil {
		q = q.Where(beyond, after.Value, after.ID)
	}
	if err := q.Scan(ctx); err != nil {
		return page, database.Fault(err, nil)
	}
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		last := rows[in.Limit-1]
		page.NextCursor = httpapi.Cursor{
			Sort: sort, Value: last.StartedAt.UTC().Format(time.RFC3339Nano),
			ID: last.ID,
		}.Text()
	}
	page.Items, err = s.shownApplies(ctx, in.ID, rows)
	return page, err
}

// shownApplies turns rows, which have no steps yet, into what the API tells.
func (s *service) shownApplies(ctx context.Context, flowID string, rows []applyRow) ([]Apply, error) {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	steps, err := s.store.stepsOf(ctx, ids...)
	if err != nil {
		return nil, err
	}
	numbers, err := s.versionNumbers(ctx, flowID)
	out := make([]Apply, len(rows))
	for i, row := range rows {
		row.Steps = steps[row.ID]
		out[i] = shownApply(row, numbers)
	}
	return out, err
}

func (s *service) versionNumbers(ctx context.Context, flowID string) (map[string]int, error) {
	var rows []versionRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Column("id", "number").Where("flow_id = ?", flowID).Scan(ctx)
	out := make(map[string]int, len(rows))
	for _, v := range rows {
		out[v.ID] = v.Number
	}
	return out, database.Fault(err, nil)
}

func (s *service) shownApply(ctx context.Context, flowID, id string) (Apply, error) {
	row, err := s.store.apply(ctx, id)
	if err != nil {
		return Apply{}, err
	}
	if row.FlowID != flowID {
		return Apply{}, fault.Missing(fault.NoSuchThing)
	}
	numbers, err := s.versionNumbers(ctx, flowID)
	return shownApply(*row, numbers), err
}

func shownApply(row applyRow, numbers map[string]int) Apply {
	out := Apply{
		ApplyID: row.ID, FlowID: row.FlowID, Kind: row.Kind, State: "applying", Phase: row.Stage, PlanID: row.PlanID,
		Revision: row.Revision, VersionID: row.VersionID, Forced: row.Forced, BypassedChecks: orEmpty(row.Bypassed),
		Steps: []ApplyStep{}, Stages: orEmpty(row.Stages), Error: row.Error, Detail: row.Detail, Text: row.Text,
		CDN:        partOf(row.Stages, flowsapi.GroupCDN, "this plan changes no CDN"),
		ProxyPanel: partOf(row.Stages, flowsapi.GroupProxyPanel, "this plan changes no proxy panel"),
		StoppedBy:  row.StoppedBy, StartedBy: row.StartedBy, StartedAt: row.StartedAt, FinishedAt: row.FinishedAt,
	}
	if row.FinishedAt != nil {
		out.State = row.Stage
	}
	if row.Canary != nil {
		out.Canary, out.PromotedBy = &row.Canary.Canary, row.PromotedBy
	}
	if n, known := numbers[deref(row.VersionID)]; known {
		out.VersionNumber = &n
	}
	for _, step := range row.Steps {
		out.Steps = append(out.Steps, step.ApplyStep)
	}
	return out
}

// partOf sums up the stages of one part of the record: the first that is not done decides.
func partOf(records []stages.Record, part, none string) PartResult {
	out := PartResult{State: stages.Skipped, Detail: none}
	for _, rec := range records {
		switch {
		case rec.Part != part || rec.State == stages.Skipped:
		case rec.State == stages.Done:
			out = PartResult{State: stages.Done, Detail: rec.Detail.Text}
		case rec.Error != "":
			return PartResult{State: stages.Failed, Detail: rec.Error}
		default:
			return PartResult{State: stages.Pending, Detail: rec.Detail.Text}
		}
	}
	return out
}

// rendered shows the whole configuration of a node as the installed flows make it, with every secret masked.
func (s *service) rendered(ctx context.Context, flowID, nodeID string) (Rendered, error) {
	if _, err := s.store.flow(ctx, flowID); err != nil {
		return Rendered{}, err
	}
	all, err := s.store.fragments(
		ctx,
		"node_id = ? and exists (select from flow_fragments o where o.node_id = g.node_id and o.flow_id = ?)",
		nodeID,
		flowID,
	)
	if err != nil {
		return Rendered{}, err
	}
	if len(all) == 0 {
		return Rendered{}, fault.Missing("the flow has nothing installed on this node")
	}
	raw := plan.Render(all)
	out := Rendered{NodeID: nodeID, SHA256: plan.Digest(raw)}
	if out.Config, err = plan.Masked(raw); err != nil {
		return out, err
	}
	out.Served, err = plan.MaskedParts(all)
	return out, err
}
