package remnawavetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// What the table needs of a real instance: its address without /api, and a token of all scopes. It makes objects of
// its own there and removes them.
const (
	realURL   = "PANEL_TEST_REMNAWAVE_URL"
	realToken = "PANEL_TEST_REMNAWAVE_TOKEN"
)

// The API of Remnawave 3 as the panel relies on it, one rule a case.
func TestContract(t *testing.T) {
	t.Parallel()
	address, token := os.Getenv(realURL), os.Getenv(realToken)
	if address == "" || token == "" {
		p := New(t)
		address, token = p.URL, p.Token(time.Hour, "*")
	}
	for _, one := range contract {
		t.Run(one.rule, func(t *testing.T) { one.holds(&caller{t, address, token}) })
	}
}

// The same table by the program itself, with the headers that a reverse proxy adds.
func TestContractWithoutAReverseProxy(t *testing.T) {
	t.Parallel()
	p := New(t)
	for _, one := range contract {
		t.Run(one.rule, func(t *testing.T) { one.holds(&caller{t, p.Direct, p.Token(time.Hour, "*")}) })
	}
}

type caller struct {
	t              *testing.T
	address, token string
}

type said struct {
	t      *testing.T
	status int
	header http.Header
	body   object
	text   string
}

func (c *caller) call(method, path string, body any, headers ...string) *said {
	c.t.Helper()
	request := c.request(method, path, body)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(c.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(c.t, err)
	answer := &said{c.t, response.StatusCode, response.Header, nil, string(text)}
	if len(text) > 0 {
		require.NoError(c.t, json.Unmarshal(text, &answer.body), "%s %s answers JSON", method, path)
	}
	return answer
}

func (c *caller) request(method, path string, body any) *http.Request {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		require.NoError(c.t, err)
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.address+"/api"+path, content)
	require.NoError(c.t, err)
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Forwarded-For", "192.0.2.7")
	request.Header.Set("X-Forwarded-Proto", "https")
	return request
}

// is requires the status and gives what stands in response.
func (s *said) is(status int) *said {
	s.t.Helper()
	require.Equal(s.t, status, s.status, s.text)
	return s
}

// empty requires a success without a body.
func (s *said) empty(status int) { s.t.Helper(); s.is(status); require.Empty(s.t, s.text) }

func (s *said) response() object {
	s.t.Helper()
	response, is := s.body["response"].(object)
	require.True(s.t, is, s.text)
	return response
}

func (s *said) list(name string) []any {
	s.t.Helper()
	list, is := s.response()[name].([]any)
	require.True(s.t, is, s.text)
	return list
}

// refused requires a refusal of the panel's own: {timestamp, path, message, errorCode}.
func (s *said) refused(status int, code string) {
	s.t.Helper()
	s.is(status)
	require.Equal(s.t, code, s.body["errorCode"], s.text)
	require.NotEmpty(s.t, s.body["message"])
	require.NotEmpty(s.t, s.body["path"])
	_, err := time.Parse(time.RFC3339, s.body["timestamp"].(string))
	require.NoError(s.t, err)
}

// invalid requires a refusal of the validation that names the field.
func (s *said) invalid(field string) {
	s.t.Helper()
	s.is(http.StatusBadRequest)
	require.Equal(s.t, "Validation failed", s.body["message"])
	require.Contains(s.t, s.text, `"path":["`+field+`"`)
}

func some(prefix string) string { return prefix + strings.ToLower(rand.Text()[:8]) }

// profile makes a profile with one inbound, removed with the test.
func (c *caller) profile(tag string) object {
	c.t.Helper()
	profile := c.call("POST", "/config-profiles", object{"name": some("p"), "config": config(tag, 20443)}).
		is(http.StatusCreated).response()
	c.t.Cleanup(func() { c.cleaned("/config-profiles/" + profile["uuid"].(string)) })
	return profile
}

// cleaned removes what a case made. The context of the test is over by then.
func (c *caller) cleaned(path string) {
	request := c.request("DELETE", path, nil).WithContext(context.WithoutCancel(c.t.Context()))
	if response, err := http.DefaultClient.Do(request); err == nil {
		_ = response.Body.Close()
	}
}

