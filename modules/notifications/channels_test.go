package notifications

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/notifications/internal/message"
	"panel/modules/notifications/internal/webhook"
	"panel/platform/database"
)

const secret = "a secret of sixteen letters or more"

func (b *bench) addWebhook(name, address string) string {
	b.t.Helper()
	return b.Admin().Post(base+"/channels", fields{
		"kind": "webhook", "name": name, "webhook": fields{"url": address, "secret": secret},
	}).Is(http.StatusCreated).Text("id")
}

// widenRule sends everything important to every channel at once.
func (b *bench) widenRule() {
	b.t.Helper()
	_, err := b.DB.ExecContext(b.t.Context(), `update notifications_rules set cooldown_s = 0,
		channels = array(select channel from notifications_lanes)`)
	require.NoError(b.t, err)
}

func (b *bench) blockedFor(channel string) time.Duration {
	var seconds float64
	err := b.DB.NewRaw(`select coalesce(extract(epoch from blocked_until - now()), 0)::float8 from notifications_lanes
		where channel = ?`, channel).Scan(b.t.Context(), &seconds)
	require.NoError(b.t, err)
	return time.Duration(seconds) * time.Second
}

// runNow lets waiting jobs of a kind of channels run at once.
func (b *bench) runNow(kind string) {
	b.t.Helper()
	_, err := b.DB.ExecContext(b.t.Context(), `update jobs.river_job set scheduled_at = now(), state = 'available'
		where kind = ? and state in ('available', 'scheduled', 'retryable')`, jobOf(kind))
	require.NoError(b.t, err)
}

type received struct {
	id   string
	body message.Body
	at   time.Time
}

// receiver is a program that takes webhooks and believes only those that are signed and of this moment.
type receiver struct {
	server *httptest.Server
	mu     sync.Mutex
	got    []received
	calls  int
	status int
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{status: http.StatusNoContent}
	r.server = httptest.NewServer(r)
	t.Cleanup(r.server.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	text, _ := io.ReadAll(request.Body)
	id, stamp := request.Header.Get("Webhook-Id"), request.Header.Get("Webhook-Timestamp")
	at, err := strconv.ParseInt(stamp, 10, 64)
	var body message.Body
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	signed := request.Header.Get("Webhook-Signature") == "v1,"+webhook.Sign(secret, id, stamp, text)
	fresh := err == nil && time.Since(time.Unix(at, 0)).Abs() < 5*time.Minute
	if !signed || !fresh || json.Unmarshal(text, &body) != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if r.status < http.StatusBadRequest {
		r.got = append(r.got, received{id, body, time.Now()})
	}
	w.WriteHeader(r.status)
}

func (r *receiver) all() ([]received, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received{}, r.got...), r.calls
}

func (r *receiver) times() []time.Time {
	got, _ := r.all()
	moments := make([]time.Time, len(got))
	for i, one := range got {
		moments[i] = one.at
	}
	return moments
}

func (r *receiver) next(t *testing.T, count int) []received {
	t.Helper()
	require.Eventually(t, func() bool { got, _ := r.all(); return len(got) >= count }, within, every)
	got, _ := r.all()
	return got
}

// Rule: a channel is added, read, changed and removed; its secrets are never shown.
func TestSecretsOfAChannelAreNeverShown(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	admin := b.Admin()
	id := b.addWebhook("program", "https://hooks.example:8443/path-with-token")
	one := base + "/channels/" + id
	shown := admin.Get(one).Is(http.StatusOK)
	require.Equal(t, "hooks.example:8443", shown.Text("webhook.host"))
	require.Equal(t, true, shown.Value("webhook.has_secret"))
	for _, answer := range []string{string(shown.Body), string(admin.Get(base + "/channels").Body)} {
		require.NotContains(t, answer, secret)
		require.NotContains(t, answer, "path-with-token")
	}
	changed := admin.Patch(one, fields{"revision": 1, "name": "other", "webhook": fields{"url": "https://b.example/x"}}).
		Is(http.StatusOK)
	require.Equal(t, "b.example", changed.Text("webhook.host"))
	admin.Patch(one, fields{"revision": 1, "name": "late"}).Refused(http.StatusConflict, "revision_conflict")
	admin.Post(base+"/channels", fields{
		"kind": "webhook", "name": "other", "webhook": fields{"url": "https://b.example/x", "secret": secret},
	}).Refused(http.StatusConflict, "name_taken")
	admin.Delete(one).Is(http.StatusNoContent)
	admin.Get(one).Refused(http.StatusNotFound, "not_found")
	require.Equal(t, []string{channelAdded, channelChanged, channelRemoved}, b.Recorded(objectChannel, id))
}

