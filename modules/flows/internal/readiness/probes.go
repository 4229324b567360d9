package readiness

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"go.uber.org/zap"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

// Times of probes: how long an agent may take, and how long its temporary listener stays for others to dial.
const (
	probeLimit = 20 * time.Second
	holdOpen   = 30 * time.Second
	dialLimit  = 5 * time.Second
)

// port lets the node open a temporary listener that answers a secret word, and lets a peer, or else the panel itself,
// dial it and compare the word.
func (k *run) port(ctx context.Context, p portChecks, peer *nodesapi.Node) {
	word, probe := rand.Text(), p.listener.Probe
	bind := agentapi.BindProbe{
		L4:          probe.L4,
		IP:          probe.IP,
		Port:        probe.Port,
		Nonce:       word,
		HoldSeconds: int(holdOpen.Seconds()),
	}
	var data agentapi.ProbeData
	result, err := k.probe(ctx, p.listener.NodeID, agentapi.ProbeArgs{Bind: &bind}, &data)
	listener := bound(result, data.Bind, err)
	k.note(p.listener, listener)
	if !listener.confirmed() {
		k.note(p.firewall, unclear(say("port_not_asked", "not asked: the port could not be opened for the check")))
		return
	}
	if data.Bind.Own {
		word = ""
	}
	k.note(p.firewall, k.reached(ctx, p.firewall, peer, word))
}

// probe orders one probe and waits for its end; this runs in the background, never in somebody's request.
func (k *run) probe(
	ctx context.Context, nodeID string, args agentapi.ProbeArgs, into *agentapi.ProbeData,
) (nodesapi.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit+dialLimit)
	defer cancel()
	order := nodesapi.Order{
		NodeID: nodeID, Kind: string(agentapi.Probe), Args: args, Deadline: k.now().Add(probeLimit), By: "readiness",
	}
	ids, err := k.nodes.Send(ctx, order)
	if err != nil {
		return nodesapi.Result{}, fmt.Errorf("order a probe: %w", err)
	}
	results, err := k.nodes.Await(ctx, ids...)
	if err != nil || len(results) == 0 {
		return nodesapi.Result{}, fmt.Errorf("wait for a probe: %w", err)
	}
	if len(results[0].Data) > 0 {
		if err := json.Unmarshal(results[0].Data, into); err != nil {
			return results[0], fmt.Errorf("read the evidence of a probe: %w", err)
		}
	}
	return results[0], nil
}

func (k *run) reached(ctx context.Context, c Row, peer *nodesapi.Node, word string) finding {
	address := net.JoinHostPort(c.Probe.Host, strconv.Itoa(c.Probe.Port))
	if peer != nil {
		var data agentapi.ProbeData
		args := agentapi.ProbeArgs{Dial: &agentapi.DialProbe{Address: address, L4: c.Probe.L4, Nonce: word}}
		_, err := k.probe(ctx, peer.ID, args, &data)
		if f, said := dialled(*peer, c.Probe.L4, data.Dial, word, err); said {
			return f
		}
	}
	return k.fromPanel(ctx, c.Probe.L4, address, word)
}

// mostPeers is among how many nodes the dialling of a plan is spread.
const mostPeers = 64

// peers are some of the nodes that can dial others.
func (k *Checker) peers(ctx context.Context) []nodesapi.Node {
	nodes, err := k.nodes.Able(ctx, string(agentapi.CanProbe), mostPeers)
	if err != nil {
		k.log.Warn("no node can be asked to dial another one; the panel dials itself", zap.Error(err))
		return nil
	}
	return nodes
}

// peerOf spreads the dialling over the peers; nobody dials himself.
func peerOf(peers []nodesapi.Node, turn int, not string) *nodesapi.Node {
	for i := range peers {
		if p := &peers[(turn+i)%len(peers)]; p.ID != not {
			return p
		}
	}
	return nil
}

// fromPanel dials the temporary listener from here, when there is no other node to do it. It is the one case in which
// the panel connects to a node (domain 4.3: reachable from panel or peer agent): it says nothing there and believes
// nothing but the secret word, and without it a fleet of one node could install nothing but by force.
func (k *Checker) fromPanel(ctx context.Context, l4, address, word string) finding {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	conn, err := k.dial(ctx, l4, address)
	if err != nil {
		return failed(say("panel_not_reached", "the panel could not reach it"))
	}
	defer func() { _ = conn.Close() }()
	if word == "" && l4 == agentapi.UDP {
		return unclear(say("udp_in_use", "the port is in use by the node's core; udp cannot be checked then"))
	}
	got, heard := "", true
	if word != "" {
		got, heard = answer(conn, l4, word)
	}
	switch {
	case got == word:
		return confirmed(say("panel_reached", "the panel dialed it"))
	case l4 == agentapi.UDP && !heard:
		return failed(say("panel_udp_silent", "no answer came back to the panel; "+udpBlocked))
	}
	return failed(say("panel_met_other", "the panel reached the address, and the node's agent did not answer there"))
}

// answer is what comes back from the other end, as long as the word; not heard: it stays silent.
func answer(conn net.Conn, l4, word string) (got string, heard bool) {
	deadline := time.Now().Add(dialLimit) //nolint:forbidigo // the deadline of a real connection
	if err := conn.SetDeadline(deadline); err != nil {
		return "", false
	}
	if l4 == agentapi.UDP {
		if _, err := conn.Write([]byte(word)); err != nil {
			return "", false
		}
	}
	back := make([]byte, len(word))
	n, err := io.ReadFull(conn, back)
	return string(back[:n]), err == nil
}

// target makes the node's agent shake hands with the site that REALITY stands in front of.
func (k *run) target(ctx context.Context, c Row) finding {
	var data agentapi.ProbeData
	address := net.JoinHostPort(c.Probe.Host, strconv.Itoa(c.Probe.Port))
	r, err := k.probe(ctx, c.NodeID, agentapi.ProbeArgs{TLS: &agentapi.TLSProbe{
		Target: address, SNI: c.Probe.ServerName, Public: !c.Probe.Private,
	}}, &data)
	return shaken(r, data.TLS, c.Probe, err)
}
