package evidence

import (
	"time"

	"panel/platform/agentapi"
)

// Report is the part of a heartbeat that is shown.
type Report struct {
	AgentVersion string                `json:"agent_version"`
	Protocol     int                   `json:"protocol"`
	OS           string                `json:"os"`
	Arch         string                `json:"arch"`
	Hostname     string                `json:"hostname"`
	Capabilities []agentapi.Capability `json:"capabilities"`
	SkewMillis   int64                 `json:"skew_ms"`
	Core         agentapi.CoreReport   `json:"core"`
	PanelURL     string                `json:"panel_url,omitempty"`

	// CoreStart is by the panel's clock, so that the uptime goes on while the report does not change.
	CoreStart time.Time `json:"core_start,omitzero"`

	// Digest is that of the heartbeat, by which a panel knows whether the report is the one that came to it.
	Digest string `json:"digest,omitempty"`
}

// HostFacts is the part of a heartbeat that only the node's own page needs: what else runs on the host.
type HostFacts struct {
	Sockets   []agentapi.Socket   `json:"sockets"`
	Addresses []string            `json:"addresses"`
	Firewall  []agentapi.Firewall `json:"firewall"`

	Documents []agentapi.DocumentStatus `json:"documents,omitempty"`
}

// StateAt is the state of a node n from its report r, as SQL. Two missed heartbeats make an agent stale, ten make it
// lost.
func StateAt(at time.Time, heartbeat time.Duration) string {
	return StateBy(heartbeat, func(before time.Duration) string {
		return "timestamptz '" + at.Add(-before).UTC().Format(time.RFC3339Nano) + "'"
	})
}

// StateBy is StateAt for a query that names its moments in its own way, each so long before now.
func StateBy(heartbeat time.Duration, moment func(before time.Duration) string) string {
	return `case when n.disabled then 'disabled'
		when n.maintenance and (n.maintenance_until is null or n.maintenance_until > ` + moment(0) + `) then 'maintenance'
		when n.agent_access = 'none' or r.seen_at is null then 'pending'
		when n.agent_access = 'revoked' or r.seen_at <= ` + moment(10*heartbeat) + ` then 'offline'
		when r.seen_at <= ` + moment(2*heartbeat) + ` or r.core_state = 'failed' or r.cloned
			or n.desired_at <= ` + moment(time.Minute) + `
				and (r.config_hash <> n.desired_hash or n.desired_core and r.core_state = 'stopped') then 'degraded'
		else 'online' end`
}
