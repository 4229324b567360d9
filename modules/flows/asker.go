package flows

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// asker finds the evidence for plans: it orders probes, reads the answers and writes down what was seen. A plan that
// waits for evidence is claimed for a while; when the panel dies, another one or the next start asks again.
type asker struct {
	*service
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu     sync.Mutex
	asking map[string]*atomic.Bool // by plan: whether the rest of its questions has become pointless
}

func newAsker(s *service) *asker {
	a := &asker{service: s, dial: (&net.Dialer{}).DialContext, asking: map[string]*atomic.Bool{}}
	s.decided = a.spare
	return a
}

// spare leaves out the questions that are not asked yet about a plan that is being installed: their answers come too late,
// and what they would open on the servers is about to be opened for good.
func (a *asker) spare(planID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if pointless := a.asking[planID]; pointless != nil {
		pointless.Store(true)
	}
}

func (a *asker) starts(planID string) *atomic.Bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asking[planID] = new(atomic.Bool)
	return a.asking[planID]
}

func (a *asker) ends(planID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.asking, planID)
}

// Times of readiness probes: how long an agent may take, and how long its temporary listener stays for others to dial.
const (
	probeLimit = 20 * time.Second
	holdOpen   = 30 * time.Second
	askLimit   = 90 * time.Second
	dialLimit  = 5 * time.Second
)

// questionsAtOnce keeps a plan over hundreds of servers from taking every database connection.
const questionsAtOnce = 32

// claim takes a plan that nobody asks for at the moment.
func (a *asker) claim(ctx context.Context) (*planRow, error) {
	var rows []planRow
	now := a.now()
	err := a.db.NewRaw(`update flow_plans set ask_until = ?, asker = ? where id = (
		select id from flow_plans where ask_until <= ? order by ask_until limit 1 for update skip locked) returning *`,
		now.Add(askLimit), database.NewID(), now).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return nil, database.Fault(err, nil)
	}
	return &rows[0], nil
}

// ask finds evidence for every check of the plan that is not confirmed, then lets the plan go.
func (a *asker) ask(ctx context.Context, row *planRow) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	checks, err := a.store.checks(ctx, row.ID)
	if err != nil {
		a.log.Warn("readiness could not be read", zap.String("plan_id", row.ID), zap.Error(err))
		return
	}
	pointless := a.starts(row.ID)
	defer a.ends(row.ID)
	var all sync.WaitGroup
	slots := make(chan struct{}, questionsAtOnce)
	begin := func(question func()) {
		slots <- struct{}{}
		if pointless.Load() {
			<-slots
			return
		}
		all.Go(func() {
			defer func() { <-slots }()
			question()
		})
	}
	peers := a.peers(ctx)
	for i, port := range ports(checks) {
		begin(func() { a.port(ctx, port, peerOf(peers, i, port.firewall.NodeID)) })
	}
	for _, c := range checks {
		if c.Ask.ServerName != "" && c.Status != plan.Confirmed {
			begin(func() { a.note(ctx, c, a.target(ctx, c)) })
		}
	}
	all.Wait()
	a.release(ctx, row)
}

func (a *asker) release(ctx context.Context, row *planRow) {
	_, err := a.db.NewUpdate().Model(row).Set("ask_until = null").WherePK().Where("asker = ?", row.Asker).Exec(ctx)
	if err != nil {
		a.log.Warn("a plan could not be released after its checks", zap.String("plan_id", row.ID), zap.Error(err))
	}
	a.tell(ctx, "flow.plan_checked", row.FlowID, map[string]string{"plan_id": row.ID})
}

// portChecks are the two questions about one port: can it be bound, and does somebody else reach it.
type portChecks struct{ listener, firewall checkRow }

func ports(checks []checkRow) []portChecks {
	var out []portChecks
	for _, c := range checks {
		rest, isListener := cutGroup(c.Key, "listener:")
		if !isListener {
			continue
		}
		at := slices.IndexFunc(checks, func(o checkRow) bool { return o.Key == "firewall:"+rest })
		if at < 0 || c.Status == plan.Confirmed && checks[at].Status == plan.Confirmed {
			continue
		}
		out = append(out, portChecks{listener: c, firewall: checks[at]})
	}
	return out
}

