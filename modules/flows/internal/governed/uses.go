package governed

import (
	"context"
	"slices"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/platform/database"
)

// Uses finds the flows that depend on what policies keep. It is flowsapi.PolicyUses.
type Uses struct{ DB *database.DB }

// CatalogueUses lists the flows that run with sets of the catalogue.
func (u Uses) CatalogueUses(ctx context.Context) ([]flowsapi.CatalogueUse, error) {
	var rows []struct {
		ID, Name         string
		Graph            graph.Graph `bun:",type:jsonb"`
		CatalogueVersion int
	}
	err := u.DB.In(ctx).NewRaw(`select f.id, f.name, v.graph, v.catalogue_version from flows f
		join flow_versions v on v.id = f.installed_version_id
		where v.catalogue_version > 0 and f.enabled and not f.deleting order by f.name, f.id`).Scan(ctx, &rows)
	out := make([]flowsapi.CatalogueUse, len(rows))
	for i, row := range rows {
		out[i] = flowsapi.CatalogueUse{
			FlowID: row.ID, FlowName: row.Name, Version: row.CatalogueVersion,
			Sets: slices.Sorted(slices.Values(graph.Sets(row.Graph))),
		}
	}
	return out, database.Fault(err, nil)
}

// PlanUses lists the flows that use one of these versions of custom plans.
func (u Uses) PlanUses(ctx context.Context, versionIDs ...string) ([]flowsapi.PlanUse, error) {
	var rows []flowsapi.PlanUse
	err := u.DB.In(ctx).NewRaw(`with drawn as (
			select f.id, f.name, b ->> 'plan_version_id' as version_id, true as draft, false as installed
			from flows f cross join jsonb_array_elements(f.graph -> 'nodes') b where not f.deleting
			union all
			select f.id, f.name, b ->> 'plan_version_id', false, true from flows f
			join flow_versions v on v.id = f.installed_version_id
			cross join jsonb_array_elements(v.graph -> 'nodes') b where not f.deleting)
		select version_id, id as flow_id, name as flow_name, bool_or(draft) as draft, bool_or(installed) as installed
		from drawn where version_id = any(?::text[]) group by 1, 2, 3 order by name, id, version_id`,
		pgdialect.Array(versionIDs)).Scan(ctx, &rows)
	return rows, database.Fault(err, nil)
}

// Names gives the names of flows that are there.
func (u Uses) Names(ctx context.Context, flowIDs ...string) (map[string]string, error) {
	out := map[string]string{}
	if len(flowIDs) == 0 {
		return out, nil
	}
	var rows []struct{ ID, Name string }
	err := u.DB.In(ctx).NewRaw("select id, name from flows where not deleting and id::text = any(?::text[])",
		pgdialect.Array(flowIDs)).Scan(ctx, &rows)
	for _, row := range rows {
		out[row.ID] = row.Name
	}
	return out, database.Fault(err, nil)
}
