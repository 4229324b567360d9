// Package entitlement is the license as the rest of the panel sees it: a state, a read-only switch and features.
//
// The license module exports the one Source; everybody else asks it and never waits for a license server.
package entitlement

import (
	"slices"
	"sync/atomic"
)

// Feature is a part of the product that a plan can switch on. Its key equals the module's name.
type Feature struct {
	Key     string
	Summary string
}

// The states of the specification; "no license" is Degraded with the reason "none".
const (
	Active   = "active"
	Grace    = "grace"
	Degraded = "degraded"
)

// State is a snapshot that never changes after it was published.
type State struct {
	State   string
	Reason  string
	Enabled []string
}

// ReadOnly says whether state-changing requests are refused.
func (s State) ReadOnly() bool { return s.State == Degraded }

// Allows says whether the plan includes the feature; the empty key is always included.
func (s State) Allows(feature string) bool {
	return feature == "" || slices.Contains(s.Enabled, feature)
}

// Conduct says what something that happens by itself does while the panel is read-only, or while its feature is not in
// the plan.
type Conduct string

const (
	// GoesOn is for what looks, tidies, tells, or ends what has an end.
	GoesOn Conduct = "goes on"
	// Stops is for what acts on nodes, on other systems or for money; it says that it did not run.
	Stops Conduct = "stops"
)

// Known tells whether the conduct was declared.
func (c Conduct) Known() bool { return c == GoesOn || c == Stops }

// Source gives the current state from memory.
type Source interface {
	Current() State
}

// Shared is the Source that modules are given while the panel is composed, before it is known which module knows the
// license. Until Follow it allows nothing.
type Shared struct{ source atomic.Pointer[Source] }

// Follow makes it the same as another source.
func (s *Shared) Follow(source Source) { s.source.Store(&source) }

// Current gives the state of the source that it follows.
func (s *Shared) Current() State {
	if source := s.source.Load(); source != nil {
		return (*source).Current()
	}
	return State{State: Degraded, Reason: "none"}
}

// Fixed is a Source that never changes, for tests and tools.
type Fixed State

// Current gives the fixed state.
func (f Fixed) Current() State { return State(f) }

// Stopped names what keeps something that happens by itself from happening; empty where nothing does.
func (s State) Stopped(feature string, readOnly, blocked Conduct) string {
	switch {
	case s.ReadOnly() && readOnly == Stops:
		return "the panel is read-only"
	case !s.Allows(feature) && blocked == Stops:
		return "its feature is not in the plan"
	}
	return ""
}
