package offers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/proxypanelapi"
)

// A host is hidden by being disabled, with a tag that says that we did it: one request writes both, so that whoever
// goes on after a panel that died sees whose it is. Without the tag a disabled host is somebody else's matter, and so
// is one with the tag that is enabled.

// States of a hidden host.
const (
	hostHiding  = "hiding"  // it is to be hidden
	hostHidden  = "hidden"  // it bears our tag and is disabled
	hostTheirs  = "theirs"  // somebody else has hidden or shown it: it is left so
	hostShowing = "showing" // it is to be shown again
)

// hiddenHost is a host that is hidden for a reason.
type hiddenHost struct {
	bun.BaseModel `bun:"table:proxypanel_hidden,alias:h"`

	Mark         string    `bun:"mark,pk,type:uuid"`
	Why          string    `bun:"why"`
	ConnectionID string    `bun:"connection_id,type:uuid"`
	NodeID       string    `bun:"node_id,type:uuid"` // ours, which it led to
	Name         string    `bun:"name"`
	State        string    `bun:"state"`
	Problem      string    `bun:"problem"`
	CreatedAt    time.Time `bun:"created_at"`
	UpdatedAt    time.Time `bun:"updated_at"`
}

// hiddenTagOf is the tag of a host that we have hidden.
func hiddenTagOf(mark string) string { return strings.Replace(markOf(mark), "MANAGED:", "HIDDEN:", 1) }

// Hide notes that hosts of a node are to be hidden, and gives the connections that have to be settled. A host that is
// hidden already, for whatever reason, is left out.
func (e *Engine) Hide(ctx context.Context, why, nodeID string, marks ...string) (connectionIDs []string, err error) {
	now := e.now()
	err = e.DB.In(ctx).NewRaw(`insert into proxypanel_hidden (mark, why, connection_id, node_id, name, state, created_at,
			updated_at)
		select p.mark, ?, p.connection_id, m.node_id, coalesce(o.name, ''), ?, ?, ?
		from proxypanel_parts p join proxypanel_mappings m on m.id = p.mapping_id
		left join proxypanel_objects o on o.connection_id = p.connection_id and o.kind = ?
			and o.external_id::text = p.host_id
		where m.node_id = ? and p.mark = any(?::uuid[]) order by p.mark
		on conflict (mark) do nothing returning connection_id::text`, why, hostHiding, now, now, remnawave.KindHost, nodeID,
		pgdialect.Array(marks)).Scan(ctx, &connectionIDs)
	slices.Sort(connectionIDs)
	return slices.Compact(connectionIDs), kept(err)
}

// Show notes that what was hidden for a reason is to be shown, and gives the connections that have to be settled.
func (e *Engine) Show(ctx context.Context, why string) (connectionIDs []string, err error) {
	err = e.DB.In(ctx).NewRaw(`update proxypanel_hidden set state = ?, updated_at = ? where why = ? and state <> ?
		returning connection_id::text`, hostShowing, e.now(), why, hostShowing).Scan(ctx, &connectionIDs)
	slices.Sort(connectionIDs)
	return slices.Compact(connectionIDs), kept(err)
}

// Hiding says how far it has come to hide hosts for a reason.
func (e *Engine) Hiding(ctx context.Context, why string) (proxypanelapi.Hiding, error) {
	found := proxypanelapi.Hiding{Hidden: []string{}}
	var rows []hiddenHost
	err := e.DB.In(ctx).NewSelect().Model(&rows).Where("h.why = ?", why).OrderExpr("h.mark").Scan(ctx)
	for _, one := range rows {
		switch one.State {
		case hostHidden:
			found.Hidden = append(found.Hidden, one.Mark)
		case hostHiding:
			found.Waits++
			if found.Problem == "" {
				found.Problem = one.Problem
			}
		}
	}
	return found, kept(err)
}

// HiddenAt gives the connections that have hosts which are hidden, or wait to be hidden or shown.
func (e *Engine) HiddenAt(ctx context.Context) (connectionIDs []string, err error) {
	err = e.DB.In(ctx).NewRaw("select distinct connection_id::text from proxypanel_hidden order by 1").
		Scan(ctx, &connectionIDs)
	return connectionIDs, kept(err)
}

// SettleHidden hides and shows at a proxy panel what was noted, and looks whether somebody else has taken a host over.
// What fails is noted and tried again with the next call.
func (e *Engine) SettleHidden(ctx context.Context, connectionID string) error {
	err := e.settleHidden(ctx, connectionID)
	if err == nil {
		return nil
	}
	said := err.Error()
	if problem := new(remnawave.Problem); errors.As(err, &problem) {
		said = problem.Fault().Error()
	}
	_, failed := e.DB.In(ctx).NewRaw("update proxypanel_hidden set problem = ? where connection_id = ? and state in (?, ?)",
		said, connectionID, hostHiding, hostShowing).Exec(context.WithoutCancel(ctx))
	return errors.Join(err, kept(failed))
}

