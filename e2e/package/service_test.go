package package_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// kept is what the service manager holds the panel to; the hardening hinders nothing that the panel does.
func (l *life) kept() {
	for property, want := range map[string]string{
		"Type": "notify", "User": "panel", "ActiveState": "active", "SubState": "running", "UnitFileState": "enabled",
		"NRestarts":       "0",
		"NoNewPrivileges": "yes", "ProtectSystem": "strict", "CapabilityBoundingSet": "", "WatchdogUSec": "1min",
	} {
		require.Equal(l.t, want, l.m.show("panel.service", property), property)
	}
	require.Equal(l.t, "enabled", l.m.show("panel-update.path", "UnitFileState"))
	require.Contains(
		l.t,
		l.m.must("systemctl", "show", "--property=StatusText,StatusErrno,Result", "panel.service"),
		"Result=success",
	)
	require.Contains(
		l.t,
		l.m.must("systemd-cgls", "--unit", "panel.service", "--no-pager", "--full"),
		"postgres",
		"the private database is a child of the service",
	)
	l.examined("root")
	l.examined("panel")
	require.Contains(
		l.t,
		l.m.must("panelctl", "logs", "-n", "200"),
		`"msg":"the panel is ready"`,
		"the journal of the machine is read",
	)
	_, body := l.call(http.MethodGet, "/api/v1/system/diagnostics", nil)
	require.Contains(
		l.t,
		string(body),
		"the panel is ready",
		"the screen shows the log, which the panel may not read in the journal",
	)
}

// examined runs the doctor as a user: nothing fails, and services and database are looked at.
func (l *life) examined(user string) {
	said := l.m.must("runuser", "-u", user, "--", "panelctl", "doctor", "--plain")
	require.NotContains(l.t, said, "Failed", user)
	for _, good := range []string{
		"services.panel\tOK", "services.port\tOK", "database.connect\tOK",
		"database.secrets\tOK", "disk.data\tOK",
	} {
		require.Contains(l.t, said, good, user)
	}
}

// supervised restarts the panel in every way that happens: by hand, after kill -9, and after it hangs.
func (l *life) supervised() {
	l.m.must("systemctl", "restart", "panel.service")
	l.healthy(older)
	began := time.Now()
	l.m.must("systemctl", "stop", "panel.service")
	require.Less(l.t, time.Since(began), 20*time.Second)
	require.Equal(l.t, "success 0", l.m.show("panel.service", "Result")+" "+l.m.show("panel.service", "ExecMainStatus"))
	require.NotContains(l.t, l.m.must("ps", "-e", "-o", "args"), "postgres", "the private database ends with the panel")
	l.m.must("systemctl", "start", "panel.service")
	l.comesBackAfter("--signal=KILL")

	watch := inside("/etc/systemd/system/panel.service.d")
	require.NoError(l.t, os.MkdirAll(watch, 0o755))
	require.NoError(l.t, os.WriteFile(filepath.Join(watch, "watch.conf"), []byte("[Service]\nWatchdogSec=3\n"), 0o600))
	l.m.must("systemctl", "daemon-reload")
	l.m.must("systemctl", "restart", "panel.service")
	l.comesBackAfter("--signal=STOP")
	require.Contains(l.t, l.m.must("journalctl", "--boot", "--no-pager", "--unit=panel.service"), "Watchdog timeout")
	require.NoError(l.t, os.RemoveAll(watch))
	l.m.must("systemctl", "daemon-reload")
	l.m.must("systemctl", "restart", "panel.service")
	l.healthy(older)
	l.signIn()
}

// comesBackAfter sends the main process a signal and waits for another one that is ready.
func (l *life) comesBackAfter(signal string) {
	l.t.Helper()
	before := l.m.show("panel.service", "MainPID")
	l.m.must("systemctl", "kill", "--kill-who=main", signal, "panel.service")
	require.Eventually(l.t, func() bool {
		return l.m.show("panel.service", "MainPID") != before && l.m.show("panel.service", "ActiveState") == "active"
	}, within, 100*time.Millisecond, signal)
	require.Equal(l.t, "1", l.m.show("panel.service", "NRestarts"))
	l.healthy(older)
}

