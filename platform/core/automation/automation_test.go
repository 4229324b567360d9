package automation_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/audit"
	"panel/platform/automation"
	face "panel/platform/core/automation"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/module"
	"panel/platform/paneltest"
)

const (
	actWater = "garden.water"
	base     = "/api/v1/system/automation"
)

// garden is a module that waters by itself.
type garden struct {
	stop *automation.Switch
	db   *database.DB
	log  audit.Journal
}

func (g *garden) manifest() module.Module {
	return module.Module{
		Name: "garden", Summary: "Waters by itself",
		Journal: audit.Kinds{Actions: []string{"garden.watered"}, Objects: []string{"garden"}},
		Acts: []automation.Act{{
			Name: actWater, Summary: "Waters the beds", Budget: "once an hour", Actions: []string{"garden.watered"},
			Feature: "garden", ReadOnly: entitlement.Stops, Blocked: entitlement.Stops,
		}},
		Attach: func(s *automation.Switch, db *database.DB, j audit.Journal) module.Parts {
			g.stop, g.db, g.log = s, db, j
			return module.Parts{}
		},
	}
}

func (g *garden) water(t *testing.T, bed string) {
	t.Helper()
	require.NoError(t, g.log.Record(t.Context(), g.db, audit.Entry{
		Action: "garden.watered", Object: audit.Object{Type: "garden", ID: bed, Name: bed},
	}))
}

func (g *garden) why(t *testing.T) automation.Why {
	t.Helper()
	why, err := g.stop.Stopped(t.Context(), actWater)
	require.NoError(t, err)
	return why
}

type license struct {
	state atomic.Pointer[entitlement.State]
}

func (l *license) Current() entitlement.State { return *l.state.Load() }

func (l *license) set(s entitlement.State) { l.state.Store(&s) }

var whole = entitlement.State{State: entitlement.Active, Enabled: []string{"garden"}}

func started(t *testing.T) (*paneltest.Panel, *garden, *license) {
	t.Helper()
	g, l := new(garden), new(license)
	l.set(whole)
	return paneltest.Start(t, paneltest.Modules(g.manifest()), paneltest.License(l)), g, l
}

type object = map[string]any

// One switch stops everything automatic, with who, when and why, on all panels from its answer on; a panel that starts
// later finds it stopped. People are told of both.
func TestTheSwitchStopsEverythingOnAllPanels(t *testing.T) {
	t.Parallel()
	p, g, l := started(t)
	second := new(garden)
	paneltest.Start(t, paneltest.Modules(second.manifest()), paneltest.On(g.db), paneltest.License(l))
	news, admin := p.Follow(), p.As("settings.manage")
	require.Equal(t, automation.Free, second.why(t))

	admin.Post(base+"/stop", object{"reason": " strange provider "}).Is(http.StatusOK)
	require.Equal(t, automation.Switched, g.why(t))
	require.Equal(t, automation.Switched, second.why(t))
	later := new(garden)
	paneltest.Start(t, paneltest.Modules(later.manifest()), paneltest.On(g.db), paneltest.License(l))
	require.Equal(t, automation.Switched, later.why(t))
	told := paneltest.NextData[automation.News](news, automation.EventStopped)
	require.Equal(t, "strange provider", told.Reason)

	shown := p.As().Get(base).Is(http.StatusOK)
	require.Equal(t, true, shown.Value("stopped"))
	require.Equal(t, told.By, shown.Text("by"))
	require.Equal(t, "strange provider", shown.Text("reason"))
	require.NotNil(t, shown.Value("at"))

	admin.Post(base+"/resume", nil).Is(http.StatusOK)
	require.Equal(t, automation.Free, second.why(t))
	require.Equal(t, "strange provider", paneltest.NextData[automation.News](news, automation.EventResumed).Reason)
	require.Equal(t, []string{automation.EventStopped, automation.EventResumed},
		p.Recorded(automation.Object.Type, automation.Object.ID))
}

