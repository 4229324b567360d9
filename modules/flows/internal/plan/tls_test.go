package plan_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

const (
	domainID = "0190a000-0000-7000-8000-00000000d0d0"
	domain   = "fra.example.org"
)

var transports = []string{"raw", "ws", "httpupgrade", "xhttp", "grpc"}

// secured enters with TLS for a domain of the first node.
func secured(protocol, transport string) plan.Input {
	g := across()
	g.Nodes[0].NodeDomainID = domainID
	g.Nodes[0].Params.Listener = &graph.Listener{
		Protocol: protocol, Port: 443, Security: graph.TLS, Transport: transport,
	}
	in := input(g)
	in.Domains = map[string]plan.Domain{domainID: {NodeID: nodeA, Hostname: domain}}
	return in
}

// rendered is the first inbound of the entry's node, as the core reads it.
func rendered(t require.TestingT, in plan.Input) map[string]any {
	r := plan.Compile(in)
	require.Empty(t, r.Plan.Errors)
	var read struct {
		Inbounds []map[string]any `json:"inbounds"`
	}
	require.NoError(t, json.Unmarshal(plan.Render([]plan.Fragment{r.Fragments[nodeA]}), &read))
	return read.Inbounds[0]
}

// A configuration names the certificate by its host name and never holds it: so no key is in it, and it stays the same
// when the certificate is renewed.
func TestAListenerWithTLSNamesItsCertificate(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"vless", "trojan", "vmess"} {
		for _, transport := range transports {
			in := rendered(t, secured(protocol, transport))
			require.Equal(t, protocol, in["protocol"])
			stream := in["streamSettings"].(map[string]any)
			require.Equal(t, "tls", stream["security"])
			settings := stream["tlsSettings"].(map[string]any)
			require.Equal(t, []any{map[string]any{
				"certificateFile": "certificate:" + domain, "keyFile": "certificate:" + domain,
			}}, settings["certificates"])
			require.Equal(t, true, settings["rejectUnknownSni"], "a scanner that knows no name sees nothing")
			require.Equal(t, "1.2", settings["minVersion"])
		}
	}
}

// An upgrade of HTTP/1.1 cannot be one of HTTP/2, and gRPC is HTTP/2.
func TestALPNFollowsTheTransport(t *testing.T) {
	t.Parallel()
	for transport, want := range map[string][]any{
		"raw": {"h2", "http/1.1"}, "xhttp": {"h2", "http/1.1"}, "grpc": {"h2"}, "ws": {"http/1.1"},
		"httpupgrade": {"http/1.1"},
	} {
		stream := rendered(t, secured("vless", transport))["streamSettings"].(map[string]any)
		require.Equal(t, want, stream["tlsSettings"].(map[string]any)["alpn"], transport)
	}
}

// The link of an entry with a domain dials the domain and says what a client needs to speak to the listener.
func TestALinkToAListenerWithTLS(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"vless", "trojan"} {
		for _, transport := range transports {
			in := secured(protocol, transport)
			hosts := plan.Compile(in).Hosts
			require.Equal(t, domain, hosts[0].Host)
			text, format := link(plan.Access{
				FlowID: flowID, Root: root, Block: "in", Listen: *in.Graph.Nodes[0].Params.Listener, Host: hosts[0].Host,
				Client: in.Clients[0], Name: "Anna",
			})
			u, err := url.Parse(text)
			require.NoError(t, err)
			q := u.Query()
			require.Equal(t, []string{protocol, protocol, domain + ":443", "tls", domain, "chrome"},
				[]string{format, u.Scheme, u.Host, q.Get("security"), q.Get("sni"), q.Get("fp")})
			require.Equal(t, map[string]string{"raw": "tcp"}[transport]+strings.TrimPrefix(transport, "raw"), q.Get("type"))
			if slices.Contains([]string{"ws", "httpupgrade", "xhttp"}, transport) {
				require.Equal(t, "/", q.Get("path"))
				require.Equal(t, domain, q.Get("host"))
			}
			user := rendered(t, in)["settings"].(map[string]any)["clients"].([]any)[0].(map[string]any)
			known := user["id"]
			if protocol == "trojan" {
				known = user["password"]
			}
			require.Equal(t, known, u.User.Username(), "the listener knows whom the link names")
		}
	}
}

