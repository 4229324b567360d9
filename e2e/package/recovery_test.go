package package_test

import (
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
)

const (
	publicName = "panel.example.org"
	certFolder = "/etc/ssl/panel"
)

// front puts nginx with the example configuration before the panel, with a certificate that nobody trusts.
func (l *life) front() {
	l.m.must(
		"sh",
		"-c",
		"rm -f /etc/nginx/sites-enabled/default; cp /usr/share/doc/panel/configs/nginx.conf /etc/nginx/conf.d/panel.conf",
	)
	l.append("PANEL_PUBLIC_URL=https://" + publicName + "\nPANEL_TRUSTED_PROXIES=127.0.0.1\n")
	require.NoError(l.t, os.WriteFile(inside("/etc/hosts"), []byte("127.0.0.1 localhost "+publicName+"\n"), 0o644))
	l.certificate()
	l.m.must("nginx", "-t")
	l.m.must("systemctl", "start", "nginx.service")
	l.m.must("systemctl", "restart", "panel.service")
	l.signIn()
	l.throughNginx()
}

// certificate makes a new one, as whoever renews it does, and gives it to nginx.
func (l *life) certificate() string {
	certificate, key, err := rig.Certificate(publicName)
	require.NoError(l.t, err)
	require.NoError(l.t, os.MkdirAll(inside(certFolder), 0o755))
	require.NoError(l.t, os.WriteFile(inside(certFolder+"/fullchain.pem"), certificate, 0o644))
	require.NoError(l.t, os.WriteFile(inside(certFolder+"/privkey.pem"), key, 0o600))
	return string(certificate)
}

// throughNginx asks the panel as a browser does: by its name, over TLS and HTTP/2.
func (l *life) throughNginx() {
	l.t.Helper()
	said := l.m.must(
		"curl",
		"--silent",
		"--show-error",
		"--insecure",
		"--output",
		"/dev/null",
		"--write-out",
		"%{http_code} %{http_version}",
		"https://"+publicName+"/api/v1/setup/state",
	)
	require.Equal(l.t, "200 2", said)
	said = l.m.must(
		"curl",
		"--silent",
		"--output",
		"/dev/null",
		"--write-out",
		"%{http_code} %{redirect_url}",
		"http://"+publicName+"/x",
	)
	require.Equal(l.t, "301 https://"+publicName+"/x", said)
}

// recoverNginx: a renewed certificate is served after the repair, and a broken configuration is never loaded.
func (l *life) recoverNginx() {
	l.front()
	require.NoError(
		l.t,
		os.WriteFile(inside("/usr/local/share/ca-certificates/panel.crt"), []byte(l.certificate()), 0o644),
	)
	l.m.must("update-ca-certificates")
	require.Contains(l.t, l.finding("tls.public"), "issuer is unknown", "nginx still shows the certificate of before")

	broken := inside("/etc/nginx/conf.d/broken.conf")
	require.NoError(l.t, os.WriteFile(broken, []byte("nonsense;\n"), 0o644))
	workers := l.workers()
	require.Contains(l.t, l.finding("services.nginx"), "Failed")
	require.NotContains(
		l.t,
		l.converse("2", "2", "0", "0", "0"),
		"Reload nginx",
		"a broken configuration is not offered to be loaded",
	)
	require.Equal(l.t, workers, l.workers(), "nginx works on as before")
	require.NoError(l.t, os.Remove(broken))

	l.repair("Reload nginx")
	require.Contains(
		l.t,
		l.finding("tls.public"),
		"valid until",
		"the trusted one of a day, which is still too short a life",
	)
	require.NotEqual(l.t, workers, l.workers())
	require.Equal(l.t, "active", l.m.show("nginx.service", "ActiveState"))
	l.throughNginx()
}

// recoverPanel: one that hangs and one that is stopped are started again by the same repair.
func (l *life) recoverPanel() {
	for _, harm := range [][]string{
		{"systemctl", "kill", "--kill-who=main", "--signal=STOP", "panel.service"},
		{"systemctl", "stop", "panel.service"},
	} {
		before := l.m.show("panel.service", "MainPID")
		l.m.must(harm...)
		l.repair("Restart the panel")
		require.NotEqual(l.t, before, l.m.show("panel.service", "MainPID"))
		l.healthy("v1.4.0")
	}
	l.signIn()
	require.NotContains(l.t, l.converse("2", "2", "0", "0", "0"), "Restart the panel", "what is well is not repaired")

	l.m.must("systemctl", "stop", "panel.service")
	began := time.Now()
	said := l.converseAs("panel", "2", "2", l.numberOf("Restart the panel"), "REPAIR", "0", "0")
	l.t.Log(said)
	require.Contains(l.t, said, "systemctl")
	require.NotContains(l.t, said, "done:", "only root restarts services")
	require.Less(l.t, time.Since(began), 20*time.Second)
	l.m.must("systemctl", "start", "panel.service")
	l.healthy("v1.4.0")
}

// repair does what an operator does: Doctor, Safe recovery, the repair, the word.
func (l *life) repair(title string) {
	l.t.Helper()
	said := l.converse("2", "2", l.numberOf(title), "REPAIR", "0", "0")
	require.Contains(l.t, said, "done: "+title, said)
}

// numberOf is the number of a repair in the list that Doctor offers.
func (l *life) numberOf(title string) string {
	l.t.Helper()
	said := l.converse("2", "2", "0", "0", "0")
	found := regexp.MustCompile(`(\d+)\. ` + title).FindStringSubmatch(said)
	require.NotNil(l.t, found, said)
	return found[1]
}

// converseAs is the same for another user; the interface wants a terminal, which script makes.
func (l *life) converseAs(user string, answers ...string) string {
	l.t.Helper()
	said, err := l.m.runWith(
		strings.Join(answers, "\n")+"\n",
		"runuser",
		"-u",
		user,
		"--",
		"script",
		"--quiet",
		"--return",
		"--command",
		"panelctl tui --linear",
		"/dev/null",
	)
	require.NoError(l.t, err, said)
	return said
}

// converse answers the questions of the terminal interface.
func (l *life) converse(answers ...string) string {
	l.t.Helper()
	return l.converseAs("root", answers...)
}

func (l *life) finding(check string) string {
	l.t.Helper()
	said, _ := l.m.run("panelctl", "doctor", "--plain") // a finding is an exit code, too
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, check+"\t") {
			return line
		}
	}
	require.FailNow(l.t, "no such check", said)
	return ""
}

func (l *life) workers() string {
	l.t.Helper()
	return l.m.must("pgrep", "-f", "nginx: worker process$")
}
