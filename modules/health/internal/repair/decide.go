// Package repair lets the panel repair what it sees broken: it decides by policies and budgets what to do about a node,
// proposes it or does it, and writes down what came of it.
package repair

import (
	"slices"
	"time"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/rules"
	"panel/modules/health/internal/verdict"
	"panel/platform/automation"
)

// States of an action.
const (
	Proposed  = "proposed"  // a person is to approve it
	Approved  = "approved"  // it is about to be done
	Running   = "running"   // the agent has the order
	Succeeded = "succeeded" // the agent did it; whether that helped is the verdict's to say
	Failed    = "failed"
	Skipped   = "skipped"
	Undone    = "undone" // what it changed was given back
)

// Why an action was skipped, beside what automation.Why says.
const (
	Observing   = "dry_run"     // the policy only observes
	Maintenance = "maintenance" // the node rests
	Applying    = "applying"    // something is being installed on the node
	Budget      = "budget"      // so much was done within the hour
	Cooldown    = "cooldown"    // something was done a moment ago
	Recovered   = "recovered"   // the node got well, or suffers from something else
	Dismissed   = "dismissed"   // a person did not want it
)

// PerSubject is how many actions one subject bears within an hour, whatever policies say.
const PerSubject = 3

// Subject is a node as decisions see it.
type Subject struct {
	ID          string
	State       string
	Hint        string
	Since       time.Time
	Maintenance bool
	Heard       bool // its agent answers
}

// Past is an action that was decided before.
type Past struct {
	Subject, Policy, Act, State string
	At                          time.Time
	Dismissed                   bool // a person has said no
}

// began says that it cost something of the budget.
func (p Past) began() bool {
	return slices.Contains([]string{Approved, Running, Succeeded, Failed, Undone}, p.State)
}

// Case is what a decision follows from.
type Case struct {
	Now      time.Time
	Subject  Subject
	PolicyID string
	Repair   rules.Repair
	Why      automation.Why // what keeps the panel from acting by itself
	Applying bool
	Past     []Past // of the last hour, and of the subject since it is as it is
}

// Decision is what is to be done; without an act nothing is.
type Decision struct {
	Act    string
	State  string // Proposed, Approved or Skipped
	Reason string // of Skipped
}

// Decide takes the first act of the ladder that fits and was not tried since the subject is as it is. Of what nobody
// knows, and of what is well, nothing follows.
func Decide(c Case) Decision {
	act := c.next()
	if act == "" {
		return Decision{}
	}
	if reason := c.against(); reason != "" {
		return Decision{act, Skipped, reason}
	}
	if c.Repair.Mode == rules.Suggest {
		return Decision{act, Proposed, ""}
	}
	return Decision{act, Approved, ""}
}

// next is the first act of the ladder that the policy allows; empty when nothing fits.
func (c Case) next() string {
	for _, act := range rules.Ladder {
		if slices.Contains(c.Repair.Actions, act) && fits(act, c.Subject) && !c.tried(act) {
			return act
		}
	}
	return ""
}

// fits says whether an act could help. A core is restarted where its agent says that it does not run.
func fits(act string, s Subject) bool {
	broken := s.State == healthapi.Down || s.State == healthapi.Degraded
	return act == rules.RestartCore && broken && s.Hint == verdict.HintCore && s.Heard
}

func (c Case) tried(act string) bool {
	return slices.ContainsFunc(c.Past, func(p Past) bool {
		return p.Subject == c.Subject.ID && p.Act == act && !p.At.Before(c.Subject.Since) &&
			(p.began() || p.State == Proposed || p.Dismissed)
	})
}

// against names what speaks against acting now, the weightiest first.
func (c Case) against() string {
	switch {
	case c.Why != automation.Free:
		return string(c.Why)
	case c.Subject.Maintenance:
		return Maintenance
	case c.Applying:
		return Applying
	case c.Repair.Mode != rules.Auto && c.Repair.Mode != rules.Suggest:
		return Observing
	}
	return c.spent()
}

// spent says whether the budget of the subject or of the policy is used up, or the subject still cools down.
func (c Case) spent() string {
	subject, policy, cools := 0, 0, false
	hour, cooldown := c.Now.Add(-time.Hour), c.Now.Add(-time.Duration(c.Repair.Limits.CooldownS)*time.Second)
	for _, p := range c.Past {
		if !p.began() || !p.At.After(hour) && !p.At.After(cooldown) {
			continue
		}
		within := p.At.After(hour)
		if p.Subject == c.Subject.ID {
			cools = cools || p.At.After(cooldown)
			if within {
				subject++
			}
		}
		if p.Policy == c.PolicyID && within {
			policy++
		}
	}
	switch {
	case subject >= PerSubject || policy >= c.Repair.Limits.MaxActionsPerHour:
		return Budget
	case cools:
		return Cooldown
	}
	return ""
}