// Rule: what could never work, or must not be called, is refused by name of its field, and not repeated in the answer.
func TestChannelsThatCannotWorkAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	mail := fields{"host": "mail.example", "from": "panel@example.com", "to": []string{"ops@example.com"}}
	with := func(name string, value any) fields {
		other := fields{}
		for k, v := range mail {
			other[k] = v
		}
		other[name] = value
		return other
	}
	for _, body := range []fields{
		{"kind": "webhook", "name": "x", "webhook": fields{"url": "http://169.254.169.254/meta", "secret": secret}},
		{"kind": "webhook", "name": "x", "webhook": fields{"url": "http://10.0.0.1/", "secret": secret}},
		{"kind": "webhook", "name": "x", "webhook": fields{"url": "ftp://a.example", "secret": secret}},
		{"kind": "webhook", "name": "x", "webhook": fields{"url": "https://a.example"}},
		{"kind": "webhook", "name": "x"},
		{"kind": "email", "name": "x", "email": with("from", "panel@example.com\r\nBcc: x@example.com")},
		{"kind": "email", "name": "x", "email": with("to", []string{"not an address"})},
		{"kind": "email", "name": "x", "email": with("host", "169.254.169.254")},
		{"kind": "email", "name": "x", "email": with("host", "a/b")},
		{"kind": "pigeon", "name": "x"},
	} {
		b.Admin().Post(base+"/channels", body).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
}

// Rule: a test of a channel is queued; how it went stands in the deliveries, never in the answer.
func TestATestOfAChannelIsADelivery(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := newReceiver(t)
	id := b.addWebhook("program", r.server.URL)
	queued := b.Admin().Post(base+"/channels/"+id+"/test", nil).Is(http.StatusAccepted)
	require.Equal(t, stateQueued, queued.Text("state"))
	got := r.next(t, 1)
	require.Equal(t, kindTest, got[0].body.Type)
	require.Equal(t, queued.Text("id"), got[0].id)
	require.Equal(t, stateSent, b.until("&state=sent", 1)[0].State)

	r.mu.Lock()
	r.status = http.StatusForbidden
	r.mu.Unlock()
	b.Admin().Post(base+"/channels/"+id+"/test", nil).Is(http.StatusAccepted)
	require.Equal(t, &Reason{
		Code: "receiver_status", Detail: "403", English: "the receiver answered HTTP 403",
		Russian: "получатель ответил HTTP 403",
	}, b.until("&state=failed", 1)[0].Reason)
	b.Admin().Post(base+"/channels/"+database.NewID()+"/test", nil).Refused(http.StatusNotFound, "not_found")
}

// Rule: the list of channels says how the last delivery of each went, whatever its kind and however many there are.
func TestTheListSaysHowTheLastDeliveryWent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := newReceiver(t)
	silent, used := b.addWebhook("silent", r.server.URL), b.addWebhook("used", r.server.URL)
	last := func() map[string]*LastDelivery {
		var page struct{ Items []Channel }
		b.As(string(View)).Get(base + "/channels").Is(http.StatusOK).JSON(&page)
		all := map[string]*LastDelivery{}
		for _, channel := range page.Items {
			all[channel.ID] = channel.LastDelivery
		}
		return all
	}
	require.Equal(t, map[string]*LastDelivery{silent: nil, used: nil}, last())
	for i := range 3 {
		b.Admin().Post(base+"/channels/"+used+"/test", nil).Is(http.StatusAccepted)
		b.until("&state=sent", i+1)
	}
	newest := b.deliveries("")[2]
	want := &LastDelivery{ID: newest.ID, State: stateSent, CreatedAt: newest.CreatedAt, FinishedAt: newest.FinishedAt}
	require.Equal(t, map[string]*LastDelivery{silent: nil, used: want}, last())
	one := b.Admin().Patch(base+"/channels/"+used, fields{"revision": 1, "name": "other"}).Is(http.StatusOK)
	require.Equal(t, newest.ID, one.Text("last_delivery.id"))
}

