package targets

import (
	"time"

	"panel/modules/targets/internal/verdict"
	"panel/platform/httpapi"
)

// Modes of a search: where its targets come from.
const (
	modeHosts      = "host_list"
	modeNetwork    = "cidr"
	modeNeighbours = "neighbours"
	modeOwn        = "own_domain"
	modeCheck      = "check"
)

// States of a search; all but the first are final.
const (
	stateRunning   = "running"
	stateDone      = "done"
	stateFailed    = "failed"
	stateCancelled = "cancelled"
)

// Reasons why a search failed.
const (
	reasonSilent      = "agent_silent"
	reasonInterrupted = "agent_restarted"
	reasonAgent       = "agent_failed"
	reasonLost        = "results_lost"
)

// NewSearch asks for a search.
type NewSearch struct {
	NodeID string   `json:"node_id" format:"uuid" doc:"Node whose agent tries the targets; what it finds counts for this node alone"`
	Mode   string   `json:"mode" enum:"host_list,cidr,neighbours,own_domain" doc:"host_list: inputs are hosts; cidr: networks of at most 256 addresses; neighbours: the /24 of the node's own address; own_domain: host names that the panel has bound to nodes"`
	Inputs []string `json:"inputs,omitempty" maxItems:"512" doc:"Of host_list, host or host:port each; of cidr, networks. At most 512 targets come out of them"`
	Port   int      `json:"port,omitempty" minimum:"1" maximum:"65535" doc:"Where an input names none; 443 when left out"`
	Limits *Limits  `json:"limits,omitempty"`
}

// Limits bound how a search treats its targets.
type Limits struct {
	Concurrency int `json:"concurrency,omitempty" minimum:"4" maximum:"32" doc:"Targets tried at once; 16 when left out"`
	Seconds     int `json:"timeout_s,omitempty" minimum:"1" maximum:"10" doc:"Longest time for one target; 10 when left out"`
}

// NewCheck asks for one target alone.
type NewCheck struct {
	NodeID     string `json:"node_id" format:"uuid"`
	Target     string `json:"target" minLength:"1" maxLength:"260" doc:"host or host:port"`
	ServerName string `json:"sni,omitempty" maxLength:"253" doc:"Name to ask for, where the target is an address or another name"`
}

// Search is one search.
type Search struct {
	ID        string     `json:"id" format:"uuid"`
	NodeID    string     `json:"node_id" format:"uuid"`
	NodeName  string     `json:"node_name"`
	Mode      string     `json:"mode" enum:"host_list,cidr,neighbours,own_domain,check"`
	State     string     `json:"state" enum:"running,done,failed,cancelled"`
	Reason    string     `json:"reason,omitempty" enum:"agent_silent,agent_restarted,agent_failed,results_lost" doc:"Why it failed"`
	Total     int        `json:"total" doc:"Targets to try"`
	Scanned   int        `json:"scanned" doc:"Targets with a result"`
	Found     int        `json:"found" doc:"Results that are suitable or acceptable"`
	Limits    Limits     `json:"limits"`
	StartedBy string     `json:"started_by"`
	CreatedAt time.Time  `json:"created_at"`
	EndedAt   *time.Time `json:"ended_at"`
	ExpiresAt time.Time  `json:"expires_at" doc:"When it is removed with its results"`
}

// Result is what one target showed and what it is worth for REALITY on the node that it was tried from.
type Result struct {
	ID          string           `json:"id" format:"uuid" doc:"A draft names it as target_result_id"`
	SearchID    string           `json:"search_id" format:"uuid"`
	NodeID      string           `json:"node_id" format:"uuid"`
	Target      string           `json:"target" doc:"host:port"`
	ServerName  string           `json:"sni" doc:"Name that was asked for; empty: none is known"`
	IP          string           `json:"ip"`
	TLSVersion  string           `json:"tls_version"`
	ALPN        string           `json:"alpn"`
	Group       string           `json:"group" doc:"Key exchange"`
	PostQuantum bool             `json:"post_quantum"`
	HTTP3       bool             `json:"h3"`
	Certificate *Certificate     `json:"cert"`
	Latency     *float64         `json:"latency_ms" doc:"Time to connect from the node"`
	RedirectsTo string           `json:"redirects_to" doc:"Host that the first page leads to; empty: none"`
	IsCDN       bool             `json:"is_cdn"`
	CDN         string           `json:"cdn" doc:"Network that it stands behind, where it is known"`
	NameMatches bool             `json:"dns_matches_ip" doc:"The name leads to the address"`
	OCSP        bool             `json:"ocsp" doc:"The handshake carried a proof that the certificate is not revoked"`
	Suitability string           `json:"suitability" enum:"suitable,acceptable,unsuitable,unknown"`
	Score       int              `json:"score" minimum:"0" maximum:"100"`
	Reasons     []verdict.Reason `json:"reasons"`
	CheckedAt   time.Time        `json:"checked_at"`
	ValidUntil  time.Time        `json:"valid_until"`
	Fresh       bool             `json:"fresh" doc:"A plan may use it now"`
}

// Certificate is what a target showed of itself.
type Certificate struct {
	Subject    string    `json:"subject"`
	Issuer     string    `json:"issuer"`
	NotAfter   time.Time `json:"not_after"`
	ChainValid bool      `json:"chain_valid"`
	NameValid  bool      `json:"name_valid"`
	Names      []string  `json:"sans"`
}

// SearchPath names a search in a path.
type SearchPath struct {
	ID string `path:"id" maxLength:"64"`
}

type listInput struct {
	httpapi.PageQuery
	NodeID string `query:"node_id" maxLength:"64" doc:"Searches of this node alone"`
}

type resultsInput struct {
	SearchPath
	httpapi.PageQuery
	Suitability string `query:"suitability" enum:"suitable,acceptable,unsuitable,unknown"`
}

type searchInput struct{ Body NewSearch }

type checkInput struct{ Body NewCheck }

type body[T any] struct{ Body T }
