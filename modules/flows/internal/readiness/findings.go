package readiness

import (
	"fmt"
	"strconv"

	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

// Why no force passes a check that has failed.
const (
	BlockedPort   = "port"   // the port is somebody else's
	BlockedTarget = "target" // the name of a REALITY target leads into the node's own host or a private network
)

// InsideTarget is said of a target that must not be installed.
const InsideTarget = "the target is the node itself or in a private network; choose a public site, " +
	"or allow it in the listener"

// finding is what one probe showed. A blocker is what no force passes; holder names the process that has the port.
type finding struct {
	status  string
	seen    plan.Text
	blocker string
	holder  string
}

func confirmed(seen plan.Text) finding { return finding{status: plan.Confirmed, seen: seen} }
func failed(seen plan.Text) finding    { return finding{status: plan.Failed, seen: seen} }
func unclear(seen plan.Text) finding   { return finding{status: plan.Unconfirmed, seen: seen} }

func (f finding) confirmed() bool { return f.status == plan.Confirmed }

func say(code, text string, params ...string) plan.Text { return plan.Say(code, text, params...) }

// bound reads the answer to a temporary listener.
func bound(r nodesapi.Result, data *agentapi.BindData, err error) finding {
	switch {
	case err != nil || data == nil && r.Code != string(agentapi.CodePortInUse):
		return unclear(silence(r, err))
	case data != nil && data.Bound:
		return confirmed(say("port_bound", "the agent bound the port"))
	case data != nil && data.Own:
		return confirmed(say("port_own", "the node's core holds the port already"))
	case data != nil && data.Owner != "":
		f := failed(say("port_held", "the port is held by "+data.Owner, "process", data.Owner))
		f.blocker, f.holder = BlockedPort, data.Owner
		return f
	case r.Code == string(agentapi.CodePortInUse):
		f := failed(say("port_held_unknown", "the port is held by a process that could not be named"))
		f.blocker = BlockedPort
		return f
	}
	return failed(say("port_not_bound", "the port could not be bound: "+r.Error, "reason", r.Error))
}

// silence says why an agent gave no evidence.
func silence(r nodesapi.Result, err error) plan.Text {
	switch {
	case err != nil:
		return say("agent_not_asked", "the agent could not be asked")
	case r.Code == string(agentapi.CodeExpired):
		return say("agent_silent", "the agent did not answer in time")
	}
	return say("agent_failed", "the agent could not check it: "+r.Error, "reason", r.Error)
}

// udpBlocked is why a port over UDP is silent that the node has opened: whoever drops packets tells nobody.
const udpBlocked = "a firewall on the node or at its provider may block UDP on this port"

// dialled reads what a peer node met at the port; without evidence the panel dials itself.
func dialled(peer nodesapi.Node, l4 string, data *agentapi.DialData, word string, err error) (finding, bool) {
	switch {
	case err != nil || data == nil:
		return finding{}, false
	case data.NonceMatched || word == "" && data.Connected:
		ms := fmt.Sprintf("%.0f", data.LatencyMillis)
		return confirmed(say("peer_reached", peer.Name+" dialed it in "+ms+" ms", "node", peer.Name, "ms", ms)), true
	case data.Connected:
		return failed(say("peer_met_other", peer.Name+" reached something else on this port", "node", peer.Name)), true
	case l4 == agentapi.UDP:
		return failed(say("peer_udp_silent", "no answer came back to "+peer.Name+"; "+udpBlocked, "node", peer.Name)), true
	}
	return failed(say("peer_not_reached", peer.Name+" could not reach it", "node", peer.Name)), true
}

// leastChain is how many bytes of certificates a site must show for a signature by ML-DSA-65 to hide among them.
const leastChain = 3500

// shaken reads the handshake of a node with a REALITY target.
func shaken(r nodesapi.Result, t *agentapi.TLSData, asked plan.Probe, err error) finding {
	met := t != nil && t.Version != ""
	switch {
	case err == nil && t != nil && t.Inside && !asked.Private:
		f := failed(say("target_inside", InsideTarget))
		f.blocker = BlockedTarget
		return f
	case err != nil || !met && r.Code != string(agentapi.CodeUnreachable):
		return unclear(silence(r, err))
	case !met:
		return failed(say("target_unreachable", "the node could not reach the target: "+r.Error, "reason", r.Error))
	}
	ms, matches := fmt.Sprintf("%.0f", t.LatencyMillis), fmt.Sprint(t.NameMatches)
	text := fmt.Sprintf("TLS %s, ALPN %s, name matches: %s, %s ms", t.Version, t.ALPN, matches, ms)
	params := []string{"version", t.Version, "alpn", t.ALPN, "name_matches", matches, "ms", ms}
	if t.Version == "1.3" && t.ALPN == "h2" && asked.MLDSA65 && t.ChainBytes > 0 && t.ChainBytes < leastChain {
		bytes, least := strconv.Itoa(t.ChainBytes), strconv.Itoa(leastChain)
		return failed(say("target_chain_small", "its certificates have "+bytes+" bytes; ML-DSA-65 needs "+least,
			"bytes", bytes, "least", least))
	}
	if t.Version == "1.3" && t.ALPN == "h2" {
		return confirmed(say("target_suitable", text, params...))
	}
	return failed(say("target_unsuitable", text, params...))
}
