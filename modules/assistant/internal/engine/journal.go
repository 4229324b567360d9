package engine

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// entry is a line of the journal.
type entry struct {
	At    time.Time `json:"at"`
	Actor struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
	} `json:"actor"`
	Action string `json:"action"`
	Object struct {
		Type string `json:"type"`
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"object"`
	Changes map[string]struct {
		From any `json:"from"`
		To   any `json:"to"`
	} `json:"changes"`
}

type family struct {
	of     concept
	action string
}

// families are the journal's actions about the objects that a question speaks of.
var families = []family{
	{"port", "flow.*"},
	{"flow", "flow.*"},
	{"node", "node.*"},
	{"client", "client.*"},
	{"license", "license.*"},
	{"backup", "backup.*"},
	{"pool", "pool.*"},
	{"notification", "notification.*"},
	{"automation", "automation.*"},
	{"domain", "domain.*"},
	{"account", "account.*"},
	{"login", "account.login_ok"},
	{"maintenance", "node.*"},
}

// verbs are parts of the actions that a verb means; a verb that is not here means every change.
var verbs = []struct {
	of    concept
	parts []string
}{
	{"delete", []string{"deleted", "removed", "revoked"}},
	{"create", []string{"created", "added", "enrolled", "issued"}},
	{"apply", []string{"apply_started", "apply_succeeded", "force_applied"}},
	{"login", []string{"login_ok"}},
	{"restart", []string{"restart"}},
	{"maintenance", []string{"maintenance"}},
	{"disable", []string{"disabled", "stopped", "updated", "changed"}},
	{"pause", []string{"disabled", "stopped", "updated", "changed"}},
	{"enable", []string{"enabled", "resumed", "updated", "changed"}},
	{"resume", []string{"enabled", "resumed", "updated", "changed"}},
}

// whoChanged tells who did something, by the journal.
func (t *talk) whoChanged() {
	asked := values("limit", "200", "result", "ok")
	from, to := t.period()
	if !from.IsZero() {
		asked.Set("from", from.Format(time.RFC3339))
	}
	if !to.IsZero() {
		asked.Set("to", to.Format(time.RFC3339))
	}
	about, ok := t.objects(aFlow, aNode)
	if !ok {
		return
	}
	if len(about) > 0 {
		asked.Set("object", about[0].ID)
	}
	if at := slices.IndexFunc(families, func(f family) bool { return t.has(f.of) }); at >= 0 {
		asked.Set("action", families[at].action)
	}
	var lines page[entry]
	if !t.get("/api/v1/audit", asked, &lines) {
		return
	}
	t.doers(lines)
}

// period is the time that the question names, in UTC.
func (t *talk) period() (from, to time.Time) {
	today := t.ask.Now.UTC().Truncate(24 * time.Hour)
	switch {
	case t.has("yesterday"):
		return today.AddDate(0, 0, -1), today
	case t.has("today"):
		return today, to
	case t.has("hour"):
		return t.ask.Now.UTC().Add(-time.Hour), to
	case t.has("week"):
		return today.AddDate(0, 0, -7), to
	}
	return from, to
}

func (t *talk) doers(lines page[entry]) {
	link := Link{Label: t.say("Journal", "Журнал"), Href: "/audit"}
	found := slices.DeleteFunc(slices.Clone(lines.Items), func(e entry) bool { return !t.meant(e) })
	whole := len(lines.Items) == lines.Total
	switch {
	case len(found) == 0 && whole:
		t.text(t.say("Nobody: the journal has nothing of this kind for that time.", "Никто: за это время такого в журнале нет."), link)
		return
	case len(found) == 0:
		t.answer.Understood = false
		t.text(t.say("I do not know: it is not among the newest %d of %d lines of the journal.",
			"Не знаю: среди новейших строк журнала (%d из %d) этого нет.", len(lines.Items), lines.Total), link)
		return
	}
	t.text(t.say("By the journal, the newest first (times in UTC):", "По журналу, сначала новое (время UTC):"), link)
	for _, e := range found[:min(len(found), told)] {
		t.item(t.lineText(e), t.objectLink(e)...)
	}
	t.more(len(found), min(len(found), told), link.Href)
}

func (t *talk) lineText(e entry) string {
	name := orNone(e.Object.Name, e.Object.Type)
	if t.masked && e.Object.Type != aNode && e.Object.Type != aFlow {
		name = e.Object.Type
	}
	text := t.say("%s: %s did %s to %s", "%s: %s — %s, %s", t.moment(e.At), orNone(e.Actor.Name, e.Actor.Kind), e.Action, name)
	if t.has("port") {
		for _, change := range e.Changes {
			if from, to, changed := differing(change.From, change.To, "port"); changed {
				text += t.say(", port from %s to %s", ", порт с %s на %s", from, to)
			}
		}
	}
	return text
}

func (t *talk) objectLink(e entry) []Link {
	switch e.Object.Type {
	case aNode, aFlow:
		return []Link{object{e.Object.Type, named{e.Object.ID, e.Object.Name}}.link()}
	}
	return nil
}

// meant says whether a line is of the kind that was asked for.
func (t *talk) meant(e entry) bool {
	if e.Actor.Kind == "system" || e.Actor.Kind == "agent" {
		return false
	}
	if t.has("port") && !changesField(e, "port") {
		return false
	}
	for _, verb := range verbs {
		if t.has(verb.of) {
			return slices.ContainsFunc(verb.parts, func(part string) bool { return strings.Contains(e.Action, part) })
		}
	}
	return true
}

func changesField(e entry, field string) bool {
	for name, change := range e.Changes {
		if name == field {
			return true
		}
		if _, _, changed := differing(change.From, change.To, field); changed {
			return true
		}
	}
	return false
}

// differing looks for a field inside two documents and gives what it was and is, if that is not the same.
func differing(from, to any, field string) (was, is string, changed bool) {
	before, isObject := from.(map[string]any)
	after, both := to.(map[string]any)
	if !isObject && !both {
		return "", "", false
	}
	if old, now := before[field], after[field]; !reflect.DeepEqual(old, now) {
		return plain(old), plain(now), true
	}
	for name := range after {
		if was, is, changed = differing(before[name], after[name], field); changed {
			return was, is, true
		}
	}
	return "", "", false
}

func plain(value any) string {
	switch v := value.(type) {
	case nil:
		return "-"
	case string:
		return v
	case float64:
		return fmt.Sprint(v)
	}
	text, _ := json.Marshal(value) // it came from JSON
	return string(text)
}
