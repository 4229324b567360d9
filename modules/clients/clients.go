package clients

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/clients/clientsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/lease"
	"panel/platform/owners"
)

// object is the type of a client in the journal.
const object = "client"

// clients are the rules about clients: each change, its line in the journal and its event commit together. Whoever
// locks flows and clients locks the flows first, in the order of their ids.
type clients struct {
	store    *store
	flows    *registry
	journal  audit.Journal
	bus      *events.Bus
	accounts owners.Accounts
	counted  nodesapi.Accounts
	held     nodesapi.Documents
	fleet    nodesapi.Fleet
	lists    *lease.Driver
	clock    clockwork.Clock
	log      *zap.Logger
	address  string // of the panel, as subscriptions name it
}

func newClients(
	s *store, r *registry, j audit.Journal, b *events.Bus, a owners.Accounts, n nodesapi.Accounts, d nodesapi.Documents,
	f nodesapi.Fleet, l *database.Listener, clock clockwork.Clock, log *zap.Logger, cfg *config.Config,
) *clients {
	c := &clients{
		store: s, flows: r, journal: j, bus: b, accounts: a, counted: n, held: d, fleet: f, clock: clock, log: log,
		address: publicURL(cfg),
	}
	c.lists = lease.New(s.db, l, clock, log, c.spreading())
	return c
}

func (c *clients) now() time.Time { return c.clock.Now().UTC().Truncate(time.Microsecond) }

// publish writes the journal's line and emits the event of the same name, in the transaction of the change.
func (c *clients) publish(ctx context.Context, kind string, row *clientRow, changes map[string]audit.Change) error {
	entry := audit.Entry{Action: kind, Object: row.object(), Changes: changes}
	recorded := c.journal.Record(ctx, c.store.db.In(ctx), entry)
	emitted := c.bus.Emit(ctx, events.Event{
		Kind: kind, SubjectID: row.ID, At: c.now(), Data: clientsapi.News{Label: row.Label},
	})
	if err := errors.Join(recorded, emitted); err != nil {
		return fmt.Errorf("publish what happened to a client: %w", err)
	}
	return nil
}

// labelOf refuses a label of blanks. Fault: invalid_value (422).
func labelOf(text string) (string, error) {
	if text = strings.TrimSpace(text); text == "" {
		return "", fault.InvalidValue("label", "give the client a name")
	}
	return text, nil
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

// add makes a client that may use the named flows. Fault: invalid_value (422).
func (c *clients) add(ctx context.Context, in NewClient) (Client, error) {
	label, err := labelOf(in.Label)
	if err != nil {
		return Client{}, err
	}
	row := c.made(ctx, label)
	row.Note, row.Tags = in.Note, tagsOf(in.Tags)
	if err := row.begins(in.ExpiresAt, in.LastsDays, ""); err != nil {
		return Client{}, err
	}
	row.limited(in.Quota, c.now())
	row.Limits = in.Limits
	flowIDs := distinct(in.FlowIDs)
	err = c.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := c.flows.known(ctx, "flow_ids", flowIDs); err != nil {
			return err
		}
		return c.keep(ctx, row, flowIDs)
	})
	if err != nil {
		return Client{}, database.Fault(err, nil)
	}
	return c.get(ctx, row.ID)
}

// made is a new client of the caller.
func (c *clients) made(ctx context.Context, label string) *clientRow {
	now := c.now()
	row := &clientRow{
		ID: database.NewID(), Tags: []string{}, OwnerID: access.From(ctx).AccountID, Enabled: true, Revision: 1,
		CreatedAt: now, UpdatedAt: now, QuotaReset: never, UsedSince: now,
	}
	row.labelled(label)
	return row
}

// keep stores a new client with its flows, in the transaction of the context.
func (c *clients) keep(ctx context.Context, row *clientRow, flowIDs []string) error {
	for _, id := range flowIDs {
		if err := c.flows.changed(ctx, id, clientsapi.FlowClientAdded, row.Label); err != nil {
			return err
		}
	}
	if err := c.store.insert(ctx, row); err != nil {
		return err
	}
	for _, id := range flowIDs {
		if err := c.insertAccess(ctx, row.ID, id); err != nil {
			return err
		}
	}
	if err := c.relistOf(ctx, flowIDs, []string{row.ID}); err != nil {
		return err
	}
	return c.publish(ctx, clientsapi.EventCreated, row, map[string]audit.Change{"label": {To: row.Label}})
}

