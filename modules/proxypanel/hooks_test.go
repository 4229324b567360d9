package proxypanel

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/internal/shadow"
	"panel/modules/proxypanel/internal/webhooks"
	"panel/platform/cli"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/module"
	"panel/platform/paneltest"
)

const hookSecret = "aSecretOfSixtyFourLettersAndDigits00aSecretOfSixtyFourLettersAnd"

// hooked is a connection that was read, with a secret for its webhooks.
func (b *bench) hooked() (id, path string) {
	b.t.Helper()
	id = b.add().ID
	b.read(id)
	var now Connection
	b.Admin().Put(connectionsPath+"/"+id+"/webhook", fields{"secret": hookSecret}).Is(http.StatusOK).JSON(&now)
	require.True(b.t, now.Webhook.HasSecret)
	return id, now.Webhook.Path
}

// hook is a body as a Remnawave sends it.
func hook(scope, event string, at time.Time, data any) []byte {
	text, _ := json.Marshal(fields{
		"scope": scope, "event": event, "timestamp": at.UTC().Format("2006-01-02T15:04:05.000Z"), "data": data, "meta": nil,
	})
	return text
}

func sign(secret string, body []byte) string {
	sum := hmac.New(sha256.New, []byte(secret))
	sum.Write(body)
	return hex.EncodeToString(sum.Sum(nil))
}

// send sends a body with a signature, and gives the answer.
func (b *bench) send(path string, body []byte, signature string) (status int, text string) {
	b.t.Helper()
	status, text, err := b.sent(path, body, signature)
	require.NoError(b.t, err)
	return status, text
}

func (b *bench) sent(path string, body []byte, signature string) (status int, text string, err error) {
	b.t.Helper()
	content := bytes.NewReader(body)
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.URL+path, content)
	require.NoError(b.t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Remnawave")
	if signature != "" {
		request.Header.Set(webhooks.SignatureHeader, signature)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(all), err
}

func (b *bench) signed(path string, body []byte) int {
	b.t.Helper()
	status, _ := b.send(path, body, sign(hookSecret, body))
	return status
}

// A webhook has what it names read again: a user that has changed, one that is gone, and a node.
func TestAWebhookHasItsObjectReadAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	node := b.there.AddNode("berlin", "192.0.2.7", true)
	ids := b.there.AddUsers(3)
	id, path := b.hooked()
	now := time.Now()

	b.ask(http.MethodPost, fmt.Sprintf("/users/%d/actions/disable", ids[0]), nil)
	require.Equal(t, http.StatusAccepted, b.signed(path, hook("user", "user.disabled", now, fields{"id": ids[0]})))
	b.until(func() bool { return len(b.usernames(id, "&status=DISABLED")) == 1 })
	b.ask(http.MethodDelete, fmt.Sprintf("/users/%d", ids[1]), nil)
	require.Equal(t, http.StatusAccepted, b.signed(path, hook("user_hwid_devices", "user_hwid_devices.added", now,
		fields{"user": fields{"id": ids[1]}})))
	b.until(func() bool { return len(b.usernames(id, "&gone=true")) == 1 })
	b.ask(http.MethodPatch, "/nodes", fields{"uuid": node, "name": "munich"})
	require.Equal(t, http.StatusAccepted, b.signed(path, hook("node", "node.modified", now, fields{"uuid": node, "id": 1})))
	b.until(func() bool { return pageAt[Node](b, id, "nodes").Items[0].Name == "munich" })
	b.ask(http.MethodDelete, "/nodes/"+node, nil)
	b.until(func() bool { return len(b.there.Dump()["nodes"]) == 0 })
	require.Equal(t, http.StatusAccepted, b.signed(path, hook("node", "node.deleted", now, fields{"uuid": node})))
	b.until(func() bool { return pageAt[Node](b, id, "nodes").Total == 0 })
	require.NotNil(t, b.get(id).Webhook.LastEventAt)
}

// The body decides nothing: what is stored is what the panel says when it is asked.
func TestAWebhookIsAHintOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ids := b.there.AddUsers(1)
	id, path := b.hooked()
	asked := len(b.there.Calls())
	body := hook("user", "user.modified", time.Now(), fields{"id": ids[0], "username": "mallory", "status": "DISABLED"})
	require.Equal(t, http.StatusAccepted, b.signed(path, body))
	b.until(func() bool { return len(b.there.Calls()) > asked })
	require.Equal(t, []string{"user_1"}, b.usernames(id, "&status=ACTIVE"))
}

// A body that comes again is taken, and does nothing.
func TestAWebhookThatComesTwiceIsTakenOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ids := b.there.AddUsers(1)
	id, path := b.hooked()
	body := hook("user", "user.modified", time.Now(), fields{"id": ids[0]})
	require.Equal(t, http.StatusAccepted, b.signed(path, body))
	b.until(func() bool { return b.count("proxypanel_hints") == 0 })
	require.Equal(t, 1, b.count("proxypanel_hook_bodies"))
	asked := len(b.there.Calls())
	for range 3 {
		require.Equal(t, http.StatusAccepted, b.signed(path, body))
	}
	require.Equal(t, 1, b.count("proxypanel_hook_bodies"))
	require.Zero(t, b.count("proxypanel_hints"))
	require.Len(t, b.there.Calls(), asked)
	require.NotEmpty(t, id)
}

