package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
)

// FetchChanges asks the panel for what has changed on a list of clients.
type FetchChanges func(ctx context.Context, flowID string, from agentapi.ListPosition) (agentapi.ClientChanges, error)

// ByChanges says whether the lists of the node come by their changes: then Clients has nothing to say any more.
func (s *Supervisor) ByChanges() bool {
	_, err := os.Stat(filepath.Join(s.dir, dirLists, fileSkew))
	return err == nil
}

// Lists is Clients for lists that come by their changes. Skew is what the panel's clock says more than this one, by
// which the times of clients end. What was fetched is on the disk and in force also where the rest fails.
func (s *Supervisor) Lists(
	ctx context.Context, wanted agentapi.ClientLists, skew time.Duration, fetch FetchChanges,
) error {
	s.listing.Lock()
	defer s.listing.Unlock()
	moved, err := s.keepSkew(skew)
	if err != nil {
		return err
	}
	var changes []agentapi.ClientChanges
	var problems []error
	for _, ref := range wanted.Flows {
		some, err := s.bring(ctx, ref, fetch)
		changes, problems = append(changes, some...), append(problems, err)
	}
	s.dropLists(wanted)
	switch {
	case moved, slices.ContainsFunc(changes, func(c agentapi.ClientChanges) bool { return c.Fresh }):
		problems = append(problems, s.followAll(ctx, nil))
	case len(changes) > 0:
		problems = append(problems, s.followAll(ctx, changes))
	}
	return errors.Join(problems...)
}

// keepSkew says whether it has changed, or is the first.
func (s *Supervisor) keepSkew(skew time.Duration) (moved bool, err error) {
	if err := os.MkdirAll(filepath.Join(s.dir, dirLists), dirAccess); err != nil {
		return false, fmt.Errorf("make the folder of lists: %w", err)
	}
	var before time.Duration
	path := filepath.Join(s.dir, dirLists, fileSkew)
	if found, err := disk.ReadJSON(path, &before); err == nil && found && before == skew {
		return false, nil
	}
	return true, disk.WriteJSON(path, skew)
}

// bring fetches what has changed on a list until it is not behind the wanted revision.
func (s *Supervisor) bring(
	ctx context.Context, ref agentapi.ListRef, fetch FetchChanges,
) (changes []agentapi.ClientChanges, err error) {
	log, err := s.logOf(ref.FlowID)
	if err != nil {
		return nil, err
	}
	var fresh *listLog // a list from its beginning takes the place of the one before when it is whole
	for at := log.at; at.Epoch != ref.Epoch || at.Since < ref.Revision || at.After != ""; {
		next, err := fetch(ctx, ref.FlowID, at)
		if err == nil {
			err = next.Check()
		}
		if err != nil {
			return changes, fmt.Errorf("fetch the clients of flow %s: %w", ref.FlowID, err)
		}
		next.FlowID, next.From, at = ref.FlowID, at, next.To
		if next.Fresh {
			fresh = &listLog{path: log.path}
		}
		switch {
		case fresh == nil:
			err = log.add(&next)
			changes = append(changes, next)
		case next.More:
			fresh.take(&next)
		default:
			fresh.take(&next)
			err = fresh.rewrite()
			s.logs[ref.FlowID], log, fresh = fresh, fresh, nil
			changes = append(changes, agentapi.ClientChanges{FlowID: ref.FlowID, Fresh: true, To: next.To})
		}
		if err != nil {
			delete(s.logs, ref.FlowID) // what lies on the disk counts
			return changes, err
		}
		if next.To == next.From && !next.More {
			return changes, fmt.Errorf("fetch the clients of flow %s: the panel gives revision %d and wants %d",
				ref.FlowID, next.To.Since, ref.Revision)
		}
	}
	return changes, nil
}

func (s *Supervisor) logOf(flowID string) (*listLog, error) {
	if log := s.logs[flowID]; log != nil {
		return log, nil
	}
	log, err := readLog(logPath(s.dir, flowID))
	if err != nil {
		return nil, err
	}
	s.logs[flowID] = log
	return log, nil
}

// dropLists removes lists that nobody wants and the serving configuration does not refer to.
func (s *Supervisor) dropLists(wanted agentapi.ClientLists) {
	s.mu.Lock()
	served := listedIn(s.spec.Core)
	s.mu.Unlock()
	paths, _ := filepath.Glob(filepath.Join(s.dir, dirLists, "*"+logEnding))
	for _, path := range paths {
		flowID := strings.TrimSuffix(filepath.Base(path), logEnding)
		if slices.ContainsFunc(wanted.Flows, func(f agentapi.ListRef) bool { return f.FlowID == flowID }) ||
			slices.ContainsFunc(served, func(in listed) bool { return in.FlowID == flowID }) {
			continue
		}
		delete(s.logs, flowID)
		if err := os.Remove(path); err != nil {
			s.log.Warn("a list of clients cannot be removed", zap.Error(err))
		}
	}
}

// writeWhole writes all lists whole.
func (s *Supervisor) writeWhole() error {
	stored, err := readLists(s.dir)
	if err != nil {
		return err
	}
	var all agentapi.Clients
	for flowID, clients := range stored.lists {
		flow := agentapi.FlowClients{FlowID: flowID, Revision: stored.at[flowID].Since}
		for _, client := range clients {
			flow.Clients = append(flow.Clients, client)
		}
		all.Flows = append(all.Flows, flow)
	}
	if err := disk.WriteJSON(filepath.Join(s.dir, fileClients), all); err != nil {
		return fmt.Errorf("keep the clients: %w", err)
	}
	return nil
}
