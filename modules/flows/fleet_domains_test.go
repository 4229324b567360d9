package flows_test

import (
	"context"
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

func (f *fleet) Add(_ string, answer func(ctx context.Context, nodeID string) ([]string, error)) {
	f.holds = answer
}

func (f *fleet) Flows(answer func(ctx context.Context, groups [][]string, names int) ([]nodesapi.Related, error)) {
	f.related = answer
}
