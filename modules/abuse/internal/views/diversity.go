package views

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/abuse/internal/intake"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// Diversity is from where a user was connected. What several nodes saw at once is not added up, because one source may
// be connected to several of them: the most that one node saw counts, so the truth is that or more.
type Diversity struct {
	UserRef       string            `json:"user_ref"`
	UserLabel     string            `json:"user_label" doc:"Name of the client; empty: it is gone"`
	From          time.Time         `json:"from"`
	To            time.Time         `json:"to"`
	StepSeconds   int               `json:"step_s" doc:"Length of a window"`
	MaxSources    int64             `json:"max_sources" doc:"Most in a window, with a /24 or /64 counted once"`
	MaxConcurrent int64             `json:"max_concurrent" doc:"Most sources at the same time"`
	Countries     []string          `json:"countries"`
	Networks      []Network         `json:"networks" doc:"That are known, the longest seen first; at most 64"`
	Windows       []DiversityWindow `json:"windows" doc:"Oldest first; one in which nothing was seen is missing"`
	Unseen        []Unseen          `json:"unseen" doc:"Listeners of these nodes whose sessions their agents do not all see: what is shown may be less than there was"`
}

// DiversityWindow is what was seen in one window.
type DiversityWindow struct {
	At            time.Time `json:"at"`
	IPs           int64     `json:"ips"`
	Sources       int64     `json:"sources"`
	MaxConcurrent int64     `json:"max_concurrent"`
	MobileShare   float64   `json:"mobile_share"`
	Devices       *int64    `json:"devices" doc:"null: unknown"`
	ASNs          []int64   `json:"asns"`
	Countries     []string  `json:"countries"`
	NodeIDs       []string  `json:"node_ids"`
}

// Network is one network that a user was connected from.
type Network struct {
	ASN      int64     `json:"asn" doc:"0: unknown"`
	Name     string    `json:"name"`
	Kind     string    `json:"kind" enum:",home,mobile,hosting,vpn" doc:"Empty: unknown"`
	NAT      bool      `json:"nat" doc:"A carrier puts many customers behind one address"`
	Country  string    `json:"country"`
	City     string    `json:"city"`
	Prefixes int       `json:"prefixes" doc:"Different /24 and /64, as salted hashes tell them apart"`
	FirstAt  time.Time `json:"first_at"`
	LastAt   time.Time `json:"last_at"`
}

// Unseen is a listener whose sessions an agent does not all see.
type Unseen struct {
	NodeID     string `json:"node_id" format:"uuid"`
	NodeName   string `json:"node_name"`
	InboundTag string `json:"inbound_tag"`
	Source     string `json:"source" enum:",stats_api,access_log,proxy_protocol" doc:"How the agent sees them; empty: it does not"`
	Reason     string `json:"reason" enum:"not_seen_whole,proxy_panel_serves" doc:"proxy_panel_serves: the node of a proxy panel has it, and no agent of ours"`
}

// MostHours is the longest span of a Diversity.
const MostHours = 168

const (
	mostRows     = 50_000
	mostNetworks = 64
)

// step is the length of a window, so that there are at most some hundred.
func step(hours int) time.Duration {
	const day, threeDays = 24, 72
	switch {
	case hours <= day:
		return 5 * time.Minute
	case hours <= threeDays:
		return 15 * time.Minute
	}
	return time.Hour
}

type diversityRow struct {
	NodeID        string
	At            time.Time
	IPs           int64 `bun:"ips"`
	Sources       int64
	MobileShare   float64
	MaxConcurrent int64
	Devices       *int64
	Lists         json.RawMessage
}

// User gives from where a user was connected in the last hours. Fault: not_found (404) for a user that is not there and
// of whom nothing was told.
func (v *Views) User(ctx context.Context, userRef string, hours int) (Diversity, error) {
	to := v.clock.Now().UTC()
	out := Diversity{
		UserRef: userRef, From: to.Add(-time.Duration(hours) * time.Hour), To: to,
		StepSeconds: int(step(hours).Seconds()), Countries: []string{}, Networks: []Network{},
		Windows: []DiversityWindow{}, Unseen: []Unseen{},
	}
	var rows []diversityRow
	err := v.db.In(ctx).NewRaw(`select node_id, date_bin(?4 * interval '1 second', to_at - interval '1 microsecond',
				timestamptz '2000-01-03 00:00:00+00') as at,
			ips, sources, mobile_share, max_concurrent, devices, coalesce(lists, '{}') as lists
		from abuse_diversity where user_ref = ?0 and to_at > ?1 and to_at <= ?2 and stored_at >= ?3
		order by to_at, node_id limit ?5`,
		userRef, out.From, out.To, out.From.Add(-apart), out.StepSeconds, mostRows).Scan(ctx, &rows)
	if err != nil {
		return out, database.Fault(fmt.Errorf("read from where a user was connected: %w", err), nil)
	}
	labels, err := v.Labels(ctx, userRef)
	if err != nil {
		return out, err
	}
	label, known := labels[userRef]
	if !known && len(rows) == 0 {
		return out, fault.Missing("nothing is known of this user")
	}
	out.UserLabel = label
	nodes := out.fold(rows)
	out.Unseen, err = v.unseen(ctx, nodes)
	return out, err
}

