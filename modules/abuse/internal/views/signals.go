// Package views shows what agents told of abuse: signals, from where a user is connected, how well each agent sees, and
// the whole at a glance.
package views

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/modules/clients/clientsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// Views answers questions of people.
type Views struct {
	db       *database.DB
	clock    clockwork.Clock
	fleet    nodesapi.Fleet
	statuses nodesapi.Statuses
	flows    flowsapi.Flows
	served   flowsapi.ServedEntries
	clients  clientsapi.Clients
	people   proxypanelapi.People
}

// ProxyPanelServes is why nothing is seen of an entry: the node of a proxy panel serves it, and no agent of ours.
const ProxyPanelServes = "proxy_panel_serves"

// NotSeenWhole is why a listener of ours is not seen whole: its agent cannot see all sessions there.
const NotSeenWhole = "not_seen_whole"

// ServedOn gives the entries on some nodes that agents see nothing of, on all where none is named.
func (v *Views) ServedOn(ctx context.Context, nodeIDs ...string) ([]flowsapi.ServedEntry, error) {
	found, err := v.served.ServedOn(ctx, nodeIDs...)
	if err != nil {
		return nil, fmt.Errorf("read what proxy panels serve: %w", err)
	}
	return found, nil
}

// New makes the views of a panel.
func New(
	db *database.DB, fleet nodesapi.Fleet, statuses nodesapi.Statuses, flows flowsapi.Flows,
	served flowsapi.ServedEntries, clients clientsapi.Clients, people proxypanelapi.People, clock clockwork.Clock,
) *Views {
	return &Views{
		db: db, clock: clock, fleet: fleet, statuses: statuses, flows: flows, served: served, clients: clients,
		people: people,
	}
}

// Signal is one thing that a user seemed to do.
type Signal struct {
	ID         string    `json:"id" format:"uuid"`
	Kind       string    `json:"kind" enum:"torrent,port_scan,smtp_spam,brute_force,ddos_out,phishing_dest,blocked_geo,high_rate,too_many_sources"`
	UserRef    string    `json:"user_ref" doc:"c:<client id> or p:<connection>:<user id>"`
	UserLabel  string    `json:"user_label" doc:"Name of the client; empty: it is gone"`
	FlowID     string    `json:"flow_id" doc:"Empty: the agent does not know"`
	FlowName   string    `json:"flow_name"`
	NodeID     string    `json:"node_id" format:"uuid" doc:"Whose agent told"`
	NodeName   string    `json:"node_name" doc:"Empty: the node is gone"`
	InboundTag string    `json:"inbound_tag"`
	Source     Source    `json:"source"`
	Dest       Dest      `json:"dest"`
	Count      int64     `json:"count"`
	FirstAt    time.Time `json:"first_at"`
	LastAt     time.Time `json:"last_at"`
	DetectedBy string    `json:"detected_by" enum:"xray_routing,ndpi,netflow,rule" doc:"How hard the proof is"`
	Confidence float64   `json:"confidence" doc:"0 to 1"`
	Evidence   string    `json:"evidence"`
	Action     Handled   `json:"action"`
}

// Source is where the user came from.
type Source struct {
	IP         string `json:"ip" doc:"Empty: not told, or forgotten by now"`
	PrefixHash string `json:"prefix_hash"`
	ASN        int64  `json:"asn" doc:"0: unknown"`
	Country    string `json:"country"`
}

// Dest is what the user reached for.
type Dest struct {
	Host string `json:"host"`
	IP   string `json:"ip"`
	Port int    `json:"port" doc:"0: unknown"`
	ASN  int64  `json:"asn" doc:"0: unknown"`
}

// Handled says what the core did by itself.
type Handled struct {
	Blocked       bool       `json:"blocked"`
	WillUnblockAt *time.Time `json:"will_unblock_at"`
}

