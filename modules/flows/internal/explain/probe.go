package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

// ProbeAnswer is what a real client met on its way.
type ProbeAnswer struct {
	At          time.Time    `json:"at"`
	Explanation Explanation  `json:"explanation" doc:"The way through what is installed, at the moment of the probe"`
	Through     ProbeThrough `json:"through" doc:"A client of the panel went in at the entry and asked the panel who it is"`
	Exit        *ProbeExit   `json:"exit" doc:"The node that the traffic leaves from dialled the destination; null where no node does"`
}

// ProbeThrough is a client's way through the flow.
type ProbeThrough struct {
	NodeID   string  `json:"node_id" doc:"Node of the entry"`
	NodeName string  `json:"node_name"`
	OK       bool    `json:"ok"`
	Millis   float64 `json:"ms" doc:"To the first byte"`
	ExitIP   string  `json:"exit_ip" doc:"Address that the panel saw"`
	Code     string  `json:"code" doc:"Of an agent's result: why it failed"`
	Error    string  `json:"error"`
}

// ProbeExit is what became of the destination at the end of the way.
type ProbeExit struct {
	NodeID   string  `json:"node_id"`
	NodeName string  `json:"node_name"`
	Dialled  string  `json:"dialled" doc:"host:port"`
	OK       bool    `json:"ok"`
	Millis   float64 `json:"ms" doc:"To connect"`
	Address  string  `json:"address" doc:"That the name led to"`
	Inside   bool    `json:"inside" doc:"It is the node itself or in a private network, and was not dialled"`
	Code     string  `json:"code" doc:"Of an agent's result, or capability_missing: why it failed"`
	Error    string  `json:"error"`
}

// Limits of a probe. Both fit into one request.
const (
	throughLimit = 12 * time.Second
	fetchSeconds = 8
	exitLimit    = 8 * time.Second
	defaultPort  = 443
)

// Prober lets agents try a way.
type Prober struct {
	Commands nodesapi.Commands
	Now      func() time.Time
	By       string
}

// Through lets the node of an entry go in as a client.
func (p Prober) Through(ctx context.Context, node nodesapi.Node, client *agentapi.ThroughProbe) (ProbeThrough, error) {
	out := ProbeThrough{NodeID: node.ID, NodeName: node.Name}
	client.Timeout = fetchSeconds
	result, data, err := p.ask(ctx, node.ID, agentapi.ProbeArgs{Through: client}, throughLimit)
	if err != nil {
		return out, err
	}
	out.Code, out.Error = result.Code, result.Error
	if got := data.Through; result.OK && got != nil {
		out.OK, out.Millis, out.ExitIP = true, got.FirstByteMs, got.ExitIP
	}
	return out, nil
}

// Exit lets the node that traffic leaves from dial the destination, which is never in a private network: flows do not
// lead there either.
func (p Prober) Exit(ctx context.Context, node nodesapi.Node, host string, port int) (*ProbeExit, error) {
	if port == 0 {
		port = defaultPort
	}
	out := &ProbeExit{NodeID: node.ID, NodeName: node.Name, Dialled: net.JoinHostPort(host, strconv.Itoa(port))}
	if !slices.Contains(node.Capabilities, string(agentapi.CanDialPublic)) {
		out.Code, out.Error = "capability_missing", "the node's agent cannot dial public addresses alone; update it"
		return out, nil
	}
	asked := &agentapi.DialProbe{Address: out.Dialled, L4: agentapi.TCP, Public: true}
	result, data, err := p.ask(ctx, node.ID, agentapi.ProbeArgs{Dial: asked}, exitLimit)
	if err != nil {
		return nil, err
	}
	out.Code, out.Error = result.Code, result.Error
	if got := data.Dial; result.OK && got != nil {
		out.OK, out.Millis, out.Address, out.Inside = got.Connected, got.LatencyMillis, got.RemoteAddress, got.Inside
	}
	return out, nil
}

func (p Prober) ask(
	ctx context.Context, nodeID string, args agentapi.ProbeArgs, limit time.Duration,
) (result nodesapi.Result, data agentapi.ProbeData, err error) {
	ids, err := p.Commands.Send(ctx, nodesapi.Order{
		NodeID: nodeID, Kind: string(agentapi.Probe), Args: args, Deadline: p.Now().Add(limit), By: p.By,
	})
	if err != nil {
		return result, data, fmt.Errorf("order a probe: %w", err)
	}
	results, err := p.Commands.Await(ctx, ids...)
	if err != nil || len(results) == 0 {
		return result, data, fmt.Errorf("wait for a probe: %w", err)
	}
	if result = results[0]; len(result.Data) > 0 {
		if err := json.Unmarshal(result.Data, &data); err != nil {
			return result, data, fmt.Errorf("read the evidence of a probe: %w", err)
		}
	}
	return result, data, nil
}
