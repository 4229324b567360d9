package package_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/platform/agentapi"
	"panel/platform/release"
)

const (
	partsVar  = "PANEL_PACKAGE_PARTS"
	panelHome = "http://127.0.0.1:8080"
	within    = 40 * time.Second
)

// An installed panel from its package to its removal, in one story: each step needs the one before.
func TestLifeOfAnInstalledPanel(t *testing.T) {
	if os.Getenv(stageVar) != "" {
		newLife(t).live()
		return
	}
	if !canInstall() {
		leaveOut(t,
			"only root on a system with dpkg and namespaces can install packages; what is in them was inspected")
	}
	parts := t.TempDir()
	require.NoError(t, os.Symlink(packages(t, older), filepath.Join(parts, "old")))
	require.NoError(t, os.Symlink(packages(t, newer), filepath.Join(parts, "new")))
	for _, version := range []string{"1.2.0", "1.4.0"} {
		compile(t, "v"+version, filepath.Join(parts, "panelctl-"+version))
	}
	licensed, err := rig.Executable(t.Context(), rig.AuthorityProgram)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(licensed, filepath.Join(parts, rig.AuthorityProgram)))
	require.NoError(t, os.WriteFile(filepath.Join(parts, "panelctl-1.3.0"), []byte(broken), 0o755))
	inStage(t, t.Name(), partsVar+"="+parts)
}

// life is the stage with its systemd and a release server.
type life struct {
	t     *testing.T
	m     *machine
	parts string
	key   release.Key
	offer string // the version that the release server offers
	token string
	node  string // of the agent
	flow  string // that the agent serves
	probe agentapi.ThroughProbe
}

func newLife(t *testing.T) *life {
	t.Helper()
	key, err := release.NewKey()
	require.NoError(t, err)
	l := &life{t: t, parts: os.Getenv(partsVar), key: key, offer: "none"}
	site := t.TempDir()
	for _, version := range []string{"1.2.0", "1.3.0", "1.4.0"} {
		publish(t, site, key, version, filepath.Join(l.parts, "panelctl-"+version))
	}
	server := &http.Server{Addr: "127.0.0.1:9000", Handler: http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request,
	) {
		http.ServeFile(w, r, filepath.Join(site, l.offer, filepath.Base(r.URL.Path)))
	})}
	go func() { _ = server.ListenAndServe() }()
	l.m = &machine{t: t}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(l.m.logged())
		}
		l.m.cut()
	})
	return l
}

func (l *life) live() {
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"power on", l.m.on},
		{"the agent beside it", l.installAgent},
		{"installed and started", l.install},
		{"first administrator by the printed link", l.firstAdministrator},
		{"kept by the service manager", l.kept},
		{"restarted, killed and hung", l.supervised},
		{"upgraded, settings and data kept", l.upgrade},
		{"and back, then down on a full disk", l.wayBackFromPackage},
		{"updated by itself", l.update},
		{"an older package is refused", l.olderPackage},
		{"broken on purpose and back by itself", l.broken},
		{"interrupted by kill -9 and carried on", l.interrupted},
		{"rolled back on demand", l.rollback},
		{"a power cut in the middle of an update", l.powerCut},
		{"an agent beside it serves", l.agent},
		{"the agent without panel and power", l.agentEndures},
		{"nginx repaired by Doctor", l.recoverNginx},
		{"secrets stay out of logs and bundles", l.secretsStay},
		{"the panel repaired by Doctor", l.recoverPanel},
		{"with a database of the operating system", l.database},
		{"removed, data kept", l.remove},
		{"purged", l.purge},
	} {
		began := time.Now()
		step.do()
		l.t.Logf("%-45s %5.1f s", step.name, time.Since(began).Seconds())
	}
}

// dpkg installs a package of the parts; the stage sees it under /tmp.
func (l *life) dpkg(folder, name string) (string, error) {
	l.t.Helper()
	found, err := filepath.Glob(filepath.Join(l.parts, folder, name+"_*.deb"))
	require.NoError(l.t, err)
	require.Len(l.t, found, 1)
	raw, err := os.ReadFile(found[0])
	require.NoError(l.t, err)
	require.NoError(l.t, os.WriteFile(inside("/tmp/it.deb"), raw, 0o600))
	return l.m.run("dpkg", "--force-depends", "--force-unsafe-io", "-i", "/tmp/it.deb")
}

