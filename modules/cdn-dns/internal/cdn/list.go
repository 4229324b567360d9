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
	Kind          string    `json:"kind" enum:"cloudflare" doc:"The network"`
	DomainID      string    `json:"domain_id" format:"uuid"`
	Hostname      string    `json:"hostname"`
	IntegrationID string    `json:"integration_id" format:"uuid"`
	Zone          string    `json:"zone"`
	Record        Record    `json:"record"`
	State         string    `json:"state" enum:"provisioning,ready" doc:"ready: the network answers for the host name"`
	Made          bool      `json:"made" doc:"The panel made it and removes it; otherwise it stood there before"`
	FlowIDs       []string  `json:"flow_ids" doc:"Flows that are reached through it"`
	ApplyID       string    `json:"apply_id" format:"uuid" doc:"The apply that made it"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
}

// Record is the proxied record at a network: where it passes on to.
type Record struct {
	Type  string `json:"type" enum:"A,AAAA"`
	Value string `json:"value"`
}

func (r *resource) shown() Resource {
	return Resource{
		ID: r.ID, Kind: r.Kind, DomainID: r.DomainID, Hostname: r.Hostname, IntegrationID: r.IntegrationID,
		Zone: r.Zone, Record: Record{Type: r.Type, Value: r.Value}, State: r.State, Made: r.Phase != phaseFound,
		FlowIDs: append([]string{}, r.FlowIDs...), ApplyID: r.ApplyID, CreatedAt: r.CreatedAt.UTC(),
		UpdatedAt: r.UpdatedAt.UTC(),
	}
}

var orders = map[string]keyset.Order{
	"hostname":   {Expression: "c.hostname", Kind: httpapi.CursorText},
	"created_at": {Expression: "c.created_at", Kind: httpapi.CursorMoment},
}

// List pages through what stands at networks.
func (e *Engine) List(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Resource], err error) {
	k, err := keyset.New(query, "c.id", "hostname", orders)
	if err != nil {
		return page, err
	}
	var rows []resource
	all := e.DB.In(ctx).NewSelect().Model(&rows).ColumnExpr("c.*").
		ColumnExpr("array(select u.flow_id::text from cdn_uses u where u.domain_id = c.domain_id order by 1) as flow_ids")
	if err := k.Apply(all, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list what stands at CDNs: %w", err), nil)
	}
	total, err := e.DB.In(ctx).NewSelect().Model((*resource)(nil)).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count what stands at CDNs: %w", err), nil)
	}
	last := func(r *resource) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*resource).shown, last), nil
}
