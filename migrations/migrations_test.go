package migrations_test

import (
	"database/sql"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"panel/migrations"
	"panel/platform/database"
	"panel/platform/database/dbtest"
)

func set(name string, files map[string]string) migrations.Set {
	folder := fstest.MapFS{}
	for path, text := range files {
		folder["migrations/"+path] = &fstest.MapFile{Data: []byte(text)}
	}
	return migrations.Set{Name: name, FS: folder}
}

func open(t *testing.T) *sql.DB {
	db, err := database.Open(t.Context(), dbtest.Empty(t), database.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db.DB.DB
}

func count(t *testing.T, db *sql.DB, query string) (n int) {
	require.NoError(t, db.QueryRowContext(t.Context(), query).Scan(&n))
	return n
}

func TestTwoModulesMayUseTheSameStampAndComment(t *testing.T) {
	t.Parallel()
	db := open(t)
	one := set("one", map[string]string{"20260101000000_create.tx.up.sql": "create table ones (id int)"})
	two := set("two", map[string]string{"20260101000000_create.tx.up.sql": "create table twos (id int)"})
	require.NoError(t, migrations.Run(t.Context(), db, []migrations.Set{one, two}))
	require.Equal(t, 2, count(t, db, "select count(*) from pg_tables where tablename in ('ones', 'twos')"))
	require.Equal(t, 2,
		count(t, db, "select count(*) from bun_migrations where name in ('20260101000000_one', '20260101000000_two')"))
}

func TestFourStartersAtOnceApplyEachStepOnce(t *testing.T) {
	t.Parallel()
	db := open(t)
	steps := set("counted", map[string]string{
		"20260101000000_create.tx.up.sql": "create table counted (n int); select pg_sleep(0.05)",
		"20260101000001_first.tx.up.sql":  "insert into counted values (1)",
		"20260101000002_second.tx.up.sql": "insert into counted values (2)",
	})
	var starters sync.WaitGroup
	failures := make(chan error, 4)
	for range 4 {
		starters.Go(func() { failures <- migrations.Run(t.Context(), db, []migrations.Set{steps}) })
	}
	starters.Wait()
	close(failures)
	for err := range failures {
		require.NoError(t, err)
	}
	require.Equal(t, 2, count(t, db, "select count(*) from counted"))
	require.Equal(t, 3, count(t, db, "select count(*) from bun_migrations where name like '%_counted'"))
}

func TestAFailingStepIsNotRecordedLeavesNothingAndRunsAgainOnceCorrected(t *testing.T) {
	t.Parallel()
	db := open(t)
	good := map[string]string{"20260101000000_create.tx.up.sql": "create table halves (id int)"}
	broken := map[string]string{"20260101000001_more.tx.up.sql": "insert into halves values (1); insert into nowhere values (1)"}
	broken["20260101000000_create.tx.up.sql"] = good["20260101000000_create.tx.up.sql"]
	err := migrations.Run(t.Context(), db, []migrations.Set{set("m", broken)})
	require.ErrorContains(t, err, "20260101000001_m")
	require.Equal(t, 1, count(t, db, "select count(*) from bun_migrations where name like '%_m'"))
	require.Zero(t, count(t, db, "select count(*) from halves"))

	broken["20260101000001_more.tx.up.sql"] = "insert into halves values (1)"
	require.NoError(t, migrations.Run(t.Context(), db, []migrations.Set{set("m", broken)}))
	require.NoError(t, migrations.Run(t.Context(), db, []migrations.Set{set("m", broken)}))
	require.Equal(t, 1, count(t, db, "select count(*) from halves"))
}

func TestAKillBetweenAStepAndItsNoteDoesNotApplyItTwice(t *testing.T) {
	t.Parallel()
	db := open(t)
	steps := []migrations.Set{set("m", map[string]string{"20260101000000_create.tx.up.sql": `create table once (id int);
		create function dies() returns trigger language plpgsql as $$ begin raise 'killed here'; end $$;
		create trigger dies before update on bun_migrations execute function dies();`})}
	require.ErrorContains(t, migrations.Run(t.Context(), db, steps), "killed here")
	_, err := db.ExecContext(t.Context(), "drop trigger dies on bun_migrations")
	require.NoError(t, err)
	require.NoError(t, migrations.Run(t.Context(), db, steps))
	require.Equal(t, 1, count(t, db, "select count(*) from bun_migrations where name = '20260101000000_m'"))
}

func TestALateStepWithAnOlderStampIsRefused(t *testing.T) {
	t.Parallel()
	db := open(t)
	files := map[string]string{"20260101000005_create.tx.up.sql": "create table late (id int)"}
	require.NoError(t, migrations.Run(t.Context(), db, []migrations.Set{set("m", files)}))
	files["20260101000001_older.tx.up.sql"] = "drop table late"
	require.ErrorContains(t, migrations.Run(t.Context(), db, []migrations.Set{set("m", files)}), "older")
	require.Equal(t, 1, count(t, db, "select count(*) from pg_tables where tablename = 'late'"))
}

func TestFilesThatWouldRunOtherwiseThanMeantAreRefused(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]string{
		"20260101000000_create.up.sql":      ".tx.up.sql",
		"20260101000000_create.tx.down.sql": ".tx.up.sql",
		"notes.txt":                         ".tx.up.sql",
		"1_create.tx.up.sql":                "14 digits",
	} {
		require.ErrorContains(t, migrations.Check(set("m", map[string]string{name: ""})), part, name)
	}
	twice := set("m", map[string]string{"20260101000000_a.tx.up.sql": "", "20260101000000_b.tx.up.sql": ""})
	require.ErrorContains(t, migrations.Check(twice), "twice")
	require.NoError(t, migrations.Check(migrations.Platform()))
}
