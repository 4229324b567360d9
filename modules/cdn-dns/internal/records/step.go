package records

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/domains/domainsapi"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/lease"
)

const (
	lookAgain     = 15 * time.Minute // at a name that is as it should be
	firstAgain    = 10 * time.Second // at one that is not
	longestAgain  = 5 * time.Minute
	freshFor      = 2 * time.Minute // after a write name servers may not have it yet
	propagatesFor = time.Hour       // longer than caches keep what they have, TTL aside
)

// look is what one look at a binding has found.
type look struct {
	binding   domainsapi.Domain
	want      wish
	bare      bool    // a network is to stand in front, and no apply has put one there yet
	holder    *string // the integration
	fresh     bool    // something was written a moment ago
	conflicts []Conflict
	answers   []Answer
	trouble   string
}

// step looks at one binding.
func (e *Engine) step(ctx context.Context, c *lease.Claim) (lease.Next, error) {
	w, err := e.read(ctx, c.ID)
	if err != nil {
		return lease.Done(), err
	}
	own, err := e.records(ctx, c.ID)
	if err != nil {
		return lease.Done(), err
	}
	found, err := e.Domains.ByIDs(ctx, c.ID)
	if err != nil {
		return lease.Done(), err
	}
	binding, there := found[c.ID]
	if !there {
		return lease.Done(), e.part(ctx, c, w, own)
	}
	l := &look{binding: binding}
	if l.want, err = e.wish(ctx, binding); err != nil {
		return lease.Done(), err
	}
	if binding.Mode == modeCDN {
		stands, err := e.Fronted(ctx, binding.ID)
		if err != nil {
			return lease.Done(), err
		}
		l.bare = !stands
	}
	if err := e.look(ctx, c, w, l, own); err != nil {
		return lease.Done(), err
	}
	return lease.Done(), e.keep(ctx, c, w, l)
}

// look writes what is missing, where the panel may, and asks name servers.
func (e *Engine) look(ctx context.Context, c *lease.Claim, w *watch, l *look, own []written) error {
	holder, err := e.Find(ctx, l.binding.Hostname)
	zone, named := holder.Zone, provider.Zone{Name: provider.Canonical(l.binding.Zone)}
	switch {
	case err == nil:
		l.holder = &holder.IntegrationID
		err = e.put(ctx, c, w, l, holder, own)
	case errors.Is(err, provider.ErrNoZone):
		zone, err = named, e.forgo(ctx, c, w, l.want, own)
	default: // the service does not answer now; it holds the zone all the same
		zone, l.holder = named, w.IntegrationID
	}
	if ctx.Err() != nil || errors.Is(err, lease.ErrLost) {
		return errors.Join(err, context.Cause(ctx))
	}
	if err != nil {
		l.trouble = e.explained(l.binding.Hostname, err)
	}
	var zoneServers []string
	if l.binding.Mode != modeForeign {
		zoneServers = e.serversOf(ctx, zone)
	}
	l.answers = e.ask(ctx, zoneServers, l.binding.Hostname, l.want)
	return ctx.Err()
}

// put writes and removes at the provider where something is to be done.
func (e *Engine) put(ctx context.Context, c *lease.Claim, w *watch, l *look, h Holder, own []written) error {
	doubtful := w.State == Mismatch || w.State == Failed
	if settled(l.want, own) && !doubtful {
		return nil
	}
	err := e.allowed(ctx, w)
	if err == nil {
		l.conflicts, l.fresh, err = e.settle(ctx, c, h, l.want, own)
	}
	return err
}

// forgo removes what is not wanted any more, in a zone that has no integration now.
func (e *Engine) forgo(ctx context.Context, c *lease.Claim, w *watch, want wish, own []written) error {
	if len(own) == 0 {
		return nil
	}
	if err := e.allowed(ctx, w); err != nil {
		return err
	}
	return e.tidy(ctx, c, want, own)
}

// act is what an engine does by itself.
const act = "cdndns.keep_records"

// Act declares it; without the feature in the plan nothing is written.
func Act(feature string) automation.Act {
	return automation.Act{
		Name: act, Summary: "Writes the DNS records of node domains again where they are missing or wrong",
		Budget:  "one look at each name in 10 seconds at most, only records that the panel has written itself",
		Actions: []string{ActionWritten, ActionRemoved}, Feature: feature,
		ReadOnly: entitlement.Stops, Blocked: entitlement.Stops,
	}
}

// allowed refuses changes of DNS while the license does, and while everything automatic is stopped those that nobody
// has asked for.
func (e *Engine) allowed(ctx context.Context, w *watch) error {
	why, err := e.Stop.Stopped(ctx, act)
	if err != nil {
		return err
	}
	if why == automation.Free || why == automation.Switched && w.Asked > 0 {
		return nil
	}
	return fault.Forbidden("automation_stopped", "no record is written or removed: "+why.Text())
}

// part removes the records of a binding that is gone, then what was known of it.
func (e *Engine) part(ctx context.Context, c *lease.Claim, w *watch, own []written) error {
	err := e.forgo(ctx, c, w, wish{}, own)
	switch {
	case ctx.Err() != nil || errors.Is(err, lease.ErrLost):
		return errors.Join(err, context.Cause(ctx))
	case err != nil:
		w.Bad, w.Error = w.Bad+1, e.explained(w.Hostname, err)
		w.NextAt = e.now().Add(again(w.Bad))
		return e.save(ctx, c, w, "bad", "error", "next_at")
	}
	return c.InTx(ctx, func(ctx context.Context) error {
		_, err := e.DB.In(ctx).NewDelete().Model(w).WherePK().Exec(ctx)
		return database.Fault(err, nil)
	})
}

