package targets

import (
	"context"
	"encoding/json"
	"time"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
	"panel/platform/restored"
)

// running is the number of searches that have not ended.
func (s *searches) running() metrics.Collector {
	return metrics.AskedOne("panel_target_searches_running", "Searches for REALITY targets that run.",
		func(ctx context.Context) (float64, error) {
			n, err := s.store.db.NewSelect().Model((*searchRow)(nil)).Where("state = ?", stateRunning).Count(ctx)
			return float64(n), err
		})
}

// failed is the number of searches that nodes did not carry out lately.
func (s *searches) failed() metrics.Collector {
	return metrics.AskedOne("panel_target_searches_failed", "Searches for REALITY targets that failed within a day.",
		func(ctx context.Context) (float64, error) {
			n, err := s.store.db.NewSelect().Model((*searchRow)(nil)).
				Where("state = ? and created_at > ?", stateFailed, s.now().Add(-24*time.Hour)).Count(ctx)
			return float64(n), err
		})
}

// restored ends searches that ran when the backup was made: their orders are of another time.
func (s *searches) restored(ctx context.Context, _ json.RawMessage, done *restored.Restoration) error {
	_, err := s.store.db.In(ctx).NewUpdate().Model((*searchRow)(nil)).
		Set("state = ?", stateFailed).Set("reason = ?", reasonLost).Set("ended_at = ?", done.At).
		Where("state = ?", stateRunning).Exec(ctx)
	return err
}

// check is what Doctor asks about searches, also while the panel is down.
func check() doctor.Check {
	return doctor.Check{
		ID: "components.targets", Group: "components", Title: "searches for REALITY targets", Run: stuck,
	}
}

// stuck finds searches that should have ended.
func stuck(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var runs, late int
	err := db.NewRaw("select count(*), count(*) filter (where ends_by < ?) from target_searches where state = ?",
		env.Now().Add(-2*patience), stateRunning).Scan(ctx, &runs, &late)
	data := map[string]any{"running": runs, "late": late}
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	case late > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d searches for targets should have ended", late),
			Do: doctor.Command("panelctl logs worker"), Data: data,
		}
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("%d searches for targets run", runs), Data: data}
}
