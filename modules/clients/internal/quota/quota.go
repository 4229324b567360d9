// Package quota divides what is left of a client's quota among the entries that let it in, so that all of them together
// keep to it although none knows of the others.
package quota

import (
	"cmp"
	"math"
	"slices"
)

// Share is what the agent of one entry may let a client use, in bytes by the agent's own count of the client.
type Share struct {
	ClientID  string `bun:"client_id"`
	NodeID    string `bun:"node_id"`
	Counted   int64  `bun:"counted"`   // what the panel knows of the count
	Recent    int64  `bun:"recent"`    // of it, since the time before
	Granted   int64  `bun:"granted"`   // the newest limit
	Held      int64  `bun:"held"`      // the highest limit that the agent may go by
	NoQuota   bool   `bun:"no_quota"`  // the agent shall forget the quota
	Document  int64  `bun:"document"`  // revision of the agent's document that brings the limit; 0: none does yet
	Confirmed bool   `bun:"confirmed"` // the agent goes by the newest limit

	Changed bool `bun:"-"` // it has to be stored
	Lost    bool `bun:"-"` // its agent was silent for so long that what it has counts no more
}

// open is what the agent may let the client use on, at most.
func (r *Share) open() int64 {
	return max(0, max(r.Held, r.Granted)-r.Counted)
}

// End takes the share away: the agent forgets the quota.
func (r *Share) End() {
	if !r.NoQuota {
		r.NoQuota, r.Changed = true, true
	}
}

// Resume keeps a share that was to end before the agent has forgotten it.
func (r *Share) Resume() { r.NoQuota, r.Changed = false, true }

// grant makes a limit the newest one.
func (r *Share) grant(limit int64) {
	if limit != r.Granted {
		r.Granted, r.Changed = limit, true
		r.Held = max(r.Held, limit)
	}
}

const (
	slackPart = 200      // of a quota: half a percent
	mostSlack = 50 << 20 // bytes
	ahead     = 4        // how many times what was used since the last count an entry should have
)

// Slack is how many bytes all entries together may let a client use beyond its quota.
func Slack(quota int64) int64 { return min(quota/slackPart, mostSlack) }

// Split gives each of the entries of a client its share of what is left of a quota: equal ones while they last, else
// most to those where the client uses it. Nothing is given twice: what one entry has too much of goes to others when
// its agent has confirmed less. Nothing changes while each has enough.
func Split(left, slack int64, rows []*Share) {
	if len(rows) == 0 {
		return
	}
	targets, floor := targetsOf(left, slack, rows)
	var given int64
	low := false
	for i, r := range rows {
		const half = 2
		given += r.open()
		low = low || r.Granted-r.Counted < targets[i]/half || r.Document == 0
	}
	if !low && given <= left+slack && given >= left-slack {
		return
	}
	for i, r := range rows {
		if r.Granted-r.Counted > targets[i] {
			r.grant(r.Counted + targets[i])
		}
	}
	room := left
	for _, r := range rows {
		room -= r.open()
	}
	for i, r := range rows {
		lacks := targets[i] - max(0, r.Granted-r.Counted)
		if lacks <= 0 {
			continue
		}
		more := max(0, min(lacks, room))
		before := r.open()
		r.grant(max(r.Granted, r.Counted) + more)
		if r.Granted-r.Counted < floor {
			r.grant(r.Counted + floor)
		}
		room -= r.open() - before
	}
}

// targetsOf are the shares that entries should have. The floor is what each has at least, so that a client ends on the
// one that it uses when nearly nothing is left.
func targetsOf(left, slack int64, rows []*Share) (targets []int64, floor int64) {
	const used = 0.9 // of what is left goes to those who use it
	n := int64(len(rows))
	floor = min(left, slack/n)
	targets = make([]int64, len(rows))
	var recent int64
	short := false
	for _, r := range rows {
		recent += r.Recent
		short = short || r.Recent > left/n/ahead
	}
	for i, r := range rows {
		targets[i] = left / n
		if short {
			idle := (1 - used) / float64(n)
			part := idle + used*float64(r.Recent)/float64(recent)
			targets[i] = int64(math.Floor(float64(left) * part))
		}
		targets[i] = max(targets[i], floor)
	}
	return targets, floor
}

// ByUse puts those first who use most, so that what there is goes to them.
func ByUse(rows []*Share) {
	slices.SortFunc(rows, func(a, b *Share) int {
		return cmp.Or(cmp.Compare(b.Recent, a.Recent), cmp.Compare(a.NodeID, b.NodeID))
	})
}
