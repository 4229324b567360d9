package restores

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database/dbtest"
	"panel/platform/testneed/places"
)

// place is where a backup is kept. Its folder on this machine is known to the test alone.
type place struct {
	destination fields
	folder      string
}

func s3(t *testing.T) place {
	server := places.NewS3(t)
	return place{folder: filepath.Join(server.Root, places.Bucket, "panel"), destination: bucketOf(server)}
}

func bucketOf(server places.S3) fields {
	return fields{"kind": "s3", "secret": places.SecretKey, "config": fields{
		"endpoint": server.Endpoint, "bucket": places.Bucket, "prefix": "panel", "region": "us-east-1",
		"access_key_id": places.AccessKey, "path_style": true,
	}}
}

func sftp(t *testing.T) place {
	server := places.NewSSH(t)
	return place{folder: server.Folder, destination: folderOf(server)}
}

func folderOf(server places.SSH) fields {
	return fields{"kind": "sftp", "secret": server.Key, "config": fields{
		"host": places.Address, "port": server.Port, "user": server.User, "folder": server.Folder,
		"host_key": server.HostKey,
	}}
}

func local(t *testing.T) place {
	folder := rigtest.Folder(t)
	return place{folder: folder, destination: fields{"kind": "local", "config": fields{"folder": "daily"}}}
}

// reachable lets a panel of a test write to servers on its own machine.
const reachable = "PANEL_OUTBOUND_ALLOW=127.0.0.0/8"

// Round trips: a backup that lies on a real S3 server, a real SSH server or in a folder replaces the private database
// or the one of PANEL_DB_URL. Every table of the backup is proved first; everyone is signed out and signs in again,
// secrets open, the journal goes on, nodes enrolled since are listed, the agent comes back by itself, and a link
// carries traffic through it all.
func TestABackupComesBackFromEveryPlace(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		place func(*testing.T) place
		own   bool // a database of PANEL_DB_URL
	}{
		"a folder":                       {place: local},
		"S3, with a database of its own": {place: s3, own: true},
		"SFTP":                           {place: sftp},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := one.place(t)
			settings := rig.PanelSettings{Env: []string{reachable}}
			if at.destination["kind"] == "local" {
				settings.Env = append(settings.Env, "PANEL_BACKUP_DIR="+at.folder)
				at.folder = filepath.Join(at.folder, "daily")
			}
			if one.own {
				settings.DSN = dbtest.Empty(t)
			}
			comesBack(t, settings, at)
		})
	}
}

func comesBack(t *testing.T, settings rig.PanelSettings, at place) {
	t.Helper()
	w := &world{T: t, stand: rigtest.Install(t, settings)}
	traffic := rigtest.Carry(t, w.stand)
	w.backUp(at.destination)
	before := at.tables(t, w.ended(w.run).Artefact.Name)
	w.proved()
	rigtest.Enrolled(t, w.stand.API, "since")
	w.refusesAnotherWord()
	id := w.restore()
	steps, refused := w.over(id)
	t.Log(steps)
	require.True(t, refused, "every other answer is 503 meanwhile")
	require.NoError(t, w.stand.Panel.Healthy(t.Context()))
	w.signIn()
	require.Equal(t, []string{"carrier"}, w.nodes())
	read := w.record(id)
	require.Equal(t, "succeeded", read.State, read.Error)
	require.NotNil(t, read.Outcome)
	require.NotZero(t, read.Outcome.ContinuedAfter)
	require.Equal(t, "since", read.Outcome.EnrolledSince[0].Name)
	w.journalHolds(false, 1)
	require.NoError(t, w.stand.Online(t.Context(), traffic.Agent))
	require.NoError(t, w.stand.API.InSync(t.Context(), traffic.Flow))
	link, err := w.stand.API.Link(t.Context(), traffic.Flow)
	require.NoError(t, err)
	require.Equal(t, traffic.Link, link, "secrets open: the link holds the client's")
	traffic.GoesOn(t)
	again := w.ended(w.begin())
	require.Equal(t, "succeeded", again.State, again.Error)
	after := at.tables(t, again.Artefact.Name)
	for _, table := range kept {
		require.NotEmpty(t, before[table], table)
		require.Equal(t, before[table], after[table], table)
	}
}

// kept are tables that no restore and nothing after it writes to. Those of clients are none: what they use is counted
// meanwhile, and their link says whether they came back.
var kept = []string{"public.flows", "public.flow_versions"}

// tables are the checksums of all tables in a backup, as its manifest has them.
func (p place) tables(t *testing.T, artefact string) map[string]string {
	t.Helper()
	file, err := os.Open(filepath.Join(p.folder, artefact+".manifest"))
	require.NoError(t, err)
	defer file.Close()
	var manifest struct {
		Tables []struct {
			Name string `json:"name"`
			Rows int64  `json:"rows"`
			Sum  string `json:"sum"`
		} `json:"tables"`
	}
	require.NoError(t, json.NewDecoder(file).Decode(&manifest), "the proof follows on a line of its own")
	sums := map[string]string{}
	for _, table := range manifest.Tables {
		if sums[table.Name] = table.Sum; table.Rows == 0 {
			sums[table.Name] = ""
		}
	}
	return sums
}

// proved restores the backup into a database of its own, which must hold the same tables.
func (w *world) proved() {
	w.Helper()
	var read restoreRecord
	require.NoError(w, w.stand.API.Post(w.Context(), restoresPath, fields{"run_id": w.run, "mode": "verify"}, &read))
	read = w.record(read.ID)
	require.Equal(w, "ok", read.Verdict, read.Error)
}

func (w *world) refusesAnotherWord() {
	w.Helper()
	err := w.stand.API.Post(w.Context(), restoresPath, fields{"run_id": w.run, "mode": "full", "confirm": "another"}, nil)
	require.True(w, rig.Refused(err, 422), err)
}

// A machine with nothing but the files of a backup and the words that open it becomes the panel: the master key comes
// with the backup, the panel starts for the first time, people sign in, secrets open, the journal is proved and the
// agents come back by themselves.
func TestABareMachineBecomesThePanel(t *testing.T) {
	t.Parallel()
	w := &world{T: t, stand: rigtest.Install(t, rig.PanelSettings{})}
	traffic := rigtest.Carry(t, w.stand)
	w.backUp(fields{"kind": "local"})
	artefact := w.ended(w.run).Artefact.Name
	usb := rigtest.Folder(t)
	files, err := filepath.Glob(filepath.Join(w.stand.Panel.DataDir, "backups", artefact+".*"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(usb, filepath.Base(file)), text, 0o600))
	}
	require.NoError(t, w.stand.Panel.Stop())
	require.NoError(t, os.RemoveAll(w.stand.Panel.DataDir))
	restored, err := w.stand.Panel.With("PANEL_BACKUP_PASSPHRASE="+passphrase).Command(t.Context(), "",
		"backup", "restore", "--place", usb, "--yes")
	require.NoError(t, err)
	require.Zero(t, restored.Exit, restored.Err)
	require.NoError(t, w.stand.Panel.Up(t.Context()))
	w.signIn()
	require.Equal(t, []string{"carrier"}, w.nodes())
	w.journalHolds(false, 1)
	require.NoError(t, w.stand.Online(t.Context(), traffic.Agent))
	link, err := w.stand.API.Link(t.Context(), traffic.Flow)
	require.NoError(t, err)
	require.Equal(t, traffic.Link, link)
	traffic.GoesOn(t)
}
