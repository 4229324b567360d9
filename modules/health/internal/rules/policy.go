// Package rules is what health policies say: whom they speak of, what is looked at and how often, and when a subject
// counts as down. It knows no database.
package rules

// Policy is how the subjects of a scope are watched and judged.
type Policy struct {
	Scope            Scope    `json:"scope"`
	Checks           []Check  `json:"checks" minItems:"1" maxItems:"16" doc:"heartbeat, core and metric speak of nodes; tcp, udp, tls, tunnel and cert_expiry of what is installed; http and dns of what a node itself reaches. What cert_expiry and metric find is degraded, never down"`
	Vantages         Vantages `json:"vantages"`
	Quorum           int      `json:"quorum" minimum:"1" maximum:"9" doc:"Vantages that must see a subject down; where there are fewer, all of them"`
	FailureThreshold int      `json:"failure_threshold" minimum:"1" maximum:"20" doc:"Failures in a row that make a vantage say down"`
	SuccessThreshold int      `json:"success_threshold" minimum:"1" maximum:"20" doc:"Successes in a row that make it say up again"`
	Recheck          Recheck  `json:"recheck"`
	Flap             Flap     `json:"flap"`
	Repair           Repair   `json:"repair" doc:"What the panel does about what it sees"`
	Windows          []Window `json:"maintenance_windows" maxItems:"32" doc:"What fails meanwhile opens no incident"`
}

// Scope says whom a policy speaks of. The narrowest one counts: flow or node before pool before tag before all; of two
// tags, or pools, the policy whose name comes first.
type Scope struct {
	Kind string `json:"kind" enum:"all,tag,pool,node,connection_unit"`
	ID   string `json:"id,omitempty" maxLength:"64" doc:"Of the node or flow, or of the pool whose members it speaks of"`
	Tag  string `json:"tag,omitempty" maxLength:"64"`
}

// Check is one sort of looking.
type Check struct {
	Type      string `json:"type" enum:"heartbeat,core,tcp,udp,tls,tunnel,cert_expiry,http,dns,metric"`
	IntervalS int    `json:"interval_s,omitempty" minimum:"10" maximum:"3600" doc:"30 when left out, of tunnel 300, of cert_expiry 3600; heartbeat and core come with every heartbeat"`
	TimeoutS  int    `json:"timeout_s,omitempty" minimum:"1" maximum:"30" doc:"5 when left out"`
	Page      string `json:"page,omitempty" maxLength:"500" doc:"http: what each node must reach; only public addresses are asked"`
	Name      string `json:"name,omitempty" maxLength:"253" doc:"dns: the name that each node must resolve"`
	Days      int    `json:"days,omitempty" minimum:"1" maximum:"90" doc:"cert_expiry: how long before its end a certificate is told of; 14 when left out"`
	Metric    string `json:"metric,omitempty" enum:"cpu,memory,disk" doc:"metric: what of the node"`
	Above     int    `json:"above,omitempty" minimum:"1" maximum:"100" doc:"metric: percent that are too much; 90 when left out"`
}

// Vantages say who looks. A node never vouches for itself alone.
type Vantages struct {
	Panel  bool   `json:"panel" doc:"The panel looks as well"`
	Agents int    `json:"agents" minimum:"0" maximum:"8" doc:"How many other nodes look"`
	Tag    string `json:"tag,omitempty" maxLength:"64" doc:"Only nodes with this tag look"`
}

// Recheck is how quickly the first failure is looked into.
type Recheck struct {
	Count  int `json:"count" minimum:"0" maximum:"10"`
	EveryS int `json:"every_s" minimum:"1" maximum:"60"`
}

// Flap bounds how often a state may change before it is held at the worse one.
type Flap struct {
	MaxChanges int `json:"max_changes" minimum:"2" maximum:"100"`
	WindowS    int `json:"window_s" minimum:"60" maximum:"86400"`
}

// Window is a time of maintenance: once, from and until, or each week.
type Window struct {
	From     string   `json:"from,omitempty" format:"date-time" doc:"Once: its beginning"`
	Until    string   `json:"until,omitempty" format:"date-time" doc:"Once: its end"`
	Weekdays []string `json:"weekdays,omitempty" maxItems:"7" enum:"mon,tue,wed,thu,fri,sat,sun" doc:"Each week: its days"`
	Start    string   `json:"start,omitempty" maxLength:"5" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"Each week: 03:30"`
	Minutes  int      `json:"minutes,omitempty" minimum:"1" maximum:"1440" doc:"Each week: how long"`
	Zone     string   `json:"zone,omitempty" maxLength:"64" doc:"Each week: a time zone of the IANA list; UTC when left out"`
	Note     string   `json:"note,omitempty" maxLength:"200"`
}

// Repair says what the panel does about a subject that is down, and how much.
type Repair struct {
	Mode    string   `json:"mode" enum:"observe,suggest,auto" doc:"observe: it only notes what it would do; suggest: a person approves; auto: it acts"`
	Actions []string `json:"actions" maxItems:"5" enum:"restart_core,reapply_installed,withdraw_from_pool,switch_dns,hide_proxypanel_hosts" doc:"What it may do, tried in this order; none: it only tells"`
	Limits  Limits   `json:"limits"`
}

// Limits are the budget of repairs. One subject bears at most three in an hour.
type Limits struct {
	MaxActionsPerHour int `json:"max_actions_per_hour" minimum:"1" maximum:"1000" doc:"Of all subjects of the policy together"`
	CooldownS         int `json:"cooldown_s" minimum:"60" maximum:"86400" doc:"How long a subject is left alone after an action"`
	MaxPctOfPool      int `json:"max_pct_of_pool,omitempty" minimum:"1" maximum:"100" doc:"Share of a pool's members that withdraw_from_pool may take at once; one is always allowed where another is usable. 30 when left out"`
}
