package lease

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"

	"panel/platform/database"
)

// renewAll prolongs the leases of this panel until the context ends.
func (d *Driver) renewAll(ctx context.Context) {
	ticker := time.NewTicker(renewEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := d.renew(ctx); err != nil && ctx.Err() == nil {
			d.log.Warn("leases could not be renewed", zap.String("process", d.Name), zap.Error(err))
		}
	}
}

// renew cancels the steps of rows that others have taken meanwhile.
func (d *Driver) renew(ctx context.Context) error {
	d.abandonStalled()
	ids, tokens, steady := d.renewable()
	if len(ids) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, queryWithin)
	defer cancel()
	var rows []struct{ ID, Token string }
	err := d.db.NewRaw(d.sql.renew, pgdialect.Array(ids), pgdialect.Array(tokens), pgdialect.Array(steady),
		TTL.Seconds()).Scan(ctx, &rows)
	if err != nil {
		return database.Fault(fmt.Errorf("renew leases: %w", err), nil)
	}
	there := make(map[string]string, len(rows))
	for _, row := range rows {
		there[row.ID] = row.Token
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, id := range ids {
		if c := d.claims[id]; c != nil && c.Token == tokens[i] && there[id] != c.Token {
			c.cancel(ErrLost)
		}
	}
	return nil
}

// abandonStalled leaves rows to others whose step goes on long after its limit. What such a step still writes is
// fenced.
func (d *Driver) abandonStalled() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, c := range d.claims {
		if at, running := c.running(); running && at > d.StepLimit+renewEvery {
			delete(d.claims, id)
			c.cancel(ErrLost)
			d.log.Error("a step does not end at its limit; its row is left to others", zap.String("process", d.Name),
				zap.String("id", id))
		}
	}
}

func (d *Driver) renewable() (ids, tokens []string, steady []bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, c := range d.claims {
		ids, tokens, steady = append(ids, id), append(tokens, c.Token), append(steady, now().Sub(c.since) > TTL)
	}
	return ids, tokens, steady
}

// running tells for how long the step is under way.
func (c *Claim) running() (since time.Duration, running bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return now().Sub(c.started), !c.started.IsZero()
}

// now measures how long something takes in this process, which no injected clock may stretch.
func now() time.Time { return time.Now() } //nolint:forbidigo // measures elapsed time alone
