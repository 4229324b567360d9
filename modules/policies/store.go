package policies

import (
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// store is rows and queries; it knows no rules. Each query takes part in the context's transaction.
type store struct{ db *database.DB }

var constraints = map[string]*fault.Fault{
	"policies_name": fault.Conflict("name_taken", "another policy has this name").
		Field("name", "name_taken", "choose another name"),
	"custom_plans_name": fault.Conflict("name_taken", "another custom plan has this name").
		Field("name", "name_taken", "choose another name"),
	"policy_flows_policy_id_fkey":             fault.Conflict("policy_in_use", "flows obey this policy; let them go first"),
	"custom_plan_versions_plan_id_number_key": httpapi.ErrRevision,
	"policy_catalogue_version_key":            httpapi.ErrRevision,
	"policy_flows_pkey":                       fault.Conflict("flow_has_policy", "a flow obeys another policy of this kind"),
}

var orders = map[string]keyset.Order{
	"name":       {Expression: `p.name_key collate "C"`, Kind: httpapi.CursorText},
	"created_at": {Expression: "p.created_at", Kind: httpapi.CursorMoment},
}

// listed reads a page of rows that have names.
func listed[R any](
	ctx context.Context, s *store, query httpapi.PageQuery, where func(*bun.SelectQuery) *bun.SelectQuery,
) (k *keyset.Keyset, rows []R, total int, err error) {
	if k, err = keyset.New(query, "p.id", "name", orders); err != nil {
		return k, nil, 0, err
	}
	q := s.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("p.*").Apply(where)
	if err := k.Apply(q, nil).Scan(ctx); err != nil {
		return k, nil, 0, database.Fault(fmt.Errorf("read a page: %w", err), nil)
	}
	n, err := s.db.In(ctx).NewSelect().Model((*R)(nil)).Apply(where).Count(ctx)
	return k, rows, int(n), database.Fault(err, nil)
}

func (s *store) policy(ctx context.Context, id string, lock bool) (row policyRow, err error) {
	err = s.one(ctx, &row, id, lock)
	return row, err
}

func (s *store) plan(ctx context.Context, id string, lock bool) (row planRow, err error) {
	err = s.one(ctx, &row, id, lock)
	return row, err
}

// one reads a row by its id; with lock nobody else changes it until the transaction ends. Fault: not_found (404).
func (s *store) one(ctx context.Context, row any, id string, lock bool) error {
	if !database.IsID(id) {
		return fault.Missing(fault.NoSuchThing)
	}
	q := s.db.In(ctx).NewSelect().Model(row).Where("p.id = ?", id)
	if lock {
		q = q.For("update")
	}
	return database.Fault(q.Scan(ctx), nil)
}

func (s *store) insert(ctx context.Context, row any) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) update(ctx context.Context, row any) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).ExcludeColumn("id", "created_at").WherePK().Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) delete(ctx context.Context, row any) error {
	_, err := s.db.In(ctx).NewDelete().Model(row).WherePK().Exec(ctx)
	return database.Fault(err, constraints)
}

// of gives the policies that a flow obeys, by their names.
func (s *store) of(ctx context.Context, flowID string) (rows []policyRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&rows).Join("join policy_flows f on f.policy_id = p.id").
		Where("f.flow_id = ?", flowID).OrderExpr("p.name_key, p.id").Scan(ctx)
	return rows, database.Fault(err, nil)
}

// flows gives by policy the flows that obey it.
func (s *store) flows(ctx context.Context, policyIDs ...string) (map[string][]string, error) {
	out := map[string][]string{}
	if len(policyIDs) == 0 {
		return out, nil
	}
	var rows []policyFlowRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("policy_id = any(?::uuid[])", pgdialect.Array(policyIDs)).
		OrderExpr("flow_id").Scan(ctx)
	for _, row := range rows {
		out[row.PolicyID] = append(out[row.PolicyID], row.FlowID)
	}
	return out, database.Fault(err, nil)
}

// assign makes these flows, and no others, obey a policy.
func (s *store) assign(ctx context.Context, p *policyRow, flowIDs []string) error {
	_, err := s.db.In(ctx).NewDelete().Model((*policyFlowRow)(nil)).
		Where("policy_id = ? and not flow_id = any(?::uuid[])", p.ID, pgdialect.Array(flowIDs)).Exec(ctx)
	if err == nil {
		_, err = s.db.In(ctx).NewRaw(`insert into policy_flows (flow_id, kind, policy_id)
			select f, ?, ? from unnest(?::uuid[]) f where not exists (
				select from policy_flows o where o.flow_id = f and o.policy_id = ?)`,
			p.Kind, p.ID, pgdialect.Array(flowIDs), p.ID).Exec(ctx)
	}
	return database.Fault(err, constraints)
}

// others gives those of the flows that obey another policy of the kind, with its name.
func (s *store) others(ctx context.Context, p *policyRow, flowIDs []string) (flowID, policy string, err error) {
	var rows []struct{ FlowID, Name string }
	err = s.db.In(ctx).NewRaw(`select f.flow_id, p.name from policy_flows f join policies p on p.id = f.policy_id
		where f.kind = ? and f.policy_id <> ? and f.flow_id = any(?::uuid[]) order by 1 limit 1`,
		p.Kind, p.ID, pgdialect.Array(flowIDs)).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return "", "", database.Fault(err, nil)
	}
	return rows[0].FlowID, rows[0].Name, nil
}

