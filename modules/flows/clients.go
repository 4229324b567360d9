package flows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"panel/modules/clients/clientsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

// clientHook is what clients ask of flows. It is clientsapi.Flows.
type clientHook struct{ s *service }

// Names gives the names of those of the flows that are there.
func (h clientHook) Names(ctx context.Context, ids ...string) (map[string]string, error) {
	return h.s.store.names(ctx, ids...)
}

// Find gives the ids of flows by their names or ids.
func (h clientHook) Find(ctx context.Context, named ...string) (map[string]string, error) {
	return h.s.store.named(ctx, named...)
}

// Changed locks a flow and writes what happened to one of its clients.
func (h clientHook) Changed(ctx context.Context, flowID, change, label string) error {
	err := h.s.change(ctx, flowID, change, func(context.Context, *flowRow) (map[string]audit.Change, error) {
		if change == clientsapi.FlowClientsImported {
			return map[string]audit.Change{"clients": {To: label}}, nil
		}
		return map[string]audit.Change{"client": {To: label}}, nil
	})
	if errors.Is(unknown(err), flowsapi.ErrUnknown) {
		return clientsapi.ErrUnknown
	}
	return err
}

// errNotInstalled says that there is nothing yet that a link could match.
func notInstalled(field, message string) error {
	return fault.Invalid("invalid_value", "there is no installed configuration that a link could match").
		Field(field, "not_installed", message)
}

// servedElsewhere says that a flow has no entry for clients of its own.
func servedElsewhere(field string) error {
	return fault.Invalid("invalid_value", "a proxy panel serves this entry to its own users, and hands out their links").
		Field(field, "panel_serves", "users get their links from the proxy panel")
}

// connectionLink issues a client's link from the installed revision; issuing is recorded in the journal.
func (s *service) connectionLink(ctx context.Context, flowID, clientID string) (ConnectionLink, error) {
	f, err := s.store.flow(ctx, flowID)
	if err != nil {
		return ConnectionLink{}, err
	}
	c, err := s.linkable(ctx, f, clientID)
	if err != nil {
		return ConnectionLink{}, err
	}
	connections, err := s.connections(ctx, f, *c)
	if err != nil {
		return ConnectionLink{}, err
	}
	if len(connections) == 0 {
		if drawn, err := s.store.installedGraph(ctx, f); err != nil || len(plan.Entries(drawn)) == 0 {
			return ConnectionLink{}, cmp.Or(err, servedElsewhere("id"))
		}
		return ConnectionLink{}, notInstalled("client_id",
			"no installed entry lets this client in yet; wait a moment, or apply the flow")
	}
	first := connections[0]
	err = s.change(ctx, flowID, "flow.link_issued", func(context.Context, *flowRow) (map[string]audit.Change, error) {
		return map[string]audit.Change{"client": {To: c.Label}}, nil
	})
	return ConnectionLink{
		URI: first.URI(), Format: first.Form(), Conf: first.Conf(), Revision: *f.InstalledRevision,
		ClientID: c.ClientID,
	}, err
}

// linkable is a client that may use the flow, the oldest when none is named.
func (s *service) linkable(ctx context.Context, f *flowRow, clientID string) (*clientsapi.Credentials, error) {
	if f.InstalledRevision == nil || !f.Enabled {
		return nil, notInstalled("id", "apply the flow first")
	}
	found, err := s.clients.Credentials(ctx, f.ID, clientID)
	if err != nil {
		return nil, fmt.Errorf("read a client of a flow: %w", err)
	}
	if len(found) == 0 {
		return nil, fault.InvalidValue("client_id", "there is no such client of this flow")
	}
	return &found[0], nil
}

// linked is what the connections of one client to one flow are made of.
type linked struct {
	flow    *flowRow
	graph   graph.Graph              // installed
	parts   map[string]plan.Fragment // installed, by node
	keys    map[string]string        // that the drawing names
	client  clientsapi.Credentials
	holding []string // nodes whose agents let the client in
}