func cutGroup(key, group string) (string, bool) {
	if len(key) < len(group) || key[:len(group)] != group {
		return "", false
	}
	return key[len(group):], true
}

// finding is what one probe showed. A blocker is what no force passes; holder names the process that has the port.
type finding struct{ status, evidence, blocker, holder string }

func confirmed(evidence string) finding { return finding{status: plan.Confirmed, evidence: evidence} }
func failed(evidence string) finding    { return finding{status: plan.Failed, evidence: evidence} }
func unclear(evidence string) finding   { return finding{status: plan.Unconfirmed, evidence: evidence} }

func (a *asker) note(ctx context.Context, c checkRow, f finding) {
	seen := a.now()
	c.Status, c.Evidence, c.ObservedAt, c.Blocker, c.Holder = f.status, f.evidence, &seen, f.blocker, f.holder
	if err := a.store.saveCheck(ctx, c); err != nil {
		a.log.Warn("evidence could not be stored", zap.String("check", c.Key), zap.Error(err))
	}
	a.tell(ctx, "flow.plan_checked", "", map[string]string{"plan_id": c.PlanID, "key": c.Key, "status": c.Status})
}

// port lets the server open a temporary listener that answers a secret word, and lets a peer, or else the panel
// itself, dial it and compare the word.
func (a *asker) port(ctx context.Context, p portChecks, peer *nodesapi.Node) {
	word := rand.Text()
	ask := p.listener.Ask
	bind := agentapi.BindProbe{L4: ask.L4, IP: ask.IP, Port: ask.Port, Nonce: word, HoldSeconds: int(holdOpen.Seconds())}
	var data agentapi.ProbeData
	result, err := a.probe(ctx, p.listener.NodeID, agentapi.ProbeArgs{Bind: &bind}, &data)
	listener := bound(result, data.Bind, err)
	a.note(ctx, p.listener, listener)
	if listener.status != plan.Confirmed {
		a.note(ctx, p.firewall, unclear("not asked: the port could not be opened for the check"))
		return
	}
	a.note(ctx, p.firewall, a.reached(ctx, p.firewall, peer, word, data.Bind.Own))
}

func bound(r nodesapi.Result, data *agentapi.BindData, err error) finding {
	switch {
	case err != nil || data == nil && r.Code != string(agentapi.CodePortInUse):
		return unclear(silence(r, err))
	case data != nil && data.Bound:
		return confirmed("the agent bound the port")
	case data != nil && data.Own:
		return confirmed("the node's core holds the port already")
	case data != nil && data.Owner != "":
		return finding{status: plan.Failed, evidence: "the port is held by " + data.Owner, blocker: blockedPort, holder: data.Owner}
	case r.Code == string(agentapi.CodePortInUse):
		return finding{status: plan.Failed, evidence: "the port is held by a process that could not be named", blocker: blockedPort}
	}
	return failed("the port could not be bound: " + r.Error)
}

func silence(r nodesapi.Result, err error) string {
	switch {
	case err != nil:
		return "the agent could not be asked"
	case r.Code == string(agentapi.CodeExpired):
		return "the agent did not answer in time"
	}
	return "the agent could not check it: " + r.Error
}

// probe orders one probe and waits for its end; this runs in the background, never in somebody's request.
func (a *asker) probe(ctx context.Context, nodeID string, args agentapi.ProbeArgs, into *agentapi.ProbeData) (nodesapi.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit+dialLimit)
	defer cancel()
	order := nodesapi.Order{NodeID: nodeID, Kind: string(agentapi.Probe), Args: args, Deadline: a.now().Add(probeLimit), By: "readiness"}
	ids, err := a.servers.Send(ctx, order)
	if err != nil {
		return nodesapi.Result{}, fmt.Errorf("order a probe: %w", err)
	}
	results, err := a.servers.Await(ctx, ids...)
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

