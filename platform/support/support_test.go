package support

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/config"
	"panel/platform/doctor"
	"panel/platform/fault"
	"panel/platform/logs"
)

// planted is a world with secrets in its settings, its files and its logs.
type planted struct {
	secrets []string
	values  map[string]string
	names   []string
	lines   []string
}

func (p *planted) setting(name, value string, secrets ...string) {
	p.values[name] = value
	p.names = append(p.names, name)
	p.secrets = append(p.secrets, secrets...)
}

func (p *planted) line(format string, secret string) {
	p.secrets = append(p.secrets, secret)
	p.lines = append(p.lines, fmt.Sprintf(format, secret))
}

func newPlanted() *planted {
	p := &planted{values: map[string]string{}}
	p.setting("PANEL_SECRET_KEY", "master-Key/with+signs=0001", "master-Key/with+signs=0001")
	p.setting("PANEL_SECRET_KEY_PREVIOUS", "older-key-of-the-panel-2,oldest \"key\" of 3", "older-key-of-the-panel-2",
		"oldest \"key\" of 3")
	p.setting("PANEL_DB_URL", "postgres://panel:p%40ss%2Fword4@db.internal:5432/panel?sslmode=disable",
		"p%40ss%2Fword4", "p@ss/word4")
	p.setting("PANEL_API_TOKEN", "session-token-00005", "session-token-00005")
	p.setting("PANEL_SETUP_TOKEN", "юникод-секрет-6", "юникод-секрет-6")
	p.setting("PANEL_HTTP_PROXY", "http://proxyuser:proxy-Pass7@proxy.internal:3128", "proxy-Pass7")
	p.setting("PANEL_TEST_DB_URL", "host=localhost user=u password=keyword-Pass8 dbname=d", "keyword-Pass8")
	p.setting("PANEL_SECRTE_KEY", "misspelt-name-secret-9", "misspelt-name-secret-9")
	p.setting("PANEL_MODULE_TOKEN", "declared-by-a-module-10", "declared-by-a-module-10")
	p.setting("PANEL_LICENSE_URLS", "https://user:in-an-Address11@license.example", "in-an-Address11")
	p.setting("CLOUD_API_TOKEN", "other-program-token-12", "other-program-token-12")
	for i, form := range []string{
		`{"level":"info","msg":"login","password":"%s"}`, `{"msg":"nested","body":"{\"api_token\":\"%s\"}"}`,
		`password=%s done`, `PASSWORD: %s`,
		`dial postgres://panel:%s@127.0.0.1/panel: refused`, `Authorization: Bearer %s`, `{"Authorization":["Bearer %s"]}`, `authorization=Basic %s`,
		`GET /api/v1/x?token=%s&page=1 200`, `GET /login?password%%3D%s HTTP/1.1`, `Cookie: sid=%s; theme=dark`, `Set-Cookie: session=%s; Path=/`,
		`{"private_key":"%s"}`, `bot_token='%s'`, `licenseKey: %s`, `x-api-key: %s`, `{"totp_secret": "%s"}`, `--token %s`, `secret = "%s"`, `master_key:%s`,
		`{"refresh_token":"%s"}`, `passwd=%s`, `credential: %s`, `Proxy-Authorization: Basic %s`, `{"session_token":"%s"}`, `api_key=%s`,
		`pass=%s`, `GET /x?pass=%s&a=1`, `SMTP_PASS=%s`, `{"smtp_pass":"%s"}`, `PGPASS=%s`, `db_pwd=%s`, `pw: %s`, `pass2=%s`, `Пароль: %s`,
		`the password is %s`, `password of anna was changed to %s`, `new password for anna: %s`, `The Password %s does not work`, `her token is now %s`,
		`password "%s" refused`, `пароль администратора — %s`, `пароль для anna теперь %s`, `localhost:5432:panel:panel:%s`, `*:*:*:panel:%s`,
	} {
		p.line(form, fmt.Sprintf("planted-Value%02d!x", 20+i))
	}
	const address = `198.51.100.7 - - [20/Nov/2026:14:02:03 +0000] "GET %s HTTP/1.1" 200 512 "-" "v2ray"`
	for i, form := range []string{
		`/s/%s`, `//s//%s`, `/S/%s`, `/s/%s?format=x`, `/panel/s/%s/`, `/redirect?to=https%%3A%%2F%%2Fpanel.example%%2Fs%%2F%s`,
		`/sub/%s`,
	} {
		p.line(fmt.Sprintf(address, form), []string{
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "BBCDEFGHIJKLMNOPQRSTUVWXY2", "CBCDEFGHIJKLMNOPQRSTUVWX23", "DJF5QG2XWY7KZ3MPTRNC4HLV6B", "EABCDEFGHIJKLMNOPQRSTUVWXY", "short-token-77",
			"s8k2m4qa7xv1c9zt",
		}[i])
	}
	p.line(`{"url":"https:\/\/panel.example\/s\/%s"}`, "FABCDEFGHIJKLMNOPQRSTUVWXY")
	p.line(`referer https://panel.example/s/%s, upstream: "http://127.0.0.1:8080/x"`, "GABCDEFGHIJKLMNOPQRSTUVWXY")
	p.setting("BACKUP_PASS", "environment-pass-13", "environment-pass-13")
	p.setting("PGPASS", "environment-pass-14", "environment-pass-14")
	p.setting("MYSQL_PWD", "environment-pwd-15", "environment-pwd-15")
	p.line(`link vless://%s`, "0b5d3a52-7f1e-4b0e-9c55-3f1d2a7c9e10@203.0.113.7:443?pbk=AbCdEf")
	p.line(`trojan://%s`, "trojan-password-41@host:443")
	p.line(`key %s`, "PNL-7K2M-99QX-7F3A")
	p.line(`chat %s`, "1234567890:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0")
	p.line(`jwt %s`, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U")
	p.line(`hash %s`, "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b5dWRWJTmaaTyq0q5kRAKz5oLs")
	p.line(`{"pem":"%s"}`, `-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n-----END PRIVATE KEY-----`)
	p.line(`free text %s here`, "q7RtZ2mWx9LbN4Kd")
	p.line(`aws %s`, "AKIAIOSFODNN7EXAMPLE")
	p.line(`base32 %s`, "JBSWY3DPEHPK3PXPJBSWY3DP")
	p.line(`digest %s`, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
	p.line(`{"client":"%s"}`, "3f2a8c1e-11aa-4bcd-8ef0-0123456789ab")
	p.line(`age %s`, "AGE-SECRET-KEY-1QQPQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ")
	p.line("recovery_code=%s", "plain-words-only-here")
	return p
}

// encodedLines repeats every secret in the forms in which programs write it.
func (p *planted) encodedLines() []string {
	var lines []string
	for i, s := range p.secrets {
		quoted, _ := json.Marshal(s)
		lines = append(lines, "upper "+strings.ToUpper(s), "lower "+strings.ToLower(s), "json "+string(quoted), "url "+url.QueryEscape(s), "path "+url.PathEscape(s),
			"hex "+hex.EncodeToString([]byte(s)), "HEX "+strings.ToUpper(hex.EncodeToString([]byte(s))), "b64 "+base64.StdEncoding.EncodeToString([]byte(s)),
			"b64url "+base64.RawURLEncoding.EncodeToString([]byte("x"+s)), "basic "+base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("%d:%s", i, s))),
			"gzip "+base64.StdEncoding.EncodeToString(gzipped(s)))
	}
	return lines
}

