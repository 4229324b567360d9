package canary

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/testneed/places"
)

const pages = "/api/v1/statuspage/pages"

// statusPage hands over what opens the places of a status page and deploys it: to a store of objects and an SSH server
// that let the panel in, and to the same with keys that they refuse.
func (w *installation) statusPage(admin string) {
	w.Helper()
	page := w.do(admin, "POST "+pages, pages, map[string]any{"slug": "canary", "titles": map[string]any{"en": "Our service"}})
	at, named := pages+"/"+page.text(w.T, "id"), pages+"/{id}"
	w.do(admin, "PUT "+named+"/components", at+"/components", map[string]any{
		"revision": 1, "groups": []any{}, "components": []map[string]any{{
			"group_id": "", "names": map[string]any{"en": "Website"}, "source": "node", "source_id": w.agent.NodeID,
			"visible": true, "show_bars": true,
		}},
	})
	store, server := places.NewS3(w.T), places.NewSSH(w.T)
	w.book.plant(w.T, "SSH key of a status page", strings.Split(server.Key, "\n")[2])
	bucket := map[string]any{
		"endpoint": store.Endpoint, "bucket": places.Bucket, "region": "us-east-1", "access_key": places.AccessKey,
		"path_style": true,
	}
	folder := map[string]any{
		"host": places.Address, "port": server.Port, "user": server.User, "folder": server.Folder,
		"host_key": server.HostKey,
	}
	for _, one := range []struct {
		kind, secret string
		config       map[string]any
	}{
		{"local", "", map[string]any{"folder": "www"}},
		{"panel", "", map[string]any{}},
		{"static_s3", w.book.plant(w.T, "S3 key of a status page", places.SecretKey), bucket},
		{"static_s3", w.book.plant(w.T, "S3 key of a status page", "canary-page-s3-4Fd7kQx2"), bucket},
		{"sftp", server.Key, folder},
		{"sftp", w.book.plant(w.T, "SSH password of a status page", "canary-page-ssh-9Vt3mRb6"), folder},
	} {
		target := w.do(admin, "POST "+named+"/targets", at+"/targets", map[string]any{
			"kind": one.kind, "label": one.kind, "config": one.config, "secret": one.secret,
		})
		const targets = "/api/v1/statuspage/targets/"
		w.do(admin, "POST "+targets+"{id}/test", targets+target.text(w.T, "id")+"/test", nil)
	}
	w.deploy(admin, at)
	for _, rest := range []string{"", "/bars", "/preview", "/targets", "/deploy-preview", "/deploys"} {
		w.do(admin, "GET "+named+rest, at+rest, nil)
	}
	w.published(filepath.Join(w.stand.Panel.DataDir, "statuspage"), server.Folder, store.Root)
}

// deploy publishes the draft; the places with wrong keys fail and the others go live.
func (w *installation) deploy(admin, page string) {
	w.Helper()
	started := w.do(admin, "POST "+pages+"/{id}/deploy", page+"/deploy", map[string]any{"revision": 2})
	var read struct {
		State   string
		Targets []struct{ State, Error string }
	}
	require.Eventually(w, func() bool {
		const deploys = "/api/v1/statuspage/deploys/"
		shown := w.do(admin, "GET "+deploys+"{id}", deploys+started.text(w.T, "id"), nil)
		require.NoError(w, json.Unmarshal(shown.body, &read))
		return read.State == "live"
	}, 2*time.Minute, 500*time.Millisecond)
	states := []string{}
	for _, target := range read.Targets {
		states = append(states, target.State)
	}
	require.Equal(w, []string{"live", "live", "live", "failed", "live", "failed"}, states, "%+v", read.Targets)
}

// published keeps the files of a page as readers get them.
func (w *installation) published(folders ...string) {
	w.Helper()
	for _, folder := range folders {
		before := len(w.places["published page"])
		w.folder("published page", folder)
		require.Greater(w, len(w.places["published page"]), before, folder)
	}
	for _, file := range []string{"index.html", "status.json", "feed.xml"} {
		got := w.do("", "GET /status/{slug}/{file}", "/status/canary/"+file, nil)
		w.keep("published page", got.body)
	}
}

// assistant connects a language model that repeats the key that it is sent, first as it refuses it, and asks questions
// that hold secrets.
func (w *installation) assistant(admin string) {
	w.Helper()
	key, asked := w.book.plant(w.T, "key of a language model", "canary-model-key-5Gz8wNc1"), atomic.Int32{}
	model := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		w.mind(sent)
		if asked.Add(1) == 1 {
			to.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(to, `{"error":{"message":"wrong key `+r.Header.Get("Authorization")+`"}}`)
			return
		}
		_, _ = io.WriteString(to, `data: {"choices":[{"delta":{"content":"Fine."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	w.Cleanup(model.Close)
	const base = "/api/v1/assistant"
	w.do(admin, "PUT "+base+"/settings", base+"/settings", map[string]any{
		"revision": 0, "settings": map[string]any{
			"enabled": true, "kind": "openai", "address": model.URL, "model": "m", "key": key, "tokens_per_day": 100_000,
			"cost_per_day": 0, "price_in": 0, "price_out": 0,
		},
	})
	typed := w.book.plant(w.T, "secret in a question", "7412365892:canary-asked-bot-2Kd8sWq4Zx")
	story := w.book.plant(w.T, "words of a question", "canaries sing in Amsterdam")
	for _, engine := range []string{"model", "model", "built_in"} {
		question := w.do(admin, "POST "+base+"/questions", base+"/questions", map[string]any{
			"text": "Why do " + story + " with " + typed + "?", "language": "en", "page": "/", "engine": engine,
		})
		if engine == "model" {
			w.do(admin, "POST "+base+"/questions/{id}/stream", base+"/questions/"+question.text(w.T, "id")+"/stream", nil)
		}
	}
	require.EqualValues(w, 2, asked.Load())
	for _, rest := range []string{"", "/settings", "/questions", "/helper"} {
		w.do(admin, "GET "+base+rest, base+rest, nil)
	}
}

// mind keeps what was sent to the language model.
func (w *installation) mind(sent []byte) {
	w.heard.Lock()
	defer w.heard.Unlock()
	w.minded = append(w.minded, sent...)
}