// Rule: 4xx is never repeated, except 408 and 429; 5xx is.
func TestWhichAnswersOfAReceiverAreRepeated(t *testing.T) {
	t.Parallel()
	repeated := map[int]bool{400: false, 401: false, 404: false, 410: false, 408: true, 429: true, 503: true}
	for status, again := range repeated {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			r := newReceiver(t)
			r.status = status
			id := b.addWebhook("program", r.server.URL)
			b.Admin().Post(base+"/channels/"+id+"/test", nil).Is(http.StatusAccepted)
			if !again {
				require.Equal(t, 1, b.until("&state=failed", 1)[0].Attempts)
				return
			}
			require.Eventually(t, func() bool { return b.blockedFor(id) > 0 }, within, every)
			require.Equal(t, stateQueued, b.deliveries("")[0].State)
			require.Empty(t, b.Recorded(objectDelivery, ""))
		})
	}
}

// Rule: a channel that is removed takes what waits for it along, and rules name it no more.
func TestARemovedChannelCancelsWhatWaits(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := newReceiver(t)
	r.status = http.StatusServiceUnavailable
	id := b.addWebhook("program", r.server.URL)
	rule := b.Admin().Post(base+"/rules", fields{"name": "mine", "event": "probe.*", "channels": []string{id}}).
		Is(http.StatusCreated).Text("id")
	b.happens(probeDown, "p1", "first")
	require.Eventually(t, func() bool { return b.blockedFor(id) > 0 }, within, every)
	b.Admin().Delete(base + "/channels/" + id).Is(http.StatusNoContent)
	require.Equal(t, stateCancelled, b.deliveries("")[0].State)
	require.Empty(t, b.Admin().Get(base+"/rules/"+rule).Value("channels"))
	require.Empty(t, b.Recorded(objectDelivery, ""))
}

// Rule: a panel that dies between the message and its record sends once more, under the same id.
func TestWhatADeadPanelHadClaimedIsSentAgainUnderTheSameID(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := newReceiver(t)
	id := b.addWebhook("program", r.server.URL)
	b.Admin().Post(base+"/channels/"+id+"/test", nil).Is(http.StatusAccepted)
	r.next(t, 1)
	b.until("&state=sent", 1)
	_, err := b.DB.ExecContext(t.Context(), `update notifications_deliveries set state = 'sending', finished_at = null,
		claimed_until = now() - interval '1 second', claim = 'of a panel that is gone'`)
	require.NoError(t, err)
	_, err = b.DB.ExecContext(t.Context(), `insert into jobs.river_job (kind, args, max_attempts, metadata, queue)
		values (?, ?, 3, '{}', 'panel')`, jobOf(kindWebhook), fmt.Sprintf(`{"channel":%q,"type":"webhook"}`, id))
	require.NoError(t, err)
	got := r.next(t, 2)
	require.Equal(t, got[0].id, got[1].id)
	b.until("&state=sent", 1)
}

// Rule: two panels send what is queued once, and fewer than 20 messages a second together.
func TestTwoPanelsSendOnceAndNotTooFast(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.other()
	r := newReceiver(t)
	one, two := b.addWebhook("one", r.server.URL), b.addWebhook("two", r.server.URL)
	began := time.Now()
	const each = 15
	for range each {
		b.Admin().Post(base+"/channels/"+one+"/test", nil).Is(http.StatusAccepted)
		b.Admin().Post(base+"/channels/"+two+"/test", nil).Is(http.StatusAccepted)
	}
	got := r.next(t, 2*each)
	require.Greater(t, time.Since(began), (2*each-2)*50*time.Millisecond)
	b.until("&state=sent", 2*each)
	seen := map[string]bool{}
	for _, one := range got {
		require.False(t, seen[one.id], "sent twice")
		seen[one.id] = true
	}
}

// Rule: an event that comes to the listener twice is told once.
func TestAnEventIsTakenOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.configure()
	b.happens(probeDown, "p1", "first")
	b.until("&state=sent", 1)
	var args string
	require.NoError(t, b.DB.NewRaw("select event::text from notifications_deliveries").Scan(t.Context(), &args))
	_, err := b.DB.ExecContext(t.Context(), `update jobs.river_job set state = 'available', finalized_at = null, attempt = 0
		where kind like '%notifications.queue%'`)
	require.NoError(t, err)
	require.Never(t, func() bool { return len(b.api.messages()) > 1 }, 2*time.Second, every)
}
