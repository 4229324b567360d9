package canary

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/cdntest"
	"panel/platform/testneed/places"
)

// reach hands over what opens services outside: a bot, a webhook, a mail server, a store of objects. All of them refuse
// or are not there, so that their failures are written down, too.
func (w *installation) reach() {
	w.Helper()
	admin := w.stand.API.Token
	bot := w.book.plant(w.T, "bot token", "7412365890:canary-bot-token-4Kd8sWq2")
	var read struct {
		Revision int64 `json:"revision"`
	}
	shown := w.do(admin, "GET /api/v1/notifications/settings", "/api/v1/notifications/settings", nil)
	require.NoError(w, json.Unmarshal(shown.body, &read))
	w.do(admin, "PUT /api/v1/notifications/settings", "/api/v1/notifications/settings", map[string]any{
		"revision": read.Revision, "settings": map[string]any{
			"messenger": map[string]any{
				"bot_token": bot, "chat_id": "42", "thread_id": 0, "proxy": "http://panel:" +
					w.book.plant(w.T, "password of a proxy", "canary-proxy-6Wm3xQd8") + "@proxy.example:3128",
			},
			"messenger_api_root": "https://bot.example", "language": "en",
			"quiet_hours": map[string]any{"enabled": false, "from": "22:00", "to": "07:00", "zone": "UTC"},
		},
	})
	failed := w.call(admin, "POST /api/v1/notifications/messenger/test", "/api/v1/notifications/messenger/test", nil)
	require.GreaterOrEqual(w, failed.status, http.StatusBadGateway)

	w.do(admin, "POST /api/v1/notifications/channels", "/api/v1/notifications/channels", map[string]any{
		"kind": "webhook", "name": "hook", "webhook": map[string]any{
			"url":    "https://hooks.example/" + w.book.plant(w.T, "address of a webhook", "canary-hook-path-8Rt3"),
			"secret": w.book.plant(w.T, "key of a webhook", "canary-hook-key-2Vb7nMx5"),
		},
	})
	w.do(admin, "POST /api/v1/notifications/channels", "/api/v1/notifications/channels", map[string]any{
		"kind": "email", "name": "mail", "email": map[string]any{
			"host": "mail.example", "port": 587, "security": "starttls", "username": "panel", "from": "panel@example.com",
			"to": []string{"anna@example.com"}, "password": w.book.plant(w.T, "mail password", "canary-mail-5Hj9pLz1"),
		},
	})
	w.backUp(admin)
	w.identity(admin)
	w.nameServers(admin)
	w.proxyPanel(admin)
	w.hosting(admin)
	w.networks(admin)
	w.certificates(admin)
	w.statusPage(admin)
	w.assistant(admin)
}

// backUp hands over what opens the places of backups: a store of objects, an SSH server and a chat.
func (w *installation) backUp(admin string) {
	w.Helper()
	_, hostKey := places.KeyPair(w.T)
	profile := w.do(admin, "POST /api/v1/backups/profiles", "/api/v1/backups/profiles", map[string]any{
		"name": "nightly", "enabled": true, "schedule": map[string]any{}, "scope": map[string]any{},
		"retention": map[string]any{"keep_last": 1}, "verify": map[string]any{}, "deadman_hours": 0,
		"encryption": map[string]any{
			"mode": "passphrase", "passphrase": w.book.plant(w.T, "backup passphrase", "canary-passphrase-6Xc4vBn8"),
		},
		"destinations": []map[string]any{{
			"kind":   "s3",
			"config": map[string]any{"endpoint": "https://s3.example", "bucket": "b", "access_key_id": "panel"},
			"secret": w.book.plant(w.T, "S3 key", "canary-s3-key-1Qw6eRt9"),
		}, {
			"kind":   "sftp",
			"config": map[string]any{"host": "ssh.example", "user": "panel", "host_key": hostKey},
			"secret": w.book.plant(w.T, "SSH password", "canary-ssh-5Rb2nKt7"),
		}, {
			"kind":   "messenger",
			"config": map[string]any{"chat_id": "43", "api_root": "https://bot.example"},
			"secret": w.book.plant(w.T, "bot token of backups", "7412365891:canary-backup-bot-9Pz4tYc6"),
		}},
	})
	w.do(admin, "POST /api/v1/backups/runs", "/api/v1/backups/runs",
		map[string]any{"profile_id": profile.text(w.T, "id")})
}

