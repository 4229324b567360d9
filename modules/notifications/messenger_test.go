package notifications

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/entitlement"
	"panel/platform/paneltest"
)

const testRoute = base + "/messenger/test"

// The manifest keeps the rules that hold for every module. It looks at all goroutines, so it runs alone.
func TestModule(t *testing.T) { //nolint:paralleltest // looks at the goroutines of the process
	paneltest.Check(t, Module())
}

// Specification, Errors: "notifications not configured (no bot token or chat id)" is 400, before any call and whatever
// other channels there are.
func TestWithoutTokenOrChatTheTestIsRefusedBeforeAnyCall(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.addWebhook("elsewhere", "https://hooks.example/a")
	b.Admin().Post(testRoute, nil).Refused(http.StatusBadRequest, "notifications_not_configured")
	b.configure(func(s fields) { s["messenger"] = fields{"bot_token": token, "chat_id": "", "thread_id": 0} })
	b.Admin().Post(testRoute, nil).Refused(http.StatusBadRequest, "notifications_not_configured")
	b.configure(func(s fields) { s["messenger"] = fields{"bot_token": "", "chat_id": "42", "thread_id": 0} })
	b.Admin().Post(testRoute, nil).Refused(http.StatusBadRequest, "notifications_not_configured")
	require.Empty(t, b.api.messages())
}

// Specification, Errors: "the messenger's bot API returned an error" is 502. Its own words are in the answer, cut and
// without the token.
func TestTheMessengersOwnWordsAreAnswered(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.configure()
	for _, refusal := range []struct {
		status      int
		body, words string
	}{
		{401, `{"ok":false,"error_code":401,"description":"Unauthorized"}`, "Unauthorized"},
		{400, `{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}`, "Bad Request: chat not found"},
		{429, `{"ok":false,"error_code":429,"description":"Too Many","parameters":{"retry_after":4310}}`, "Too Many"},
		{502, `<html><b>Bad gateway</b></html>`, "HTTP 502"},
		{500, `{"ok":false,"error_code":500,"description":"` + token + "\\u0007" + strings.Repeat("x", 900) + `"}`, "***"},
	} {
		b.api.refuses(refusal.status, refusal.body)
		answer := b.Admin().Post(testRoute, nil).Refused(http.StatusBadGateway, "messenger_error")
		detail := answer.Text("detail")
		require.Contains(t, detail, refusal.words)
		require.NotContains(t, detail, token)
		require.NotContains(t, detail, "bad request", "words of the library are not the messenger's")
		require.NotContains(t, detail, "\a")
		require.NotContains(t, detail, "<html>")
		require.Less(t, len(detail), 400)
	}
	b.api.server.CloseClientConnections()
	b.api.server.Close()
	b.Admin().Post(testRoute, nil).Refused(http.StatusBadGateway, "messenger_error")
}

// Specification, Errors: "timeout reaching the messenger" is 504.
func TestAMessengerThatDoesNotAnswerIsATimeout(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.configure()
	b.api.answers(func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true })
	b.Admin().Post(testRoute, nil).Refused(http.StatusGatewayTimeout, "messenger_timeout")
}

func TestATestArrivesAndIsInTheJournal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.configure(func(s fields) {
		s["language"], s["messenger"] = "ru", fields{"bot_token": token, "chat_id": "@ops", "thread_id": 7}
	})
	b.As(string(View)).Post(testRoute, nil).Refused(http.StatusForbidden, "permission_denied")
	answer := b.As(string(Manage)).Post(testRoute, nil).Is(http.StatusOK)
	require.Equal(t, "1", answer.Text("message_id"))
	got := b.api.next(t, 1)[0]
	require.Equal(t, "/bot"+token+"/sendMessage", got.Path)
	require.Equal(t, []string{"@ops", "7"}, []string{got.Chat, got.Thread})
	require.Contains(t, got.Text, "Это проверка уведомлений")
	require.Contains(t, b.Recorded(objectChannel, kindMessenger), kindTest)
}

