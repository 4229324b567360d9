package artefact_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/backups/internal/artefact"
	"panel/platform/pgtools"
)

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	for _, mode := range []artefact.Mode{artefact.Plain, artefact.ByRecipient, artefact.ByPassphrase} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			_, at, m, keys := made(t, mode)
			listed, err := artefact.List(t.Context(), at, keys)
			require.NoError(t, err)
			require.Len(t, listed, 1)
			require.True(t, listed[0].Authentic)
			require.Equal(t, encodedOf(t, m), encodedOf(t, listed[0].Manifest))
			require.NoError(t, proves(t, at, "latest", keys))
			dump, err := content(t, at, m, artefact.Database, keys)
			require.NoError(t, err)
			require.True(t, bytes.HasPrefix(dump, []byte("PGDMP")), "it is pg_dump's own format")
			if mode != artefact.Plain {
				secret, err := content(t, at, m, artefact.SecretStore, keys)
				require.NoError(t, err)
				require.Equal(t, master+"\n", string(secret))
			}
		})
	}
}

// A backup can be read without the panel: the parts in their order, zstd, pg_restore.
func TestABackupIsReadByOtherProgramsAlone(t *testing.T) {
	t.Parallel()
	path, _, m, _ := made(t, artefact.Plain)
	pattern := filepath.Join(path, m.Name) + ".database.*"
	said, err := exec.CommandContext(t.Context(), "sh", "-c", "cat "+pattern+" | zstd -d | pg_restore --list").
		CombinedOutput()
	require.NoError(t, err, string(said))
	require.Contains(t, string(said), "TABLE DATA public things")
}

func TestTheManifestCountsEveryTable(t *testing.T) {
	t.Parallel()
	_, _, m, _ := made(t, artefact.Plain)
	rows := map[string]int64{}
	sums := map[string]string{}
	for _, table := range m.Tables {
		rows[table.Name], sums[table.Name] = table.Rows, table.Sum
	}
	require.EqualValues(t, 2000, rows["public.things"])
	require.NotEqual(t, "0", sums["public.things"])
	require.Contains(t, rows, "public.void")
	require.Contains(t, rows, "jobs.river_job")
	require.NotEmpty(t, m.Schema)
	require.Equal(t, "1.2.3", m.PanelVersion)
}

// Rows are added up by their values, which is quick, and as texts where a value has no hash: the bits of a job.
func TestRowsAreAddedUpByTheirValuesWhereEveryValueHasAHash(t *testing.T) {
	t.Parallel()
	_, _, m, _ := made(t, artefact.Plain)
	by := map[string]artefact.SumBy{}
	for _, table := range m.Tables {
		by[table.Name] = table.By
	}
	require.Equal(t, artefact.ByRecord, by["public.things"])
	require.Equal(t, artefact.ByRecord, by["public.void"])
	require.Equal(t, artefact.ByText, by["jobs.river_job"])
}

func TestSettingsAreKeptUnderTheirPaths(t *testing.T) {
	t.Parallel()
	_, at := folder(t)
	env := filepath.Join(t.TempDir(), "panel.env")
	require.NoError(t, os.WriteFile(env, []byte("PANEL_PORT=8081\n"), 0o600))
	from := source(t)
	from.Settings = []string{env, "/does/not/exist"}
	encryption, keys := secured(t, artefact.ByRecipient)
	result, err := artefact.Create(t.Context(), from, artefact.Options{Encryption: encryption, Config: true},
		[]artefact.Target{target("folder", at)})
	require.NoError(t, err)
	packed, err := content(t, at, result.Manifest, artefact.Config, keys)
	require.NoError(t, err)
	reader := tar.NewReader(bytes.NewReader(packed))
	header, err := reader.Next()
	require.NoError(t, err)
	require.Equal(t, strings.TrimPrefix(env, "/"), header.Name)
	text, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, "PANEL_PORT=8081\n", string(text))
	_, err = reader.Next()
	require.ErrorIs(t, err, io.EOF)
}

