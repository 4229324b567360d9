package nodes

import "time"

// Domain binds a host name to a node. The host name is derived and resolved by the panel.
type Domain struct {
	ID          string      `json:"id" format:"uuid"`
	NodeID      string      `json:"node_id" format:"uuid"`
	ZoneID      *string     `json:"zone_id"`
	Zone        string      `json:"zone" doc:"Domain that the host name lies in"`
	Hostname    string      `json:"hostname"`
	Mode        string      `json:"mode" enum:"direct,cdn,relay,reality_sni,static_site"`
	Record      Record      `json:"record"`
	DNSState    string      `json:"dns_state" enum:"pending,propagating,ok,mismatch,error"`
	ResolvedIPs []string    `json:"resolved_ips"`
	Certificate Certificate `json:"certificate"`
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
