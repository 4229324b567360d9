package engine

import (
	"net/netip"
	"strings"
	"time"
)

// flow is a flow as the list tells of it.
type flow struct {
	named

	State     string     `json:"state"`
	Health    string     `json:"health_state"`
	Enabled   bool       `json:"enabled"`
	Installed *time.Time `json:"installed_at"`
	NodeIDs   []string   `json:"node_ids"`
	Draft     int64      `json:"draft_revision"`
	Changes   *int       `json:"draft_changes"`
	Entry     *struct {
		NodeID string `json:"node_id"`
	} `json:"entry"`
	Clients struct {
		Active int `json:"active"`
		Total  int `json:"total"`
	} `json:"client_counts"`
}

func (t *talk) flow(id string) (f flow, ok bool) {
	return f, t.get("/api/v1/connection-units/{id}", values("id", id), &f)
}

func (t *talk) flowState(about object) {
	f, ok := t.flow(about.ID)
	if !ok {
		return
	}
	t.text(t.say("%s is %s; health: %s.", "%s: %s; здоровье: %s.", f.Name, t.state(f.State), t.state(f.Health)),
		flowLink(f.named))
	if !f.Enabled {
		t.warn(t.say("It is switched off.", "Он отключён."))
	}
	if f.Installed != nil {
		t.item(t.say("Installed %s", "Установлен %s", t.moment(*f.Installed)))
	}
	t.item(t.say("Active clients: %d", "Действующих клиентов: %d", f.Clients.Active))
	t.incidentsOf(about)
	t.suggest("Why does this flow leave through its exit?", "Почему этот поток выходит через свой выход?")
}

func (t *talk) flowTraffic(about object) {
	var now struct {
		Up       *float64 `json:"up_bps"`
		Down     *float64 `json:"down_bps"`
		Sessions *int     `json:"sessions"`
	}
	if !t.get("/api/v1/connection-units/{id}/traffic", values("id", about.ID), &now) {
		return
	}
	if now.Up == nil || now.Down == nil {
		t.text(t.say("No node has told the traffic of %s lately.", "Ноды давно не сообщали трафик потока %s.", about.Name),
			about.link())
		return
	}
	t.text(t.say("%s carries %s to clients and %s from them at this moment.",
		"%s сейчас передаёт %s клиентам и %s от них.", about.Name, t.rate(*now.Down), t.rate(*now.Up)), about.link())
	if now.Sessions != nil {
		t.item(t.say("Sessions: %d", "Сеансов: %d", *now.Sessions))
	}
}

// explanation is the way of traffic through a flow.
type explanation struct {
	Of     string `json:"of"`
	Result string `json:"result"`
	NodeID string `json:"node_id"`
	Node   string `json:"node_name"`
	Steps  []struct {
		From   string `json:"from"`
		To     string `json:"to"`
		Result string `json:"result"`
		Reason string `json:"reason"`
	} `json:"steps"`
	Pools []struct {
		ID       string `json:"pool_id"`
		Name     string `json:"name"`
		Fallback string `json:"fallback"`
		Choices  []struct {
			Node   string    `json:"node_name"`
			Serves string    `json:"serves"`
			Active string    `json:"active_name"`
			Usable int       `json:"usable"`
			Reason string    `json:"reason"`
			At     time.Time `json:"at"`
		} `json:"choices"`
		Members []struct {
			Node    string `json:"node_name"`
			Enabled bool   `json:"enabled"`
			Drain   bool   `json:"drain"`
			Seen    []struct {
				State string    `json:"state"`
				RTT   int64     `json:"rtt_ms"`
				Since time.Time `json:"since"`
			} `json:"seen"`
		} `json:"members"`
	} `json:"pools"`
}

// flowLeaves tells the way of a flow's traffic and why it is this one.
func (t *talk) flowLeaves() {
	destination, named := t.destination()
	about, over, ok := t.flowAndExit()
	if !ok {
		return
	}
	way, ok := t.wayOf(about, destination)
	if !ok {
		return
	}
	where := t.say("any site that no rule chooses", "любой сайт, для которого нет правила")
	if named != "" {
		where = named
	}
	t.wayText(about, way, where)
	if over.ID != "" && way.NodeID != "" && over.ID != way.NodeID {
		t.warn(t.say("It does not leave through %s.", "Через %s он не выходит.", over.Name), over.link())
	}
	for _, s := range way.Steps {
		t.item(t.stepText(s.From, s.To, s.Result, s.Reason))
	}
	t.poolsOf(way)
}

