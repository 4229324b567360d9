// Package audit is the journal: who did what to which object, written in the transaction of the change.
package audit

import (
	"context"

	"github.com/uptrace/bun"
)

// Results of an entry.
const (
	OK     = "ok"
	Denied = "denied"
	Failed = "failed"
)

// Object names what an entry is about.
type Object struct {
	Type string
	ID   string
	Name string
}

// Change is one field before and after; secrets are passed as "set" or "unset", never as values.
type Change struct {
	From any `json:"from"`
	To   any `json:"to"`
}

// Entry is one line of the journal. The actor, address and request id come from the context.
type Entry struct {
	Action  string // a word of the event catalogue, "node.created"
	Object  Object
	Result  string // OK when empty
	Changes map[string]Change
}

// Journal records entries.
type Journal interface {
	// Record writes the entry with db, which is the transaction of the change it tells of.
	Record(ctx context.Context, db bun.IDB, entry Entry) error
}
