package cdn

import (
	"context"
	"fmt"
	"time"

	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// Resource is what stands at a network for a host name.
type Resource struct {
	ID            string    `json:"id" format:"uuid"`
	Kind          string    `json:"kind" enum:"cloudflare,bunny,yandex" doc:"The network"`
	Object        string    `json:"object" enum:"record,front" doc:"A record in a zone, or what a CDN keeps for the host name"`
	DomainID      string    `json:"domain_id" format:"uuid"`
	Hostname      string    `json:"hostname"`
	IntegrationID string    `json:"integration_id" format:"uuid"`
	Zone          string    `json:"zone" doc:"Empty for a front"`
	Record        Record    `json:"record" doc:"Of a front: the type is FRONT, the value the address that it fetches from"`
	State         string    `json:"state" enum:"provisioning,ready" doc:"ready: the network answers for the host name"`
	Made          bool      `json:"made" doc:"The panel made it and removes it; otherwise it stood there before"`
	FlowIDs       []string  `json:"flow_ids" doc:"Flows that are reached through it"`
	ApplyID       string    `json:"apply_id" format:"uuid" doc:"The apply that made it"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
}

// Record is a proxied record: where the network passes on to. Or the alias that leads to a CDN.
type Record struct {
	Type  string `json:"type" enum:"A,AAAA,CNAME,FRONT"`
	Value string `json:"value"`
}

func (r *resource) shown() Resource {
	object := "record"
	if r.Type == typeFront {
		object = "front"
	}
	return Resource{
		Object: object, ID: r.ID, Kind: r.Kind, DomainID: r.DomainID, Hostname: r.Hostname,
		IntegrationID: r.IntegrationID, Zone: r.Zone, Record: Record{Type: r.Type, Value: r.Value}, State: r.State,
		Made:    r.Phase != phaseFound,
		FlowIDs: append([]string{}, r.FlowIDs...), ApplyID: r.ApplyID, CreatedAt: r.CreatedAt.UTC(),
		UpdatedAt: r.UpdatedAt.UTC(),
	}
}

// typeFront stands in a list for what is no record.
const typeFront = "FRONT"

// both are the records and the fronts as rows of one list.
const both = `(select id, domain_id, hostname, kind, integration_id, zone_id, zone, type, value, provider_id, phase,
		state, apply_id, created_at, updated_at from cdn_resources
	union all select id, domain_id, hostname, kind, integration_id, '', '', 'FRONT', origin,
		coalesce(marks ->> 'resource', ''), 'written', state, apply_id, created_at, updated_at from cdn_fronts) as c`

var orders = map[string]keyset.Order{
	"hostname":   {Expression: "c.hostname", Kind: httpapi.CursorText},
	"created_at": {Expression: "c.created_at", Kind: httpapi.CursorMoment},
}

// Counts tells how much stands at networks, by its state.
func (e *Engine) Counts(ctx context.Context) (map[string]float64, error) {
	var rows []struct {
		State string
		Many  float64
	}
	err := e.DB.In(ctx).NewSelect().TableExpr(both).ColumnExpr("c.state, count(*)::float8 as many").Group("c.state").
		Scan(ctx, &rows)
	counts := map[string]float64{StateProvisioning: 0, StateReady: 0}
	for _, row := range rows {
		counts[row.State] = row.Many
	}
	return counts, database.Fault(err, nil)
}

// List pages through what stands at networks.
func (e *Engine) List(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Resource], err error) {
	k, err := keyset.New(query, "c.id", "hostname", orders)
	if err != nil {
		return page, err
	}
	var rows []resource
	all := e.DB.In(ctx).NewSelect().Model(&rows).ModelTableExpr(both).ColumnExpr("c.*").
		ColumnExpr("array(select u.flow_id::text from cdn_uses u where u.domain_id = c.domain_id order by 1) as flow_ids")
	if err := k.Apply(all, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list what stands at CDNs: %w", err), nil)
	}
	total, err := e.DB.In(ctx).NewSelect().TableExpr(both).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count what stands at CDNs: %w", err), nil)
	}
	last := func(r *resource) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*resource).shown, last), nil
}
