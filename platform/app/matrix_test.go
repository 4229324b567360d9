package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/paneltest"
	"panel/platform/tokens"
)

// gate is a license that the test turns while the panel runs.
type gate struct {
	now atomic.Pointer[entitlement.State]
}

// Current gives what was turned to.
func (g *gate) Current() entitlement.State { return *g.now.Load() }

func (g *gate) turn(l licensed) { g.now.Store(&l.state) }

// licenses are all states of the specification; "no license" is degraded with a reason of its own, and a plan may lack
// everything that plans can open.
func licenses() []licensed {
	full := app.Features(modules.All())
	return []licensed{
		{"active", entitlement.State{State: entitlement.Active, Reason: "ok", Enabled: full}},
		{"grace", entitlement.State{State: entitlement.Grace, Reason: "unreachable", Enabled: full}},
		{"degraded", entitlement.State{State: entitlement.Degraded, Reason: "expired", Enabled: full}},
		{"no license", entitlement.State{State: entitlement.Degraded, Reason: "none"}},
		{"feature blocked", entitlement.State{State: entitlement.Active, Reason: "ok"}},
	}
}

// matrix is a running panel with all the callers there are.
type matrix struct {
	*paneltest.Panel
	t       *testing.T
	gate    *gate
	wire    wire
	stage   stage
	callers []caller
	sent    atomic.Int64
	wrong   atomic.Int64
}

const tooManyWrong = 40

// newMatrix starts a panel; what it sends out is counted by outside.
func newMatrix(t *testing.T, outside *outside) *matrix {
	t.Helper()
	m := &matrix{t: t, gate: &gate{}}
	m.gate.turn(licenses()[0])
	m.Panel = paneltest.Start(t, paneltest.Modules(modules.All()...), paneltest.License(m.gate),
		paneltest.Env(outside.settings(t)))
	m.wire = wired(m.Panel)
	return m
}

// The whole matrix: every operation x permissions x license x caller, judged by the reviewed policy. A refused call is
// sent as it would do its work; an admitted one with a query that nothing takes, so that it ends with 400 right after
// the guard, which shows both that it was let in and that 400 comes after all refusals. Nothing may change meanwhile.
func TestTheAccessMatrix(t *testing.T) {
	t.Parallel()
	began := time.Now()
	outside := newOutside(t)
	m := newMatrix(t, outside)
	m.gather()
	before := m.picture()
	m.stage = stage{administrator: true}
	m.walk(slices.Collect(maps.Values(policies(t))))
	m.untouched(before, outside)
	m.finish()
	m.walk(m.setupLines())
	t.Logf("%d requests, %d callers, %s", m.sent.Load(), len(m.callers), time.Since(began).Round(time.Millisecond))
}

// The same before there is an administrator: set-up is open to everybody, everything else to nobody.
func TestTheAccessMatrixBeforeTheFirstAdministrator(t *testing.T) {
	t.Parallel()
	outside := newOutside(t)
	m := newMatrix(t, outside)
	m.callers = strangers("pa_nobody")
	before := m.picture()
	m.walk(slices.Collect(maps.Values(policies(t))))
	m.untouched(before, outside)
	t.Logf("%d requests", m.sent.Load())
}

func (m *matrix) setupLines() []policy {
	var lines []policy
	for _, line := range policies(m.t) {
		if strings.HasPrefix(line.access, "setup") || line.access == "first" {
			lines = append(lines, line)
		}
	}
	return lines
}

// finish ends the installation as its last step does.
func (m *matrix) finish() {
	m.gate.turn(licenses()[0])
	m.Admin().Post("/api/v1/setup/finish", nil).Is(http.StatusOK)
	m.stage.finished = true
}

// walk sends all requests of the lines in every state of the license; HEAD is every GET's shadow.
func (m *matrix) walk(lines []policy) {
	for _, l := range licenses() {
		m.gate.turn(l)
		todo := make(chan policy)
		var workers sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			workers.Go(func() {
				for line := range todo {
					m.try(line, l)
				}
			})
		}
		for _, line := range lines {
			todo <- line
			if line.method == http.MethodGet {
				line.method = http.MethodHead
				todo <- line
			}
		}
		close(todo)
		workers.Wait()
		require.Zero(m.t, m.wrong.Load(), "with the license %s", l.name)
	}
}

func (m *matrix) try(line policy, l licensed) {
	for _, who := range m.callers {
		if m.wrong.Load() > tooManyWrong {
			return
		}
		want := expects(line, who, l, m.stage)
		got := m.wire.send(m.request(line, who, want))
		if want.status == 0 {
			want = verdict{http.StatusBadRequest, "bad_parameter"}
		}
		if line.method == http.MethodHead {
			got.code, want.code = "", ""
		}
		if got.status != want.status || got.code != want.code {
			m.wrong.Add(1)
			m.t.Errorf("%s %s as %s, license %s, %+v: answered %d %s, the policy demands %d %s: %s",
				line.method, line.path, who.name, l.name, m.stage, got.status, got.code, want.status, want.code,
				got.body)
		}
	}
}