// identity tests a backup for an age recipient with the identity that belongs to it.
func (w *installation) identity(admin string) {
	w.Helper()
	identity, err := age.GenerateX25519Identity()
	require.NoError(w, err)
	profile := w.do(admin, "POST /api/v1/backups/profiles", "/api/v1/backups/profiles", map[string]any{
		"name": "sealed", "destinations": []map[string]any{{"kind": "local"}},
		"encryption": map[string]any{"mode": "age", "recipient": identity.Recipient().String()},
	})
	run := w.do(admin, "POST /api/v1/backups/runs", "/api/v1/backups/runs",
		map[string]any{"profile_id": profile.text(w.T, "id")})
	w.ends(admin, "/api/v1/backups/runs", run.text(w.T, "id"))
	test := w.do(admin, "POST /api/v1/backups/restores", "/api/v1/backups/restores", map[string]any{
		"run_id": run.text(w.T, "id"), "mode": "verify",
		"keys": map[string]any{
			"identity":   w.book.plant(w.T, "backup identity", identity.String()),
			"passphrase": w.book.plant(w.T, "former passphrase", "canary-former-passphrase-3Lx8"),
			"master_key": w.book.plant(w.T, "former master key", "canary-former-master-key-8Vd1sNq5"),
		},
	})
	w.ends(admin, "/api/v1/backups/restores", test.text(w.T, "id"))
	w.withoutPanel(identity.String())
}

// withoutPanel verifies the newest local backup by the command line alone.
func (w *installation) withoutPanel(identity string) {
	w.Helper()
	file := filepath.Join(w.TempDir(), "identity")
	require.NoError(w, os.WriteFile(file, []byte(identity+"\n"), 0o600))
	said, err := w.stand.Panel.Command(w.Context(), "", "backup", "verify", "--identity", file, "--debug")
	require.NoError(w, err)
	require.Zero(w, said.Exit, said.Err)
	w.keep("output of panelctl", []byte(said.Out+said.Err))
}

// ends waits for the end of a run or of a restore test; neither fails.
func (w *installation) ends(admin, list, id string) {
	w.Helper()
	var read struct {
		State string `json:"state"`
	}
	require.Eventually(w, func() bool {
		shown := w.do(admin, "GET "+list+"/{id}", list+"/"+id, nil)
		require.NoError(w, json.Unmarshal(shown.body, &read))
		return read.State != "queued" && read.State != "running" && read.State != "uploading"
	}, 2*time.Minute, 500*time.Millisecond)
	require.Equal(w, "succeeded", read.State)
}

// certificates hands over the key of an external account, and a certificate of our own with its key.
func (w *installation) certificates(admin string) {
	w.Helper()
	w.do(admin, "PUT /api/v1/dns/certificate-settings", "/api/v1/dns/certificate-settings", map[string]any{
		"revision": 0, "settings": map[string]any{
			"authority": "letsencrypt", "directory": "", "email": "", "roots": "", "external_account": map[string]any{
				"key_id": "kid", "mac_key": w.book.plant(w.T, "key of an external account", "canary-mac-key-4Tg8wPz1"),
			},
		},
	})
	chain, key := ownCertificate(w.T)
	w.book.plant(w.T, "key of a certificate", strings.Split(key, "\n")[1])
	w.do(admin, "POST /api/v1/certificates", "/api/v1/certificates", map[string]any{"chain": chain, "key": key})
}

// ownCertificate is one that signs itself, as PEM.
func ownCertificate(t *testing.T) (chain, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"own.example"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(100 * 24 * time.Hour),
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, secret.Public(), secret)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(secret)
	require.NoError(t, err)
	encode := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	return encode("CERTIFICATE", cert), encode("PRIVATE KEY", der)
}

