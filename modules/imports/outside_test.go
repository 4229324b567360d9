package imports

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/reading"
	"panel/platform/access"
	"panel/platform/config"
	"panel/platform/fault"
	"panel/platform/outbound"
)

// xuiPanel keeps the rules by which 3x-ui lets a program in: everything lies under its base path, a form comes with the
// token of its session, a failed sign-in is answered with 200, and whoever is not signed in gets 401.
type xuiPanel struct {
	base      string
	code      string // second factor; empty: none
	old       bool   // a release without tokens for forms
	answer    string // to the list of inbounds; empty: one inbound
	intercept http.HandlerFunc

	mu       sync.Mutex
	sessions map[string]*xuiSession
	asked    []string
}

type xuiSession struct {
	form     string // token that its forms come with
	signedIn bool
}

const (
	xuiUser     = "admin"
	xuiPassword = "c0rrect horse&battery=staple+ü"
	xuiToken    = "the-token-of-the-api"
	xuiInbounds = `[{"id":3,"remark":"Trojan","enable":true,"listen":"","port":443,"protocol":"trojan","tag":"in-443",
		"settings":"{\"clients\":[{\"password\":\"s3cret\",\"email\":\"anna\"}]}",
		"streamSettings":"{\"network\":\"tcp\",\"security\":\"tls\",\"tlsSettings\":{\"serverName\":\"a.example\"}}",
		"sniffing":"","clientStats":[{"email":"anna","up":3,"down":4}]}]`
)

// open gives the address of the panel, with its base path.
func (x *xuiPanel) open(t *testing.T) string {
	t.Helper()
	x.sessions = map[string]*xuiSession{}
	routes := http.NewServeMux()
	if !x.old {
		routes.HandleFunc("GET "+x.base+"/csrf-token", x.formToken)
	}
	routes.HandleFunc("POST "+x.base+"/login", x.login)
	routes.HandleFunc("GET "+x.base+"/panel/api/inbounds/list", x.list)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x.mu.Lock()
		x.asked = append(x.asked, r.Method+" "+r.URL.RequestURI())
		x.mu.Unlock()
		if x.intercept != nil {
			x.intercept(w, r)
			return
		}
		routes.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + x.base
}

// session is the one of the cookie, or a new one.
func (x *xuiPanel) session(w http.ResponseWriter, r *http.Request, begin bool) *xuiSession {
	x.mu.Lock()
	defer x.mu.Unlock()
	if cookie, err := r.Cookie("3x-ui"); err == nil && x.sessions[cookie.Value] != nil {
		return x.sessions[cookie.Value]
	}
	one := new(xuiSession)
	if begin {
		name := rand.Text() + "=="
		x.sessions[name] = one
		http.SetCookie(w, &http.Cookie{Name: "3x-ui", Value: name, Path: x.base + "/", MaxAge: 3600, HttpOnly: true})
	}
	return one
}

func say(w http.ResponseWriter, success bool, obj any) {
	_ = json.NewEncoder(w).Encode(map[string]any{"success": success, "msg": "", "obj": obj})
}

func (x *xuiPanel) formToken(w http.ResponseWriter, r *http.Request) {
	one := x.session(w, r, true)
	one.form = rand.Text()
	say(w, true, one.form)
}

