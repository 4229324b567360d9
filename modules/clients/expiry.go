package clients

import (
	"context"
	"time"

	"panel/modules/clients/clientsapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/fault"
	"panel/platform/jobs"
)

// lastYear is the last one that a moment of the API can be in.
const lastYear = 9999

// begins gives a new client its time: up to a moment, or so many days from its first use; neither is without an end.
// The prefix names the object that the fields are of. Fault: invalid_value (422).
func (r *clientRow) begins(until *time.Time, days int, prefix string) error {
	if err := oneEnd(until, days, prefix+"lasts_days"); err != nil {
		return err
	}
	r.lasts(until, days)
	return nil
}

// oneEnd refuses a moment together with days. Fault: invalid_value (422).
func oneEnd(until *time.Time, days int, field string) error {
	if until != nil && days > 0 {
		return fault.InvalidValue(field, "give expires_at or lasts_days, not both")
	}
	return nil
}

// lasts sets the time of a client. Where it begins with the next use, what the client was seen to do before that was
// decided begins nothing.
func (r *clientRow) lasts(until *time.Time, days int) {
	from := r.LastsFrom
	if r.LastsDays == nil {
		from = r.LastSeenAt
	}
	r.ExpiresAt, r.ExpiryToldAt, r.LastsDays, r.LastsFrom = utc(until), nil, nil, nil
	if days > 0 {
		r.LastsDays, r.LastsFrom = &days, from
	}
}

// expires changes the time of a client, and what the journal says about it. Fault: invalid_value (422).
func (r *clientRow) expires(to Change, changes map[string]audit.Change) error {
	given := to.ExpiresAt != nil || to.LastsDays > 0
	switch {
	case to.NeverExpires && given:
		return fault.InvalidValue("never_expires", "give expires_at, lasts_days or never_expires, and one of them alone")
	case !to.NeverExpires && !given:
		return nil
	}
	if err := oneEnd(to.ExpiresAt, to.LastsDays, "lasts_days"); err != nil {
		return err
	}
	until, days := utc(r.ExpiresAt), r.LastsDays
	r.lasts(to.ExpiresAt, to.LastsDays)
	if until != nil || r.ExpiresAt != nil || r.LastsDays == nil {
		changes["expires_at"] = audit.Change{From: until, To: r.ExpiresAt}
	}
	if days != nil || r.LastsDays != nil {
		changes["lasts_days"] = audit.Change{From: days, To: r.LastsDays}
	}
	return nil
}

// extended adds days to the time of a client: after the end that it had, from now where that is past, or to those that
// it is to have from its next use. Fault: invalid_value (422) for a client that never expires.
func (r *clientRow) extended(days int, now time.Time, to *Change) error {
	if r.LastsDays != nil {
		to.LastsDays = *r.LastsDays + days
		if to.LastsDays > clientsapi.MostDays {
			return fault.InvalidValue("extend_days", "the time of the client would last for more than ten years")
		}
		return nil
	}
	if r.ExpiresAt == nil {
		return fault.InvalidValue("extend_days", "the client never expires")
	}
	from := r.ExpiresAt.UTC()
	if from.Before(now) {
		from = now
	}
	until := from.AddDate(0, 0, days)
	if until.Year() > lastYear {
		return fault.InvalidValue("extend_days", "the client would expire after the year 9999")
	}
	to.ExpiresAt = &until
	return nil
}

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

// startTimes lets the time of those clients begin who were to have it from their next use and have been seen since. It
// counts from when they were seen.
func (c *clients) startTimes(ctx context.Context) error {
	return c.announce(ctx, clientsapi.EventUpdated, `update client_profiles c
		set expires_at = c.last_seen_at + c.lasts_days * interval '24 hours', expiry_told_at = null, lasts_days = null,
			lasts_from = null, revision = c.revision + 1, updated_at = ?0
		where c.id in (
			select e.id from client_profiles e where e.lasts_days is not null and e.revoked_at is null
				and e.last_seen_at > coalesce(e.lasts_from, '-infinity')
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
