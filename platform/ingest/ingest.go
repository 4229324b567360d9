// Package ingest stores what many agents deliver, in numbered batches.
//
// A Store takes the batches of one kind: it numbers each stream, so that a batch that is sent again is stored once,
// copies the rows of many batches in one transaction with COPY, and acknowledges a batch after it is durable, never
// before. Batcher, Collector and Bisect are its parts, for whoever has writes of another form to share.
package ingest

import (
	"time"

	"panel/platform/fault"
)

// writeLimit bounds one write of a Batcher and of a Collector.
const writeLimit = 5 * time.Second

var (
	// ErrBusy says that an item was not stored in time; it may be sent again.
	ErrBusy = fault.Unavailable("the panel is too busy to store this now; send it again")
	// ErrUnstorable says that the database refuses the item, however often it is sent.
	ErrUnstorable = fault.Invalid("invalid_value", "the database does not take this")
)