// powerCut is the end of the power in the middle of an update: the machine carries it on when it starts again. Should
// it find itself unable to, as long as the rest of the machine is still starting, the panel of before is back and may
// be asked again.
func (l *life) powerCut() {
	l.offer = "1.4.0"
	l.ask("1.4.0")
	require.Eventually(l.t, func() bool {
		_, err := os.Stat(inside("/opt/panel/updates/set/set.json"))
		return err == nil
	}, within, time.Millisecond)
	l.m.cut()
	status, _ := l.call(http.MethodGet, "/health", nil)
	require.Zero(l.t, status)
	l.m.on()
	if end := l.end(); !strings.Contains(end, `"state":"done"`) {
		l.t.Log(end)
		l.healthy("v1.2.0")
		l.signIn()
		l.apply("1.4.0", "done")
	}
	l.healthy("v1.4.0")
	l.signIn()
	require.Equal(l.t, "active", l.m.show("panel-update.path", "ActiveState"))
}

// wayBackFromPackage returns from an upgrade by package, database included, to the panel of before.
func (l *life) wayBackFromPackage() {
	v := l.view()
	require.True(l.t, v.Rollback.Possible, "the panel shows the way back")
	require.Equal(l.t, older, v.Rollback.Version)
	require.Equal(l.t, newer, v.History[0].To)
	l.journalHolds("system.updated")
	schema := l.schema()
	l.sql("create table later (id int); insert into bun_migrations (name, group_id) values ('20990101000000_later', 999)")
	l.m.must("panelctl", "update", "rollback", "--yes")
	l.healthy(older)
	require.Equal(
		l.t,
		"active 0",
		l.m.show("panel-update.path", "ActiveState")+" "+l.m.show("panel-update.service", "NRestarts"),
		"it waited for the terminal",
	)
	require.Equal(l.t, schema, l.schema())
	require.Equal(
		l.t,
		"0\n",
		l.sql("select count(*) from pg_class where relname = 'later'"),
		"the database is what it was",
	)
	require.Contains(l.t, l.m.must("/opt/panel/bin/panel-agent", "version"), older,
		"the agent beside it came back, too")
	l.signIn()
	require.False(l.t, l.view().Rollback.Possible)

	l.m.must("systemctl", "stop", "panel.service")
	said, err := l.dpkg("new", "panel")
	require.NoError(l.t, err, said)
	require.NotContains(l.t, said, "without a way back", "the database of a panel that is down is kept as well")
	require.Equal(l.t, "inactive", l.m.show("panel.service", "ActiveState"),
		"a panel that somebody stopped stays stopped")
	l.m.must("panelctl", "update", "rollback", "--yes")
	l.healthy(older)
	l.signIn()
	l.fullDisk()
}

// fullDisk upgrades with a panel that is down and no room for a copy: neither keeps a package from being installed.
func (l *life) fullDisk() {
	l.m.must("systemctl", "stop", "panel.service")
	l.m.must("mount", "-t", "tmpfs", "-o", "size=1m,mode=711", "tmpfs", "/opt/panel/updates")
	said, err := l.dpkg("new", "panel")
	require.NoError(l.t, err, said)
	require.Contains(l.t, said, "without a way back")
	require.NotContains(l.t, l.m.must("ls", "-A", "/opt/panel/updates"), "package", "no part of a copy is left")
	l.m.must("umount", "/opt/panel/updates")
	l.m.must("systemctl", "start", "panel.service")
	l.healthy(newer)
	l.signIn()
}

// database gives the panel a PostgreSQL of the operating system in place of its private one.
func (l *life) database() {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	require.NoError(l.t, err)
	require.NotEmpty(l.t, found)
	release := filepath.Base(filepath.Dir(filepath.Dir(found[len(found)-1])))
	l.m.must("pg_createcluster", release, "given", "--port", "5499")
	l.m.must("systemctl", "start", "postgresql@"+release+"-given.service")
	l.m.must(
		"runuser",
		"-u",
		"postgres",
		"--",
		"psql",
		"-p",
		"5499",
		"-c",
		"create role panel login password 'given'",
		"-c",
		"create database panel owner panel",
	)
	l.append("PANEL_DB_URL=postgres://panel:given@127.0.0.1:5499/panel\n")
	l.m.must("systemctl", "restart", "panel.service")
	l.healthy("v1.4.0")
	require.NotContains(
		l.t,
		l.m.must("systemd-cgls", "--unit", "panel.service", "--no-pager", "--full"),
		"postgres",
		"nothing private runs beside it",
	)
	require.Contains(l.t, l.finding("database.connect"), "OK")
	l.m.must("systemctl", "stop", "postgresql@"+release+"-given.service")
	l.m.must("systemctl", "start", "postgresql@"+release+"-given.service")
	l.healthy("v1.4.0")
}
