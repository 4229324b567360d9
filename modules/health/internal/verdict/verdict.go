// Package verdict judges evidence. It knows no database and no clock: the same evidence gives the same verdict.
package verdict

import (
	"slices"
	"time"
)

// States of a subject, of a check, and of what one vantage says.
const (
	Up       = "up"
	Degraded = "degraded"
	Down     = "down"
	Unknown  = "unknown"
)

// Rank orders states: up, unknown, degraded, down.
func Rank(state string) int {
	return max(0, slices.Index([]string{Up, Unknown, Degraded, Down}, state))
}

// Worse gives the worse of two states.
func Worse(a, b string) string {
	if Rank(b) > Rank(a) {
		return b
	}
	return a
}

// Reasons of verdicts.
const (
	NoEvidence   = "no_evidence"  // nobody has looked yet
	EvidenceOld  = "evidence_old" // nobody has looked for too long
	FewVantages  = "few_vantages" // who looked sees it down, and they are too few
	Unreachable  = "unreachable"
	PartlyThere  = "partly_unreachable"
	AgentSilent  = "agent_silent"  // the agent is late
	AgentLost    = "agent_lost"    // nobody hears the agent
	AgentUnheard = "agent_unheard" // the panel hears nothing of the agent, while others reach the node
	CoreFailed   = "core_failed"
	CoreStopped  = "core_stopped"
	NodeDown     = "node_down"
	PanelCutOff  = "panel_cut_off"
	Disabled     = "disabled"
	Pending      = "pending"
	Egress       = "egress"           // the node itself does not reach a page or a name
	CertEnds     = "certificate_ends" // soon
	TunnelFailed = "tunnel_failed"    // a client gets in, and nothing comes out
	// ExitElsewhere: traffic goes, and leaves at another node of the flow than it should.
	ExitElsewhere = "exit_elsewhere"
	Overloaded    = "overloaded"   // the node uses more of something than its policy likes
	PoolBlocked   = "pool_blocked" // no member of a transit pool is usable, and its fallback blocks

	// What a proxy panel says of its node that serves an entry.
	PanelNodeDown     = "panel_node_disconnected"
	PanelNodeDisabled = "panel_node_disabled"
	PanelNodeGone     = "panel_node_gone"
	PanelNodeStarts   = "panel_node_connecting"
	PanelNodeUnknown  = "panel_node_unknown" // nobody has adopted it
	PanelUnread       = "panel_not_read"     // what it says is too old
)

// certificateExpired is what whoever looks says of a handshake with a certificate that has ended.
const certificateExpired = "certificate_expired"

// Hints at the cause.
const (
	HintUnreachable = "unreachable"
	HintRoute       = "route"
	HintPanelRoute  = "panel_route"
	HintAgent       = "agent"
	HintCore        = "core_failed"
	HintCert        = "cert"
	HintDNS         = "dns"
	HintNode        = "node"
	HintOverload    = "overload"
	HintRegion      = "blocked_region" // of an incident whose checks from outside fail in one country
)

// Verdict is what is to be held of a subject.
type Verdict struct{ State, Reason, Hint string }

// Sight is what one vantage says of one check.
type Sight struct {
	State   string // up, down or unknown
	Reason  string
	Panel   bool
	Fresh   bool
	At      time.Time // zero: never looked
	Latency *float64
}

// Cell is what all vantages of one check say together.
type Cell struct {
	Verdict
	Up, Down, Unknown int
	At                time.Time
	Latency           *float64
	Assigned          int
	Agents            bool // some other node sees it well
}

