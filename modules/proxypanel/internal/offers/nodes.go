package offers

import (
	"context"
	"fmt"
	"slices"
	"time"

	"panel/modules/proxypanel/internal/mapping"
	"panel/modules/proxypanel/internal/remnawave"
)

// Writes to a node and to squads replace whole lists, so they are read again afterwards; so often they are tried.
const tries = 3

// settles is how long the answer to an enabled node is not the last word: a job that stopped it may write after it.
const settles = time.Second

// run sees to it that a node runs these inbounds of our profile and no others. Errors: *Missing where the node is gone,
// *Changed where somebody has let it run something else since it was adopted.
func (p *pass) run(ctx context.Context, m *mapping.Mapping, inbounds []string) error {
	node := p.node(m.PanelNodeID)
	if node == nil {
		return p.lost(ctx, m)
	}
	if err := p.seen(ctx, m, node); err != nil {
		return err
	}
	before := m.Ran()
	if err := p.replaces(ctx, m, node, &before); err != nil {
		return err
	}
	for range tries {
		if node.Runs.ProfileID == m.ProfileID && sameIDs(node.InboundIDs(), inbounds) {
			return p.enable(ctx, m, node, before)
		}
		err := p.write(ctx, "let the node "+node.Name+" run its inbounds", func() error {
			return p.at.Client.RunNode(ctx, node.ID, m.ProfileID, inbounds)
		})
		if err == nil {
			err = p.readNode(ctx, node)
		}
		if err != nil {
			return err
		}
	}
	return &Changed{p.at.Label, "node", node.Name, "does not run what it was told to"}
}

// replaces says whether our profile may take the place of what the node runs. What it runs when the first entry comes
// is what will be put back.
func (p *pass) replaces(
	ctx context.Context, m *mapping.Mapping, node *remnawave.NodeState, before *mapping.Before,
) error {
	switch node.Runs.ProfileID {
	case m.ProfileID:
		return nil
	case before.ProfileID:
		if before.ProfileID != "" && !sameIDs(before.Inbounds, node.InboundIDs()) {
			before.Inbounds = node.InboundIDs()
			m.Remember(*before)
			return p.Mappings.Save(ctx, m, "before")
		}
		return nil
	case "":
		*before = mapping.Before{}
		m.Remember(*before)
		return p.Mappings.Save(ctx, m, "before")
	}
	if p.force[objectOf(kindNode, m.PanelNodeID)] {
		return nil
	}
	name := node.Runs.ProfileID
	if there := p.profile(name); there != nil {
		name = there.Name
	}
	return &Changed{p.at.Label, "node", node.Name, "runs the profile " + name + " now"}
}

// enable enables a node that the proxy panel had disabled for want of a profile. One that somebody has disabled stays
// so.
func (p *pass) enable(ctx context.Context, m *mapping.Mapping, node *remnawave.NodeState, before mapping.Before) error {
	if before.ProfileID != "" || !node.Disabled {
		return nil
	}
	for range tries {
		err := p.write(ctx, "enable the node "+node.Name, func() error { return p.at.Client.EnableNode(ctx, node.ID) })
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until the node is enabled: %w", context.Cause(ctx))
		case <-time.After(settles):
		}
		if err := p.readNode(ctx, node); err != nil {
			return err
		}
		if !node.Disabled {
			return p.seen(ctx, m, node)
		}
	}
	return &Changed{p.at.Label, "node", node.Name, "is disabled again as soon as it is enabled"}
}

func (p *pass) readNode(ctx context.Context, node *remnawave.NodeState) error {
	now, err := p.at.Client.NodeState(ctx, node.ID)
	if err == nil {
		*node = now
	}
	return p.met(err, "read the node "+node.Name)
}

// lost notes that a node is not there any more.
func (p *pass) lost(ctx context.Context, m *mapping.Mapping) error {
	if m.GoneAt == nil {
		now := p.now()
		m.GoneAt = &now
		if err := p.Mappings.Save(ctx, m, "gone_at"); err != nil {
			return err
		}
	}
	return &Missing{p.at.Label, "node", m.Name}
}

// seen notes how a node is there.
func (p *pass) seen(ctx context.Context, m *mapping.Mapping, node *remnawave.NodeState) error {
	m.Name, m.Address, m.Core, m.GoneAt, m.SeenAt = node.Name, node.Address, node.Versions.Core, nil, p.now()
	m.Connected, m.Disabled = node.Connected, node.Disabled
	return p.Mappings.Save(ctx, m, "name", "address", "core", "gone_at", "seen_at", "connected", "disabled")
}

// putBack lets a node run what it ran before, and removes our profile. A node that runs something else by now is left
// as it is; one that is gone needs nothing.
func (p *pass) putBack(ctx context.Context, m *mapping.Mapping) error {
	there, err := p.ours(ctx, m)
	if err != nil || there == nil {
		return err
	}
	if node := p.node(m.PanelNodeID); node != nil && node.Runs.ProfileID == there.ID {
		if err := p.back(ctx, m, node, there.ID); err != nil {
			return err
		}
	}
	err = p.write(ctx, "remove the profile "+there.Name, func() error { return p.at.Client.DropProfile(ctx, there.ID) })
	if err != nil {
		return err
	}
	id := there.ID
	p.profiles = slices.DeleteFunc(p.profiles, func(one remnawave.ProfileState) bool { return one.ID == id })
	return p.forget(ctx, m)
}

// back gives a node the profile that it had, with those of its inbounds that are still there, or none.
func (p *pass) back(ctx context.Context, m *mapping.Mapping, node *remnawave.NodeState, ours string) error {
	to, inbounds := ours, []string{}
	before := m.Ran()
	if was := p.profile(before.ProfileID); was != nil {
		for _, one := range was.Inbounds {
			if slices.Contains(before.Inbounds, one.ID) {
				inbounds = append(inbounds, one.ID)
			}
		}
		if len(inbounds) > 0 {
			to = was.ID
		}
	}
	for range tries {
		err := p.write(ctx, "give the node "+node.Name+" back what it ran", func() error {
			return p.at.Client.RunNode(ctx, node.ID, to, inbounds)
		})
		if err == nil {
			err = p.readNode(ctx, node)
		}
		if err != nil {
			return err
		}
		if node.Runs.ProfileID != ours && sameIDs(node.InboundIDs(), inbounds) {
			return p.seen(ctx, m, node)
		}
	}
	return &Changed{p.at.Label, "node", node.Name, "does not run again what it ran"}
}

func sameIDs(a, b []string) bool {
	one, other := slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(slices.Compact(one), slices.Compact(other))
}
