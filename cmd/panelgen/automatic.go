package main

import (
	"bytes"
	"fmt"
	"strings"

	"panel/platform/automation"
	"panel/platform/events"
	"panel/platform/jobs"
)

// automaticPage lists what nobody asks for, and what becomes of it while the panel is read-only or a feature is not in
// the plan.
func automaticPage(acts []automation.Act, listeners []events.Listener, schedules []jobs.Schedule) []byte {
	var out bytes.Buffer
	out.WriteString(generated + `# What happens by itself

## Automatic acts

What the panel does to nodes and other systems without being asked. One switch stops all of it (panelctl automation stop).

| Act | What it does | Limit | In the journal | Read-only | Not in the plan |
|---|---|---|---|---|---|
`)
	for _, a := range acts {
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | %s | %s |\n", a.Name, a.Summary, a.Budget, codes(a.Actions), a.ReadOnly,
			a.Blocked)
	}
	out.WriteString(`
## Listeners and schedules

What looks, tells, tidies or ends something goes on while the panel is read-only or the feature is not in the plan; what acts on
nodes, on other systems or for money stops and says so in the log. Schedules are rules of cron, in UTC where no zone is named.

| What | Name | When | Feature | Read-only | Not in the plan |
|---|---|---|---|---|---|
`)
	for _, l := range listeners {
		fmt.Fprintf(
			&out,
			"| listener | `%s` | %s | %s | %s | %s |\n",
			l.Name,
			occasions(l),
			code(l.Feature),
			l.ReadOnly,
			l.Blocked,
		)
	}
	for _, s := range schedules {
		rule := code(strings.TrimSpace(s.Cron + " " + s.Zone))
		fmt.Fprintf(&out, "| schedule | `%s` | %s | %s | %s | %s |\n", s.Name, rule, code(s.Feature), s.ReadOnly,
			s.Blocked)
	}
	return out.Bytes()
}

// occasions are the events that a listener waits for.
func occasions(l events.Listener) string {
	if l.Every != nil {
		return strings.TrimPrefix(codes(l.Kinds)+", chosen kinds", ", ")
	}
	return codes(l.Kinds)
}

func codes(words []string) string {
	var quoted []string
	for _, word := range words {
		quoted = append(quoted, code(word))
	}
	return strings.Join(quoted, ", ")
}