// connections gives what a client needs for each installed entry that knows it.
func (s *service) connections(
	ctx context.Context, f *flowRow, c clientsapi.Credentials,
) ([]flowsapi.Connection, error) {
	version, err := s.store.version(ctx, f.ID, *f.InstalledVersionID)
	if err != nil {
		return nil, err
	}
	l := linked{flow: f, graph: version.Graph, client: c}
	if l.parts, err = s.store.installed(ctx, f.ID); err != nil {
		return nil, err
	}
	if l.holding, err = s.clients.Holding(ctx, f.ID, c.ClientID); err != nil {
		return nil, fmt.Errorf("read which nodes let a client in: %w", err)
	}
	if l.keys, err = s.store.keys(ctx, f.ID, version.Graph, nil); err != nil {
		return nil, err
	}
	out, _, err := s.link(ctx, l)
	return out, err
}

// link makes the connections. Untold says that one names an address that was not noted when it was installed.
func (s *service) link(ctx context.Context, l linked) (out []flowsapi.Connection, untold bool, err error) {
	root, err := s.store.root(l.flow)
	if err != nil {
		return nil, false, err
	}
	entries := plan.Entries(l.graph)
	for _, entry := range entries {
		if !lets(l.parts[entry.NodeID], l.holding, l.client) {
			continue
		}
		host, noted := notedHost(l.flow, entry)
		if !noted {
			untold = true
			if host, err = s.hostOf(ctx, l.flow, entry); err != nil {
				return nil, false, err
			}
		}
		name := l.flow.Name + " " + l.client.Label
		if len(entries) > 1 {
			name += ", " + cmp.Or(entry.Title, entry.Key)
		}
		out = append(out, plan.Connect(plan.Access{
			FlowID:  l.flow.ID,
			Root:    root,
			Block:   entry.Key,
			Listen:  withSecret(*entry.Params.Listener, l.keys),
			Host:    host,
			Client:  compiledClient(l.client),
			Name:    name,
			Refused: plan.Refused(l.graph, entry.Key),
		}))
	}
	return out, untold, nil
}

// lets says whether the installed part of a node lets a client in.
func lets(part plan.Fragment, holding []string, c clientsapi.Credentials) bool {
	if part.Listed {
		return slices.Contains(holding, part.NodeID)
	}
	return slices.Contains(part.Clients, c.Ref)
}

// notedHost is what clients dial: what was installed, so that links change with the installed version alone.
func notedHost(f *flowRow, entry graph.Node) (host string, noted bool) {
	for _, h := range f.InstalledHosts {
		if h.Block == entry.Key && h.NodeID == entry.NodeID {
			return h.Host, true
		}
	}
	return "", false
}

// hostOf is what clients dial where an older panel has installed the version and has not noted it: the host name of the
// binding, else the node's address.
func (s *service) hostOf(ctx context.Context, f *flowRow, entry graph.Node) (string, error) {
	if entry.NodeDomainID != "" {
		found, err := s.nodes.ByIDs(ctx, entry.NodeDomainID)
		if err != nil {
			return "", fmt.Errorf("look up a domain binding: %w", err)
		}
		if d := found[entry.NodeDomainID]; d.OwnerID == f.OwnerID {
			return d.Hostname, nil
		}
	}
	n, err := s.nodes.Node(ctx, entry.NodeID)
	return n.Address, err
}

// ByToken gives the installed connections of whoever holds the token, over all flows of the client. An unknown and a
// revoked token are told apart by nothing; a client that is not active has no connections.
func (s *service) ByToken(ctx context.Context, token string) (flowsapi.Subscriber, error) {
	found, err := s.clients.Subscriber(ctx, token)
	if errors.Is(err, clientsapi.ErrUnknown) {
		return flowsapi.Subscriber{}, flowsapi.ErrUnknown
	}
	if err != nil {
		return flowsapi.Subscriber{}, fmt.Errorf("look up a subscription: %w", err)
	}
	held := flowsapi.Subscriber{
		Name: found.Label, Address: s.nodes.publicURL + "/s/" + token, State: subscriberState(found.State),
		Usage: &flowsapi.Usage{Up: found.Up, Down: found.Down, Total: found.Quota, Lasts: found.LastsDays},
	}
	if found.ExpiresAt != nil {
		held.Usage.Expires = *found.ExpiresAt
	}
	ctx = access.With(ctx, access.Caller{Kind: access.System})
	return held, s.subscribed(ctx, &held, found)
}