func (a *asker) reached(ctx context.Context, c checkRow, peer *nodesapi.Node, word string, own bool) finding {
	address := net.JoinHostPort(c.Ask.Host, strconv.Itoa(c.Ask.Port))
	if own {
		word = ""
	}
	if peer != nil {
		if f, said := a.fromPeer(ctx, *peer, c.Ask.L4, address, word); said {
			return f
		}
	}
	return a.fromPanel(ctx, c.Ask.L4, address, word)
}

// mostPeers is among how many servers the dialling of a plan is spread.
const mostPeers = 64

// peers are some of the servers that can dial others.
func (a *asker) peers(ctx context.Context) []nodesapi.Node {
	nodes, err := a.servers.Able(ctx, string(agentapi.CanProbe), mostPeers)
	if err != nil {
		a.log.Warn("no node can be asked to dial another one; the panel dials itself", zap.Error(err))
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

func (a *asker) fromPeer(ctx context.Context, peer nodesapi.Node, l4, address, word string) (finding, bool) {
	var data agentapi.ProbeData
	args := agentapi.ProbeArgs{Dial: &agentapi.DialProbe{Address: address, L4: l4, Nonce: word}}
	_, err := a.probe(ctx, peer.ID, args, &data)
	if err != nil || data.Dial == nil {
		return finding{}, false
	}
	if data.Dial.NonceMatched || word == "" && data.Dial.Connected {
		return confirmed(fmt.Sprintf("%s dialed it in %.0f ms", peer.Name, data.Dial.LatencyMillis)), true
	}
	if data.Dial.Connected {
		return failed(peer.Name + " reached something else on this port"), true
	}
	return failed(peer.Name + " could not reach it"), true
}

// fromPanel dials the temporary listener from here, when there is no other node to do it. It is the one case in which the panel
// connects to a node (domain 4.3: reachable from panel or peer agent): it says nothing there and believes nothing but the secret
// word, and without it a fleet of one node could install nothing but by force.
func (a *asker) fromPanel(ctx context.Context, l4, address, word string) finding {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	conn, err := a.dial(ctx, l4, address)
	if err != nil {
		return failed("the panel could not reach it")
	}
	defer func() { _ = conn.Close() }()
	if word == "" && l4 == agentapi.UDP {
		return unclear("the port is in use by the node's core; udp cannot be checked then")
	}
	if word == "" {
		return confirmed("the panel dialed it")
	}
	if heard(conn, l4, word) {
		return confirmed("the panel dialed it")
	}
	return failed("the panel reached the address, and the node's agent did not answer there")
}

func heard(conn net.Conn, l4, word string) bool {
	if err := conn.SetDeadline(time.Now().Add(dialLimit)); err != nil { //nolint:forbidigo // the deadline of a real connection
		return false
	}
	if l4 == agentapi.UDP {
		if _, err := conn.Write([]byte(word)); err != nil {
			return false
		}
	}
	got := make([]byte, len(word))
	_, err := io.ReadFull(conn, got)
	return err == nil && len(word) > 0 && string(got) == word
}

// target makes the server's agent shake hands with the site that REALITY stands in front of.
func (a *asker) target(ctx context.Context, c checkRow) finding {
	var data agentapi.ProbeData
	address := net.JoinHostPort(c.Ask.Host, strconv.Itoa(c.Ask.Port))
	r, err := a.probe(ctx, c.NodeID, agentapi.ProbeArgs{TLS: &agentapi.TLSProbe{
		Target: address, SNI: c.Ask.ServerName, Public: !c.Ask.Private,
	}}, &data)
	t := data.TLS
	switch {
	case err == nil && t != nil && t.Inside && !c.Ask.Private:
		return finding{status: plan.Failed, evidence: insideTarget, blocker: blockedTarget}
	case err != nil || t == nil && r.Code != string(agentapi.CodeUnreachable):
		return unclear(silence(r, err))
	case t == nil:
		return failed("the node could not reach the target")
	}
	text := fmt.Sprintf("TLS %s, ALPN %s, name matches: %t, %.0f ms", t.Version, t.ALPN, t.NameMatches, t.LatencyMillis)
	if t.Version == "1.3" && t.ALPN == "h2" {
		return confirmed(text)
	}
	return failed(text)
}
