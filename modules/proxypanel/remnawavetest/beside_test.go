package remnawavetest

import (
	"crypto/rand"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Without the headers of a reverse proxy the socket is destroyed: the client sees the end, and no answer.
func TestTheProgramItselfDestroysSockets(t *testing.T) {
	t.Parallel()
	p := New(t)
	for _, missing := range []string{"X-Forwarded-For", "X-Forwarded-Proto"} {
		request := (&caller{t, p.Direct, p.Token(time.Hour, "*")}).request("GET", "/system/metadata", nil)
		request.Header.Del(missing)
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		require.ErrorIs(t, err, io.EOF)
	}
	require.Empty(t, p.Calls())
}

// A deleted token, a missing scope and an administrator without the header of a browser get one and the same 403; an
// expired token gets 401.
func TestRefusalsOfTokens(t *testing.T) {
	t.Parallel()
	p := New(t)
	as := func(token string) *caller { return &caller{t, p.URL, token} }
	reader := as(p.Token(time.Hour, "system:read", "users:disable"))
	reader.call("GET", "/system/metadata", nil).is(http.StatusOK)
	reader.call("POST", "/users/1/actions/disable", nil).refused(http.StatusNotFound, "A063")
	for _, refused := range []*said{
		reader.call("GET", "/nodes", nil), reader.call("POST", "/users", object{}),
	} {
		require.Equal(t, "Forbidden resource", refused.is(http.StatusForbidden).body["message"])
	}
	as(p.Token(-time.Minute, "*")).call("GET", "/nodes", nil).is(http.StatusUnauthorized)
	p.Revoke()
	require.Equal(t, "Forbidden resource", reader.call("GET", "/system/metadata", nil).is(http.StatusForbidden).body["message"])
}

// The first administrator is made once, with a strong password, and makes tokens with the header of a browser.
func TestTheFirstAdministratorMakesTokens(t *testing.T) {
	t.Parallel()
	p := New(t)
	guest := &caller{t, p.URL, ""}
	require.Equal(t, true, guest.call("GET", "/auth/status", nil).response()["isRegisterAllowed"])
	guest.call("POST", "/auth/register", object{"username": "anna", "password": "short"}).invalid("password")
	password := "aA1" + rand.Text() + "xx"
	first := guest.call("POST", "/auth/register", object{"username": "anna", "password": password}).
		is(http.StatusCreated).response()["accessToken"].(string)
	guest.call("POST", "/auth/register", object{"username": "anna", "password": password}).is(http.StatusForbidden)
	require.Equal(t, false, guest.call("GET", "/auth/status", nil).response()["isRegisterAllowed"])
	guest.call("POST", "/auth/login", object{"username": "anna", "password": "wrong"}).is(http.StatusForbidden)
	guest.call("POST", "/auth/login", object{"username": "anna", "password": password}).is(http.StatusOK)

	admin, wanted := &caller{t, p.URL, first}, object{"name": "panel", "expiresInDays": 30, "scopes": []string{"nodes:read"}}
	admin.call("POST", "/tokens", wanted).is(http.StatusForbidden)
	token := admin.call("POST", "/tokens", wanted, "X-Remnawave-Client-Type", "browser").is(http.StatusCreated).response()
	require.Equal(t, map[string][]string{"panel": {"nodes:read"}}, p.Tokens())
	(&caller{t, p.URL, token["token"].(string)}).call("GET", "/nodes", nil).is(http.StatusOK)
	admin.call("DELETE", "/tokens/"+token["uuid"].(string), nil, "X-Remnawave-Client-Type", "browser").
		empty(http.StatusNoContent)
	require.Empty(t, p.Tokens())
}

// To enable a node right after it was disabled is lost to the job that stops it.
func TestTheStopOfANodeWritesItsRowLast(t *testing.T) {
	t.Parallel()
	p := New(t)
	c := &caller{t, p.URL, p.Token(time.Hour, "*")}
	path := "/nodes/" + p.AddNode("first", "192.0.2.1", true)
	c.call("POST", path+"/actions/disable", nil).is(http.StatusOK)
	require.Equal(t, false, c.call("POST", path+"/actions/enable", nil).is(http.StatusOK).response()["isDisabled"])
	require.Eventually(t, func() bool {
		return c.call("GET", path, nil).response()["isDisabled"] == true
	}, 5*time.Second, 10*time.Millisecond)
}

// Connections are dropped where a node is connected; else it is refused, which is no failure.
func TestConnectionsAreDroppedOnConnectedNodes(t *testing.T) {
	t.Parallel()
	p := New(t)
	c := &caller{t, p.URL, p.Token(time.Hour, "*")}
	all := object{
		"dropBy": object{"by": "userIds", "userIds": []int{1}}, "targetNodes": object{"target": "allNodes"},
	}
	c.call("POST", "/connections/drop", all).refused(http.StatusNotFound, "A219")
	p.AddNode("first", "192.0.2.1", true)
	c.call("POST", "/connections/drop", all).empty(http.StatusAccepted)
}
