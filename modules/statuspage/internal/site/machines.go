package site

import (
	"encoding/json"
	"fmt"
	"html"
	"time"
	"unicode/utf8"
)

type machinePage struct {
	Titles     Text               `json:"titles"`
	Status     string             `json:"status"`
	DataAt     string             `json:"data_at"`
	Components []machineComponent `json:"components"`
	Incidents  []machineIncident  `json:"incidents"`
	Works      []machineWork      `json:"maintenance"`
}

type machineComponent struct {
	ID     string   `json:"id"`
	Names  Text     `json:"names"`
	Group  Text     `json:"group"`
	Status string   `json:"status"`
	Uptime *float64 `json:"uptime_percent"`
}

type machineIncident struct {
	ID         string          `json:"id"`
	Titles     Text            `json:"titles"`
	Impact     string          `json:"impact"`
	State      string          `json:"state"`
	StartedAt  time.Time       `json:"started_at"`
	ResolvedAt *time.Time      `json:"resolved_at"`
	Updates    []machineUpdate `json:"updates"`
}

type machineUpdate struct {
	At     time.Time `json:"at"`
	State  string    `json:"state"`
	Bodies Text      `json:"bodies"`
}

type machineWork struct {
	ID       string    `json:"id"`
	Titles   Text      `json:"titles"`
	State    string    `json:"state"`
	StartsAt time.Time `json:"starts_at"`
	EndsAt   time.Time `json:"ends_at"`
}

// machines is the page for programs. Incidents are those of the first page: open ones and recent ones.
func (b *builder) machines() ([]byte, error) {
	s := b.site
	out := machinePage{
		Titles: filled(s.Titles), Status: s.Worst(), DataAt: momentOfMachines, Components: []machineComponent{},
		Incidents: []machineIncident{}, Works: []machineWork{},
	}
	for i := range s.Groups {
		for j := range s.Groups[i].Components {
			c := &s.Groups[i].Components[j]
			out.Components = append(out.Components, machineComponent{
				ID: c.ID, Names: filled(c.Names), Group: filled(s.Groups[i].Names), Status: c.Status, Uptime: c.Uptime,
			})
		}
	}
	for i := range s.Notices {
		n := &s.Notices[i]
		if n.ResolvedAt != nil && n.ResolvedAt.Before(s.DataAt.Add(-recently)) {
			continue
		}
		incident := machineIncident{
			ID: n.ID, Titles: filled(n.Titles), Impact: n.Impact, State: n.State, StartedAt: n.StartedAt.UTC(),
			ResolvedAt: n.ResolvedAt, Updates: []machineUpdate{},
		}
		for _, u := range n.Updates {
			incident.Updates = append(incident.Updates, machineUpdate{u.At.UTC(), u.State, filled(u.Bodies)})
		}
		out.Incidents = append(out.Incidents, incident)
	}
	for i := range s.Maintenance {
		m := &s.Maintenance[i]
		if m.State == "planned" || m.State == "active" {
			work := machineWork{m.ID, filled(m.Titles), m.State, m.StartsAt.UTC(), m.EndsAt.UTC()}
			out.Works = append(out.Works, work)
		}
	}
	text, err := json.Marshal(out)
	return append(text, '\n'), err
}

func filled(t Text) Text {
	if t == nil {
		return Text{}
	}
	return t
}

var badgeColours = map[string]string{
	Operational: "#12805c", Degraded: "#8f5f00", PartialOutage: "#b3480c", MajorOutage: "#b42324", Maintained: "#3158c4",
	Unknown: "#5a6270",
}

// badge is a small picture for other people's pages.
func (b *builder) badge() ([]byte, error) {
	w := wordsOf(b.site.Default)
	worst := b.site.Worst()
	left, right := w.badge, w.statuses[worst]
	const letter, margin = 7, 14
	first, second := letter*utf8.RuneCountInString(left)+margin, letter*utf8.RuneCountInString(right)+margin
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="22" role="img" aria-label="%[5]s">`+
		`<title>%[5]s</title><clipPath id="r"><rect width="%[1]d" height="22" rx="5"/></clipPath><g clip-path="url(#r)">`+
		`<rect width="%[2]d" height="22" fill="#2b303a"/><rect x="%[2]d" width="%[3]d" height="22" fill="%[4]s"/></g>`+
		`<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">`+
		`<text x="%[6]d" y="15">%[7]s</text><text x="%[8]d" y="15">%[9]s</text></g></svg>`+"\n",
		first+second, first, second, badgeColours[worst], html.EscapeString(left+": "+right), first/2,
		html.EscapeString(left), first+second/2, html.EscapeString(right)), nil
}
