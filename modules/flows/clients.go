package flows

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
	"panel/platform/names"
)

const (
	clientInstalled = "exists (select from flow_fragments g where g.flow_id = c.flow_id and c.id::text = any(g.client_ids))"
	clientState     = "case when c.revoked_at is not null then 'revoked' when " + clientInstalled +
		" then 'installed' else 'waiting' end"
)

// clientOrders have clients that wait for an apply before those that work, and revoked ones last.
var clientOrders = map[string]keyset.Order{
	"created_at": {Expression: "c.created_at", Kind: httpapi.CursorMoment},
	"label":      {Expression: clientName, Kind: httpapi.CursorText},
	"state": {
		Expression: "(case " + clientState + " when 'waiting' then '0' when 'installed' then '1' else '2' end) || " +
			clientName,
		Kind: httpapi.CursorText,
	},
}

// listedClient is a client and its place in the list.
type listedClient struct {
	shownClient
	SortKey string
}

// listClients has the oldest client first.
func (s *service) listClients(ctx context.Context, in *clientsInput) (httpapi.Page[Client], error) {
	none := httpapi.Page[Client]{}
	k, err := keyset.New(in.PageQuery, "c.id", "created_at", clientOrders)
	if err != nil {
		return none, err
	}
	if _, err := s.store.flow(ctx, in.ID); err != nil {
		return none, err
	}
	var rows []listedClient
	query := in.filter(s.db.In(ctx).NewSelect()).ColumnExpr("c.id, c.label, c.created_at, c.revoked_at").
		ColumnExpr("c.public_hash is not null as public").ColumnExpr(clientInstalled + " as installed")
	if err := k.Apply(query, nil).Scan(ctx, &rows); err != nil {
		return none, database.Fault(err, nil)
	}
	total, err := in.filter(s.db.In(ctx).NewSelect()).Count(ctx)
	if err != nil {
		return none, database.Fault(err, nil)
	}
	return keyset.Page(k, rows, int(total),
		func(row *listedClient) Client { return row.shown() },
		func(row *listedClient) (string, string) { return row.SortKey, row.ID }), nil
}

func (in *clientsInput) filter(q *bun.SelectQuery) *bun.SelectQuery {
	q = q.TableExpr("flow_clients as c").Where("c.flow_id = ?", in.ID)
	if in.Q != "" {
		q = q.Where("strpos("+clientName+", ?) > 0", names.SearchKey(in.Q))
	}
	if in.State != "" {
		q = q.Where(clientState+" = ?", in.State)
	}
	return q
}

// addClient makes a client with a secret of its own; it can connect after the next apply.
func (s *service) addClient(ctx context.Context, flowID, label string) (Client, error) {
	var made *clientRow
	err := s.change(
		ctx,
		flowID,
		"flow.client_added",
		func(ctx context.Context, f *flowRow) (map[string]audit.Change, error) {
			row, err := s.insertClient(ctx, f.ID, label)
			made = row
			return map[string]audit.Change{"client": {To: label}}, err
		},
	)
	if err != nil {
		return Client{}, err
	}
	return shownClient{
		ID:        made.ID,
		Label:     made.Label,
		Public:    made.PublicHash != nil,
		CreatedAt: made.CreatedAt,
	}.shown(), nil
}

// revokeClient ends a client's links and subscription at once; nodes forget its secret at the next apply.
func (s *service) revokeClient(ctx context.Context, flowID, id string) error {
	return s.changeClient(ctx, flowID, id, "flow.client_revoked", func(c *clientRow) {
		now := s.now()
		c.RevokedAt, c.PublicHash, c.PublicIssuedAt = &now, nil, nil
	})
}

func (s *service) changeClient(ctx context.Context, flowID, id, word string, do func(c *clientRow)) error {
	return s.change(ctx, flowID, word, func(ctx context.Context, f *flowRow) (map[string]audit.Change, error) {
		c, err := s.store.client(ctx, f.ID, id)
		if err != nil {
			return nil, err
		}
		if c.RevokedAt != nil {
			return nil, fault.Missing("this client was revoked")
		}
		do(c)
		return map[string]audit.Change{"client": {To: c.Label}}, s.store.updateClient(ctx, c)
	})
}

// issuePublicLink makes the address of a client's subscription; an earlier one ends. Only its hash is kept.
func (s *service) issuePublicLink(ctx context.Context, flowID, id string) (PublicLink, error) {
	token, now := rand.Text(), s.now()
	err := s.changeClient(ctx, flowID, id, "flow.public_link_issued", func(c *clientRow) {
		c.PublicHash, c.PublicIssuedAt = hashToken(token), &now
	})
	return PublicLink{URL: s.subscriptionAddress(token), CreatedAt: now}, err
}

func (s *service) subscriptionAddress(token string) string { return s.nodes.publicURL + "/s/" + token }

func (s *service) revokePublicLink(ctx context.Context, flowID, id string) error {
	return s.changeClient(
		ctx,
		flowID,
		id,
		"flow.public_link_revoked",
		func(c *clientRow) { c.PublicHash, c.PublicIssuedAt = nil, nil },
	)
}

