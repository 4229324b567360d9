// Package operator runs panelctl the way an operator does at three in the morning: in broken worlds, by its exit codes
// and by what it says.
package operator

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/modules"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/doctor"
	"panel/platform/vault"
)

// call is one run of panelctl in a world of its own.
type call struct {
	args   []string
	env    []string
	dir    string
	prefix []string // a command that makes the world and then runs the rest
}

type outcome struct {
	exit     int
	out, err string
	took     time.Duration
}

const nobody = 65534

// asNobody runs a command without any rights; whoever tests without being root has none already.
func asNobody() []string {
	if os.Getuid() != 0 {
		return nil
	}
	id := strconv.Itoa(nobody)
	return []string{"setpriv", "--reuid", id, "--regid", id, "--clear-groups", "--"}
}

// inOwnMounts runs a shell script whose mounts nobody else sees, then the command.
func inOwnMounts(script string) []string {
	enter := []string{"unshare", "--mount", "--"}
	if os.Getuid() != 0 {
		enter = []string{"unshare", "--user", "--map-root-user", "--mount", "--"}
	}
	return append(enter, "sh", "-ec", script+"\nexec \"$@\"", "sh")
}

func panelctl(t *testing.T, c call) outcome {
	t.Helper()
	program := rigtest.Executable(t, rig.PanelProgram) // the first one waits for the compiler
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if c.dir == "" {
		c.dir = world(t)
	}
	line := append(append(c.prefix, program), c.args...)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	var out, problems bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, &out, &problems
	cmd.Env = append(rig.Environment(), append([]string{"HOME=" + c.dir}, c.env...)...)
	began := time.Now()
	err := cmd.Run()
	var ended *exec.ExitError
	require.True(t, err == nil || errors.As(err, &ended), "%v %s", err, problems.String())
	return outcome{
		exit: cmd.ProcessState.ExitCode(), out: out.String(), err: problems.String(),
		took: time.Since(began),
	}
}

// world is a folder that everybody may enter.
func world(t *testing.T) string {
	t.Helper()
	folder := rigtest.Folder(t)
	require.NoError(t, os.Chmod(folder, 0o755))
	return folder
}

// diagnosed runs Doctor and answers its document by the ids of the checks.
func diagnosed(t *testing.T, c call) (map[string]doctor.CheckDocument, outcome) {
	t.Helper()
	c.args = []string{"doctor", "--json"}
	did := panelctl(t, c)
	var document doctor.Document
	require.NoError(t, json.Unmarshal([]byte(did.out), &document), "%s %s", did.out, did.err)
	require.Less(t, did.took, 20*time.Second, "Doctor takes at most 20 s")
	require.GreaterOrEqual(t, len(document.Checks), 25, "a failed check stops no other")
	checks := map[string]doctor.CheckDocument{}
	for _, check := range document.Checks {
		checks[check.ID] = check
		if check.Status != doctor.OK && check.Status != doctor.Skipped {
			require.NotEmpty(t, check.Action, "%s says what to do", check.ID)
		}
		require.Less(t, check.DurationMS, int64(6000))
	}
	return checks, did
}

// finds demands a status, words that name the cause, and words of a next command.
func finds(t *testing.T, check doctor.CheckDocument, status doctor.Status, cause, next string) {
	t.Helper()
	require.Equal(t, status, check.Status, "%+v", check)
	require.Regexp(t, cause, check.Finding)
	require.Regexp(t, next, check.Action)
}

// Specification, Command-line interface: doctor "works when the database is down".
func TestTheDatabaseIsDown(t *testing.T) {
	t.Parallel()
	checks, did := diagnosed(t, call{env: []string{"PANEL_DB_URL=postgres://panel:canary@127.0.0.1:1/panel"}})
	finds(t, checks["database.connect"], doctor.Failed, `(?i)refused|reach|connect`, `systemctl status postgresql`)
	require.Equal(t, doctor.Skipped, checks["database.migrations"].Status)
	require.Equal(t, 1, did.exit)
	require.NotContains(t, did.out+did.err, "canary")
}

