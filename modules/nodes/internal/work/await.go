package work

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"panel/modules/nodes/nodesapi"
)

// signal collects the commands that have ended since its owner last read: with their results where they came to this
// panel, and by their ids where another one has them.
type signal struct {
	wake  chan struct{} // holds at most one ring
	got   []nodesapi.Result
	ended []string
}

// Await waits until all have ended or the context ends. It asks the database for what has ended, not for everything
// again.
func (c *Commands) Await(ctx context.Context, ids ...string) ([]nodesapi.Result, error) {
	s := c.expect(ids)
	defer c.giveUp(s, ids)
	got, orders := make(map[string]nodesapi.Result, len(ids)), len(distinct(ids))
	for unread := ids; ; unread = c.next(ctx, s, got, ids) {
		if len(unread) > 0 {
			found, err := c.Results(ctx, unread...)
			if err != nil {
				return nil, err
			}
			maps.Copy(got, found)
		}
		if len(got) == orders {
			return inOrder(got, ids), nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("waiting for agents: %w", ctx.Err())
		}
	}
}

// distinct leaves out what is named again: one order may be asked for twice.
func distinct(ids []string) []string { return slices.Compact(slices.Sorted(slices.Values(ids))) }

func inOrder(got map[string]nodesapi.Result, ids []string) []nodesapi.Result {
	results := make([]nodesapi.Result, len(ids))
	for i, id := range ids {
		results[i] = got[id]
	}
	return results
}

// next takes what has ended and gives what must be read; after a while that is everything that is missing.
func (c *Commands) next(ctx context.Context, s *signal, got map[string]nodesapi.Result, ids []string) []string {
	select {
	case <-ctx.Done():
		return nil
	case <-c.clock.After(readAgain):
		return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { _, have := got[id]; return have })
	case <-s.wake:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, result := range s.got {
		got[result.ID] = result
	}
	ended := s.ended
	s.got, s.ended = nil, nil
	return ended
}

func (c *Commands) expect(ids []string) *signal {
	s := &signal{wake: make(chan struct{}, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		c.waiters[id] = append(c.waiters[id], s)
	}
	return s
}

func (c *Commands) giveUp(s *signal, ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		c.waiters[id] = slices.DeleteFunc(c.waiters[id], func(other *signal) bool { return other == s })
		if len(c.waiters[id]) == 0 {
			delete(c.waiters, id)
		}
	}
}
