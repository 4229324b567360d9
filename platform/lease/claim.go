package lease

import (
	"context"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/database"
)

// Claim is one row that this panel drives.
type Claim struct {
	// ID is the key of the row.
	ID string
	// Token is the fencing token: a write of the row demands "lease_token = Token" and goes through CheckFence.
	Token string
	// State is for the steps of this claim, to keep what they have read; nil at first.
	State any

	driver   *Driver
	wake     chan struct{}
	failures int
	cause    string // of the failures before this claim

	mu      sync.Mutex
	cancel  context.CancelCauseFunc
	since   time.Time // begin of the claim
	started time.Time // begin of the running step; zero between steps
}

// Check locks the row in the transaction of the context. Error: ErrLost.
func (c *Claim) Check(ctx context.Context) error {
	t := c.driver.Table
	return CheckFence(c.driver.db.In(ctx).NewRaw("select from ? where ? = ? and lease_token = ? for no key update",
		bun.Ident(t.Name), bun.Ident(t.Key), c.ID, c.Token).Exec(ctx))
}

// InTx runs a change in a transaction that holds the fence. Error: ErrLost, and then the change is not run.
func (c *Claim) InTx(ctx context.Context, change func(ctx context.Context) error) error {
	return c.driver.db.InTx(ctx, func(ctx context.Context) error {
		if err := c.Check(ctx); err != nil {
			return err
		}
		return change(ctx)
	})
}

// Wake makes the next step of a row due at once, on whichever panel drives it, when the transaction of the context has
// committed. Call it after a row was inserted, and after a change that its process waits for. It is not lost with the
// panel that drives the row: whoever drives it next finds it in the database.
func (d *Driver) Wake(ctx context.Context, id string) error {
	if err := d.hasten(ctx, d.sql.wake, []string{id}); err != nil {
		return err
	}
	return database.Notify(ctx, d.db.In(ctx), channel, d.Table.Name+" "+id)
}
