package proxypanel

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/nodes"

	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/platform/paneltest"
)

// The manifest keeps the rules that hold for every module. It looks at all goroutines, so it runs alone.
func TestModule(t *testing.T) { //nolint:paralleltest // looks at the goroutines of the process
	paneltest.Check(t, Module(), nodes.Module(), domains.Module(), clients.Module(), flows.Module())
}

func TestAConnectionIsLookedAtAndKept(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.there.AddUsers(3)
	b.there.AddNode("first", "192.0.2.1", true)
	news := b.Follow()
	added := b.add()
	require.Equal(t, [2]string{"ok", ""}, found(added), added.Detail)
	require.Equal(t, b.there.URL, added.BaseURL)
	require.Equal(t, "3.3.2", added.Version)
	require.Equal(t, remnawave.Supported, added.Compatibility)
	require.True(t, added.HasToken)
	require.NotNil(t, added.TokenExpiresAt)
	require.Empty(t, added.MissingScopes)
	require.Equal(t, 3, added.Panel.Users)
	require.Equal(t, 1, added.Panel.NodesOnline)
	require.False(t, *added.Panel.Webhooks)
	require.NotNil(t, added.LastOKAt)
	require.Equal(t, added.ID, news.Next(connectionAdded).SubjectID)
	require.Equal(t, []string{connectionAdded}, b.Recorded(object, added.ID))
	require.Equal(t, added, b.get(added.ID))
	require.Len(t, b.As("proxypanel.view").Get(connectionsPath).Is(http.StatusOK).Value("items"), 1)
}

// Secrets are write-only: neither an answer nor the table nor the journal holds one.
func TestWhatIsSecretIsSealed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	token := b.token()
	added := b.add(fields{
		"token": token, "cookie": "gate=cookie-of-the-tests", "extra_headers": fields{"X-Gate": "header-of-the-tests"},
	})
	require.True(t, added.HasCookie)
	require.True(t, added.HasExtraHeaders)
	var stored, written string
	require.NoError(t, b.DB.NewRaw("select c::text from proxypanel_connections c").Scan(t.Context(), &stored))
	require.NoError(t, b.DB.NewRaw("select string_agg(j::text, '') from journal j").Scan(t.Context(), &written))
	shown := string(b.Admin().Get(connectionsPath).Is(http.StatusOK).Body)
	for _, text := range []string{stored, written, shown} {
		for _, secret := range []string{token, "cookie-of-the-tests", "header-of-the-tests"} {
			require.NotContains(t, text, secret)
		}
	}
}

// The address is kept in one form, so that the same panel is not connected twice.
func TestAPanelIsConnectedOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add()
	b.Admin().Post(connectionsPath, b.wanted(fields{"label": "other", "base_url": b.there.URL + "/api/"})).
		Refused(http.StatusConflict, "panel_connected")
	b.Admin().Post(connectionsPath, b.wanted(fields{"base_url": b.there.Direct})).
		Refused(http.StatusConflict, "name_taken")
}