// unreadable is a query that every operation refuses, after it has let the caller in.
const unreadable = "%00"

func (m *matrix) request(line policy, who caller, want verdict) call {
	query := who.query
	if want.status == 0 {
		query += "&x=" + unreadable
	}
	path := line.somewhere()
	if query != "" {
		path += "?" + strings.TrimPrefix(query, "&")
	}
	return call{method: line.method, path: path, headers: who.headers, ip: m.address(line), body: "{}"}
}

// address is a new one for operations that count calls or unknown tokens per address.
func (m *matrix) address(line policy) net.IP {
	n := m.sent.Add(1)
	if line.access == "session" {
		return localhost
	}
	return net.IPv4(100, byte(n>>16), byte(n>>8), byte(n))
}

// gather brings every kind of caller into being, each by the way that makes him in life.
func (m *matrix) gather() {
	agents := [2]string{m.Enroll("one").Token, m.Enroll("two").Token}
	m.callers = append(strangers(agents[0]),
		caller{name: "an agent", headers: bearer(agents[0]), proves: "agent"},
		caller{name: "the agent of another node", headers: bearer(agents[1]), proves: "agent"},
	)
	for name, holds := range permissionSets(m.t) {
		token := m.As(holds...).Token
		m.callers = append(m.callers, caller{
			name: "an administrator with " + name, headers: bearer(token),
			proves: "session", holds: holds,
		})
		m.callers = append(m.callers, misplaced(name, token)...)
	}
	for _, holds := range [][]string{nil, {"*"}} {
		m.callers = append(m.callers, m.ended(holds)...)
	}
	m.callers = append(m.callers, m.tokens()...)
}

// strangers show nothing that anybody issued, or an agent's token where it does not belong.
func strangers(agent string) []caller {
	return []caller{
		{name: "nobody"},
		{name: "garbage", headers: bearer("garbage")},
		{name: "an empty token", headers: bearer("")},
		{name: "a token of the right form", headers: bearer("ps_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG")},
		{name: "an API token of the right form", headers: bearer("pat_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG")},
		{name: "an agent's token in the query", query: "&token=" + agent},
		{name: "an agent's token in a cookie", headers: []string{"Cookie", "token=" + agent}},
	}
}

// misplaced are the ways to show a good token in the wrong place.
func misplaced(name, token string) []caller {
	return []caller{
		{name: "token in the query with " + name, query: "&token=" + token + "&access_token=" + token +
			"&authorization=Bearer%20" + token},
		{name: "token in a cookie with " + name, headers: []string{"Cookie", "token=" + token + "; session=" + token +
			"; Authorization=" + token}},
		{name: "token as basic auth with " + name, headers: []string{"Authorization", "Basic " + token}},
	}
}

// ended are administrators whose sessions are over, each for another reason.
func (m *matrix) ended(holds []string) []caller {
	admin := m.Admin()
	out := m.As(holds...)
	out.Post("/api/v1/auth/logout", nil).Is(http.StatusNoContent)
	reset := m.As(holds...)
	admin.Post("/api/v1/accounts/"+reset.AccountID+"/password", map[string]any{"password": "another long password"}).
		Is(http.StatusNoContent)
	disabled := m.As(holds...)
	admin.Patch("/api/v1/accounts/"+disabled.AccountID, map[string]any{
		"state":    "disabled",
		"revision": m.revision(admin, disabled),
	}).Is(http.StatusOK)
	deleted := m.As(holds...)
	admin.Delete("/api/v1/accounts/" + deleted.AccountID).Is(http.StatusNoContent)
	old, idle := m.As(holds...), m.As(holds...)
	m.write("update sessions set expires_at = now() - interval '1 minute' where account_id = ?", old.AccountID)
	m.write("update sessions set last_seen_at = now() - interval '13 hours' where account_id = ?", idle.AccountID)
	named := func(name string, c *paneltest.Client, refusal string) caller {
		return caller{name: fmt.Sprintf("%s with %v", name, holds), headers: bearer(c.Token), refusal: refusal}
	}
	return []caller{
		named("logged out", out, ""), named("revoked by a reset", reset, ""), named("disabled", disabled, ""),
		named("deleted", deleted, ""),
		named("expired", old, "session_expired"), named("idle too long", idle, "session_expired"),
	}
}

