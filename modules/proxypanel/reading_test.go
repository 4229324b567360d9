package proxypanel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
	"panel/modules/proxypanel/internal/syncs"
	"panel/modules/proxypanel/remnawavetest"
	"panel/platform/cli"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/httpapi"
	"panel/platform/module"
	"panel/platform/paneltest"
)

const eventually, often = 20 * time.Second, 20 * time.Millisecond

// read has a connection read whole, and gives the run when it has ended.
func (b *bench) read(id string) syncs.Run {
	b.t.Helper()
	operation := b.begin(id)
	b.ends(operation)
	for _, run := range b.runs(id) {
		if run.OperationID != nil && *run.OperationID == operation {
			return run
		}
	}
	require.FailNow(b.t, "the run is not listed")
	return syncs.Run{}
}

// begin begins a reading as soon as the job of the one before is put away.
func (b *bench) begin(id string) (operation string) {
	b.t.Helper()
	var answer *paneltest.Answer
	b.until(func() bool {
		answer = b.Admin().Post(connectionsPath+"/"+id+"/sync", nil)
		return answer.Status == http.StatusAccepted
	})
	return answer.Text("operation_id")
}

func (b *bench) ends(operation string) (state string) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		state = b.Admin().Get("/api/v1/operations/" + operation).Is(http.StatusOK).Text("state")
		return state == "succeeded" || state == "failed" || state == "cancelled"
	}, eventually, often)
	return state
}

func (b *bench) runs(id string) []syncs.Run {
	b.t.Helper()
	var page httpapi.Page[syncs.Run]
	b.Admin().Get(connectionsPath + "/" + id + "/syncs").Is(http.StatusOK).JSON(&page)
	return page.Items
}

// pageAt gives one page of what is known.
func pageAt[T any](b *bench, id, path string) (page httpapi.Page[T]) {
	b.t.Helper()
	b.Admin().Get(connectionsPath + "/" + id + "/" + path).Is(http.StatusOK).JSON(&page)
	return page
}

func (b *bench) usernames(id, query string) (names []string) {
	b.t.Helper()
	for _, one := range pageAt[shadow.ListedUser](b, id, "users?limit=200"+query).Items {
		names = append(names, one.Username)
	}
	return names
}

// ask asks the stand-in as its administrator would.
func (b *bench) ask(method, path string, in any) *http.Response {
	b.t.Helper()
	text, err := json.Marshal(in)
	require.NoError(b.t, err)
	request, err := http.NewRequestWithContext(b.t.Context(), method, b.there.URL+"/api"+path, strings.NewReader(string(text)))
	require.NoError(b.t, err)
	request.Header.Set("Authorization", "Bearer "+b.there.Token(time.Hour, "*"))
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	require.NoError(b.t, err)
	b.t.Cleanup(func() { _ = answer.Body.Close() })
	require.Less(b.t, answer.StatusCode, http.StatusBadRequest)
	return answer
}

// All that a proxy panel holds is read and listed, with its references, and without a credential.
func TestAProxyPanelIsRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	node := b.there.AddNode("berlin", "192.0.2.7", true)
	ids := b.there.AddUsers(3)
	id := b.add().ID
	require.Nil(t, b.get(id).LastSyncAt)

	run := b.read(id)
	require.Equal(t, syncs.Succeeded, run.State)
	require.Equal(t, syncs.Full, run.Scope)
	require.Equal(t, [3]int{3, 3, 6}, [3]int{run.Objects, run.Users, run.Added})
	require.NotEmpty(t, run.StartedBy)
	require.NotNil(t, b.get(id).LastSyncAt)
	require.NotNil(t, b.get(id).UsersSyncedAt)
	require.Equal(t, []string{connectionAdded, syncStarted}, b.Recorded(object, id))

	nodes := pageAt[Node](b, id, "nodes")
	require.Equal(t, 1, nodes.Total)
	require.Equal(t, node, nodes.Items[0].ID)
	require.True(t, nodes.Items[0].Connected)
	require.Equal(t, remnawavetest.DefaultProfile, nodes.Items[0].ProfileID)
	inbound := pageAt[Inbound](b, id, "inbounds").Items[0]
	require.Equal(t, remnawavetest.DefaultTag, inbound.Name)
	require.Equal(t, []string{inbound.ID}, nodes.Items[0].ActiveInbounds)
	require.Equal(t, []string{node}, pageAt[Profile](b, id, "profiles").Items[0].Nodes)
	require.Empty(t, pageAt[Host](b, id, "hosts").Items)
	require.Empty(t, pageAt[Squad](b, id, "squads").Items)

	users := pageAt[shadow.ListedUser](b, id, "users")
	require.Equal(t, 3, users.Total)
	require.Equal(t, fmt.Sprintf("p:%s:%d", id, ids[0]), users.Items[0].UserRef)
	b.holdsNoCredential()
}

