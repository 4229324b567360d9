package engine

import "time"

// incident is something that is wrong, as the list tells of it.
type incident struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	Severity  string    `json:"severity"`
	Hint      string    `json:"root_cause_hint"`
	Began     time.Time `json:"began_at"`
	SubjectID string    `json:"subject_id"`
	Subject   string    `json:"subject_name"`
	Nodes     int       `json:"nodes"`
	Flows     int       `json:"connection_units"`
}

func (t *talk) incidentText(i incident) string {
	text := t.say("%s since %s (%s)", "%s с %s (%s)", i.Subject, t.moment(i.Began), t.word(severityWords, i.Severity))
	if i.Hint != "" {
		text += ": " + t.word(hintWords, i.Hint)
	}
	if i.Flows > 0 || i.Nodes > 1 {
		text += t.say("; nodes: %d, flows: %d", "; нод: %d, потоков: %d", i.Nodes, i.Flows)
	}
	return text
}

func incidentLink(i incident) Link {
	return Link{Label: i.Subject, Href: "/monitoring/incidents/" + i.ID}
}

// red tells all that is wrong: incidents, and nodes whose agents say so although nothing was opened.
func (t *talk) red() {
	var open page[incident]
	told := t.get("/api/v1/health/incidents", values("state", "unresolved", "limit", "10"), &open)
	if told {
		t.text(t.say("Open incidents: %d.", "Открытых инцидентов: %d.", open.Total),
			Link{Label: t.say("Incidents", "Инциденты"), Href: "/monitoring/incidents"})
		for _, i := range open.Items {
			t.item(t.incidentText(i), incidentLink(i))
		}
		t.more(open.Total, len(open.Items), "/monitoring/incidents")
	}
	rows, ok := t.nodesIn("attention")
	if !ok {
		return
	}
	t.text(t.say("Nodes that are offline or degraded: %d.", "Нод не в сети или с перебоями: %d.", rows.Total),
		Link{Label: t.say("Nodes", "Ноды"), Href: "/nodes?state=attention"})
	for _, n := range rows.Items {
		t.item(t.say("%s is %s since %s: %s", "%s: %s с %s: %s", n.Name, t.state(n.State), t.moment(n.Since), t.reasons(n.Reasons)),
			nodeLink(n.named))
	}
	t.more(rows.Total, len(rows.Items), "/nodes?state=attention")
}

// incidentsOf tells of the incidents that an object suffers from.
func (t *talk) incidentsOf(about object) {
	var open page[incident]
	if !t.get("/api/v1/health/incidents", values("state", "unresolved", "subject_id", about.ID, "limit", "5"), &open) {
		return
	}
	for _, i := range open.Items {
		t.item(t.say("Open incident: %s", "Открытый инцидент: %s", t.incidentText(i)), incidentLink(i))
	}
}

func (t *talk) redFlows() {
	total := 0
	for _, state := range []string{"down", "degraded"} {
		var rows page[struct {
			named

			State string     `json:"state"`
			Since *time.Time `json:"since"`
		}]
		if !t.get("/api/v1/health/connection-units", values("state", state, "limit", "10"), &rows) {
			return
		}
		total += rows.Total
		for _, f := range rows.Items {
			since := t.say("an unknown time", "неизвестного времени")
			if f.Since != nil {
				since = t.moment(*f.Since)
			}
			t.item(t.say("%s is %s since %s", "%s: %s с %s", f.Name, t.state(f.State), since), flowLink(f.named))
		}
		t.more(rows.Total, len(rows.Items), "/monitoring/flows?state="+state)
	}
	t.answer.Paragraphs = append([]Paragraph{{
		Kind: Text, Text: t.say("Flows that are down or degraded: %d.", "Потоков, которые не работают или с перебоями: %d.", total),
		Links: []Link{{Label: t.say("Monitoring", "Мониторинг"), Href: "/monitoring/flows"}},
	}}, t.answer.Paragraphs...)
}