func (e *Engine) save(ctx context.Context, c *lease.Claim, w *watch, columns ...string) error {
	return c.InTx(ctx, func(ctx context.Context) error {
		_, err := e.DB.In(ctx).NewUpdate().Model(w).Column(columns...).WherePK().Exec(ctx)
		return database.Fault(err, nil)
	})
}

// keep stores a look. That a name leads elsewhere is told when a second look has seen it too.
func (e *Engine) keep(ctx context.Context, c *lease.Claim, w *watch, l *look) error {
	now := e.now()
	w.turn(judged(w, l, now), now)
	w.NodeID, w.Hostname, w.IntegrationID = l.binding.NodeID, l.binding.Hostname, l.holder
	w.Resolved, w.Error, w.CheckedAt, w.Looks = seenBy(l.answers), l.trouble, &now, w.Looks+1
	pause := lookAgain
	if w.State != OK || l.trouble != "" {
		pause = again(w.Bad)
	}
	w.NextAt = now.Add(jittered(pause))
	found := map[*json.RawMessage]any{
		&w.Wanted: l.want.shown(), &w.Conflicts: append([]Conflict{}, l.conflicts...), &w.Seen: l.answers,
	}
	for column, value := range found {
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("write what was seen of a host name: %w", err)
		}
		*column = text
	}
	return c.InTx(ctx, func(ctx context.Context) error {
		if err := e.publish(ctx, w, l); err != nil {
			return err
		}
		_, err := e.DB.In(ctx).NewUpdate().Model(w).Column(columns...).WherePK().Exec(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		return e.rest(ctx, w, l.trouble == "" && len(l.conflicts) == 0)
	})
}

// rest puts the next look off, unless somebody has asked for one since this one began. What it has done is asked for no
// more.
func (e *Engine) rest(ctx context.Context, w *watch, done bool) error {
	followed := 0
	if done {
		followed = w.Asked
	}
	_, err := e.DB.In(ctx).NewRaw(`update domain_watches set asked = asked - ?,
		next_at = case when noticed = ? then ? else next_at end where domain_id = ?`, followed, w.Noticed, w.NextAt,
		w.DomainID).Exec(ctx)
	return database.Fault(err, nil)
}

// turn notes a state, and since when it holds.
func (w *watch) turn(state string, now time.Time) {
	if w.State != state {
		w.State, w.Since = state, now
	}
	if w.Bad++; state == OK {
		w.Bad = 0
	}
}

// judged allows for the time that servers and caches need after a change.
func judged(w *watch, l *look, now time.Time) string {
	state := judge(l.answers, l.want)
	switch {
	case l.bare && state == Mismatch:
		return Pending
	case len(l.conflicts) > 0:
		return Mismatch
	case state == Mismatch && (l.fresh || w.State == Propagating && now.Sub(w.Since) < freshFor):
		return Propagating
	case state == Propagating && w.State == Propagating && now.Sub(w.Since) > propagatesFor+l.want.longest():
		return Mismatch
	}
	return state
}

func (w wish) longest() (ttl time.Duration) {
	for _, r := range w.records {
		ttl = max(ttl, time.Duration(r.TTL)*time.Second)
	}
	return ttl
}

func (e *Engine) publish(ctx context.Context, w *watch, l *look) error {
	kind := ""
	switch {
	case w.State == OK && w.Told != KindOK:
		kind = KindOK
	case w.State == Mismatch && w.Told == KindOK && w.Bad > 1:
		kind = KindMismatch
	}
	if kind == "" {
		return nil
	}
	w.Told = kind
	return e.Bus.Emit(ctx, events.Event{
		Kind: kind, SubjectID: w.DomainID, At: e.now(),
		Data: Seen{Hostname: w.Hostname, Wanted: l.want.values(), Seen: summary(l.answers)},
	})
}

func again(bad int) time.Duration {
	pause := firstAgain
	for range min(bad, 10) {
		pause += pause / 2
	}
	return min(pause, longestAgain)
}

// jittered spreads looks, so that those that began together do not stay together.
func jittered(pause time.Duration) time.Duration {
	return pause - pause/5 + rand.N(2*pause/5) //nolint:gosec // nobody gains by guessing it
}

// explained is what may be shown of an error of a provider.
func (e *Engine) explained(hostname string, err error) string {
	if known, ok := fault.As(err); ok && fault.KindOf(err) != fault.Internal {
		return known.Detail
	}
	e.Log.Error("records of a host name could not be written", zap.String("hostname", hostname), zap.Error(err))
	return "the panel could not write the records; its log says why"
}

// shown are the wanted records as they are stored for people.
func (w wish) shown() []Wanted {
	list := make([]Wanted, len(w.records))
	for i, r := range w.records {
		list[i] = Wanted{Type: r.Type, Name: r.Name, Value: r.Value, TTL: r.TTL}
	}
	slices.SortFunc(list, func(a, b Wanted) int { return strings.Compare(a.Type+a.Value, b.Type+b.Value) })
	return list
}