// holdsNoCredential looks for what the stand-in keeps of users in everything that the module has stored.
func (b *bench) holdsNoCredential() {
	b.t.Helper()
	var stored string
	for _, table := range []string{"proxypanel_objects", "proxypanel_users", "proxypanel_syncs", "journal"} {
		var text string
		require.NoError(b.t, b.DB.NewRaw("select coalesce(string_agg(r::text, ' '), '') from "+table+" r").Scan(b.t.Context(), &text))
		stored += text
	}
	for _, row := range b.there.Dump()["users"] {
		for _, name := range []string{"vlessUuid", "trojanPassword", "ssPassword", "shortUuid", "subscriptionUrl"} {
			require.NotContains(b.t, stored, row[name].(string), name)
		}
	}
}

// A second reading finds what has changed there and nothing else; what is gone there is gone here, and can be listed.
func TestASecondReadingFindsWhatChanged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ids := b.there.AddUsers(4)
	id := b.add().ID
	b.read(id)
	idle := b.read(id)
	require.Equal(t, [3]int{}, [3]int{idle.Added, idle.Changed, idle.Gone})

	b.ask(http.MethodDelete, fmt.Sprintf("/users/%d", ids[0]), nil)
	b.ask(http.MethodPost, fmt.Sprintf("/users/%d/actions/disable", ids[1]), nil)
	b.ask(http.MethodPost, "/users", fields{"username": "user_1", "expireAt": "2030-01-01T00:00:00Z"})
	run := b.read(id)
	require.Equal(t, [3]int{1, 1, 1}, [3]int{run.Added, run.Changed, run.Gone})
	require.Equal(t, []string{"user_1", "user_2", "user_3", "user_4"}, b.usernames(id, ""))
	require.Equal(t, []string{"user_1"}, b.usernames(id, "&gone=true"))
	require.Equal(t, []string{"user_2"}, b.usernames(id, "&status=DISABLED"))
	require.Equal(t, []string{"user_3"}, b.usernames(id, "&search=R_3"))
	require.Equal(t, []string{"user_3"}, b.usernames(id, fmt.Sprintf("&search=%d", ids[2])))
	require.Empty(t, b.usernames(id, "&search=%25"))
}

// Pages follow one another without a gap, also where a name is there twice.
func TestUsersArePaged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.there.AddUsers(7)
	id := b.add().ID
	b.read(id)
	var names []string
	for query := "users?limit=3&sort=-username"; query != ""; {
		page := pageAt[shadow.ListedUser](b, id, query)
		for _, one := range page.Items {
			names = append(names, one.Username)
		}
		if query = ""; page.NextCursor != nil {
			query = "users?limit=3&sort=-username&cursor=" + *page.NextCursor
		}
	}
	require.Equal(t, []string{"user_7", "user_6", "user_5", "user_4", "user_3", "user_2", "user_1"}, names)
	b.Admin().Get(connectionsPath+"/"+id+"/users?sort=status").Refused(http.StatusBadRequest, "bad_parameter")
	for _, path := range []string{"users", "nodes", "syncs"} {
		b.Admin().Get(connectionsPath+"/"+database.NewID()+"/"+path).Refused(http.StatusNotFound, "not_found")
	}
	b.Admin().Post(connectionsPath+"/"+database.NewID()+"/sync", nil).Refused(http.StatusNotFound, "not_found")
}

