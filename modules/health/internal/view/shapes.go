// Package view answers what is known of health: subjects with their evidence and history, and what is wrong.
package view

import "time"

// Subject is a node or flow with the verdict about it.
type Subject struct {
	Kind        string      `json:"kind" enum:"node,connection_unit"`
	ID          string      `json:"id" format:"uuid"`
	Name        string      `json:"name"`
	State       string      `json:"state" enum:"up,degraded,down,unknown" doc:"unknown: the evidence is missing or old"`
	Reason      string      `json:"reason" doc:"Why, in one word; empty while all is well"`
	Hint        string      `json:"hint" enum:",unreachable,route,panel_route,agent,core_failed,cert,dns,node" doc:"What is the cause as far as the evidence says; empty: nothing to say"`
	Since       time.Time   `json:"since" doc:"When the state began"`
	CheckedAt   *time.Time  `json:"checked_at" doc:"Age of the newest evidence; null: there is none"`
	Maintenance bool        `json:"maintenance" doc:"In maintenance, or a flow that suffers from nothing else than that of its nodes: watched, but opens no incident"`
	Flapping    bool        `json:"flapping" doc:"The state changes too often; it is held at the worse one"`
	Checks      []CheckCell `json:"checks" doc:"One for each kind of check, in the order of the layers"`
	Days        []Day       `json:"days" doc:"The last days, oldest first, as many as were asked for"`
}

// CheckCell is what all vantages say about one kind of check.
type CheckCell struct {
	Check     string     `json:"check" enum:"heartbeat,core,tcp,udp,tls,tunnel,cert_expiry,http,dns,metric"`
	State     string     `json:"state" enum:"up,degraded,down,unknown"`
	Reason    string     `json:"reason"`
	Up        int        `json:"up" doc:"Vantages that see it well"`
	Down      int        `json:"down" doc:"Vantages that see it down"`
	Unknown   int        `json:"unknown" doc:"Vantages whose evidence is missing or old"`
	LatencyMs *float64   `json:"latency_ms" doc:"Mean of the vantages that see it well; null: not measured"`
	CheckedAt *time.Time `json:"checked_at"`
}

// Day is how a subject did on one day, in UTC.
type Day struct {
	Day       string   `json:"day" format:"date"`
	State     string   `json:"state" enum:"up,degraded,down,unknown" doc:"The worst of the day that lasted a minute or more"`
	UpPct     *float64 `json:"up_pct" doc:"Share of the time that is known in which it was not down; null: nothing is known"`
	DownS     int      `json:"down_s" doc:"Seconds"`
	DegradedS int      `json:"degraded_s" doc:"Seconds"`
}

// SubjectDetail is a subject with its evidence.
type SubjectDetail struct {
	Subject
	PolicyID   string     `json:"policy_id,omitempty" format:"uuid"`
	PolicyName string     `json:"policy_name"`
	Quorum     int        `json:"quorum" doc:"Vantages that must see it down"`
	Evidence   []Evidence `json:"evidence"`
}

// Evidence is what one vantage says of one check.
type Evidence struct {
	CheckID       string     `json:"check_id,omitempty" format:"uuid" doc:"Absent for heartbeat and core, which agents report"`
	Check         string     `json:"check" enum:"heartbeat,core,tcp,udp,tls,tunnel,cert_expiry,http,dns,metric"`
	Target        string     `json:"target" doc:"What is looked at: host and port, a URL or a name"`
	ServerName    string     `json:"server_name,omitempty"`
	Vantage       Vantage    `json:"vantage"`
	State         string     `json:"state" enum:"up,down,unknown" doc:"By the thresholds of the policy"`
	Stale         bool       `json:"stale" doc:"Too old to count"`
	OK            *bool      `json:"ok" doc:"The last result by itself; null: none yet"`
	Reason        string     `json:"reason"`
	Error         string     `json:"error,omitempty" doc:"In the words of the system"`
	LatencyMs     *float64   `json:"latency_ms"`
	Failures      int        `json:"failures" doc:"In a row"`
	At            *time.Time `json:"at" doc:"Of the last result"`
	Since         *time.Time `json:"since" doc:"When the state began"`
	CertExpiresAt *time.Time `json:"cert_expires_at,omitempty"`
}

// Vantage is from where something is looked at.
type Vantage struct {
	Kind   string `json:"kind" enum:"panel,agent,self" doc:"self: the node's own agent"`
	NodeID string `json:"node_id,omitempty" format:"uuid"`
	Name   string `json:"name" doc:"Of the node; empty for the panel"`
}

// History is how a subject did over a period.
type History struct {
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	StepS   int       `json:"step_s" doc:"Seconds from one point to the next; 0: each result by itself"`
	Points  []Point   `json:"points" doc:"Oldest first, at most 2,000 for each check"`
	Changes []Change  `json:"changes" doc:"Oldest first, at most 500: the newest of the period"`
	Days    []Day     `json:"days" doc:"The days of the period, oldest first"`
}

// Point is what the results of one step say.
type Point struct {
	At        time.Time `json:"at"`
	Check     string    `json:"check" enum:"tcp,udp,tls,http,dns"`
	Results   int       `json:"results"`
	Failed    int       `json:"failed"`
	LatencyMs *float64  `json:"latency_ms"`
}

// Change is one change of a verdict.
type Change struct {
	At     time.Time `json:"at"`
	Was    string    `json:"was" enum:"up,degraded,down,unknown"`
	State  string    `json:"state" enum:"up,degraded,down,unknown"`
	Reason string    `json:"reason"`
	Hint   string    `json:"hint"`
}

// Summary is how the whole does.
type Summary struct {
	Nodes           Counts     `json:"nodes"`
	ConnectionUnits Counts     `json:"connection_units"`
	Watchers        Watchers   `json:"watchers"`
	CheckedAt       *time.Time `json:"checked_at" doc:"Of the newest evidence; null: there is none"`
	LateS           float64    `json:"late_s" doc:"Seconds that the panel's own checks are behind"`
	PanelCutOff     bool       `json:"panel_cut_off" doc:"The panel sees so much of the fleet go at once that its own route is the likely cause; its evidence does not count meanwhile"`
}

// Counts are subjects by their state.
type Counts struct {
	Total       int `json:"total"`
	Up          int `json:"up"`
	Degraded    int `json:"degraded"`
	Down        int `json:"down"`
	Unknown     int `json:"unknown"`
	Maintenance int `json:"maintenance" doc:"Of all these"`
}

// Watchers are the agents that look at others.
type Watchers struct {
	Able    int `json:"able" doc:"Agents that answer and can"`
	Lacking int `json:"lacking" doc:"Agents that answer and are too old for it"`
	Checks  int `json:"checks" doc:"What is looked at"`
	Pairs   int `json:"pairs" doc:"Checks times vantages"`
}
