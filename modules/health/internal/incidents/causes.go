package incidents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/place"
	"panel/platform/database"
)

// Kinds of causes that several may have in common, the likeliest first.
const (
	causeNode     = "node"
	causeProvider = "provider"
	causeTag      = "tag"
	causeCountry  = "country"
)

var causeKinds = []string{causeNode, causeProvider, causeTag, causeCountry}

func causeOf(kind, name string) string { return kind + ":" + name }

// likeliest gives the cause of several that says most.
func likeliest(causes []string) (kind, name string) {
	for _, kind := range causeKinds {
		for _, cause := range causes {
			if name, found := strings.CutPrefix(cause, kind+":"); found {
				return kind, name
			}
		}
	}
	return "", ""
}

// fleet is what is known of all nodes: what they may have in common.
type fleet struct {
	nodes  map[string]place.Layers
	counts map[string]int // by cause
}

func (i *Incidents) fleet(ctx context.Context) (*fleet, error) {
	var rows []struct {
		SubjectID string
		Layers    place.Layers `bun:",type:jsonb"`
	}
	err := i.db.In(ctx).NewRaw("select subject_id, layers from health_states where kind = ?", healthapi.Node).Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read what nodes have in common: %w", err), nil)
	}
	f := &fleet{nodes: map[string]place.Layers{}, counts: map[string]int{}}
	for _, row := range rows {
		f.nodes[row.SubjectID] = row.Layers
		for _, cause := range shared(row.Layers) {
			f.counts[cause]++
		}
	}
	return f, nil
}

// shared is what a node may have in common with others.
func shared(l place.Layers) (causes []string) {
	if l.Provider != "" {
		causes = append(causes, causeOf(causeProvider, l.Provider))
	}
	for _, tag := range l.Tags {
		causes = append(causes, causeOf(causeTag, tag))
	}
	const nobodyKnows = "XX"
	if l.Country != "" && l.Country != nobodyKnows {
		causes = append(causes, causeOf(causeCountry, l.Country))
	}
	return causes
}

// causes are what may be the matter with a subject: its nodes, and what these share with others. A tag or a country of
// more than half of all nodes says nothing.
func (f *fleet) causes(s *Subject) (causes []string) {
	for _, id := range s.onNodes() {
		causes = append(causes, causeOf(causeNode, id))
		for _, cause := range shared(f.nodes[id]) {
			if strings.HasPrefix(cause, causeProvider) || 2*f.counts[cause] <= len(f.nodes) {
				causes = append(causes, cause)
			}
		}
	}
	slices.Sort(causes)
	return slices.Compact(causes)
}

// common are the causes that two have in common.
func common(a, b []string) (both []string) {
	for _, cause := range a {
		if slices.Contains(b, cause) {
			both = append(both, cause)
		}
	}
	return both
}

// regional says whether those who see something down are all in one country, at least two, and those elsewhere see it:
// it is blocked there.
func (f *fleet) regional(seen []Seen) bool {
	downs, country, ups := 0, "", map[string]bool{}
	for _, one := range seen {
		at := f.nodes[one.Vantage].Country
		switch {
		case one.State == healthapi.Up:
			ups[at] = true
		case one.State == healthapi.Down && (at == "" || at == "XX" || country != "" && at != country):
			return false
		case one.State == healthapi.Down:
			downs, country = downs+1, at
		}
	}
	return downs > 1 && len(ups) > 0 && !ups[country]
}