func (b *bench) count(table string) (n int) {
	b.t.Helper()
	require.NoError(b.t, b.DB.NewRaw("select count(*) from "+table).Scan(b.t.Context(), &n))
	return n
}

// Whoever cannot prove who he is learns nothing: not whether the hook is there, nor whether it has a secret.
func TestWhoProvesNothingLearnsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ids := b.there.AddUsers(1)
	id, path := b.hooked()
	body := hook("user", "user.modified", time.Now(), fields{"id": ids[0]})
	good := sign(hookSecret, body)
	var answers []string
	for _, one := range []struct{ path, signature string }{
		{path, ""},
		{path, "x"},
		{path, good[:62]},
		{path, good + "00"},
		{path, sign("another", body)},
		{path, sign(hookSecret, append([]byte(" "), body...))},
		{webhooksPath + "/" + uuid.NewString(), good},
		{webhooksPath + "/" + uuid.Nil.String(), good},
		{webhooksPath + "/7", good},
		{webhooksPath + "/" + id, good},
	} {
		status, text := b.send(one.path, body, one.signature)
		require.Equal(t, http.StatusNotFound, status, one)
		var problem map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &problem))
		delete(problem, "request_id")
		delete(problem, "instance")
		answers = append(answers, fmt.Sprint(problem))
	}
	for _, answer := range answers {
		require.Equal(t, answers[0], answer)
	}
	b.Admin().Put(connectionsPath+"/"+id+"/webhook", fields{"secret": ""}).Is(http.StatusOK)
	require.False(t, b.get(id).Webhook.HasSecret)
	require.Equal(t, http.StatusNotFound, b.signed(path, body))
	require.Zero(t, b.count("proxypanel_hook_bodies"))
}

// A body whose time is off is refused, by its own time and with how far it is off, which the connection shows.
func TestAWebhookOfAnotherTimeIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id, path := b.hooked()
	for _, off := range []time.Duration{-6 * time.Minute, 6 * time.Minute} {
		body := hook("user", "user.modified", time.Now().Add(off), fields{"id": 1})
		status, text := b.send(path, body, sign(hookSecret, body))
		require.Equal(t, http.StatusUnprocessableEntity, status)
		require.Contains(t, text, "webhook_stale")
		require.InDelta(t, off.Seconds(), float64(*b.get(id).Webhook.SkewSeconds), 5)
	}
	require.Zero(t, b.count("proxypanel_hook_bodies"))
	require.Equal(t, http.StatusAccepted, b.signed(path, hook("service", "service.panel_started", time.Now(), fields{})))
	require.Nil(t, b.get(id).Webhook.SkewSeconds)
}

// A body that is proved and senseless is refused or ignored, and never more.
func TestSenselessWebhooks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, path := b.hooked()
	now := time.Now()
	for _, body := range [][]byte{nil, []byte("sesame"), []byte("[]"), []byte(`{"scope":"user"}`), []byte(`{"scope":7}`)} {
		status, text := b.send(path, body, sign(hookSecret, body))
		require.Equal(t, http.StatusBadRequest, status, string(body))
		require.NotContains(t, text, "sesame")
	}
	for _, data := range []any{
		nil,
		fields{},
		fields{"id": "x"},
		fields{"id": -1},
		fields{"id": 1.5},
		fields{"id": nil},
		fields{"id": "7"},
		fields{"uuid": "../users"},
		fields{"user": fields{"id": fields{}}},
	} {
		for _, scope := range []string{"user", "node", "torrent_blocker", "errors", "\u0000"} {
			require.Equal(t, http.StatusAccepted, b.signed(path, hook(scope, "x", now, data)), "%s %v", scope, data)
		}
	}
	require.Zero(t, b.count("proxypanel_hints"))
	large := hook("user", "user.modified", now, fields{"id": 1, "x": strings.Repeat("x", 10<<20)})
	status, _, err := b.sent(path, large, sign(hookSecret, large))
	if err == nil {
		require.Equal(t, http.StatusRequestEntityTooLarge, status)
	} else { // the panel hangs up on who goes on sending
		require.True(t, errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET), "%v", err)
	}
	require.Zero(t, b.count("proxypanel_hints"))
}

// Nothing of a body is stored: a failed sign-in there carries the password that was tried.
func TestNothingOfAWebhookIsStored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, path := b.hooked()
	body := hook("service", "service.login_attempt_failed", time.Now(), fields{
		"loginAttempt": fields{"username": "admin", "password": "sesame-tried", "ip": "198.51.100.9"},
	})
	require.Equal(t, http.StatusAccepted, b.signed(path, body))
	var tables []string
	require.NoError(t, b.DB.NewRaw("select table_name from information_schema.tables where table_name like 'proxypanel%'").
		Scan(t.Context(), &tables))
	require.Contains(t, tables, "proxypanel_hook_bodies")
	for _, table := range append(tables, "journal", "jobs.river_job") {
		var text string
		require.NoError(t, b.DB.NewRaw("select coalesce(string_agg(r::text, ' '), '') from "+table+" r").Scan(t.Context(), &text))
		require.NotContains(t, text, "sesame-tried", table)
		require.NotContains(t, text, "198.51.100.9", table)
		require.NotContains(t, text, hookSecret, table)
	}
}