// Rule: a notice says what, where, since when, which effect, and leads into the panel; names of others change nothing
// in its form.
func TestANoticeIsWorthReading(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.configure()
	b.happens(probeDown, "p1", "<b>evil</b> & \u202e\nname"+strings.Repeat("y", 5000))
	b.happens(probeQuit, "p1", "quiet")
	text := b.api.next(t, 1)[0].Text
	require.Contains(t, text, "<b>A probe is down</b>")
	require.Contains(t, text, "&lt;b&gt;evil&lt;/b&gt; &amp; name")
	require.Contains(t, text, "Since: ")
	require.Contains(t, text, "Nothing is probed.")
	require.Contains(t, text, `href="https://panel.example/probes/p1"`)
	require.NotContains(t, text, "\u202e")
	require.Less(t, len([]rune(text)), 4096)
	require.Len(t, b.until("&state=sent", 1), 1, "what does not say Notify is no notice")
}

// Rule: good news answers the bad news before it, whatever severity the rule wants.
func TestGoodNewsAnswersTheBad(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.configure()
	b.happens(probeUp, "p1", "first")
	b.happens(probeDown, "p1", "first")
	b.api.next(t, 1)
	b.until("&state=sent", 1)
	b.happens(probeUp, "p1", "first")
	messages := b.api.next(t, 2)
	require.Contains(t, messages[1].Text, "✅")
	require.Contains(t, messages[1].Reply, `"message_id":1`)
	all := b.until("&state=sent", 2)
	require.Equal(t, all[0].ID, *all[1].Answers)
	require.Len(t, b.deliveries(""), 2, "good news without bad news before is below the severity of the rule")
}

// Rule (domain, trap 25): what flaps is told once, and its end once.
func TestWhatFlapsIsToldOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.configure()
	b.happens(probeDown, "p1", "first")
	b.until("&state=sent", 1)
	b.happens(probeUp, "p1", "first")
	b.until("&state=sent", 2)
	for range 4 {
		b.happens(probeDown, "p1", "first")
		b.until("&state=queued", 1)
		b.happens(probeUp, "p1", "first")
		require.Eventually(t, func() bool { return len(b.deliveries("&state=queued")) == 0 }, within, every)
	}
	require.Len(t, b.deliveries("&state=superseded"), 4)
	require.Len(t, b.api.messages(), 2)
	b.happens(probeDown, "p1", "first")
	last := b.until("&state=queued", 1)[0]
	require.WithinDuration(t, b.Clock.Now().Add(5*time.Minute), last.NotBefore, time.Minute, "how it ended is told after all")
}

// Rule: more than five events of a kind in a minute become one message with a count.
func TestABurstBecomesOneMessageWithACount(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.configure()
	const many = 60
	for i := range many {
		b.happens(probeOdd, fmt.Sprint("p", i), "one of many")
	}
	require.Eventually(t, func() bool {
		told := 0
		for _, d := range b.deliveries("") {
			if d.State != stateFolded {
				told += d.Count
			}
		}
		return told == many
	}, within, every)
	require.LessOrEqual(t, len(b.api.messages()), burst)
	_, err := b.DB.ExecContext(t.Context(), "update notifications_deliveries set not_before = now() where state = 'queued'")
	require.NoError(t, err)
	b.runNow(kindMessenger)
	require.Eventually(t, func() bool {
		messages := b.api.messages()
		return len(messages) > 0 && strings.Contains(messages[len(messages)-1].Text, "How often: ")
	}, within, every)
	require.Less(t, len(b.api.messages()), 2*burst)
}

// Rule (domain, trap 10): Telegram 429 with retry_after 4310: the queue waits, nothing is lost, other channels go on.
func TestTheMessengerIsLeftAloneForAsLongAsItWants(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.configure()
	receiver := newReceiver(t)
	b.addWebhook("program", receiver.server.URL)
	b.widenRule()
	b.api.refuses(429, `{"ok":false,"error_code":429,"description":"Too Many","parameters":{"retry_after":4310}}`)
	b.happens(probeDown, "p1", "first")
	receiver.next(t, 1)
	require.Eventually(t, func() bool { return b.blockedFor(kindMessenger) > 4200*time.Second }, within, every)
	b.happens(probeDown, "p2", "second")
	receiver.next(t, 2)
	require.Len(t, b.until("&state=queued&channel=messenger", 2), 2)
	require.Empty(t, b.Recorded(objectDelivery, ""), "to wait is no failure")

	b.api.answers(nil)
	_, err := b.DB.ExecContext(t.Context(), "update notifications_lanes set blocked_until = now()")
	require.NoError(t, err)
	b.runNow(kindMessenger)
	require.Len(t, b.api.next(t, 2), 2)
}