// breaks lets requests whose path and query hold a text end in one way.
func (b *bench) breaks(at string, how http.HandlerFunc) {
	b.there.Gate(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.String(), at) {
			how(w, r)
			return
		}
		b.there.Pass(w, r)
	})
}

func says(status int, kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}
}

// However a reading breaks off, its run says why, and nothing is taken for gone.
func TestABrokenReadingTakesNothingForGone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.there.AddNode("berlin", "192.0.2.7", true)
	b.there.AddUsers(remnawave.MostUsers + 5)
	id := b.add().ID
	b.read(id)
	const asJSON = "application/json"
	half := `{"response":{"users":[{"id":1,"username":"user_1"},{"id":`
	for _, one := range []struct {
		at, cause string
		how       http.HandlerFunc
	}{
		{"cursor=", "no_reverse_proxy", func(w http.ResponseWriter, _ *http.Request) { remnawavetest.Destroy(w) }},
		{"cursor=", "token_refused", says(http.StatusUnauthorized, asJSON, `{"message":"Unauthorized","statusCode":401}`)},
		{"cursor=", "gate_page", says(http.StatusOK, "text/html", "<html>who are you</html>")},
		{"cursor=", "panel_failed", says(http.StatusInternalServerError, asJSON, `{"errorCode":"A001","message":"oops"}`)},
		{"cursor=", "answer_unreadable", says(http.StatusOK, asJSON, half)},
		{"cursor=", "answer_unreadable", says(http.StatusOK, asJSON, `{"response":{"users":[],"hasMore":true,"nextCursor":"c"}}`)},
		{"/nodes", "answer_unreadable", says(http.StatusOK, asJSON, `{"response":{}}`)},
		{"/internal-squads", "scope_missing", says(http.StatusForbidden, asJSON, `{"message":"Forbidden resource","statusCode":403}`)},
	} {
		before := b.get(id).UsersSyncedAt
		b.breaks(one.at, one.how)
		run := b.read(id)
		b.there.Gate(nil)
		require.Equal(t, [2]string{syncs.Failed, one.cause}, [2]string{run.State, run.Cause}, one.at)
		require.Zero(t, run.Gone, one.cause)
		require.Equal(t, remnawave.MostUsers+5, pageAt[shadow.ListedUser](b, id, "users").Total)
		require.Equal(t, 1, pageAt[Node](b, id, "nodes").Total)
		require.Equal(t, before, b.get(id).UsersSyncedAt)
	}
	require.Equal(t, syncs.Succeeded, b.read(id).State)
}

// A list of users that leads in a circle comes to an end.
func TestAListWithoutAnEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.there.AddUsers(1)
	id := b.add().ID
	turns := map[string]string{"": "a", "a": "b", "b": "a"}
	b.breaks("/users/stream", func(w http.ResponseWriter, r *http.Request) {
		says(http.StatusOK, "application/json", `{"response":{"users":[{"id":1,"username":"x"}],"hasMore":true,"nextCursor":"`+
			turns[r.URL.Query().Get("cursor")]+`"}}`)(w, r)
	})
	run := b.read(id)
	require.Equal(t, "answer_unreadable", run.Cause)
	require.Contains(t, run.Detail, "no end")
}

