package remnawavetest

import (
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