func (x *xuiPanel) login(w http.ResponseWriter, r *http.Request) {
	one := x.session(w, r, x.old)
	if !x.old && (one.form == "" || r.Header.Get("X-CSRF-Token") != one.form) {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	one.signedIn = r.PostFormValue("username") == xuiUser && r.PostFormValue("password") == xuiPassword &&
		r.PostFormValue("twoFactorCode") == x.code
	say(w, one.signedIn, nil)
}

func (x *xuiPanel) list(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+xuiToken && !x.session(w, r, false).signedIn {
		if r.Header.Get("X-Requested-With") == "XMLHttpRequest" {
			w.WriteHeader(http.StatusUnauthorized)
		} else {
			w.WriteHeader(http.StatusNotFound)
		}
		return
	}
	if x.answer != "" {
		_, _ = io.WriteString(w, x.answer)
		return
	}
	say(w, true, json.RawMessage(xuiInbounds))
}

// reader is the client of a panel whose operator allows some networks.
func reader(t *testing.T, allowed string) *outside {
	t.Helper()
	cfg, err := config.Of(map[string]string{"PANEL_OUTBOUND_ALLOW": allowed})
	require.NoError(t, err)
	network, err := outbound.NewNetwork(cfg)
	require.NoError(t, err)
	o := newOutside(network)
	t.Cleanup(o.public.Close)
	t.Cleanup(o.private.Close)
	return o
}

func ask(t *testing.T, at Outside) (*foreign.Config, error) {
	t.Helper()
	return reader(t, "127.0.0.1").read(t.Context(), at)
}

func requireInbound(t *testing.T, c *foreign.Config, err error) {
	t.Helper()
	require.NoError(t, err)
	require.Equal(t, "3x-ui", c.Format)
	require.Len(t, c.Entries, 1)
	require.Equal(t, "Trojan", c.Entries[0].Name)
	require.Equal(t, []foreign.Client{{Label: "anna", Password: "s3cret", Up: 3, Down: 4}}, c.Entries[0].Clients)
}

// An API token opens the list at once; nobody signs in.
func TestAnAPITokenOpensTheList(t *testing.T) {
	t.Parallel()
	panel := &xuiPanel{base: "/b4se"}
	c, err := ask(t, Outside{Address: panel.open(t), Token: xuiToken})
	requireInbound(t, c, err)
	require.Equal(t, []string{"GET /b4se/panel/api/inbounds/list"}, panel.asked)
}

// A token that was pasted with the end of its line is the same token.
func TestATokenIsTakenWithoutTheSpaceAroundIt(t *testing.T) {
	t.Parallel()
	panel := new(xuiPanel)
	address := panel.open(t)
	c, err := ask(t, Outside{Address: " " + address + "/\n", Token: xuiToken + "\r\n"})
	requireInbound(t, c, err)
	_, err = ask(t, Outside{Address: address, Token: "two\nlines"})
	require.Equal(t, "invalid_value", fault.Code(err))
	require.Len(t, panel.asked, 1)
}

// Whoever has a username and a password signs in as the page does: with the token of the form, in one session.
func TestAPasswordOpensTheList(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "/b4se", "/two/levels"} {
		for _, old := range []bool{false, true} {
			panel := &xuiPanel{base: base, old: old}
			c, err := ask(t, Outside{Address: panel.open(t) + "/", Username: xuiUser, Password: xuiPassword})
			requireInbound(t, c, err)
			require.Equal(t, []string{
				"GET " + base + "/csrf-token", "POST " + base + "/login", "GET " + base + "/panel/api/inbounds/list",
			}, panel.asked)
			require.Len(t, panel.sessions, 1, "one session from the first request to the last")
		}
	}
}

func TestASecondFactorIsSent(t *testing.T) {
	t.Parallel()
	panel := &xuiPanel{base: "/b4se", code: "123456"}
	at := Outside{Address: panel.open(t), Username: xuiUser, Password: xuiPassword, Code: " 123456 "}
	c, err := ask(t, at)
	requireInbound(t, c, err)
	for _, wrong := range []string{"", "654321"} {
		at.Code = wrong
		_, err = ask(t, at)
		require.Equal(t, "import_refused", fault.Code(err))
	}
}

