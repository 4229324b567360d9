package assistant

import (
	"net/http"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/notifications"
	"panel/platform/paneltest"
)

var english = object{"language": "en"}

// Specification: a second assistant helper session for notification set-up is refused; only one exists at a time. It is
// one for the panel: another panel on the database and another window see the same.
func TestOneHelperSessionForThePanel(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module(), notifications.Module())
	other := paneltest.Start(t, paneltest.Modules(Module(), notifications.Module()), paneltest.On(p.DB))
	first, second := user(p), user(other)
	news := p.Follow()
	var held Helper
	first.Post(path+"/helper", english).Is(http.StatusCreated).JSON(&held)
	require.True(t, paneltest.NextData[HelperNews](news, kindHelper).Held)
	require.True(t, held.Mine)
	require.Equal(t, stepToken, held.Step)
	require.Len(t, held.Steps, 4)
	busy := second.Post(path+"/helper", english).Refused(http.StatusConflict, "assistant_busy")
	require.Equal(t, held.Holder.Name, busy.Text("holder"))
	require.Equal(t, held.ID, busy.Text("helper_id"))
	require.NotEmpty(t, busy.Text("since"))
	seen := second.Get(path + "/helper").Is(http.StatusOK)
	require.Equal(t, held.ID, seen.Text("helper.id"))
	require.Equal(t, false, seen.Value("helper.mine"))
	require.Equal(t, held.ID, second.Get(path).Is(http.StatusOK).Text("helper.id"), "the sheet says who is helped")
	second.Post(path+"/helper/check", object{"delivered": true}).Refused(http.StatusConflict, "assistant_no_session")
	again := other.Bearer(first.Token).Post(path+"/helper", english).Is(http.StatusCreated)
	require.Equal(t, held.ID, again.Text("id"), "a reload and another panel give the holder his own back")
}

// It ends after ten minutes in which its holder does nothing, and is taken over only by ending it.
func TestTheHelperSessionEndsIdleOrByAnOrder(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Modules(Module(), notifications.Module()), paneltest.Clock(clock))
	first := p.As("assistant.use", "notifications.view")
	second := user(p)
	held := first.Post(path+"/helper", english).Is(http.StatusCreated).Text("id")
	clock.Advance(idleFor - time.Second)
	first.Post(path+"/helper/check", object{"delivered": false}).Is(http.StatusOK)
	clock.Advance(idleFor - time.Second)
	second.Post(path+"/helper", english).Refused(http.StatusConflict, "assistant_busy")
	clock.Advance(time.Second)
	require.Nil(t, first.Get(path+"/helper").Is(http.StatusOK).Value("helper"))
	first.Post(path+"/helper/check", object{"delivered": false}).Refused(http.StatusConflict, "assistant_no_session")
	taken := second.Post(path+"/helper", english).Is(http.StatusCreated).Text("id")
	require.NotEqual(t, held, taken)
	first.Post(path+"/helper/cancel", object{"id": held}).Refused(http.StatusConflict, "assistant_no_session")
	first.Post(path+"/helper/cancel", object{"id": taken}).Is(http.StatusNoContent)
	require.NotEqual(t, taken, first.Post(path+"/helper", english).Is(http.StatusCreated).Text("id"))
}

// It goes from the token of a bot to a test message that has arrived; each step is done by the person through the
// ordinary routes, and the session looks with his rights.
func TestTheHelperGoesFromTheTokenToADeliveredTest(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module(), notifications.Module())
	u := p.As("assistant.use", "notifications.view", "notifications.manage")
	u.Post(path+"/helper", english).Is(http.StatusCreated)
	check := func(want string, delivered bool) {
		t.Helper()
		got := u.Post(path+"/helper/check", object{"delivered": delivered}).Is(http.StatusOK)
		require.Equal(t, want, got.Text("step"))
	}
	check(stepToken, true)
	settings := func(messenger object) {
		now := u.Get("/api/v1/notifications/settings").Is(http.StatusOK)
		all := now.Value("settings").(object) //nolint:forcetypeassert // an object
		u.Put("/api/v1/notifications/settings", object{"revision": now.Value("revision"), "settings": object{
			"messenger": messenger, "quiet_hours": all["quiet_hours"], "language": "en",
		}}).Is(http.StatusOK)
	}
	settings(object{"bot_token": "123:canary-token", "chat_id": "", "thread_id": 0})
	check(stepChat, false)
	var usual struct{ Items []struct{ ID string } }
	u.Get("/api/v1/notifications/rules").Is(http.StatusOK).JSON(&usual)
	for _, rule := range usual.Items {
		u.Delete("/api/v1/notifications/rules/" + rule.ID).Is(http.StatusNoContent)
	}
	settings(object{"chat_id": "42", "thread_id": 0})
	check(stepRule, false)
	u.Post("/api/v1/notifications/rules", object{"name": "all", "event": "*", "channels": []string{"messenger"}}).
		Is(http.StatusCreated)
	check(stepTest, false)
	check(stepDone, true)
	done := u.Get(path + "/helper").Is(http.StatusOK)
	require.Equal(t, stepDone, done.Text("helper.step"))
	require.NotContains(t, string(done.Body), "canary", "the token never comes here")
}

// The holder who may read the journal is not taken at his word: the messenger must have taken a test.
func TestADeliveredTestIsLookedUpWhereItMayBe(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module(), notifications.Module())
	u := p.Admin()
	u.Post(path+"/helper", english).Is(http.StatusCreated)
	u.Put("/api/v1/notifications/settings", object{"revision": 0, "settings": object{
		"messenger":   object{"bot_token": "123:x", "chat_id": "42", "thread_id": 0},
		"quiet_hours": object{"enabled": false, "from": "22:00", "to": "07:00", "zone": "UTC"}, "language": "en",
	}}).Is(http.StatusOK)
	delivered := object{"delivered": true}
	require.Equal(t, stepTest, u.Post(path+"/helper/check", delivered).Is(http.StatusOK).Text("step"))
	_, err := p.DB.ExecContext(t.Context(), `insert into journal (id, at, actor_kind, actor_id, actor_name, action, object_type,
		object_id, object_name, result, ip, user_agent, request_id, changes)
		select gen_random_uuid(), now(), 'admin', '', 'x', 'notification.test', 'notification_channel', 'messenger', 'messenger',
		'ok', '', '', '', '{}'`)
	require.NoError(t, err)
	require.Equal(t, stepDone, u.Post(path+"/helper/check", delivered).Is(http.StatusOK).Text("step"))
}

// Who may not see how notifications are set up is told which permission he lacks.
func TestTheHelperNeedsTheRightsOfItsHolder(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module(), notifications.Module())
	u := user(p)
	u.Post(path+"/helper", english).Is(http.StatusCreated)
	refused := u.Post(path+"/helper/check", object{"delivered": false}).Refused(http.StatusForbidden, "permission_denied")
	require.Equal(t, []any{"notifications.view"}, refused.Value("required"))
}