// The master key, and places that others can look into, take nothing that is not encrypted.
func TestSecretsAreNeverPlain(t *testing.T) {
	t.Parallel()
	path, at := folder(t)
	to := []artefact.Target{target("folder", at)}
	plain := artefact.Options{Encryption: artefact.Encryption{Mode: artefact.Plain}, SecretStore: true}
	from := artefact.Source{Master: master}
	_, err := artefact.Create(t.Context(), from, plain, to)
	require.ErrorIs(t, err, artefact.ErrPlain)
	plain.SecretStore = false
	_, err = artefact.Create(t.Context(), from, plain, append(to, target("chat", watchedPlace{at})))
	require.ErrorIs(t, err, artefact.ErrPlain)
	require.Empty(t, files(t, path))
}

type watchedPlace struct{ artefact.Destination }

// Limits are those of a place that others read.
func (watchedPlace) Limits() artefact.Limits { return artefact.Limits{Encrypted: true} }

func TestAnotherKeyOpensNothing(t *testing.T) {
	t.Parallel()
	_, at, m, _ := made(t, artefact.ByRecipient)
	_, others := secured(t, artefact.ByRecipient)
	_, err := content(t, at, m, artefact.Database, others)
	require.ErrorIs(t, err, artefact.ErrNeedsKey)
	_, err = content(t, at, m, artefact.Database, artefact.Keys{})
	require.ErrorIs(t, err, artefact.ErrNeedsKey)
	_, at, m, keys := made(t, artefact.ByPassphrase)
	keys.Passphrase += "?"
	_, err = content(t, at, m, artefact.Database, keys)
	require.ErrorIs(t, err, artefact.ErrNeedsKey)
}

// Acceptance test 12 of domain.md: the upload to one of two destinations fails, and the run is partial.
func TestOneOfTwoDestinationsFailing(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]*broken{
		"fails at once": {at: 1}, "fails later": {at: 2}, "hangs": {at: 2, hang: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, good := folder(t)
			path, place := folder(t)
			bad.Destination = place
			encryption, keys := secured(t, artefact.Plain)
			stall := 5 * time.Second
			if !bad.hang {
				stall = time.Hour
			}
			began := time.Now()
			result, err := artefact.Create(t.Context(), source(t), artefact.Options{
				Encryption: encryption, PartBytes: 64 << 10, Stall: stall,
			}, []artefact.Target{target("bad", bad), target("good", good)})
			require.NoError(t, err)
			require.Less(t, time.Since(began), patience, "a destination that hangs does not hold the others for ever")
			require.Equal(t, artefact.Partial, result.State)
			require.Error(t, result.Targets[0].Err)
			if bad.hang {
				require.ErrorIs(t, result.Targets[0].Err, artefact.ErrStalled)
			}
			require.NoError(t, result.Targets[1].Err)
			require.NoError(t, proves(t, good, "", keys))
			require.Empty(t, files(t, path), "nothing is left of what failed")
		})
	}
}

// A place may keep the manifest and die before it says so. The other place has the backup, and nothing of it is left to
// be offered where the run says that it failed.
func TestAPlaceThatDiesWithTheManifestKeepsNoHalfBackup(t *testing.T) {
	t.Parallel()
	_, good := folder(t)
	path, place := folder(t)
	encryption, keys := secured(t, artefact.ByRecipient)
	for _, gone := range []*dying{{Destination: place}, {Destination: place, away: true}} {
		options := artefact.Options{Encryption: encryption, SecretStore: true}
		result, err := artefact.Create(t.Context(), source(t), options,
			[]artefact.Target{target("dies", gone), target("good", good)})
		require.NoError(t, err)
		require.Equal(t, artefact.Partial, result.State)
		require.ErrorIs(t, result.Targets[0].Err, errBroken)
		require.NoError(t, proves(t, good, result.Manifest.Name, keys))
		if gone.away {
			require.NoError(t, proves(t, place, result.Manifest.Name, keys), "what cannot be taken away stays whole")
			continue
		}
		require.Empty(t, files(t, path))
	}
}

