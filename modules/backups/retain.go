package backups

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/retention"
	"panel/platform/database"
)

// retain removes what the rules of the profile let go, at each place that has the new artefact. Its failure is no
// failure of the run: it is in the log of the run, and the next run tries it again.
func (r *runner) retain(
	ctx context.Context, p *profile, result artefact.Result, targets []artefact.Target, f *follower,
) {
	ctx, cancel := context.WithTimeout(ctx, retainWithin)
	defer cancel()
	for i, one := range result.Targets {
		if one.Err != nil {
			continue
		}
		err := r.retainAt(ctx, p, targets[i], result.Manifest.Name)
		if err != nil && !errors.Is(err, artefact.ErrWriteOnly) {
			f.say("old backups could not be removed: " + err.Error())
			r.log.Warn("old backups could not be removed", zap.String("profile", p.row.Name), zap.Error(err))
		}
	}
}

// retainAt takes the backup that was just made for the newest, although times of backups are whole seconds.
func (r *runner) retainAt(ctx context.Context, p *profile, at artefact.Target, made string) error {
	listed, err := artefact.List(ctx, at, r.keys(p))
	if err != nil && !errors.Is(err, artefact.ErrDamaged) {
		return err
	}
	var kept []retention.Kept
	own := map[string]*artefact.Manifest{}
	for _, one := range listed {
		m := one.Manifest
		if !strings.Contains(m.Name, "-"+p.row.Label+"-") {
			continue // it belongs to another profile
		}
		own[m.Name] = m
		one := retention.Kept{Name: m.Name, At: m.CreatedAt, Bytes: m.Bytes(), Good: one.Authentic}
		if m.Name == made {
			one.At = one.At.Add(time.Second)
		}
		kept = append(kept, one)
	}
	for _, name := range retention.Excess(kept, p.row.rules(), r.now()) {
		if err := artefact.Remove(ctx, at, own[name]); err != nil {
			return err
		}
		if err := r.store.forget(ctx, p.row.ID, name, at.Name); err != nil {
			return err
		}
	}
	return artefact.Sweep(ctx, at, r.now())
}

// forget notes that a run's artefact is no longer at a place.
func (s *store) forget(ctx context.Context, profile, name, place string) error {
	_, err := s.db.In(ctx).NewRaw(`update backup_runs set destinations = (
			select coalesce(jsonb_agg(case when d->>'id' = ? then d || ?::jsonb else d end order by at), '[]')
			from jsonb_array_elements(destinations) with ordinality as list (d, at))
		where profile_id = ? and finished_at is not null and artefact->>'name' = ?`,
		place, fmt.Sprintf(`{"state":%q}`, stateRemoved), profile, name).Exec(ctx)
	return database.Fault(err, nil)
}