func gzipped(text string) []byte {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, _ = io.WriteString(writer, text)
	_ = writer.Close()
	return packed.Bytes()
}

func (p *planted) options(t *testing.T) Options {
	t.Helper()
	data := t.TempDir()
	p.values["PANEL_DATA_DIR"] = data
	require.NoError(t, os.MkdirAll(logs.Folder(data), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(data, "secret.key"), []byte("key-in-a-file-99-xyz\n"), 0o600))
	p.secrets = append(p.secrets, "key-in-a-file-99-xyz")
	old := append([]string{"used key-in-a-file-99-xyz"}, p.lines...)
	require.NoError(t, os.WriteFile(filepath.Join(logs.Folder(data), "panel.log.1.gz"), gzipped(strings.Join(old, "\n")+"\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(logs.Folder(data), "panel.log"), []byte(strings.Join(p.encodedLines(), "\n")+"\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(data, "update-journal.jsonl"), []byte(`{"url":"https://u:`+p.secrets[0]+`@x"}`+"\n"), 0o600))
	env := doctor.Env{
		Getenv: func(name string) string { return p.values[name] }, Now: time.Now, Names: p.names,
		Known: doctor.Known{Keys: []config.Key{{Name: "PANEL_MODULE_TOKEN", Secret: true}}},
	}
	talkative := doctor.Check{ID: "a.b", Group: "a", Run: func(context.Context, doctor.Env) doctor.Finding {
		return doctor.Finding{Status: doctor.Failed, Found: doctor.Say("cannot use %s", p.values["PANEL_DB_URL"])}
	}}
	return Options{Env: env, Checks: []doctor.Check{talkative}, Places: logs.Places{PanelFolders: []string{logs.Folder(data)}}, Version: "1.4.2"}
}

func unpacked(t *testing.T, path string) map[string]string {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	packed, err := gzip.NewReader(file)
	require.NoError(t, err)
	files := map[string]string{}
	for archive := tar.NewReader(packed); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		require.NoError(t, err)
		content, err := io.ReadAll(archive)
		require.NoError(t, err)
		files[head.Name] = string(content)
	}
}