func (e *Engine) settleHidden(ctx context.Context, connectionID string) error {
	at, err := e.Open(ctx, connectionID)
	if err != nil {
		return err
	}
	defer at.Client.Close()
	return e.writing(ctx, connectionID, func(ctx context.Context, held fence) error {
		p := &pass{Engine: e, at: at, held: held}
		if p.hosts, err = at.Client.HostStates(ctx); err != nil {
			return p.met(err, "read the hosts")
		}
		return p.settleHosts(ctx, connectionID)
	})
}

func (p *pass) settleHosts(ctx context.Context, connectionID string) error {
	var all []hiddenHost
	err := p.DB.In(ctx).NewSelect().Model(&all).Where("h.connection_id = ?", connectionID).OrderExpr("h.mark").Scan(ctx)
	if err != nil {
		return kept(err)
	}
	parts, err := p.rows.ofConnection(ctx, connectionID)
	if err != nil {
		return err
	}
	mappings, err := p.Mappings.Of(ctx, connectionID)
	if err != nil {
		return err
	}
	nodes := map[string]string{} // ours, by mapping
	for i := range mappings {
		nodes[mappings[i].ID] = mappings[i].NodeID
	}
	for i := range all {
		h := &all[i]
		at := slices.IndexFunc(parts, func(r row) bool { return r.Mark == h.Mark })
		if at < 0 || p.host(&parts[at]) == nil {
			if err := p.forgetHidden(ctx, h); err != nil { // with the host there is nothing to be shown
				return err
			}
			continue
		}
		if nodes[parts[at].MappingID] != h.NodeID {
			h.State = hostShowing // it leads to another node now
		}
		if err := p.settleHost(ctx, h, p.host(&parts[at])); err != nil {
			return err
		}
	}
	return nil
}

// settleHost brings one host a step on. Each step can be done again by whoever goes on.
func (p *pass) settleHost(ctx context.Context, h *hiddenHost, there *remnawave.HostState) error {
	tag := hiddenTagOf(h.Mark)
	ours := there.Bears(tag)
	switch {
	case h.State == hostShowing:
		if ours {
			if err := p.setHidden(ctx, there, tag, false); err != nil {
				return err
			}
		}
		return p.forgetHidden(ctx, h)
	case ours && !there.Disabled: // somebody has shown what we had hidden
		if err := p.setHidden(ctx, there, tag, false); err != nil {
			return err
		}
		return p.turnHidden(ctx, h, hostTheirs)
	case ours:
		return p.turnHidden(ctx, h, hostHidden)
	case h.State == hostHiding && !there.Disabled:
		if err := p.setHidden(ctx, there, tag, true); err != nil {
			return err
		}
		return p.turnHidden(ctx, h, hostHidden)
	}
	return p.turnHidden(ctx, h, hostTheirs) // somebody hides it, or has taken our tag away
}

// setHidden writes whether a host is disabled, with our tag or without it.
func (p *pass) setHidden(ctx context.Context, there *remnawave.HostState, tag string, hidden bool) error {
	tags, doing := without(there.Tags, tag), "show the host "
	if hidden {
		*tags, doing = append(*tags, tag), "hide the host "
	}
	return p.write(ctx, doing+there.Remark, func() (err error) {
		*there, err = p.at.Client.ChangeHost(ctx, there.ID, remnawave.HostWrite{Disabled: hidden, Tags: tags})
		return err
	})
}

// without are tags without one, never null.
func without(tags []string, tag string) *[]string {
	left := slices.DeleteFunc(append([]string{}, tags...), func(one string) bool { return one == tag })
	return &left
}

// turnHidden notes how a host is, unless it is to be shown by now.
func (p *pass) turnHidden(ctx context.Context, h *hiddenHost, state string) error {
	if h.State == state && h.Problem == "" {
		return nil
	}
	_, err := p.DB.In(ctx).NewRaw(`update proxypanel_hidden set state = ?, problem = '', updated_at = ?
		where mark = ? and why = ? and state <> ?`, state, p.now(), h.Mark, h.Why, hostShowing).Exec(ctx)
	return kept(err)
}

func (p *pass) forgetHidden(ctx context.Context, h *hiddenHost) error {
	_, err := p.DB.In(ctx).NewDelete().Model((*hiddenHost)(nil)).Where("mark = ? and why = ?", h.Mark, h.Why).Exec(ctx)
	return kept(err)
}

