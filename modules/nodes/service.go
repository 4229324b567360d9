package nodes

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/modules/nodes/internal/evidence"
	"panel/modules/nodes/internal/work"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/places"
)

// service holds the rules of nodes. Every change commits together with its line in the journal and its event.
type service struct {
	db          *database.DB
	store       *store
	credentials *credentials
	journal     audit.Journal
	bus         *events.Bus
	clock       clockwork.Clock
	updates     *updateStates
	places      *places.Book
	guards      *guards
	announcer   *evidence.Announcer
	commands    *work.Commands
}

func newService(
	db *database.DB, s *store, c *credentials, j audit.Journal, b *events.Bus, clock clockwork.Clock, u *updateStates,
	g *guards, a *evidence.Announcer, commands *work.Commands, book *places.Book,
) *service {
	return &service{
		db: db, store: s, credentials: c, journal: j, bus: b, clock: clock, updates: u, guards: g,
		announcer: a, commands: commands, places: book,
	}
}

func (s *service) now() time.Time { return s.clock.Now().UTC() }

func (s *service) get(ctx context.Context, id string) (*Detail, error) {
	now := s.now()
	row, err := s.store.view(ctx, id, now)
	if err != nil {
		return nil, err
	}
	listeners, err := s.store.listenersOn(ctx, s.db, id, row.DesiredRevision)
	if err != nil {
		return nil, err
	}
	d := s.store.detail(row, now, listeners)
	return &d, s.complete(ctx, &d.Node)
}

// complete adds to nodes what others know about them, asked once for all.
func (s *service) complete(ctx context.Context, nodes ...*Node) error {
	addresses := make([]string, len(nodes))
	for i, n := range nodes {
		addresses[i] = n.numeric()
	}
	where := s.places.Of(ctx, addresses...)
	for i, n := range nodes {
		n.Place = where[addresses[i]]
	}
	return s.updates.fill(ctx, nodes...)
}

// create adds a node that waits for its agent. Faults: name_taken (409), invalid_value (422).
func (s *service) create(ctx context.Context, in *createBody) (*Detail, error) {
	row, err := s.add(ctx, in)
	if err != nil {
		return nil, err
	}
	return s.get(ctx, row.ID)
}

// add adds a node, in the transaction of the context where there is one.
func (s *service) add(ctx context.Context, in *createBody) (*nodeRow, error) {
	now := s.now()
	row := &nodeRow{
		ID: database.NewID(), Name: strings.TrimSpace(in.Name), Address: in.Address, IPs: list(in.IPs),
		CountryCode: orElse(in.CountryCode, "XX"),
		Region:      in.Region, City: in.City, Roles: distinct(in.Roles), Tags: distinct(in.Tags), Note: in.Note,
		ProviderID: named(in.ProviderID), ProviderServerRef: in.ProviderServerRef,
		AgentAccess: accessNone, AnnouncedState: "pending", CreatedAt: now, UpdatedAt: now, Revision: 1,
		TrafficResetDay: 1, TrafficNotifyPct: usualNotifyPct,
	}
	if err := row.check(); err != nil {
		return nil, err
	}
	err := s.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := s.store.insert(ctx, tx, row); err != nil {
			return err
		}
		return s.record(ctx, nodesapi.NodeCreated, row, differences(&nodeRow{}, row))
	})
	return row, database.Fault(err, nil)
}

// change applies one edit under the node's lock. want is the revision that the edit starts from; nil takes any.
// Faults: not_found (404), revision_conflict (409) and those of the edit.
func (s *service) change(ctx context.Context, id, action string, want *int64, edit func(ctx context.Context, tx bun.Tx,
	row *nodeRow) error,
) (*Detail, error) {
	err := s.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		row, err := s.store.locked(ctx, tx, id)
		if err != nil {
			return err
		}
		if want != nil && *want != row.Revision {
			return httpapi.ErrRevision
		}
		before := row.copied()
		if err := edit(ctx, tx, row); err != nil {
			return err
		}
		return s.save(ctx, tx, action, before, row)
	})
	if err != nil {
		return nil, database.Fault(err, nil)
	}
	return s.get(ctx, id)
}

func (s *service) save(ctx context.Context, tx bun.Tx, action string, before, row *nodeRow) error {
	changes := differences(before, row)
	row.UpdatedAt, row.Revision = s.now(), row.Revision+1
	if err := s.store.update(ctx, tx, row, row.UpdatedAt); err != nil {
		return err
	}
	return s.record(ctx, action, row, changes)
}

// patch changes what the operator says about a node.
func (s *service) patch(ctx context.Context, id string, want int64, in *patchBody) (*Detail, error) {
	return s.change(ctx, id, nodesapi.NodeUpdated, &want, func(_ context.Context, _ bun.Tx, row *nodeRow) error {
		set(&row.Name, in.Name)
		set(&row.Address, in.Address)
		set(&row.IPs, in.IPs)
		set(&row.CountryCode, in.CountryCode)
		set(&row.Region, in.Region)
		set(&row.City, in.City)
		set(&row.Roles, in.Roles)
		set(&row.Tags, in.Tags)
		set(&row.Note, in.Note)
		set(&row.Disabled, in.Disabled)
		set(&row.ProviderServerRef, in.ProviderServerRef)
		in.Traffic.into(row)
		if in.ProviderID != nil {
			row.ProviderID = named(*in.ProviderID)
		}
		row.Name, row.Roles, row.Tags, row.IPs = strings.TrimSpace(row.Name), distinct(row.Roles), distinct(row.Tags),
			list(row.IPs)
		return row.check()
	})
}

