package nodes

import (
	"time"

	"panel/platform/agentapi"
	"panel/platform/httpapi"
)

type body[T any] struct{ Body T }

// secretBody is an answer that nobody may keep.
type secretBody[T any] struct {
	CacheControl string `header:"Cache-Control"`
	Body         T
}

// NodePath names a node in a path.
type NodePath struct {
	ID string `path:"id" maxLength:"64"`
}

type listInput struct {
	httpapi.PageQuery
	State   string `query:"state" enum:"pending,online,degraded,offline,maintenance,disabled,attention" doc:"Only nodes in this state; attention is offline or degraded"`
	Tag     string `query:"tag" maxLength:"32" doc:"Only nodes with this tag"`
	Role    string `query:"role" enum:"entry,transit,exit,edge" doc:"Only nodes with this role"`
	Country string `query:"country" minLength:"2" maxLength:"2" doc:"Only nodes in this country"`
	Query   string `query:"q" maxLength:"64" doc:"Part of the name, the address or a tag"`
}

type briefInput struct {
	IDs   string `query:"ids" maxLength:"7500" doc:"These nodes, at most 200, with commas between their ids"`
	Query string `query:"q" maxLength:"64" doc:"Part of the name, the address or a tag"`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

type createInput struct{ Body createBody }

type createBody struct {
	Name        string   `json:"name" minLength:"3" maxLength:"64" pattern:"^[\\p{L}\\p{N}][\\p{L}\\p{N} ._-]*$" patternDescription:"letters, digits, spaces, dots, dashes"`
	Address     string   `json:"address,omitempty" maxLength:"253" doc:"Host name or IP address; empty: the address the agent enrols from"`
	IPs         []NodeIP `json:"ips,omitempty" maxItems:"64"`
	CountryCode string   `json:"country_code,omitempty" minLength:"2" maxLength:"2" pattern:"^[A-Z]{2}$"`
	Region      string   `json:"region,omitempty" maxLength:"64"`
	City        string   `json:"city,omitempty" maxLength:"64"`
	Roles       []string `json:"roles,omitempty" maxItems:"4" enum:"entry,transit,exit,edge"`
	Tags        []string `json:"tags,omitempty" maxItems:"20" minLength:"1" maxLength:"32"`
	Note        string   `json:"note,omitempty" maxLength:"1000"`

	ProviderID        string `json:"provider_id,omitempty" maxLength:"64" doc:"Whoever hosts the server, in your own words"`
	ProviderServerRef string `json:"provider_server_ref,omitempty" maxLength:"128" doc:"What the host calls the server"`
}

type patchInput struct {
	NodePath
	IfMatch string `header:"If-Match"`
	Body    patchBody
}

type patchBody struct {
	Revision    *int64    `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Name        *string   `json:"name,omitempty" minLength:"3" maxLength:"64" pattern:"^[\\p{L}\\p{N}][\\p{L}\\p{N} ._-]*$" patternDescription:"letters, digits, spaces, dots, dashes"`
	Address     *string   `json:"address,omitempty" maxLength:"253"`
	IPs         *[]NodeIP `json:"ips,omitempty" maxItems:"64"`
	CountryCode *string   `json:"country_code,omitempty" minLength:"2" maxLength:"2" pattern:"^[A-Z]{2}$"`
	Region      *string   `json:"region,omitempty" maxLength:"64"`
	City        *string   `json:"city,omitempty" maxLength:"64"`
	Roles       *[]string `json:"roles,omitempty" maxItems:"4" enum:"entry,transit,exit,edge"`
	Tags        *[]string `json:"tags,omitempty" maxItems:"20" minLength:"1" maxLength:"32"`
	Note        *string   `json:"note,omitempty" maxLength:"1000"`
	Disabled    *bool     `json:"disabled,omitempty" doc:"A disabled node keeps serving and is left out of everything new"`

	Traffic *trafficBody `json:"traffic,omitempty" doc:"What its hoster allows it to carry"`

	ProviderID        *string `json:"provider_id,omitempty" maxLength:"64" doc:"Whoever hosts the server, in your own words; empty: unknown"`
	ProviderServerRef *string `json:"provider_server_ref,omitempty" maxLength:"128" doc:"What the host calls the server"`
}

type trafficBody struct {
	LimitBytes *int64 `json:"limit_bytes,omitempty" minimum:"0" maximum:"1000000000000000000" doc:"In a month, of both directions together; 0: as much as it likes"`
	ResetDay   *int   `json:"reset_day,omitempty" minimum:"1" maximum:"31" doc:"Day on which the month begins, at midnight UTC"`
	NotifyPct  *int   `json:"notify_pct,omitempty" minimum:"1" maximum:"100" doc:"From which part of the limit on people are told"`
}

// into changes what a node may carry.
func (b *trafficBody) into(row *nodeRow) {
	if b == nil {
		return
	}
	if b.LimitBytes != nil {
		if row.TrafficLimit = b.LimitBytes; *b.LimitBytes == 0 {
			row.TrafficLimit = nil
		}
	}
	set(&row.TrafficResetDay, b.ResetDay)
	set(&row.TrafficNotifyPct, b.NotifyPct)
}

type maintenanceInput struct {
	NodePath
	Body maintenanceBody
}

type maintenanceBody struct {
	On     bool       `json:"on" doc:"true begins, false ends the maintenance"`
	Until  *time.Time `json:"until,omitempty" doc:"Ends by itself then"`
	Reason string     `json:"reason,omitempty" maxLength:"200"`
}

type bulkInput struct{ Body bulkBody }

type bulkBody struct {
	IDs        []string   `json:"ids" minItems:"1" maxItems:"200" minLength:"1" maxLength:"64" doc:"Nodes; each is acted on once"`
	Act        string     `json:"act" enum:"maintenance_on,maintenance_off,tags,disable,enable,restart_core,update_agent,delete"`
	Until      *time.Time `json:"until,omitempty" doc:"Of maintenance_on: ends by itself then"`
	Reason     string     `json:"reason,omitempty" maxLength:"200" doc:"Of maintenance_on"`
	AddTags    []string   `json:"add_tags,omitempty" maxItems:"20" minLength:"1" maxLength:"32" doc:"Of tags"`
	RemoveTags []string   `json:"remove_tags,omitempty" maxItems:"20" minLength:"1" maxLength:"32" doc:"Of tags"`
}

type logsInput struct {
	NodePath
	Body struct {
		Lines int `json:"lines,omitempty" minimum:"1" maximum:"2000" default:"200"`
	}
}

type operationPath struct {
	NodePath
	OperationID string `path:"operation_id" maxLength:"64"`
}

type metricsInput struct {
	NodePath
	Metric string `query:"metric" required:"true" enum:"cpu_pct,load1,mem_used,disk_used,net_rx_bps,net_tx_bps,rx_pps,tcp_established,conntrack_count,syncookies_ps,listen_drops_ps,sessions"`
	From   string `query:"from" format:"date-time" doc:"Default: an hour before to"`
	To     string `query:"to" format:"date-time" doc:"Default: now"`
}

type fleetMetricsInput struct {
	Metric string `query:"metric" required:"true" enum:"net_rx_bps,net_tx_bps,sessions,cpu_pct,online,degraded,offline"`
	From   string `query:"from" format:"date-time" doc:"Default: a day before to"`
	To     string `query:"to" format:"date-time" doc:"Default: now"`
}

type momentInput struct {
	At time.Time `query:"at" required:"true" doc:"A moment of the last 30 days"`
}

type stateChangesInput struct {
	NodeID string `query:"node_id" format:"uuid" doc:"Default: of all nodes"`
	From   string `query:"from" format:"date-time" doc:"Default: a day before to"`
	To     string `query:"to" format:"date-time" doc:"Default: now"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

type sparksInput struct {
	IDs    string `query:"ids" required:"true" maxLength:"2400" doc:"At most 64 ids of nodes with commas between them"`
	Metric string `query:"metric" enum:"net_tx_bps,net_rx_bps,cpu_pct,sessions" default:"net_tx_bps"`
}

type bindingInput struct {
	NodePath
	Body struct {
		Action string `json:"action,omitempty" enum:"bind,revoke" default:"bind" doc:"bind gives a one-off enrollment token for this node; revoke ends the agent's access at its next request"`
	}
}

// Binding is the outcome of an agent binding.
type Binding struct {
	Action     string       `json:"action" enum:"bind,revoke"`
	Enrollment *IssuedToken `json:"enrollment" doc:"Of bind"`
}

type tokensInput struct {
	httpapi.PageQuery
	State string `query:"state" enum:"active,used_up,expired,revoked"`
}

type tokenPath struct {
	TokenID string `path:"token_id" maxLength:"64"`
}

type tokenInput struct {
	Body struct {
		Kind           string   `json:"kind,omitempty" enum:"one_off,reusable" default:"one_off"`
		Label          string   `json:"label,omitempty" maxLength:"64"`
		ExpiresSeconds int      `json:"expires_in_seconds,omitempty" minimum:"60" maximum:"31536000" default:"86400"`
		UsageLimit     *int     `json:"usage_limit,omitempty" minimum:"1" maximum:"10000" doc:"Of a reusable token; absent: no limit"`
		AutoTags       []string `json:"auto_tags,omitempty" maxItems:"20" minLength:"1" maxLength:"32"`
		BindNodeID     *string  `json:"bind_node_id,omitempty" format:"uuid" doc:"The agent becomes that of this node"`
	}
}

type enrollInput struct{ Body agentapi.EnrollRequest }

type heartbeatInput struct{ Body agentapi.Heartbeat }

type configInput struct {
	Revision    int64  `query:"revision" minimum:"0" doc:"0 or absent: the desired one"`
	IfNoneMatch string `header:"If-None-Match"`
}

type configOutput struct {
	Status int
	ETag   string `header:"ETag"`
	Body   *agentapi.NodeConfig
}

type documentInput struct {
	Name        string `path:"name" maxLength:"64" doc:"config, clients, watches, pools, assets, challenges or blocks"`
	IfNoneMatch string `header:"If-None-Match"`
}

type documentOutput struct {
	Status int
	ETag   string `header:"ETag"`
	Body   *agentapi.Document
}

type configResultInput struct{ Body agentapi.ConfigResult }

type commandsInput struct {
	Wait int `query:"wait" minimum:"0" maximum:"25"`
}

type commandResultInput struct {
	ID   string `path:"id" maxLength:"64"`
	Body agentapi.CommandResult
}

type probeResultsInput struct {
	Body struct {
		Results []agentapi.CommandResult `json:"results" maxItems:"200"`
	}
}
