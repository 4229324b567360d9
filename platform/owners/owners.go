// Package owners keeps what belongs to accounts from being left without one: a module names the kinds of things that
// its accounts own, and whoever deletes an account asks all of them first, inside the transaction of the deletion.
package owners

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// ErrUnknown says that there is no such account.
var ErrUnknown = errors.New("there is no such account")

// Accounts is asked before something is given to an account.
type Accounts interface {
	// Hold makes sure that the account exists and keeps it from being deleted until the context's transaction ends.
	// An account that does not exist, and a text that is no id, give ErrUnknown.
	Hold(ctx context.Context, accountID string) error
}

// Thing is something that an account owns.
type Thing struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Kind is one kind of things. Both functions take part in the context's transaction.
type Kind struct {
	// Name is the word for the kind, the Type of its things.
	Name string
	// Owned gives some of what the account owns, at most so many, and how much it is in all.
	Owned func(ctx context.Context, accountID string, most int) (some []Thing, total int, err error)
	// HandOver gives everything of one account to another.
	HandOver func(ctx context.Context, from, to string) error
}

// Registry holds the kinds of all modules, by their names: in whatever order modules are attached, things are locked in
// the same one, a flow before the bindings that it names. Kinds are added while the panel is composed.
type Registry struct{ kinds []Kind }

// NewRegistry makes an empty registry.
func NewRegistry() *Registry { return &Registry{} }

// Add takes one more kind of things.
func (r *Registry) Add(kind Kind) {
	r.kinds = append(r.kinds, kind)
	slices.SortFunc(r.kinds, func(a, b Kind) int { return cmp.Compare(a.Name, b.Name) })
}

// Owned gives some of what the account owns, at most so many, and how much it is in all.
func (r *Registry) Owned(ctx context.Context, accountID string, most int) (some []Thing, total int, err error) {
	for _, kind := range r.kinds {
		things, n, err := kind.Owned(ctx, accountID, most-len(some))
		if err != nil {
			return nil, 0, fmt.Errorf("list what an account owns: %w", err)
		}
		some, total = append(some, things...), total+n
	}
	return some, total, nil
}

// HandOver gives everything of one account to another.
func (r *Registry) HandOver(ctx context.Context, from, to string) error {
	for _, kind := range r.kinds {
		if err := kind.HandOver(ctx, from, to); err != nil {
			return fmt.Errorf("hand over what an account owns: %w", err)
		}
	}
	return nil
}
