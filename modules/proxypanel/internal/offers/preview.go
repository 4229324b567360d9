package offers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"panel/modules/flows/flowsapi"
	"panel/modules/proxypanel/internal/mapping"
	"panel/modules/proxypanel/internal/remnawave"
)

// side is what one version of a flow has on one node there.
type side map[string]flowsapi.Entry // by block

// sides are what a flow has on a node there before and after an apply.
type sides struct {
	at            *mapping.Mapping
	label         string
	before, after side
}

// preview says what an apply would make, change and remove at proxy panels, by names, and what stands in its way there.
// It asks no other panel: what it says of them was seen at the last look.
func (e *Engine) preview(ctx context.Context, c flowsapi.Change) ([]flowsapi.Diff, []flowsapi.Check, error) {
	all, err := e.compare(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	var diffs []flowsapi.Diff
	var checks []flowsapi.Check
	for _, id := range slices.Sorted(maps.Keys(all)) {
		s := all[id]
		others, err := e.others(ctx, s.at.ID, c.FlowID)
		if err != nil {
			return nil, nil, err
		}
		squads, err := e.squadNames(ctx, s.at.ConnectionID)
		if err != nil {
			return nil, nil, err
		}
		diffs = append(diffs, s.frame(others)...)
		diffs = append(diffs, s.parts(c.FlowName, squads)...)
		found, err := e.checks(ctx, s, others)
		if err != nil {
			return nil, nil, err
		}
		checks = append(checks, found...)
	}
	return diffs, checks, nil
}

// compare puts the entries of both versions to the nodes there that serve them.
func (e *Engine) compare(ctx context.Context, c flowsapi.Change) (map[string]*sides, error) {
	all := map[string]*sides{}
	for i, entries := range [][]flowsapi.Entry{c.Before, c.After} {
		for _, entry := range entries {
			if entry.Offer == nil {
				continue
			}
			at, err := e.Mappings.On(ctx, entry.Offer.ConnectionID, []string{entry.NodeID})
			if err != nil {
				return nil, err
			}
			m := at[entry.NodeID]
			if m == nil {
				continue
			}
			if all[m.ID] == nil {
				all[m.ID] = &sides{at: m, before: side{}, after: side{}}
			}
			[]side{all[m.ID].before, all[m.ID].after}[i][entry.Block] = entry
		}
	}
	return all, nil
}

// others are the flows beside one that a node there serves.
func (e *Engine) others(ctx context.Context, mappingID, flowID string) (count int, err error) {
	err = e.DB.In(ctx).NewRaw("select count(distinct flow_id) from proxypanel_parts where mapping_id = ? and flow_id <> ?",
		mappingID, flowID).Scan(ctx, &count)
	return count, kept(err)
}

func (e *Engine) squadNames(ctx context.Context, connectionID string) (map[string]string, error) {
	all, err := e.Shadow.Objects(ctx, connectionID, remnawave.KindSquad)
	names := make(map[string]string, len(all))
	for _, one := range all {
		names[one.ExternalID] = one.Name
	}
	return names, err
}

// frame is what changes of the profile and of what the node runs.
func (s *sides) frame(others int) (diffs []flowsapi.Diff) {
	before := s.at.Ran()
	switch {
	case s.at.ProfileID == "" && len(s.after) > 0:
		diffs = append(diffs, s.diff("added", s.at.ProfileName, "profile", "", s.at.ProfileName),
			s.diff("changed", s.at.Name, "runs", before.ProfileName, s.at.ProfileName))
	case len(s.after) == 0 && others == 0:
		diffs = append(diffs, s.diff("removed", s.at.ProfileName, "profile", s.at.ProfileName, ""),
			s.diff("changed", s.at.Name, "runs", s.at.ProfileName, before.ProfileName))
	}
	return diffs
}

func (s *sides) diff(op, name, field, from, to string) flowsapi.Diff {
	return flowsapi.Diff{
		Group: flowsapi.GroupProxyPanel, Op: op, NodeID: s.at.NodeID, Name: name, Field: field, From: from, To: to,
	}
}

// parts are what changes of inbounds, squads and hosts.
func (s *sides) parts(flowName string, squads map[string]string) (diffs []flowsapi.Diff) {
	blocks := map[string]bool{}
	for block := range s.before {
		blocks[block] = true
	}
	for block := range s.after {
		blocks[block] = true
	}
	for _, block := range slices.Sorted(maps.Keys(blocks)) {
		was, had := s.before[block]
		is, has := s.after[block]
		op, tag := "changed", is.Tag
		switch {
		case !had:
			op = "added"
		case !has:
			op, tag = "removed", was.Tag
		}
		named := is
		if !has {
			named = was
		}
		remark := endpointOf(named, named.Offer.Remark, flowName).Remark
		for _, one := range []struct{ name, field, from, to string }{
			{tag, "inbound", listens(was, had), listens(is, has)},
			{tag, "squads", admitted(was, had, squads), admitted(is, has, squads)},
			{remark, "host", leads(was, had, flowName), leads(is, has, flowName)},
		} {
			if one.from != one.to {
				diffs = append(diffs, s.diff(op, one.name, one.field, one.from, one.to))
			}
		}
	}
	return diffs
}

func listens(entry flowsapi.Entry, there bool) string {
	if !there {
		return ""
	}
	return entry.Protocol + " " + entry.Transport + " " + entry.Security + " :" + entry.Port
}

func admitted(entry flowsapi.Entry, there bool, names map[string]string) (list string) {
	if !there {
		return ""
	}
	for _, id := range slices.Sorted(slices.Values(entry.Offer.SquadIDs)) {
		name := names[id]
		if name == "" {
			name = id
		}
		if list != "" {
			list += ", "
		}
		list += name
	}
	return list
}

func leads(entry flowsapi.Entry, there bool, flowName string) string {
	if !there {
		return ""
	}
	to := endpointOf(entry, entry.Offer.Remark, flowName)
	return to.Remark + " " + to.Address + ":" + strconv.Itoa(to.Port)
}

// checks are what stands in the way there, and whose sessions drop.
func (e *Engine) checks(ctx context.Context, s *sides, others int) ([]flowsapi.Check, error) {
	label, cause, err := e.Usable(ctx, s.at.ConnectionID)
	if err != nil {
		return nil, err
	}
	s.label = label
	usable := flowsapi.Check{
		Key: "connection:" + s.at.ConnectionID, NodeID: s.at.NodeID, Status: flowsapi.Confirmed,
		Summary: "the proxy panel can be written to",
		Finding: flowsapi.Say("panel_usable", "the proxy panel "+label+" answered at its last look", "connection", label),
	}
	if cause != "" {
		usable.Status = flowsapi.Failed
		usable.Finding = flowsapi.Say("panel_unusable", "the proxy panel "+label+" cannot be written to: "+cause,
			"connection", label, "cause", cause)
	}
	found := []flowsapi.Check{usable, s.connected()}
	changed, err := e.foreign(ctx, s.at)
	if err != nil {
		return nil, err
	}
	if changed {
		found = append(found, flowsapi.Check{
			Key: "profile:" + s.at.PanelNodeID, NodeID: s.at.NodeID, Status: flowsapi.Failed, Blocks: true,
			Summary: "the profile stands as the panel wrote it",
			Finding: flowsapi.Say("panel_profile_changed", fmt.Sprintf("somebody else has changed the profile %s at %s",
				s.at.ProfileName, label), "profile", s.at.ProfileName, "connection", label),
		})
	}
	return append(found, s.drops(others)), nil
}

func (s *sides) connected() flowsapi.Check {
	check := flowsapi.Check{
		Key: "node:" + s.at.PanelNodeID, NodeID: s.at.NodeID, Status: flowsapi.Confirmed,
		Summary: "the node of the proxy panel is connected",
		Finding: flowsapi.Say("panel_node_connected", fmt.Sprintf("%s is connected at %s", s.at.Name, s.label), "node",
			s.at.Name, "connection", s.label),
	}
	switch state := s.at.State(); state {
	case "connected":
	case "gone":
		check.Status, check.Blocks = flowsapi.Failed, len(s.after) > 0
		check.Finding = flowsapi.Say("panel_node_gone", fmt.Sprintf("%s has no node %s any more", s.label, s.at.Name), "node",
			s.at.Name, "connection", s.label)
	default:
		check.Status = flowsapi.Unconfirmed
		check.Finding = flowsapi.Say("panel_node_not_connected", fmt.Sprintf("%s is %s at %s", s.at.Name, state, s.label),
			"node", s.at.Name, "state", state, "connection", s.label)
	}
	return check
}

// drops says whose sessions end: a profile that is written restarts the core of its node.
func (s *sides) drops(others int) flowsapi.Check {
	return flowsapi.Check{
		Key: "sessions:" + s.at.PanelNodeID, NodeID: s.at.NodeID, Status: flowsapi.Confirmed,
		Summary: "whose sessions end",
		Finding: flowsapi.Say("panel_sessions_drop", fmt.Sprintf(
			"Xray on %s restarts where its profile changes: sessions there end, also those of %d other flows", s.at.Name, others),
			"node", s.at.Name, "flows", strconv.Itoa(others)),
	}
}

// foreign says whether somebody else has changed our profile, as far as it was seen.
func (e *Engine) foreign(ctx context.Context, m *mapping.Mapping) (bool, error) {
	if m.ProfileID == "" || m.WrittenSum == "" {
		return false, nil
	}
	all, err := e.Shadow.Objects(ctx, m.ConnectionID, remnawave.KindProfile)
	if err != nil {
		return false, err
	}
	for i := range all {
		var fields remnawave.ProfileFields
		if all[i].ExternalID != m.ProfileID {
			continue
		}
		if err := all[i].Into(&fields); err != nil {
			return false, err
		}
		// What was seen before the last write says nothing about it.
		return all[i].SeenAt.After(m.SeenAt) && fields.Sum != m.WrittenSum, nil
	}
	return false, nil
}
