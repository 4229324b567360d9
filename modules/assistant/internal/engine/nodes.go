package engine

import (
	"net/url"
	"time"
)

// node is a node as the list tells of it.
type node struct {
	named

	State       string    `json:"state"`
	Since       time.Time `json:"state_since"`
	Reasons     []string  `json:"reasons"`
	Revision    int64     `json:"revision"`
	Maintenance *struct {
		Until  *time.Time `json:"until"`
		Reason string     `json:"reason"`
	} `json:"maintenance"`
	FlowIDs []string `json:"flow_ids"`
	Traffic *struct {
		Used    int64     `json:"used_bytes"`
		Limit   *int64    `json:"limit_bytes"`
		ResetAt time.Time `json:"resets_at"`
	} `json:"traffic"`
}

// told is how many entries of a list an answer has.
const told = 10

// nodesIn lists the nodes of a state.
func (t *talk) nodesIn(state string) (rows page[node], ok bool) {
	return rows, t.get("/api/v1/nodes", values("state", state, "limit", "10"), &rows)
}

func (t *talk) offlineNodes() {
	rows, ok := t.nodesIn("offline")
	if !ok {
		return
	}
	all := Link{Label: t.say("Nodes that are offline", "Ноды не в сети"), Href: "/nodes?state=offline"}
	if rows.Total == 0 {
		t.text(t.say("No node is offline. Those that wait for their agent or are in maintenance do not count.",
			"Нод в состоянии «не в сети» нет. Те, что ждут агента или на обслуживании, не считаются."))
		return
	}
	t.text(t.say("Nodes offline: %d.", "Нод не в сети: %d.", rows.Total), all)
	for _, n := range rows.Items {
		t.item(t.say("%s is offline since %s: %s", "%s не в сети с %s: %s", n.Name, t.moment(n.Since), t.reasons(n.Reasons)),
			nodeLink(n.named))
	}
	t.more(rows.Total, len(rows.Items), all.Href)
	t.suggest("What would break if %s dies?", "Что сломается, если %s упадёт?", rows.Items[0].Name)
}

func (t *talk) maintainedNodes() {
	rows, ok := t.nodesIn("maintenance")
	if !ok {
		return
	}
	t.text(t.say("Nodes in maintenance: %d.", "Нод на обслуживании: %d.", rows.Total))
	for _, n := range rows.Items {
		t.item(t.say("%s since %s", "%s с %s", n.Name, t.moment(n.Since)), nodeLink(n.named))
	}
	t.more(rows.Total, len(rows.Items), "/nodes?state=maintenance")
}

// fleet is the summary of all nodes.
type fleet struct {
	Figures struct {
		Down     float64 `json:"net_rx_bps"`
		Up       float64 `json:"net_tx_bps"`
		Sessions *int64  `json:"sessions"`
	} `json:"figures"`
	Agents []struct {
		Version string `json:"version"`
		Nodes   int    `json:"nodes"`
	} `json:"agents"`
}

func (t *talk) summary() (all fleet, ok bool) { return all, t.get("/api/v1/nodes/summary", nil, &all) }

// count is how many nodes are in a state; an empty one means all. It costs less than the summary of the fleet.
func (t *talk) count(state string) (n int, ok bool) {
	asked := values("limit", "1")
	if state != "" {
		asked.Set("state", state)
	}
	var rows page[named]
	ok = t.get("/api/v1/nodes", asked, &rows)
	return rows.Total, ok
}

func (t *talk) countNodes() {
	all, ok := t.count("")
	if !ok {
		return
	}
	t.text(t.say("Nodes: %d.", "Нод: %d.", all), Link{Label: t.say("Nodes", "Ноды"), Href: "/nodes"})
	for _, state := range []string{"online", "degraded", "offline", "maintenance", "pending", "disabled"} {
		if n, ok := t.count(state); ok && n > 0 {
			t.item(t.say("%s: %d", "%s: %d", t.state(state), n))
		}
	}
}

func (t *talk) agentVersions() {
	all, ok := t.summary()
	if !ok {
		return
	}
	t.text(t.say("Versions of the agents on nodes:", "Версии агентов на нодах:"),
		Link{Label: t.say("Updates", "Обновления"), Href: "/updates"})
	for _, v := range all.Agents {
		t.item(t.say("%s: nodes %d", "%s: нод %d", orNone(v.Version, t.say("unknown", "неизвестна")), v.Nodes))
	}
}

func orNone(text, none string) string {
	if text == "" {
		return none
	}
	return text
}

func (t *talk) fleetTraffic() {
	all, ok := t.summary()
	if !ok {
		return
	}
	t.text(t.say("All nodes together carry %s in and %s out at this moment.",
		"Все ноды вместе сейчас принимают %s и отдают %s.", t.rate(all.Figures.Down), t.rate(all.Figures.Up)),
		Link{Label: t.say("Nodes", "Ноды"), Href: "/nodes"})
	if all.Figures.Sessions != nil {
		t.item(t.say("Sessions: %d", "Сеансов: %d", *all.Figures.Sessions))
	}
}

// node reads one node whole.
func (t *talk) node(id string) (n node, ok bool) {
	return n, t.get("/api/v1/nodes/{id}", values("id", id), &n)
}