// Where more is named than can be read one by one, all users are read soon instead.
func TestManyWebhooksBecomeOneReading(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ids := b.there.AddUsers(1)
	id, path := b.hooked()
	b.exec(`insert into proxypanel_hints (connection_id, kind, external_id, at)
		select ?, 'user', i::text, now() from generate_series(1000, 1300) i`, id)
	asked := len(b.there.Calls())
	require.Equal(t, http.StatusAccepted, b.signed(path, hook("user", "user.modified", time.Now(), fields{"id": ids[0]})))
	b.until(func() bool { return b.count("proxypanel_hints") == 0 })
	require.Len(t, b.there.Calls(), asked)
	times, err := newSyncs(&connections{store: newStore(b.DB)}, shadow.New(b.DB)).Times(t.Context(), id)
	require.NoError(t, err)
	require.Nil(t, times[id].UsersBegun)
}

// A hint outlives a panel that cannot be asked, and is followed when the next one comes.
func TestAHintWaitsForAPanelThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ids := b.there.AddUsers(2)
	id, path := b.hooked()
	b.ask(http.MethodPost, fmt.Sprintf("/users/%d/actions/disable", ids[0]), nil)
	b.there.Gate(gate)
	require.Equal(t, http.StatusAccepted, b.signed(path, hook("user", "user.disabled", time.Now(), fields{"id": ids[0]})))
	b.until(func() bool { return b.jobs("completed") == 1 })
	require.Equal(t, 1, b.count("proxypanel_hints"))
	b.there.Gate(nil)
	require.Equal(t, http.StatusAccepted, b.signed(path, hook("user", "user.modified", time.Now(), fields{"id": ids[1]})))
	b.until(func() bool { return len(b.usernames(id, "&status=DISABLED")) == 1 && b.count("proxypanel_hints") == 0 })
}

func (b *bench) jobs(state string) (n int) {
	b.t.Helper()
	require.NoError(b.t, b.DB.NewRaw("select count(*) from jobs.river_job where kind = ? and state::text = ?", webhooks.Kind, state).
		Scan(b.t.Context(), &n))
	return n
}

// While the panel is read-only, or without the feature, webhooks are refused; the schedule catches up.
func TestWebhooksAreRefusedInReadOnlyMode(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ids := b.there.AddUsers(1)
	id, path := b.hooked()
	other := &bench{paneltest.Start(t, built(), paneltest.On(b.DB), paneltest.Env(map[string]string{
		"PANEL_OUTBOUND_ALLOW": "127.0.0.1",
	}), paneltest.License(readOnly{})), t, b.there}
	body := hook("user", "user.disabled", time.Now(), fields{"id": ids[0]})
	status, text := other.send(path, body, sign(hookSecret, body))
	require.Equal(t, http.StatusForbidden, status)
	require.Contains(t, text, "license_read_only")
	b.ask(http.MethodPost, fmt.Sprintf("/users/%d/actions/disable", ids[0]), nil)
	b.exec("update proxypanel_sync_states set users_begun = null")
	b.until(func() bool {
		other.RunSchedule("proxypanel.sync")
		return len(b.usernames(id, "&status=DISABLED")) == 1
	})
}

// The secret is written and never read; what no Remnawave would take is refused.
func TestTheSecretOfWebhooks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.add().ID
	require.False(t, b.get(id).Webhook.HasSecret)
	path := connectionsPath + "/" + id + "/webhook"
	for _, bad := range []string{"short", strings.Repeat("x", 31), strings.Repeat("x", 31) + "-", strings.Repeat("я", 40)} {
		b.Admin().Put(path, fields{"secret": bad}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	answer := b.Admin().Put(path, fields{"secret": hookSecret}).Is(http.StatusOK)
	require.NotContains(t, string(answer.Body), hookSecret)
	b.As(string(View)).Put(path, fields{"secret": hookSecret}).Refused(http.StatusForbidden, "permission_denied")
	b.Admin().Put(connectionsPath+"/"+database.NewID()+"/webhook", fields{"secret": hookSecret}).Is(http.StatusNotFound)
	require.Equal(t, []string{connectionAdded, webhookChanged}, b.Recorded(object, id))

	features := []module.Module{Module()}
	said := b.Admin().Command(features, "proxypanel webhook main "+write(t, hookSecret+"\n")+" --plain")
	require.Equal(t, cli.ExitDone, said.Exit, said.Err)
	require.Equal(t, "main\ttrue\t"+b.get(id).Webhook.Path+"\n", said.Out)
}

// readOnly is a license that has run out.
type readOnly struct{}

// Current gives its state.
func (readOnly) Current() entitlement.State { return entitlement.State{State: entitlement.Degraded} }
