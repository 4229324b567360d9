// Package events lets the rest of the panel, its other processes and open browsers know what has happened.
//
// A module declares its kinds of events in its manifest and emits them in the transaction of the change. A listener
// gets each event of a committed transaction at least once, from a backlog of its own; those who watch live get news
// that may be lost, after which they read again.
package events

import (
	"encoding/json"
	"fmt"
	"time"

	"panel/platform/access"
)

// Event is one thing that happened.
type Event struct {
	// ID is given by Emit. A listener may get an event twice, under one id.
	ID string `json:"id"`
	// Kind is declared in a manifest, "node.online".
	Kind string `json:"kind"`
	// SubjectType and SubjectID say what it happened to. The type follows from the kind.
	SubjectType string    `json:"subject_type"`
	SubjectID   string    `json:"subject_id"`
	At          time.Time `json:"at"`
	// Permission says who may see it in the live stream, and follows from the kind; empty for every administrator.
	Permission access.Key `json:"permission,omitempty"`
	// Severity is how much this one matters where that is not as its kind says; empty: as the kind says.
	Severity Severity `json:"severity,omitempty"`
	// Data has the type that the kind declares. Other panels' browsers get the event without it where it does not fit
	// into a notification; listeners always have it.
	Data any `json:"data,omitempty"`

	encoded []byte
}

// Resync is the kind of the event that follows a gap in hearing other panels: read again what is shown.
const Resync = "panel.resync"

// JSON gives the event as one line of JSON; it is encoded once for all receivers.
func (e Event) JSON() []byte { return e.encoded }

// Read gives an event from its JSON; its data stay encoded until DataOf.
func Read(text []byte) (Event, error) {
	var read struct {
		Event
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return Event{}, fmt.Errorf("read an event: %w", err)
	}
	event := read.Event
	event.encoded = text
	if read.Data != nil {
		event.Data = read.Data
	}
	return event, nil
}

// DataOf gives the data of an event in their own type.
func DataOf[T any](event Event) (data T, err error) {
	if own, ok := event.Data.(T); ok {
		return own, nil
	}
	raw, encoded := event.Data.(json.RawMessage)
	if !encoded {
		raw, err = json.Marshal(event.Data)
	}
	if err == nil {
		err = json.Unmarshal(raw, &data)
	}
	if err != nil {
		return data, fmt.Errorf("read the data of %s: %w", event.Kind, err)
	}
	return data, nil
}