func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// errNotInstalled says that there is nothing yet that a link could match.
func notInstalled(field, message string) error {
	return fault.Invalid("invalid_value", "there is no installed configuration that a link could match").
		Field(field, "not_installed", message)
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
		return ConnectionLink{}, notInstalled("client_id",
			"no installed entry serves this client; apply the flow first")
	}
	first := connections[0]
	err = s.change(ctx, flowID, "flow.link_issued", func(context.Context, *flowRow) (map[string]audit.Change, error) {
		return map[string]audit.Change{"client": {To: c.Label}}, nil
	})
	return ConnectionLink{URI: first.URI(), Format: first.Form(), Revision: *f.InstalledRevision, ClientID: c.ID}, err
}

func (s *service) linkable(ctx context.Context, f *flowRow, clientID string) (*clientRow, error) {
	if f.InstalledRevision == nil || !f.Enabled {
		return nil, notInstalled("id", "apply the flow first")
	}
	rows, err := s.store.clients(ctx, f.ID)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(
		rows,
		func(c clientRow) bool { return c.RevokedAt == nil && (clientID == "" || c.ID == clientID) },
	)
	if at < 0 {
		return nil, fault.InvalidValue("client_id", "there is no such client of this flow")
	}
	return &rows[at], nil
}

// connections gives what a client needs for each installed entry that knows it.
func (s *service) connections(ctx context.Context, f *flowRow, c clientRow) ([]flowsapi.Connection, error) {
	version, err := s.store.version(ctx, f.ID, *f.InstalledVersionID)
	if err != nil {
		return nil, err
	}
	installed, err := s.store.installed(ctx, f.ID)
	if err != nil {
		return nil, err
	}
	root, err := s.store.root(f)
	if err != nil {
		return nil, err
	}
	opened, err := s.opened(c)
	if err != nil {
		return nil, err
	}
	var out []flowsapi.Connection
	entries := plan.Entries(version.Graph)
	for _, entry := range entries {
		if !slices.Contains(installed[entry.NodeID].Clients, c.ID) {
			continue
		}
		host, err := s.hostOf(ctx, f, entry)
		if err != nil {
			return nil, err
		}
		name := f.Name + " " + c.Label
		if len(entries) > 1 {
			name += ", " + cmp.Or(entry.Title, entry.Key)
		}
		out = append(out, plan.Connect(plan.Access{
			FlowID:  f.ID,
			Root:    root,
			Block:   entry.Key,
			Listen:  *entry.Params.Listener,
			Host:    host,
			Client:  opened,
			Name:    name,
			Refused: plan.Refused(version.Graph, entry.Key),
		}))
	}
	return out, nil
}

// hostOf is what clients dial: what was installed, so that links change with the installed version alone. A version
// that an older panel installed has not noted it; then it is the host name of the binding, else the node's address.
func (s *service) hostOf(ctx context.Context, f *flowRow, entry graph.Node) (string, error) {
	for _, h := range f.InstalledHosts {
		if h.Block == entry.Key && h.NodeID == entry.NodeID {
			return h.Host, nil
		}
	}
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

// ByToken gives the installed connections of whoever holds the token. An unknown and a revoked token are told apart by
// nothing.
func (s *service) ByToken(ctx context.Context, token string) (flowsapi.Subscriber, error) {
	none := flowsapi.Subscriber{}
	c, err := s.store.clientByPublicHash(ctx, hashToken(token))
	if err != nil {
		return none, unknown(err)
	}
	f, err := s.store.flow(ctx, c.FlowID)
	if err != nil {
		return none, unknown(err)
	}
	held := flowsapi.Subscriber{Name: f.Name, Address: s.subscriptionAddress(token), State: flowsapi.Active}
	if f.InstalledVersionID == nil || !f.Enabled {
		return held, nil
	}
	held.Connections, err = s.connections(access.With(ctx, access.Caller{Kind: access.System}), f, *c)
	return held, err
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

// FoundClient is a client of any flow, as a search by name finds it.
type FoundClient struct {
	ID        string `json:"id"`
	Label     string `json:"label"`
	FlowID    string `json:"flow_id"`
	FlowName  string `json:"flow_name"`
	Installed bool   `json:"installed" doc:"Part of the installed revision, so that it has a link"`
}

type findClientsInput struct {
	Q     string `query:"q" required:"true" minLength:"1" maxLength:"100" doc:"Part of the name"`
	Limit int    `query:"limit" minimum:"1" maximum:"50" default:"10"`
}

// FoundClients are those whose names begin with the text first, then the others.
type FoundClients struct {
	Items []FoundClient `json:"items"`
}

// findClients looks for clients of all flows by a part of their name; revoked ones are not found.
func (s *service) findClients(ctx context.Context, in *findClientsInput) (FoundClients, error) {
	found, q := FoundClients{Items: []FoundClient{}}, names.SearchKey(in.Q)
	err := s.db.In(ctx).NewSelect().TableExpr("flow_clients as c").Join("join flows as f on f.id = c.flow_id").
		ColumnExpr("c.id, c.label, c.flow_id, f.name as flow_name").
		ColumnExpr(`exists (select from flow_fragments as g
			where g.flow_id = f.id and c.id::text = any(g.client_ids)) as installed`).
		Where("not f.deleting and c.revoked_at is null and strpos("+clientName+", ?) > 0", q).
		OrderExpr("strpos("+clientName+", ?), "+clientName+", c.id", q).Limit(int64(in.Limit)).Scan(ctx, &found.Items)
	return found, database.Fault(err, nil)
}
