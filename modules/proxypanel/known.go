package proxypanel

import (
	"context"
	"time"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
	"panel/platform/httpapi"
)

// What is known of the objects of a proxy panel: as it was last read, and never a credential.

// Known is what all kinds have.
type Known struct {
	ID     string     `json:"id" format:"uuid" doc:"As there"`
	Name   string     `json:"name"`
	SeenAt time.Time  `json:"seen_at" doc:"When this was first seen as it is"`
	GoneAt *time.Time `json:"gone_at" doc:"null: there"`
}

// Node is one of the proxy panel's.
type Node struct {
	Known
	remnawave.NodeFields
}

// Profile is a configuration of the proxy panel; of the configuration itself only its sum is kept.
type Profile struct {
	Known
	remnawave.ProfileFields
}

// Inbound is what users come in by; its name is its tag.
type Inbound struct {
	Known
	ProfileID string `json:"profile_id"`
	remnawave.InboundFields
}

// Host is what users are shown of an inbound; its name is its remark.
type Host struct {
	Known
	InboundID *string `json:"inbound_id" doc:"null: its inbound is gone"`
	remnawave.HostFields
}

// Squad is a group of users, who may use its inbounds.
type Squad struct {
	Known
	remnawave.SquadFields
}

func knownOf(o *shadow.Object) Known {
	return Known{ID: o.ExternalID, Name: o.Name, SeenAt: o.SeenAt.UTC(), GoneAt: utc(o.GoneAt)}
}

// fieldsOf are what was stored of an object; what an earlier version has stored has zeros for what it did not know.
func fieldsOf[T any](o *shadow.Object) (fields T) {
	_ = o.Into(&fields)
	return fields
}

// KnownQuery chooses what a list of known objects holds.
type KnownQuery struct {
	ConnectionPath
	httpapi.PageQuery
	Search string `query:"search" maxLength:"100" doc:"Part of the name"`
	Gone   bool   `query:"gone" doc:"List those that are gone instead"`
}

func (in *KnownQuery) filter() shadow.Filter {
	return shadow.Filter{ConnectionID: in.ID, Search: in.Search, Gone: in.Gone}
}

type usersInput struct {
	KnownQuery
	Status string `query:"status" enum:"ACTIVE,DISABLED,LIMITED,EXPIRED"`
}

// pageOf lists the objects of a kind. Fault: not_found (404) for a connection that there is not.
func pageOf[T any](
	ctx context.Context, h *handlers, kind string, in *KnownQuery, shown func(*shadow.Object) T,
) (*body[httpapi.Page[T]], error) {
	if _, err := h.connections.store.get(ctx, in.ID); err != nil {
		return nil, err
	}
	page, err := shadow.Page(ctx, h.lists, kind, in.filter(), in.PageQuery, shown)
	return &body[httpapi.Page[T]]{page}, err
}

func (h *handlers) listNodes(ctx context.Context, in *KnownQuery) (*body[httpapi.Page[Node]], error) {
	return pageOf(ctx, h, remnawave.KindNode, in, func(o *shadow.Object) Node {
		node := Node{knownOf(o), fieldsOf[remnawave.NodeFields](o)}
		node.ActiveInbounds, node.Tags = list(node.ActiveInbounds), list(node.Tags)
		return node
	})
}

func (h *handlers) listProfiles(ctx context.Context, in *KnownQuery) (*body[httpapi.Page[Profile]], error) {
	return pageOf(ctx, h, remnawave.KindProfile, in, func(o *shadow.Object) Profile {
		profile := Profile{knownOf(o), fieldsOf[remnawave.ProfileFields](o)}
		profile.Inbounds, profile.Nodes = list(profile.Inbounds), list(profile.Nodes)
		return profile
	})
}

func (h *handlers) listInbounds(ctx context.Context, in *KnownQuery) (*body[httpapi.Page[Inbound]], error) {
	return pageOf(ctx, h, remnawave.KindInbound, in, func(o *shadow.Object) Inbound {
		inbound := Inbound{knownOf(o), "", fieldsOf[remnawave.InboundFields](o)}
		if o.ParentID != nil {
			inbound.ProfileID = *o.ParentID
		}
		inbound.Squads = list(inbound.Squads)
		return inbound
	})
}

func (h *handlers) listHosts(ctx context.Context, in *KnownQuery) (*body[httpapi.Page[Host]], error) {
	return pageOf(ctx, h, remnawave.KindHost, in, func(o *shadow.Object) Host {
		host := Host{knownOf(o), o.ParentID, fieldsOf[remnawave.HostFields](o)}
		host.Nodes, host.Tags = list(host.Nodes), list(host.Tags)
		return host
	})
}

func (h *handlers) listSquads(ctx context.Context, in *KnownQuery) (*body[httpapi.Page[Squad]], error) {
	return pageOf(ctx, h, remnawave.KindSquad, in, func(o *shadow.Object) Squad {
		squad := Squad{knownOf(o), fieldsOf[remnawave.SquadFields](o)}
		squad.Inbounds = list(squad.Inbounds)
		return squad
	})
}

func (h *handlers) listUsers(ctx context.Context, in *usersInput) (*body[httpapi.Page[shadow.ListedUser]], error) {
	if _, err := h.connections.store.get(ctx, in.ID); err != nil {
		return nil, err
	}
	filter := in.filter()
	filter.Status = in.Status
	page, err := h.lists.Users(ctx, filter, in.PageQuery)
	return &body[httpapi.Page[shadow.ListedUser]]{page}, err
}

// list is never null.
func list(given []string) []string {
	if given == nil {
		return []string{}
	}
	return given
}