func (t *talk) wayText(about object, way explanation, where string) {
	state := t.say("as installed", "в установленной версии")
	if way.Of == Draft {
		state = t.say("as its draft says, since nothing is installed", "по черновику, так как ничего не установлено")
	}
	links := []Link{about.link()}
	if way.NodeID != "" {
		links = append(links, nodeLink(named{way.NodeID, way.Node}))
	}
	switch {
	case way.Result == "block":
		t.text(t.say("%s, %s: traffic to %s is blocked.", "%s, %s: трафик на %s блокируется.", about.Name, state, where), links...)
	case way.Result == "unknown":
		t.text(t.say("%s, %s: the panel cannot say the way to %s.", "%s, %s: панель не может назвать путь на %s.", about.Name,
			state, where), links...)
	case way.Node != "":
		t.text(t.say("%s, %s: traffic to %s leaves through %s.", "%s, %s: трафик на %s выходит через %s.", about.Name, state,
			where, way.Node), links...)
	default:
		t.text(t.say("%s, %s: traffic to %s leaves through members of a pool.",
			"%s, %s: трафик на %s выходит через участников пула.", about.Name, state, where), links...)
	}
}

// destination is the site or address that the question names; by default what no rule chooses.
func (t *talk) destination() (to []string, named string) {
	for i, name := range t.names {
		if _, err := netip.ParseAddr(name); err == nil {
			to, named = []string{"ip", name}, name
		} else if strings.Contains(name, ".") && !strings.Contains(name, " ") {
			to, named = []string{"domain", name}, name
		} else {
			continue
		}
		t.names = append(t.names[:i:i], t.names[i+1:]...)
		return append(to, "port", "443", "protocol", "tls"), named
	}
	return []string{"domain", "example.com", "ip", "192.0.2.1", "port", "443", "protocol", "tls"}, ""
}

// flowAndExit are the flow of the question and the node that it is said to leave through, if one is named.
func (t *talk) flowAndExit() (about, over object, ok bool) {
	found, ok := t.objects(aFlow, aNode)
	if !ok {
		return about, over, false
	}
	if here, known := t.here(aFlow); known {
		found = append(found, here)
	}
	for _, one := range found {
		switch {
		case one.kind == aFlow && about.ID == "":
			about = one
		case one.kind == aNode:
			over = one
		}
	}
	if about.ID == "" {
		t.answer.Understood = false
		t.text(t.say("Say which flow: name it, or ask on its page.", "Уточните, какой поток: назовите его или спросите на его странице."))
	}
	return about, over, about.ID != ""
}

// wayOf asks for the way in what is installed, else in the draft.
func (t *talk) wayOf(about object, to []string) (way explanation, ok bool) {
	f, ok := t.flow(about.ID)
	if !ok {
		return way, false
	}
	of := "installed"
	if f.Installed == nil {
		of = Draft
	}
	asked := values(append([]string{"id", about.ID, "of", of}, to...)...)
	return way, t.get("/api/v1/connection-units/{id}/explain", asked, &way)
}

var stepReasons = map[string]string{
	"takes everything that no other edge chose": "берёт всё, что не выбрало другое правило",
	"every condition holds":                     "все условия выполнены",
	"another port":                              "другой порт",
	"another protocol":                          "другой протокол",
	"another domain or address":                 "другой домен или адрес",
	"another address":                           "другой адрес",
	"another domain":                            "другой домен",
}

func (t *talk) stepText(from, to, result, reason string) string {
	if words, known := stepReasons[reason]; known && t.ask.Language == "ru" {
		reason = words
	}
	switch result {
	case "taken":
		return t.say("The rule from %s to %s is taken: %s", "Правило от %s к %s выбрано: %s", from, to, reason)
	case "passed_over":
		return t.say("The rule from %s to %s is passed over: %s", "Правило от %s к %s пропущено: %s", from, to, reason)
	}
	return t.say("Of the rule from %s to %s the panel cannot say it: %s", "О правиле от %s к %s панель сказать не может: %s",
		from, to, reason)
}

var switchReasons = map[string]both{
	"started":       {"the node began to forward", "нода начала передавать"},
	"member_down":   {"a member went down", "участник перестал работать"},
	"member_up":     {"a member is usable again", "участник снова годен"},
	"changed":       {"weights or drains were changed", "изменены веса или вывод"},
	"override":      {"a member was chosen by hand", "участник выбран вручную"},
	"override_over": {"the choice of a member ended", "ручной выбор закончился"},
	"all_down":      {"no member is usable", "ни один участник не годен"},
}

