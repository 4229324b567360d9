package flows_test

import (
	"context"
	"maps"
	"slices"
	"time"

	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
)

func (f *fleet) ByIDs(_ context.Context, ids ...string) (map[string]domainsapi.Domain, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := map[string]domainsapi.Domain{}
	for _, id := range ids {
		if d, known := f.domains[id]; known {
			found[id] = d
		}
	}
	return found, nil
}

func (f *fleet) Newest(_ context.Context, nodeIDs ...string) (map[string]nodesapi.Reading, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := map[string]nodesapi.Reading{}
	for _, id := range nodeIDs {
		if r, known := f.carried[id]; known {
			found[id] = r
		}
	}
	return found, nil
}

// Sessions answers with what was measured, whenever it was.
func (f *fleet) Sessions(_ context.Context, from, to time.Time, nodeIDs ...string) (nodesapi.Course, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	course := nodesapi.Course{Step: 15 * time.Second, Points: map[string][]nodesapi.Point{}}
	for _, id := range nodeIDs {
		for _, p := range f.sessions[id] {
			if !p.At.Before(from) && p.At.Before(to) {
				course.Points[id] = append(course.Points[id], p)
			}
		}
	}
	return course, nil
}

func (f *fleet) ByHostnames(context.Context, ...string) (map[string]domainsapi.Domain, error) {
	return map[string]domainsapi.Domain{}, nil
}

func (f *fleet) All(context.Context, string, int) ([]domainsapi.Domain, error) { return nil, nil }

func (f *fleet) SetUses(context.Context, string, ...string) error { return nil }

func (f *fleet) OnNode(_ context.Context, nodeID string) (found []domainsapi.Domain, _ error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range f.domains {
		if d.NodeID == nodeID {
			found = append(found, d)
		}
	}
	return found, nil
}

func (f *fleet) Move(_ context.Context, nodeID string, ids ...string) error {
	f.bind(ids, func(d *domainsapi.Domain) { d.MovingTo = nodeID })
	return nil
}

func (f *fleet) Arrive(_ context.Context, to map[string]string) error {
	f.bind(slices.Collect(maps.Keys(to)), func(d *domainsapi.Domain) {
		if d.MovingTo == to[d.ID] {
			d.NodeID, d.MovingTo, d.MovedFrom = d.MovingTo, "", d.NodeID
		}
	})
	return nil
}

func (f *fleet) Settle(_ context.Context, named map[string][]string) error {
	f.bind(slices.Collect(maps.Keys(named)), func(d *domainsapi.Domain) {
		if !slices.Contains(named[d.ID], d.MovingTo) {
			d.MovingTo = ""
		}
		if !slices.Contains(named[d.ID], d.MovedFrom) {
			d.MovedFrom = ""
		}
	})
	return nil
}

// bind changes bindings.
func (f *fleet) bind(ids []string, change func(d *domainsapi.Domain)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range ids {
		if d, known := f.domains[id]; known {
			change(&d)
			f.domains[id] = d
		}
	}
}

func (f *fleet) Add(_ string, answer func(ctx context.Context, nodeID string) ([]string, error)) {
	f.holds = answer
}

func (f *fleet) Flows(answer func(ctx context.Context, groups [][]string, names int) ([]nodesapi.Related, error)) {
	f.related = answer
}
