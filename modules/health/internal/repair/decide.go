// Package repair lets the panel repair what it sees broken: it decides by policies and budgets what to do about a node,
// proposes it or does it, and writes down what came of it.
package repair

import (
	"slices"
	"time"

	"panel/modules/cdn-dns/cdndnsapi"
	"panel/modules/health/healthapi"
	"panel/modules/health/internal/rules"
	"panel/modules/health/internal/verdict"
	"panel/modules/pools/poolsapi"
	"panel/modules/proxypanel/proxypanelapi"
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
	PoolShare   = "pool_share"  // no pool can spare the node
	LastHost    = "last_host"   // users of a proxy panel would see no other host that works
	NoFlow      = "no_flow"     // nothing is installed there that could be put there again
)

// settling is how long a node may take to be well after an action before the next one is thought of.
const settling = 30 * time.Second

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
	Installed   bool // flows are installed on it
	Places      []poolsapi.Place
	Hosts       []proxypanelapi.Host // that lead to it and are shown
	Names       []cdndnsapi.Name     // of entries that clients do not get through, which could lead to another address
}

// Past is an action that was decided before.
type Past struct {
	Subject, Policy, Act, State string
	At                          time.Time
	Ended                       time.Time // zero while it has not
	Dismissed                   bool      // a person has said no, or has had it taken back
}

// began says that it cost something of the budget.
func (p Past) began() bool {
	return slices.Contains([]string{Approved, Running, Succeeded, Failed, Undone}, p.State)
}

// open says that it has not ended.
func (p Past) open() bool { return slices.Contains([]string{Proposed, Approved, Running}, p.State) }

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
	if reason := c.against(act); reason != "" {
		return Decision{act, Skipped, reason}
	}
	if c.Repair.Mode == rules.Suggest {
		return Decision{act, Proposed, ""}
	}
	return Decision{act, Approved, ""}
}

// next is the first act of the ladder that the policy allows; empty when nothing fits, and while another act for the
// subject waits, goes on or has just ended well: the next one is for when that has not helped.
func (c Case) next() string {
	if slices.ContainsFunc(c.Past, func(p Past) bool {
		settles := p.State == Succeeded && c.Now.Sub(p.Ended) < settling
		return p.Subject == c.Subject.ID && (p.open() || settles)
	}) {
		return ""
	}
	for _, act := range rules.Ladder {
		if slices.Contains(c.Repair.Actions, act) && fits(act, c.Subject) && !c.tried(act) {
			return act
		}
	}
	return ""
}

// fits says whether an act could help. A core is restarted where its agent says that it does not run; what is installed
// is put there again where that did not help, or where the agent answers and nobody reaches the node's port; and a node
// that is down is no good for the pools that it is in, nor for users whom hosts lead there. A node whose agent answers
// while nobody reaches it may be reached at another of its addresses. A node that only some see down stays in pools:
// those that send traffic to it look for themselves.
func fits(act string, s Subject) bool {
	down := s.State == healthapi.Down
	core := s.Heard && s.Hint == verdict.HintCore && (down || s.State == healthapi.Degraded)
	switch act {
	case rules.RestartCore:
		return core
	case rules.Reapply:
		return s.Installed && (core || down && s.Heard && s.Hint == verdict.HintUnreachable)
	case rules.Withdraw:
		return down && len(s.Places) > 0
	case rules.SwitchDNS:
		return down && s.Heard && s.Hint == verdict.HintUnreachable && len(s.Names) > 0
	case rules.HideHosts:
		return down && len(s.Hosts) > 0
	}
	return false
}

// spares gives those of the places that a node may be withdrawn from: another member is usable, and no more than the
// share is withdrawn then. One member is always allowed: a share of a small pool would be none.
func spares(places []poolsapi.Place, share int) (out []poolsapi.Place) {
	for _, p := range places {
		if p.Usable > 0 && (p.Withdrawn == 0 || (p.Withdrawn+1)*100 <= share*p.Members) {
			out = append(out, p)
		}
	}
	return out
}

// spare gives the hosts that may be hidden: all who see them see others that work.
func spare(hosts []proxypanelapi.Host) (out []proxypanelapi.Host) {
	for _, h := range hosts {
		if h.Spare {
			out = append(out, h)
		}
	}
	return out
}

// tried says that an act was done since the subject is as it is, and is not done again. Names that were led elsewhere
// in vain and lead back may lead to a further address.
func (c Case) tried(act string) bool {
	return slices.ContainsFunc(c.Past, func(p Past) bool {
		further := act == rules.SwitchDNS && p.State == Undone
		return p.Subject == c.Subject.ID && p.Act == act && !p.At.Before(c.Subject.Since) &&
			(p.began() && !further || p.Dismissed)
	})
}

// against names what speaks against acting now, the weightiest first.
func (c Case) against(act string) string {
	switch {
	case c.Why != automation.Free:
		return string(c.Why)
	case c.Subject.Maintenance:
		return Maintenance
	case c.Applying:
		return Applying
	case c.Repair.Mode != rules.Auto && c.Repair.Mode != rules.Suggest:
		return Observing
	case act == rules.Withdraw && len(spares(c.Subject.Places, c.Repair.Limits.MaxPctOfPool)) == 0:
		return PoolShare
	case act == rules.HideHosts && len(spare(c.Subject.Hosts)) == 0:
		return LastHost
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
