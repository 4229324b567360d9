package statuspage

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"panel/modules/nodes/nodesapi"
	"panel/modules/pools/poolsapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// Kinds of what components stand for.
const (
	fromNode   = "node"
	fromFlow   = "flow"
	fromPool   = "pool"
	fromRegion = "region"
	byHand     = "manual"
)

func indexed(field string, at int) string { return field + "[" + strconv.Itoa(at) + "]" }

// compose replaces groups and components. Faults: not_found (404), revision_conflict (409), invalid_value (422).
func (s *service) compose(ctx context.Context, id string, revision int64, in Components) error {
	known, err := s.sourcesOf(ctx, in.Components)
	if err != nil {
		return err
	}
	return s.redraft(ctx, id, revision, func(_ context.Context, d *draft) error {
		return d.compose(in.Groups, in.Components, known)
	})
}

// compose replaces groups and components. Fault: invalid_value (422).
func (d *draft) compose(groups []Group, components []Component, known map[string]string) error {
	groups, err := d.grouped(groups)
	if err != nil {
		return err
	}
	parts, err := d.composed(components, groups, known)
	if err == nil {
		d.Groups, d.Components = groups, parts
	}
	return err
}

func (d *draft) grouped(wanted []Group) ([]Group, error) {
	out, seen := make([]Group, len(wanted)), map[string]bool{}
	for i, one := range wanted {
		field := indexed("groups", i)
		switch {
		case one.ID == "":
			one.ID = database.NewID()
		case !database.IsID(one.ID) || seen[one.ID]:
			return nil, fault.InvalidValue(field+".id", "the id of a group is a UUID, and of this group alone")
		}
		seen[one.ID] = true
		if err := titled(field+".names", one.Names, d.DefaultLocale); err != nil {
			return nil, err
		}
		out[i] = one
	}
	return out, nil
}

// composed checks components and gives new ones their ids. All sources that are not there are named at once.
func (d *draft) composed(wanted []Component, groups []Group, known map[string]string) ([]Component, error) {
	out, seen, inGroups := make([]Component, len(wanted)), map[string]bool{}, map[string]bool{"": true}
	for _, g := range groups {
		inGroups[g.ID] = true
	}
	gone := fault.Invalid("invalid_value", "some components stand for what is not there")
	for i, one := range wanted {
		field := indexed("components", i)
		switch {
		case one.ID == "":
			one.ID = database.NewID()
		case !database.IsID(one.ID) || seen[one.ID] || one.ID == one.SourceID:
			return nil, fault.InvalidValue(field+".id", "the id of a component is a UUID of this component alone")
		}
		if !inGroups[one.GroupID] {
			return nil, fault.InvalidValue(field+".group_id", "there is no such group on the page")
		}
		seen[one.ID] = true
		if err := titled(field+".names", one.Names, d.DefaultLocale); err != nil {
			return nil, err
		}
		if one.Source == byHand {
			one.SourceID = ""
			if one.ManualStatus == "" {
				one.ManualStatus = "operational"
			}
		} else {
			one.ManualStatus = ""
			if _, there := known[one.Source+" "+one.SourceID]; !there && !d.has(one.Source, one.SourceID) {
				gone = gone.Field(field+".source_id", "invalid_value", "there is no such "+one.Source)
			}
		}
		one.SourceName, one.Status = "", ""
		out[i] = one
	}
	if len(gone.Fields) > 0 {
		return nil, gone
	}
	return out, nil
}

// has says whether a component stands for it already: what is gone since then may stay on the page.
func (d *draft) has(source, id string) bool {
	return slices.ContainsFunc(d.Components, func(c Component) bool { return c.Source == source && c.SourceID == id })
}

// sourcesOf gives the names of what components stand for, by kind and id; what is gone is left out.
func (n *neighbours) sourcesOf(ctx context.Context, components []Component) (map[string]string, error) {
	ids := map[string][]string{}
	for _, c := range components {
		ids[c.Source] = append(ids[c.Source], c.SourceID)
	}
	names := map[string]string{}
	if len(ids[fromNode]) > 0 || len(ids[fromRegion]) > 0 {
		all, err := n.statuses.Statuses(ctx, "")
		if err != nil {
			return nil, fmt.Errorf("read the nodes of a status page: %w", err)
		}
		for i := range all {
			names[fromNode+" "+all[i].ID] = all[i].Name
			if region := all[i].Region; region != "" {
				names[fromRegion+" "+region] = region
			}
		}
	}
	if len(ids[fromFlow]) > 0 {
		flows, err := n.flows.Names(ctx, ids[fromFlow]...)
		if err != nil {
			return nil, fmt.Errorf("read the flows of a status page: %w", err)
		}
		for id, name := range flows {
			names[fromFlow+" "+id] = name
		}
	}
	if len(ids[fromPool]) > 0 {
		pools, err := n.pools.Pools(ctx, ids[fromPool]...)
		if err != nil {
			return nil, fmt.Errorf("read the pools of a status page: %w", err)
		}
		for _, pool := range pools {
			names[fromPool+" "+pool.ID] = pool.Name
		}
	}
	return names, nil
}

const mostSources = 50

// sources finds what components can be made of.
func (n *neighbours) sources(ctx context.Context, query, kind string) (Sources, error) {
	out, word := Sources{Items: []Source{}}, strings.ToLower(strings.TrimSpace(query))
	add := func(found Source) {
		if (kind == "" || kind == found.Source) && strings.Contains(strings.ToLower(found.Name), word) &&
			len(out.Items) < mostSources {
			out.Items = append(out.Items, found)
		}
	}
	wants := func(kinds ...string) bool { return kind == "" || slices.Contains(kinds, kind) }
	if wants(fromNode, fromRegion) {
		all, err := n.statuses.Statuses(ctx, "")
		if err != nil {
			return out, fmt.Errorf("read the nodes that components can be made of: %w", err)
		}
		addRegions(all, add)
		for i := range all {
			add(Source{Source: fromNode, ID: all[i].ID, Name: all[i].Name, Detail: all[i].Country})
		}
	}
	if wants(fromPool) {
		all, err := n.pools.Pools(ctx)
		if err != nil {
			return out, fmt.Errorf("read the pools that components can be made of: %w", err)
		}
		addPools(all, add)
	}
	if !wants(fromFlow) {
		return out, nil
	}
	return out, n.addFlows(ctx, func(s Source) bool { add(s); return len(out.Items) < mostSources })
}

func addRegions(nodes []nodesapi.Status, add func(Source)) {
	counts := map[string]int{}
	for i := range nodes {
		if nodes[i].Region != "" {
			counts[nodes[i].Region]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		add(Source{Source: fromRegion, ID: name, Name: name, Detail: strconv.Itoa(counts[name])})
	}
}

func addPools(all []poolsapi.Pool, add func(Source)) {
	for _, pool := range all {
		members := strconv.Itoa(len(pool.NodeIDs) + len(pool.FlowIDs))
		add(Source{Source: fromPool, ID: pool.ID, Name: pool.Name, Detail: members})
	}
}

func (n *neighbours) addFlows(ctx context.Context, add func(Source) bool) error {
	const several = 200
	for after := ""; ; {
		page, err := n.flows.Page(ctx, after, several)
		if err != nil {
			return fmt.Errorf("read the flows that components can be made of: %w", err)
		}
		for i := range page {
			nodes := strconv.Itoa(len(page[i].NodeIDs))
			if !add(Source{Source: fromFlow, ID: page[i].ID, Name: page[i].Name, Detail: nodes}) {
				return nil
			}
		}
		if len(page) < several {
			return nil
		}
		after = page[len(page)-1].ID
	}
}