func (l *life) installAgent() {
	said, err := l.dpkg("new", "panel-agent")
	require.NoError(l.t, err, said)
	require.DirExists(l.t, inside("/etc/panel-agent"))
	l.m.must("panel-agent", "version")
}

func (l *life) install() {
	said, err := l.dpkg("old", "panel")
	require.NoError(l.t, err, said)
	require.Contains(l.t, said, "http://127.0.0.1:8080/setup#token=", "the one-time link is printed")
	l.healthy(older)
	info, err := os.Stat(inside("/etc/panel/panel.env"))
	require.NoError(l.t, err)
	require.EqualValues(l.t, 0o640, info.Mode().Perm())
	require.Equal(l.t, "root:panel\n", l.m.must("stat", "-c", "%U:%G", "/etc/panel/panel.env"))
	link, err := os.Readlink(inside("/opt/panel/.env"))
	require.NoError(l.t, err)
	require.Equal(l.t, "/etc/panel/panel.env", link)
	l.m.must(
		"systemd-analyze",
		"verify",
		"panel.service",
		"panel-update.service",
		"panel-update.path",
		"panel-agent.service",
	)
}

func (l *life) firstAdministrator() {
	link := strings.TrimSpace(l.m.must("panelctl", "setup", "link", "--plain"))
	_, token, _ := strings.Cut(link, "#token=")
	status, _ := l.call(
		http.MethodPost,
		"/api/v1/setup/admin",
		map[string]string{"username": "anna", "password": "correct horse"},
	)
	require.Equal(l.t, http.StatusUnauthorized, status, "there is no way in without the link")
	status, body := l.call(
		http.MethodPost,
		"/api/v1/setup/admin",
		map[string]string{"username": "anna", "password": "correct horse", "setup_token": token},
	)
	require.Equal(l.t, http.StatusCreated, status, string(body))
	_, err := l.m.run("panelctl", "setup", "link")
	require.Error(l.t, err, "the link is spent")
	l.signIn()
}

// upgrade adds the settings of the release server, which the package must leave alone.
func (l *life) upgrade() {
	l.append("PANEL_UPDATE_URL=http://127.0.0.1:9000/manifest.json\nPANEL_UPDATE_PUBLIC_KEY=" + l.key.Public() + "\n")
	before := l.settings()
	said, err := l.dpkg("new", "panel")
	require.NoError(l.t, err, said)
	require.NotContains(l.t, said, "#token=")
	require.Equal(l.t, before, l.settings(), "the settings belong to the operator")
	l.healthy(newer)
	l.signIn()
}

func (l *life) update() {
	l.offer = "1.2.0"
	took := l.apply("1.2.0", "done")
	l.t.Logf("update: %.1f s from the request to the healthy new panel", took.Seconds())
	l.healthy("v1.2.0")
	l.signIn()
	require.Equal(l.t, "700 root\n", l.m.must("stat", "-c", "%a %U", "/opt/panel/updates/kept"))
	for _, file := range []string{"panelctl", "panel.env", "database.sql"} {
		require.FileExists(l.t, inside("/opt/panel/updates/kept/"+file))
	}
	view := l.view()
	require.True(l.t, view.Rollback.Possible)
	require.Equal(l.t, newer, view.Rollback.Version)
}

func (l *life) olderPackage() {
	said, err := l.dpkg("old", "panel")
	require.Error(l.t, err)
	require.Contains(l.t, said, "newer than this package")
	l.healthy("v1.2.0")
	// dpkg notes the refused attempt; the package itself is as it was.
	l.m.must("dpkg", "--configure", "-a")
}

func (l *life) broken() {
	schema := l.schema()
	l.offer = "1.3.0"
	took := l.apply("1.3.0", "returned")
	l.t.Logf("broken update: %.1f s from the request to the healthy panel of before", took.Seconds())
	require.Less(l.t, took, time.Minute)
	l.healthy("v1.2.0")
	require.Equal(l.t, schema, l.schema(), "the database is what it was")
	require.Equal(
		l.t,
		"0\n",
		l.sql(
			"select (select count(*) from pg_class where relname = 'broken_leftover') + (select count(*) from pg_proc where proname = 'broken_leftover')",
		),
	)
	l.signIn()
	require.Contains(l.t, l.view().History[0].Reason, "did not become healthy")
	l.journalHolds("system.update_failed")
}

