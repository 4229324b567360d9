package offers

import (
	"context"
	"slices"

	"panel/modules/proxypanel/internal/mapping"
	"panel/modules/proxypanel/internal/remnawave"
)

// raise sees to it that a row has its host: a new one is disabled, one that is there is left as it is. It is found by
// its mark, so that one whose answer was lost is not made twice.
func (p *pass) raise(ctx context.Context, m *mapping.Mapping, r *row) error {
	there := p.host(r)
	if there == nil {
		made, err := p.makeHost(ctx, m, r)
		if err != nil {
			return err
		}
		there, r.EnabledAt, r.HostSent = made, nil, nil
	}
	if r.HostID == there.ID && r.sent() != nil {
		return nil
	}
	r.HostID = there.ID
	if r.sent() == nil {
		r.tell(told(there, r.content.Endpoint.L4))
	}
	return p.rows.put(ctx, r)
}

// told is what a host says of itself, in our words.
func told(there *remnawave.HostState, l4 string) Endpoint {
	return Endpoint{
		Remark: there.Remark, Address: there.Address, Port: there.Port, SNI: there.SNI, Path: there.Path, L4: l4,
	}
}

func (p *pass) makeHost(ctx context.Context, m *mapping.Mapping, r *row) (*remnawave.HostState, error) {
	to := r.endpoint()
	wanted := remnawave.HostWrite{
		Remark: &to.Remark, Address: &to.Address, Port: &to.Port, Disabled: true, Tags: &[]string{markOf(r.Mark)},
		Inbound: &remnawave.HostAt{ProfileID: m.ProfileID, InboundID: r.InboundID}, Nodes: &[]string{m.PanelNodeID},
		SNI: given(to.SNI), Path: given(to.Path),
	}
	var made remnawave.HostState
	var refusal error
	err := p.write(ctx, "make the host "+to.Remark, func() error {
		made, refusal = p.at.Client.MakeHost(ctx, wanted)
		return refusal
	})
	if remnawave.Unclear(refusal) {
		if all, again := p.at.Client.HostStates(ctx); again == nil {
			p.hosts = all
		}
		if there := p.host(r); there != nil {
			return there, nil
		}
	}
	if err != nil {
		return nil, err
	}
	p.hosts = append(p.hosts, made)
	return &p.hosts[len(p.hosts)-1], nil
}

// given is a text that is written; nil for none, which leaves it to the proxy panel.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// lower removes the host of a row.
func (p *pass) lower(ctx context.Context, r *row) error {
	there := p.host(r)
	if there == nil {
		return nil
	}
	id := there.ID
	err := p.write(ctx, "remove the host "+there.Remark, func() error { return p.at.Client.DropHost(ctx, id) })
	if err == nil {
		p.hosts = slices.DeleteFunc(p.hosts, func(one remnawave.HostState) bool { return one.ID == id })
	}
	return err
}

// lead lets the host of an installed row lead to it, and enables a new one once the node there is connected; until then
// it says that it waits. Only what has changed since it was written last is written, so that what others have changed
// of the host stays.
func (p *pass) lead(ctx context.Context, m *mapping.Mapping, r *row) (waits bool, err error) {
	there := p.host(r)
	if there == nil {
		return false, nil // removed there: drift says it
	}
	disabled := there.Disabled
	if r.EnabledAt == nil {
		if node := p.node(m.PanelNodeID); node == nil || !node.Connected {
			return true, nil
		}
		disabled = false
	}
	change := difference(there, r, m.ProfileID)
	uncovers, err := p.uncover(ctx, m.NodeID, r, there)
	if err != nil {
		return false, err
	}
	if uncovers {
		disabled, change.Tags = false, without(there.Tags, hiddenTagOf(r.Mark))
	}
	change.Disabled = disabled
	if change != (remnawave.HostWrite{Disabled: there.Disabled}) {
		err := p.write(ctx, "change the host "+there.Remark, func() (failed error) {
			*there, failed = p.at.Client.ChangeHost(ctx, there.ID, change)
			return failed
		})
		if err != nil {
			return false, err
		}
	}
	if r.EnabledAt == nil {
		now := p.now()
		r.EnabledAt = &now
	}
	r.HostID = there.ID
	r.tell(r.endpoint())
	return false, p.rows.put(ctx, r)
}

// difference is what the host of a row has to be told.
func difference(there *remnawave.HostState, r *row, profileID string) (change remnawave.HostWrite) {
	to, last := r.endpoint(), Endpoint{}
	if sent := r.sent(); sent != nil {
		last = *sent
	}
	if to.Remark != last.Remark && to.Remark != there.Remark {
		change.Remark = &to.Remark
	}
	if to.Address != last.Address && to.Address != there.Address {
		change.Address = &to.Address
	}
	if to.Port != last.Port && to.Port != there.Port {
		change.Port = &to.Port
	}
	if to.SNI != last.SNI && to.SNI != there.SNI {
		change.SNI = &to.SNI
	}
	if to.Path != last.Path && to.Path != there.Path {
		change.Path = &to.Path
	}
	if there.Inbound.InboundID != r.InboundID {
		change.Inbound = &remnawave.HostAt{ProfileID: profileID, InboundID: r.InboundID}
	}
	return change
}