// fold puts rows into windows and gives the nodes that told of the user.
func (d *Diversity) fold(rows []diversityRow) (nodeIDs []string) {
	networks := map[networkKey]*seenNetwork{}
	for _, row := range rows {
		var lists intake.Lists
		_ = json.Unmarshal(row.Lists, &lists) // written by this panel
		if n := len(d.Windows); n == 0 || !d.Windows[n-1].At.Equal(row.At) {
			d.Windows = append(d.Windows, DiversityWindow{
				At: row.At.UTC(), ASNs: []int64{}, Countries: []string{}, NodeIDs: []string{},
			})
		}
		d.Windows[len(d.Windows)-1].take(row, lists)
		d.MaxSources, d.MaxConcurrent = max(d.MaxSources, row.Sources), max(d.MaxConcurrent, row.MaxConcurrent)
		d.Countries, nodeIDs = union(d.Countries, lists.Countries...), union(nodeIDs, row.NodeID)
		for _, n := range lists.Networks {
			d.Countries = union(d.Countries, countriesOf(n)...)
			at := networkKey{n.ASN, n.Country, n.City}
			if networks[at] == nil {
				networks[at] = &seenNetwork{prefixes: map[string]bool{}}
			}
			networks[at].take(n)
		}
	}
	slices.Sort(d.Countries)
	for _, seen := range networks {
		d.Networks = append(d.Networks, seen.network())
	}
	slices.SortFunc(d.Networks, func(a, b Network) int {
		return cmp.Or(cmp.Compare(b.LastAt.Sub(b.FirstAt), a.LastAt.Sub(a.FirstAt)), cmp.Compare(a.ASN, b.ASN),
			cmp.Compare(a.Country+a.City, b.Country+b.City))
	})
	d.Networks = d.Networks[:min(len(d.Networks), mostNetworks)]
	return nodeIDs
}

func countriesOf(n agentapi.UserNetwork) []string {
	if n.Country == "" {
		return nil
	}
	return []string{n.Country}
}

func (w *DiversityWindow) take(row diversityRow, lists intake.Lists) {
	if row.Sources >= w.Sources { // the share of mobile networks goes with the sources that it is of
		w.MobileShare = row.MobileShare
	}
	w.IPs, w.Sources = max(w.IPs, row.IPs), max(w.Sources, row.Sources)
	w.MaxConcurrent = max(w.MaxConcurrent, row.MaxConcurrent)
	if row.Devices != nil && (w.Devices == nil || *w.Devices < *row.Devices) {
		w.Devices = row.Devices
	}
	w.ASNs, w.Countries = union(w.ASNs, lists.ASNs...), union(w.Countries, lists.Countries...)
	w.NodeIDs = union(w.NodeIDs, row.NodeID)
}

// union adds what is not there yet.
func union[T comparable](all []T, more ...T) []T {
	for _, one := range more {
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}

// networkKey tells networks apart: a company may run one number in many countries.
type networkKey struct {
	asn           int64
	country, city string
}

type seenNetwork struct {
	last     agentapi.UserNetwork
	first    time.Time
	prefixes map[string]bool
}

func (s *seenNetwork) take(n agentapi.UserNetwork) {
	if s.first.IsZero() || n.FirstAt.Before(s.first) {
		s.first = n.FirstAt
	}
	if !n.LastAt.Before(s.last.LastAt) {
		s.last = n
	}
	for _, one := range n.Prefixes {
		s.prefixes[one] = true
	}
}

func (s *seenNetwork) network() Network {
	return Network{
		ASN: s.last.ASN, Name: s.last.Name, Kind: string(s.last.Kind), NAT: s.last.NAT, Country: s.last.Country,
		City: s.last.City, Prefixes: len(s.prefixes), FirstAt: s.first.UTC(), LastAt: s.last.LastAt.UTC(),
	}
}

// unseen are the listeners of nodes whose sessions their agents do not all see.
func (v *Views) unseen(ctx context.Context, nodeIDs []string) ([]Unseen, error) {
	out := []Unseen{}
	if len(nodeIDs) == 0 {
		return out, nil
	}
	err := v.db.In(ctx).NewRaw(`select node_id, inbound_tag, source, 'not_seen_whole' as reason from abuse_coverage
		where node_id = any(?::uuid[]) and not complete order by node_id, inbound_tag limit ?`,
		pgdialect.Array(nodeIDs), mostNetworks).Scan(ctx, &out)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read what agents do not see: %w", err), nil)
	}
	elsewhere, err := v.ServedOn(ctx, nodeIDs...)
	if err != nil {
		return nil, err
	}
	for _, e := range elsewhere[:min(len(elsewhere), max(0, mostNetworks-len(out)))] {
		out = append(out, Unseen{NodeID: e.NodeID, InboundTag: e.Tag, Reason: ProxyPanelServes})
	}
	names, err := v.NodeNames(ctx, nodeIDs...)
	for i := range out {
		out[i].NodeName = names[out[i].NodeID]
	}
	return out, err
}
