// Package place decides what is looked at and by whom: from flows, nodes and policies follow the checks, and from those
// the watches of agents and of the panel.
package place

import (
	"cmp"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/healthapi"
	"panel/modules/health/internal/rules"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

// Check is one thing that is looked at.
type Check struct {
	ID         string
	Kind       string // of the subject
	SubjectID  string
	Type       string
	Target     string
	ServerName string
	NodeID     string // that serves it, or looks by itself
	Entry      string // block of a flow
	Weak       bool   // only a failure says something
	Self       bool   // its node alone looks
	PanelAlone bool   // the panel alone looks, whatever the policy says of vantages
	Policy     *rules.Named
	Look
}

// Look is what somebody looks at. Agents are told the watch; the rest is for the panel alone.
type Look struct {
	agentapi.Watch
	Days   int    `json:"days,omitempty"`    // cert_expiry: how long before its end a certificate is told of
	Metric string `json:"metric,omitempty"`  // metric: what of the node
	Above  int    `json:"above,omitempty"`   // metric: percent that are too much
	NodeID string `json:"node_id,omitempty"` // metric: whose
	FlowID string `json:"flow_id,omitempty"` // tunnel: the flow, its entry, and the node whose agent goes in
	Entry  string `json:"entry,omitempty"`
	From   string `json:"from,omitempty"`
}

// Subject is a node or flow that is judged.
type Subject struct {
	Kind, ID, Name string
	Policy         *rules.Named
	Layers         Layers
}

// Layers are what is known of a subject beside results: of a flow where it runs, of a node what its agent reports.
type Layers struct {
	Resting   string   `json:"resting,omitempty"`
	Nodes     []string `json:"nodes,omitempty"`
	Entries   []Entry  `json:"entries,omitempty"`
	Heartbeat string   `json:"heartbeat,omitempty"`
	Core      string   `json:"core,omitempty"`
	HasConfig bool     `json:"has_config,omitempty"`
	Rests     bool     `json:"rests,omitempty"` // in maintenance
	// Provider, Country and Tags are what nodes may have in common when several fail at once.
	Provider string   `json:"provider,omitempty"`
	Country  string   `json:"country,omitempty"`
	Tags     []string `json:"tags,omitempty"`
}

// Entry is where clients of a flow connect.
type Entry struct {
	Block  string `json:"block"`
	NodeID string `json:"node_id"`
	Panel  string `json:"panel,omitempty"` // connection with the proxy panel whose node serves it
}

// namespace makes ids of checks from what they are.
var namespace = uuid.MustParse("6f0c4a52-8a55-4d4e-9a5b-6a3f5f0a1d15")

// world is what checks follow from.
type world struct {
	nodes    []nodesapi.Status
	flows    []flowsapi.Flow
	policies []rules.Named
	pools    map[string][]string // ids of those that a node or flow is a member of; filled when a policy speaks of one
	// port gives the port of a node that others reach, for one that no entry tells; 0 without.
	port func(nodeID string) (int, error)
}

// subjects lists who is judged, and checks what is looked at.
func (w *world) all() (subjects []Subject, checks []Check, err error) {
	tcp, used := map[string]int{}, map[string]bool{}
	for _, f := range w.flows {
		if f.InstalledRevision == 0 {
			continue
		}
		chosen := w.policy(rules.Flow, f.ID, f.Tags)
		s := Subject{
			Kind: healthapi.Flow, ID: f.ID, Name: f.Name, Policy: &chosen, Layers: Layers{Nodes: f.NodeIDs},
		}
		if !f.Enabled {
			s.Layers = Layers{Resting: "disabled"}
			subjects = append(subjects, s)
			continue
		}
		for _, id := range f.NodeIDs {
			used[id] = true
		}
		for _, e := range f.Entries {
			if e.Offer != nil { // nothing of ours listens there, and the proxy panel says how its node is
				s.Layers.Entries = append(s.Layers.Entries, Entry{e.Block, e.NodeID, e.Offer.ConnectionID})
				continue
			}
			s.Layers.Entries = append(s.Layers.Entries, Entry{Block: e.Block, NodeID: e.NodeID})
			checks = append(checks, ofEntry(f.ID, e, &chosen)...)
			port, lowest := firstPort(e.Port), tcp[e.NodeID]
			if e.L4 != agentapi.UDP && port > 0 && (lowest == 0 || port < lowest) {
				tcp[e.NodeID] = port
			}
		}
		subjects = append(subjects, s)
	}
	for i := range w.nodes {
		n := &w.nodes[i]
		chosen := w.policy(rules.Node, n.ID, n.Tags)
		subjects = append(subjects, Subject{Kind: healthapi.Node, ID: n.ID, Name: n.Name, Policy: &chosen})
		port := tcp[n.ID]
		if port == 0 && used[n.ID] {
			if port, err = w.port(n.ID); err != nil {
				return nil, nil, err
			}
		}
		checks = append(checks, ofNode(n, port, &chosen)...)
	}
	return subjects, checks, nil
}

func (w *world) policy(kind, id string, tags []string) rules.Named {
	return rules.Choose(w.policies, rules.Subject{Kind: kind, ID: id, Tags: tags, Pools: w.pools[id]})
}

func ofNode(n *nodesapi.Status, port int, policy *rules.Named) (out []Check) {
	if n.State == "pending" || n.State == "disabled" {
		return nil
	}
	one := Check{Kind: healthapi.Node, SubjectID: n.ID, NodeID: n.ID, Policy: policy}
	for _, asked := range policy.Checks {
		c := one
		c.Type = asked.Type
		switch {
		case asked.Type == rules.TCP && port > 0 && n.Address != "":
			c.Target = net.JoinHostPort(n.Address, strconv.Itoa(port))
			c.Watch.Address = c.Target
		case asked.Type == rules.HTTP:
			c.Target, c.Watch.URL, c.Self = asked.Page, asked.Page, true
		case asked.Type == rules.DNS:
			c.Target, c.Watch.Name, c.Self = asked.Name, asked.Name, true
		case asked.Type == rules.Metric:
			c.Target, c.PanelAlone = asked.Metric, true
			c.Metric, c.Above, c.Look.NodeID = asked.Metric, asked.Above, n.ID
		default:
			continue
		}
		out = append(out, c.timed(asked))
	}
	return out
}

// ofEntry looks at an entry as a client does: a handshake where there is one, else a connection.
func ofEntry(flowID string, e flowsapi.Entry, policy *rules.Named) (out []Check) {
	port := firstPort(e.Port)
	if port == 0 || e.Host == "" {
		return nil
	}
	one := Check{
		Kind: healthapi.Flow, SubjectID: flowID, NodeID: e.NodeID, Entry: e.Block, Policy: policy,
		Target: net.JoinHostPort(e.Host, strconv.Itoa(port)),
	}
	one.Watch.Address = one.Target
	if e.L4 != agentapi.UDP {
		asked, wanted := policy.Has(rules.TLS)
		c := one
		if c.Type = rules.TLS; e.ServerName == "" || !wanted {
			c.Type = rules.TCP
			asked, wanted = policy.Has(rules.TCP)
		} else {
			c.ServerName, c.Watch.ServerName = e.ServerName, e.ServerName
		}
		if wanted {
			out = append(out, c.timed(asked))
		}
		out = append(out, ofCertificate(one, e, policy)...)
	}
	if asked, wanted := policy.Has(rules.Tunnel); wanted {
		c := one
		c.Type, c.PanelAlone, c.FlowID, c.Look.Entry = rules.Tunnel, true, flowID, e.Block
		out = append(out, c.timed(asked))
	}
	if asked, wanted := policy.Has(rules.UDP); wanted && e.L4 != agentapi.TCP {
		c := one
		c.Type, c.Watch.Answers = rules.UDP, e.Protocol == "hysteria2" && !e.Obfuscated
		c.Weak = !c.Watch.Answers
		out = append(out, c.timed(asked))
	}
	return out
}

// ofCertificate looks at the end of the certificate that an entry shows, where it is its own: REALITY shows another's.
func ofCertificate(one Check, e flowsapi.Entry, policy *rules.Named) []Check {
	asked, wanted := policy.Has(rules.CertExpiry)
	if !wanted || e.Security != "tls" || e.ServerName == "" {
		return nil
	}
	one.Type, one.PanelAlone, one.Days = rules.CertExpiry, true, asked.Days
	one.ServerName, one.Watch.ServerName = e.ServerName, e.ServerName
	return []Check{one.timed(asked)}
}

// timed gives the check its times and its id.
func (c Check) timed(asked rules.Check) Check {
	text := strings.Join([]string{c.Kind, c.SubjectID, c.Type, c.Target, c.ServerName, c.NodeID, c.Entry}, "\n")
	c.ID = uuid.NewSHA1(namespace, []byte(text)).String()
	c.Watch.ID, c.Watch.Type = c.ID, c.Type
	c.Watch.IntervalSeconds, c.Watch.TimeoutSeconds = asked.IntervalS, asked.TimeoutS
	c.Watch.RecheckCount, c.Watch.RecheckSeconds = c.Policy.Recheck.Count, c.Policy.Recheck.EveryS
	return c
}

// firstPort reads a port, or the first of a range.
func firstPort(text string) int {
	first, _, _ := strings.Cut(text, "-")
	port, err := strconv.Atoi(first)
	if err != nil || port < 1 || port > 65535 {
		return 0
	}
	return port
}

// sorted puts checks into one order for all, against deadlocks.
func sorted(checks []Check) []Check {
	slices.SortFunc(checks, func(a, b Check) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(checks, func(a, b Check) bool { return a.ID == b.ID })
}