func (c *clients) insertAccess(ctx context.Context, clientID, flowID string) error {
	row, err := c.newAccess(clientID, flowID)
	if err != nil {
		return err
	}
	return c.store.insert(ctx, row)
}

// newAccess has a secret of its own.
func (c *clients) newAccess(clientID, flowID string) (*accessRow, error) {
	row := &accessRow{ClientID: clientID, FlowID: flowID, Generation: 1, CreatedAt: c.now()}
	return row, row.seal(c.store.vault, newSecret())
}

func newSecret() secret {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails (crypto/rand)
	return secret{UUID: uuid.NewString(), Key: key}
}

func distinct(ids []string) []string {
	out := slices.Clone(ids)
	slices.Sort(out)
	return slices.Compact(out)
}

// get gives one client. Fault: not_found (404).
func (c *clients) get(ctx context.Context, id string) (Client, error) {
	row, err := c.store.get(ctx, id)
	if err != nil {
		return Client{}, err
	}
	shown, err := c.shown(ctx, []clientRow{*row})
	if err != nil {
		return Client{}, err
	}
	return shown[0], nil
}

// shown puts clients together with the flows that they may use.
func (c *clients) shown(ctx context.Context, rows []clientRow) ([]Client, error) {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	uses, err := c.store.uses(ctx, ids...)
	if err != nil {
		return nil, err
	}
	var flowIDs []string
	for _, of := range uses {
		for i := range of {
			flowIDs = append(flowIDs, of[i].FlowID)
		}
	}
	names, err := c.flows.Names(ctx, distinct(flowIDs)...)
	if err != nil {
		return nil, fmt.Errorf("look up the flows of clients: %w", err)
	}
	out := make([]Client, len(rows))
	for i := range rows {
		out[i] = shownOf(&rows[i], uses[rows[i].ID], names, c.now())
	}
	return out, nil
}

func shownOf(row *clientRow, uses []accessRow, names map[string]string, now time.Time) Client {
	out := Client{
		ID: row.ID, Label: row.Label, Note: row.Note, Tags: row.Tags, State: row.state(now), Enabled: row.Enabled,
		ExpiresAt: utc(row.ExpiresAt), LastsDays: row.LastsDays, OwnerID: row.OwnerID, Limits: row.Limits,
		HasPublicLink: row.PublicHash != nil, Flows: []Use{},
		RevokedAt: utc(row.RevokedAt), CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(),
		Revision: row.Revision, LastSeenAt: utc(row.LastSeenAt), Online: row.online(now),
		Used:  Used{Traffic: Traffic{Up: row.UsedUp, Down: row.UsedDown}, Since: row.UsedSince.UTC()},
		Total: Traffic{Up: row.TotalUp, Down: row.TotalDown},
	}
	if row.QuotaBytes != nil {
		out.Quota = &Quota{Bytes: *row.QuotaBytes, Reset: row.QuotaReset}
	}
	for _, use := range uses {
		if name, there := names[use.FlowID]; there {
			out.Flows = append(out.Flows, Use{
				FlowID: use.FlowID, FlowName: name, Installed: use.Installed, ByApply: use.ByApply,
				Elsewhere: use.Elsewhere, Since: use.CreatedAt.UTC(), Total: Traffic{Up: use.Up, Down: use.Down},
			})
		}
	}
	return out
}

// change alters what is given.
// Faults: permission_denied (403), not_found (404), revision_conflict (409), invalid_value (422).
func (c *clients) change(ctx context.Context, id string, revision int64, to Change) (Client, error) {
	if to.OwnerID != nil && !access.From(ctx).Permissions.Has(access.All) {
		return Client{}, fault.Forbidden("permission_denied", "only full access hands a client to another owner").
			With("required", []string{string(access.All)})
	}
	if _, err := c.store.get(ctx, id); err != nil { // an unknown client is told before what the body names
		return Client{}, err
	}
	err := c.edit(ctx, id, to.OwnerID, func(row *clientRow) (map[string]audit.Change, error) {
		if row.Revision != revision {
			return nil, httpapi.ErrRevision
		}
		return row.changed(to, c.now())
	})
	if err != nil {
		return Client{}, err
	}
	return c.get(ctx, id)
}