func TestWhatCanNeverWorkIsRefusedBeforeAnyCall(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, value := range map[string]any{
		"base_url": "ftp://panel.example.com", "token": "sesame", "cookie": "a\nb", "ca": "sesame",
		"client_certificate": "sesame", "extra_headers": fields{"Authorization": "sesame"},
	} {
		answer := b.Admin().Post(connectionsPath, b.wanted(fields{name: value})).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.Equal(t, name, answer.Value("errors").([]any)[0].(map[string]any)["field"])
		require.NotContains(t, string(answer.Body), "sesame")
	}
	for _, address := range []string{
		"http://169.254.169.254", "http://user:sesame@panel.example.com", "https://panel.example.com?x=1",
	} {
		b.Admin().Post(connectionsPath, b.wanted(fields{"base_url": address})).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	require.Empty(t, b.there.Calls())
}

// The session of an administrator is no API token.
func TestAnAdministratorsSessionIsNoToken(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	session := "e30." + "eyJyb2xlIjoiQURNSU4ifQ" + ".x"
	b.Admin().Post(connectionsPath, b.wanted(fields{"token": session})).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// A test names the cause of whatever is wrong, and a connection is kept with it.
func TestEachCauseIsNamed(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		wanted [2]string
		given  func(b *bench) fields
	}{
		"no reverse proxy": {[2]string{"gate", "no_reverse_proxy"}, func(b *bench) fields {
			return fields{"base_url": b.there.Direct}
		}},
		"direct mode": {[2]string{"ok", ""}, func(b *bench) fields {
			return fields{"base_url": b.there.Direct, "direct": true}
		}},
		"a gate answers with a page": {[2]string{"gate", "gate_page"}, func(b *bench) fields {
			b.there.Gate(gate)
			return nil
		}},
		"a gate refuses with a page": {[2]string{"gate", "gate_page"}, func(b *bench) fields {
			b.there.Gate(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusForbidden) })
			return nil
		}},
		"a gate is opened by cookie and header": {[2]string{"ok", ""}, func(b *bench) fields {
			b.there.Gate(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Cookie") != "gate=open" || r.Header.Get("X-Gate") != "open" {
					gate(w, r)
					return
				}
				b.there.Pass(w, r)
			})
			return fields{"cookie": "gate=open", "extra_headers": fields{"X-Gate": "open"}}
		}},
		"the token was deleted": {[2]string{"auth", "token_refused"}, func(b *bench) fields {
			token := b.token()
			b.there.Revoke()
			return fields{"token": token}
		}},
		"the token has expired": {[2]string{"auth", "token_expired"}, func(b *bench) fields {
			return fields{"token": b.there.Token(-time.Hour, allScopes()...)}
		}},
		"the token ends soon": {[2]string{"degraded", "token_expiring"}, func(b *bench) fields {
			return fields{"token": b.there.Token(13*24*time.Hour, allScopes()...)}
		}},
		"the version is another major": {[2]string{"unsupported", "version_unsupported"}, func(b *bench) fields {
			b.there.Be("2.7.1")
			return nil
		}},
		"a process is silent": {[2]string{"degraded", "process_silent"}, func(b *bench) fields {
			b.there.Skew(-time.Hour)
			b.there.Silence("scheduler")
			b.there.Skew(0)
			return nil
		}},
		"its clock is wrong": {[2]string{"ok", ""}, func(b *bench) fields {
			b.there.Skew(-3 * time.Hour)
			return nil
		}},
		"a node is down": {[2]string{"degraded", "nodes_down"}, func(b *bench) fields {
			b.there.AddNode("first", "192.0.2.1", false)
			return nil
		}},
		"nobody listens": {[2]string{"unreachable", "connection_refused"}, func(*bench) fields {
			return fields{"base_url": "http://127.0.0.1:1"}
		}},
		"nobody of that name": {[2]string{"unreachable", "name_not_found"}, func(*bench) fields {
			return fields{"base_url": "https://no-such-host.invalid"}
		}},
		"it is not reached by TLS": {[2]string{"unreachable", "tls_failed"}, func(b *bench) fields {
			return fields{"base_url": "https" + b.there.URL[len("http"):]}
		}},
		"it wants to be left alone": {[2]string{"degraded", "slow_down"}, func(b *bench) fields {
			b.there.Gate(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "60")
				w.WriteHeader(http.StatusTooManyRequests)
			})
			return nil
		}},
		"it fails without a reason": {[2]string{"unreachable", "panel_failed"}, func(b *bench) fields {
			b.there.Gate(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusInternalServerError)
				_, _ = w.Write([]byte(`{"statusCode":500,"message":"Internal server error"}`))
			})
			return nil
		}},
		"half an answer": {[2]string{"gate", "no_reverse_proxy"}, func(b *bench) fields {
			b.there.Gate(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "100")
				_, _ = w.Write([]byte(`{"response":{"version":`))
			})
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			added := b.add(one.given(b))
			require.Equal(t, one.wanted, found(added), added.Detail)
			require.Equal(t, one.wanted, found(b.get(added.ID)))
		})
	}
}

