package events

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"panel/platform/entitlement"
)

// Listener handles events of some kinds on one of the panels, at least once, from a backlog of its own. Events wait
// while it is slow, and come again after an error or a panic; meanwhile later ones may overtake them. Order is
// therefore nothing to rely on: read what is stored.
type Listener struct {
	// Name is the module's name and what it does, "notifications.send".
	Name string
	// Kinds are exact kinds, or "node.*".
	Kinds []string
	// Every chooses kinds by their declaration, such as all notices; it may stand beside Kinds.
	Every func(Kind) bool
	// Limit is how many events it handles at once on one panel; 1 when zero.
	Limit int
	// Timeout ends the context of one call; a minute when zero.
	Timeout time.Duration
	// Attempts is how often it is given an event that it fails on; 25 when zero, which lasts three weeks.
	Attempts int
	// Feature is the license feature that Blocked speaks of; empty for none.
	Feature string
	// ReadOnly and Blocked say what becomes of an event while the panel is read-only, or while the feature is not in
	// the plan. A listener that stops passes the event over, and the log says so.
	ReadOnly, Blocked entitlement.Conduct
	// Handle handles one event.
	Handle func(ctx context.Context, event Event) error
}

// Notices chooses all kinds that people may want to be woken for.
func Notices(kind Kind) bool { return kind.Notify }

// With makes the function of a listener that gets the event's data in their own type.
func With[T any](handle func(ctx context.Context, event Event, data T) error) func(context.Context, Event) error {
	return func(ctx context.Context, event Event) error {
		data, err := DataOf[T](event)
		if err != nil {
			return err
		}
		return handle(ctx, event, data)
	}
}

// Backlog keeps events for listeners. platform/events/backlog keeps them as jobs.
type Backlog interface {
	// Add keeps events, as JSON, in the transaction of the context.
	Add(ctx context.Context, listener string, events [][]byte) error
}

// Listen adds the listeners, after all kinds were declared and before anything is emitted. One that waits for a kind
// that nobody declares is an error.
func (b *Bus) Listen(backlog Backlog, listeners ...Listener) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.backlog = backlog
	var problems []error
	for _, listener := range listeners {
		problems = append(problems, b.listen(listener))
	}
	return errors.Join(problems...)
}

func (b *Bus) listen(l Listener) error {
	if !l.ReadOnly.Known() || !l.Blocked.Known() {
		return fmt.Errorf("add the listener %s: ReadOnly and Blocked must say what becomes of its events", l.Name)
	}
	for _, wanted := range l.Kinds {
		if !b.declares(wanted) {
			return fmt.Errorf("add the listener %s: no module declares the event %s, or it may be lost", l.Name, wanted)
		}
	}
	for name, kind := range b.kinds {
		if !kind.Transient && l.wants(kind) {
			b.listeners[name] = append(b.listeners[name], l.Name)
		}
	}
	return nil
}

func (b *Bus) declares(wanted string) bool {
	for name, kind := range b.kinds {
		if !kind.Transient && matches(wanted, name) {
			return true
		}
	}
	return false
}

func (l Listener) wants(kind Kind) bool {
	return l.Every != nil && l.Every(kind) ||
		slices.ContainsFunc(l.Kinds, func(wanted string) bool { return matches(wanted, kind.Name) })
}

func matches(wanted, kind string) bool {
	family, all := strings.CutSuffix(wanted, "*")
	return wanted == kind || all && strings.HasPrefix(kind, family)
}
