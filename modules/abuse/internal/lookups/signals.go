package lookups

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
)

const (
	// mostPeople are told of one source.
	mostPeople = 100
	// apart is how far the clocks of the panel and of the database may differ.
	apart = time.Hour
	// besides is how far back it is told what else a user did.
	besides = 30 * 24 * time.Hour
)

// heard are the signals whose time touches that of a complaint, and that may be about its destination. Those that are
// about more than an hour have an index of their own, so that nobody looks through a week.
const heard = `with seen as (
		select %[3]s from abuse_signals s where s.stored_at >= ?0 and s.first_at <= ?2
			and s.last_at >= ?1 and s.last_at <= ?2::timestamptz + interval '1 hour'
			and s.last_at - s.first_at <= interval '1 hour'
		union all
		select %[3]s from abuse_signals s where s.stored_at >= ?0 and s.first_at <= ?2 and s.last_at >= ?1
			and s.last_at - s.first_at > interval '1 hour'
	), fit as (
		select user_ref, coalesce(flow_id::text, '') as flow_id, node_id::text as node_id, count, first_at, last_at,
			(?5 = '' or %[1]s) and (?6 = 0 or dest_port = ?6) and (?5 <> '' or ?6 <> 0) as exact
		from seen
		where (node_id = any(?3::uuid[]) and flow_id is null or flow_id = any(?4::uuid[]))
			and (?5 = '' or %[1]s or %[2]s) and (?6 = 0 or dest_port in (0, ?6))
	)
	select user_ref, flow_id, node_id, bool_or(exact) as exact, sum(count)::bigint as connections,
		min(first_at) as first_at, max(last_at) as last_at
	from fit group by user_ref, flow_id, node_id order by 4 desc, 5 desc, 1, 2, 3 limit ?7`

// compared are the columns that are looked at.
const compared = "user_ref, flow_id, node_id, count, first_at, last_at, dest_host, dest_ip, dest_port"

// aimed are the conditions that a signal is about a destination, and that what it is about is not known.
func aimed(dest string) (is, unknown string) {
	if _, err := netip.ParsePrefix(dest); err == nil {
		return "coalesce(dest_ip::inet <<= ?5::inet, false)", "dest_ip is null"
	}
	if _, err := netip.ParseAddr(dest); err == nil {
		return "coalesce(dest_ip = ?5, false)", "dest_ip is null"
	}
	return "(dest_host = ?5 or right(dest_host, length(?5) + 1) = '.' || ?5)", "dest_host = ''"
}

// signals gives whom stored signals speak of, and whether there are more.
func (l *Lookups) signals(ctx context.Context, r *row, where place) (people []Person, more bool, err error) {
	people = []Person{}
	if len(where.holders) == 0 {
		return people, false, nil
	}
	nodes := slices.Clone(where.holders)
	for _, e := range where.entries {
		nodes = append(nodes, e.node.ID)
	}
	from, to := r.span()
	is, unknown := aimed(r.Dest)
	var found []struct {
		UserRef, FlowID, NodeID string
		Exact                   bool
		Connections             int64
		FirstAt, LastAt         time.Time
	}
	err = l.DB.In(ctx).NewRaw(fmt.Sprintf(heard, is, unknown, compared), from.Add(-apart), from, to,
		pgdialect.Array(nodes), pgdialect.Array(where.flows), r.Dest, r.DestPort, mostPeople+1).Scan(ctx, &found)
	if err != nil {
		return nil, false, database.Fault(fmt.Errorf("look through signals: %w", err), nil)
	}
	for _, f := range found[:min(len(found), mostPeople)] {
		people = append(people, Person{
			UserRef: f.UserRef, FlowID: f.FlowID, NodeID: f.NodeID, Connections: f.Connections, FirstAt: f.FirstAt,
			LastAt: f.LastAt, From: fromSignals, Exact: f.Exact,
		})
	}
	return people, len(found) > mostPeople, l.describe(ctx, r, people)
}

// describe says what people, their flows and nodes are called, and what else they did.
func (l *Lookups) describe(ctx context.Context, r *row, people []Person) error {
	if len(people) == 0 {
		return nil
	}
	refs, flowIDs, nodeIDs := []string{}, []string{}, []string{}
	for i := range people {
		refs, nodeIDs = append(refs, people[i].UserRef), append(nodeIDs, people[i].NodeID)
		if people[i].FlowID != "" {
			flowIDs = append(flowIDs, people[i].FlowID)
		}
	}
	also, err := l.also(ctx, r, refs)
	if err != nil {
		return err
	}
	users, err := l.Views.Labels(ctx, refs...)
	if err != nil {
		return err
	}
	flows, err := l.Views.FlowNames(ctx, flowIDs...)
	if err != nil {
		return err
	}
	nodes, err := l.Views.NodeNames(ctx, nodeIDs...)
	for i := range people {
		p := &people[i]
		p.User, p.Flow, p.Node = users[p.UserRef], flows[p.FlowID], nodes[p.NodeID]
		p.FirstAt, p.LastAt = p.FirstAt.UTC(), p.LastAt.UTC()
		if p.Also = also[p.UserRef]; p.Also == nil {
			p.Also = []Also{}
		}
	}
	return err
}

// also counts what users did in the days before the question.
func (l *Lookups) also(ctx context.Context, r *row, refs []string) (map[string][]Also, error) {
	var rows []struct {
		UserRef, Kind string
		Count         int64
	}
	since := r.AskedAt.Add(-besides).Format(time.DateOnly)
	err := l.DB.In(ctx).NewRaw(`select user_ref, kind, sum(count)::bigint as count from abuse_user_days
		where user_ref = any(?::text[]) and day >= ?::date
		group by user_ref, kind order by user_ref, 3 desc, kind`, pgdialect.Array(refs), since).Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read what else users did: %w", err), nil)
	}
	out := map[string][]Also{}
	for _, one := range rows {
		out[one.UserRef] = append(out[one.UserRef], Also{one.Kind, one.Count})
	}
	return out, nil
}
