package package_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"
)

const nginxLogs = "/var/log/nginx"

// planted are requests with secrets that nginx logs as they come: in the query, the Referer and the User-Agent.
var planted = []struct{ query, agent, secret string }{
	{"pass=", "curl", "planted-query-1"},
	{"SMTP_PASS=", "curl", "planted-query-2"},
	{"x=", "PGPASS=planted-agent-3", "planted-agent-3"},
	{"x=", "the password of anna is planted-agent-4 now", "planted-agent-4"},
	{"x=", "password planted-agent-5", "planted-agent-5"},
	{"x=", "localhost:5432:panel:panel:planted-agent-6", "planted-agent-6"},
}

// secretsStay: the shipped nginx configuration writes no subscription URL into a log; what other configurations
// have written, and what visitors send, is in no support bundle and not on the diagnostics page.
func (l *life) secretsStay() {
	token := l.publicLink()
	l.visitSubscription(token)
	for _, p := range planted {
		query := p.query
		if strings.HasPrefix(p.secret, "planted-query") {
			query += p.secret
		}
		l.m.must(
			"curl",
			"--silent",
			"--insecure",
			"--output",
			"/dev/null",
			"--user-agent",
			p.agent,
			"https://"+publicName+"/x?"+query,
		)
	}
	require.NotContains(l.t, l.nginxLogged(), token, "nginx logged the subscription URL")
	require.Contains(l.t, l.nginxLogged(), "planted-agent-6")

	l.logLikeBefore(token)
	secrets := []string{token, strings.ToLower(token)}
	for _, p := range planted {
		secrets = append(secrets, p.secret)
	}
	l.notIn(secrets, l.bundleOfRoot())
	l.m.must("usermod", "--append", "--groups", "adm", "panel") // the group that may read the logs of nginx
	l.m.must("systemctl", "restart", "panel.service")
	l.signIn()
	l.notIn(secrets, l.bundleOfThePanel())
	l.notIn(secrets, l.diagnosticsPage())
}

// publicLink gives the flow's client a subscription URL and answers the token in it.
func (l *life) publicLink() string {
	l.t.Helper()
	path := "/api/v1/connection-units/" + l.flow + "/clients"
	_, body := l.call(http.MethodGet, path, nil)
	var clients struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	require.NoError(l.t, json.Unmarshal(body, &clients))
	require.NotEmpty(l.t, clients.Items, string(body))
	status, body := l.call(http.MethodPost, path+"/"+clients.Items[0].ID+"/public-link", map[string]any{})
	require.Less(l.t, status, http.StatusMultipleChoices, string(body))
	var link struct {
		URL string `json:"url"`
	}
	require.NoError(l.t, json.Unmarshal(body, &link))
	_, token, found := strings.Cut(link.URL, publicName+"/s/")
	require.True(l.t, found, link.URL)
	return token
}

// visitSubscription asks for it in every way that nginx could log: well, by other spellings, over plain HTTP and while
// the panel is down, which nginx reports in its log of errors.
func (l *life) visitSubscription(token string) {
	l.t.Helper()
	visit := func(address string) string {
		return l.m.must(
			"curl",
			"--silent",
			"--insecure",
			"--output",
			"/dev/null",
			"--write-out",
			"%{http_code}",
			"--path-as-is",
			address,
		)
	}
	for _, path := range []string{"/s/", "/sub/"} {
		require.Equal(l.t, "200", visit("https://"+publicName+path+token))
	}
	for _, spelling := range []string{"//s//", "/S/", "/%73/", "/x/../s/", "/SUB/"} {
		visit("https://" + publicName + spelling + token)
	}
	require.Equal(l.t, "301", visit("http://"+publicName+"/s/"+token))
	l.m.must("systemctl", "stop", "panel.service")
	require.Equal(l.t, "502", visit("https://"+publicName+"/s/"+token))
	require.Equal(l.t, "502", visit("https://"+publicName+"/else"))
	l.m.must("systemctl", "start", "panel.service")
	l.healthy("v1.4.0")
	l.signIn()
}

// nginxLogged is everything in the logs of nginx.
func (l *life) nginxLogged() string {
	l.t.Helper()
	return l.m.must("sh", "-c", "cat "+nginxLogs+"/access.log "+nginxLogs+"/error.log")
}

// logLikeBefore writes what an nginx without the location for subscriptions wrote.
func (l *life) logLikeBefore(token string) {
	l.t.Helper()
	file, err := os.OpenFile(inside(nginxLogs+"/access.log"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(l.t, err)
	defer file.Close()
	at := l.m.must("date", "+%d/%b/%Y:%H:%M:%S %z")
	_, err = file.WriteString(
		`192.0.2.1 - - [` + strings.TrimSpace(at) + `] "GET /s/` + token + ` HTTP/1.1" 200 512 "-" "v2ray"` + "\n",
	)
	require.NoError(l.t, err)
}

func (l *life) bundleOfRoot() map[string]string {
	l.t.Helper()
	l.m.must("panelctl", "support", "--since", "1h", "--output", "/root/bundle")
	found, err := filepath.Glob(inside("/root/bundle/*.tar.gz"))
	require.NoError(l.t, err)
	require.Len(l.t, found, 1)
	raw, err := os.ReadFile(found[0])
	require.NoError(l.t, err)
	return l.unpacked(raw)
}

func (l *life) bundleOfThePanel() map[string]string {
	l.t.Helper()
	status, raw := l.call(http.MethodPost, "/api/v1/system/support-bundle", map[string]string{"since": "1h"})
	require.Equal(l.t, http.StatusOK, status)
	return l.unpacked(raw)
}

func (l *life) unpacked(raw []byte) map[string]string {
	l.t.Helper()
	packed, err := gzip.NewReader(bytes.NewReader(raw))
	require.NoError(l.t, err)
	files := map[string]string{}
	for archive := tar.NewReader(packed); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(l.t, err)
		content, err := io.ReadAll(archive)
		require.NoError(l.t, err)
		files[head.Name] = string(content)
	}
	require.Contains(l.t, files["logs/nginx.log"], "GET /s/***token***", "the log of nginx is in the bundle")
	require.Contains(l.t, files["logs/nginx.log"], "GET /else", "and readable")
	return files
}

func (l *life) diagnosticsPage() map[string]string {
	l.t.Helper()
	pages := map[string]string{}
	for _, component := range []string{"nginx", "backend"} {
		status, body := l.call(http.MethodGet, "/api/v1/system/diagnostics?tail=1000&component="+component, nil)
		require.Equal(l.t, http.StatusOK, status, string(body))
		pages[component] = string(body)
	}
	require.Contains(l.t, pages["nginx"], "GET /s/***token***")
	return pages
}

func (l *life) notIn(secrets []string, texts map[string]string) {
	l.t.Helper()
	for name, text := range texts {
		for _, secret := range secrets {
			require.NotContains(l.t, text, secret, name)
		}
	}
}