// Who asks for the same again changes nothing; another reason takes the place of the first.
func TestStoppingAgainChangesNoMoreThanTheReason(t *testing.T) {
	t.Parallel()
	p, _, _ := started(t)
	admin := p.As("settings.manage")
	admin.Post(base+"/resume", nil).Is(http.StatusOK)
	require.Empty(t, p.Recorded(automation.Object.Type, automation.Object.ID))
	first := admin.Post(base+"/stop", object{"reason": "a"}).Is(http.StatusOK).Text("at")
	require.Equal(t, first, admin.Post(base+"/stop", object{"reason": "a"}).Is(http.StatusOK).Text("at"))
	require.Equal(t, "b", admin.Post(base+"/stop", object{"reason": "b"}).Is(http.StatusOK).Text("reason"))
	require.Len(t, p.Recorded(automation.Object.Type, automation.Object.ID), 2)
}

// Stopping needs settings.manage and a reason; reading the state needs neither.
func TestWhoMayStopAndWithWhat(t *testing.T) {
	t.Parallel()
	p, g, _ := started(t)
	for _, path := range []string{"/stop", "/resume"} {
		p.As("nodes.edit").Post(base+path, object{"reason": "x"}).Refused(http.StatusForbidden, "permission_denied")
	}
	p.As("nodes.view").Get(base+"/acts").Refused(http.StatusForbidden, "permission_denied")
	p.Anonymous().Get(base).Refused(http.StatusUnauthorized, "no_session")
	admin := p.As("settings.manage")
	for _, body := range []object{{"reason": ""}, {"reason": "  \n"}, {"reason": string(make([]byte, 301))}} {
		admin.Post(base+"/stop", body).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	require.Equal(t, automation.Free, g.why(t))
}

// Stopping is possible at any time, also while the panel is read-only.
func TestStoppingWorksInReadOnlyMode(t *testing.T) {
	t.Parallel()
	p, g, l := started(t)
	l.set(entitlement.State{State: entitlement.Degraded, Reason: "none"})
	require.Equal(t, automation.ReadOnly, g.why(t))
	p.Admin().Post(base+"/stop", object{"reason": "x"}).Is(http.StatusOK)
	require.Equal(t, automation.Switched, g.why(t))
	l.set(entitlement.State{State: entitlement.Active})
	p.Admin().Post(base+"/resume", nil).Is(http.StatusOK)
	require.Equal(t, automation.NoPlan, g.why(t))
}

// Who stops everything waits for acts that are being decided: when the answer is there, none begins any more.
func TestAStopWaitsForWhatIsBeingDecided(t *testing.T) {
	t.Parallel()
	p, g, _ := started(t)
	answered := make(chan struct{})
	err := g.db.InTx(t.Context(), func(ctx context.Context) error {
		why, err := g.stop.Stopped(ctx, actWater)
		require.Equal(t, automation.Free, why)
		go func() {
			defer close(answered)
			p.Admin().Post(base+"/stop", object{"reason": "x"}).Is(http.StatusOK)
		}()
		require.Never(t, func() bool {
			select {
			case <-answered:
				return true
			default:
				return false
			}
		}, 300*time.Millisecond, 20*time.Millisecond)
		return err
	})
	require.NoError(t, err)
	<-answered
	require.Equal(t, automation.Switched, g.why(t))
}

// One list says of each act what bounds it, what keeps it from happening and what it did last.
func TestTheListSaysWhatEachActDidLast(t *testing.T) {
	t.Parallel()
	p, g, l := started(t)
	admin := p.As("settings.manage")
	act := func() face.Act {
		var list face.ActList
		admin.Get(base + "/acts").Is(http.StatusOK).JSON(&list)
		for _, a := range list.Items {
			if a.Name == actWater {
				return a
			}
		}
		t.Fatal("the act is not on the list")
		return face.Act{}
	}
	require.Nil(t, act().Last)
	g.water(t, "roses")
	g.water(t, "tulips")
	shown := act()
	require.Equal(t, "once an hour", shown.Budget)
	require.Equal(t, automation.Free, shown.Why)
	require.Equal(t, "tulips", shown.Last.Object)
	l.set(entitlement.State{State: entitlement.Active})
	require.Equal(t, automation.NoPlan, act().Why)
	admin.Post(base+"/stop", object{"reason": "x"}).Is(http.StatusOK)
	require.Equal(t, automation.Switched, act().Why)
}

// An act that no manifest declares is refused, so that none happens unseen.
func TestAnUndeclaredActIsRefused(t *testing.T) {
	t.Parallel()
	_, g, _ := started(t)
	_, err := g.stop.Stopped(t.Context(), "garden.mow")
	require.ErrorContains(t, err, "no module declares this act")
	bad := g.manifest().Acts
	bad[0].Name = "water"
	require.ErrorContains(t, automation.Check("garden", bad), "must begin with")
	bad[0].Name, bad[0].Budget = actWater, ""
	require.ErrorContains(t, automation.Check("garden", bad), "what bounds it")
}

// What is stopped stays stopped over the restore of a backup of before; what is not stopped follows the backup.
func TestStoppedOutlivesARestore(t *testing.T) {
	t.Parallel()
	p, g, _ := started(t)
	kept := func() (text *string) {
		require.NoError(t, g.db.NewRaw("select ("+face.Module().Outlives+")::text").Scan(t.Context(), &text))
		return text
	}
	require.Nil(t, kept())
	p.Admin().Post(base+"/stop", object{"reason": "x"}).Is(http.StatusOK)
	before := kept()
	p.Admin().Post(base+"/resume", nil).Is(http.StatusOK)
	require.NoError(t, face.Again(g.db)(t.Context(), nil, nil))
	require.Equal(t, automation.Free, g.why(t))
	require.NoError(t, face.Again(g.db)(t.Context(), json.RawMessage(*before), nil))
	require.Equal(t, automation.Switched, g.why(t))
	require.Equal(t, "x", p.Admin().Get(base).Text("reason"))
}

// Doctor warns while everything is stopped, with who and why, and the metric says so.
func TestDoctorAndMetricSayThatEverythingIsStopped(t *testing.T) {
	t.Parallel()
	p, g, _ := started(t)
	dsn := g.db.Pool.Config().ConnString()
	env := doctor.Env{Now: time.Now, Getenv: func(name string) string {
		return map[string]string{"PANEL_DB_URL": dsn}[name]
	}}
	require.Equal(t, doctor.OK, face.Module().Checks[0].Run(t.Context(), env).Status)
	require.Contains(t, p.Scrape(), "panel_automation_stopped 0")
	p.Admin().Post(base+"/stop", object{"reason": "strange"}).Is(http.StatusOK)
	found := face.Module().Checks[0].Run(t.Context(), env)
	require.Equal(t, doctor.Warning, found.Status)
	require.Contains(t, found.Found.Args, any("strange"))
	require.Equal(t, true, found.Data["stopped"])
	require.Contains(t, p.Scrape(), "panel_automation_stopped 1")
}

// The commands stop, resume and list, in the words of the API.
func TestCommands(t *testing.T) {
	t.Parallel()
	p, g, _ := started(t)
	features := []module.Module{g.manifest()}
	admin := p.As("settings.manage")
	require.Equal(t, 2, admin.Command(features, "automation stop").Exit, "a reason must be given")
	said := admin.Command(features, "automation stop --reason strange")
	require.Zero(t, said.Exit, said.Err)
	require.Contains(t, said.Out, "strange")
	require.Equal(t, automation.Switched, g.why(t))
	require.Contains(t, admin.Command(features, "automation list --plain").Out, "stopped")
	require.Zero(t, admin.Command(features, "automation resume").Exit)
	require.Contains(t, admin.Command(features, "automation list --plain").Out, "once an hour")
	require.Equal(t, automation.Free, g.why(t))
	require.Equal(t, 4, p.As("nodes.view").Command(features, "automation resume").Exit)
}
