package flows

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/clients/clientsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/readiness"
	"panel/modules/flows/internal/relays"
	"panel/modules/flows/internal/stages"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/owners"
)

// service is the rules of flows; it knows no HTTP.
type service struct {
	db      *database.DB
	store   *store
	nodes   *nodes
	journal audit.Journal
	bus     *events.Bus
	clock   clockwork.Clock
	log     *zap.Logger
	holders owners.Accounts
	stages  *stages.Registry
	checker *readiness.Checker
	hooks   *hooks
	clients clientsapi.Clients
	results *plan.Memo
	license entitlement.Source

	compilations atomic.Int64 // of drawings, on this panel
	unwell       unwell

	// Each makes the next step of a process due, in the transaction of the context; the runner sets them.
	wakeApply, wakeChecks, wakeFollowup func(ctx context.Context, id string) error
}

// keptNodes bounds the results of compilations that are kept in memory, by the nodes that they have.
const keptNodes = 4500

func newService(
	db *database.DB,
	s *store,
	n *nodes,
	j audit.Journal,
	b *events.Bus,
	c clockwork.Clock,
	log *zap.Logger,
	a owners.Accounts,
	r *stages.Registry,
	h *hooks,
	people clientsapi.Clients,
	license *entitlement.Shared,
) *service {
	made := &service{
		db: db, store: s, nodes: n, journal: j, bus: b, clock: c, log: log, holders: a, stages: r, hooks: h,
		clients: people, results: plan.NewMemo(keptNodes), license: license,
	}
	made.checker = readiness.New(db, n, c, log, made.showChecked)
	return made
}

func (s *service) now() time.Time { return s.clock.Now().UTC().Truncate(time.Microsecond) }

func (s *service) record(ctx context.Context, action string, f *flowRow, changes map[string]audit.Change) error {
	entry := audit.Entry{Action: action, Object: audit.Object{Type: "flow", ID: f.ID, Name: f.Name}, Changes: changes}
	if err := s.journal.Record(ctx, s.db.In(ctx), entry); err != nil {
		return fmt.Errorf("record %s: %w", action, err)
	}
	return nil
}

// edit changes a locked flow and gives what the journal says about it.
type edit func(ctx context.Context, f *flowRow) (map[string]audit.Change, error)

// change locks a flow, changes it, writes the journal and emits an event of the same name, in one transaction.
func (s *service) change(ctx context.Context, id, kind string, do edit) error {
	return s.changeAfter(ctx, id, kind, func(context.Context) error { return nil }, do)
}

// changeAfter is change with something that must be locked before the flow.
func (s *service) changeAfter(
	ctx context.Context,
	id, kind string,
	first func(ctx context.Context) error,
	do edit,
) error {
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		if err := first(ctx); err != nil {
			return err
		}
		f, err := s.store.locked(ctx, id)
		if err != nil {
			return err
		}
		changes, err := do(ctx, f)
		if err != nil {
			return err
		}
		return s.changed(ctx, kind, f, changes)
	})
	return database.Fault(err, constraints)
}

// changed writes a change into the journal and emits the event of the same name, in the transaction of the change.
func (s *service) changed(ctx context.Context, kind string, f *flowRow, changes map[string]audit.Change) error {
	if err := s.record(ctx, kind, f, changes); err != nil {
		return err
	}
	return s.emit(ctx, kind, f.ID, flowsapi.Changed{Name: f.Name})
}

// create makes a flow with one client. Faults: name_taken (409), invalid_value (422).
func (s *service) create(ctx context.Context, name, description string, tags []string, g graph.Graph) (string, error) {
	return s.createWith(ctx, name, description, tags, g, func(ctx context.Context, id string) error {
		if err := s.clients.Add(ctx, id, "Default"); err != nil {
			return fmt.Errorf("add the first client of a flow: %w", err)
		}
		return nil
	})
}

// createWith makes a flow, and its clients in the same transaction.
func (s *service) createWith(
	ctx context.Context, name, description string, tags []string, g graph.Graph,
	people func(ctx context.Context, flowID string) error,
) (string, error) {
	caller, now := access.From(ctx), s.now()
	g, keys, err := withoutKeys(g)
	if err != nil {
		return "", err
	}
	f := &flowRow{
		ID:             database.NewID(),
		Description:    description,
		Tags:           tagsOf(tags),
		OwnerID:        caller.AccountID,
		Enabled:        true,
		Graph:          g,
		DraftRevision:  1,
		DraftUpdatedAt: now,
		DraftUpdatedBy: caller.Username,
		Revision:       1,
		InstalledHosts: []plan.Host{},
		CreatedAt:      now,
		UpdatedAt:      now,
	}
	f.named(name)
	if len(f.Name) < 3 {
		return "", fault.InvalidValue("name", "use at least three characters")
	}
	f.Root = s.store.vault.Seal(rootRef(f.ID), randomKey())
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.heir(ctx, &f.OwnerID); err != nil {
			return err
		}
		if err := s.bindings(ctx, f.OwnerID, g); err != nil {
			return err
		}
		if err := s.store.insert(ctx, f); err != nil {
			return err
		}
		if err := s.store.keepKeys(ctx, f.ID, g, keys, now); err != nil {
			return err
		}
		if len(bindingIDs(g)) > 0 {
			if err := s.use(ctx, f); err != nil {
				return err
			}
		}
		if err := people(ctx, f.ID); err != nil {
			return err
		}
		return s.changed(ctx, flowsapi.EventCreated, f, nil)
	})
	return f.ID, database.Fault(err, constraints)
}

