// Package entitlement is the license as the rest of the panel sees it: a state, a read-only switch and features.
//
// The license module exports the one Source; everybody else asks it and never waits for a license server.
package entitlement

import "slices"

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

// Source gives the current state from memory.
type Source interface {
	Current() State
}

// Fixed is a Source that never changes, for tests and tools.
type Fixed State

// Current gives the fixed state.
func (f Fixed) Current() State { return State(f) }