// SignalFilter chooses signals of a page. What is empty chooses all.
type SignalFilter struct {
	httpapi.PageQuery
	Kind, UserRef, NodeID, FlowID, DetectedBy string
	From, To                                  string // moments; From is a week before now unless it is given
	MinConfidence                             float64
	Allowed                                   bool // also those of users and networks on the allow-list
}

type signalRow struct {
	bun.BaseModel `bun:"table:abuse_signals,alias:s"`

	ID            string
	NodeID        string
	Kind          string
	UserRef       string
	FlowID        string
	InboundTag    string
	SourceIP      string `bun:"source_ip"`
	SourceHash    string
	SourceASN     int64 `bun:"source_asn"`
	SourceCountry string
	DestHost      string
	DestIP        string `bun:"dest_ip"`
	DestPort      int
	DestASN       int64 `bun:"dest_asn"`
	Count         int64
	FirstAt       time.Time
	LastAt        time.Time
	DetectedBy    string
	Confidence    float64
	Evidence      string
	Blocked       bool
	UnblockAt     *time.Time
	SortKey       string `bun:",scanonly"`
}

const signalColumns = `s.id, s.node_id, s.kind, s.user_ref, coalesce(s.flow_id::text, '') as flow_id, s.inbound_tag,
	coalesce(s.source_ip, '') as source_ip, s.source_hash, s.source_asn, s.source_country, s.dest_host,
	coalesce(s.dest_ip, '') as dest_ip, s.dest_port, s.dest_asn, s.count, s.first_at, s.last_at, s.detected_by,
	s.confidence, s.evidence, s.blocked, s.unblock_at`

var signalOrders = map[string]keyset.Order{
	"last_at":    {Expression: "s.last_at", Kind: httpapi.CursorMoment},
	"count":      {Expression: "s.count", Kind: httpapi.CursorNumber},
	"confidence": {Expression: "s.confidence", Kind: httpapi.CursorNumber},
}

const (
	usualSpan   = 7 * 24 * time.Hour
	longestSpan = 100 * 24 * time.Hour
	// clocks of the panel and of the database may differ so much
	apart = time.Hour
)

// Signals lists signals of a span of time, the newest first.
func (v *Views) Signals(ctx context.Context, f SignalFilter) (page httpapi.Page[Signal], err error) {
	k, err := keyset.New(f.PageQuery, "s.id", "-last_at", signalOrders)
	if err != nil {
		return page, err
	}
	var rows []signalRow
	q := f.chosen(v.db.In(ctx).NewSelect().Model(&rows).ColumnExpr(signalColumns), v.clock.Now())
	if err := k.Apply(q, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list signals of abuse: %w", err), nil)
	}
	total, err := f.chosen(v.db.In(ctx).NewSelect().Model((*signalRow)(nil)), v.clock.Now()).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count signals of abuse: %w", err), nil)
	}
	last := func(r *signalRow) (sortKey, id string) { return r.SortKey, r.ID }
	page = keyset.Page(k, rows, int(total), (*signalRow).shown, last)
	return page, v.nameSignals(ctx, page.Items)
}

// since is the beginning of the span that a filter chooses; nothing is kept that is older than the longest one.
func since(from string, now time.Time) time.Time {
	at, err := time.Parse(time.RFC3339, from)
	switch longest := now.Add(-longestSpan); {
	case err != nil:
		return now.Add(-usualSpan).UTC()
	case at.Before(longest):
		return longest.UTC()
	}
	return at.UTC()
}

