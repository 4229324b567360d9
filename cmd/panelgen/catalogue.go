package main

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"panel/platform/app"
	"panel/platform/events"
	"panel/platform/httpapi"
	"panel/platform/module"
)

// eventsPage is the one list of what happens: live news, notices and what listeners may wait for.
func eventsPage(all []module.Module) []byte {
	var out bytes.Buffer
	out.WriteString(generated + `# Events

What the panel lets its modules, live screens and notices know. The live stream carries those marked live, to whoever has the
permission; choose topics with ` + "`GET /api/v1/stream?topics=node,flow:ID`" + `. Those marked notice are for people. What may be lost is
only shown live. An event whose name stands among the journal's actions is an entry there too.

| Kind | What happened | Topic | Permission | Severity | Marks | Data |
|---|---|---|---|---|---|---|
`)
	journal := app.JournalKinds(all).Actions
	for _, kind := range app.EventKinds(all) {
		fmt.Fprintf(&out, "| `%s` | %s | `%s` | %s | %s | %s | %s |\n", kind.Name, cell(kind.Summary), kind.Topic(),
			code(string(kind.Needs)), kind.Level(), marks(kind, slices.Contains(journal, kind.Name)), dataOf(kind))
	}
	return out.Bytes()
}

func marks(kind events.Kind, journalled bool) string {
	var words []string
	for word, marked := range map[string]bool{
		"live": kind.Live, "notice": kind.Notify, "may be lost": kind.Transient, "journal": journalled,
	} {
		if marked {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// dataOf lists the fields of an event's data.
func dataOf(kind events.Kind) string {
	if kind.Data == nil {
		return ""
	}
	t := reflect.TypeOf(kind.Data)
	if t.Kind() != reflect.Struct {
		return "by name"
	}
	var fields []string
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "-" && name != "" {
			fields = append(fields, code(name))
		}
	}
	return strings.Join(fields, ", ")
}

// errorsPage lists the code words of problem documents.
func errorsPage(all []module.Module) []byte {
	var out bytes.Buffer
	out.WriteString(
		generated + "# Error codes\n\nEvery refusal is a problem document whose `code` is one of these words.\n\n" +
			"| Code | Status | Meaning | Module |\n|---|---|---|---|\n",
	)
	for _, f := range app.Faults(all) {
		fmt.Fprintf(&out, "| `%s` | %d | %s | %s |\n", f.Code, httpapi.StatusOf(f.Kind), cell(f.Summary),
			code(f.Module))
	}
	return out.Bytes()
}