func (t *talk) poolsOf(way explanation) {
	for _, p := range way.Pools {
		link := Link{Label: p.Name, Href: "/pools/" + p.ID}
		for _, c := range p.Choices {
			t.item(t.say("In pool %s on %s since %s: %s carries it, because %s", "В пуле %s на %s с %s: передаёт %s, потому что %s",
				p.Name, c.Node, t.moment(c.At), orNone(c.Active, t.say("members in turn", "участники по очереди")),
				t.word(switchReasons, c.Reason)), link)
		}
		for _, m := range p.Members {
			for _, s := range m.Seen {
				if s.State != "healthy" {
					t.item(t.say("Member %s is %s since %s", "Участник %s: %s с %s", m.Node, t.state(s.State), t.moment(s.Since)), link)
				}
			}
		}
	}
}

func (t *talk) countFlows() {
	if t.has("apply") {
		var applied page[flow]
		if t.get("/api/v1/connection-units", values("limit", "1", "state", "applied"), &applied) {
			t.text(t.say("Flows that are applied: %d.", "Применённых потоков: %d.", applied.Total),
				Link{Label: t.say("Flows", "Потоки"), Href: "/flows?state=applied"})
		}
		return
	}
	var all page[flow]
	if t.get("/api/v1/connection-units", values("limit", "1"), &all) {
		t.text(t.say("Flows: %d.", "Потоков: %d.", all.Total), Link{Label: t.say("Flows", "Потоки"), Href: "/flows"})
	}
}

func (t *talk) countClients() {
	var all, active page[named]
	if !t.get("/api/v1/clients", values("limit", "1"), &all) ||
		!t.get("/api/v1/clients", values("limit", "1", "state", "active"), &active) {
		return
	}
	t.text(t.say("Clients: %d, of them active: %d.", "Клиентов: %d, из них действующих: %d.", all.Total, active.Total),
		Link{Label: t.say("Clients", "Клиенты"), Href: "/clients"})
	if !t.has("online") {
		return
	}
	if sum, ok := t.summary(); ok && sum.Figures.Sessions != nil {
		t.item(t.say("Sessions at this moment: %d; the panel does not count people", "Сеансов сейчас: %d; людей панель не считает",
			*sum.Figures.Sessions))
	}
}

func (t *talk) failedApplies() {
	var failed page[flow]
	if !t.get("/api/v1/connection-units", values("limit", "10", "state", "apply_failed"), &failed) {
		return
	}
	t.text(t.say("Flows whose last apply failed: %d.", "Потоков, которые не удалось применить: %d.", failed.Total),
		Link{Label: t.say("Flows", "Потоки"), Href: "/flows?state=apply_failed"})
	for _, f := range failed.Items {
		t.item(f.Name, flowLink(f.named))
	}
	t.more(failed.Total, len(failed.Items), "/flows?state=apply_failed")
}

func (t *talk) pools() {
	var all page[struct {
		named

		State      string `json:"state"`
		Members    int    `json:"members"`
		Down       int    `json:"down"`
		OnFallback bool   `json:"on_fallback"`
	}]
	if !t.get("/api/v1/transit-pools", values("limit", "200"), &all) {
		return
	}
	bad := 0
	for _, p := range all.Items {
		if p.State != "degraded" && p.State != "down" && !p.OnFallback {
			continue
		}
		if bad++; bad > told {
			continue
		}
		t.item(t.say("%s is %s: %d of %d members are down", "%s: %s, не работают %d из %d участников", p.Name, t.state(p.State),
			p.Down, p.Members), Link{Label: p.Name, Href: "/pools/" + p.ID})
	}
	first := t.say("Pools: %d, of them not healthy: %d.", "Пулов: %d, из них нездоровых: %d.", all.Total, bad)
	if all.Total > len(all.Items) {
		first = t.say("Of the first %d pools of %d, %d are not healthy.", "Из первых %d пулов (всего %d) нездоровы %d.",
			len(all.Items), all.Total, bad)
	}
	link := Link{Label: t.say("Pools", "Пулы"), Href: "/pools"}
	t.answer.Paragraphs = append([]Paragraph{{Kind: Text, Text: first, Links: []Link{link}}}, t.answer.Paragraphs...)
}
