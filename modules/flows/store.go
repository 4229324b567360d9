package flows

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/names"
	"panel/platform/vault"
)

// store is the rows of flows and the sealing of what is secret in them; it knows no rules.
type store struct {
	db    *database.DB
	vault *vault.Vault
}

func newStore(db *database.DB, v *vault.Vault) *store { return &store{db: db, vault: v} }

var constraints = map[string]*fault.Fault{
	"flows_name": fault.Conflict("name_taken", "another flow has this name").
		Field("name", "name_taken", "choose another name"),
	"flow_applies_active": fault.Conflict(
		"apply_active",
		"another change of this flow is being installed; wait for its end",
	),
}

// rekey gives flows the keys of their names.
func (s *store) rekey(ctx context.Context) error {
	return names.Rekey(ctx, s.db, "flows", "name", "name_key")
}

func (s *store) flow(ctx context.Context, id string) (*flowRow, error) {
	row := new(flowRow)
	err := s.db.In(ctx).NewSelect().Model(row).Where("id = ? and not deleting", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

// locked reads a flow for a change; other changes of it wait.
func (s *store) locked(ctx context.Context, id string) (*flowRow, error) {
	row := new(flowRow)
	err := s.db.In(ctx).NewSelect().Model(row).Where("id = ? and not deleting", id).For("update").Scan(ctx)
	return row, database.Fault(err, nil)
}

func (s *store) insert(ctx context.Context, row any) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) updateFlow(ctx context.Context, row *flowRow, columns ...string) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).Column(columns...).WherePK().Exec(ctx)
	return database.Fault(err, constraints)
}

// names gives the names of those of the flows that are there.
func (s *store) names(ctx context.Context, ids ...string) (map[string]string, error) {
	return s.namesBy(ctx, "id::text = any(?::text[])", ids, func(f *flowRow, out map[string]string) { out[f.ID] = f.Name })
}

// named gives the ids of flows by their names, in any case, or their ids.
func (s *store) named(ctx context.Context, wanted ...string) (map[string]string, error) {
	keys := map[string][]string{}
	for _, name := range wanted {
		keys[names.SearchKey(name)] = append(keys[names.SearchKey(name)], name)
		keys[name] = append(keys[name], name)
	}
	put := func(f *flowRow, out map[string]string) {
		for _, name := range append(keys[f.ID], keys[names.SearchKey(f.Name)]...) {
			out[name] = f.ID
		}
	}
	return s.namesBy(ctx, "(id::text = any(?0::text[]) or "+flowName+" = any(?0::text[]))",
		slices.Collect(maps.Keys(keys)), put)
}

func (s *store) namesBy(
	ctx context.Context, where string, given []string, put func(f *flowRow, out map[string]string),
) (map[string]string, error) {
	out := map[string]string{}
	if len(given) == 0 {
		return out, nil
	}
	var rows []flowRow
	args := new(database.Arguments)
	query := s.db.NewSelect().TableExpr("flows as f").ColumnExpr("f.id, f.name").Where("not deleting").
		Where(where, args.Add(given))
	err := database.Read(ctx, s.db, &rows, query, args)
	for i := range rows {
		put(&rows[i], out)
	}
	return out, database.Fault(err, nil)
}

func (s *store) plan(ctx context.Context, flowID, id string) (*planRow, error) {
	row := new(planRow)
	err := s.db.In(ctx).
		NewSelect().
		Model(row).
		ExcludeColumn("content").
		Where("id = ? and flow_id = ?", id, flowID).
		Scan(ctx)
	return row, database.Fault(err, nil)
}

