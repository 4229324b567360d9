// Package documents keeps the numbered documents that the panel wants this node to hold: each is fetched, written to
// the disk and applied by itself, and the last good revision stays until a newer one is in force.
package documents

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/agentapi"
)

// Document is one document and what the agent does with it.
type Document struct {
	Name agentapi.DocumentName
	// Apply puts the content into force. It is called for the last good revision at every start and for each newer one,
	// must be fit to be repeated, and leaves the content before in force when it fails. An error of Refuse is final for
	// a revision; after any other it is called again.
	Apply func(ctx context.Context, content json.RawMessage) error
	// Limit is how long Apply may take; a minute when zero.
	Limit time.Duration
}

// Source gives documents: the panel.
type Source interface {
	Document(ctx context.Context, name agentapi.DocumentName) (agentapi.Document, error)
}

// Options of a Keeper.
type Options struct {
	Dir     string
	Source  Source
	Clock   clockwork.Clock
	Log     *zap.Logger
	Changed func() // a status has changed
}

// Keeper follows the documents that this agent can hold.
type Keeper struct {
	held map[agentapi.DocumentName]*holder
}

// Open reads what an earlier agent held. Call Boot next.
func Open(o Options, documents []Document) (*Keeper, error) {
	k := &Keeper{held: map[agentapi.DocumentName]*holder{}}
	for _, d := range documents {
		if k.held[d.Name] != nil || !d.Name.Known() || d.Name == agentapi.DocumentConfig {
			return nil, fmt.Errorf("hold the document %s: the name is unknown, or two parts of the agent hold it",
				d.Name)
		}
		h, err := newHolder(o, d)
		if err != nil {
			return nil, err
		}
		k.held[d.Name] = h
	}
	return k, nil
}

// Boot puts the last good revisions into force; the panel is not needed for it. One that fails holds up none of the
// others.
func (k *Keeper) Boot(ctx context.Context) { k.each(func(h *holder) { h.boot(ctx) }) }

// Desired takes the revisions that the panel wants; a document that is not among them stays as it is.
func (k *Keeper) Desired(refs []agentapi.DocumentRef) {
	for _, ref := range refs {
		if h := k.held[ref.Name]; h != nil {
			h.want(ref)
		}
	}
}

// Run follows what is wanted until the context ends, each document by itself.
func (k *Keeper) Run(ctx context.Context) { k.each(func(h *holder) { h.run(ctx) }) }

func (k *Keeper) each(do func(*holder)) {
	var all sync.WaitGroup
	for _, h := range k.held {
		all.Go(func() { do(h) })
	}
	all.Wait()
}

// Status gives the state of each document, in the order of agentapi.DocumentNames.
func (k *Keeper) Status() []agentapi.DocumentStatus {
	all := make([]agentapi.DocumentStatus, 0, len(k.held))
	for _, h := range k.held {
		all = append(all, h.status())
	}
	slices.SortFunc(all, func(a, b agentapi.DocumentStatus) int {
		return slices.Index(agentapi.DocumentNames, a.Name) - slices.Index(agentapi.DocumentNames, b.Name)
	})
	return all
}