// subscribed adds the connections to all flows of a client, by as many statements for fifty flows as for one.
func (s *service) subscribed(ctx context.Context, held *flowsapi.Subscriber, found clientsapi.Subscriber) error {
	flows, err := s.store.linkedFlows(ctx, found.FlowIDs)
	if err != nil {
		return err
	}
	if len(found.FlowIDs) == 1 && len(flows) == 1 {
		held.Name = flows[found.FlowIDs[0]].flow.Name
	}
	for _, use := range found.Uses {
		l := flows[use.FlowID]
		if l == nil || l.flow.InstalledVersionID == nil || !l.flow.Enabled {
			continue
		}
		l.client, l.holding = use.Credentials, use.Holding
		more, untold, err := s.link(ctx, *l)
		if err != nil {
			return err
		}
		held.Connections, held.Untold = append(held.Connections, more...), held.Untold || untold
	}
	return nil
}

// subscriberState is how a subscription tells the state of its client; one that somebody has disabled has no
// connections, and nobody is told why.
func subscriberState(of string) string {
	switch of {
	case clientsapi.Expired:
		return flowsapi.Expired
	case clientsapi.Spent:
		return flowsapi.Spent
	}
	return flowsapi.Active
}

// keepVersion takes the draft as a version of its own, for example before an older one is loaded into it.
func (s *service) keepVersion(ctx context.Context, flowID, reason, note string) (Version, error) {
	var made *versionRow
	err := s.change(
		ctx,
		flowID,
		"flow.version_kept",
		func(ctx context.Context, f *flowRow) (map[string]audit.Change, error) {
			made = &versionRow{
				ID:        database.NewID(),
				FlowID:    f.ID,
				Revision:  f.DraftRevision,
				Reason:    reason,
				Note:      note,
				Graph:     f.Graph,
				Bypassed:  []BypassCheck{},
				CreatedAt: s.now(),
				CreatedBy: access.From(ctx).Username,
			}
			if err := s.store.insertVersion(ctx, made); err != nil {
				return nil, err
			}
			return map[string]audit.Change{"version": {To: made.Number}}, s.store.pruneVersions(ctx, f.ID, s.now())
		},
	)
	if err != nil {
		return Version{}, err
	}
	return shownVersion(*made, nil), nil
}

func shownVersion(v versionRow, f *flowRow) Version {
	out := Version{
		ID:             v.ID,
		Number:         v.Number,
		CreatedAt:      v.CreatedAt,
		CreatedBy:      v.CreatedBy,
		Reason:         v.Reason,
		Note:           v.Note,
		Pinned:         v.Pinned,
		PlanHash:       v.PlanHash,
		Revision:       v.Revision,
		Applied:        v.Applied,
		BypassedChecks: orEmpty(v.Bypassed),
		ApplyID:        v.ApplyID,
	}
	out.Installed = f != nil && f.Enabled && deref(f.InstalledVersionID) == v.ID
	return out
}

// activeClients counts the clients that may use a flow.
func (s *service) activeClients(ctx context.Context, flowID string) (n int, err error) {
	clients, err := s.clients.OfFlow(ctx, flowID, everyClient)
	if err != nil {
		return 0, fmt.Errorf("count the clients of a flow: %w", err)
	}
	for _, c := range clients {
		if c.State == clientsapi.Active {
			n++
		}
	}
	return n, nil
}

// VersionPath names a version of a flow.
type VersionPath struct {
	FlowPath
	VersionID string `path:"version_id"`
}

type versionPatchInput struct {
	VersionPath
	Body versionPatchBody
}

type versionPatchBody struct {
	Note   *string `json:"note,omitempty" maxLength:"500"`
	Pinned *bool   `json:"pinned,omitempty" doc:"Keep it for good"`
}

type versionCreateInput struct {
	FlowPath
	Body versionCreateBody
}

type versionCreateBody struct {
	Note   string `json:"note,omitempty" maxLength:"500"`
	Reason string `json:"reason,omitempty" enum:"manual,import"`
}
