package specimen

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/settings"
)

// Item is one thing that this module keeps.
type Item struct {
	ID        string     `json:"id" format:"uuid"`
	Name      string     `json:"name"`
	Comment   string     `json:"comment"`
	SeenAt    *time.Time `json:"seen_at" doc:"When it was looked at last; null: never"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
	Revision  int64      `json:"revision"`
}

// The words for what happens to items, in the journal and as events.
const (
	object         = "specimen_item"
	kindAdded      = "specimen.added"
	kindRemoved    = "specimen.removed"
	kindSeen       = "specimen.seen"
	actionChanged  = "specimen.changed"
	actionSettings = "specimen.settings_changed"
)

// News is the data of an event about one item.
type News struct {
	Name string `json:"name"`
}

// items are the rules about items: each change, its line in the journal and its event commit together.
type items struct {
	store    *store
	settings *settings.Doc[Settings]
	journal  audit.Journal
	bus      *events.Bus
	queue    *jobs.Enqueuer
	clock    clockwork.Clock
}

func newItems(
	db *database.DB, doc *settings.Doc[Settings], j audit.Journal, b *events.Bus, q *jobs.Enqueuer, c clockwork.Clock,
) *items {
	return &items{store: &store{db}, settings: doc, journal: j, bus: b, queue: q, clock: c}
}

func (i *items) page(ctx context.Context, query httpapi.PageQuery) (httpapi.Page[Item], error) {
	return i.store.page(ctx, query)
}

// get gives one item. Fault: not_found (404).
func (i *items) get(ctx context.Context, id string) (Item, error) {
	row, err := i.store.get(ctx, id)
	return row.shown(), err
}

// add stores an item. Faults: name_taken, specimen_full (409).
func (i *items) add(ctx context.Context, in NewItem) (Item, error) {
	now := i.now()
	row := itemRow{
		ID: database.NewID(), Name: in.Name, Comment: in.Comment, CreatedAt: now, UpdatedAt: now,
		Revision: 1,
	}
	err := i.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := i.room(ctx); err != nil {
			return err
		}
		if err := i.store.insert(ctx, &row); err != nil {
			return err
		}
		return i.publish(ctx, kindAdded, &row)
	})
	return row.shown(), err
}

// room refuses one item more than the settings allow. Fault: specimen_full (409).
func (i *items) room(ctx context.Context) error {
	now, _, err := i.settings.Get(ctx)
	if err != nil {
		return err
	}
	total, err := i.store.countLocked(ctx)
	if err == nil && total >= now.MostItems {
		return fault.Conflict("specimen_full",
			"there are as many items as the settings allow; remove one or allow more")
	}
	return err
}

// change alters what is given. Faults: not_found (404), revision_conflict, name_taken (409).
func (i *items) change(ctx context.Context, id string, revision int64, to ItemChange) (Item, error) {
	var row itemRow
	err := i.store.db.InTx(ctx, func(ctx context.Context) error {
		before, err := i.store.lock(ctx, id)
		if err != nil {
			return err
		}
		if before.Revision != revision {
			return httpapi.ErrRevision
		}
		row = before.with(to, i.now())
		if err := i.store.update(ctx, &row); err != nil {
			return err
		}
		entry := audit.Entry{Action: actionChanged, Object: row.object(), Changes: map[string]audit.Change{
			"name": {From: before.Name, To: row.Name}, "comment": {From: before.Comment, To: row.Comment},
		}}
		return i.journal.Record(ctx, i.store.db.In(ctx), entry)
	})
	return row.shown(), err
}

// remove deletes an item. Fault: not_found (404).
func (i *items) remove(ctx context.Context, id string) error {
	return i.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := i.store.delete(ctx, id)
		if err != nil {
			return err
		}
		return i.publish(ctx, kindRemoved, &row)
	})
}

// publish writes the journal's line and emits the event of the same name, in the transaction of the change.
func (i *items) publish(ctx context.Context, kind string, row *itemRow) error {
	recorded := i.journal.Record(ctx, i.store.db.In(ctx), audit.Entry{Action: kind, Object: row.object()})
	emitted := i.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: row.ID, At: i.now(), Data: News{Name: row.Name}})
	if err := errors.Join(recorded, emitted); err != nil {
		return fmt.Errorf("publish what happened to an item: %w", err)
	}
	return nil
}

func (i *items) now() time.Time { return i.clock.Now().UTC() }
