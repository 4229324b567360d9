package figures

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"panel/platform/database"
)

// Summary is the whole fleet at one moment.
type Summary struct {
	At         time.Time      `json:"at"`
	StaleAfter int            `json:"stale_after_s" doc:"Age in seconds at which a reading is no longer counted"`
	Total      int            `json:"total"`
	States     map[string]int `json:"states"`
	Drift      int            `json:"drift" doc:"Nodes that do not serve their desired configuration"`
	Figures    Figures        `json:"figures"`
	Regions    []Region       `json:"regions" doc:"By name"`
	Agents     []Version      `json:"agents" doc:"Versions of agents, the most common first"`
	Countries  []Country      `json:"countries"`
	Tags       []Tag          `json:"tags" doc:"The 100 most common"`

	Attention      []Incident `json:"attention" doc:"Nodes that fail for one cause since about the same time; the worst and newest first, at most 50 groups"`
	AttentionNodes int        `json:"attention_nodes" doc:"Nodes of all groups, also of those that are not shown"`
}

// Region is a part of the fleet.
type Region struct {
	Region  string         `json:"region"`
	Total   int            `json:"total"`
	States  map[string]int `json:"states" doc:"Without states that no node is in"`
	Figures Figures        `json:"figures"`
	Cities  []City         `json:"cities"`

	sums sums
}

// City is a part of a region.
type City struct {
	CountryCode string         `json:"country_code"`
	City        string         `json:"city"`
	Total       int            `json:"total"`
	States      map[string]int `json:"states" doc:"Without states that no node is in"`
}

// Version counts agents.
type Version struct {
	Version string `json:"version" doc:"Empty: no agent has reported yet"`
	Nodes   int    `json:"nodes"`
}

// Country counts nodes.
type Country struct {
	Code  string `json:"code"`
	Nodes int    `json:"nodes"`
}

// Tag counts nodes.
type Tag struct {
	Tag   string `json:"tag"`
	Nodes int    `json:"nodes"`
}

// place is what the aggregate gives for each region, country, city and state.
type place struct {
	Region, Country, City, State string
	N, Drift, Measured           int
	Sessions                     *int64
	Rx, Tx, CPU                  float64
	Oldest                       *time.Time
}

// aggregate is the answer of the one statement.
type aggregate struct {
	Places    []place    `bun:",type:jsonb"`
	Agents    []Version  `bun:",type:jsonb"`
	Tags      []Tag      `bun:",type:jsonb"`
	Incidents []incident `bun:",type:jsonb"`
	Attention int
}

// Summary takes one statement at any size of the fleet, and one more of whoever knows the flows when nodes need
// attention.
func (f *Fleet) Summary(ctx context.Context) (*Summary, error) {
	now := f.now()
	var got aggregate
	if err := f.db.NewRaw(f.aggregateAt(now)).Scan(ctx, &got); err != nil {
		return nil, database.Fault(fmt.Errorf("sum up the fleet: %w", err), nil)
	}
	out := &Summary{
		At: now, StaleAfter: int(StaleAfter / time.Second), States: map[string]int{}, Agents: some(got.Agents),
		Tags: some(got.Tags), AttentionNodes: got.Attention,
	}
	for _, state := range States {
		out.States[state] = 0
	}
	out.places(got.Places)
	out.Attention = f.touching(ctx, got.Incidents)
	return out, nil
}

// places folds the parts of the fleet into the whole.
func (s *Summary) places(places []place) {
	var all sums
	countries := map[string]int{}
	regions := map[string]*Region{}
	s.Regions, s.Countries = []Region{}, []Country{}
	for i := range places {
		p := &places[i]
		s.Total, s.Drift = s.Total+p.N, s.Drift+p.Drift
		s.States[p.State] += p.N
		countries[p.Country] += p.N
		all.add(p.sums())
		if regions[p.Region] == nil {
			regions[p.Region] = &Region{Region: p.Region, States: map[string]int{}, Cities: []City{}}
		}
		regions[p.Region].add(p)
	}
	s.Figures = all.figures()
	for _, r := range regions {
		r.Figures = r.sums.figures()
		s.Regions = append(s.Regions, *r)
	}
	for code, n := range countries {
		s.Countries = append(s.Countries, Country{Code: code, Nodes: n})
	}
	slices.SortFunc(s.Regions, func(a, b Region) int { return cmp.Compare(a.Region, b.Region) })
	slices.SortFunc(s.Countries, func(a, b Country) int { return cmp.Or(b.Nodes-a.Nodes, cmp.Compare(a.Code, b.Code)) })
}

// add counts a place. Places come sorted, so that those of one city stand together.
func (r *Region) add(p *place) {
	r.Total += p.N
	r.States[p.State] += p.N
	r.sums.add(p.sums())
	last := len(r.Cities) - 1
	if last < 0 || r.Cities[last].CountryCode != p.Country || r.Cities[last].City != p.City {
		r.Cities = append(r.Cities, City{CountryCode: p.Country, City: p.City, States: map[string]int{}})
		last++
	}
	r.Cities[last].Total += p.N
	r.Cities[last].States[p.State] += p.N
}

func (p *place) sums() sums {
	return sums{Nodes: p.Measured, Sessions: p.Sessions, Rx: p.Rx, Tx: p.Tx, CPU: p.CPU, Oldest: p.Oldest}
}

// some makes an empty list of none, because the interface never shows null for a list.
func some[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