func (f *SignalFilter) chosen(q *bun.SelectQuery, now time.Time) *bun.SelectQuery {
	from := since(f.From, now)
	// What came before cannot be about a later time; whole partitions are passed by.
	q = q.Where("s.last_at >= ? and s.stored_at >= ?", from, from.Add(-apart))
	if to, err := time.Parse(time.RFC3339, f.To); err == nil {
		q = q.Where("s.last_at <= ?", to.UTC())
	}
	for column, value := range map[string]string{
		"s.kind": f.Kind, "s.user_ref": f.UserRef, "s.detected_by": f.DetectedBy,
	} {
		if value != "" {
			q = q.Where(column+" = ?", value)
		}
	}
	for column, id := range map[string]string{"s.node_id": f.NodeID, "s.flow_id": f.FlowID} {
		switch {
		case id == "":
		case database.IsID(id):
			q = q.Where(column+" = ?", id)
		default:
			q = q.Where("false")
		}
	}
	if !f.Allowed {
		q = q.Where(`not exists (select from abuse_allowlist l where (l.until is null or l.until > ?)
			and (l.kind = 'user' and l.value = s.user_ref or l.kind = 'asn' and l.value = s.source_asn::text))`, now.UTC())
	}
	if f.MinConfidence > 0 {
		q = q.Where("s.confidence >= ?", f.MinConfidence)
	}
	return q
}

func (r *signalRow) shown() Signal {
	return Signal{
		ID: r.ID, Kind: r.Kind, UserRef: r.UserRef, FlowID: r.FlowID, NodeID: r.NodeID, InboundTag: r.InboundTag,
		Source: Source{IP: r.SourceIP, PrefixHash: r.SourceHash, ASN: r.SourceASN, Country: r.SourceCountry},
		Dest:   Dest{Host: r.DestHost, IP: r.DestIP, Port: r.DestPort, ASN: r.DestASN},
		Count:  r.Count, FirstAt: r.FirstAt.UTC(), LastAt: r.LastAt.UTC(), DetectedBy: r.DetectedBy,
		Confidence: r.Confidence, Evidence: r.Evidence, Action: Handled{r.Blocked, utc(r.UnblockAt)},
	}
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	out := at.UTC()
	return &out
}

// nameSignals says what users, flows and nodes are called, each asked once.
func (v *Views) nameSignals(ctx context.Context, all []Signal) error {
	var refs, flowIDs, nodeIDs []string
	for i := range all {
		refs, nodeIDs = append(refs, all[i].UserRef), append(nodeIDs, all[i].NodeID)
		if all[i].FlowID != "" {
			flowIDs = append(flowIDs, all[i].FlowID)
		}
	}
	users, err := v.Labels(ctx, refs...)
	if err != nil {
		return err
	}
	nodes, err := v.NodeNames(ctx, nodeIDs...)
	if err != nil {
		return err
	}
	flows, err := v.FlowNames(ctx, flowIDs...)
	if err != nil {
		return err
	}
	for i := range all {
		one := &all[i]
		one.UserLabel, one.NodeName, one.FlowName = users[one.UserRef], nodes[one.NodeID], flows[one.FlowID]
	}
	return nil
}

// Labels gives the names of users by their refs; a client that is gone has none, nor has a user of a proxy panel who is
// not known.
func (v *Views) Labels(ctx context.Context, refs ...string) (map[string]string, error) {
	ids, others := []string{}, []string{}
	for _, ref := range refs {
		if id, client := strings.CutPrefix(ref, "c:"); client {
			ids = append(ids, id)
		} else {
			others = append(others, ref)
		}
	}
	out, err := v.people.Labels(ctx, others...)
	if err != nil || len(ids) == 0 {
		return out, err
	}
	found, err := v.clients.Labels(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("name users: %w", err)
	}
	for id, label := range found {
		out["c:"+id] = label
	}
	return out, nil
}

// NodeNames gives the names of nodes.
func (v *Views) NodeNames(ctx context.Context, ids ...string) (map[string]string, error) {
	out := map[string]string{}
	if len(ids) == 0 {
		return out, nil
	}
	found, err := v.fleet.Nodes(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("name nodes: %w", err)
	}
	for _, n := range found {
		out[n.ID] = n.Name
	}
	return out, nil
}

// FlowNames gives the names of flows.
func (v *Views) FlowNames(ctx context.Context, ids ...string) (map[string]string, error) {
	if len(ids) == 0 {
		return map[string]string{}, nil
	}
	found, err := v.flows.Names(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("name flows: %w", err)
	}
	return found, nil
}