// A connection that broke once is asked again; one that is to be left alone is left alone.
func TestAMomentOfTroubleIsPassedOver(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.there.AddUsers(2)
	id := b.add().ID
	var once sync.Once
	b.breaks("/users/stream", func(w http.ResponseWriter, r *http.Request) {
		broken := false
		once.Do(func() { broken = true; remnawavetest.Destroy(w) })
		if !broken {
			b.there.Pass(w, r)
		}
	})
	require.Equal(t, syncs.Succeeded, b.read(id).State)
	b.breaks("/users/stream", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	require.Equal(t, "slow_down", b.read(id).Cause)
	b.there.Gate(nil)
	asked := len(b.there.Calls())
	require.Equal(t, "slow_down", b.read(id).Cause)
	require.Len(t, b.there.Calls(), asked, "nobody asks while the panel wants to be left alone")
}

// The schedule reads the objects each time and the users every ten minutes, of connections that work; a reading that
// found nothing new leaves no run.
func TestTheScheduleReads(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.there.AddUsers(2)
	id := b.add().ID
	b.RunSchedule(syncs.Kind)
	b.until(func() bool { return b.get(id).UsersSyncedAt != nil })
	require.Equal(t, []string{"user_1", "user_2"}, b.usernames(id, ""))
	require.Len(t, b.runs(id), 1)

	b.there.AddUsers(1)
	first := b.get(id)
	b.until(func() bool { b.RunSchedule(syncs.Kind); return b.get(id).LastSyncAt.After(*first.LastSyncAt) })
	require.Equal(t, first.UsersSyncedAt, b.get(id).UsersSyncedAt)
	b.until(func() bool { return len(b.runs(id)) == 1 })
	b.exec("update proxypanel_sync_states set users_begun = users_begun - interval '10 minutes'")
	b.until(func() bool { b.RunSchedule(syncs.Kind); return len(b.usernames(id, "")) == 3 })

	b.there.Revoke()
	b.test(id)
	b.until(func() bool { return len(b.active(id)) == 0 })
	asked := b.listed()
	b.RunSchedule(syncs.Kind)
	require.Equal(t, asked, b.listed())
}

// listed counts how often hosts were read, which nothing but a synchronisation asks for.
func (b *bench) listed() (times int) {
	for _, call := range b.there.Calls() {
		if call.Path == "/api/hosts" && call.Method == http.MethodGet {
			times++
		}
	}
	return times
}

func (b *bench) until(holds func() bool) {
	b.t.Helper()
	require.Eventually(b.t, holds, eventually, often)
}

func (b *bench) exec(statement string, args ...any) {
	b.t.Helper()
	_, err := b.DB.NewRaw(statement, args...).Exec(b.t.Context())
	require.NoError(b.t, err)
}

func (b *bench) active(id string) (running []syncs.Run) {
	b.t.Helper()
	for _, run := range b.runs(id) {
		if run.State == syncs.Running {
			running = append(running, run)
		}
	}
	return running
}

// Of one connection one run reads at a time, on whichever panel; whoever asks by hand waits for the one before, and
// nobody waits twice.
func TestOneRunOfAConnectionAtATime(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	other := &bench{paneltest.Start(t, built(), paneltest.On(b.DB), paneltest.Env(map[string]string{
		"PANEL_OUTBOUND_ALLOW": "127.0.0.1",
	})), t, b.there}
	b.there.AddUsers(1)
	id := b.add().ID
	enter, leave := make(chan struct{}, 9), make(chan struct{})
	b.there.Before(func(c remnawavetest.Call) {
		if c.Path == "/api/users/stream" {
			enter <- struct{}{}
			<-leave
		}
	})
	b.RunSchedule(syncs.Kind)
	<-enter
	require.Len(t, b.active(id), 1)
	byHand := other.begin(id)
	b.Admin().Post(connectionsPath+"/"+id+"/sync", nil).Refused(http.StatusConflict, "sync_active")
	require.Len(t, b.active(id), 1)
	close(leave)
	require.Equal(t, "succeeded", b.ends(byHand))
	runs := b.runs(id)
	require.Len(t, runs, 2)
	require.False(t, runs[0].StartedAt.Before(*runs[1].FinishedAt), "one after the other")
}

// What a panel has left that died over a run is over, and the next one begins anew.
func TestARunThatAPanelDiedOver(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.there.AddUsers(2)
	id := b.add().ID
	b.exec(`insert into proxypanel_syncs (id, connection_id, job_id, scope, source, state, by_name, started_at, beat_at)
		values (?, ?, -1, 'full', 'schedule', 'running', '', now(), now() - interval '3 minutes')`, database.NewID(), id)
	b.RunSchedule(syncs.Kind)
	b.until(func() bool { return len(b.runs(id)) == 2 && len(b.active(id)) == 0 })
	require.Equal(t, syncs.Succeeded, b.runs(id)[0].State)
	require.Equal(t, [2]string{syncs.Failed, syncs.Interrupted}, [2]string{b.runs(id)[1].State, b.runs(id)[1].Cause})
}

// A run that was given up writes nothing more: neither rows nor its end.
func TestARunThatWasGivenUpWritesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.there.AddUsers(2)
	id := b.add().ID
	b.there.Before(func(c remnawavetest.Call) {
		if c.Path == "/api/users/stream" {
			b.exec("update proxypanel_syncs set state = 'failed', cause = 'interrupted', finished_at = now()")
		}
	})
	run := b.read(id)
	require.Equal(t, syncs.Interrupted, run.Cause)
	require.Zero(t, run.Users)
	require.Empty(t, b.usernames(id, ""))
}

