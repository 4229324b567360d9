package backups

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
	"panel/platform/pgtools"
)

// collectors show how old, how large and how slow backups are.
func collectors(s *store) []metrics.Collector {
	one := func(name, help, query string) metrics.Collector {
		return metrics.AskedOne(name, help, func(ctx context.Context) (value float64, err error) {
			return value, s.db.NewRaw(query).Scan(ctx, &value)
		})
	}
	const newest = ` from backup_runs where finished_at is not null and artefact is not null
		order by finished_at desc limit 1), 0)`
	return []metrics.Collector{
		one("panel_backup_age_seconds", "Age of the last good backup of the enabled profile that has the oldest.",
			`select coalesce(max(extract(epoch from now() - coalesce(last_success_at, created_at))), 0)
				from backup_profiles where enabled`),
		one("panel_backup_bytes", "Size of the newest backup.", "select coalesce((select (artefact->>'bytes')::float8"+newest),
		one("panel_backup_duration_seconds", "How long the newest backup took.",
			"select coalesce((select extract(epoch from finished_at - started_at)"+newest),
		one("panel_backup_failed_runs", "Runs of the last day that did not reach all destinations.",
			`select count(*)::float8 from backup_runs where finished_at > now() - interval '1 day'
				and state in ('failed', 'partial')`),
	}
}

// ageCheck asks for the last good backup of each profile.
func ageCheck() doctor.Check {
	return doctor.Check{ID: "backups.age", Group: "components", Title: "age of the last good backup", Run: ages}
}

// usuallyLate is when a profile without a dead-man timer is late.
const usuallyLate = 48 * time.Hour

func ages(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var rows []struct {
		Name          string
		Cron          string
		DeadmanHours  int
		CreatedAt     time.Time
		LastSuccessAt *time.Time
	}
	err := db.NewRaw(`select name, cron, deadman_hours, created_at, last_success_at from backup_profiles where enabled
		order by name`).Scan(ctx, &rows)
	if err != nil {
		return doctor.Finding{
			Status: doctor.Skipped,
			Found:  doctor.Say("the schema of the panel is not in this database"),
		}
	}
	if len(rows) == 0 {
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("no backup profile is enabled"),
			Do: doctor.Say("add a profile with a schedule: Web: Backups"),
		}
	}
	var late []string
	for _, row := range rows {
		since, limit := row.CreatedAt, time.Duration(row.DeadmanHours)*time.Hour
		if row.LastSuccessAt != nil {
			since = *row.LastSuccessAt
		}
		if limit == 0 {
			limit = usuallyLate
		}
		if env.Now().Sub(since) > limit && (row.Cron != "" || row.DeadmanHours > 0) {
			late = append(late, row.Name)
		}
	}
	data := map[string]any{"profiles": len(rows), "late": len(late)}
	if len(late) > 0 {
		return doctor.Finding{
			Status: doctor.Failed, Found: doctor.Say("no good backup for too long: %s", strings.Join(late, ", ")),
			Do: doctor.Say("start a backup and look why the last one failed: panelctl logs worker"), Data: data,
		}
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("%d profiles, none is late", len(rows)), Data: data}
}

// programCheck asks for the programs that backups and restore tests need.
func programCheck() doctor.Check {
	return doctor.Check{ID: "backups.programs", Group: "components", Title: "programs for backups", Run: programs}
}

func programs(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	conn, err := database.Connect(ctx, db.Pool.Config().ConnString())
	if err != nil {
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("the database does not answer")}
	}
	major := pgtools.Major(conn)
	_ = conn.Close(ctx)
	_, err = pgtools.Find(ctx, env.Getenv("PANEL_PG_BIN"), major, "pg_dump", "pg_restore")
	var missing *pgtools.Missing
	if errors.As(err, &missing) {
		return doctor.Finding{
			Status: doctor.Failed, Found: doctor.Say("there is no pg_dump for PostgreSQL %d", major),
			Do: doctor.Command("apt install postgresql-client-%d", major),
		}
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("pg_dump fits PostgreSQL %d", major)}
}

// folderCheck asks whether local backups can be written.
func folderCheck() doctor.Check {
	return doctor.Check{ID: "backups.folder", Group: "disk", Title: "folder of local backups is writable", Run: writable}
}

func writable(_ context.Context, env doctor.Env) doctor.Finding {
	folder := checks.BackupDir(env)
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("no local backups in %s", folder)}
	}
	file, err := os.CreateTemp(folder, ".doctor-*")
	if err != nil {
		return doctor.Finding{
			Status: doctor.Failed, Subject: folder, Found: doctor.Say("%s cannot be written", folder),
			Do: doctor.Say("systemctl edit panel.service: [Service] ReadWritePaths=%s, then restart it", folder),
		}
	}
	_ = file.Close()
	_ = os.Remove(filepath.Clean(file.Name()))
	return doctor.Finding{Status: doctor.OK, Subject: folder, Found: doctor.Say("%s can be written", folder)}
}
