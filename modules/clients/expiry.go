package clients

import (
	"context"

	"panel/modules/clients/clientsapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/jobs"
)

// expiryKind is the job that makes known whose time has ended; the schedule that inserts it has the same name.
const expiryKind = "clients.expiry"

type expiryArgs struct{}

// Kind names the worker.
func (expiryArgs) Kind() string { return expiryKind }

func (c *clients) worker() jobs.Worker {
	return jobs.Worker{Kind: expiryKind, Work: jobs.Do(c.announceExpired)}
}

// schedule goes on while the panel is read-only: a client's time ends whether somebody writes it down or not.
func schedule() jobs.Schedule {
	return jobs.Schedule{
		Name: expiryKind, Cron: "* * * * *", Feature: feature, ReadOnly: entitlement.GoesOn,
		Blocked: entitlement.GoesOn, Args: func() jobs.Args { return expiryArgs{} },
	}
}

// mostAnnounced is how many clients are announced in one transaction.
const mostAnnounced = 200

// announceExpired writes into the journal and emits that the time of clients has ended, once for each. From that moment
// on they are left out by what reads the clients, with or without this.
func (c *clients) announceExpired(ctx context.Context, _ jobs.Job, _ expiryArgs) error {
	return c.announceEnded(ctx)
}

func (c *clients) announceEnded(ctx context.Context) error {
	return c.announce(ctx, clientsapi.EventExpired, `update client_profiles c set expiry_told_at = ?0 where c.id in (
			select e.id from client_profiles e where e.expires_at <= ?0 and e.expiry_told_at is null and e.revoked_at is null
			order by e.id limit ?1 for update skip locked) returning c.*`,
		func(row *clientRow) map[string]audit.Change {
			return map[string]audit.Change{"expires_at": {To: utc(row.ExpiresAt)}}
		})
}

// announce marks clients by a statement that takes the moment and how many at most, takes them from the lists and
// publishes the kind for each.
func (c *clients) announce(
	ctx context.Context, kind, mark string, changes func(row *clientRow) map[string]audit.Change,
) error {
	for {
		announced := 0
		err := c.store.db.InTx(ctx, func(ctx context.Context) error {
			var rows []clientRow
			if err := c.store.db.In(ctx).NewRaw(mark, c.now(), mostAnnounced).Scan(ctx, &rows); err != nil {
				return database.Fault(err, nil)
			}
			announced = len(rows)
			ids := make([]string, len(rows))
			for i := range rows {
				ids[i] = rows[i].ID
			}
			if err := c.relistUses(ctx, ids...); err != nil {
				return err
			}
			for i := range rows {
				if err := c.publish(ctx, kind, &rows[i], changes(&rows[i])); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || announced < mostAnnounced {
			return err
		}
	}
}
