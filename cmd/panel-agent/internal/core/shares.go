package core

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
)

const opLimits = "limits"

// fileShares lies beside the folders of the core processes, like fileClients.
const fileShares = "shares.json"

// quotas are the shares of clients with a quota, and what the cores were told of them.
type quotas struct {
	shares map[string]agentapi.Share
	untold map[string]bool             // clients whose count the panel asks for
	left   map[string]int64            // bytes that each may carry on, at the last reading
	told   map[string]map[string]int64 // the limits of each core
	count  func(context.Context) error // has the cores read
}

func openQuotas(dir string, log *zap.Logger) *quotas {
	q := &quotas{
		shares: map[string]agentapi.Share{}, untold: map[string]bool{}, left: map[string]int64{},
		told: map[string]map[string]int64{},
	}
	if _, err := disk.ReadJSON(filepath.Join(dir, fileShares), &q.shares); err != nil {
		log.Warn("the shares on the disk cannot be read; the panel brings them anew", zap.Error(err))
		q.shares = map[string]agentapi.Share{}
	}
	for id, share := range q.shares {
		q.left[id] = share.Limit - share.Counted
	}
	return q
}

// OnShares takes who reads the cores and says by Allow what clients may carry on; it is called when shares change.
func (s *Supervisor) OnShares(count func(context.Context) error) { s.quotas.count = count }

// Shares makes the node keep to shares of quotas, beside those that it had. It returns when the cores keep to them.
func (s *Supervisor) Shares(ctx context.Context, changed agentapi.Shares) error {
	s.mu.Lock()
	next := maps.Clone(s.quotas.shares)
	s.mu.Unlock()
	for _, share := range changed.Clients {
		if next[share.ClientID] = share; share.NoQuota {
			delete(next, share.ClientID)
		}
	}
	if err := disk.WriteJSON(filepath.Join(s.dir, fileShares), next); err != nil {
		return fmt.Errorf("keep the shares: %w", err)
	}
	s.mu.Lock()
	s.quotas.shares = next
	for _, share := range changed.Clients {
		s.quotas.untold[share.ClientID] = true
	}
	s.mu.Unlock()
	if s.quotas.count == nil {
		return nil
	}
	return s.quotas.count(ctx)
}

// Limited gives the shares that are in force, and whose counts the panel has to be told whether they carry or not.
func (s *Supervisor) Limited() (shares map[string]agentapi.Share, untold map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.quotas.shares, maps.Clone(s.quotas.untold)
}

// Told says that these counts are on their way to the panel.
func (s *Supervisor) Told(clients map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range clients {
		delete(s.quotas.untold, id)
	}
}

// Allow has each core let clients carry so many bytes beyond what it had counted at a reading. While several cores
// live, each may use all that is left until the next reading.
func (s *Supervisor) Allow(ctx context.Context, left map[string]int64, counts map[string]Count) error {
	s.mu.Lock()
	s.quotas.left = left
	s.mu.Unlock()
	living, problems := s.living(), []error{}
	for id, inst := range living {
		if count, read := counts[id]; read {
			problems = append(problems, s.allow(ctx, inst, limitsOf(left, count.Values)))
		}
	}
	s.mu.Lock()
	maps.DeleteFunc(s.quotas.told, func(id string, _ map[string]int64) bool { return living[id] == nil })
	s.mu.Unlock()
	return errors.Join(problems...)
}

// limitsOf are limits by the counters of one core.
func limitsOf(left, counters map[string]int64) map[string]int64 {
	limits := maps.Clone(left)
	for name, value := range counters {
		email, isUser := userOfCounter(name)
		if !isUser {
			continue
		}
		if _, clientID := agentapi.ClientOfEmail(email); clientID != "" {
			if _, limited := left[clientID]; limited {
				limits[clientID] += value
			}
		}
	}
	return limits
}

// allow tells a core what has changed in its limits since it was told last.
func (s *Supervisor) allow(ctx context.Context, inst *instance, limits map[string]int64) error {
	s.mu.Lock()
	told, known := s.quotas.told[inst.ID]
	s.mu.Unlock()
	change := &limitsRequest{All: !known, Limits: map[string]int64{}}
	for id, limit := range limits {
		if before, had := told[id]; !had || before != limit {
			change.Limits[id] = limit
		}
	}
	for id := range told {
		if _, has := limits[id]; !has {
			change.Gone = append(change.Gone, id)
		}
	}
	if known && len(change.Limits)+len(change.Gone) == 0 {
		return nil
	}
	answer, err := ask(ctx, inst.dir, request{Op: opLimits, Limits: change})
	select {
	case <-inst.died: // whoever starts next reads its limits
		return nil
	default:
	}
	switch {
	case err == nil && answer.Limits != nil && answer.Limits.Error != "":
		err = errors.New(answer.Limits.Error)
	case err == nil && answer.Limits == nil: // one of an older agent, or one that does not serve yet
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		delete(s.quotas.told, inst.ID)
		return fmt.Errorf("tell a core what clients may carry: %w", err)
	}
	s.quotas.told[inst.ID] = limits
	return nil
}

// writeLimits leaves to a core that starts what clients may carry.
func (s *Supervisor) writeLimits(inst *instance) error {
	s.mu.Lock()
	left := s.quotas.left
	s.mu.Unlock()
	if len(left) == 0 {
		return nil
	}
	return disk.WriteJSON(filepath.Join(inst.dir, fileLimits), left)
}

// readLimits are those with which a core starts. Nothing was limited where they cannot be read; the agent says them
// again at its next reading.
func readLimits(dir string) map[string]int64 {
	limits := map[string]int64{}
	if _, err := disk.ReadJSON(filepath.Join(dir, fileLimits), &limits); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return nil
	}
	return limits
}

// countAgain is for a core that begins to serve: it started with what was left at the last reading.
func (s *Supervisor) countAgain() {
	s.mu.Lock()
	count, limited := s.quotas.count, len(s.quotas.shares) > 0
	s.mu.Unlock()
	if count == nil || !limited {
		return
	}
	if err := count(context.Background()); err != nil {
		s.log.Warn("a core could not be told what clients may carry", zap.Error(err))
	}
}

// userOfCounter gives the email that a counter of a user is for.
func userOfCounter(name string) (email string, isUser bool) {
	rest, isUser := strings.CutPrefix(name, "user>>>")
	email, _, found := strings.Cut(rest, ">>>traffic>>>")
	return email, isUser && found
}
