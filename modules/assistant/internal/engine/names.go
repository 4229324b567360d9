package engine

import (
	"strings"
	"unicode/utf8"
)

// kinds of objects that questions are about.
const (
	aNode = "node"
	aFlow = "flow"
)

// object is what a question is about.
type object struct {
	kind string
	named
}

func (o object) link() Link {
	if o.kind == aFlow {
		return flowLink(o.named)
	}
	return nodeLink(o.named)
}

// mostNames bounds how many names of one question are looked up.
const mostNames = 4

// objects are those that the question names, and the one of the page where it says "this". It is false, with a
// sentence in the answer, when a name belongs to nothing.
func (t *talk) objects(kinds ...string) (found []object, ok bool) {
	if t.has(this) || len(t.names) == 0 {
		if here, known := t.here(kinds...); known {
			found = append(found, here)
		}
	}
	for i, name := range t.names {
		if i == mostNames {
			break
		}
		one, known := t.lookup(name, kinds)
		if !known {
			t.answer.Understood = false
			t.text(t.say("I do not find %q among what you may see.", "Не нахожу «%s» среди того, что вам видно.", name))
			return nil, false
		}
		found = append(found, one)
	}
	return found, t.failed == nil
}

// subject is the one object that the question is about.
func (t *talk) subject(kinds ...string) (object, bool) {
	found, ok := t.objects(kinds...)
	if !ok {
		return object{}, false
	}
	if len(found) != 1 {
		t.answer.Understood = false
		t.text(t.say("Say which one: name it, or ask on its page.", "Уточните, о чём речь: назовите имя или спросите на странице объекта."))
		return object{}, false
	}
	return found[0], true
}

// here is the object of the page.
func (t *talk) here(kinds ...string) (object, bool) {
	parts := strings.Split(strings.Trim(t.ask.Page, "/"), "/")
	for len(parts) > 0 && parts[0] == "monitoring" {
		parts = parts[1:]
	}
	if len(parts) < 2 {
		return object{}, false
	}
	id, _, _ := strings.Cut(parts[1], "?")
	for _, kind := range kinds {
		if parts[0] != kind+"s" {
			continue
		}
		one := object{kind: kind}
		if t.get(objectPath[kind]+"/{id}", values("id", id), &one.named) {
			return one, true
		}
	}
	return object{}, false
}

var objectPath = map[string]string{aNode: "/api/v1/nodes", aFlow: "/api/v1/connection-units"}

// lookup finds an object by its whole name.
func (t *talk) lookup(name string, kinds []string) (object, bool) {
	if utf8.RuneCountInString(name) > longestName {
		return object{}, false
	}
	for _, kind := range kinds {
		var rows page[named]
		if !t.get(objectPath[kind], values("q", name, "limit", "20"), &rows) {
			continue
		}
		for _, row := range rows.Items {
			if fold(row.Name) == name {
				return object{kind, row}, true
			}
		}
	}
	return object{}, false
}

const longestName = 64
