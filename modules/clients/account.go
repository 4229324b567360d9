package clients

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/clients/clientsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/jobs"
)

// accountKind is the job that counts what clients have used; the schedule that inserts it has the same name.
const accountKind = "clients.account"

type accountArgs struct{}

// Kind names the worker.
func (accountArgs) Kind() string { return accountKind }

func (c *clients) accountant() jobs.Worker {
	return jobs.Worker{Kind: accountKind, Work: jobs.Do(c.account)}
}

// accounting goes on while the panel is read-only: what clients use does not wait for a license.
func accounting() jobs.Schedule {
	return jobs.Schedule{
		Name: accountKind, Cron: "* * * * *", Feature: feature, ReadOnly: entitlement.GoesOn,
		Blocked: entitlement.GoesOn, Args: func() jobs.Args { return accountArgs{} },
	}
}

// account begins the periods that are due, counts what was carried since the last time, and tells whose quota is
// reached. The counts commit with the mark up to which they go, so that each byte is counted once, whoever is killed.
func (c *clients) account(ctx context.Context, _ jobs.Job, _ accountArgs) error {
	err := c.store.db.InTx(ctx, func(ctx context.Context) error {
		mark, err := c.store.mark(ctx)
		if err != nil {
			return err
		}
		carried, next, err := c.counted.Since(ctx, mark)
		if err != nil {
			return fmt.Errorf("read what clients carried: %w", err)
		}
		if err := c.begin(ctx); err != nil {
			return err
		}
		if err := c.store.book(ctx, carried.Traffic); err != nil {
			return err
		}
		if err := c.store.counted(ctx, carried.Counts); err != nil {
			return err
		}
		return c.store.setMark(ctx, next)
	})
	if err != nil {
		return database.Fault(err, nil)
	}
	if err := c.startTimes(ctx); err != nil {
		return err
	}
	if err := c.announceEnded(ctx); err != nil {
		return err
	}
	if err := c.announceSpent(ctx); err != nil {
		return err
	}
	if err := c.relistMissed(ctx); err != nil {
		return err
	}
	if err := c.relistAble(ctx); err != nil {
		return err
	}
	if err := c.handOld(ctx); err != nil {
		return err
	}
	return c.shareOut(ctx, confirmLimit)
}

// relistMissed has those clients looked at who are on lists and active no more, or the other way round. Every change
// that makes it so does that by itself; once an hour nothing is left of what was missed, as after a clock that ran
// ahead.
func (c *clients) relistMissed(ctx context.Context) error {
	if c.now().Minute() != 0 {
		return nil
	}
	return c.store.db.InTx(ctx, func(ctx context.Context) error {
		var changed []struct{ FlowID, ClientID string }
		err := c.store.db.In(ctx).NewRaw(`select a.flow_id::text, a.client_id::text from client_lists l
			join client_flows a on a.flow_id = l.flow_id join client_profiles c on c.id = a.client_id
			left join client_listed li on li.flow_id = a.flow_id and li.client_id = a.client_id and not li.gone
			where l.nodes > 0 and (a.revoked_at is null and `+stateAt+` = 'active') <> (li.client_id is not null)`, c.now()).
			Scan(ctx, &changed)
		if err != nil {
			return database.Fault(fmt.Errorf("look for lists that have changed: %w", err), nil)
		}
		var flowIDs, clientIDs []string
		for _, one := range changed {
			flowIDs, clientIDs = append(flowIDs, one.FlowID), append(clientIDs, one.ClientID)
		}
		return c.relistOf(ctx, flowIDs, distinct(clientIDs))
	})
}

// mark is up to where samples are counted. Nobody else counts until the transaction ends.
func (s *store) mark(ctx context.Context) (mark int64, err error) {
	err = s.db.In(ctx).NewRaw("select mark from client_progress for update").Scan(ctx, &mark)
	return mark, database.Fault(err, nil)
}

func (s *store) setMark(ctx context.Context, mark int64) error {
	_, err := s.db.In(ctx).NewRaw("update client_progress set mark = ?", mark).Exec(ctx)
	return database.Fault(err, nil)
}

// Periods of quotas. Each begins at midnight UTC; a week on Monday, a month on its first day.
const (
	never   = "never"
	daily   = "daily"
	weekly  = "weekly"
	monthly = "monthly"
)