// tellTales are the texts by which somebody could read a secret out of a file.
func tellTales(secret string) map[string]string {
	quoted, _ := json.Marshal(secret)
	tales := map[string]string{
		"plain": secret, "url": url.QueryEscape(secret), "path": url.PathEscape(secret), "hex": hex.EncodeToString([]byte(secret)), "json": string(quoted[1 : len(quoted)-1]),
		"gzip": base64.StdEncoding.EncodeToString(gzipped(secret)),
	}
	for before := range 3 {
		text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + secret))
		tales[fmt.Sprint("base64 at ", before)] = text[[]int{0, 2, 3}[before] : (before+len(secret))*8/6]
	}
	return tales
}

// Rule: passwords, tokens and keys are masked before saving, whatever way they are written in.
// Specification, Command-line interface: passwords, tokens and keys are "masked before saving".
func TestFiftyPlantedSecretsAreNotInTheBundle(t *testing.T) {
	t.Parallel()
	p := newPlanted()
	options := p.options(t)
	require.GreaterOrEqual(t, len(p.secrets), 50)
	path, manifest, err := Save(t.Context(), options)
	require.NoError(t, err)
	files := unpacked(t, path)
	for _, secret := range p.secrets {
		for form, text := range tellTales(secret) {
			for name, content := range files {
				at := strings.Index(strings.ToLower(content), strings.ToLower(text))
				require.Negative(t, at, "%s shows %q (%s): %s", name, secret, form, around(content, at))
			}
		}
	}
	require.Positive(t, manifest.Masked[kindPassword])
	require.Positive(t, manifest.Masked[kindToken])
	require.Positive(t, manifest.Masked[kindKey])
	require.Contains(t, files["settings.txt"], "PANEL_SECRET_KEY is set\n")
	require.Contains(t, files["settings.txt"], "PANEL_SECRTE_KEY is set and unknown\n")
}

func around(text string, at int) string {
	if at < 0 {
		return ""
	}
	return text[max(0, at-60):min(len(text), at+60)]
}

// Rule: the manifest lists what the bundle holds and counts what was masked; the preview shows the same and writes
// nothing.
func TestManifestAndPreview(t *testing.T) {
	t.Parallel()
	p := newPlanted()
	options := p.options(t)
	preview, err := Preview(t.Context(), options)
	require.NoError(t, err)
	require.NoDirExists(t, Folder(p.values["PANEL_DATA_DIR"]))
	path, manifest, err := Save(t.Context(), options)
	require.NoError(t, err)
	require.InDelta(t, preview.MaskedTotal(), manifest.MaskedTotal(), 5)
	about, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), about.Mode().Perm())
	files := unpacked(t, path)
	var inside Manifest
	require.NoError(t, json.Unmarshal([]byte(files["MANIFEST.json"]), &inside))
	require.Equal(t, manifest, inside)
	require.Len(t, files, len(manifest.Files)+1)
	total := 0
	for _, file := range manifest.Files {
		require.Len(t, files[file.Name], int(file.Bytes))
		for _, n := range file.Masked {
			total += n
		}
	}
	require.LessOrEqual(t, total, manifest.MaskedTotal())
	second, _, err := Save(t.Context(), options)
	require.NoError(t, err)
	require.NotEqual(t, path, second, "no bundle is written over")
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 2, "no draft is left")
}