// Whoever is not let in is told so, and the list is not asked for.
func TestWhoIsNotLetInIsTold(t *testing.T) {
	t.Parallel()
	panel := &xuiPanel{base: "/b4se"}
	address := panel.open(t)
	for name, at := range map[string]Outside{
		"another password":   {Address: address, Username: xuiUser, Password: "wrong"},
		"another name":       {Address: address, Username: "root", Password: xuiPassword},
		"another token":      {Address: address, Token: "wrong"},
		"no base path":       {Address: strings.TrimSuffix(address, "/b4se"), Username: xuiUser, Password: xuiPassword},
		"no base path there": {Address: strings.TrimSuffix(address, "/b4se"), Token: xuiToken},
	} {
		_, err := ask(t, at)
		require.Equal(t, "import_refused", fault.Code(err), name)
		require.NotContains(t, err.Error(), xuiPassword, name)
		require.NotContains(t, err.Error(), xuiToken, name)
	}
	lists := 0
	for _, asked := range panel.asked {
		if strings.HasSuffix(asked, "/list") {
			lists++
		}
	}
	require.Equal(t, 2, lists, "a list is asked for with a token alone")
}

// A password is never sent on to where a redirect leads.
func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	other := new(xuiPanel)
	elsewhere := other.open(t)
	panel := &xuiPanel{intercept: func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere+r.URL.Path, http.StatusTemporaryRedirect)
	}}
	address := panel.open(t)
	for _, at := range []Outside{
		{Address: address, Token: xuiToken}, {Address: address, Username: xuiUser, Password: xuiPassword},
	} {
		_, err := ask(t, at)
		require.Equal(t, "import_refused", fault.Code(err))
	}
	require.Empty(t, other.asked)
}

// Only an address of the web with a host is one, without a name and password in it; nothing is asked otherwise.
func TestAnAddressIsLookedAtFirst(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "panel.example", "//panel.example", "ftp://panel.example", "file:///etc/passwd", "https://", "https:///base",
		"https://a:b@panel.example", "https://panel.example/?a=b", "https://panel.example/?", "https://panel.example/#a",
		"https://panel.example:port", "https://panel\x00.example", "http://[::1", "https:panel.example",
	} {
		_, err := ask(t, Outside{Address: address, Token: xuiToken})
		require.Equal(t, "invalid_value", fault.Code(err), "%q", address)
	}
}

// Without a token, a name is only good together with a password.
func TestSomethingMustLetThePanelIn(t *testing.T) {
	t.Parallel()
	panel := new(xuiPanel)
	address := panel.open(t)
	for _, at := range []Outside{
		{}, {Token: " \n"}, {Username: xuiUser}, {Password: xuiPassword}, {Code: "123456"},
	} {
		at.Address = address
		_, err := ask(t, at)
		require.Equal(t, "invalid_value", fault.Code(err))
	}
	require.Empty(t, panel.asked)
}

// Networks inside are open to whoever sets up the panel, and to nobody else; the panel's own host is open to nobody,
// unless its operator has allowed it.
func TestOnlyWhoSetsUpThePanelReachesNetworksInside(t *testing.T) {
	t.Parallel()
	local := new(xuiPanel)
	address, strict := local.open(t), reader(t, "")
	as := func(permissions ...access.Key) context.Context {
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		t.Cleanup(stop)
		return access.With(ctx, access.Caller{Permissions: permissions})
	}
	const inside = "http://10.255.255.1:9/"
	refused := outbound.ErrForbidden.Error()
	_, err := strict.read(as("connection_units.edit"), Outside{Address: inside, Token: xuiToken})
	require.Equal(t, "import_error", fault.Code(err))
	require.ErrorContains(t, err, refused)
	_, err = strict.read(as("settings.manage"), Outside{Address: inside, Token: xuiToken})
	require.Error(t, err, "nobody is there")
	require.NotContains(t, err.Error(), refused)
	for _, at := range []string{address, "http://169.254.169.254/"} {
		_, err = strict.read(as("*"), Outside{Address: at, Token: xuiToken})
		require.ErrorContains(t, err, refused)
	}
	require.Empty(t, local.asked)
}

// allowed is a time that is over as soon as its channel is closed.
type allowed struct {
	context.Context

	over chan struct{}
}

func (a allowed) Done() <-chan struct{} { return a.over }

