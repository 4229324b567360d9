package abuse

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/abuse/internal/acts"
	"panel/modules/abuse/internal/cases"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/modules/proxypanel/remnawavetest"
	"panel/platform/database"
	"panel/platform/paneltest"
)

// beside is a scene beside a proxy panel, whose one user has the case.
type beside struct {
	*scene
	there *remnawavetest.Panel
	ref   string
	id    int
}

func newBeside(t *testing.T) *beside {
	t.Helper()
	s := &beside{newScene(t, paneltest.Env(map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.1"})), remnawavetest.New(t), "", 0}
	s.id = s.there.AddUsers(1)[0]
	const connections = "/api/v1/proxypanel/connections"
	connection := s.admin.Post(connections, fields{
		"label": "main", "base_url": s.there.URL, "token": s.there.Token(365*24*time.Hour, "*"),
	}).Is(http.StatusCreated).Text("id")
	s.ref = proxypanelapi.RefOf(connection, int64(s.id))
	s.admin.Post(connections+"/"+connection+"/sync", nil).Is(http.StatusAccepted)
	s.until(func() bool {
		return s.admin.Get(connections+"/"+connection+"/users").Is(http.StatusOK).Value("total") == float64(1)
	})
	s.caseID = s.casedAs(s.ref)
	return s
}

// casedAs stores a case of a user, as scoring does.
func (s *scene) casedAs(ref string) string {
	id := s.opens(database.NewID())
	s.exec("update abuse_cases set user_ref = ?, label = '' where id = ?", ref, id)
	return id
}

func (s *scene) until(holds func() bool) {
	s.t.Helper()
	require.Eventually(s.t, holds, 30*time.Second, 50*time.Millisecond)
}

func (s *beside) status() any {
	for _, user := range s.there.Dump()["users"] {
		if user["id"] == s.id {
			return user["status"]
		}
	}
	return "gone"
}

func (s *scene) act(id string) (found cases.Action) {
	s.t.Helper()
	for _, one := range s.listed("") {
		if one.ID == id {
			return one
		}
	}
	require.FailNow(s.t, "the act is not listed")
	return found
}

func (s *beside) settles(id, state string) cases.Action {
	s.t.Helper()
	s.until(func() bool { return s.act(id).State != acts.Pending })
	require.Equal(s.t, state, s.act(id).State, s.act(id).Result.Error)
	return s.act(id)
}

// A user of a proxy panel is named by its name there, disabled there, and enabled again when somebody undoes it.
func TestAUserOfAProxyPanelIsDisabledAndEnabled(t *testing.T) {
	t.Parallel()
	s := newBeside(t)
	require.Equal(t, cases.User{Name: "user_1", Known: true}, s.shown().User)
	one := s.done(fields{"kind": "disable_user"})
	require.Equal(t, acts.Pending, one.State)
	s.settles(one.ID, acts.Active)
	require.Equal(t, "DISABLED", s.status())
	require.Equal(t, cases.Actioned, s.shown().State)
	s.do(fields{"kind": "disable_user"}).Refused(http.StatusConflict, "act_active")
	s.undo(one.ID).Is(http.StatusOK)
	s.until(func() bool { return s.status() == "ACTIVE" })
	require.Equal(t, cases.Open, s.shown().State)
}

// It ends by itself as other acts do.
func TestADisabledUserIsEnabledInTheEnd(t *testing.T) {
	t.Parallel()
	s := newBeside(t)
	one := s.done(fields{"kind": "disable_user", "minutes": 5})
	s.settles(one.ID, acts.Active)
	s.passes()
	require.Equal(t, acts.Ended, s.act(one.ID).State)
	s.until(func() bool { return s.status() == "ACTIVE" })
}

// Whoever was disabled before stays so, and so does another user who has the number by now.
func TestWhatAnActDidNotTakeItDoesNotGiveBack(t *testing.T) {
	t.Parallel()
	s := newBeside(t)
	connection, id, _ := proxypanelapi.ReadRef(s.ref)
	s.there.Change("users", id, "status", "DISABLED")
	one := s.done(fields{"kind": "disable_user"})
	s.settles(one.ID, acts.Active)
	s.undo(one.ID).Is(http.StatusOK)
	s.noJob("abuse.enable")
	require.Equal(t, "DISABLED", s.status())

	s.there.Change("users", id, "status", "ACTIVE")
	one = s.done(fields{"kind": "disable_user"})
	s.settles(one.ID, acts.Active)
	s.there.Change("users", id, "createdAt", "2026-01-01T00:00:00.000Z")
	s.undo(one.ID).Is(http.StatusOK)
	s.noJob("abuse.enable")
	require.Equal(t, "DISABLED", s.status())
	require.NotEmpty(t, connection)
}

// noJob waits until no job of a kind waits or runs.
func (s *scene) noJob(kind string) {
	s.t.Helper()
	s.until(func() bool {
		var n int
		err := s.DB.NewRaw("select count(*) from jobs.river_job where kind = ? and finalized_at is null", kind).
			Scan(s.t.Context(), &n)
		return err == nil && n == 0
	})
}

// Connections are ended there; that no node there is connected is no failure.
func TestConnectionsOfAUserOfAProxyPanelAreEnded(t *testing.T) {
	t.Parallel()
	s := newBeside(t)
	s.settles(s.done(fields{"kind": "drop_sessions"}).ID, acts.Ended)
	s.there.AddNode("berlin", "192.0.2.7", true)
	s.settles(s.done(fields{"kind": "drop_sessions"}).ID, acts.Ended)
	s.done(fields{"kind": "warn"})
}

// What cannot be done is said: the user or the connection is gone, the panel refuses, or the user lives here.
func TestActsThatAProxyPanelCannotDo(t *testing.T) {
	t.Parallel()
	s := newBeside(t)
	s.there.Gate(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	one := s.done(fields{"kind": "disable_user"})
	require.Equal(t, "proxypanel_error", s.settles(one.ID, acts.Failed).Result.Error)
	s.there.Gate(nil)
	connection, _, _ := proxypanelapi.ReadRef(s.ref)
	s.caseID = s.casedAs(proxypanelapi.RefOf(connection, 999))
	s.do(fields{"kind": "disable_user"}).Refused(http.StatusConflict, "user_gone")
	s.do(fields{"kind": "warn"}).Refused(http.StatusConflict, "user_gone")
	s.caseID = s.casedAs(fmt.Sprintf("p:%s:7", database.NewID()))
	s.do(fields{"kind": "disable_user"}).Refused(http.StatusConflict, "user_gone")
	s.caseID = s.casedAs("p:panel:7")
	s.do(fields{"kind": "disable_user"}).Refused(http.StatusConflict, "proxy_panel_missing")
}

// A panel that dies between the proxy panel's answer and the note of it has the same done again, and still knows what
// the user was before.
func TestADisablingThatWasCutOffIsDoneAgain(t *testing.T) {
	t.Parallel()
	s := newBeside(t)
	one := s.done(fields{"kind": "disable_user"})
	s.settles(one.ID, acts.Active)
	s.exec("update abuse_actions set state = 'pending' where id = ?", one.ID)
	s.exec(`update jobs.river_job set state = 'available', finalized_at = null, attempt = 0 where kind = 'abuse.panel'`)
	s.settles(one.ID, acts.Active)
	s.undo(one.ID).Is(http.StatusOK)
	s.until(func() bool { return s.status() == "ACTIVE" })
}
