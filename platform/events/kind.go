package events

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"panel/platform/access"
	"panel/platform/pattern"
)

// Severity says how much an event matters to people.
type Severity string

// Severities; the empty one is Info.
const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

// Kind declares one kind of events in the manifest of a module.
type Kind struct {
	// Name is a noun and what happened to it, "node.online".
	Name string
	// Summary is one sentence for the catalogue.
	Summary string
	// Subject is the type of what it happens to; the first word of Name when empty. It is a topic of the live stream.
	Subject string
	// Needs is the permission to see it in the live stream; empty for every administrator.
	Needs access.Key
	// Severity is Info when empty.
	Severity Severity
	// Notify makes it a notice: something that people may want to be woken for.
	Notify bool
	// Effect says of a notice in one sentence what it means for users or what to do; Screen is where the web interface
	// shows more, "/nodes/{id}" with the subject's id. Both may be empty. Summary and Effect have their Russian in the
	// module's Russian texts.
	Effect, Screen string
	// Resolves names the kinds that it ends for the same subject: that a node is online again answers that it was not.
	Resolves []string
	// Live shows it to those who watch.
	Live bool
	// Transient is for progress and ticks: it may be lost, costs no row, and no listener gets it.
	Transient bool
	// Data is the zero value of the type of its data; nil for none.
	Data any
}

// Topic is what those who follow the live stream choose it by.
func (k Kind) Topic() string {
	if k.Subject != "" {
		return k.Subject
	}
	noun, _, _ := strings.Cut(k.Name, ".")
	return noun
}

// Level is its severity.
func (k Kind) Level() Severity { return cmp.Or(k.Severity, Info) }

var kindName = pattern.Of(`^[a-z_]+\.[a-z_]+$`)

func (k Kind) check() error {
	switch {
	case !kindName().MatchString(k.Name):
		return fmt.Errorf("declare the event %q: its name must have the form noun.happened", k.Name)
	case k.Summary == "":
		return fmt.Errorf("declare the event %s: it needs a summary", k.Name)
	case !slices.Contains([]Severity{Info, Warning, Critical}, k.Level()):
		return fmt.Errorf("declare the event %s: the severity %q is not known", k.Name, k.Severity)
	case !k.Notify && (k.Effect != "" || k.Screen != "" || len(k.Resolves) > 0):
		return fmt.Errorf("declare the event %s: only a notice has an effect, a screen and what it resolves", k.Name)
	case k.Transient && (k.Notify || !k.Live):
		return fmt.Errorf("declare the event %s: what may be lost is live and no notice", k.Name)
	}
	return nil
}

// carries refuses data of another type than the declared one.
func (k Kind) carries(data any) error {
	if declared, got := reflect.TypeOf(k.Data), reflect.TypeOf(data); declared != got {
		return fmt.Errorf("emit the event %s: its data are declared as %v and not %v", k.Name, declared, got)
	}
	return nil
}

// Kinds lists the declared kinds that a function chooses, by their names.
func (b *Bus) Kinds(chosen func(Kind) bool) (all []Kind) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, kind := range b.kinds {
		if chosen(kind) {
			all = append(all, kind)
		}
	}
	slices.SortFunc(all, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Declare adds kinds, before anything is emitted.
func (b *Bus) Declare(kinds ...Kind) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var problems []error
	for _, kind := range kinds {
		if _, taken := b.kinds[kind.Name]; taken {
			problems = append(problems, fmt.Errorf("declare the event %s: it is declared already", kind.Name))
		}
		problems = append(problems, kind.check())
		b.kinds[kind.Name] = kind
	}
	return errors.Join(problems...)
}
