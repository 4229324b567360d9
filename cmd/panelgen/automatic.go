package main

import (
	"bytes"
	"fmt"
	"strings"

	"panel/platform/events"
	"panel/platform/jobs"
)

// automaticPage lists what nobody asks for, and what becomes of it while the panel is read-only or a feature is not in
// the plan.
func automaticPage(listeners []events.Listener, schedules []jobs.Schedule) []byte {
	var out bytes.Buffer
	out.WriteString(generated + `# What happens by itself

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
	var words []string
	for _, kind := range l.Kinds {
		words = append(words, code(kind))
	}
	if l.Every != nil {
		words = append(words, "chosen kinds")
	}
	return strings.Join(words, ", ")
}
