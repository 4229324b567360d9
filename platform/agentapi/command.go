package agentapi

import (
	"encoding/json"
	"slices"
	"time"
)

// CommandKind is a closed list; there is no remote shell. A module that lets agents do something new adds its kind and
// the types of its arguments and data here, and to CommandKinds.
type CommandKind string

// Kinds of command and the type of their arguments and data.
const (
	ApplyConfig  CommandKind = "apply_config"  // ApplyConfigArgs -> ApplyConfigData
	RestartCore  CommandKind = "restart_core"  // no arguments -> CoreReport
	CollectLogs  CommandKind = "collect_logs"  // CollectLogsArgs -> CollectLogsData
	Probe        CommandKind = "probe"         // ProbeArgs -> ProbeData
	UpdateAgent  CommandKind = "update_agent"  // no arguments
	RotateToken  CommandKind = "rotate_token"  // no arguments
	BlockIPs     CommandKind = "block_ips"     // BlockIPsArgs
	DropSessions CommandKind = "drop_sessions" // DropSessionsArgs -> DropSessionsData
	ScanTargets  CommandKind = "scan_targets"  // ScanTargetsArgs -> ScanTargetsData

	FindConnections CommandKind = "find_connections" // FindConnectionsArgs -> FindConnectionsData
)

// CommandKinds is the closed list. The panel sends no other kind, and an agent answers any other with CodeNotSupported.
var CommandKinds = []CommandKind{
	ApplyConfig, RestartCore, CollectLogs, Probe, UpdateAgent, RotateToken, BlockIPs, DropSessions,
	ScanTargets, FindConnections,
}

// Known reports whether the list has the kind.
func (k CommandKind) Known() bool { return slices.Contains(CommandKinds, k) }

// Capability is what an agent names that carries out the kind.
func (k CommandKind) Capability() Capability { return Capability(k) }

// Command is one order to an agent. The panel repeats it until it has a result; the agent runs an id once and
// answers a repeated one with the stored result.
type Command struct {
	ID       string          `json:"id" doc:"Identity of the order"`
	Kind     CommandKind     `json:"kind" doc:"What to do"`
	Args     json.RawMessage `json:"args,omitempty" doc:"Arguments of that kind"`
	Deadline time.Time       `json:"deadline" doc:"Not started after this; running work stops then"`
}

// ResultCode says in one word how a command ended.
type ResultCode string

// Codes of a result.
const (
	CodeDone         ResultCode = "done"
	CodeNotSupported ResultCode = "not_supported"      // this agent does not know the kind or the case
	CodeBadArgs      ResultCode = "bad_args"           // the arguments make no sense
	CodeExpired      ResultCode = "expired"            // the deadline passed
	CodeUnavailable  ResultCode = "config_unavailable" // the configuration could not be fetched, or its hash differs
	CodeCoreRefused  ResultCode = "core_refused"       // the core does not accept the configuration
	CodeStartFailed  ResultCode = "start_failed"       // the core accepted it but could not serve it
	CodeNotPrepared  ResultCode = "not_prepared"       // switch without prepare, commit or revert without switch
	CodeApplyActive  ResultCode = "apply_active"       // another apply holds this node
	CodePortInUse    ResultCode = "port_in_use"        // somebody else has the socket
	CodeUnreachable  ResultCode = "unreachable"        // nobody answered, or not as wanted
	CodeInterrupted  ResultCode = "interrupted"        // the agent ended in the middle; ask again with a new id
	CodeFailed       ResultCode = "failed"             // anything else
)

// CommandResult is the outcome of one command; the agent repeats it until the panel answers 2xx.
type CommandResult struct {
	ID         string          `json:"id" doc:"Id of the command"`
	OK         bool            `json:"ok" doc:"It did what was asked"`
	Code       ResultCode      `json:"code" doc:"How it ended, in one word"`
	Error      string          `json:"error,omitempty" doc:"What failed, why, and what to do"`
	Stage      Stage           `json:"stage,omitempty" doc:"Part of apply_config that this is about"`
	StderrTail string          `json:"stderr_tail,omitempty" doc:"Last 4 KiB of the core's own words"`
	Data       json.RawMessage `json:"data,omitempty" doc:"Data of that kind"`
	StartedAt  time.Time       `json:"started_at" doc:"By the agent's clock"`
	FinishedAt time.Time       `json:"finished_at" doc:"By the agent's clock"`
}

// ApplyPhase is one step of an apply, each its own command.
type ApplyPhase string

// Phases of an apply. Prepare changes nothing that serves. Switch is undone by revert and sealed by commit; an agent
// that hears neither within HoldSeconds follows the desired revision again. The panel makes the new revision the
// desired one before it orders the commit; an agent that sees its switched revision desired seals it by itself.
const (
	PhasePrepare ApplyPhase = "prepare" // fetch, compare the hash, let the core test it
	PhaseSwitch  ApplyPhase = "switch"  // serve it; the last good one stays on disk
	PhaseRevert  ApplyPhase = "revert"  // serve the last good one again; also fine when nothing was switched
	PhaseCommit  ApplyPhase = "commit"  // it becomes the last good one
)

// ApplyConfigArgs are the arguments of apply_config.
type ApplyConfigArgs struct {
	Phase       ApplyPhase `json:"phase" doc:"prepare, switch, revert or commit"`
	ApplyID     string     `json:"apply_id" doc:"The apply that this belongs to; one at a time holds a node"`
	Revision    int64      `json:"revision" doc:"Configuration to install"`
	Hash        string     `json:"hash" doc:"Its hash; a different one is refused"`
	HoldSeconds int        `json:"hold_seconds,omitempty" doc:"How long a switch waits for its commit; 0 = 600"`
}

// ApplyConfigData says what the node serves after the phase.
type ApplyConfigData struct {
	RunningRevision int64  `json:"running_revision" doc:"0 = none"`
	RunningHash     string `json:"running_hash,omitempty" doc:"Its hash"`
	Interruption    string `json:"interruption" doc:"none, or restart when the core process was replaced"`
	SwitchMillis    int64  `json:"switch_ms,omitempty" doc:"From the order to the new core's first open listener"`
}

// CollectLogsArgs are the arguments of collect_logs.
type CollectLogsArgs struct {
	Lines int `json:"lines,omitempty" doc:"Newest lines wanted; 0 = 200, at most 2000"`
}

// CollectLogsData are the newest lines, oldest first.
type CollectLogsData struct {
	Agent []string `json:"agent,omitempty" doc:"Of the agent"`
	Core  []string `json:"core,omitempty" doc:"Of the core"`
}

// BlockIPsArgs are the arguments of block_ips.
type BlockIPsArgs struct {
	IPs     []string `json:"ips" doc:"Addresses or networks"`
	Seconds int      `json:"seconds" doc:"How long"`
}