// uncover says whether a host that an apply leads somewhere is one that was hidden for another node; it is shown there.
func (p *pass) uncover(ctx context.Context, nodeID string, r *row, there *remnawave.HostState) (bool, error) {
	if !there.Bears(hiddenTagOf(r.Mark)) {
		return false, nil
	}
	var holds bool
	err := p.DB.In(ctx).NewRaw(`select exists (select from proxypanel_hidden
		where mark = ? and node_id = ? and state <> ?)`, r.Mark, nodeID, hostShowing).Scan(ctx, &holds)
	return !holds, kept(err)
}

// Shown gives the hosts that lead to nodes of ours and are shown, where their proxy panel can be written to.
func (e *Engine) Shown(ctx context.Context, nodeIDs ...string) (map[string][]proxypanelapi.Host, error) {
	var found []struct {
		NodeID, ConnectionID, Mark, Name, HostID, PanelNodeID string
		Squads                                                []string `bun:",type:jsonb"`
	}
	err := e.DB.In(ctx).NewRaw(`select m.node_id, p.connection_id, p.mark, o.name, p.host_id, m.panel_node_id, p.squads
		from proxypanel_parts p join proxypanel_mappings m on m.id = p.mapping_id
		join proxypanel_objects o on o.connection_id = p.connection_id and o.kind = ? and o.external_id::text = p.host_id
		where m.node_id = any(?::uuid[]) and p.enabled_at is not null and p.phase in (?, ?) and o.gone_at is null
			and not (o.fields ->> 'disabled')::boolean
			and not exists (select from proxypanel_hidden h where h.mark = p.mark)
		order by o.name, p.mark`, remnawave.KindHost, pgdialect.Array(append([]string{}, nodeIDs...)), phaseCommitted,
		phaseSettled).Scan(ctx, &found)
	if err != nil || len(found) == 0 {
		return nil, kept(err)
	}
	shown, around := map[string][]proxypanelapi.Host{}, map[string]*visibleHosts{}
	for _, one := range found {
		near := around[one.ConnectionID]
		if near == nil {
			if near, err = e.visibleHosts(ctx, one.ConnectionID); err != nil {
				return nil, err
			}
			around[one.ConnectionID] = near
		}
		if near.cause != "" {
			continue
		}
		shown[one.NodeID] = append(shown[one.NodeID], proxypanelapi.Host{
			ID: one.Mark, Name: one.Name, Panel: near.label,
			Spare: near.spares(one.HostID, one.PanelNodeID, one.Squads),
		})
	}
	return shown, nil
}

// visibleHosts are what else users of a proxy panel see, as it was last read.
type visibleHosts struct {
	label, cause string
	others       []otherHost
}

// otherHost is a host that is shown and not to be hidden.
type otherHost struct {
	HostID string
	Squads []string `bun:",type:jsonb"` // that see it
	Nodes  []string `bun:",array"`      // connected ones there that run its inbound
}

func (e *Engine) visibleHosts(ctx context.Context, connectionID string) (*visibleHosts, error) {
	label, cause, err := e.Usable(ctx, connectionID)
	if err != nil {
		return nil, fmt.Errorf("ask how a proxy panel is: %w", err)
	}
	near := &visibleHosts{label: label, cause: cause}
	err = e.DB.In(ctx).NewRaw(`select h.external_id as host_id, coalesce(i.fields -> 'squads', '[]') as squads,
			array(select n.external_id::text from proxypanel_objects n where n.connection_id = h.connection_id
				and n.kind = ?1 and n.gone_at is null and (n.fields ->> 'connected')::boolean
				and not (n.fields ->> 'disabled')::boolean
				and n.fields -> 'active_inbounds' @> to_jsonb(i.external_id::text)) as nodes
		from proxypanel_objects h join proxypanel_objects i on i.connection_id = h.connection_id and i.kind = ?2
			and i.external_id = h.parent_id and i.gone_at is null
		where h.connection_id = ?0 and h.kind = ?3 and h.gone_at is null and not (h.fields ->> 'disabled')::boolean
			and not (h.fields ->> 'hidden')::boolean and not exists (select from proxypanel_hidden x
				join proxypanel_parts p on p.mark = x.mark where p.host_id = h.external_id::text)`,
		connectionID, remnawave.KindNode, remnawave.KindInbound, remnawave.KindHost).Scan(ctx, &near.others)
	return near, kept(err)
}

// spares says whether all squads that see a host see another one that leads to another connected node.
func (s *visibleHosts) spares(hostID, panelNodeID string, squads []string) bool {
	for _, squad := range squads {
		another := func(o otherHost) bool {
			elsewhere := func(node string) bool { return node != panelNodeID }
			return o.HostID != hostID && slices.Contains(o.Squads, squad) && slices.ContainsFunc(o.Nodes, elsewhere)
		}
		if !slices.ContainsFunc(s.others, another) {
			return false
		}
	}
	return true
}
