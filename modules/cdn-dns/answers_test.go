package cdndns

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/dnstest"
	"panel/modules/cdn-dns/internal/certificates"
	"panel/platform/agentapi"
	"panel/platform/paneltest"
	"panel/platform/testneed/freeport"
)

// responder is an agent that answers authorities by the document that the panel gives it.
type responder struct {
	*paneltest.Agent
	t    *testing.T
	port int

	mu   sync.Mutex
	held agentapi.Challenges
}

func answering(b *agentapi.Heartbeat) {
	b.Capabilities = append(b.Capabilities, agentapi.DocumentChallenges.Capability())
}

// newResponder brings up an agent on a server whose port is that of this machine.
func newResponder(b *bench, name string, port int) *responder {
	b.t.Helper()
	r := &responder{Agent: b.Enroll(name), t: b.t, port: port}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	require.NoError(b.t, err)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(r.serve)}
	go func() { _ = server.Serve(listener) }()
	b.t.Cleanup(func() { _ = server.Close() })
	return r
}

func (r *responder) serve(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	host, _, _ := net.SplitHostPort(request.Host)
	for _, one := range r.held.Answers {
		if one.Host == host && request.URL.Path == agentapi.ChallengePath+one.Token {
			_, _ = io.WriteString(w, one.Text)
			return
		}
	}
	http.NotFound(w, request)
}

// follow fetches the document as the agent does and says that it is in force; change may say otherwise.
func (r *responder) follow(change ...func(*agentapi.DocumentStatus)) agentapi.Challenges {
	r.t.Helper()
	answer := r.Get("/agent/v1/desired/challenges")
	if answer.Status == http.StatusNotFound {
		return agentapi.Challenges{}
	}
	var d agentapi.Document
	answer.Is(http.StatusOK).JSON(&d)
	require.NoError(r.t, d.Verify())
	r.mu.Lock()
	r.held = agentapi.Challenges{}
	require.NoError(r.t, json.Unmarshal(d.Content, &r.held))
	held := r.held
	r.mu.Unlock()
	status := agentapi.DocumentStatus{Name: d.Name, Revision: d.Revision, Hash: d.Hash}
	for _, say := range change {
		say(&status)
	}
	r.Beat(answering, func(b *agentapi.Heartbeat) { b.Documents = []agentapi.DocumentStatus{status} })
	return held
}

func withAnswers(t *testing.T, zones ...string) (*bench, int) {
	t.Helper()
	port, cloud := freeport.For(t), dnstest.NewCloudflare(t, zones...)
	cloud.Allow(token, dnstest.Full())
	panel := paneltest.Start(t, built(), paneltest.Env(map[string]string{
		cloudflareRoot.Name: cloud.Root, resolvers.Name: cloud.Address, "PANEL_OUTBOUND_ALLOW": "127.0.0.1",
		answerPort.Name: strconv.Itoa(port),
	}))
	return &bench{Panel: panel, t: t, cloud: cloud}, port
}

// ordered orders the certificate of a binding as soon as the panel knows that the agent answers authorities.
func (b *bench) ordered(agent *responder, id string) (answer *paneltest.Answer) {
	b.t.Helper()
	agent.Beat(answering)
	require.Eventually(b.t, func() bool {
		answer = b.Admin().Post(bindingsRoute+"/"+id+"/renew-certificate", nil)
		return answer.Status == http.StatusAccepted
	}, issuedWithin, every, "reports of agents are written some time after they came")
	return answer
}