// What an operator and a developer need stays readable.
func TestOrdinaryTextStays(t *testing.T) {
	t.Parallel()
	m, counts := newMasker(true), map[string]int{}
	text := `{"level":"error","time":"2026-11-20T14:02:03Z","component":"flows","msg":"apply failed","request_id":"01930b5e-8f00-7abc-8def-0123456789ab","node":"nl-1","ms":12,"has_token":true}
{"caller":"platform/httpapi/server.go:112","path":"/api/v1/connection-units/{id}/apply","status":409,"from":"192.168.1.4"}
migration 20260301090000_accounts applied; PostgreSQL 17.6; version 1.4.2-beta.3
FATAL: password authentication failed for user "panel"; the password is too short; the token was revoked; tests passed: 12
sign-in: the password of anna is wrong; GET /assets/index.js; a password must have 12 characters; modules/flows/raw.go:19:2: x`
	m.learn(text)
	require.Equal(t, text, m.mask(text, counts))
	require.Empty(t, counts)
	require.Equal(t, "from ***address-1*** and ***address-2***, again ***address-1***, ***address-3***",
		m.mask("from 203.0.113.7 and 198.51.100.9, again 203.0.113.7, 2001:db8::1", counts))
	require.Equal(t, 4, counts[kindAddress])
	require.Equal(t, "203.0.113.7", newMasker(false).mask("203.0.113.7", counts))
}

func TestADiskThatTakesNothingLeavesNothing(t *testing.T) {
	t.Parallel()
	p := newPlanted()
	options := p.options(t)
	options.Folder = filepath.Join(p.values["PANEL_DATA_DIR"], "secret.key", "support")
	_, _, err := Save(t.Context(), options)
	require.ErrorContains(t, err, "save the support bundle in")
}

// A folder that was named stays whose it is; one in the data folder serves the panel, so it belongs to the owner of
// that.
func TestABundleBelongsToTheFolderItIsSavedIn(t *testing.T) {
	t.Parallel()
	p := newPlanted()
	options := p.options(t)
	home, data := t.TempDir(), p.values["PANEL_DATA_DIR"]
	const nobody = 65534
	if os.Geteuid() == 0 {
		require.NoError(t, errors.Join(os.Chown(filepath.Dir(home), nobody, nobody), os.Chown(data, nobody, nobody)))
	}
	options.Folder = home
	path, _, err := Save(t.Context(), options)
	require.NoError(t, err)
	require.Equal(t, os.Geteuid(), ownerOf(t, home))
	require.Equal(t, os.Geteuid(), ownerOf(t, path))

	options.Folder = ""
	path, _, err = Save(t.Context(), options)
	require.NoError(t, err)
	require.Equal(t, ownerOf(t, data), ownerOf(t, path))
	require.Equal(t, ownerOf(t, data), ownerOf(t, filepath.Dir(path)))
}

func ownerOf(t *testing.T, path string) int {
	t.Helper()
	about, err := os.Stat(path)
	require.NoError(t, err)
	system, known := about.Sys().(*syscall.Stat_t)
	require.True(t, known)
	return int(system.Uid)
}

// Rule: the bundle is sent only to the configured address, with TLS unless it is this machine, and no redirect is
// followed.
func TestSending(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "panel-20261120-1402.tar.gz")
	require.NoError(t, os.WriteFile(path, []byte("bundle"), 0o600))
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		got = r.Header.Get("Content-Disposition") + " " + string(content)
		if r.URL.Path != "/" {
			http.Redirect(w, r, "/", http.StatusFound)
		}
	}))
	defer server.Close()
	require.NoError(t, Send(t.Context(), path, server.URL, ""))
	require.Equal(t, `attachment; filename="panel-20261120-1402.tar.gz" bundle`, got)
	require.Equal(t, "support_server_error", fault.Code(Send(t.Context(), path, server.URL+"/moved", "")))
	require.Equal(t, "support_url_invalid", fault.Code(Send(t.Context(), path, "http://support.example/take", "")))
	server.Close()
	require.Equal(t, "support_server_error", fault.Code(Send(t.Context(), path, server.URL, "")))
}
