package flows

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"panel/modules/flows/internal/plan"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// A cursor names the last row of the page before: what it was sorted by, and its id.
func cursorOf(key, id string) *string {
	text := base64.RawURLEncoding.EncodeToString([]byte(id + " " + key))
	return &text
}

var errCursor = fault.Malformed("bad_parameter", "the cursor is not one that this list gave; start from the first page").
	Field("cursor", "bad_parameter", "start from the first page")

func readCursor(cursor string) (key, id string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	id, key, found := strings.Cut(string(raw), " ")
	if err != nil || !found || !database.IsID(id) || strings.ContainsRune(key, 0) {
		return "", "", errCursor
	}
	return key, id, nil
}

// sorting reads how a list is to be sorted; nothing asked is the first field as it stands here. Fault: bad_parameter (400).
func sorting(asked string, fields ...string) (field string, down bool, err error) {
	if asked == "" {
		asked = fields[0]
	}
	word, down := strings.CutPrefix(asked, "-")
	for _, f := range fields {
		if word == strings.TrimPrefix(f, "-") {
			return word, down, nil
		}
	}
	names := strings.ReplaceAll(strings.Join(fields, ", "), "-", "")
	return "", false, fault.Malformed("bad_parameter", "this list is sorted by "+names+"; put - before it to turn it round").
		Field("sort", "bad_parameter", "use one of "+names)
}

// turned puts a list that is sorted upwards into the order that was asked for.
func turned[T any](sorted []T, down bool) []T {
	if down {
		slices.Reverse(sorted)
	}
	return sorted
}

// pageOf cuts a page out of a list that is short by nature.
func pageOf[T any](all []T, q httpapi.PageQuery, id func(T) string) (httpapi.Page[T], error) {
	page := httpapi.Page[T]{Items: []T{}, Total: len(all)}
	if q.Cursor != "" {
		_, after, err := readCursor(q.Cursor)
		if err != nil {
			return page, err
		}
		at := slices.IndexFunc(all, func(item T) bool { return id(item) == after })
		all = all[at+1:]
	}
	page.Items = append(page.Items, all[:min(q.Limit, len(all))]...)
	if len(all) > q.Limit {
		page.NextCursor = cursorOf("", id(page.Items[q.Limit-1]))
	}
	return page, nil
}

// flowSorts are expressions of type text, so that a cursor holds any of them.
var flowSorts = map[string]string{
	"name":       "f.name",
	"created_at": "to_char(f.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')",
	"updated_at": "to_char(f.updated_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')",
}

// list gives flows by name or time; state, tag, server and name narrow it down in the database.
func (s *service) list(ctx context.Context, in *listInput) (httpapi.Page[Flow], error) {
	page := httpapi.Page[Flow]{Items: []Flow{}}
	word, down, err := sorting(in.Sort, "name", "created_at", "updated_at")
	if err != nil {
		return page, err
	}
	by := flowSorts[word]
	where, args := flowFilter(in)
	total, err := s.db.NewSelect().Model((*flowRow)(nil)).Where(where, args...).Count(ctx)
	if err != nil {
		return page, database.Fault(err, nil)
	}
	page.Total = int(total)
	order, compare := " asc", " > "
	if down {
		order, compare = " desc", " < "
	}
	var rows []flowRow
	q := s.db.NewSelect().Model(&rows).Where(where, args...).OrderExpr(by + order + ", f.id" + order).Limit(int64(in.Limit) + 1)
	if in.Cursor != "" {
		key, id, err := readCursor(in.Cursor)
		if err != nil {
			return page, err
		}
		q = q.Where("("+by+", f.id)"+compare+"(?, ?)", key, id)
	}
	if err := q.Scan(ctx); err != nil {
		return page, database.Fault(err, nil)
	}
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		last := rows[in.Limit-1]
		if page.NextCursor, err = s.flowCursor(ctx, by, last.ID); err != nil {
			return page, err
		}
	}
	page.Items, err = s.shown(ctx, rows)
	return page, err
}

// flowCursor asks the database for the sorted text, so that times compare as they were sorted.
func (s *service) flowCursor(ctx context.Context, by, id string) (*string, error) {
	var key string
	err := s.db.NewSelect().Model((*flowRow)(nil)).ColumnExpr(by).Where("id = ?", id).Scan(ctx, &key)
	return cursorOf(key, id), database.Fault(err, nil)
}

// The state is a word for people that is worked out when it is shown; stateFilter says the same in SQL.
const stateFilter = `case
	when exists (select from flow_applies a where a.id = f.last_apply_id and a.finished_at is null) then 'applying'
	when exists (select from flow_applies a where a.id = f.last_apply_id and a.stage = 'apply_failed') then 'apply_failed'
	when f.installed_version_id is not null then 'applied'
	when f.compiled_revision = f.draft_revision then 'compiled' else 'draft' end`