// catalogue reads a version of the catalogue, or the newest one for 0. Before the first save that is an empty one.
func (s *store) catalogue(ctx context.Context, version int) (row catalogueRow, found bool, err error) {
	var rows []catalogueRow
	q := s.db.In(ctx).NewSelect().Model(&rows).OrderExpr("version desc").Limit(1)
	if version > 0 {
		q = q.Where("version = ?", version)
	}
	if err := q.Scan(ctx); err != nil || len(rows) == 0 {
		return catalogueRow{}, false, database.Fault(err, nil)
	}
	return rows[0], true, nil
}

// catalogues reads versions of the catalogue.
func (s *store) catalogues(ctx context.Context, versions []int) (map[int]catalogueRow, error) {
	var rows []catalogueRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("version = any(?::int[])", pgdialect.Array(versions)).Scan(ctx)
	out := make(map[int]catalogueRow, len(rows))
	for _, row := range rows {
		out[row.Version] = row
	}
	return out, database.Fault(err, nil)
}

// lockCatalogue makes other saves wait, so that two of them never start from the same version.
func (s *store) lockCatalogue(ctx context.Context) error {
	_, err := s.db.In(ctx).ExecContext(ctx, "lock table policy_catalogue in share row exclusive mode")
	return database.Fault(err, nil)
}

// versions reads versions of custom plans with the names of their plans, the newest of a plan first.
func (s *store) versions(ctx context.Context, column string, ids ...string) (rows []versionRow, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = s.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("v.*, n.name as plan_name").
		Join("join custom_plans n on n.id = v.plan_id").
		Where("v."+column+" = any(?::uuid[])", pgdialect.Array(ids)).OrderExpr("v.plan_id, v.number desc").Scan(ctx)
	return rows, database.Fault(err, nil)
}

// enabledIn gives by version the policies that enable it, by their names.
func (s *store) enabledIn(ctx context.Context, versionIDs ...string) (map[string][]NamedPolicy, error) {
	out := map[string][]NamedPolicy{}
	var rows []struct{ VersionID, ID, Name string }
	err := s.db.In(ctx).NewRaw(`select e.version_id, p.id, p.name from policy_plans e join policies p on p.id = e.policy_id
		where e.version_id = any(?::uuid[]) order by p.name_key, p.id`, pgdialect.Array(versionIDs)).Scan(ctx, &rows)
	for _, row := range rows {
		out[row.VersionID] = append(out[row.VersionID], NamedPolicy{row.ID, row.Name})
	}
	return out, database.Fault(err, nil)
}

// allowed gives by policy the versions of custom plans that it enables.
func (s *store) allowed(ctx context.Context, policyIDs ...string) (map[string][]AllowedPlan, error) {
	out := map[string][]AllowedPlan{}
	var rows []struct {
		PolicyID, VersionID, PlanID, Name string
		Number                            int
	}
	err := s.db.In(ctx).NewRaw(`select e.policy_id, v.id as version_id, n.id as plan_id, n.name, v.number from policy_plans e
		join custom_plan_versions v on v.id = e.version_id join custom_plans n on n.id = v.plan_id
		where e.policy_id = any(?::uuid[]) order by n.name_key, v.number desc`, pgdialect.Array(policyIDs)).Scan(ctx, &rows)
	for _, row := range rows {
		out[row.PolicyID] = append(out[row.PolicyID], AllowedPlan{row.VersionID, row.PlanID, row.Name, row.Number})
	}
	return out, database.Fault(err, nil)
}

// enable notes that a policy enables a version, or does so no more, and says whether that is news.
func (s *store) enable(ctx context.Context, policyID, versionID string, on bool) (bool, error) {
	row := enabledRow{PolicyID: policyID, VersionID: versionID}
	if !on {
		done, err := s.db.In(ctx).NewDelete().Model(&row).WherePK().Exec(ctx)
		if err != nil {
			return false, database.Fault(err, nil)
		}
		n, err := done.RowsAffected()
		return n > 0, database.Fault(err, nil)
	}
	done, err := s.db.In(ctx).NewInsert().Model(&row).On("conflict do nothing").Exec(ctx)
	if err != nil {
		return false, database.Fault(err, nil)
	}
	n, err := done.RowsAffected()
	return n > 0, database.Fault(err, nil)
}

// history reads a page of the versions of the catalogue.
func (s *store) history(ctx context.Context, k *keyset.Keyset) (rows []catalogueRow, total int, err error) {
	q := s.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("c.*")
	if err := k.Apply(q, nil).Scan(ctx); err != nil {
		return nil, 0, database.Fault(fmt.Errorf("list the versions of the catalogue: %w", err), nil)
	}
	n, err := s.db.In(ctx).NewSelect().Model((*catalogueRow)(nil)).Count(ctx)
	return rows, int(n), database.Fault(err, nil)
}

// valid leaves out what can not be an id.
func valid(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !database.IsID(id) })
}