// dying is a destination that keeps the manifest and answers nothing. One that is away does not come back soon.
type dying struct {
	artefact.Destination
	away bool
}

// Put fails after the manifest was kept.
func (d *dying) Put(ctx context.Context, file string, content io.Reader) error {
	err := d.Destination.Put(ctx, file, content)
	if strings.HasSuffix(file, ".manifest") {
		return errBroken
	}
	return err
}

// Remove answers like a server that was started again only for the parts.
func (d *dying) Remove(ctx context.Context, file string) error {
	if d.away && strings.HasSuffix(file, ".manifest") {
		return errBroken
	}
	return d.Destination.Remove(ctx, file)
}

func TestAllDestinationsFailing(t *testing.T) {
	t.Parallel()
	path, place := folder(t)
	encryption, _ := secured(t, artefact.Plain)
	result, err := artefact.Create(t.Context(), source(t), artefact.Options{Encryption: encryption},
		[]artefact.Target{target("bad", &broken{Destination: place, at: 1})})
	require.ErrorIs(t, err, errBroken)
	require.ErrorContains(t, err, "bad: ")
	require.Equal(t, artefact.Failed, result.State)
	require.Nil(t, result.Manifest)
	require.Empty(t, files(t, path))
}

// A dump that is killed in the middle leaves nothing that could be taken for a backup.
func TestADumpThatIsKilledInTheMiddle(t *testing.T) {
	t.Parallel()
	path, at := folder(t)
	from := source(t)
	from.Programs = programs(t, "head -c 3000000 /dev/urandom\nkill -9 $$\n")
	encryption, keys := secured(t, artefact.ByRecipient)
	result, err := artefact.Create(t.Context(), from, artefact.Options{Encryption: encryption, PartBytes: 1 << 20},
		[]artefact.Target{target("folder", at)})
	require.ErrorContains(t, err, "pg_dump: signal: killed")
	require.Equal(t, artefact.Failed, result.State)
	require.Empty(t, files(t, path))
	_, err = artefact.Find(t.Context(), at, "", keys)
	require.ErrorIs(t, err, artefact.ErrNone)
	require.ErrorIs(t, err, artefact.ErrMissing)
}

func TestWithoutAFittingProgramThePackageIsNamed(t *testing.T) {
	t.Parallel()
	_, err := pgtools.Find(t.Context(), programs(t, ""), 100, "pg_dump", "pg_restore")
	var missing *pgtools.Missing
	require.ErrorAs(t, err, &missing)
	require.ErrorContains(t, err, "postgresql-client-100")
}

// What a killed panel leaves has no manifest: it is never offered, and goes a day later.
func TestWhatAnInterruptedRunLeavesIsSweptADayLater(t *testing.T) {
	t.Parallel()
	path, at, m, keys := made(t, artefact.Plain)
	whole := len(files(t, path))
	const left = "panel-20261101t000000z-daily-0badcafe"
	for _, file := range []string{left + ".database.0001", left + ".database.0002.part", "notes.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(path, file), []byte("half"), 0o600))
	}
	listed, err := artefact.List(t.Context(), at, keys)
	require.NoError(t, err)
	require.Len(t, listed, 1)
	began := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	require.NoError(t, artefact.Sweep(t.Context(), at, began.Add(artefact.Abandoned-time.Second)))
	require.Len(t, files(t, path), whole+3, "it may still be written")
	require.NoError(t, artefact.Sweep(t.Context(), at, began.Add(10*365*artefact.Abandoned)))
	require.Len(t, files(t, path), whole+1, "what is whole and what is not ours stays")
	require.NoError(t, artefact.Remove(t.Context(), at, m))
	require.Len(t, files(t, path), 1)
}