func flowFilter(in *listInput) (string, []any) {
	where, args := "not f.deleting", []any(nil)
	add := func(condition string, value any) { where, args = where+" and "+condition, append(args, value) }
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
		add("strpos(lower(f.name), ?) > 0", strings.ToLower(in.Q))
	}
	return where, args
}

// listVersions gives the newest version first; numbers rise with time, so that both fields mean the same order.
func (s *service) listVersions(ctx context.Context, in *pageInput) (httpapi.Page[Version], error) {
	_, down, err := sorting(in.Sort, "-number", "created_at")
	if err != nil {
		return httpapi.Page[Version]{}, err
	}
	f, err := s.store.flow(ctx, in.ID)
	if err != nil {
		return httpapi.Page[Version]{}, err
	}
	var rows []versionRow
	err = s.db.NewSelect().Model(&rows).ExcludeColumn("graph").Where("flow_id = ?", in.ID).Order("number").Scan(ctx)
	if err != nil {
		return httpapi.Page[Version]{}, database.Fault(err, nil)
	}
	all := make([]Version, len(rows))
	for i, row := range rows {
		all[i] = shownVersion(row, f)
	}
	return pageOf(turned(all, down), in.PageQuery, func(v Version) string { return v.ID })
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

func (s *service) listApplies(ctx context.Context, in *pageInput) (httpapi.Page[Apply], error) {
	page := httpapi.Page[Apply]{Items: []Apply{}}
	_, down, err := sorting(in.Sort, "-started_at")
	if err != nil {
		return page, err
	}
	order, beyond := "id", "id > ?" // ids rise with the time of the start
	if down {
		order, beyond = "id DESC", "id < ?"
	}
	if _, err := s.store.flow(ctx, in.ID); err != nil {
		return page, err
	}
	total, err := s.db.NewSelect().Model((*applyRow)(nil)).Where("flow_id = ?", in.ID).Count(ctx)
	if err != nil {
		return page, database.Fault(err, nil)
	}
	page.Total = int(total)
	var rows []applyRow
	q := s.db.NewSelect().Model(&rows).ExcludeColumn("content", "graph").Where("flow_id = ?", in.ID).Order(order).Limit(int64(in.Limit) + 1)
	if in.Cursor != "" {
		_, id, err := readCursor(in.Cursor)
		if err != nil {
			return page, err
		}
		q = q.Where(beyond, id)
	}
	if err := q.Scan(ctx); err != nil {
		return page, database.Fault(err, nil)
	}
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		page.NextCursor = cursorOf("", rows[in.Limit-1].ID)
	}
	numbers, err := s.versionNumbers(ctx, in.ID)
	for _, row := range rows {
		page.Items = append(page.Items, shownApply(row, numbers))
	}
	return page, err
}

func (s *service) versionNumbers(ctx context.Context, flowID string) (map[string]int, error) {
	var rows []versionRow
	err := s.db.NewSelect().Model(&rows).Column("id", "number").Where("flow_id = ?", flowID).Scan(ctx)
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
		ApplyID: row.ID, FlowID: row.FlowID, Kind: row.Kind, State: "applying", PlanID: row.PlanID, Revision: row.Revision,
		VersionID: row.VersionID, Forced: row.Forced, BypassedChecks: orEmpty(row.Bypassed), Steps: []ApplyStep{},
		CDN:        PartResult{State: "skipped", Detail: "this plan changes no CDN"},
		ProxyPanel: PartResult{State: "skipped", Detail: "this plan changes no proxy panel"},
		Error:      row.Error, Detail: row.Detail, StartedBy: row.StartedBy, StartedAt: row.StartedAt, FinishedAt: row.FinishedAt,
	}
	if row.FinishedAt != nil {
		out.State = row.Stage
	}
	if n, known := numbers[deref(row.VersionID)]; known {
		out.VersionNumber = &n
	}
	for _, step := range row.Steps {
		out.Steps = append(out.Steps, step.ApplyStep)
	}
	return out
}

// rendered shows the whole configuration of a server as the installed flows make it, with every secret masked.
func (s *service) rendered(ctx context.Context, flowID, nodeID string) (Rendered, error) {
	if _, err := s.store.flow(ctx, flowID); err != nil {
		return Rendered{}, err
	}
	all, err := s.store.fragments(ctx, "node_id = ? and exists (select from flow_fragments o where o.node_id = g.node_id and o.flow_id = ?)", nodeID, flowID)
	if err != nil {
		return Rendered{}, err
	}
	if len(all) == 0 {
		return Rendered{}, fault.Missing("the flow has nothing installed on this node")
	}
	raw := plan.Render(all)
	masked, err := plan.Masked(raw)
	return Rendered{NodeID: nodeID, SHA256: plan.Digest(raw), Config: masked}, err
}
