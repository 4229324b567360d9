package flows

import (
	"context"
	"crypto/rand"
	"fmt"
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
	"panel/modules/flows/internal/stages"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/owners"
)

// service is the rules of flows; it knows no HTTP.
type service struct {
	db        *database.DB
	store     *store
	nodes     *nodes
	journal   audit.Journal
	bus       *events.Bus
	clock     clockwork.Clock
	log       *zap.Logger
	holders   owners.Accounts
	stages    *stages.Registry
	checker   *readiness.Checker
	hooks     *hooks
	clients   clientsapi.Clients
	results   *plan.Memo
	license   entitlement.Source
	automatic *automation.Switch

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
	stop *automation.Switch,
) *service {
	made := &service{
		db: db, store: s, nodes: n, journal: j, bus: b, clock: c, log: log, holders: a, stages: r, hooks: h,
		clients: people, results: plan.NewMemo(keptNodes), license: license, automatic: stop,
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

// emit takes an event of a change, in its transaction.
func (s *service) emit(ctx context.Context, kind, flowID string, data any) error {
	return s.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: flowID, At: s.now(), Data: data})
}

// show shows news that may be lost to those who watch.
func (s *service) show(ctx context.Context, kind, flowID string, data any) {
	if err := s.emit(ctx, kind, flowID, data); err != nil {
		s.log.Error("news of a flow were not shown", zap.Error(err))
	}
}

func (s *service) showChecked(ctx context.Context, planID, flowID string) {
	s.show(ctx, flowsapi.EventPlanChecked, flowID, flowsapi.PlanNews{PlanID: planID})
}