// The disk is full to its last byte; Doctor says so although it can save nothing.
func TestTheDiskIsFull(t *testing.T) {
	t.Parallel()
	data := filepath.Join(world(t), "data")
	require.NoError(t, os.Mkdir(data, 0o755))
	full := inOwnMounts(
		`mount -t tmpfs -o size=4m,mode=755 none "$PANEL_DATA_DIR"; dd if=/dev/zero of="$PANEL_DATA_DIR/backup.tar" bs=64k 2>/dev/null || true`,
	)
	checks, did := diagnosed(t, call{prefix: full, env: []string{"PANEL_DATA_DIR=" + data}})
	finds(t, checks["disk.data"], doctor.Failed, `100 % of 4 MB used, 0 MB free`, `du -xsh `+data)
	require.Contains(t, did.err, "no space left on device", "it says that the diagnosis is not saved")
	require.Equal(t, 1, did.exit)
}

// The name server never answers: the checks of names end in time and name it.
func TestDNSIsDead(t *testing.T) {
	t.Parallel()
	folder := world(t)
	resolv := filepath.Join(folder, "resolv.conf")
	require.NoError(t, os.WriteFile(resolv, []byte("nameserver 192.0.2.1\n"), 0o644))
	dead := inOwnMounts(`mount --bind "` + resolv + `" /etc/resolv.conf`)
	checks, _ := diagnosed(t, call{prefix: dead, dir: folder, env: []string{
		"PANEL_LICENSE_URLS=https://license.panel.example", "PANEL_PUBLIC_URL=https://panel.panel.example",
	}})
	finds(t, checks["dns.resolver"], doctor.Failed, `192\.0\.2\.1 does not answer`, `/etc/resolv.conf`)
	finds(t, checks["dns.public"], doctor.Failed, `name server does not answer`, `resolvectl`)
	finds(t, checks["network.license"], doctor.Warning, `name server|no answer|resolve`, `panelctl license status`)
}

// expired serves a certificate that ended yesterday and answers its port.
func expired(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: now.Add(-48 * time.Hour), NotAfter: now.Add(-24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	listener, err := tls.Listen(
		"tcp",
		"127.0.0.1:0",
		&tls.Config{
			Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
			MinVersion:   tls.VersionTLS12,
		},
	)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = connection.Read(make([]byte, 1)); _ = connection.Close() }()
		}
	}()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port
}

func TestTheCertificateHasEnded(t *testing.T) {
	t.Parallel()
	checks, _ := diagnosed(t, call{env: []string{"PANEL_PUBLIC_URL=https://localhost:" + expired(t)}})
	yesterday := time.Now().Add(-24 * time.Hour).UTC().Format(time.DateOnly)
	finds(t, checks["tls.public"], doctor.Failed, `ended on `+yesterday, `systemctl reload nginx`)
	finds(t, checks["configuration.proxy"], doctor.Warning, `reverse proxy`, `PANEL_TRUSTED_PROXIES=`)
}

// Without rights the file of settings is closed: Doctor says so and goes on with what it can see.
func TestTheFileOfSettingsMayNotBeRead(t *testing.T) {
	t.Parallel()
	folder := world(t)
	file := filepath.Join(folder, ".env")
	require.NoError(t, os.WriteFile(file, []byte("PANEL_DB_URL=postgres://panel:canary@127.0.0.1:1/panel\n"), 0o600))
	require.NoError(t, os.Chmod(file, 0))
	checks, did := diagnosed(t, call{prefix: asNobody(), dir: folder})
	finds(t, checks["configuration.file"], doctor.Warning, `may not be read by this user`, `sudo panelctl doctor`)
	require.NotContains(t, did.out, "canary")
}