// fragments reads what is installed: of one flow, or of all flows on some nodes.
func (s *store) fragments(ctx context.Context, where string, args ...any) ([]plan.Fragment, error) {
	var rows []fragmentRow
	if err := s.db.In(ctx).
		NewSelect().
		Model(&rows).
		Where(where, args...).
		Order("flow_id", "node_id").
		Scan(ctx); err != nil {
		return nil, database.Fault(err, nil)
	}
	out := make([]plan.Fragment, len(rows))
	for i, row := range rows {
		raw, err := s.vault.Open(fragmentRef(row.FlowID, row.NodeID), row.Content)
		if err != nil {
			return nil, fmt.Errorf("open the installed part of flow %s on node %s: %w", row.FlowID, row.NodeID, err)
		}
		if out[i], err = plan.ReadFragment(raw); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *store) installed(ctx context.Context, flowID string) (map[string]plan.Fragment, error) {
	list, err := s.fragments(ctx, "flow_id = ?", flowID)
	out := make(map[string]plan.Fragment, len(list))
	for _, f := range list {
		out[f.NodeID] = f
	}
	return out, err
}

func (s *store) othersOn(ctx context.Context, flowID string, nodeIDs []string) (map[string][]plan.Fragment, error) {
	if len(nodeIDs) == 0 {
		return nil, nil
	}
	list, err := s.fragments(ctx, "flow_id <> ? and node_id in (?)", flowID, bun.List(nodeIDs))
	out := map[string][]plan.Fragment{}
	for _, f := range list {
		out[f.NodeID] = append(out[f.NodeID], f)
	}
	return out, err
}

// replaceFragments makes these the installed parts of a flow.
func (s *store) replaceFragments(ctx context.Context, flowID string, fragments map[string]plan.Fragment) error {
	if _, err := s.db.In(ctx).NewDelete().Model((*fragmentRow)(nil)).Where("flow_id = ?", flowID).
		Exec(ctx); err != nil {
		return database.Fault(err, nil)
	}
	if len(fragments) == 0 {
		return nil
	}
	rows := make([]fragmentRow, 0, len(fragments))
	for _, f := range fragments {
		rows = append(rows, fragmentRow{
			FlowID: flowID, NodeID: f.NodeID, Hash: f.Identity(), ClientIDs: f.Clients, Listens: f.Listens,
			Content: s.vault.Seal(fragmentRef(flowID, f.NodeID), f.Bytes()),
		})
	}
	return database.Fault(database.Copy(ctx, s.db, rows), constraints)
}

// hashes gives what of a flow is installed on each node, by its hash.
func (s *store) hashes(ctx context.Context, flowID string) (map[string]string, error) {
	var rows []fragmentRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Column("node_id", "hash").Where("flow_id = ?", flowID).Scan(ctx)
	out := make(map[string]string, len(rows))
	for _, row := range rows {
		out[row.NodeID] = row.Hash
	}
	return out, database.Fault(err, nil)
}

// held lists the ports on some nodes that other flows have, or that their unfinished applies are about to take.
func (s *store) held(ctx context.Context, flowID string, nodeIDs []string) (map[string][]plan.Listen, error) {
	var rows []struct {
		NodeID  string
		Listens []plan.Listen `bun:",type:jsonb"`
	}
	err := s.db.In(ctx).
		NewRaw(`select node_id, listens from flow_fragments where flow_id <> ?0 and node_id = any(?1::text[])
		union all select l.key, l.value from flow_applies a cross join lateral jsonb_each(a.listens) l
		where a.finished_at is null and a.flow_id <> ?0 and l.key = any(?1::text[])`, flowID, pgdialect.Array(nodeIDs)).
		Scan(ctx, &rows)
	out := map[string][]plan.Listen{}
	for _, row := range rows {
		out[row.NodeID] = append(out[row.NodeID], row.Listens...)
	}
	return out, database.Fault(err, nil)
}

// insertApply stores a new apply with its steps.
func (s *store) insertApply(ctx context.Context, a *applyRow) error {
	if err := database.Copy(ctx, s.db, []applyRow{*a}); err != nil {
		return database.Fault(err, constraints)
	}
	rows := make([]applyStepRow, len(a.Steps))
	for i, step := range a.Steps {
		rows[i] = applyStepRow{ApplyID: a.ID, Position: i, NodeID: step.NodeID, Step: step}
	}
	return database.Fault(database.Copy(ctx, s.db, rows), constraints)
}

// stepsOf gives the steps of applies.
func (s *store) stepsOf(ctx context.Context, applyIDs ...string) (map[string][]stepRow, error) {
	var rows []applyStepRow
	out := map[string][]stepRow{}
	if len(applyIDs) == 0 {
		return out, nil
	}
	err := s.db.In(ctx).
		NewSelect().
		Model(&rows).
		Where("apply_id in (?)", bun.List(applyIDs)).
		Order("apply_id", "position").
		Scan(ctx)
	for _, row := range rows {
		out[row.ApplyID] = append(out[row.ApplyID], row.Step)
	}
	return out, database.Fault(err, nil)
}

// apply reads an apply with its steps.
func (s *store) apply(ctx context.Context, id string) (*applyRow, error) {
	row := new(applyRow)
	if err := s.db.In(ctx).NewSelect().Model(row).Where("id = ?", id).Scan(ctx); err != nil {
		return nil, database.Fault(err, nil)
	}
	steps, err := s.stepsOf(ctx, id)
	if err != nil {
		return nil, err
	}
	row.Steps = orEmpty(steps[id])
	row.saved, err = row.encoded()
	return row, err
}

// ended tells whether an apply is over, without reading its large row. Fault: not_found (404).
func (s *store) ended(ctx context.Context, id string) (over bool, err error) {
	err = s.db.In(ctx).NewRaw("select finished_at is not null from flow_applies where id = ?", id).Scan(ctx, &over)
	return over, database.Fault(err, nil)
}

func (s *store) version(ctx context.Context, flowID, id string) (*versionRow, error) {
	row := new(versionRow)
	err := s.db.In(ctx).NewSelect().Model(row).Where("id = ? and flow_id = ?", id, flowID).Scan(ctx)
	return row, database.Fault(err, nil)
}

// installedGraph gives the drawing of the installed version, or an empty one.
func (s *store) installedGraph(ctx context.Context, f *flowRow) (graph.Graph, error) {
	if f.InstalledVersionID == nil {
		return graph.Graph{}, nil
	}
	v, err := s.version(ctx, f.ID, *f.InstalledVersionID)
	if err != nil {
		return graph.Graph{}, err
	}
	return v.Graph, nil
}

// insertVersion numbers a version after the newest one; the flow's row is locked by the caller.
func (s *store) insertVersion(ctx context.Context, row *versionRow) error {
	err := s.db.In(ctx).
		NewSelect().
		Model((*versionRow)(nil)).
		ColumnExpr("coalesce(max(number), 0) + 1").
		Where("flow_id = ?", row.FlowID).
		Scan(ctx, &row.Number)
	if err != nil {
		return database.Fault(err, nil)
	}
	return s.insert(ctx, row)
}

// compiledWith notes that the installed version comes out the same with another version of the catalogue.
func (s *store) compiledWith(ctx context.Context, a *applyRow) error {
	_, err := s.db.In(ctx).NewRaw("update flow_versions set catalogue_version = ? where id = ? and graph = ?::jsonb",
		a.CatalogueVersion, a.VersionID, string(graph.Encode(*a.Graph))).Exec(ctx)
	return database.Fault(err, nil)
}

// Versions kept: the newest ones that were never applied, applied ones for a time (domain 4.18), and pinned ones for
// good, of which a flow has not more than so many.
const (
	unappliedKept = 30
	appliedKept   = 90 * 24 * time.Hour
	mostPinned    = 50
)

func (s *store) updateVersion(ctx context.Context, row *versionRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).Column("note", "pinned").WherePK().Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) countPinned(ctx context.Context, flowID string) (int64, error) {
	count, err := s.db.In(ctx).NewSelect().Model((*versionRow)(nil)).Where("flow_id = ? and pinned", flowID).Count(ctx)
	return count, database.Fault(err, nil)
}

func (s *store) pruneVersions(ctx context.Context, flowID string, now time.Time) error {
	_, err := s.db.In(ctx).ExecContext(ctx, `delete from flow_versions v using flows f
		where v.flow_id = ? and f.id = v.flow_id and v.id is distinct from f.installed_version_id and not v.pinned and (
			v.applied and v.created_at < ? or not v.applied and v.number <= coalesce((
				select number from flow_versions where flow_id = ? and not applied and not pinned
				order by number desc offset ? limit 1), 0))`,
		flowID, now.Add(-appliedKept), flowID, unappliedKept)
	return database.Fault(err, nil)
}
