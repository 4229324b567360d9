package proxypanel

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/nodes"
	"panel/modules/proxypanel/remnawavetest"
	"panel/platform/module"
	"panel/platform/paneltest"
)

type fields = map[string]any

// built is the module with those that it needs.
func built(more ...module.Module) paneltest.Setting {
	all := []module.Module{nodes.Module(), domains.Module(), clients.Module(), flows.Module(), Module()}
	return paneltest.Modules(append(all, more...)...)
}

// bench is a panel beside a stand-in for Remnawave on this machine.
type bench struct {
	*paneltest.Panel
	t     *testing.T
	there *remnawavetest.Panel
}

func newBench(t *testing.T, more ...paneltest.Setting) *bench {
	t.Helper()
	return newBenchOf(t, built(), more...)
}

func newBenchOf(t *testing.T, modules paneltest.Setting, more ...paneltest.Setting) *bench {
	t.Helper()
	settings := append([]paneltest.Setting{
		modules, paneltest.Env(map[string]string{
			"PANEL_OUTBOUND_ALLOW": "127.0.0.1", "PANEL_PROXYPANEL_BOOTSTRAP": "true",
		}),
	}, more...)
	return &bench{paneltest.Start(t, settings...), t, remnawavetest.New(t)}
}

// allScopes are those of a token that lacks nothing.
func allScopes() []string { return scopeNames() }

// token is a good one of the stand-in.
func (b *bench) token() string { return b.there.Token(365*24*time.Hour, allScopes()...) }

func (b *bench) wanted(more ...fields) fields {
	body := fields{"label": "main", "base_url": b.there.URL, "token": b.token()}
	for _, one := range more {
		for name, value := range one {
			body[name] = value
		}
	}
	return body
}

// add adds a connection with the stand-in.
func (b *bench) add(more ...fields) (added Connection) {
	b.t.Helper()
	b.Admin().Post(connectionsPath, b.wanted(more...)).Is(http.StatusCreated).JSON(&added)
	return added
}

func (b *bench) get(id string) (shown Connection) {
	b.t.Helper()
	b.Admin().Get(connectionsPath + "/" + id).Is(http.StatusOK).JSON(&shown)
	return shown
}

func (b *bench) test(id string) (found Connection) {
	b.t.Helper()
	b.Admin().Post(connectionsPath+"/"+id+"/test", nil).Is(http.StatusOK).JSON(&found)
	return found
}

// look runs the schedule until the connection was looked at again: what a look found that had begun before the last
// change is dropped, and it keeps another one from beginning.
func (b *bench) look(id string) (seen Connection) {
	b.t.Helper()
	before := b.get(id)
	for range 4 {
		b.RunSchedule(lookKind)
		for range 500 {
			if seen = b.get(id); seen.CheckedAt.After(*before.CheckedAt) {
				return seen
			}
			<-b.Clock.After(20 * time.Millisecond)
		}
	}
	require.FailNow(b.t, "nobody has looked at the connection")
	return seen
}

func found(c Connection) [2]string { return [2]string{c.State, c.Cause} }

func gate(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write([]byte("<html>who are you</html>"))
}
