package simulate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"panel/platform/agentapi"
)

// hold fetches the documents that the panel has newer revisions of and says so at once, as an agent does that applies
// them.
func (s *simulated) hold(ctx context.Context, wanted []agentapi.DocumentRef) {
	s.fetching.Lock()
	defer s.fetching.Unlock()
	fetched := false
	for _, ref := range wanted {
		if !slices.Contains(documents, ref.Name) || s.holds(ref) {
			continue
		}
		document, err := s.client.Document(ctx, ref.Name)
		if err == nil && ref.Name == agentapi.DocumentClientLists {
			err = s.holdLists(ctx, document.Content)
		}
		if err != nil {
			s.totals.Failures.Add(1)
			continue
		}
		s.mu.Lock()
		s.held[ref.Name] = agentapi.DocumentStatus{
			Name: ref.Name, Revision: document.Revision, Hash: document.Hash,
		}
		s.mu.Unlock()
		s.totals.Documents.Add(1)
		fetched = true
	}
	if !fetched {
		return
	}
	if _, err := s.client.Heartbeat(ctx, s.report()); err != nil {
		s.totals.HeartbeatFailures.Add(1)
	}
}

// documents are those that a simulated agent can hold.
var documents = []agentapi.DocumentName{
	agentapi.DocumentCertificates, agentapi.DocumentClientLists, agentapi.DocumentAbuse, agentapi.DocumentBlocks,
}

// holdLists asks for what has changed on lists of clients, as an agent does, and keeps how far each is.
func (s *simulated) holdLists(ctx context.Context, content json.RawMessage) error {
	var wanted agentapi.ClientLists
	if err := json.Unmarshal(content, &wanted); err != nil {
		return fmt.Errorf("read the lists of clients: %w", err)
	}
	for _, ref := range wanted.Flows {
		at := s.lists[ref.FlowID]
		for at.Epoch != ref.Epoch || at.Since < ref.Revision || at.After != "" {
			changes, err := s.client.ClientChanges(ctx, ref.FlowID, at)
			if err == nil {
				err = changes.Check()
			}
			if err != nil {
				return err
			}
			at = changes.To
			s.lists[ref.FlowID] = at
			s.totals.Clients.Add(int64(len(changes.Clients) + len(changes.Gone)))
		}
	}
	return nil
}

func (s *simulated) holds(ref agentapi.DocumentRef) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[ref.Name].Revision >= ref.Revision
}

// holding are the documents of a heartbeat. The lock is held.
func (s *simulated) holding() []agentapi.DocumentStatus {
	all := make([]agentapi.DocumentStatus, 0, len(documents))
	for _, name := range documents {
		status := s.held[name]
		status.Name = name
		all = append(all, status)
	}
	return all
}
