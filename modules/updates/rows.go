package updates

import (
	"time"

	"github.com/uptrace/bun"
)

type ringsRow struct {
	bun.BaseModel `bun:"table:agent_rings,alias:g"`

	ID           bool     `bun:",pk"`
	Sizes        []int    `bun:",array"`
	FirstNodes   []string `bun:",array"`
	PauseSeconds int
	Parallel     int
	Revision     int64
	UpdatedAt    time.Time
}

type rolloutRow struct {
	bun.BaseModel `bun:"table:agent_rollouts,alias:o"`

	ID           string `bun:",pk"`
	Kind         string
	Version      string
	Through      int
	Ring         int
	State        string
	Detail       string
	PauseSeconds int
	Parallel     int
	StartedBy    string
	AccountID    string
	StartedAt    time.Time
	RestedAt     *time.Time // when the last node of the ring was done
	StoppedBy    string
	FinishedAt   *time.Time
}

// restUntil is when a finished ring has been watched long enough.
func (o *rolloutRow) restUntil() time.Time {
	return o.RestedAt.Add(time.Duration(o.PauseSeconds) * time.Second)
}

type targetRow struct {
	bun.BaseModel `bun:"table:agent_rollout_nodes,alias:t"`

	RolloutID   string `bun:",pk"`
	NodeID      string `bun:",pk"`
	Name        string
	Ring        int
	Place       int
	State       string
	Active      bool
	CommandID   *string
	FromVersion string
	Stage       string
	Error       string
	Tail        string
	OrderedAt   *time.Time
	EndedAt     *time.Time
}

// Kinds and states of rollouts and of the nodes in them.
const (
	kindRings = "rings"
	kindNode  = "node"

	running = "running"
	done    = "done"
	failed  = "failed"
	stopped = "stopped"

	waiting  = "waiting"
	ordering = "ordering" // the order is about to be given, or was and the panel died before it knew the number
	updating = "updating"
	skipped  = "skipped"
)

// Rings are how a rollout goes through the fleet, and what it would bring.
type Rings struct {
	Rings        []Ring         `json:"rings"`
	FirstNodes   []string       `json:"first_nodes" doc:"Nodes that go first, in this order"`
	First        []RingNode     `json:"first" doc:"Those of them that are still there, with their names"`
	PauseSeconds int            `json:"pause_seconds" doc:"How long a ring is watched before the next begins"`
	Parallel     int            `json:"parallel" doc:"Nodes that are updated at the same time"`
	Revision     int64          `json:"revision"`
	Build        *Build         `json:"build" doc:"Newest signed release that this panel has; null without one"`
	BuildProblem string         `json:"build_problem" enum:",no_key,no_manifest,untrusted,no_file,panel_too_old" doc:"Why there is no build"`
	Versions     []VersionCount `json:"versions" doc:"Versions of the agents, newest first"`
	Behind       int            `json:"behind" doc:"Agents older than the build"`
	Active       *Rollout       `json:"active" doc:"Rollout through the rings that goes on; null when none does"`
}

// Ring is one part of the fleet.
type Ring struct {
	Ring  int    `json:"ring"`
	Size  int    `json:"size" doc:"Number of nodes in ring 1, share of the fleet in percent up to the ring's end in the others"`
	Unit  string `json:"unit" enum:"nodes,percent"`
	Nodes int    `json:"nodes" doc:"Nodes that are behind the build and belong to it now"`
	// Members are shown so that a person can see who goes when; a large ring is not listed whole.
	Members []RingNode `json:"members" doc:"The first 20 of these nodes, in the order in which they go"`
}

// RingNode is a node with its place among the rings.
type RingNode struct {
	ID   string `json:"id" format:"uuid"`
	Name string `json:"name"`
}

// Build is a signed release.
type Build struct {
	Version    string    `json:"version"`
	Channel    string    `json:"channel"`
	ReleasedAt time.Time `json:"released_at"`
	Notes      string    `json:"notes"`
	Breaking   bool      `json:"breaking"`
	Platforms  []string  `json:"platforms"`
}

// VersionCount counts agents of one version.
type VersionCount struct {
	Version string `json:"version" doc:"Empty: never reported"`
	Nodes   int    `json:"nodes"`
}

// Rollout is the way of one build through one node or the rings.
type Rollout struct {
	ID           string         `json:"id" format:"uuid"`
	Kind         string         `json:"kind" enum:"rings,node"`
	Version      string         `json:"version"`
	State        string         `json:"state" enum:"running,done,failed,stopped"`
	Ring         int            `json:"ring" doc:"Ring that is at it, or was when it ended"`
	Through      int            `json:"through" doc:"Last ring that was ordered"`
	Detail       string         `json:"detail"`
	PauseSeconds int            `json:"pause_seconds"`
	RestUntil    *time.Time     `json:"rest_until" doc:"While a finished ring is watched: when the next begins"`
	Stopping     bool           `json:"stopping" doc:"It was told to stop; nodes that are at it go on"`
	StartedBy    string         `json:"started_by"`
	StoppedBy    string         `json:"stopped_by"`
	StartedAt    time.Time      `json:"started_at"`
	FinishedAt   *time.Time     `json:"finished_at"`
	Rings        []RolloutRing  `json:"rings"`
	Nodes        []RolloutNode  `json:"nodes,omitempty" doc:"Only of a single rollout: the failed ones first, at most 500"`
	Counts       map[string]int `json:"counts" doc:"Nodes by state"`
}

// RolloutRing counts the nodes of one ring.
type RolloutRing struct {
	Ring   int            `json:"ring"`
	Total  int            `json:"total"`
	Counts map[string]int `json:"counts" doc:"Nodes by state"`
}

// RolloutNode is one node in a rollout.
type RolloutNode struct {
	NodeID    string     `json:"node_id" format:"uuid"`
	Name      string     `json:"name"`
	Ring      int        `json:"ring"`
	State     string     `json:"state" enum:"waiting,updating,done,failed,skipped"`
	From      string     `json:"from" doc:"Version before"`
	Stage     string     `json:"stage" doc:"Where it failed: fetch, verify, held, self_test, switch, start, heartbeat; why it was left out: offline, agent_too_old"`
	Error     string     `json:"error"`
	Tail      string     `json:"tail" doc:"Last words of the new build"`
	OrderedAt *time.Time `json:"ordered_at"`
	EndedAt   *time.Time `json:"ended_at"`
}