// From nothing and without an integration: a name that leads to a node has a certificate of a real authority, because
// its agent answers it. The agent of another node is given nothing.
func TestABindingGetsItsCertificateByItsNode(t *testing.T) {
	t.Parallel()
	b, port := withAnswers(t, "alpha.example")
	b.ordering(map[string]any{"httpPort": port})
	b.cloud.Put(dnstest.CloudflareRecord{Zone: "alpha.example", Type: "A", Name: "n1.alpha.example", Content: "127.0.0.1"})
	agent, stranger := newResponder(b, "n1", port), b.Enroll("n2")
	id := b.Admin().Post(bindingsRoute, fields{
		"node_id": agent.NodeID, "zone": "alpha.example", "label": "n1", "mode": "direct", "ttl": 60,
	}).Is(http.StatusCreated).Text("id")

	agent.Beat()
	refused := b.Admin().Post(bindingsRoute+"/"+id+"/renew-certificate", nil)
	refused.Refused(http.StatusUnprocessableEntity, certificates.CodeNoProof)
	require.Contains(t, string(refused.Body), "the agent of node-n1 does not answer authorities; enrol or update it")
	var ordered certificates.Certificate
	b.ordered(agent, id).JSON(&ordered)
	require.Equal(t, []string{"n1.alpha.example"}, ordered.Names)

	require.Eventually(t, func() bool { return len(agent.follow().Answers) == 1 }, issuedWithin, every)
	require.Equal(t, port, agent.held.Port)
	require.Equal(t, "n1.alpha.example", agent.held.Answers[0].Host)
	stranger.Get("/agent/v1/desired/challenges").Refused(http.StatusNotFound, "not_found")
	require.Eventually(t, func() bool {
		return b.Admin().Get(bindingsRoute+"/"+id).Text("certificate.state") == certificates.StateValid
	}, issuedWithin, every, "%s", b.Admin().Get(certificatesRoute).Body)
	require.Equal(t, "http-01", b.Admin().Get(bindingsRoute+"/"+id).Text("certificate.challenge"))
	require.Empty(t, agent.follow().Answers, "an order that has ended takes its answer along")
}

// What the agent says when it cannot listen is what the person reads.
func TestAnAgentThatCannotListenSaysWhy(t *testing.T) {
	t.Parallel()
	b, port := withAnswers(t, "beta.example")
	b.ordering(map[string]any{"httpPort": port})
	b.cloud.Put(dnstest.CloudflareRecord{Zone: "beta.example", Type: "A", Name: "n1.beta.example", Content: "127.0.0.1"})
	agent := newResponder(b, "n1", port)
	id := b.Admin().Post(bindingsRoute, fields{
		"node_id": agent.NodeID, "zone": "beta.example", "label": "n1", "mode": "direct", "ttl": 60,
	}).Is(http.StatusCreated).Text("id")
	b.ordered(agent, id)
	busy := func(s *agentapi.DocumentStatus) {
		s.FailedRevision, s.Error, s.Revision, s.Hash = s.Revision, "port 80: the port is in use by nginx", 0, ""
	}
	require.Eventually(t, func() bool {
		agent.follow(busy)
		return strings.Contains(b.Admin().Get(bindingsRoute+"/"+id).Text("certificate.last_error"), "in use by nginx")
	}, issuedWithin, every, "%s", b.Admin().Get(certificatesRoute).Body)
	require.Equal(t, "failed", b.Admin().Get(bindingsRoute+"/"+id).Text("certificate.state"))
}

// A name that leads to a CDN or to somebody else's site is not answered for by the node behind it.
func TestNamesThatLeadElsewhereAreNotProvedByTheirNode(t *testing.T) {
	t.Parallel()
	b, _ := withAnswers(t, "gamma.example")
	b.ordering()
	agent := b.Enroll("n1")
	agent.Beat(answering)
	for _, mode := range []string{"cdn", "reality_sni"} {
		id := b.Admin().Post(bindingsRoute, fields{
			"node_id": agent.NodeID, "zone": "gamma.example", "label": strings.ReplaceAll(mode, "_", "-"), "mode": mode, "ttl": 60,
		}).Is(http.StatusCreated).Text("id")
		b.Admin().Post(bindingsRoute+"/"+id+"/renew-certificate", nil).
			Refused(http.StatusUnprocessableEntity, certificates.CodeNoProof)
	}
}
