package core

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
)

const opClients = "clients"

// Clients makes the node hold these clients, and every core let in whom they name: the serving one, and those that
// drain, where everybody else's streams end. A core that starts reads them before it listens. The list of a flow that
// the serving configuration refers to stays also when it is not named, so that a core that restarts can serve it.
func (s *Supervisor) Clients(ctx context.Context, wanted agentapi.Clients) error {
	s.listing.Lock()
	defer s.listing.Unlock()
	next, err := s.withServedLists(wanted)
	if err != nil {
		return err
	}
	if err := disk.WriteJSON(filepath.Join(s.dir, fileClients), next); err != nil {
		return fmt.Errorf("keep the clients: %w", err)
	}
	return s.followAll(ctx, nil)
}

// followAll has all cores follow the lists, all of them or some changes.
func (s *Supervisor) followAll(ctx context.Context, changes []agentapi.ClientChanges) error {
	behind, problems := false, []error{}
	for _, inst := range s.living() {
		late, err := s.follow(ctx, inst, changes)
		problems = append(problems, err)
		behind = behind || late
	}
	if behind {
		problems = append(problems, s.Restart(ctx))
	}
	return errors.Join(problems...)
}

// withServedLists adds the lists that the serving configuration refers to and that nobody names.
func (s *Supervisor) withServedLists(wanted agentapi.Clients) (agentapi.Clients, error) {
	s.mu.Lock()
	raw := s.spec.Core
	s.mu.Unlock()
	var stored agentapi.Clients
	if _, err := disk.ReadJSON(filepath.Join(s.dir, fileClients), &stored); err != nil {
		s.log.Warn("the clients on the disk cannot be read and are written anew", zap.Error(err))
		stored = agentapi.Clients{}
	}
	next := agentapi.Clients{Flows: slices.Clone(wanted.Flows)}
	for _, in := range listedIn(raw) {
		of := func(f agentapi.FlowClients) bool { return f.FlowID == in.FlowID }
		if at := slices.IndexFunc(stored.Flows, of); at >= 0 && !slices.ContainsFunc(next.Flows, of) {
			next.Flows = append(next.Flows, stored.Flows[at])
		}
	}
	return next, nil
}

// follow has one core follow the lists. It says whether that core serves and only another one would let in everybody.
func (s *Supervisor) follow(
	ctx context.Context, inst *instance, changes []agentapi.ClientChanges,
) (behind bool, err error) {
	answer, err := ask(ctx, inst.dir, request{Op: opClients, Changes: changes})
	if err == nil && answer.Clients != nil && !answer.Clients.Logs {
		if err = s.writeWhole(); err == nil { // a core of an older agent reads whole lists alone
			answer, err = ask(ctx, inst.dir, request{Op: opClients})
		}
	}
	select {
	case <-inst.died: // whoever starts next reads the lists
		return false, nil
	default:
	}
	switch {
	case err != nil:
		return false, fmt.Errorf("tell a core of its clients: %w", err)
	case answer.Clients == nil: // one of an older agent: no list belongs to what it serves
		return false, nil
	case answer.Clients.Error != "":
		return false, fmt.Errorf("tell a core of its clients: %s", answer.Clients.Error)
	}
	return answer.Clients.Behind, nil
}

// followAgain is for a core that begins to serve while the lists change.
func (s *Supervisor) followAgain(inst *instance) {
	behind, err := s.follow(context.Background(), inst, nil)
	if err == nil && behind {
		err = s.Restart(context.Background())
	}
	if err != nil {
		s.log.Warn("a core could not be told of its clients", zap.String("core", inst.ID), zap.Error(err))
	}
}

// Restart replaces the serving core by a fresh one with the same configuration; nothing happens when none is wanted.
func (s *Supervisor) Restart(ctx context.Context) error {
	s.swap.Lock()
	defer s.swap.Unlock()
	s.mu.Lock()
	spec := s.spec
	s.mu.Unlock()
	if spec.Core == nil {
		return nil
	}
	return s.swapTo(ctx, spec)
}