// periodOf is when the period of a moment began; zero for what never begins again.
func periodOf(reset string, now time.Time) time.Time {
	year, month, day := now.UTC().Date()
	switch reset {
	case daily:
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	case weekly:
		const week = 7
		return time.Date(year, month, day-(int(now.UTC().Weekday())+week-1)%week, 0, 0, 0, 0, time.UTC)
	case monthly:
		return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Time{}
}

// begin starts the periods that are due. Who had used up a quota is let in again.
func (c *clients) begin(ctx context.Context) error {
	now := c.now()
	for _, reset := range []string{daily, weekly, monthly} {
		var again []string
		err := c.store.db.In(ctx).NewRaw(`with due as (
				select id, quota_told_at is not null as told from client_profiles
				where quota_reset = ?1 and used_since < ?0 for update
			), begun as (
				update client_profiles c
				set used_up = 0, used_down = 0, used_since = ?0, quota_told_at = null, unshared = true
				from due where c.id = due.id
			)
			select id::text from due where told`, periodOf(reset, now), reset).Scan(ctx, &again)
		if err == nil && len(again) > 0 {
			err = c.relistUses(ctx, again...)
		}
		if err != nil {
			return database.Fault(fmt.Errorf("begin the periods of quotas: %w", err), nil)
		}
	}
	return nil
}

// carriedBy is what a client carried on one flow.
type carriedBy struct {
	clients, flows []string
	up, down       []int64
	last           []time.Time
}

// carriedOf reads the emails of clients, "flow.<flow>.client.<client>"; others are those of hops and probes.
func carriedOf(all []nodesapi.ClientTraffic) (by carriedBy) {
	for _, t := range all {
		parts := strings.Split(t.Email, ".")
		if len(parts) != 4 || parts[0] != "flow" || parts[2] != "client" || !database.IsID(parts[1]) ||
			!database.IsID(parts[3]) || t.Up < 0 || t.Down < 0 {
			continue
		}
		by.flows, by.clients = append(by.flows, parts[1]), append(by.clients, parts[3])
		by.up, by.down, by.last = append(by.up, t.Up), append(by.down, t.Down), append(by.last, t.LastAt)
	}
	return by
}

// book adds what was carried to the accesses and the clients that there are.
func (s *store) book(ctx context.Context, carried []nodesapi.ClientTraffic) error {
	by := carriedOf(carried)
	if len(by.clients) == 0 {
		return nil
	}
	_, err := s.db.In(ctx).NewRaw(`select from client_profiles where id = any(?::uuid[]) order by id for no key update`,
		pgdialect.Array(by.clients)).Exec(ctx) // before what they have on flows, as everybody locks them
	if err != nil {
		return database.Fault(fmt.Errorf("lock the clients that carried something: %w", err), nil)
	}
	_, err = s.db.In(ctx).NewRaw(`with carried as (
			select * from unnest(?::uuid[], ?::uuid[], ?::bigint[], ?::bigint[], ?::timestamptz[])
				as t (client_id, flow_id, up, down, last_at)
		), booked as (
			update client_flows a set up = a.up + t.up, down = a.down + t.down from carried t
				where a.client_id = t.client_id and a.flow_id = t.flow_id
				returning a.client_id, t.up as up, t.down as down, t.last_at
		), daily as (
			insert into client_days as d (client_id, day, up, down)
				select b.client_id, (b.last_at at time zone 'UTC')::date, sum(b.up), sum(b.down) from booked b group by 1, 2
				on conflict (client_id, day) do update set up = d.up + excluded.up, down = d.down + excluded.down
		)
		update client_profiles c set used_up = c.used_up + b.up, used_down = c.used_down + b.down,
			total_up = c.total_up + b.up, total_down = c.total_down + b.down,
			last_seen_at = greatest(c.last_seen_at, b.last_at), unshared = c.unshared or c.quota_bytes is not null
		from (select client_id, sum(up)::bigint as up, sum(down)::bigint as down, max(last_at) as last_at
			from booked group by 1) b
		where c.id = b.client_id`, pgdialect.Array(by.clients), pgdialect.Array(by.flows), pgdialect.Array(by.up),
		pgdialect.Array(by.down), pgdialect.Array(by.last)).Exec(ctx)
	return database.Fault(err, nil)
}

// announceSpent writes into the journal and emits whose quota is reached, once in each period. From that moment on
// they are left out by what reads the clients, with or without this.
func (c *clients) announceSpent(ctx context.Context) error {
	return c.announce(ctx, clientsapi.EventQuotaReached, `update client_profiles c set quota_told_at = ?0 where c.id in (
			select e.id from client_profiles e where e.quota_bytes is not null and e.used_up + e.used_down >= e.quota_bytes
				and e.quota_told_at is null and e.revoked_at is null
			order by e.id limit ?1 for update skip locked) returning c.*`,
		func(row *clientRow) map[string]audit.Change {
			return map[string]audit.Change{"used": {From: row.QuotaBytes, To: row.UsedUp + row.UsedDown}}
		})
}