// A connection that is removed in the middle of a run takes all with it.
func TestAConnectionThatIsRemovedWhileItIsRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.there.AddUsers(2)
	id := b.add().ID
	var once sync.Once
	b.there.Before(func(c remnawavetest.Call) {
		if c.Path == "/api/users/stream" {
			once.Do(func() { b.Admin().Delete(connectionsPath + "/" + id).Is(http.StatusNoContent) })
		}
	})
	b.ends(b.begin(id))
	var left int
	require.NoError(t, b.DB.NewRaw(`select (select count(*) from proxypanel_users) + (select count(*) from
		proxypanel_objects) + (select count(*) from proxypanel_syncs)`).Scan(t.Context(), &left))
	require.Zero(t, left)
}

// A reading is begun, followed and looked at from the command line.
func TestReadingsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.there.AddUsers(2)
	id := b.add().ID
	admin, features := b.Admin(), []module.Module{Module()}
	begun := admin.Command(features, "proxypanel sync main --plain")
	require.Equal(t, cli.ExitDone, begun.Exit, begun.Err)
	require.Equal(t, "succeeded", b.ends(strings.TrimSpace(begun.Out)))
	require.Contains(t, admin.Command(features, "proxypanel syncs main --plain").Out, "full\tsucceeded\t-\t2\t2\t4\t0\t0")
	require.Contains(t, admin.Command(features, "proxypanel users main --plain").Out, "user_2\tACTIVE\t0\t")
	objects := admin.Command(features, "proxypanel objects main inbound --plain")
	require.Contains(t, objects.Out, remnawavetest.DefaultTag+"\t")
	require.Equal(t, cli.ExitUsage, admin.Command(features, "proxypanel objects main user").Exit)
	require.NotEmpty(t, id)
}

// Doctor and a metric tell of users that were not read for an hour.
func TestUsersThatWereNotReadAreTold(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.add().ID
	b.read(id)
	env := b.env()
	require.Equal(t, doctor.OK, diagnose(t.Context(), env).Status)
	b.exec("update proxypanel_sync_states set users_at = now() - interval '2 hours'")
	require.Regexp(t, `panel_proxypanel_sync_age_seconds 72[0-9]{2}`, b.Scrape())
	found := diagnose(t.Context(), env)
	require.Equal(t, doctor.Warning, found.Status)
	require.Equal(t, "main", found.Subject)
}

// env is what Doctor asks the panel of the bench with.
func (b *bench) env() doctor.Env {
	return doctor.Env{Now: time.Now, Getenv: func(name string) string {
		return map[string]string{"PANEL_DB_URL": b.DB.Pool.Config().ConnString()}[name]
	}}
}

// A pass asks for small parts, so that nobody else feels it, and each user is met once.
func TestUsersAreReadInSmallParts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const many = 3*250 + 1
	b.there.AddUsers(many)
	id := b.add().ID
	require.Equal(t, many, b.read(id).Users)
	parts := 0
	for _, call := range b.there.Calls() {
		if call.Path == "/api/users/stream" {
			parts++
		}
	}
	require.Equal(t, 4, parts)
	require.Equal(t, many, pageAt[shadow.ListedUser](b, id, "users").Total)
}