// nameServers hands over what opens DNS services; none of them can be reached.
func (w *installation) nameServers(admin string) {
	w.Helper()
	refused := w.call(admin, "POST /api/v1/dns/setup", "/api/v1/dns/setup", map[string]any{
		"domain": "panel.example.com", "server_ip": "192.0.2.10", "save_integration": true,
		"api_token": w.book.plant(w.T, "DNS token", "canary-dns-token-3Mn8kQw2"),
	})
	require.GreaterOrEqual(w, refused.status, http.StatusBadRequest)
	refused = w.call(admin, "POST /api/v1/dns/integrations", "/api/v1/dns/integrations", map[string]any{
		"provider": "powerdns", "label": "power", "fields": map[string]any{
			"api_root": "https://dns.example", "api_key": w.book.plant(w.T, "DNS key", "canary-dns-key-7Bv1xZs4"),
		},
	})
	require.GreaterOrEqual(w, refused.status, http.StatusBadRequest)
}

// proxyPanel hands over what opens an external proxy panel: the token and what the gates in front of it want. Nobody is
// there.
func (w *installation) proxyPanel(admin string) {
	w.Helper()
	signature := w.book.plant(w.T, "token of a proxy panel", "canary-proxypanel-token-6Tq2wLs9")
	const paths = "/api/v1/proxypanel/connections"
	id := w.do(admin, "POST "+paths, paths, map[string]any{
		"label": "panel", "base_url": "https://proxypanel.invalid", "token": "e30.e30." + signature,
		"cookie":        "gate=" + w.book.plant(w.T, "cookie of a proxy panel", "canary-proxypanel-cookie-3Xc8"),
		"extra_headers": map[string]any{"X-Gate": w.book.plant(w.T, "header of a proxy panel", "canary-gate-5Nv1mQz")},
	}).text(w.T, "id")
	w.do(admin, "PUT "+paths+"/{id}/webhook", paths+"/"+id+"/webhook", map[string]any{
		"secret": w.book.plant(w.T, "secret of a proxy panel's webhooks", "canaryproxypanelwebhook7Hs2Kd9Lq4Wn8Zx"),
	})
	for _, one := range []string{"", "/test"} {
		method := map[string]string{"": "GET ", "/test": "POST "}[one]
		w.do(admin, method+paths+"/{id}"+one, paths+"/"+id+one, nil)
	}
}

// hosting hands over what opens accounts at hosting providers. Nobody is there.
func (w *installation) hosting(admin string) {
	w.Helper()
	const paths = "/api/v1/cloud-providers"
	id := w.do(admin, "POST "+paths, paths, map[string]any{
		"kind": "hetzner", "label": "machines", "base_url": "https://hosting.invalid", "credentials": map[string]any{
			"api_token": w.book.plant(w.T, "token of a hosting provider", "canary-hosting-token-8Jd4rTx1"),
		},
	}).text(w.T, "id")
	for _, one := range []string{"", "/test"} {
		method := map[string]string{"": "GET ", "/test": "POST "}[one]
		w.do(admin, method+paths+"/{id}"+one, paths+"/"+id+one, nil)
	}
}

// networks hands over what opens CDNs. Both are there and take their keys, and then refuse to be asked.
func (w *installation) networks(admin string) {
	w.Helper()
	bunny, yandex := cdntest.NewBunny(w.T, ""), cdntest.NewYandex(w.T, "")
	w.book.plant(w.T, "key of bunny.net", cdntest.BunnyKey)
	var key struct {
		PrivateKey string `json:"private_key"`
	}
	require.NoError(w, json.Unmarshal([]byte(yandex.Key), &key))
	w.book.plant(w.T, "key of a service account", strings.Split(key.PrivateKey, "\n")[3])
	kept := []string{}
	for provider, fields := range map[string]map[string]any{
		"bunny": {"api_root": bunny.Root, "api_key": cdntest.BunnyKey},
		"yandex": {
			"api_root": yandex.Root, "folder_id": cdntest.YandexFolder, "service_account_key": yandex.Key,
		},
	} {
		kept = append(kept, w.do(admin, "POST /api/v1/dns/integrations", "/api/v1/dns/integrations", map[string]any{
			"provider": provider, "label": provider, "fields": fields,
		}).text(w.T, "id"))
	}
	const calls = 100
	bunny.Limit(calls)
	yandex.Limit(calls)
	for _, id := range kept {
		path := "/api/v1/dns/integrations/" + id
		w.do(admin, "GET /api/v1/dns/integrations/{id}", path, nil)
		refused := w.call(admin, "GET /api/v1/dns/integrations/{id}/zones", path+"/zones", nil)
		require.Equal(w, http.StatusBadGateway, refused.status)
	}
}