func config(tag string, port int) object {
	return object{
		"inbounds": []object{{
			"tag": tag, "port": port, "protocol": "vless", "settings": object{
				"clients": []object{{"id": uuid.NewString()}}, "decryption": "none",
			},
			"streamSettings": object{"network": "raw", "security": "none"},
		}},
		"outbounds": []object{{"tag": "DIRECT", "protocol": "freedom"}},
	}
}

// inbound is the one inbound of a profile.
func inbound(profile object) object { return profile["inbounds"].([]any)[0].(object) }

func (c *caller) user() object {
	c.t.Helper()
	user := c.call("POST", "/users", object{"username": some("u"), "expireAt": stamp(time.Now().AddDate(1, 0, 0))}).
		is(http.StatusCreated).response()
	c.t.Cleanup(func() { c.cleaned("/users/" + number(user["id"])) })
	return user
}

func number(value any) string { text, _ := json.Marshal(value); return string(text) }

var contract = []struct {
	rule  string
	holds func(c *caller)
}{
	{"the version is one of 3.x", func(c *caller) {
		require.Regexp(c.t, `^3\.\d+\.\d+`, c.call("GET", "/system/metadata", nil).is(http.StatusOK).response()["version"])
	}},
	{"each process tells its last sign of life", func(c *caller) {
		kinds := map[any]bool{}
		for _, one := range c.call("GET", "/system/health", nil).is(http.StatusOK).list("runtimeMetrics") {
			kinds[one.(object)["instanceType"]] = true
			require.IsType(c.t, 0.0, one.(object)["timestamp"])
		}
		require.Equal(c.t, map[any]bool{"api": true, "scheduler": true, "processor": true}, kinds)
	}},
	{"figures tell users and nodes", func(c *caller) {
		stats := c.call("GET", "/system/stats", nil).is(http.StatusOK).response()
		require.IsType(c.t, 0.0, stats["users"].(object)["totalUsers"])
		require.IsType(c.t, 0.0, stats["onlineStats"].(object)["onlineNow"])
		require.IsType(c.t, "", stats["nodes"].(object)["totalBytesLifetime"])
	}},
	{"the configuration tells whether webhooks are on", func(c *caller) {
		shown := c.call("GET", "/system/configuration", nil).is(http.StatusOK).response()
		require.IsType(c.t, true, shown["notifications"].(object)["webhook"])
	}},
	{"an unknown address is refused by the framework", func(c *caller) {
		answer := c.call("GET", "/no-such-thing", nil).is(http.StatusNotFound)
		require.EqualValues(c.t, http.StatusNotFound, answer.body["statusCode"])
		require.Nil(c.t, answer.body["errorCode"])
	}},
	{"a token that is none is 401", func(c *caller) {
		(&caller{c.t, c.address, "sesame"}).call("GET", "/system/metadata", nil).is(http.StatusUnauthorized)
	}},
	{"a token cannot look at tokens", func(c *caller) {
		answer := c.call("POST", "/tokens", object{"name": "x"}).is(http.StatusForbidden)
		require.Equal(c.t, "Forbidden resource", answer.body["message"])
	}},
	{"an unchanged answer is 304", func(c *caller) {
		tag := c.call("GET", "/config-profiles", nil).is(http.StatusOK).header.Get("ETag")
		require.True(c.t, strings.HasPrefix(tag, `W/"`), tag)
		c.call("GET", "/config-profiles", nil, "If-None-Match", tag).empty(http.StatusNotModified)
	}},
	{"the validation names the field", func(c *caller) {
		c.call("POST", "/users", object{}).invalid("username")
		c.call("POST", "/hosts", object{}).invalid("inbound")
		c.call("POST", "/nodes", object{}).invalid("name")
		c.call("POST", "/config-profiles", object{}).invalid("name")
		c.call("POST", "/internal-squads", object{}).invalid("name")
		c.call("POST", "/connections/drop", object{}).invalid("dropBy")
		c.call("POST", "/node-plugins/executor", object{}).invalid("command")
	}},
	{"names of profiles and tags of inbounds are used once in the whole panel", func(c *caller) {
		tag := some("t")
		one := c.profile(tag)
		c.call("POST", "/config-profiles", object{"name": one["name"], "config": config(some("t"), 1)}).
			refused(http.StatusConflict, "A114")
		c.call("POST", "/config-profiles", object{"name": some("p"), "config": config(tag, 1)}).
			refused(http.StatusConflict, "A113")
	}},
	{"an inbound keeps its id while its tag stays, and its users are emptied", func(c *caller) {
		tag := some("t")
		one := c.profile(tag)
		id := inbound(one)["uuid"]
		moved := c.call("PATCH", "/config-profiles", object{"uuid": one["uuid"], "config": config(tag, 20444)}).
			is(http.StatusOK).response()
		require.Equal(c.t, id, inbound(moved)["uuid"])
		require.EqualValues(c.t, 20444, inbound(moved)["port"])
		require.NotContains(c.t, number(moved["config"]), `"id":"`)
		renamed := c.call("PATCH", "/config-profiles", object{"uuid": one["uuid"], "config": config(some("t"), 1)}).
			is(http.StatusOK).response()
		require.NotEqual(c.t, id, inbound(renamed)["uuid"])
	}},
	{"a bad configuration is told by PATCH alone", func(c *caller) {
		bad := config(some("t"), 1)
		delete(bad, "outbounds")
		c.call("POST", "/config-profiles", object{"name": some("p"), "config": bad}).
			refused(http.StatusInternalServerError, "A112")
		answer := c.call("PATCH", "/config-profiles", object{"uuid": c.profile(some("t"))["uuid"], "config": bad})
		answer.refused(http.StatusInternalServerError, "A061")
		require.Contains(c.t, answer.body["message"], "outbounds")
	}},
	{"a configuration without inbounds is refused", func(c *caller) {
		bare := object{"inbounds": []object{}, "outbounds": []object{{"tag": "DIRECT", "protocol": "freedom"}}}
		c.call("POST", "/config-profiles", object{"name": some("p"), "config": bare}).
			refused(http.StatusInternalServerError, "A112")
		answer := c.call("PATCH", "/config-profiles", object{"uuid": c.profile(some("t"))["uuid"], "config": bare})
		answer.refused(http.StatusInternalServerError, "A061")
		require.Contains(c.t, answer.body["message"], "inbounds")
	}},
	{"a node whose inbounds become none is disabled and loses its profile", func(c *caller) {
		profile := c.profile(some("t"))
		node := c.node(profile)
		c.call("PATCH", "/nodes", object{"uuid": node["uuid"], "configProfile": object{
			"activeConfigProfileUuid": profile["uuid"], "activeInbounds": []any{},
		}}).is(http.StatusOK)
		require.Eventually(c.t, func() bool {
			now := c.call("GET", "/nodes/"+node["uuid"].(string), nil).is(http.StatusOK).response()
			return now["isDisabled"] == true && now["configProfile"].(object)["activeConfigProfileUuid"] == nil
		}, 10*time.Second, 50*time.Millisecond)
	}},
	{"the inbounds of a squad are replaced whole", func(c *caller) {
		first, second := c.profile(some("t")), c.profile(some("t"))
		squad := c.call("POST", "/internal-squads", object{
			"name": some("s"), "inbounds": []any{inbound(first)["uuid"]},
		}).is(http.StatusCreated).response()
		c.t.Cleanup(func() { c.cleaned("/internal-squads/" + squad["uuid"].(string)) })
		c.call("PATCH", "/internal-squads", object{"uuid": squad["uuid"], "inbounds": []any{inbound(second)["uuid"]}}).
			is(http.StatusOK)
		left := c.call("GET", "/internal-squads/"+squad["uuid"].(string), nil).list("inbounds")
		require.Len(c.t, left, 1)
		require.Equal(c.t, inbound(second)["uuid"], left[0].(object)["uuid"])
	}},
	{"a renamed tag leaves nodes, squads and hosts", func(c *caller) {
		profile := c.profile(some("t"))
		id := inbound(profile)["uuid"]
		squad := c.call("POST", "/internal-squads", object{"name": some("s"), "inbounds": []any{id}}).
			is(http.StatusCreated).response()
		c.t.Cleanup(func() { c.cleaned("/internal-squads/" + squad["uuid"].(string)) })
		require.EqualValues(c.t, 1, squad["info"].(object)["inboundsCount"])
		host := c.host(profile, object{})
		node := c.node(profile)
		c.call("PATCH", "/config-profiles", object{"uuid": profile["uuid"], "config": config(some("t"), 1)}).
			is(http.StatusOK)
		require.Empty(c.t, c.call("GET", "/internal-squads/"+squad["uuid"].(string), nil).list("inbounds"))
		host = c.call("GET", "/hosts/"+host["uuid"].(string), nil).response()
		require.Nil(c.t, host["inbound"].(object)["configProfileInboundUuid"])
		node = c.call("GET", "/nodes/"+node["uuid"].(string), nil).response()
		require.Empty(c.t, node["configProfile"].(object)["activeInbounds"])
	}},
	{"a host of an unknown inbound is refused", func(c *caller) {
		profile := c.profile(some("t"))
		c.call("POST", "/hosts", object{
			"remark": "x", "address": "a.example.com", "port": 443,
			"inbound": object{"configProfileUuid": profile["uuid"], "configProfileInboundUuid": uuid.NewString()},
		}).refused(http.StatusNotFound, "A124")
	}},
	{"a PATCH that does not say so enables a disabled host", func(c *caller) {
		host := c.host(c.profile(some("t")), object{"isDisabled": true})
		require.Equal(c.t, true, host["isDisabled"])
		kept := c.call("PATCH", "/hosts", object{"uuid": host["uuid"], "port": 444, "isDisabled": true}).response()
		require.Equal(c.t, true, kept["isDisabled"])
		trapped := c.call("PATCH", "/hosts", object{"uuid": host["uuid"], "port": 445}).is(http.StatusOK).response()
		require.Equal(c.t, false, trapped["isDisabled"])
	}},
	{"names and addresses of nodes are used once", func(c *caller) {
		profile := c.profile(some("t"))
		node := c.node(profile)
		active := object{
			"activeConfigProfileUuid": profile["uuid"], "activeInbounds": []any{inbound(profile)["uuid"]},
		}
		c.call("POST", "/nodes", object{"name": node["name"], "address": some("n"), "configProfile": active}).
			refused(http.StatusBadRequest, "A033")
		c.call("POST", "/nodes", object{"name": some("n"), "address": node["address"], "configProfile": active}).
			refused(http.StatusBadRequest, "A034")
	}},
	{"a node goes later than the answer says", func(c *caller) {
		node := "/nodes/" + c.node(c.profile(some("t")))["uuid"].(string)
		c.call("DELETE", node, nil).empty(http.StatusNoContent)
		require.Eventually(c.t, func() bool {
			return c.call("GET", node, nil).status == http.StatusNotFound
		}, 10*time.Second, 20*time.Millisecond)
	}},
	{"a node without inbounds answers 500 and is there", func(c *caller) {
		profile, name := c.profile(some("t")), some("n")
		c.call("POST", "/nodes", object{
			"name": name, "address": some("n") + ".example.com",
			"configProfile": object{"activeConfigProfileUuid": profile["uuid"], "activeInbounds": []any{}},
		}).refused(http.StatusInternalServerError, "A032")
		answer := c.call("GET", "/nodes", nil).is(http.StatusOK)
		for _, one := range answer.body["response"].([]any) {
			if node := one.(object); node["name"] == name {
				c.cleaned("/nodes/" + node["uuid"].(string))
				return
			}
		}
		require.Fail(c.t, "the node is not there")
	}},
	{"a user is found by each of his names and by one of them at a time", func(c *caller) {
		user := c.user()
		for name, path := range map[string]string{
			"id": "/users/", "username": "/users/by-username/", "shortUuid": "/users/by-short-uuid/",
		} {
			value := strings.Trim(number(user[name]), `"`)
			require.Equal(c.t, user["id"], c.call("GET", path+value, nil).is(http.StatusOK).response()["id"])
			found := c.call("POST", "/users/resolve", object{name: user[name]}).is(http.StatusOK).response()
			require.Equal(c.t, user["username"], found["username"])
		}
		c.call("POST", "/users/resolve", object{"id": user["id"], "username": user["username"]}).
			is(http.StatusBadRequest)
		c.call("GET", "/users/999999999", nil).refused(http.StatusNotFound, "A063")
		c.call("POST", "/users", object{"username": user["username"], "expireAt": user["expireAt"]}).
			refused(http.StatusBadRequest, "A019")
	}},
	{"to disable or enable twice is refused", func(c *caller) {
		path := "/users/" + number(c.user()["id"]) + "/actions/"
		require.Equal(c.t, "DISABLED", c.call("POST", path+"disable", nil).is(http.StatusOK).response()["status"])
		c.call("POST", path+"disable", nil).refused(http.StatusBadRequest, "A029")
		require.Equal(c.t, "ACTIVE", c.call("POST", path+"enable", nil).is(http.StatusOK).response()["status"])
		c.call("POST", path+"enable", nil).refused(http.StatusBadRequest, "A030")
	}},
	{"new passwords leave the subscription, new ones in whole do not", func(c *caller) {
		user := c.user()
		path := "/users/" + number(user["id"]) + "/actions/revoke"
		once := c.call("POST", path, object{"revokeOnlyPasswords": true}).is(http.StatusOK).response()
		require.Equal(c.t, user["shortUuid"], once["shortUuid"])
		require.NotEqual(c.t, user["vlessUuid"], once["vlessUuid"])
		again := c.call("POST", path, object{}).is(http.StatusOK).response()
		require.NotEqual(c.t, user["shortUuid"], again["shortUuid"])
	}},
	{"a user is deleted once", func(c *caller) {
		path := "/users/" + number(c.user()["id"])
		c.call("DELETE", path, nil).empty(http.StatusNoContent)
		c.call("DELETE", path, nil).refused(http.StatusNotFound, "A025")
	}},
	{"users come in pages by a cursor, each once", func(c *caller) {
		wanted := map[any]bool{}
		for range 5 {
			wanted[c.user()["id"]] = true
		}
		seen, cursor := map[any]bool{}, ""
		for {
			page := c.call("GET", "/users/stream?size=2"+cursor, nil).is(http.StatusOK)
			require.LessOrEqual(c.t, len(page.list("users")), 2)
			for _, one := range page.list("users") {
				id := one.(object)["id"]
				require.False(c.t, seen[id], "a user comes twice")
				seen[id] = true
				delete(wanted, id)
			}
			if page.response()["hasMore"] == false {
				require.Nil(c.t, page.response()["nextCursor"])
				break
			}
			cursor = "&cursor=" + page.response()["nextCursor"].(string)
		}
		require.Empty(c.t, wanted)
		c.call("GET", "/users/stream?size=1001", nil).invalid("size")
	}},
	{"free metadata is kept beside a user", func(c *caller) {
		path := "/metadata/user/" + number(c.user()["id"])
		c.call("PUT", path, object{"metadata": object{"panel": "x"}}).is(http.StatusOK)
		require.Equal(c.t, object{"panel": "x"}, c.call("GET", path, nil).is(http.StatusOK).response()["metadata"])
	}},
	{"questions to nodes are jobs, and an unknown one is refused", func(c *caller) {
		id := c.call("POST", "/connections/by-user/"+number(c.user()["id"]), nil).is(http.StatusCreated).
			response()["jobId"].(string)
		require.Eventually(c.t, func() bool {
			return c.call("GET", "/connections/by-user/"+id, nil).is(http.StatusOK).response()["isCompleted"] == true
		}, 10*time.Second, 50*time.Millisecond)
		c.call("GET", "/connections/by-user/999999999", nil).refused(http.StatusNotFound, "A218")
	}},
}

func (c *caller) host(profile, more object) object {
	c.t.Helper()
	wanted := object{
		"remark": some("h"), "address": "a.example.com", "port": 443, "inbound": object{
			"configProfileUuid": profile["uuid"], "configProfileInboundUuid": inbound(profile)["uuid"],
		},
	}
	for name, value := range more {
		wanted[name] = value
	}
	host := c.call("POST", "/hosts", wanted).is(http.StatusCreated).response()
	c.t.Cleanup(func() { c.cleaned("/hosts/" + host["uuid"].(string)) })
	return host
}

func (c *caller) node(profile object) object {
	c.t.Helper()
	node := c.call("POST", "/nodes", object{
		"name": some("n"), "address": some("n") + ".example.com", "configProfile": object{
			"activeConfigProfileUuid": profile["uuid"], "activeInbounds": []any{inbound(profile)["uuid"]},
		},
	}).is(http.StatusCreated).response()
	c.t.Cleanup(func() { c.cleaned("/nodes/" + node["uuid"].(string)) })
	return node
}

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