func randomKey() []byte {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails (crypto/rand)
	return key
}

func tagsOf(tags []string) []string {
	out := make([]string, 0, len(tags))
	for _, t := range tags {
		if t = strings.TrimSpace(t); t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// patch changes what is not part of the drawing.
// Faults: permission_denied (403), revision_conflict, name_taken (409), invalid_value (422).
func (s *service) patch(ctx context.Context, id string, revision int, in patchInput) error {
	if in.Body.OwnerID != nil && !access.From(ctx).Permissions.Has(access.All) {
		return fault.Forbidden("permission_denied", "only full access hands a flow to another owner").
			With("required", []string{string(access.All)})
	}
	ready := func(ctx context.Context) error {
		if _, err := s.store.flow(
			ctx,
			id,
		); err != nil { // before what the body names: an unknown flow is the first thing to tell
			return err
		}
		return s.heir(ctx, in.Body.OwnerID)
	}
	return s.changeAfter(
		ctx,
		id,
		"flow.changed",
		ready,
		func(ctx context.Context, f *flowRow) (map[string]audit.Change, error) {
			if f.Revision != revision {
				return nil, revisionConflict(f.Revision)
			}
			changes := map[string]audit.Change{}
			if err := s.patched(ctx, f, in, changes); err != nil {
				return nil, err
			}
			f.Revision, f.UpdatedAt = f.Revision+1, s.now()
			return changes, s.store.updateFlow(ctx, f, "name", "name_key", "description", "tags", "owner_id", "revision",
				"updated_at")
		},
	)
}

func (s *service) patched(ctx context.Context, f *flowRow, in patchInput, changes map[string]audit.Change) error {
	b := in.Body
	if b.Name != nil {
		changes["name"] = audit.Change{From: f.Name, To: *b.Name}
		f.named(*b.Name)
	}
	if b.Description != nil {
		changes["description"] = audit.Change{From: f.Description, To: *b.Description}
		f.Description = *b.Description
	}
	if b.Tags != nil {
		changes["tags"] = audit.Change{From: f.Tags, To: *b.Tags}
		f.Tags = tagsOf(*b.Tags)
	}
	if b.OwnerID == nil {
		return nil
	}
	if err := s.mayOwn(ctx, f, *b.OwnerID); err != nil {
		return err
	}
	changes["owner_id"] = audit.Change{From: f.OwnerID, To: *b.OwnerID}
	f.OwnerID = *b.OwnerID
	return nil
}

func revisionConflict(current int) error {
	return fault.Conflict("revision_conflict",
		"somebody changed this in the meantime; read it again and repeat the change").
		With("revision", current)
}

// compiledClient is a client as the compiler sees it.
func compiledClient(c clientsapi.Credentials) plan.Client {
	return plan.Client{
		ID: c.ClientID, Ref: c.Ref, Label: c.Label, UUID: c.UUID, Key: c.Key, Number: c.Number, Password: c.Password,
	}
}

// facts gathers what decides about the outcome of a compilation, as far as it can be compared without opening secrets:
// the drawing, the clients, the nodes that it touches, and who holds ports on them.
// The sets of the catalogue come from that version, or from the newest one when it is 0.
func (s *service) facts(
	ctx context.Context, f *flowRow, g graph.Graph, catalogue int,
) (plan.Input, map[string]nodesapi.Node, error) {
	in := plan.Input{
		FlowID: f.ID, Revision: f.DraftRevision, Reflector: s.nodes.reflector, Nodes: map[string]plan.Node{},
		Hosts: f.InstalledHosts,
	}
	named, err := s.hooks.policies.Resolve(ctx, g, catalogue)
	if err != nil {
		return in, nil, err
	}
	in.Graph, in.Catalogue, in.Plans, in.Unresolved = named.Graph, named.Catalogue, named.Plans, named.Problems
	if in.Pools, err = s.hooks.pools(ctx, g); err != nil {
		return in, nil, err
	}
	if err := s.related(ctx, &in); err != nil {
		return in, nil, err
	}
	if in.Domains, err = s.domains(ctx, f.OwnerID, g); err != nil {
		return in, nil, err
	}
	if in.Hashes, err = s.store.hashes(ctx, f.ID); err != nil {
		return in, nil, err
	}
	nodes, err := s.touched(ctx, &in)
	if err != nil {
		return in, nil, err
	}
	return in, nodes, s.people(ctx, &in)
}

// related adds the flows that are members of the pools in the drawing, and the pools that the flow is a member of.
func (s *service) related(ctx context.Context, in *plan.Input) (err error) {
	if in.Relays, err = relays.Find(ctx, s.db, in.Pools); err != nil {
		return err
	}
	installed := func(ctx context.Context, flowIDs ...string) (map[string][]string, error) {
		return relays.PoolsOf(ctx, s.db, false, flowIDs...)
	}
	ask := relays.Ask{Pools: s.hooks.poolsBy, PoolsOf: installed}
	if in.Circles, err = relays.Circles(ctx, in.FlowID, in.Graph, in.Pools, ask); err != nil {
		return err
	}
	in.Feeders, err = s.hooks.feeders(ctx, in.FlowID)
	return err
}

// entrySecrets opens the root of another flow, and the secret of one of its listeners.
func (s *service) entrySecrets(
	ctx context.Context, flowID string, g graph.Graph, l graph.Listener,
) ([]byte, graph.Listener, error) {
	f, err := s.store.flow(ctx, flowID)
	if err != nil {
		return nil, l, err
	}
	keys, err := s.store.keys(ctx, flowID, g, nil)
	if err != nil {
		return nil, l, err
	}
	root, err := s.store.root(f)
	return root, withSecret(l, keys), err
}

// people adds the clients of the flow, without their secrets, where some configuration has them.
func (s *service) people(ctx context.Context, in *plan.Input) (err error) {
	if !in.WantsClients() {
		if in.HasClients, err = s.clients.Any(ctx, in.FlowID); err != nil {
			return fmt.Errorf("look for clients of a flow: %w", err)
		}
		return nil
	}
	clients, err := s.clients.OfFlow(ctx, in.FlowID, everyClient)
	if err != nil {
		return fmt.Errorf("read the clients of a flow: %w", err)
	}
	for _, c := range clients {
		if c.State == clientsapi.Active {
			in.Clients = append(in.Clients, plan.Client{ID: c.ClientID, Ref: c.Ref, Label: c.Label})
		}
	}
	return nil
}

// input gathers what a compilation may depend on: the facts with what is secret and what is installed.
// Private keys that came with the drawing are not stored yet.
func (s *service) input(
	ctx context.Context, f *flowRow, g graph.Graph, brought map[string]string, catalogue int,
) (plan.Input, map[string]nodesapi.Node, error) {
	in, nodes, err := s.facts(ctx, f, g, catalogue)
	if err != nil {
		return in, nil, err
	}
	if in.Root, err = s.store.root(f); err != nil {
		return in, nil, err
	}
	if in.Keys, err = s.store.keys(ctx, f.ID, g, brought); err != nil {
		return in, nil, err
	}
	if err := relays.Open(ctx, s.db, in.Relays, s.entrySecrets); err != nil {
		return in, nil, err
	}
	if in.WantsClients() {
		if in.Clients, err = s.liveClients(ctx, f.ID); err != nil {
			return in, nil, err
		}
	}
	if in.Installed, err = s.store.installed(ctx, f.ID); err != nil {
		return in, nil, err
	}
	others, err := s.store.othersOn(ctx, f.ID, slices.Collect(maps.Keys(in.Nodes)))
	for id, n := range in.Nodes {
		n.Others = others[id]
		in.Nodes[id] = n
	}
	return in, nodes, err
}

func (s *service) liveClients(ctx context.Context, flowID string) ([]plan.Client, error) {
	opened, err := s.clients.Credentials(ctx, flowID, "")
	if err != nil {
		return nil, fmt.Errorf("read the clients of a flow: %w", err)
	}
	out := make([]plan.Client, len(opened))
	for i, c := range opened {
		out[i] = compiledClient(c)
	}
	return out, nil
}

func (s *service) touched(ctx context.Context, in *plan.Input) (map[string]nodesapi.Node, error) {
	ids := in.NodeIDs()
	for id := range in.Hashes {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	nodes, err := s.nodes.byID(ctx, validIDs(ids))
	if err != nil {
		return nil, fmt.Errorf("look up the nodes of a flow: %w", err)
	}
	held, err := s.store.held(ctx, in.FlowID, ids)
	for id, n := range nodes {
		seen := compilable(n)
		seen.Reserved = held[id]
		in.Nodes[id] = seen
	}
	return nodes, err
}

// validIDs leaves out what can not be an id, so that a mistyped one is unknown and not an error of the database.
func validIDs(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !database.IsID(id) })
}
