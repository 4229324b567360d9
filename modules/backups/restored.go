package backups

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/restored"
)

// outlives are what the panel knows of backups that were made after the one that is restored, and the full restores:
// the one that is under way has its row here.
const outlives = `select jsonb_build_object(
	'runs', (select coalesce(jsonb_agg(to_jsonb(r)), '[]') from (select * from backup_runs where finished_at is not null
		order by created_at desc limit 1000) r),
	'restores', (select coalesce(jsonb_agg(to_jsonb(v) - 'keys'), '[]') from backup_restores v where v.mode = 'full'))`

// restored brings back what is known of later backups, notes that the restore is done, and ends what was under way when
// the backup was made.
func (s *service) restored(ctx context.Context, kept json.RawMessage, r *restored.Restoration) error {
	if len(kept) == 0 {
		kept = json.RawMessage(`{"runs": [], "restores": []}`)
	}
	for _, step := range []struct{ what, statement string }{
		{"runs", keptRuns}, {"the newest good runs", keptGood}, {"restores", keptRestores},
	} {
		if _, err := s.store.db.In(ctx).NewRaw(step.statement, string(kept), s.now()).Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("bring back %s: %w", step.what, err), nil)
		}
	}
	profile, err := s.noteRestore(ctx, r)
	if err != nil {
		return err
	}
	return s.bus.Emit(ctx, events.Event{Kind: kindRestored, SubjectID: r.ID, At: s.now(), Data: RestoreNews{
		RestoreID: r.ID, Name: profile, Artefact: r.Artefact, Snapshot: r.Snapshot,
	}})
}

const keptRuns = `with kept as (select r.* from jsonb_populate_recordset(null::backup_runs, ?0::jsonb -> 'runs') r
	where ?1::timestamptz is not null and exists (select from backup_profiles p where p.id = r.profile_id))
insert into backup_runs as r (id, profile_id, profile_name, state, trigger, step, bytes, error, artefact, destinations,
	log_tail, started_by, account_id, created_at, started_at, finished_at)
select id, profile_id, profile_name, state, trigger, step, bytes, error, artefact, destinations, log_tail, started_by,
	account_id, created_at, started_at, finished_at from kept
on conflict (id) do update set state = excluded.state, step = excluded.step, bytes = excluded.bytes,
	error = excluded.error, artefact = excluded.artefact, destinations = excluded.destinations,
	log_tail = excluded.log_tail, started_at = excluded.started_at, finished_at = excluded.finished_at`

// keptGood says anew which backup of a profile never goes, and since when it has none.
const keptGood = `update backup_profiles p set last_good_run = good.id,
	last_success_at = greatest(p.last_success_at, good.whole_at)
from (select distinct on (profile_id) id, profile_id, max(finished_at) filter (where state = 'succeeded')
		over (partition by profile_id) as whole_at
	from backup_runs where state in ('succeeded', 'partial') and ?0::jsonb is not null and ?1::timestamptz is not null
	order by profile_id, finished_at desc) good
where good.profile_id = p.id`

const keptRestores = `insert into backup_restores (id, run_id, mode, state, trigger, error, started_by, account_id,
	created_at, started_at, finished_at)
select v.id, v.run_id, v.mode, case when v.finished_at is null then 'succeeded' else v.state end, v.trigger, v.error,
	v.started_by, v.account_id, v.created_at, v.started_at, coalesce(v.finished_at, ?1)
from jsonb_populate_recordset(null::backup_restores, ?0::jsonb -> 'restores') v
where exists (select from backup_runs r where r.id = v.run_id)
on conflict (id) do nothing`

// noteRestore gives this restore its row, which one by the command line has not had, and answers the profile.
func (s *service) noteRestore(ctx context.Context, r *restored.Restoration) (profile string, err error) {
	run := runRow{}
	err = s.store.db.In(ctx).NewSelect().Model(&run).Where("artefact ->> 'name' = ?", r.Artefact).Limit(1).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil // the backup was made by hand
	}
	if err != nil {
		return "", database.Fault(fmt.Errorf("find the restored backup: %w", err), nil)
	}
	began, ended := r.At, s.now()
	row := restoreRow{
		ID: r.ID, RunID: run.ID, Mode: modeFull, State: stateSucceeded, Trigger: byPerson,
		StartedBy: cmp.Or(r.By, "panelctl"), AccountID: r.Account, CreatedAt: began, StartedAt: &began, FinishedAt: &ended,
	}
	_, err = s.store.db.In(ctx).NewInsert().Model(&row).On("conflict (id) do nothing").Exec(ctx)
	return run.ProfileName, database.Fault(err, nil)
}
