package remnawavetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

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
