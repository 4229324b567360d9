// Package traffic counts what nodes carry in a month and tells when one comes near the limit of its hoster.
package traffic

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/jobs"
)

// Counter counts the traffic of all nodes.
type Counter struct {
	db    *database.DB
	bus   *events.Bus
	clock clockwork.Clock
}

// New makes the counter of a panel.
func New(db *database.DB, b *events.Bus, clock clockwork.Clock) *Counter {
	return &Counter{db: db, bus: b, clock: clock}
}

type countArgs struct{}

// Kind names the job that counts.
func (countArgs) Kind() string { return "nodes.count_traffic" }

// Job is what Schedule inserts. One that fails is not tried again: the next counts what it has left.
func (c *Counter) Job() jobs.Worker {
	return jobs.Worker{
		Kind: countArgs{}.Kind(), Attempts: 1,
		Work: func(ctx context.Context, _ jobs.Job) error { return c.Count(ctx) },
	}
}

// Schedule counts every minute. Counting changes no server, so no license stops it.
func Schedule() jobs.Schedule {
	return jobs.Schedule{
		Name: countArgs{}.Kind(), Cron: "* * * * *", ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Args: func() jobs.Args { return countArgs{} },
	}
}

// Began is when the month of a node began: on its reset day at midnight UTC, or on the last day of a shorter month.
func Began(resetDay int, now time.Time) time.Time {
	now = now.UTC()
	if began := on(resetDay, now.Year(), now.Month()); !began.After(now) {
		return began
	}
	return on(resetDay, now.Year(), now.Month()-1)
}

// Ends is when the month of a node ends.
func Ends(resetDay int, now time.Time) time.Time {
	began := Began(resetDay, now)
	return on(resetDay, began.Year(), began.Month()+1)
}

func on(day, year int, month time.Month) time.Time {
	last := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return time.Date(year, month, min(day, last), 0, 0, 0, 0, time.UTC)
}

// Count begins the months that are due, adds what was stored since the last time, and tells of nodes that have come to
// their thresholds. All of it commits with the mark up to which it goes, so that each byte counts once, whoever is
// killed. What an agent kept from before the month is in no month any more.
func (c *Counter) Count(ctx context.Context) error {
	now := c.clock.Now().UTC()
	err := c.db.InTx(ctx, func(ctx context.Context) error {
		var mark, next int64
		var at time.Time
		err := c.db.In(ctx).NewRaw("select mark, at from node_traffic_progress for update").Scan(ctx, &mark, &at)
		if err == nil {
			err = c.db.In(ctx).NewRaw("select pg_snapshot_xmin(pg_current_snapshot())::text::bigint").Scan(ctx, &next)
		}
		if err != nil {
			return fmt.Errorf("read how far traffic is counted: %w", err)
		}
		if err := c.begin(ctx, at, now); err != nil {
			return err
		}
		if err := c.add(ctx, mark, next); err != nil {
			return err
		}
		_, err = c.db.In(ctx).NewRaw("update node_traffic_progress set mark = ?, at = ?", next, now).Exec(ctx)
		if err != nil {
			return fmt.Errorf("note how far traffic is counted: %w", err)
		}
		return c.tell(ctx, now)
	})
	return database.Fault(err, nil)
}

// begin starts the months that are due since the last time, and that of each node without one. With another reset day
// the month that runs goes on to that day.
func (c *Counter) begin(ctx context.Context, last, now time.Time) error {
	began := make([]string, 0, lastDay)
	for day := 1; day <= lastDay; day++ {
		began = append(began, fmt.Sprintf("(%d, '%s'::timestamptz)", day, Began(day, now).Format(time.RFC3339)))
	}
	_, err := c.db.In(ctx).NewRaw(`with months (day, began) as (values `+strings.Join(began, ", ")+`)
		insert into node_traffic as t (node_id, since)
			select n.id, m.began from nodes n join months m on m.day = n.traffic_reset_day
				left join node_traffic o on o.node_id = n.id
			where o.since is null or m.began > ? and o.since < m.began order by n.id
			on conflict (node_id) do update set since = excluded.since, up = 0, down = 0, told_at = null`, last).
		Exec(ctx)
	if err != nil {
		return fmt.Errorf("begin the months of nodes: %w", err)
	}
	return nil
}

const lastDay = 31

// add counts what listeners carried. Those that share a port stand behind one that counts the same bytes. No sample
// stops the counting, whatever its agent makes up.
func (c *Counter) add(ctx context.Context, mark, next int64) error {
	if next <= mark { // restored in another database, whose transactions begin again lower down
		return nil
	}
	_, err := c.db.In(ctx).NewRaw(`update node_traffic t set up = least(t.up + s.up, 4e18)::bigint,
			down = least(t.down + s.down, 4e18)::bigint from (
			select s.node_id, sum(greatest((e ->> 'up')::bigint, 0)) as up,
				sum(greatest((e ->> 'down')::bigint, 0)) as down
			from node_samples s join node_traffic m on m.node_id = s.node_id
				cross join lateral jsonb_array_elements(s.traffic) e
			where s.xact >= ?0 and s.xact < ?1 and s.observed_at >= m.since and e ->> 'kind' = ?2
				and not starts_with(e ->> 'name', ?3)
			group by 1) s
		where t.node_id = s.node_id`, mark, next, agentapi.TrafficListener, agentapi.SharedTag).Exec(ctx)
	if err != nil {
		return fmt.Errorf("count the traffic of nodes: %w", err)
	}
	return nil
}

// beyond says that a node has come to its threshold.
const beyond = `n.traffic_limit is not null and
	(t.up + t.down)::numeric * 100 >= n.traffic_limit::numeric * n.traffic_notify_pct`

// tell emits which nodes have come to their thresholds, once in a month; with another limit they may do so again.
func (c *Counter) tell(ctx context.Context, now time.Time) error {
	db := c.db.In(ctx)
	_, err := db.NewRaw(`update node_traffic t set told_at = null from nodes n
		where n.id = t.node_id and t.told_at is not null and not (` + beyond + `)`).Exec(ctx)
	if err != nil {
		return fmt.Errorf("look for nodes with another limit: %w", err)
	}
	var rows []struct {
		NodeID, Name string
		Used, Limit  int64
		ResetDay     int
	}
	err = db.NewRaw(`update node_traffic t set told_at = ? from nodes n
		where n.id = t.node_id and t.told_at is null and `+beyond+`
		returning t.node_id::text, n.name, t.up + t.down as used, n.traffic_limit as limit,
			n.traffic_reset_day as reset_day`, now).Scan(ctx, &rows)
	if err != nil {
		return fmt.Errorf("look for nodes at their thresholds: %w", err)
	}
	const whole = 100.0
	news := make([]events.Event, len(rows))
	for i, r := range rows {
		news[i] = events.Event{
			Kind: nodesapi.NodeTrafficThreshold, SubjectID: r.NodeID, At: now, Data: nodesapi.Traffic{
				Name: r.Name, UsedBytes: r.Used, LimitBytes: r.Limit, ResetsAt: Ends(r.ResetDay, now),
				UsedPercent: int(whole * float64(r.Used) / float64(r.Limit)),
			},
		}
	}
	return c.bus.Emit(ctx, news...)
}
