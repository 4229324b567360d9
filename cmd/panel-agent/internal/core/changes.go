package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/core/listlog"
	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
)

// Lists that come by their changes lie in a folder beside those of the core processes. A core that starts reads them.
const (
	dirLists   = "lists"
	fileSkew   = "skew.json" // what the panel's clock says more than this one, in nanoseconds
	mostAtOnce = 1000        // clients whose changes a core is told; for more it reads all lists
)

// MostSkew is what a change of the clock must be more than to matter for the ends of times.
const MostSkew = 2 * time.Second

// FetchChanges asks the panel for what has changed on a list of clients.
type FetchChanges func(ctx context.Context, flowID string, from agentapi.ListPosition) (agentapi.ClientChanges, error)

// ByChanges says whether the lists of the node come by their changes: then Clients has nothing to say any more.
func (s *Supervisor) ByChanges() bool {
	_, err := os.Stat(filepath.Join(s.dir, dirLists, fileSkew))
	return err == nil
}

// Lists is Clients for lists that come by their changes. Skew is what the panel's clock says more than this one, by
// which the times of clients end. What was fetched is on the disk before any core is told, and counts from then on:
// cores that were not told of it, because the agent was killed, are told at its next call.
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
	if moved || !s.told || !few(changes) {
		changes = nil
	} else if len(changes) == 0 {
		return errors.Join(problems...)
	}
	s.told = false
	err = s.followAll(ctx, changes)
	s.told = err == nil
	return errors.Join(append(problems, err)...)
}

// few says whether cores are better told of changes than have them read all lists.
func few(changes []agentapi.ClientChanges) bool {
	clients := 0
	for i := range changes {
		if changes[i].Fresh {
			return false
		}
		clients += len(changes[i].Clients) + len(changes[i].Gone)
	}
	return clients <= mostAtOnce
}

// keepSkew says whether it has changed, or is the first.
func (s *Supervisor) keepSkew(skew time.Duration) (moved bool, err error) {
	if err := os.MkdirAll(filepath.Join(s.dir, dirLists), 0o700); err != nil {
		return false, fmt.Errorf("make the folder of lists: %w", err)
	}
	var before time.Duration
	path := filepath.Join(s.dir, dirLists, fileSkew)
	if found, err := disk.ReadJSON(path, &before); err == nil && found && (before-skew).Abs() < MostSkew {
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
	var fresh *listlog.Log // a list from its beginning takes the place of the one before when it is whole
	for at := log.At; at.Epoch != ref.Epoch || at.Since < ref.Revision || at.After != ""; {
		next, err := fetch(ctx, ref.FlowID, at)
		if err == nil {
			err = next.Check()
		}
		if err != nil {
			return changes, fmt.Errorf("fetch the clients of flow %s: %w", ref.FlowID, err)
		}
		next.FlowID, next.From, at = ref.FlowID, at, next.To
		if next.Fresh {
			fresh = listlog.Fresh(s.listsDir(), ref.FlowID)
		}
		switch {
		case fresh == nil:
			err = log.Add(&next)
			changes = append(changes, next)
		case next.More:
			fresh.Take(&next)
		default:
			fresh.Take(&next)
			err = fresh.Replace()
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

func (s *Supervisor) listsDir() string { return filepath.Join(s.dir, dirLists) }

func (s *Supervisor) logOf(flowID string) (*listlog.Log, error) {
	if log := s.logs[flowID]; log != nil {
		return log, nil
	}
	log, err := listlog.Read(s.listsDir(), flowID)
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
	for _, flowID := range listlog.Flows(s.listsDir()) {
		if slices.ContainsFunc(wanted.Flows, func(f agentapi.ListRef) bool { return f.FlowID == flowID }) ||
			slices.ContainsFunc(served, func(in listed) bool { return in.FlowID == flowID }) {
			continue
		}
		delete(s.logs, flowID)
		if err := os.Remove(listlog.Path(s.listsDir(), flowID)); err != nil {
			s.log.Warn("a list of clients cannot be removed", zap.Error(err))
		}
	}
}

// writeWhole writes all lists whole, for a core that reads no others.
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

// readLogs adds the lists of a folder that come by their changes to those that come whole, with how far they are.
func (l lists) readLogs(dir string) (at map[string]agentapi.ListPosition, skew time.Duration, err error) {
	at, dir = map[string]agentapi.ListPosition{}, filepath.Join(dir, dirLists)
	if _, err = disk.ReadJSON(filepath.Join(dir, fileSkew), &skew); err != nil {
		return nil, 0, err
	}
	for _, flowID := range listlog.Flows(dir) {
		log, err := listlog.Read(dir, flowID)
		if err != nil {
			return nil, 0, err
		}
		for id, client := range log.Clients {
			log.Clients[id] = byClock(client, skew)
		}
		l[flowID], at[flowID] = log.Clients, log.At
	}
	return at, skew, nil
}

// byClock gives a client with the end of its time as a clock says it that the panel's is ahead of by so much.
func byClock(client agentapi.Client, skew time.Duration) agentapi.Client {
	if !client.Expires.IsZero() {
		client.Expires = client.Expires.Add(-skew)
	}
	return client
}
