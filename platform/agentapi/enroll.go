package agentapi

// EnrollRequest turns an enrolment token into a node and an agent token. The token travels in the body only.
type EnrollRequest struct {
	Token        string       `json:"token" doc:"Enrollment token"`
	Name         string       `json:"name,omitempty" doc:"Wanted node name; empty lets the panel derive one from the host name"`
	Hostname     string       `json:"hostname" doc:"Host name of the server"`
	OS           string       `json:"os" doc:"Operating system, as Go names it"`
	Arch         string       `json:"arch" doc:"Processor architecture, as Go names it"`
	AgentVersion string       `json:"agent_version" doc:"Version of the agent executable"`
	Protocol     int          `json:"protocol" doc:"Protocol version that the agent speaks"`
	MachineID    string       `json:"machine_id,omitempty" doc:"Digest of the server's machine id; tells a reinstalled server from a new one"`
	Capabilities []Capability `json:"capabilities,omitempty" doc:"What the agent can do"`
}

// EnrollReply gives the agent its identity. The token is shown here once; the panel keeps only its digest.
type EnrollReply struct {
	NodeID           string `json:"node_id" doc:"Identity of the node"`
	AgentToken       string `json:"agent_token" doc:"Token for every later call"`
	HeartbeatSeconds int    `json:"heartbeat_seconds" doc:"Pause between heartbeats"`
}