// edit changes a locked client that was not revoked, writes the journal and emits client.updated.
func (c *clients) edit(
	ctx context.Context, id string, heir *string, do func(row *clientRow) (map[string]audit.Change, error),
) error {
	err := c.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := c.heir(ctx, heir); err != nil {
			return err
		}
		row, err := c.store.lock(ctx, id)
		if err != nil {
			return err
		}
		if row.RevokedAt != nil {
			return fault.Missing("this client was revoked")
		}
		changes, err := do(row)
		if err != nil {
			return err
		}
		if err := c.touched(ctx, row); err != nil {
			return err
		}
		if err := c.relistUses(ctx, id); err != nil {
			return err
		}
		return c.publish(ctx, clientsapi.EventUpdated, row, changes)
	})
	return database.Fault(err, nil)
}

// touched stores a changed client under its next revision.
func (c *clients) touched(ctx context.Context, row *clientRow) error {
	row.Revision, row.UpdatedAt = row.Revision+1, c.now()
	row.Unshared = row.Unshared || row.QuotaBytes != nil
	return c.store.update(ctx, row)
}

// heir makes sure that a new owner exists, before the client is locked. Fault: invalid_value (422).
func (c *clients) heir(ctx context.Context, accountID *string) error {
	if accountID == nil {
		return nil
	}
	err := c.accounts.Hold(ctx, *accountID)
	if errors.Is(err, owners.ErrUnknown) {
		return fault.InvalidValue("owner_id", "there is no such account")
	}
	return err
}

// changed is the client after a change, with what the journal says about it. Fault: invalid_value (422).
func (r *clientRow) changed(to Change, now time.Time) (map[string]audit.Change, error) {
	changes := map[string]audit.Change{}
	if to.Label != nil {
		label, err := labelOf(*to.Label)
		if err != nil {
			return nil, err
		}
		changes["label"] = audit.Change{From: r.Label, To: label}
		r.labelled(label)
	}
	if to.Note != nil {
		changes["note"] = audit.Change{From: r.Note, To: *to.Note}
		r.Note = *to.Note
	}
	if to.Tags != nil {
		tags := tagsOf(*to.Tags)
		changes["tags"] = audit.Change{From: r.Tags, To: tags}
		r.Tags = tags
	}
	if to.Enabled != nil {
		changes["enabled"] = audit.Change{From: r.Enabled, To: *to.Enabled}
		r.Enabled = *to.Enabled
	}
	if to.OwnerID != nil {
		changes["owner_id"] = audit.Change{From: r.OwnerID, To: *to.OwnerID}
		r.OwnerID = *to.OwnerID
	}
	if to.Quota != nil && to.NoQuota {
		return nil, fault.InvalidValue("no_quota", "give quota or no_quota, not both")
	}
	if to.Quota != nil || to.NoQuota {
		before := r.QuotaBytes
		r.limited(to.Quota, now)
		changes["quota"] = audit.Change{From: before, To: to.Quota}
	}
	if to.Limits != nil {
		changes["limits"] = audit.Change{From: r.Limits, To: *to.Limits}
		r.Limits = *to.Limits
	}
	return changes, r.expires(to, changes)
}

// limited sets a quota or takes it away. What was used counts on, unless a period of the new quota has begun since.
func (r *clientRow) limited(to *Quota, now time.Time) {
	r.Unshared = r.Unshared || r.QuotaBytes != nil || to != nil
	r.QuotaBytes, r.QuotaReset, r.QuotaToldAt = nil, never, nil
	if to == nil {
		return
	}
	r.QuotaBytes, r.QuotaReset = &to.Bytes, cmp.Or(to.Reset, never)
	if began := periodOf(r.QuotaReset, now); began.After(r.UsedSince) {
		r.UsedSince, r.UsedUp, r.UsedDown = began, 0, 0
	}
}
