// Package lease gives work that is written in the database to one driver at a time: whoever dies or stalls loses it to another.
//
// A claim has a word of its own, which stands in the row and which every write of the driver demands. So a driver that comes back
// after a pause, when somebody else has taken its work, is refused, in the same process as well as from another panel.
package lease

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
)

// Holds is how long a claim holds without a write.
const Holds = 6 * time.Second

// ErrLost says that somebody else drives the work now.
var ErrLost = errors.New("another driver continues this work")

// Desk hands out the work of one table, whose rows have an id, started_at, finished_at, runner and lease_until.
type Desk struct {
	db    *database.DB
	table string
	id    string

	mu     sync.Mutex
	claims int
	driven map[string]bool
	busy   sync.WaitGroup
}

// New makes a desk for a table.
func New(db *database.DB, table string) *Desk {
	return &Desk{db: db, table: table, id: database.NewID(), driven: map[string]bool{}}
}

// Claim takes the work that nobody drives, oldest first. The word is of this claim alone.
func (d *Desk) Claim(ctx context.Context, now time.Time) (ids []string, word string, err error) {
	driven, word := d.next()
	err = d.db.NewRaw(`update ?0 set runner = ?1, lease_until = ?2 where id in (
		select id from ?0 where finished_at is null and lease_until <= ?3 and not id = any(?4::uuid[]) order by started_at for update skip locked)
		returning id`, bun.Ident(d.table), word, now.Add(Holds), now, pgdialect.Array(driven)).Scan(ctx, &ids)
	if err != nil {
		return nil, "", database.Fault(fmt.Errorf("claim work: %w", err), nil)
	}
	return ids, word, nil
}

// next leaves out what this process drives: while its driver is stalled a second one would only stand beside it.
func (d *Desk) next() (driven []string, word string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.claims++
	return slices.AppendSeq([]string{}, maps.Keys(d.driven)), fmt.Sprintf("%s/%d", d.id, d.claims)
}

// Go drives a claimed piece of work in a goroutine of its own.
func (d *Desk) Go(id string, drive func()) {
	d.mu.Lock()
	d.driven[id] = true
	d.mu.Unlock()
	d.busy.Go(func() {
		defer func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			delete(d.driven, id)
		}()
		drive()
	})
}

// Wait returns when nothing is driven any more.
func (d *Desk) Wait() { d.busy.Wait() }

// LetGo ends a claim early, so that others need not wait for its end.
func (d *Desk) LetGo(ctx context.Context, id, word string, now time.Time) error {
	_, err := d.db.NewRaw("update ? set lease_until = ? where id = ? and runner = ?", bun.Ident(d.table), now, id, word).Exec(ctx)
	return database.Fault(err, nil)
}

// Kept is ErrLost when a write that demanded the word of its claim met no row.
func Kept(result sql.Result, err error) error {
	if err != nil {
		return database.Fault(err, nil)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(ErrLost, err)
	}
	return nil
}