// Rule (domain, trap 11): a failure leaves the operation alone and writes notification.failed, once; the channel that
// failed is not told, others are.
func TestAFailureIsInTheJournalOnceAndToldByOthers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.configure()
	receiver := newReceiver(t)
	b.addWebhook("program", receiver.server.URL)
	b.widenRule()
	b.api.refuses(400, `{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}`)
	b.happens(probeDown, "p1", "first")
	got := receiver.next(t, 2)
	require.ElementsMatch(t, []string{probeDown, kindFailed}, []string{got[0].body.Type, got[1].body.Type})
	failed := b.until("&state=failed", 1)
	require.Equal(t, []string{kindFailed}, b.Recorded(objectDelivery, failed[0].ID))
	require.Contains(t, failed[0].Reason.Detail, "chat not found")
	require.Len(t, b.deliveries("&kind="+kindFailed), 1)
	require.Contains(t, b.Scrape(), "panel_notifications_given_up 1")
}

// license is one that a test may replace while the panel runs; it begins as active with this module's feature.
type license struct {
	state atomic.Pointer[entitlement.State]
}

func (l *license) Current() entitlement.State {
	if state := l.state.Load(); state != nil {
		return *state
	}
	return entitlement.State{State: entitlement.Active, Enabled: []string{feature}}
}

// Rule: while the panel is read-only notices go on, whatever plan it had, and nobody changes or tests anything. The
// notice that it became read-only is one of them.
func TestReadOnlyNoticesGoOn(t *testing.T) {
	t.Parallel()
	held := new(license)
	b := newBench(t, paneltest.License(held))
	b.configure()
	for i, enabled := range [][]string{{feature}, {"flows"}, nil} {
		held.state.Store(&entitlement.State{State: entitlement.Degraded, Reason: "expired", Enabled: enabled})
		b.Admin().Get(base + "/rules").Is(http.StatusOK)
		b.Admin().Post(testRoute, nil).Refused(http.StatusForbidden, "license_read_only")
		b.happens(probeDown, fmt.Sprint("p", i), "first")
		require.Contains(t, b.api.next(t, i+1)[i].Text, "A probe is down")
	}
}

// Rule: while the feature is not in the plan nothing can be set up or tested, and what was set up goes on: what was
// queued before is sent, and so is what happens now.
func TestWithoutTheFeatureWhatWasSetUpGoesOn(t *testing.T) {
	t.Parallel()
	held := new(license)
	b := newBench(t, paneltest.License(held))
	b.configure()
	receiver := newReceiver(t)
	id := b.addWebhook("program", receiver.server.URL)
	b.widenRule()
	_, err := b.DB.ExecContext(t.Context(), "update notifications_lanes set blocked_until = now() + interval '1 hour'")
	require.NoError(t, err)
	b.happens(probeDown, "p1", "before")
	b.until("&state=queued", 2)

	held.state.Store(&entitlement.State{State: entitlement.Active, Enabled: []string{"flows"}})
	admin := b.Admin()
	admin.Get(base + "/channels/" + id).Is(http.StatusOK)
	for path, body := range map[string]any{
		"/channels/" + id + "/test": nil, "/messenger/test": nil,
		"/rules": fields{"name": "x", "event": "*", "channels": []string{"messenger"}},
	} {
		admin.Post(base+path, body).Refused(http.StatusForbidden, "license_feature_blocked")
	}
	b.happens(probeDown, "p2", "after")
	b.until("&state=queued", 4)
	_, err = b.DB.ExecContext(t.Context(), "update notifications_lanes set blocked_until = null")
	require.NoError(t, err)
	b.runNow(kindMessenger)
	b.runNow(kindWebhook)
	b.api.next(t, 2)
	receiver.next(t, 2)
	b.until("&state=sent", 4)
}

// Rule: why a message was not sent is said in the language of messages, where it is sent by another channel.
func TestAFailureIsSentInTheLanguageOfMessages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.configure(func(s fields) { s["language"] = "ru" })
	receiver := newReceiver(t)
	receiver.status = http.StatusGone
	b.addWebhook("program", receiver.server.URL)
	b.widenRule()
	b.happens(probeDown, "p1", "first")
	require.Eventually(t, func() bool {
		for _, message := range b.api.messages() {
			if strings.Contains(message.Text, "Причина: получатель ответил HTTP 410") {
				return true
			}
		}
		return false
	}, within, every)
}
