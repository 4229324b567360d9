package operations

import (
	"context"
	"time"

	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
)

// late is how long a job may wait for a free place before something is wrong.
const late = 5 * time.Minute

func check() doctor.Check {
	return doctor.Check{ID: "components.jobs", Group: "components", Title: "background work", Run: moving}
}

// moving finds work that waits although it could run, and work that was given up.
func moving(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var found backlog
	err := found.read(ctx, db)
	switch {
	case err != nil:
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("the database has no table of jobs yet")}
	case found.Waits > late.Seconds():
		return doctor.Finding{
			Status: doctor.Failed, Found: doctor.Say("a job of the kind %s has waited for %d minutes", found.Kind,
				int(found.Waits/60)),
			Do: doctor.Command("panelctl logs worker"), Data: found.data(),
		}
	case found.GivenUp > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d jobs failed until their attempts were used up",
				found.GivenUp),
			Do: doctor.Command("panelctl logs worker --level error"), Data: found.data(),
		}
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("%d jobs wait", found.Waiting), Data: found.data()}
}

type backlog struct {
	Kind    string  // of the job that waits longest
	Waits   float64 // seconds
	Waiting int
	GivenUp int
}

func (b *backlog) read(ctx context.Context, db *database.DB) error {
	return db.NewRaw(`select coalesce((array_agg(kind order by scheduled_at) filter (where due))[1], ''),
			coalesce(extract(epoch from now() - min(scheduled_at) filter (where due)), 0)::float8,
			count(*) filter (where state in ('available', 'retryable', 'scheduled')), count(*) filter (where state = 'discarded')
		from (select *, state = 'available' and scheduled_at <= now() as due from jobs.river_job
			where state in ('available', 'retryable', 'scheduled', 'discarded')) j`).
		Scan(ctx, &b.Kind, &b.Waits, &b.Waiting, &b.GivenUp)
}

func (b *backlog) data() map[string]any {
	return map[string]any{"waiting": b.Waiting, "given_up": b.GivenUp, "oldest_seconds": int(b.Waits)}
}