func TestACancelledRunLeavesNothing(t *testing.T) {
	t.Parallel()
	path, at := folder(t)
	from := source(t)
	from.Programs = programs(t, "exec cat /dev/urandom\n")
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("somebody cancelled it")
	encryption, _ := secured(t, artefact.Plain)
	_, err := artefact.Create(ctx, from, artefact.Options{
		Encryption: encryption, PartBytes: 1 << 20,
		Progress: func(p artefact.Progress) {
			if p.Bytes > 5<<20 {
				cancel(reason)
			}
		},
	}, []artefact.Target{target("folder", at)})
	require.Error(t, err)
	require.Empty(t, files(t, path))
}

// Measurements that are left out leave their tables, empty.
func TestMeasurementsAreKeptAsFarAsWanted(t *testing.T) {
	t.Parallel()
	from := source(t,
		"create table node_samples (at int, v int) partition by range (at)",
		"create table node_samples_1 partition of node_samples for values from (0) to (10)",
		"insert into node_samples values (1, 1)",
		"create table node_metrics_10m (at int)", "insert into node_metrics_10m values (1)")
	for keep, empty := range map[artefact.Telemetry][2]bool{
		artefact.TelemetryAll: {false, false}, artefact.TelemetryRollups: {true, false},
		artefact.TelemetryNone: {true, true},
	} {
		_, at := folder(t)
		encryption, keys := secured(t, artefact.Plain)
		result, err := artefact.Create(t.Context(), from, artefact.Options{Encryption: encryption, Telemetry: keep},
			[]artefact.Target{target("folder", at)})
		require.NoError(t, err)
		got := map[string]bool{}
		for _, table := range result.Manifest.Tables {
			got[table.Name] = table.Empty
		}
		left := [2]bool{got["public.node_samples_1"], got["public.node_metrics_10m"]}
		require.Equal(t, empty, left, keep)
		require.False(t, got["public.things"])
		dump, err := content(t, at, result.Manifest, artefact.Database, keys)
		require.NoError(t, err)
		list := exec.CommandContext(t.Context(), "pg_restore", "--list")
		list.Stdin = bytes.NewReader(dump)
		said, err := list.Output()
		require.NoError(t, err)
		require.Contains(t, string(said), " TABLE public node_samples_1 ", "the table is there in any case")
		require.Equal(t, !empty[0], strings.Contains(string(said), " TABLE DATA public node_samples_1 "))
	}
}

// A large backup costs no memory: the whole way is a stream. This test measures, so nothing runs beside it.
//
//nolint:paralleltest // see above
func TestTwoHundredMegabytesStayWithinTheMemory(t *testing.T) {
	const bytes, most = 200 << 20, 64 << 20
	_, at := folder(t)
	from := source(t)
	from.Programs = programs(t, "head -c 209715200 /dev/urandom\n")
	encryption, keys := secured(t, artefact.ByRecipient)
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	peak := uint64(0)
	look := func(artefact.Progress) {
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		peak = max(peak, now.HeapInuse)
	}
	result, err := artefact.Create(t.Context(), from, artefact.Options{Encryption: encryption, Progress: look},
		[]artefact.Target{target("folder", at)})
	require.NoError(t, err)
	require.Greater(t, result.Manifest.Bytes(), int64(bytes))
	opened, err := artefact.Open(t.Context(), at, result.Manifest, artefact.Database, keys)
	require.NoError(t, err)
	counter := &looking{look: look}
	read, err := io.Copy(counter, opened)
	require.NoError(t, err)
	require.NoError(t, opened.Close())
	require.EqualValues(t, bytes, read)
	t.Logf("peak of the heap: %d MB above the start", (int64(peak)-int64(before.HeapInuse))>>20)
	require.Less(t, int64(peak)-int64(before.HeapInuse), int64(most))
}

type looking struct {
	look func(artefact.Progress)
	seen int
}

// Write looks at the memory now and then.
func (l *looking) Write(data []byte) (int, error) {
	if l.seen += len(data); l.seen > 8<<20 {
		l.seen = 0
		l.look(artefact.Progress{})
	}
	return len(data), nil
}