// tokens are API tokens: of full and narrow rights, of an account that has lost some since, and those that have ended.
func (m *matrix) tokens() []caller {
	full, narrow := []string{"*"}, []string{"accounts.*", "nodes.view"}
	live := func(name string, account, token, holds []string) caller {
		_, shown := m.apiToken(account, token)
		return caller{
			name: "an API token " + name, headers: bearer(shown), proves: "session", token: true,
			holds: holds,
		}
	}
	dead := func(name, refusal, statement string) caller {
		account, shown := m.apiToken(full, full)
		m.write(statement, account)
		return caller{name: "an API token " + name, headers: bearer(shown), refusal: refusal}
	}
	all := []caller{
		live("with *", full, full, full), live("with nothing", full, nil, nil), live("with some", full, narrow, narrow),
		live("of an account with less", []string{"accounts.view"}, full, []string{"accounts.view"}),
		dead("that is revoked", "", "delete from api_tokens where account_id = ?"),
		dead("of a disabled account", "", "update accounts set state = 'disabled' where id = ?"),
		dead("that has expired", "api_token_expired",
			"update api_tokens set expires_at = now() - interval '1 minute' where account_id = ?"),
	}
	_, misled := m.apiToken(full, full)
	return append(all, misplaced("an API token", misled)...)
}

// apiToken gives an account with these permissions an API token.
func (m *matrix) apiToken(account, holds []string) (accountID, token string) {
	m.t.Helper()
	token, digest := tokens.New("pat_")
	accountID = m.As(account...).AccountID
	m.write(`insert into api_tokens (id, account_id, name, token_hash, permissions, created_at, expires_at)
		values (?, ?, 'matrix', ?, ?, now(), now() + interval '1 day')`, database.NewID(), accountID, digest[:], pgdialect.Array(append([]string{}, holds...)))
	return accountID, token
}

func (m *matrix) revision(admin *paneltest.Client, of *paneltest.Client) any {
	return admin.Get("/api/v1/accounts/" + of.AccountID).Is(http.StatusOK).Value("revision")
}

func (m *matrix) write(statement string, args ...any) {
	m.t.Helper()
	_, err := m.DB.ExecContext(m.t.Context(), statement, args...)
	require.NoError(m.t, err)
}

// permissionSets are: none, each key alone, each family, all but what an operation needs, everything one by one, "*".
func permissionSets(t *testing.T) map[string][]string {
	sets := map[string][]string{"nothing": {}, "*": {"*"}}
	all := map[string]bool{}
	for _, p := range app.Permissions(app.With(modules.All())) {
		all[string(p.Key)] = true
	}
	for _, line := range policies(t) {
		for _, key := range line.keys {
			all[key] = true
		}
	}
	every := slices.Sorted(maps.Keys(all))
	sets["every key"] = every
	for _, key := range every {
		noun, _, _ := strings.Cut(key, ".")
		sets[key], sets[noun+".*"] = []string{key}, []string{noun + ".*"}
	}
	for _, line := range policies(t) {
		if len(line.keys) > 0 {
			rest := slices.DeleteFunc(slices.Clone(every), func(key string) bool {
				return slices.Contains(line.keys,
					key)
			})
			sets["all but "+strings.Join(line.keys, " ")] = rest
		}
	}
	return sets
}

// The matrix can fail: a policy that demands something else than the panel does is noticed.
func TestTheMatrixNoticesAWrongPolicy(t *testing.T) {
	t.Parallel()
	p := everything(t)
	line := policies(t)["POST /api/v1/accounts"]
	view := caller{headers: bearer(p.As("accounts.view").Token), proves: "session", holds: []string{"accounts.view"}}
	got := wired(p).send(call{method: line.method, path: line.path, headers: view.headers, body: "{}"})
	right := expects(line, view, licenses()[0], stage{administrator: true})
	require.Equal(t, verdict{got.status, got.code}, right)
	line.keys = []string{"accounts.view"}
	require.NotEqual(t, right, expects(line, view, licenses()[0], stage{administrator: true}))
	line.keys, line.access = nil, "public"
	require.Equal(t, verdict{}, expects(line, view, licenses()[0], stage{administrator: true}))
}

// An address the panel answers but that is not in its registry would be outside of every test: there is none.
func TestNothingIsMountedBesideTheReviewedOperations(t *testing.T) {
	t.Parallel()
	reviewed := map[string]bool{}
	for _, line := range policies(t) {
		reviewed[line.method+" "+strings.NewReplacer("{", ":", "}", "").Replace(line.path)] = true
	}
	for _, route := range everything(t).App.Server().App().GetRoutes(true) {
		method := route.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		require.True(t, reviewed[method+" "+route.Path], "%s %s is mounted and not in testdata/policy.csv",
			route.Method, route.Path)
	}
}

func decoded(t testing.TB, body string) map[string]any {
	t.Helper()
	var members map[string]any
	require.NoError(t, json.Unmarshal([]byte(body), &members), body)
	return members
}