// Each scope that is missing is named; without one of those for reading the connection is of no use.
func TestMissingScopesAreNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	all := allScopes()
	for _, one := range []struct {
		has     []string
		state   string
		missing []string
	}{
		{[]string{"*"}, "ok", []string{}},
		{all[:9], "degraded", all[9:]},
		{all[1:], "auth", []string{"system:read"}},
		{append([]string{"system:read"}, all[2:]...), "auth", []string{"nodes:read"}},
	} {
		added := b.add(fields{"token": b.there.Token(365*24*time.Hour, one.has...)})
		require.Equal(t, one.state, added.State, one.has)
		require.Equal(t, one.missing, added.MissingScopes)
		if len(one.missing) > 0 {
			require.Equal(t, "scope_missing", added.Cause)
		}
		b.Admin().Delete(connectionsPath + "/" + added.ID).Is(http.StatusNoContent)
	}
}

// To look for scopes changes nothing at the other panel.
func TestALookChangesNothingThere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.there.AddUsers(2)
	b.there.AddNode("first", "192.0.2.1", true)
	before := b.there.Dump()
	b.add()
	require.Equal(t, before, b.there.Dump())
}

func TestAConnectionIsChanged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	added := b.add(fields{"cookie": "a=b"})
	path := connectionsPath + "/" + added.ID
	b.Admin().Patch(path, fields{"label": "x"}).Refused(http.StatusBadRequest, "missing_field")
	b.Admin().Patch(path, fields{"revision": 7, "label": "x"}).Refused(http.StatusConflict, "revision_conflict")
	calls := len(b.there.Calls())
	var changed Connection
	b.Admin().Patch(path, fields{"revision": 1, "label": "renamed"}).Is(http.StatusOK).JSON(&changed)
	require.Equal(t, "renamed", changed.Label)
	require.Len(t, b.there.Calls(), calls, "a new name is no reason to ask")
	require.True(t, changed.HasCookie, "what is absent stays")

	b.there.Revoke()
	b.Admin().Patch(path, fields{"revision": 2, "token": b.token(), "cookie": ""}).Is(http.StatusOK).JSON(&changed)
	require.Equal(t, "ok", changed.State, "the new token is used")
	require.False(t, changed.HasCookie)
	require.EqualValues(t, 3, changed.Revision)
	require.Equal(t, []string{connectionAdded, connectionChanged, connectionChanged}, b.Recorded(object, added.ID))
}

func TestAConnectionIsRemovedAndNothingChangesThere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := connectionsPath + "/" + b.add().ID
	b.As("proxypanel.view").Delete(path).Refused(http.StatusForbidden, "permission_denied")
	before := b.there.Dump()
	b.As("proxypanel.manage").Delete(path).Is(http.StatusNoContent)
	b.Admin().Delete(path).Refused(http.StatusNotFound, "not_found")
	b.Admin().Post(path+"/test", nil).Refused(http.StatusNotFound, "not_found")
	require.Equal(t, before, b.there.Dump())
}

// A panel with a certificate of its own authority wants that authority, and may want a certificate of ours.
func TestAnAuthorityOfItsOwn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	server := httptest.NewTLSServer(http.HandlerFunc(b.there.Pass))
	t.Cleanup(server.Close)
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	added := b.add(fields{"base_url": server.URL})
	require.Equal(t, [2]string{"unreachable", "tls_failed"}, found(added))
	var changed Connection
	b.Admin().Patch(connectionsPath+"/"+added.ID, fields{"revision": 1, "ca": ca}).Is(http.StatusOK).JSON(&changed)
	require.Equal(t, [2]string{"ok", ""}, found(changed))
	require.True(t, changed.HasCA)
}

// While it says slow down, it is asked nothing.
func TestAPanelThatSaysSlowDownIsLeftAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.add().ID
	asked := 0
	b.there.Gate(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Retry-After", "600")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	for range 3 {
		require.Equal(t, [2]string{"degraded", "slow_down"}, found(b.test(id)))
	}
	require.Equal(t, 1, asked)
}

func TestTheScopesAreListed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	items := b.As("proxypanel.view").Get("/api/v1/proxypanel/scopes").Is(http.StatusOK).Value("items").([]any)
	require.Len(t, items, 20)
	require.Contains(t, items, map[string]any{"scope": "users:disable", "use": "abuse"})
	for _, never := range []string{"*", "keygen:*"} {
		require.NotContains(t, allScopes(), never)
	}
}