// A domain that is unknown, somebody else's or bound to another node gets one answer (decision 7 of the domain).
func TestAListenerWithTLSAndAForeignDomain(t *testing.T) {
	t.Parallel()
	in := secured("vless", "ws")
	in.Domains = map[string]plan.Domain{domainID: {NodeID: nodeB, Hostname: domain}}
	elsewhere := plan.Compile(in).Plan.Errors
	in.Domains = nil
	unknown := plan.Compile(in).Plan.Errors
	require.Equal(t, elsewhere, unknown)
	require.Equal(t, "node_domain_unknown", unknown[0].Code)
	require.Equal(t, "nodes[0].node_domain_id", unknown[0].Path)
}

func TestAnAgentThatCannotHoldCertificatesIsNamed(t *testing.T) {
	t.Parallel()
	in := secured("trojan", "raw")
	n := in.Nodes[nodeA]
	n.Can = []string{"apply"}
	in.Nodes[nodeA] = n
	found := plan.Compile(in).Plan.Errors
	at := slices.IndexFunc(found, func(p graph.Problem) bool { return p.Capability == "document_certificates" })
	require.GreaterOrEqual(t, at, 0, "%v", found)
	require.Equal(t, plan.CapabilityMissing, found[at].Code)
	require.Equal(t, "nodes[0].node_id", found[at].Path)
	require.Equal(t, "fra-01", found[at].Node)
	n.Can = append(n.Can, "document_certificates")
	in.Nodes[nodeA] = n
	for _, p := range plan.Compile(in).Plan.Errors {
		require.NotEqual(t, "document_certificates", p.Capability)
	}
}

func TestAnotherDomainIsTold(t *testing.T) {
	t.Parallel()
	in := secured("vless", "ws")
	before := plan.Compile(in)
	in.Installed, in.Hosts = before.Fragments, before.Hosts
	in.Domains = map[string]plan.Domain{domainID: {NodeID: nodeA, Hostname: "new.example.org"}}
	p := plan.Compile(in).Plan
	require.False(t, p.IsNoop)
	var fields []string
	for _, change := range p.Diff.Listeners {
		fields = append(fields, change.Field+" "+change.From+" "+change.To)
	}
	require.Equal(t, []string{"domain " + domain + " new.example.org"}, fields)
}

// The probe of an apply runs on the node and trusts what the node holds for the domain, whoever has signed it.
func TestTheProbeExpectsTheCertificateOfTheDomain(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		l := *secured("vless", transport).Graph.Nodes[0].Params.Listener
		var o struct {
			Stream struct {
				TLS struct {
					ServerName        string
					DisableSystemRoot bool
					Certificates      []map[string]string
				} `json:"tlsSettings"`
			} `json:"streamSettings"`
		}
		require.NoError(t, json.Unmarshal(plan.ProbeClient(flowID, root, "in", domain, l, "127.0.0.1"), &o))
		require.Equal(t, domain, o.Stream.TLS.ServerName)
		require.True(t, o.Stream.TLS.DisableSystemRoot)
		require.Equal(t, []map[string]string{{"certificateFile": "certificate:" + domain, "usage": "verify"}},
			o.Stream.TLS.Certificates)
	}
}

// Whatever is drawn: no listener has TLS without naming the certificate of a domain of its own node.
func TestEveryCertificateIsOneOfTheNode(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawnInput(t)
		in.Domains = map[string]plan.Domain{}
		for i := range in.Graph.Nodes {
			n := &in.Graph.Nodes[i]
			if n.Kind != graph.Entry || !rapid.Bool().Draw(t, "tls") {
				continue
			}
			l := secured(rapid.SampledFrom([]string{"vless", "trojan"}).Draw(t, "protocol"),
				rapid.SampledFrom(transports).Draw(t, "transport")).Graph.Nodes[0].Params.Listener
			l.Port = rapid.IntRange(440, 445).Draw(t, "tls port")
			n.Params.Listener, n.NodeDomainID = l, n.NodeID+".id"
			in.Domains[n.NodeDomainID] = plan.Domain{NodeID: n.NodeID, Hostname: n.NodeID + ".example.org"}
		}
		r := plan.Compile(in)
		require.Equal(t, bytesOf(r), bytesOf(plan.Compile(in)))
		for node, f := range r.Fragments {
			raw := string(plan.Render([]plan.Fragment{f}))
			require.NotContains(t, raw, "BEGIN")
			for _, part := range strings.Split(raw, "certificate:")[1:] {
				require.True(t, strings.HasPrefix(part, node+".example.org\""), part[:min(len(part), 60)])
			}
			require.Equal(t, 2*strings.Count(raw, `"security":"tls"`), strings.Count(raw, "certificate:"))
		}
	})
}
