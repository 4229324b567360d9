package abuse

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/modules/abuse/internal/views"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// The words for what happens to the allow-list, in the journal and as events.
const (
	object         = "abuse_allowed"
	kindAllowed    = "abuse.allowed"
	kindDisallowed = "abuse.disallowed"
)

// Kinds of entries.
const (
	allowUser = "user"
	allowASN  = "asn"
)

// News is the data of an event about the allow-list.
type News struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// Entry is who or what is no abuse.
type Entry struct {
	ID        string     `json:"id" format:"uuid"`
	Kind      string     `json:"kind" enum:"user,asn"`
	Value     string     `json:"value" doc:"A user_ref, or the number of a network"`
	Label     string     `json:"label" doc:"Name of the client; empty for networks and where it is gone"`
	Note      string     `json:"note"`
	Until     *time.Time `json:"until" doc:"When it ends by itself; null: never"`
	CreatedBy string     `json:"created_by"`
	CreatedAt time.Time  `json:"created_at"`
}

type entryRow struct {
	bun.BaseModel `bun:"table:abuse_allowlist,alias:l"`

	ID        string     `bun:"id,pk,type:uuid"`
	Kind      string     `bun:"kind"`
	Value     string     `bun:"value"`
	Note      string     `bun:"note"`
	Until     *time.Time `bun:"until"`
	CreatedBy string     `bun:"created_by"`
	CreatedAt time.Time  `bun:"created_at"`
	SortKey   string     `bun:"sort_key,scanonly"`
}

func (r *entryRow) shown() Entry {
	out := Entry{
		ID: r.ID, Kind: r.Kind, Value: r.Value, Note: r.Note, CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt.UTC(),
	}
	if r.Until != nil {
		at := r.Until.UTC()
		out.Until = &at
	}
	return out
}

// allowlist are the rules about its entries: each change, its line in the journal and its event commit together.
type allowlist struct {
	db      *database.DB
	views   *views.Views
	journal audit.Journal
	bus     *events.Bus
	clock   clockwork.Clock
}

func newAllowlist(
	db *database.DB, v *views.Views, j audit.Journal, b *events.Bus, c clockwork.Clock,
) *allowlist {
	return &allowlist{db: db, views: v, journal: j, bus: b, clock: c}
}

var entryOrders = map[string]keyset.Order{
	"created_at": {Expression: "l.created_at", Kind: httpapi.CursorMoment},
	"value":      {Expression: "l.value", Kind: httpapi.CursorText},
}

// page lists entries that have not ended, the newest first.
func (a *allowlist) page(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Entry], err error) {
	k, err := keyset.New(query, "l.id", "-created_at", entryOrders)
	if err != nil {
		return page, err
	}
	var rows []entryRow
	holds := func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("l.until is null or l.until > ?", a.clock.Now().UTC())
	}
	if err := k.Apply(holds(a.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("l.*")), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list the allow-list: %w", err), nil)
	}
	total, err := holds(a.db.In(ctx).NewSelect().Model((*entryRow)(nil))).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count the allow-list: %w", err), nil)
	}
	last := func(r *entryRow) (sortKey, id string) { return r.SortKey, r.ID }
	page = keyset.Page(k, rows, int(total), (*entryRow).shown, last)
	return page, a.name(ctx, page.Items)
}

func (a *allowlist) name(ctx context.Context, all []Entry) error {
	var refs []string
	for _, one := range all {
		if one.Kind == allowUser {
			refs = append(refs, one.Value)
		}
	}
	labels, err := a.views.Labels(ctx, refs...)
	for i := range all {
		all[i].Label = labels[all[i].Value]
	}
	return err
}

var errListed = fault.Conflict("name_taken", "this is on the allow-list already; remove it first to change it")

// add puts something on the list. An entry that has ended gives way. Faults: invalid_value (422), name_taken (409).
func (a *allowlist) add(ctx context.Context, in NewEntry) (Entry, error) {
	now := a.clock.Now().UTC()
	row := entryRow{
		ID: database.NewID(), Kind: in.Kind, Value: in.Value, Note: in.Note, Until: in.Until, CreatedAt: now,
		CreatedBy: access.From(ctx).Name(),
	}
	if err := a.check(ctx, &row, now); err != nil {
		return Entry{}, err
	}
	err := a.db.InTx(ctx, func(ctx context.Context) error {
		_, err := a.db.In(ctx).NewRaw("delete from abuse_allowlist where kind = ? and value = ? and until <= ?", row.Kind,
			row.Value, now).Exec(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		if _, err := a.db.In(ctx).NewInsert().Model(&row).Exec(ctx); err != nil {
			return database.Fault(err, map[string]*fault.Fault{"abuse_allowlist_entry": errListed})
		}
		return a.publish(ctx, kindAllowed, &row)
	})
	shown := []Entry{row.shown()}
	if err != nil {
		return Entry{}, err
	}
	return shown[0], a.name(ctx, shown)
}

// check brings an entry into its one form and refuses what names nobody.
func (a *allowlist) check(ctx context.Context, row *entryRow, now time.Time) error {
	if row.Until != nil && !row.Until.After(now) {
		return fault.InvalidValue("until", "must lie in the future")
	}
	if row.Kind == allowASN {
		const base, bits = 10, 32
		n, err := strconv.ParseUint(strings.TrimPrefix(strings.ToUpper(row.Value), "AS"), base, bits)
		if err != nil || n == 0 {
			return fault.InvalidValue("value", "must be the number of a network, such as 64500")
		}
		row.Value = strconv.FormatUint(n, base)
		return nil
	}
	labels, err := a.views.Labels(ctx, row.Value)
	if _, known := labels[row.Value]; err == nil && !known {
		return fault.InvalidValue("value", "must be the user_ref of a client, such as c:<client id>")
	}
	return err
}

// remove takes an entry from the list. Fault: not_found (404).
func (a *allowlist) remove(ctx context.Context, id string) error {
	return a.db.InTx(ctx, func(ctx context.Context) error {
		var row entryRow
		err := a.db.In(ctx).NewDelete().Model(&row).Where("l.id = ?", id).Returning("*").Scan(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		return a.publish(ctx, kindDisallowed, &row)
	})
}

// publish writes the journal's line and emits the event of the same name, in the transaction of the change.
func (a *allowlist) publish(ctx context.Context, kind string, row *entryRow) error {
	recorded := a.journal.Record(ctx, a.db.In(ctx), audit.Entry{
		Action: kind, Object: audit.Object{Type: object, ID: row.ID, Name: row.Kind + " " + row.Value},
	})
	emitted := a.bus.Emit(ctx, events.Event{
		Kind: kind, SubjectID: row.ID, At: a.clock.Now().UTC(), Data: News{Kind: row.Kind, Value: row.Value},
	})
	if err := errors.Join(recorded, emitted); err != nil {
		return fmt.Errorf("publish what happened to the allow-list: %w", err)
	}
	return nil
}