// interrupted kills root's half once in every stage that it meets; its unit starts it again.
func (l *life) interrupted() {
	l.offer = "1.4.0"
	killed := make(chan int, 1)
	stop := make(chan struct{})
	go func() {
		seen := map[string]bool{}
		for {
			select {
			case <-stop:
				killed <- len(seen)
				return
			case <-time.After(5 * time.Millisecond):
			}
			if stage := l.stage(); stage != "" && !seen[stage] {
				_, err := l.m.run("systemctl", "kill", "--signal=KILL", "panel-update.service")
				seen[stage] = err == nil
			}
		}
	}()
	took := l.apply("1.4.0", "done")
	close(stop)
	n := <-killed
	l.t.Logf("killed in %d stages, done after %.1f s", n, took.Seconds())
	require.GreaterOrEqual(l.t, n, 3)
	l.healthy("v1.4.0")
	l.signIn()
	require.Equal(l.t, "active", l.m.show("panel-update.path", "ActiveState"), "the next update is waited for")
}

// stage is where root's half of an update is.
func (l *life) stage() string {
	raw, _ := os.ReadFile(inside("/opt/panel/updates/run.json"))
	var s struct {
		Stage string `json:"stage"`
	}
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s.Stage
}

func (l *life) rollback() {
	l.offer = "none"
	status, body := l.call(http.MethodPost, "/api/v1/system/updates/rollback", nil)
	require.Equal(l.t, http.StatusAccepted, status, string(body))
	l.ended("done")
	l.healthy("v1.2.0")
	l.signIn()
	view := l.view()
	require.False(l.t, view.Rollback.Possible)
	require.Equal(l.t, "none_kept", view.Rollback.Reason)
}

func (l *life) remove() {
	draft := inside("/opt/panel/bin/.panelctl.123")
	require.NoError(l.t, os.WriteFile(draft, nil, 0o600), "what an update leaves that was killed while it wrote")
	l.m.must("dpkg", "-r", "panel")
	said, err := l.m.run("systemctl", "is-active", "panel.service", "panel-update.path")
	require.Error(l.t, err, "a removed panel does not run: %s", said)
	require.NoFileExists(l.t, inside("/opt/panel/bin/panelctl"))
	require.NoFileExists(l.t, draft)
	require.FileExists(l.t, inside("/etc/panel/panel.env"))
	require.DirExists(l.t, inside("/opt/panel/data/postgres"))
	l.append("PANEL_DB_URL=\n")
	said, err = l.dpkg("new", "panel")
	require.NoError(l.t, err, said)
	l.healthy(newer)
	l.signIn()
	l.m.must("dpkg", "-r", "panel")
}

func (l *life) purge() {
	l.m.must("dpkg", "-P", "panel", "panel-agent")
	for _, path := range []string{"/etc/panel", "/opt/panel", "/etc/panel-agent", "/opt/panel-agent"} {
		left, err := l.m.run("find", path)
		require.Error(l.t, err, "%s holds %s", path, left)
	}
	said, err := l.m.run("id", "panel")
	require.Error(l.t, err, said)
}

func (l *life) healthy(version string) {
	l.t.Helper()
	var last string
	require.Eventually(l.t, func() bool {
		status, body := l.call(http.MethodGet, "/health", nil)
		last = fmt.Sprint(status, " ", string(body))
		return status == http.StatusOK && strings.Contains(last, `"`+version+`"`)
	}, within, 100*time.Millisecond, late{&last})
}

func (l *life) sql(statement string) string {
	l.t.Helper()
	return l.m.must(
		"runuser",
		"-u",
		"panel",
		"--",
		"psql",
		"-h",
		"/opt/panel/data/postgres/data",
		"-U",
		"panel",
		"-d",
		"panel",
		"-Atc",
		statement,
	)
}

func (l *life) schema() string {
	return l.sql("select string_agg(name, ',' order by name) from bun_migrations")
}

func (l *life) settings() string {
	raw, err := os.ReadFile(inside("/etc/panel/panel.env"))
	require.NoError(l.t, err)
	return string(raw)
}

func (l *life) append(text string) {
	file, err := os.OpenFile(inside("/etc/panel/panel.env"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(l.t, err)
	defer file.Close()
	_, err = file.WriteString(text)
	require.NoError(l.t, err)
}
