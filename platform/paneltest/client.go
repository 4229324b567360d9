package paneltest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
)

// Client sends requests as one caller.
type Client struct {
	panel     *Panel
	Token     string
	AccountID string
}

// Anonymous is a caller without any token.
func (p *Panel) Anonymous() *Client { return &Client{panel: p} }

// Bearer is a caller with the given token.
func (p *Panel) Bearer(token string) *Client { return &Client{panel: p, Token: token} }

// Admin is an administrator with full access.
func (p *Panel) Admin() *Client { return p.As("*") }

// As is an administrator with exactly these permissions and an open session.
func (p *Panel) As(permissions ...string) *Client {
	p.t.Helper()
	account, session, token := database.NewID(), database.NewID(), "ps_test_"+database.NewID()
	hash, now := sha256.Sum256([]byte(token)), p.Clock.Now().UTC()
	_, err := p.DB.ExecContext(p.t.Context(), `insert into accounts (id, username, password_hash, permissions, created_at, updated_at)
		values (?, ?, '', ?, ?, ?)`, account, "user-"+account, pgdialect.Array(keysOf(permissions)), now, now)
	require.NoError(p.t, err)
	_, err = p.DB.ExecContext(p.t.Context(), `insert into sessions (id, account_id, token_hash, created_at, last_seen_at, expires_at)
		values (?, ?, ?, ?, ?, ?)`, session, account, hash[:], now, now, now.Add(7*24*time.Hour))
	require.NoError(p.t, err)
	return &Client{panel: p, Token: token, AccountID: account}
}

// Answer is what came back.
type Answer struct {
	panel  *Panel
	Status int
	Header http.Header
	Body   []byte
}

// Get reads a path.
func (c *Client) Get(path string) *Answer { return c.Do(http.MethodGet, path, nil) }

// Post sends a body: a value to encode, raw bytes or nil.
func (c *Client) Post(path string, body any) *Answer { return c.Do(http.MethodPost, path, body) }

// Put sends a body: a value to encode, raw bytes or nil.
func (c *Client) Put(path string, body any) *Answer { return c.Do(http.MethodPut, path, body) }

// Patch sends a body: a value to encode, raw bytes or nil.
func (c *Client) Patch(path string, body any) *Answer { return c.Do(http.MethodPatch, path, body) }

// Delete removes.
func (c *Client) Delete(path string) *Answer { return c.Do(http.MethodDelete, path, nil) }

// Do sends one request; headers are pairs of name and value.
func (c *Client) Do(method, path string, body any, headers ...string) *Answer {
	c.panel.t.Helper()
	request, err := http.NewRequestWithContext(c.panel.t.Context(), method, c.panel.URL+path, reader(c.panel, body))
	require.NoError(c.panel.t, err)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.panel.http.Do(request)
	require.NoError(c.panel.t, err)
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	require.NoError(c.panel.t, err)
	answer := &Answer{panel: c.panel, Status: response.StatusCode, Header: response.Header, Body: content}
	answer.whole(method, path)
	return answer
}

func reader(p *Panel, body any) io.Reader {
	switch value := body.(type) {
	case nil:
		return nil
	case []byte:
		return bytes.NewReader(value)
	case string:
		return strings.NewReader(value)
	}
	raw, err := json.Marshal(body)
	require.NoError(p.t, err)
	return bytes.NewReader(raw)
}

// Is demands a status.
func (a *Answer) Is(status int) *Answer {
	a.panel.t.Helper()
	require.Equal(a.panel.t, status, a.Status, "body: %s", a.Body)
	return a
}

// Refused demands a problem document with this status and code.
func (a *Answer) Refused(status int, code string) *Answer {
	a.panel.t.Helper()
	a.Is(status)
	require.Equal(a.panel.t, "application/problem+json", a.Header.Get("Content-Type"))
	require.Equal(a.panel.t, code, a.Text("code"), "body: %s", a.Body)
	return a
}

// JSON decodes the body.
func (a *Answer) JSON(into any) *Answer {
	a.panel.t.Helper()
	require.NoError(a.panel.t, json.Unmarshal(a.Body, into), "body: %s", a.Body)
	return a
}

// Value reads one member by its dotted path: "account.username".
func (a *Answer) Value(path string) any {
	a.panel.t.Helper()
	value, known := a.member(path)
	require.True(a.panel.t, known, "no object at %s in %s", path, a.Body)
	return value
}

// member is false where something on the way is no object.
func (a *Answer) member(path string) (value any, known bool) {
	a.panel.t.Helper()
	a.JSON(&value)
	for name := range strings.SplitSeq(path, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		value = object[name]
	}
	return value, true
}

// Text reads one text member by its dotted path.
func (a *Answer) Text(path string) string {
	text, _ := a.Value(path).(string)
	return text
}
