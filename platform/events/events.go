// Package events tells the rest of the panel, its other processes and open browsers what has just happened.
//
// An event is published after its change has committed. It is news, not a record: whoever needs certainty reads the database.
package events

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"panel/platform/access"
)

// Event is one thing that happened. Data is small; contents that do not fit into a notification stay behind,
// and other panels get the event without them.
type Event struct {
	Kind        string     `json:"kind"` // a word of the event catalogue, "node.online"
	SubjectType string     `json:"subject_type"`
	SubjectID   string     `json:"subject_id"`
	At          time.Time  `json:"at"`
	Permission  access.Key `json:"permission,omitempty"` // who may see it in the live stream; empty: every administrator
	Data        any        `json:"data,omitempty"`

	encoded []byte
}

// Resync is the kind of the event that follows a gap in hearing other panels: read again what is shown.
const Resync = "panel.resync"

// JSON gives the event as one line of JSON; it is encoded once for all receivers.
func (e Event) JSON() []byte { return e.encoded }

// Listener runs for events of some kinds on the panel that published them.
type Listener struct {
	Name       string   // shown in the log when it fails
	Kinds      []string // exact kinds, or "node.*"; none means all
	Everywhere bool     // also for events that other panels published
	Handle     func(ctx context.Context, event Event) error
}

// On makes a listener that gets the event's data in its own type.
func On[T any](name string, kinds []string, handle func(ctx context.Context, event Event, data T) error) Listener {
	return Listener{Name: name, Kinds: kinds, Handle: func(ctx context.Context, event Event) error {
		data, err := dataOf[T](event)
		if err != nil {
			return err
		}
		return handle(ctx, event, data)
	}}
}

func dataOf[T any](event Event) (data T, err error) {
	if own, ok := event.Data.(T); ok {
		return own, nil
	}
	raw, err := json.Marshal(event.Data)
	if err == nil {
		err = json.Unmarshal(raw, &data)
	}
	if err != nil {
		return data, fmt.Errorf("reading the data of %s: %w", event.Kind, err)
	}
	return data, nil
}

func (l Listener) wants(kind string) bool {
	return len(l.Kinds) == 0 || slices.ContainsFunc(l.Kinds, func(wanted string) bool {
		family, all := strings.CutSuffix(wanted, "*")
		return wanted == kind || all && strings.HasPrefix(kind, family)
	})
}
