package domains

import (
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/domains/domainsapi"
	"panel/platform/audit"
)

// Domain binds a host name to a node. The host name is derived and resolved by the panel.
type Domain struct {
	ID          string      `json:"id" format:"uuid"`
	NodeID      string      `json:"node_id" format:"uuid"`
	MovingTo    *string     `json:"moving_to" format:"uuid" doc:"Node that it moves to when a flow that serves it there is applied; null: none"`
	ZoneID      *string     `json:"zone_id"`
	Zone        string      `json:"zone" doc:"Domain that the host name lies in"`
	Hostname    string      `json:"hostname"`
	Mode        string      `json:"mode" enum:"direct,cdn,relay,reality_sni,static_site"`
	Record      Record      `json:"record"`
	DNSState    string      `json:"dns_state" enum:"pending,propagating,ok,mismatch,error"`
	ResolvedIPs []string    `json:"resolved_ips"`
	Certificate Certificate `json:"certificate"`
	CDN         CDN         `json:"cdn"`
	UsedByFlows []string    `json:"used_by_flows"`
	OwnerID     string      `json:"owner_id"`
	CreatedAt   time.Time   `json:"created_at"`
	UpdatedAt   time.Time   `json:"updated_at"`
	Revision    int64       `json:"revision"`
}

// Record is the DNS record that the binding wants.
type Record struct {
	Type    string `json:"type" enum:"A,AAAA,CNAME"`
	TTL     int    `json:"ttl"`
	Proxied bool   `json:"proxied"`
}

// Certificate is the state of the binding's certificate.
type Certificate struct {
	State     string     `json:"state" enum:"none,issuing,valid,expiring,expired,failed"`
	Issuer    string     `json:"issuer"`
	NotAfter  *time.Time `json:"not_after"`
	Challenge string     `json:"challenge"`
	LastError string     `json:"last_error"`
}

// CDN is the network that the host name leads through, where its mode is cdn.
type CDN struct {
	IntegrationID *string `json:"integration_id" format:"uuid" doc:"The account at a CDN; null: the network of the DNS service that holds the zone"`
	Kind          string  `json:"kind" doc:"The network; empty while nothing stands there"`
	ResourceID    string  `json:"resource_id" doc:"What the network calls it"`
	CNAME         string  `json:"cname" doc:"Where the host name leads to; empty where it has a record of its own"`
	OriginHost    string  `json:"origin_host" doc:"Address that the network fetches from"`
	OriginPort    int     `json:"origin_port" doc:"0: the port that clients connect to"`
	State         string  `json:"state" enum:"absent,provisioning,ready"`
}

// domainRow is a binding as it is stored.
type domainRow struct {
	bun.BaseModel `bun:"table:node_domains,alias:d"`

	ID        string    `bun:"id,pk,type:uuid"`
	NodeID    string    `bun:"node_id,type:uuid"`
	ZoneID    *string   `bun:"zone_id,type:uuid"`
	Zone      string    `bun:"zone"`
	Label     string    `bun:"label"`
	Hostname  string    `bun:"hostname"`
	Mode      string    `bun:"mode"`
	TTL       int       `bun:"ttl"`
	CDNID     *string   `bun:"cdn_integration_id,type:uuid"`
	OwnerID   string    `bun:"owner_id,type:uuid"`
	CreatedAt time.Time `bun:"created_at"`
	UpdatedAt time.Time `bun:"updated_at"`
	Revision  int64     `bun:"revision"`
	MovingTo  *string   `bun:"moving_to,type:uuid"`
	MovedFrom *string   `bun:"moved_from,type:uuid"`
	SortKey   string    `bun:"sort_key,scanonly"`
	UsedBy    []string  `bun:"used_by,array,scanonly"`
	Total     int       `bun:"total,scanonly"` // of all that match

	Known []json.RawMessage `bun:"known,type:jsonb,scanonly"` // by the sources of states, in their order
}

func (row *domainRow) object() audit.Object {
	return audit.Object{Type: "node_domain", ID: row.ID, Name: row.Hostname}
}

// shown has no DNS and certificate state: nobody has checked, so the states say just that.
func (row *domainRow) shown() Domain {
	d := Domain{
		ID: row.ID, NodeID: row.NodeID, ZoneID: row.ZoneID, Zone: row.Zone, Hostname: row.Hostname, Mode: row.Mode,
		MovingTo: row.MovingTo, Record: Record{Type: "A", TTL: row.TTL, Proxied: row.Mode == modeCDN}, DNSState: "pending",
		ResolvedIPs: []string{}, CDN: CDN{IntegrationID: row.CDNID, State: "absent"},
		Certificate: Certificate{State: "none"}, UsedByFlows: row.UsedBy, OwnerID: row.OwnerID,
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(), Revision: row.Revision,
	}
	if d.UsedByFlows == nil {
		d.UsedByFlows = []string{}
	}
	return d
}

const modeCDN = "cdn"

// outside is the binding as other modules see it.
func (row *domainRow) outside() domainsapi.Domain {
	d := domainsapi.Domain{
		ID: row.ID, NodeID: row.NodeID, Zone: row.Zone, Hostname: row.Hostname, Mode: row.Mode, TTL: row.TTL,
		OwnerID: row.OwnerID,
	}
	if row.ZoneID != nil {
		d.ZoneID = *row.ZoneID
	}
	if row.CDNID != nil {
		d.CDNID = *row.CDNID
	}
	if row.MovingTo != nil {
		d.MovingTo = *row.MovingTo
	}
	if row.MovedFrom != nil {
		d.MovedFrom = *row.MovedFrom
	}
	return d
}