// Together judges one check. It is down when as many vantages as the quorum say so, or all of them where there are
// fewer, and nobody sees it well: what some see well and others do not is a matter of the way there. Evidence that is
// old counts for nothing.
func Together(sights []Sight, quorum int) Cell {
	c := Cell{Assigned: len(sights)}
	var down []Sight
	var sum float64
	var measured int
	for _, s := range sights {
		if s.At.After(c.At) {
			c.At = s.At
		}
		switch {
		case !s.Fresh || s.State == Unknown:
			c.Unknown++
		case s.State == Up:
			c.Up++
			c.Agents = c.Agents || !s.Panel
			if s.Latency != nil {
				sum, measured = sum+*s.Latency, measured+1
			}
		default:
			c.Down++
			down = append(down, s)
		}
	}
	if measured > 0 {
		mean := sum / float64(measured)
		c.Latency = &mean
	}
	c.Verdict = c.judged(down, quorum)
	return c
}

func (c Cell) judged(down []Sight, quorum int) Verdict {
	switch needed := min(quorum, c.Assigned); {
	case c.Up+c.Down == 0 && c.At.IsZero():
		return Verdict{Unknown, NoEvidence, ""}
	case c.Up+c.Down == 0:
		return Verdict{Unknown, EvidenceOld, ""}
	case c.Down == 0:
		return Verdict{State: Up}
	case c.Up == 0 && c.Down >= needed:
		return Verdict{Down, commonReason(down), ""}
	case c.Up == 0:
		return Verdict{Unknown, FewVantages, ""}
	case c.Down >= needed || 2*c.Down >= c.Up+c.Down:
		return partly(down)
	}
	return Verdict{State: Up}
}

// partly is what some see down and others well. A certificate that has ended is nothing of the way: the others looked
// before its end.
func partly(down []Sight) Verdict {
	switch {
	case commonReason(down) == certificateExpired:
		return Verdict{Degraded, certificateExpired, HintCert}
	case len(down) == 1 && down[0].Panel:
		return Verdict{Degraded, PartlyThere, HintPanelRoute}
	}
	return Verdict{Degraded, PartlyThere, HintRoute}
}

// Warning is the same of a check that only warns: what it finds is bad, and traffic goes on.
func (c Cell) Warning() Cell {
	if c.State == Down {
		c.State = Degraded
		c.Reason, c.Hint = explained(c.Reason)
	}
	return c
}

// commonReason is the reason that most give; of several the first by its name.
func commonReason(down []Sight) (reason string) {
	count := map[string]int{}
	for _, s := range down {
		count[s.Reason]++
	}
	for one, n := range count {
		if n > count[reason] || n == count[reason] && one < reason || reason == "" {
			reason = one
		}
	}
	return reason
}

// Heartbeats of an agent.
const (
	Heard  = "heard"
	Silent = "silent" // two were missed
	Lost   = "lost"   // ten were missed
)

// Node is what is known of a node.
type Node struct {
	Resting   string // Disabled or Pending: not judged
	Heartbeat string
	Core      string // running, failed, stopped or another word of the agent
	HasConfig bool   // a core has to run
	CutOff    bool   // the panel's own route is the likely cause of silence
	Reach     Cell   // of its port; Assigned is 0 without one
	Own       []Own  // what the node itself reaches, and how busy it is
}

// Own is a check of what a node itself reaches, or of how busy it is.
type Own struct {
	Check string
	Cell
}

// OfNode judges a node. Down is what serves nobody; degraded what serves some, or what only the panel does not see.
func OfNode(n Node) Verdict {
	switch {
	case n.Resting != "":
		return Verdict{Unknown, n.Resting, ""}
	case n.Heartbeat == Heard:
		return ofHeard(n)
	case n.Heartbeat == Silent && !n.CutOff && n.Reach.State != Down:
		return Verdict{Degraded, AgentSilent, HintAgent}
	}
	return ofSilent(n)
}

