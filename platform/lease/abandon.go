package lease

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"panel/platform/database"
)

// Abandon has every open row given up with the cause, in the transaction of the context: whoever drives a row next
// calls GiveUp and no step. It is for what was under way in a database that was restored from a backup. Rows of a
// process that never gives up, and of one that goes on by the clock, stay as they are.
func (d *Driver) Abandon(ctx context.Context, cause string) error {
	if d.GiveUp == nil || d.Table.Due != "" {
		return nil
	}
	_, err := d.db.In(ctx).NewRaw(`update ? set lease_token = '', lease_until = now(), lease_failures = ?,
		lease_error = ? where ?`, bun.Ident(d.Table.Name), d.Attempts, cause, bun.Safe(d.Table.Open)).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("give up every open %s: %w", d.Name, err), nil)
	}
	return nil
}