func (t *talk) objectTraffic() {
	about, ok := t.subject(aNode, aFlow)
	if !ok {
		return
	}
	if about.kind == aFlow {
		t.flowTraffic(about)
		return
	}
	n, ok := t.node(about.ID)
	if !ok {
		return
	}
	if n.Traffic == nil {
		t.text(t.say("The panel has not counted traffic of %s yet.", "Трафик ноды %s панель ещё не считала.", n.Name),
			nodeLink(n.named))
		return
	}
	used := t.bytes(n.Traffic.Used)
	if n.Traffic.Limit == nil {
		t.text(t.say("%s has carried %s in this period, which ends on %s. It has no limit.",
			"%s передала %s за этот период, он кончается %s. Предела нет.", n.Name, used, t.moment(n.Traffic.ResetAt)),
			nodeLink(n.named))
		return
	}
	t.text(t.say("%s has carried %s of %s in this period, which ends on %s.",
		"%s передала %s из %s за этот период, он кончается %s.", n.Name, used, t.bytes(*n.Traffic.Limit),
		t.moment(n.Traffic.ResetAt)), nodeLink(n.named))
}

func (t *talk) flowsOfNode() {
	about, ok := t.subject(aNode)
	if !ok {
		return
	}
	flows, ok := t.flowsOn(about.ID)
	if !ok {
		return
	}
	t.text(t.say("Flows installed on %s: %d.", "Потоков, установленных на %s: %d.", about.Name, flows.Total), about.link())
	for _, f := range flows.Items {
		t.item(f.Name, flowLink(f.named))
	}
	t.more(flows.Total, len(flows.Items), "/flows?node_id="+url.QueryEscape(about.ID))
	if flows.Total > 0 {
		t.suggest("What would break if %s dies?", "Что сломается, если %s упадёт?", about.Name)
	}
}

func (t *talk) flowsOn(nodeID string) (flows page[flow], ok bool) {
	return flows, t.get("/api/v1/connection-units", values("node_id", nodeID, "limit", "10"), &flows)
}

// nodeDies tells what a node carries: flows that come in at it, flows that only pass it, and pools that would lose a
// member.
func (t *talk) nodeDies() {
	about, ok := t.subject(aNode)
	if !ok {
		return
	}
	flows, ok := t.flowsOn(about.ID)
	if !ok {
		return
	}
	if flows.Total == 0 {
		t.text(t.say("No flow is installed on %s, so that no flow would stop.", "На %s не установлен ни один поток, ни один не остановится.",
			about.Name), about.link())
	} else {
		t.text(t.say("Flows installed on %s: %d.", "Потоков, установленных на %s: %d.", about.Name, flows.Total), about.link())
	}
	for _, f := range flows.Items {
		t.item(t.loss(f, about.ID), flowLink(f.named))
	}
	t.more(flows.Total, len(flows.Items), "/flows?node_id="+url.QueryEscape(about.ID))
	t.poolsLosing(about)
	t.suggest("How do I replace a node?", "Как заменить ноду?")
}

// loss says what becomes of a flow without a node.
func (t *talk) loss(f flow, nodeID string) string {
	switch {
	case f.Entry != nil && f.Entry.NodeID == nodeID:
		return t.say("%s: clients enter here, so that they could not connect (clients: %d)",
			"%s: здесь вход клиентов, они не смогут подключиться (клиентов: %d)", f.Name, f.Clients.Active)
	case len(f.NodeIDs) == 0:
		return t.say("%s: only its draft names the node", "%s: нода есть только в черновике", f.Name)
	}
	return t.say("%s: it leads on through this node; traffic goes on only where a pool or a rule has another way (clients: %d)",
		"%s: путь идёт через эту ноду; трафик пойдёт дальше, только если у пула или правила есть другой путь (клиентов: %d)",
		f.Name, f.Clients.Active)
}

func (t *talk) poolsLosing(about object) {
	var pools page[struct {
		named

		Members int `json:"members"`
		Down    int `json:"down"`
	}]
	if !t.get("/api/v1/transit-pools", values("node_id", about.ID, "limit", "10"), &pools) {
		return
	}
	for _, p := range pools.Items {
		t.item(t.say("Pool %s would have %d of %d members left", "В пуле %s останется участников: %d из %d", p.Name,
			max(p.Members-p.Down-1, 0), p.Members), Link{Label: p.Name, Href: "/pools/" + p.ID})
	}
	t.more(pools.Total, len(pools.Items), "/pools?node_id="+url.QueryEscape(about.ID))
}

// objectState tells how a node or flow is.
func (t *talk) objectState() {
	about, ok := t.subject(aNode, aFlow)
	if !ok {
		return
	}
	if about.kind == aFlow {
		t.flowState(about)
		return
	}
	n, ok := t.node(about.ID)
	if !ok {
		return
	}
	t.text(t.say("%s is %s since %s.", "%s: %s с %s.", n.Name, t.state(n.State), t.moment(n.Since)), nodeLink(n.named))
	for _, reason := range n.Reasons {
		t.item(t.reason(reason))
	}
	if n.Maintenance != nil && n.Maintenance.Reason != "" {
		t.item(t.say("Reason of the maintenance: %s", "Причина обслуживания: %s", n.Maintenance.Reason))
	}
	t.incidentsOf(about)
}
