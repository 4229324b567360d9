package notifications

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/events"
	"panel/platform/module"
	"panel/platform/paneltest"
)

type fields = map[string]any

const (
	within = 30 * time.Second
	every  = 50 * time.Millisecond
)

// probeNews is the data of the events of a module that has something to tell.
type probeNews struct {
	Name   string `json:"name"`
	Reason string `json:"reason,omitempty"`
}

const (
	probeDown = "probe.down"
	probeUp   = "probe.up"
	probeOdd  = "probe.odd"
	probeQuit = "probe.quit"
)

// probe is a module that knows nothing of notifications.
func probe() module.Module {
	return module.Module{
		Name: "probe", Summary: "Something to tell", Russian: "A probe is down\nПроба не отвечает\n",
		Events: []events.Kind{
			{
				Name: probeDown, Summary: "A probe is down", Severity: events.Critical, Notify: true, Data: probeNews{},
				Effect: "Nothing is probed.", Screen: "/probes/{id}",
			},
			{Name: probeUp, Summary: "A probe is up", Notify: true, Data: probeNews{}, Resolves: []string{probeDown}},
			{Name: probeOdd, Summary: "A probe is odd", Severity: events.Warning, Notify: true, Data: probeNews{}},
			{Name: probeQuit, Summary: "Nobody is told", Data: probeNews{}},
		},
	}
}

// bench is a panel, and a stand-in of the messenger's bot API.
type bench struct {
	*paneltest.Panel
	t   *testing.T
	api *botAPI
}

func newBench(t *testing.T, options ...paneltest.Setting) *bench {
	t.Helper()
	api := newBotAPI(t)
	settings := []paneltest.Setting{
		paneltest.Modules(Module(), probe()),
		paneltest.Env(map[string]string{
			"PANEL_MESSENGER_API_ROOT": api.server.URL, "PANEL_OUTBOUND_ALLOW": "127.0.0.1",
			"PANEL_PUBLIC_URL": "https://panel.example",
		}),
	}
	return &bench{Panel: paneltest.Start(t, append(settings, options...)...), t: t, api: api}
}

// other is a further panel on the same database.
func (b *bench) other() *bench { return newBenchOn(b) }

func newBenchOn(first *bench, more ...module.Module) *bench {
	modules := append([]module.Module{Module(), probe()}, more...)
	second := paneltest.Start(first.t, paneltest.On(first.DB), paneltest.Modules(modules...),
		paneltest.Env(map[string]string{
			"PANEL_MESSENGER_API_ROOT": first.api.server.URL, "PANEL_OUTBOUND_ALLOW": "127.0.0.1",
			"PANEL_PUBLIC_URL": "https://panel.example",
		}))
	return &bench{Panel: second, t: first.t, api: first.api}
}

const token = "123456:a-bot-token-that-nobody-may-see"

// configure sets up the messenger; changes are made to the settings.
func (b *bench) configure(changes ...func(fields)) {
	b.t.Helper()
	document := fields{
		"messenger":   fields{"bot_token": token, "chat_id": "42", "thread_id": 0},
		"quiet_hours": fields{"enabled": false, "from": "22:00", "to": "07:00", "zone": "UTC"}, "language": "en",
	}
	for _, change := range changes {
		change(document)
	}
	admin := b.Admin()
	revision := admin.Get(base + "/settings").Is(http.StatusOK).Value("revision")
	admin.Put(base+"/settings", fields{"revision": revision, "settings": document}).Is(http.StatusOK)
}

// happens lets something happen to a subject.
func (b *bench) happens(kind, subject, name string) {
	b.t.Helper()
	require.NoError(b.t, b.Bus().Emit(b.t.Context(), events.Event{
		Kind: kind, SubjectID: subject, At: b.Clock.Now(), Data: probeNews{Name: name},
	}))
}

func (b *bench) deliveries(query string) (all []Delivery) {
	b.t.Helper()
	var page struct {
		Items []Delivery `json:"items"`
	}
	b.Admin().Get(base + "/deliveries?limit=200&sort=created_at" + query).Is(http.StatusOK).JSON(&page)
	return page.Items
}

// until waits for deliveries that the query finds.
func (b *bench) until(query string, count int) []Delivery {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return len(b.deliveries(query)) >= count }, within, every, "%s", query)
	return b.deliveries(query)
}

// said is a message that the stand-in got.
type said struct {
	Path, Chat, Text, Thread, Reply string
	At                              time.Time
}

// botAPI is a stand-in of the messenger's bot API: it answers as it is told, and takes messages otherwise.
type botAPI struct {
	server *httptest.Server
	mu     sync.Mutex
	got    []said
	answer func(w http.ResponseWriter, r *http.Request) bool
}

func newBotAPI(t *testing.T) *botAPI {
	t.Helper()
	api := &botAPI{}
	api.server = httptest.NewServer(api)
	t.Cleanup(api.server.Close)
	return api
}

func (a *botAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseMultipartForm(1 << 20); err != nil {
		http.Error(w, "no form", http.StatusTeapot)
		return
	}
	// Only a server that has read all of the body notices that the client left; the form ends before the body does.
	_, _ = io.Copy(io.Discard, r.Body)
	a.mu.Lock()
	answer := a.answer
	a.mu.Unlock()
	if answer != nil && answer(w, r) {
		return
	}
	a.mu.Lock()
	a.got = append(a.got, said{
		Path: r.URL.Path, Chat: r.FormValue("chat_id"), Text: r.FormValue("text"), Thread: r.FormValue("message_thread_id"),
		Reply: r.FormValue("reply_parameters"), At: time.Now(),
	})
	number := len(a.got)
	a.mu.Unlock()
	_ = json.NewEncoder(w).Encode(fields{"ok": true, "result": fields{"message_id": number, "chat": fields{"id": 42}}})
}

func (a *botAPI) answers(answer func(w http.ResponseWriter, r *http.Request) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answer = answer
}

// refuses answers every call with a status and a body.
func (a *botAPI) refuses(status int, body string) {
	a.answers(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
		return true
	})
}

func (a *botAPI) messages() []said {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]said{}, a.got...)
}

func (a *botAPI) next(t *testing.T, count int) []said {
	t.Helper()
	require.Eventually(t, func() bool { return len(a.messages()) >= count }, within, every)
	return a.messages()
}
