package agentapi

// Paths of agent updates. All need the agent token. The executable is fetched by its digest; PathUpdateFile gives it
// to agents of releases that do not know that yet.
const (
	PathUpdate     = "/agent/v1/update"             // GET -> Update
	PathUpdateFile = "/agent/v1/update/{os}/{arch}" // GET: the executable of that update
	PathAsset      = "/agent/v1/assets/{sha256}"    // GET: a file by its digest
)

// Update is a signed release as the panel has it. The agent believes the signature, never the panel.
type Update struct {
	Version   string `json:"version" doc:"Version of the agent in this release"`
	Manifest  string `json:"manifest" doc:"The release manifest, byte for byte as it was signed"`
	Signature string `json:"signature" doc:"Its minisign signature"`
	PublicKey string `json:"public_key" doc:"Keys that this panel trusts; an agent without a key of its own keeps the first it sees"`
}

// UpdateAgentArgs are the arguments of update_agent.
type UpdateAgentArgs struct {
	Version string `json:"version" doc:"Version to bring the agent to; the panel must have it"`
	Retry   bool   `json:"retry,omitempty" doc:"Try also a build that failed on this server within the last 24 hours"`

	AllowOlder bool `json:"allow_older,omitempty" doc:"Go back to a version before the one that runs; a signed release is refused without"`
}

// UpdateAgentData says what the agent runs after the order.
type UpdateAgentData struct {
	Version  string `json:"version" doc:"Version of the agent that runs"`
	Previous string `json:"previous,omitempty" doc:"Version before this order"`
}

// Stages of an agent update in the order in which they happen; StageFetch and StageSwitch are shared with
// configurations.
const (
	StageVerify    Stage = "verify"    // signature, version and checksum
	StageHeld      Stage = "held"      // this build failed here within 24 hours and is not tried again by itself
	StageSelfTest  Stage = "self_test" // the new build checks identity and configuration without serving
	StageStart     Stage = "start"     // the new build ended before its first heartbeat
	StageHeartbeat Stage = "heartbeat" // the new build ran and no heartbeat of it reached the panel in time
)

// UpdatePatience is how long a new build may take to its first heartbeat, and UpdateRest how long a failed one is left
// alone.
const (
	UpdatePatience = 120 // seconds
	UpdateRest     = 24  // hours
)