func (a allowed) Err() error {
	select {
	case <-a.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// A server that never answers is left after its time, whichever of the questions it leaves open.
func TestAServerThatNeverAnswersIsLeft(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/csrf-token", "/login", "/panel/api/inbounds/list"} {
		panel := new(xuiPanel)
		address := panel.open(t)
		within, left := allowed{t.Context(), make(chan struct{})}, make(chan struct{})
		panel.intercept = func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != path {
				say(w, true, "token")
				return
			}
			_, _ = io.Copy(io.Discard, r.Body) // only then the end of the connection is seen
			close(within.over)
			<-r.Context().Done()
			close(left)
		}
		_, err := reader(t, "127.0.0.1").read(within, Outside{Address: address, Username: xuiUser, Password: xuiPassword})
		require.Equal(t, "import_timeout", fault.Code(err), path)
		<-left
	}
}

// The time for all questions is shorter than that of the request that waits for them.
func TestEveryQuestionHasAnEnd(t *testing.T) {
	t.Parallel()
	_, err := reader(t, "127.0.0.1").read(t.Context(), Outside{Address: "http://127.0.0.1:1", Token: xuiToken})
	require.Equal(t, "import_error", fault.Code(err))
	require.ErrorContains(t, err, "connection refused")
	require.Less(t, 2*time.Second, outsideWithin)
}

// An answer that never ends is cut off where no list of inbounds is that long.
func TestAHugeAnswerIsCutOff(t *testing.T) {
	t.Parallel()
	panel := &xuiPanel{intercept: func(w http.ResponseWriter, _ *http.Request) {
		for range reading.MostText/(1<<20) + 1 {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	}}
	_, err := ask(t, Outside{Address: panel.open(t), Token: xuiToken})
	require.Equal(t, "import_error", fault.Code(err))
	require.ErrorIs(t, err, outbound.ErrTooLarge)
}

// An answer that is none of 3x-ui is told as such.
func TestAnAnswerOfAnotherProgramIsTold(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"<html>", "[]", `{"success":false,"msg":"no","obj":null}`, `{"obj":[]}`, `{"success":true,"obj":{"a":1}}`,
		`{"success":true}`, `{"success":true,"obj":[1]}`,
	} {
		_, err := ask(t, Outside{Address: (&xuiPanel{answer: answer}).open(t), Token: xuiToken})
		require.Equal(t, "import_error", fault.Code(err), answer)
	}
	for status, code := range map[int]string{
		http.StatusUnauthorized: "import_refused", http.StatusForbidden: "import_refused",
		http.StatusNotFound: "import_refused", http.StatusFound: "import_refused",
		http.StatusInternalServerError: "import_error", http.StatusTooManyRequests: "import_error",
	} {
		panel := &xuiPanel{intercept: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }}
		_, err := ask(t, Outside{Address: panel.open(t), Token: xuiToken})
		require.Equal(t, code, fault.Code(err), status)
	}
}

// A panel without inbounds has a list, an empty one.
func TestAnEmptyListIsRead(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{`{"success":true,"obj":[]}`, `{"success":true,"obj":null}`} {
		c, err := ask(t, Outside{Address: (&xuiPanel{answer: answer}).open(t), Token: xuiToken})
		require.NoError(t, err, answer)
		require.Empty(t, c.Entries)
	}
}

// What signs one reading in is not kept for the next: each one has a session of its own.
func TestReadingsShareNoSession(t *testing.T) {
	t.Parallel()
	panel := new(xuiPanel)
	at := Outside{Address: panel.open(t), Username: xuiUser, Password: xuiPassword}
	o := reader(t, "127.0.0.1")
	c, err := o.read(t.Context(), at)
	requireInbound(t, c, err)
	at.Password = "wrong"
	_, err = o.read(t.Context(), at)
	require.Equal(t, "import_refused", fault.Code(err))
	require.Len(t, panel.sessions, 2)
}