func (s *service) setMaintenance(ctx context.Context, id string, in maintenanceBody) (*Detail, error) {
	action := nodesapi.NodeMaintenanceOff
	if in.On {
		action = nodesapi.NodeMaintenanceOn
	}
	if in.Until != nil && !in.Until.After(s.now()) {
		return nil, fault.InvalidValue("until", "must be in the future")
	}
	return s.change(ctx, id, action, nil, func(_ context.Context, _ bun.Tx, row *nodeRow) error {
		row.Maintenance, row.MaintenanceUntil, row.MaintenanceReason = in.On, nil, ""
		if in.On {
			row.MaintenanceUntil, row.MaintenanceReason = in.Until, in.Reason
		}
		return nil
	})
}

// resting is nodesapi.Maintenance.
type resting struct{ *service }

func exportMaintenance(s *service) nodesapi.Maintenance { return resting{s} }

// Begin keeps new traffic from a node. One that is in maintenance already stays as people have put it.
func (r resting) Begin(ctx context.Context, nodeID, reason string) error {
	err := r.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		row, err := r.store.locked(ctx, tx, nodeID)
		if err != nil || row.inMaintenance(r.now()) {
			return err
		}
		before := row.copied()
		row.Maintenance, row.MaintenanceUntil, row.MaintenanceReason = true, nil, reason
		return r.save(ctx, tx, nodesapi.NodeMaintenanceOn, before, row)
	})
	if err = database.Fault(err, nil); err != nil && fault.KindOf(err) == fault.KindMissing {
		return nodesapi.ErrUnknown
	}
	return err
}

// delete removes a node that no flow uses, installed or about to be; its agent is refused at its next request.
// Faults: not_found (404), node_in_use (409).
func (s *service) delete(ctx context.Context, id string) error {
	var barrier database.Barrier
	err := s.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		row, err := s.store.locked(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := s.guards.check(ctx, id); err != nil {
			return err
		}
		listeners, err := s.store.listenersOn(ctx, tx, id, row.DesiredRevision)
		if err != nil {
			return err
		}
		if flows := flowsOf(listeners); len(flows) > 0 {
			return fault.Conflict("node_in_use", "flows are installed on this node; change or delete them first").
				With("flow_ids", flows)
		}
		if err := s.store.delete(ctx, tx, id); err != nil {
			return err
		}
		if barrier, err = s.credentials.withdraw(ctx, tx, id); err != nil {
			return err
		}
		return s.record(ctx, nodesapi.NodeDeleted, row, nil)
	})
	if err != nil {
		return database.Fault(err, nil)
	}
	s.credentials.forget(id)
	s.credentials.settle(ctx, barrier)
	return nil
}

// record writes what was done to a node into the journal and emits it, both in the transaction of the change.
func (s *service) record(ctx context.Context, action string, row *nodeRow, changes map[string]audit.Change) error {
	database.AfterCommit(ctx, func() {
		s.store.totals.Forget()
		s.announcer.Changed(row.ID)
	})
	entry := audit.Entry{Action: action, Object: row.object(), Changes: changes}
	if err := s.journal.Record(ctx, s.db.In(ctx), entry); err != nil {
		return err
	}
	return s.bus.Emit(ctx, events.Event{
		Kind: action, SubjectID: row.ID, At: s.now(),
		Data: nodesapi.Changed{Name: row.Name},
	})
}

// by names who acts, for things that keep it.
func by(ctx context.Context) string { return access.From(ctx).Username }

func (row *nodeRow) object() audit.Object {
	return audit.Object{Type: "node", ID: row.ID, Name: row.Name}
}

func (row *nodeRow) copied() *nodeRow {
	twin := *row
	twin.Roles, twin.Tags, twin.IPs = slices.Clone(row.Roles), slices.Clone(row.Tags), slices.Clone(row.IPs)
	return &twin
}

// differences lists the fields that the journal shows; none of them is secret.
func differences(before, after *nodeRow) map[string]audit.Change {
	from, to := before.shown(), after.shown()
	changes := map[string]audit.Change{}
	all := maps.Clone(from)
	maps.Copy(all, to)
	for field := range all {
		if !reflect.DeepEqual(from[field], to[field]) {
			changes[field] = audit.Change{From: from[field], To: to[field]}
		}
	}
	return changes
}

func (row *nodeRow) shown() map[string]any {
	fields := map[string]any{
		"name": row.Name, "address": row.Address, "ips": list(row.IPs), "country_code": row.CountryCode,
		"region": row.Region, "city": row.City,
		"provider_id": row.ProviderID, "provider_server_ref": row.ProviderServerRef,
		"roles": list(row.Roles), "tags": list(row.Tags), "note": row.Note, "disabled": row.Disabled,
		"maintenance":       row.Maintenance,
		"maintenance_until": utc(row.MaintenanceUntil), "maintenance_reason": row.MaintenanceReason,
		"agent_access": row.AgentAccess,
	}
	if row.TrafficLimit != nil { // without one the other two mean nothing
		fields["traffic_limit"], fields["traffic_reset_day"] = *row.TrafficLimit, row.TrafficResetDay
		fields["traffic_notify_pct"] = row.TrafficNotifyPct
	}
	text, _ := json.Marshal(fields) // plain values always encode
	shown := map[string]any{}
	_ = json.Unmarshal(text, &shown)
	return shown
}

func set[T any](field *T, wanted *T) {
	if wanted != nil {
		*field = *wanted
	}
}

// named is nothing for an empty text.
func named(text string) *string {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return &text
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func distinct(words []string) []string {
	kept := []string{}
	for _, word := range words {
		if word = strings.TrimSpace(word); word != "" && !slices.Contains(kept, word) {
			kept = append(kept, word)
		}
	}
	return kept
}