func ofHeard(n Node) Verdict {
	switch {
	case n.Core == "failed":
		return Verdict{Down, CoreFailed, HintCore}
	case n.HasConfig && n.Core == "stopped":
		return Verdict{Down, CoreStopped, HintCore}
	case n.Reach.State == Down:
		return Verdict{Down, Unreachable, HintUnreachable}
	case n.Reach.State == Degraded:
		return n.Reach.Verdict
	}
	out := Verdict{State: Up}
	for _, own := range n.Own {
		switch own.State {
		case Down:
			return Verdict{Degraded, Egress, map[bool]string{true: HintDNS, false: HintRoute}[own.Check == "dns"]}
		case Degraded:
			out = own.Verdict
		}
	}
	return out
}

// ofSilent judges a node whose agent is not heard: what others see decides.
func ofSilent(n Node) Verdict {
	hint := HintAgent
	if n.CutOff {
		hint = HintPanelRoute
	}
	switch {
	case n.Reach.State == Down:
		return Verdict{Down, Unreachable, HintUnreachable}
	case n.Reach.State == Up || n.Reach.State == Degraded:
		return Verdict{Degraded, AgentUnheard, hint}
	case n.CutOff:
		return Verdict{Unknown, PanelCutOff, HintPanelRoute}
	case n.Reach.Assigned > 0:
		return Verdict{Unknown, n.Reach.Reason, ""}
	}
	return Verdict{Down, AgentLost, HintUnreachable}
}

// Entry is where clients of a flow connect.
type Entry struct {
	Cells    []Cell // of its checks that count
	NodeDown bool
	// Served is what a proxy panel says of an entry that its node serves; nil: our agent does. Then nothing else
	// counts: neither our agent nor our checks know of it.
	Served *Verdict
}

// Flow is what is known of a flow.
type Flow struct {
	Resting   string
	Entries   []Entry
	NodesDown int  // of all that it runs on
	Blocked   bool // a transit pool blocks traffic of it
}

// OfFlow judges a flow. It is down when no entry works, degraded when some do not, a transit pool blocks traffic of it,
// or a node on the way is down.
func OfFlow(f Flow) Verdict {
	if f.Resting != "" || len(f.Entries) == 0 {
		if f.Resting == "" {
			f.Resting = NoEvidence
		}
		return Verdict{Unknown, f.Resting, ""}
	}
	var down, worse, unknown int
	var first, unsure Verdict
	for _, entry := range f.Entries {
		switch v := ofEntry(entry); v.State {
		case Down:
			if down++; first.State != Down {
				first = v
			}
		case Degraded:
			if worse++; first.State == "" {
				first = v
			}
		case Unknown:
			unknown, unsure = unknown+1, v
		}
	}
	switch {
	case down == len(f.Entries):
		return first
	case down > 0:
		return Verdict{Degraded, first.Reason, first.Hint}
	case f.Blocked:
		return Verdict{Degraded, PoolBlocked, ""}
	case worse > 0:
		return first
	case f.NodesDown > 0:
		return Verdict{Degraded, NodeDown, HintNode}
	case unknown > 0:
		return unsure
	}
	return Verdict{State: Up}
}

func ofEntry(e Entry) Verdict {
	if e.Served != nil {
		return *e.Served
	}
	out := Verdict{State: Up}
	if len(e.Cells) == 0 {
		out = Verdict{Unknown, NoEvidence, ""}
	}
	for _, c := range e.Cells {
		if Rank(c.State) > Rank(out.State) {
			out = c.Verdict
		}
	}
	switch {
	case e.NodeDown && out.State != Up:
		return Verdict{Down, NodeDown, HintNode}
	case out.State == Down && out.Hint == "":
		out.Reason, out.Hint = explained(out.Reason)
	}
	return out
}

// explained gives the reason and the hint of an entry that is down, by what vantages say.
func explained(reason string) (said, hint string) {
	switch reason {
	case certificateExpired, "certificate_name", CertEnds:
		return reason, HintCert
	case TunnelFailed:
		return reason, HintUnreachable
	case ExitElsewhere:
		return reason, HintRoute
	case "above_limit":
		return Overloaded, HintOverload
	case "name_unresolved":
		return reason, HintDNS
	}
	return Unreachable, HintUnreachable
}
