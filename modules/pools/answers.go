package pools

import "time"

// PoolSummary is a pool in a list.
type PoolSummary struct {
	ID         string    `json:"id" format:"uuid"`
	Name       string    `json:"name"`
	Strategy   string    `json:"strategy"`
	Members    int       `json:"members"`
	Down       int       `json:"down" doc:"Members that no node can reach"`
	State      string    `json:"state" enum:"unused,unknown,healthy,degraded,down"`
	Fallback   string    `json:"fallback" enum:"block,direct,member,pool"`
	OnFallback bool      `json:"on_fallback" doc:"On some node the fallback carries the traffic"`
	Overridden bool      `json:"overridden"`
	Flows      int       `json:"flows" doc:"That use it in their drafts or in what is installed"`
	Revision   int64     `json:"revision"`
	CreatedAt  time.Time `json:"created_at"`
	UpdatedAt  time.Time `json:"updated_at"`
}

// Member is a node or a flow that a pool may send traffic to.
type Member struct {
	ID           string     `json:"id" format:"uuid"`
	Name         string     `json:"name" doc:"Of the node or the flow"`
	NodeID       string     `json:"node_id" doc:"Empty: it is a flow"`
	NodeName     string     `json:"node_name"`
	FlowID       string     `json:"flow_id" doc:"Empty: it is a node"`
	Weight       int        `json:"weight"`
	Priority     int        `json:"priority"`
	Enabled      bool       `json:"enabled"`
	Drain        bool       `json:"drain"`
	Resting      bool       `json:"resting" doc:"Its node is in maintenance or disabled, and gets no new traffic"`
	Withdrawn    bool       `json:"withdrawn,omitempty" doc:"Self-repair keeps new traffic from it until its node is well; absent: it does not"`
	State        string     `json:"state" enum:"unknown,healthy,degraded,down" doc:"From what all sending nodes say; down when all of them say so"`
	RTTMs        int64      `json:"rtt_ms" doc:"Longest delay that a sending node measured; 0: none"`
	Reason       string     `json:"reason"`
	Held         bool       `json:"held" doc:"It comes and goes too often, and is kept out for a while"`
	LastSwitchAt *time.Time `json:"last_switch_at" doc:"Since when the state is this; null while nobody has said"`
	// Health adds to the state and never replaces it.
	Health *MemberHealth `json:"health" doc:"What health checks see of its node or flow, which changes nothing by itself; null: they know nothing"`
}

// PoolUser is a flow that uses a pool.
type PoolUser struct {
	FlowID    string `json:"flow_id"`
	Name      string `json:"name"`
	Draft     bool   `json:"draft"`
	Installed bool   `json:"installed"`
}

// Switch is a moment from which other members carried the traffic.
type Switch struct {
	At             time.Time `json:"at"`
	NodeID         string    `json:"node_id"`
	NodeName       string    `json:"node_name"`
	FlowID         string    `json:"flow_id"`
	Serves         string    `json:"serves" enum:"members,override,fallback"`
	ActiveMemberID string    `json:"active_member_id,omitempty" doc:"The member that carries it, where it is one alone"`
	Usable         int       `json:"usable"`
	Reason         string    `json:"reason"`
}

// Pool is a transit pool.
type Pool struct {
	ID          string     `json:"id" format:"uuid"`
	Name        string     `json:"name"`
	Strategy    string     `json:"strategy" enum:"ordered,round_robin,random,least_ping,least_load,least_users,sticky"`
	Stickiness  string     `json:"stickiness" enum:"none,user,source"`
	Members     []Member   `json:"members"`
	Health      Health     `json:"health"`
	Fallback    Fallback   `json:"fallback"`
	MinHealthy  int        `json:"min_healthy"`
	Override    *Override  `json:"override"`
	UsedByFlows []PoolUser `json:"used_by_flows"`
	State       string     `json:"state" enum:"unused,unknown,healthy,degraded,down"`
	LastSwitch  *Switch    `json:"last_switch"`
	Revision    int64      `json:"revision"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
}

// Sighting is what one sending node says of one member.
type Sighting struct {
	MemberID string    `json:"member_id"`
	NodeID   string    `json:"node_id"`
	NodeName string    `json:"node_name"`
	FlowID   string    `json:"flow_id"`
	State    string    `json:"state" enum:"unknown,healthy,degraded,down"`
	RTTMs    int64     `json:"rtt_ms"`
	Reason   string    `json:"reason"`
	Error    string    `json:"error"`
	Held     bool      `json:"held"`
	Since    time.Time `json:"since"`
	At       time.Time `json:"at"`
}

// Status is what became of the members of a pool.
type Status struct {
	PoolID     string     `json:"pool_id"`
	State      string     `json:"state" enum:"unused,unknown,healthy,degraded,down"`
	MinHealthy int        `json:"min_healthy"`
	Override   *Override  `json:"override"`
	Members    []Member   `json:"members"`
	Nodes      []Switch   `json:"nodes" doc:"Who carries the traffic now, by the nodes that forward to the pool"`
	Seen       []Sighting `json:"seen"`
	Switches   []Switch   `json:"switches" doc:"The last 50, newest first"`
}
