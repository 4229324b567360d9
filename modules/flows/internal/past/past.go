// Package past tells what was installed of the flows at a moment.
package past

import (
	"context"
	"fmt"
	"time"

	"panel/platform/database"
	"panel/platform/fault"
)

// Installed is what was installed of all flows that are still there.
type Installed struct {
	At    time.Time `json:"at"`
	Total int       `json:"total" doc:"Flows that had been installed, or were tried to be"`
	Items []Flow    `json:"items" doc:"The first 500 of them by name"`

	Earlier *time.Time `json:"earlier" doc:"The newest end of an apply more than a minute before; null without one"`
	Later   *time.Time `json:"later" doc:"The first end of an apply after; null without one"`
}

// Flow is what was installed of one.
type Flow struct {
	ID       string     `json:"id" format:"uuid"`
	Name     string     `json:"name"`
	State    string     `json:"state" enum:"applied,applying,apply_failed,disabled"`
	Version  *int       `json:"version_number" doc:"What its nodes served; null: nothing yet, or a version that is kept no longer"`
	Since    *time.Time `json:"since"`
	By       string     `json:"by"`
	Bypassed int        `json:"bypassed" doc:"Checks that were bypassed"`
	ApplyID  *string    `json:"apply_id" doc:"The last apply before the moment"`
}

const (
	most  = 500
	apart = time.Minute // ends that are nearer are the same for somebody who goes from one to the other
)

// At reads it from the records of applies. Fault: bad_parameter (400).
func At(ctx context.Context, db *database.DB, at, now time.Time) (Installed, error) {
	out := Installed{At: at.UTC(), Items: []Flow{}}
	if at.After(now) {
		return out, fault.Malformed("bad_parameter", "the moment is not past").
			Field("query.at", "bad_parameter", "must be past")
	}
	var rows []struct {
		Flow
		Total int
	}
	// A restoration of one node changes nothing of what is installed.
	err := db.NewRaw(`select f.id, f.name, count(*) over () as total, l.id as apply_id, v.number as version, i.finished_at as since,
			coalesce(i.started_by, l.started_by) as by, coalesce(jsonb_array_length(i.bypassed), 0) as bypassed,
			case when l.finished_at is null or l.finished_at > ?0 then 'applying'
				when l.stage = 'apply_failed' then 'apply_failed'
				when i.kind = 'disable' then 'disabled' else 'applied' end as state
		from flows f
		cross join lateral (select a.id, a.stage, a.finished_at, a.started_by from flow_applies a
			where a.flow_id = f.id and a.started_at <= ?0 order by a.started_at desc limit 1) l
		left join lateral (select a.kind, a.version_id, a.finished_at, a.started_by, a.bypassed from flow_applies a
			where a.flow_id = f.id and a.stage = 'applied' and a.kind <> 'restore' and a.finished_at <= ?0
			order by a.finished_at desc limit 1) i on true
		left join flow_versions v on v.id = i.version_id and i.kind <> 'disable'
		where not f.deleting order by coalesce(f.name_key, lower(f.name)) collate "C", f.id limit ?1`, at, most).Scan(ctx, &rows)
	if err != nil {
		return out, database.Fault(fmt.Errorf("read what was installed: %w", err), nil)
	}
	for i := range rows {
		out.Total = rows[i].Total
		out.Items = append(out.Items, rows[i].Flow)
	}
	return out, around(ctx, db, &out)
}

// around adds when applies ended before and after the moment.
func around(ctx context.Context, db *database.DB, out *Installed) error {
	err := db.NewRaw(`select max(finished_at) filter (where finished_at < ?1) as earlier,
			min(finished_at) filter (where finished_at > ?0) as later
		from flow_applies a join flows f on f.id = a.flow_id where not f.deleting`, out.At, out.At.Add(-apart)).
		Scan(ctx, &out.Earlier, &out.Later)
	if err != nil {
		return database.Fault(fmt.Errorf("look for the applies around a moment: %w", err), nil)
	}
	return nil
}
