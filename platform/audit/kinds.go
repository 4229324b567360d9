package audit

import (
	"fmt"
	"slices"
)

// Kinds are the actions and the types of objects that entries may have. Each has words in the journal's screen.
type Kinds struct {
	Actions []string // such as "node.created"
	Objects []string // such as "node"
}

// With joins two declarations.
func (k Kinds) With(other Kinds) Kinds {
	return Kinds{Actions: distinct(k.Actions, other.Actions), Objects: distinct(k.Objects, other.Objects)}
}

func distinct(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// Declare lets only these kinds into the journal from here on; without a call everything may enter.
func (s *Store) Declare(kinds Kinds) { s.kinds = &kinds }

// declared refuses an entry that no module has declared: the journal's screen has no words for it.
func (s *Store) declared(entry Entry) error {
	switch {
	case s.kinds == nil:
		return nil
	case !slices.Contains(s.kinds.Actions, entry.Action):
		return fmt.Errorf("write the journal entry %s: no module declares this action; add it to Journal in its manifest",
			entry.Action)
	case entry.Object.Type != "" && !slices.Contains(s.kinds.Objects, entry.Object.Type):
		return fmt.Errorf("write the journal entry %s: no module declares the object type %s; "+
			"add it to Journal in its manifest",
			entry.Action, entry.Object.Type)
	}
	return nil
}