func TestTheFileOfSettingsIsBroken(t *testing.T) {
	t.Parallel()
	folder := world(t)
	require.NoError(
		t,
		os.WriteFile(
			filepath.Join(folder, ".env"),
			[]byte("PANEL_PORT=8080\nthis is canary no setting\nPANEL_PROT=1\n"),
			0o640,
		),
	)
	checks, did := diagnosed(t, call{dir: folder})
	finds(t, checks["configuration.file"], doctor.Failed, `line 2`, `systemctl restart panel`)
	finds(t, checks["configuration.names"], doctor.Warning, `PANEL_PROT is no setting`, `panel.env.example`)
	require.NotContains(t, did.out, "canary")
}

// The settings hold another master key than the one that sealed the database.
func TestTheMasterKeyIsAnother(t *testing.T) {
	t.Parallel()
	dsn := dbtest.DSN(t, app.Migrations(app.With(modules.All()))...)
	db, err := database.Open(t.Context(), dsn, database.Options{MaxConns: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	right, err := vault.New("the-key-that-sealed-this-database")
	require.NoError(t, err)
	require.NoError(t, right.Guard(t.Context(), db))
	checks, did := diagnosed(
		t,
		call{env: []string{"PANEL_DB_URL=" + dsn, "PANEL_SECRET_KEY=canary-another-key-than-before"}},
	)
	finds(
		t,
		checks["database.secrets"],
		doctor.Failed,
		`not the one that this database was sealed with`,
		`PANEL_SECRET_KEY .* systemctl restart panel`,
	)
	require.Equal(t, doctor.OK, checks["database.connect"].Status)
	require.Equal(t, doctor.OK, checks["database.migrations"].Status, "%+v", checks["database.migrations"])
	require.NotContains(t, did.out, "canary")
	checks, _ = diagnosed(
		t,
		call{env: []string{"PANEL_DB_URL=" + dsn, "PANEL_SECRET_KEY=the-key-that-sealed-this-database"}},
	)
	require.Equal(t, doctor.OK, checks["database.secrets"].Status)
}

// Without root nothing is claimed that cannot be seen.
func TestWithoutRoot(t *testing.T) {
	t.Parallel()
	data := filepath.Join(world(t), "data")
	require.NoError(t, os.MkdirAll(filepath.Join(data, "postgres", "data"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(data, "secret.key"), []byte("canary-master-key-of-a-panel"), 0o600))
	require.NoError(t, os.Chmod(data, 0))
	t.Cleanup(func() { _ = os.Chmod(data, 0o700) })
	checks, did := diagnosed(t, call{prefix: asNobody(), env: []string{"PANEL_DATA_DIR=" + data}})
	finds(t, checks["database.connect"], doctor.Unknown, `may not be opened by this user`, `sudo panelctl doctor`)
	require.Contains(t, did.err, "permission denied", "it says that the diagnosis is not saved")
	for _, check := range checks {
		require.NotRegexp(t, `(?i)does not exist`, check.Finding, "%s takes what it may not see for absent", check.ID)
	}
}

// Rule: the last result is saved and the next run tells what changed.
// Specification, Command-line interface: doctor "saves the last result".
func TestTheNextRunTellsWhatChanged(t *testing.T) {
	t.Parallel()
	folder := world(t)
	data := filepath.Join(folder, "data")
	require.NoError(t, os.Mkdir(data, 0o750))
	env := []string{"PANEL_DATA_DIR=" + data}
	_, _ = diagnosed(t, call{dir: folder, env: env})
	require.NoError(t, os.WriteFile(filepath.Join(data, "secret.key"), []byte("a-master-key-that-is-long-enough"),
		0o600))
	require.NoError(t, os.Chmod(filepath.Join(data, "secret.key"), 0o644))
	table := panelctl(t, call{dir: folder, env: env, args: []string{"doctor", "--table"}})
	require.Contains(t, table.out, "configuration.secret_key  Warning → Failed")
	require.Contains(t, table.out, "saved to "+filepath.Join(data, "doctor", "last.json"))
	last, err := doctor.Last(data)
	require.NoError(t, err)
	require.NotNil(t, last.Changes)
}
