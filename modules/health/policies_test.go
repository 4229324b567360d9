package health

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/health/healthapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/paneltest"
)

const (
	policiesPath = "/api/v1/health/policies"
	runPath      = "/api/v1/health/checks/run"
	defaultID    = "00000000-0000-7000-8000-000000000001"
)

// The policy of everything is there without touching anything, says what the design does, and stays.
func TestTheDefaultPolicyIsThereAndStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var page struct{ Items []Policy }
	w.As(string(View)).Get(policiesPath).Is(http.StatusOK).JSON(&page)
	require.Len(t, page.Items, 1)
	one := page.Items[0]
	require.True(t, one.Default && one.Enabled)
	require.Equal(t, []any{2, 3, 2}, []any{one.Quorum, one.FailureThreshold, one.SuccessThreshold})
	at := policiesPath + "/" + defaultID
	w.admin.Delete(at).Refused(http.StatusConflict, "default_policy")
	w.admin.Patch(at, fields{"revision": 1, "enabled": false}).Refused(http.StatusConflict, "default_policy")
	w.admin.Patch(at, fields{"revision": 1, "scope": fields{"kind": "tag", "tag": "eu"}}).
		Refused(http.StatusConflict, "default_policy")
	changed := w.admin.Patch(at, fields{"revision": 1, "quorum": 3}).Is(http.StatusOK)
	require.EqualValues(t, 3, changed.Value("quorum"))
	require.EqualValues(t, 3, changed.Value("failure_threshold"), "what is absent stays")
	require.Equal(t, []string{healthapi.EventPolicyUpdated}, w.Recorded(object, defaultID))
}

func TestAPolicyIsMadeChangedAndRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams")
	made := w.admin.Post(policiesPath, fields{
		"name": " Fast ", "scope": fields{"kind": "node", "id": w.node("ams")}, "failure_threshold": 2,
	}).Is(http.StatusCreated)
	require.Equal(t, "Fast", made.Text("name"))
	require.EqualValues(t, 2, made.Value("quorum"), "what is not said is as in the default policy")
	at := policiesPath + "/" + made.Text("id")
	w.place()
	require.EqualValues(t, 1, w.admin.Get(at).Is(http.StatusOK).Value("nodes"))

	w.admin.Post(policiesPath, fields{"name": "fast", "scope": fields{"kind": "all"}}).
		Refused(http.StatusConflict, "name_taken")
	w.admin.Patch(at, fields{"quorum": 1}).Refused(http.StatusBadRequest, "missing_field")
	w.admin.Patch(at, fields{"revision": 7, "quorum": 1}).Refused(http.StatusConflict, "revision_conflict")
	w.admin.Do(http.MethodPatch, at, fields{"quorum": 1}, "If-Match", `"1"`).Is(http.StatusOK)
	w.admin.Delete(at).Is(http.StatusNoContent)
	w.admin.Get(at).Refused(http.StatusNotFound, "not_found")
	w.admin.Delete(at).Refused(http.StatusNotFound, "not_found")
	require.Equal(t, []string{
		healthapi.EventPolicyCreated, healthapi.EventPolicyUpdated, healthapi.EventPolicyDeleted,
	}, w.Recorded(object, made.Text("id")))
	w.place()
	require.EqualValues(t, 1, w.admin.Get(policiesPath+"/"+defaultID).Value("nodes"), "its node falls to the wider one")
}

// Bad input is refused with its field, and nothing of it is kept.
func TestPoliciesThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for field, body := range map[string]fields{
		"scope.id":                    {"scope": fields{"kind": "node", "id": database.NewID()}},
		"scope.tag":                   {"scope": fields{"kind": "tag"}},
		"name":                        {"scope": fields{"kind": "all"}, "name": "  "},
		"vantages":                    {"scope": fields{"kind": "all"}, "vantages": fields{"panel": false, "agents": 0}},
		"checks[0].page":              {"scope": fields{"kind": "all"}, "checks": []fields{{"type": "http", "page": "http://x:y@a.example"}}},
		"maintenance_windows[0].zone": {"scope": fields{"kind": "all"}, "maintenance_windows": []fields{{"weekdays": []string{"mon"}, "start": "03:00", "minutes": 5, "zone": "no/where"}}},
	} {
		if body["name"] == nil {
			body["name"] = "bad"
		}
		refused := w.admin.Post(policiesPath, body).Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.Equal(t, field, fieldOf(refused))
	}
	require.EqualValues(t, 1, w.admin.Get(policiesPath).Value("total"))
}

// fieldOf is the field that a refusal names.
func fieldOf(refused *paneltest.Answer) string {
	var problem struct{ Errors []struct{ Field string } }
	refused.JSON(&problem)
	if len(problem.Errors) == 0 {
		return ""
	}
	return problem.Errors[0].Field
}

// Spec rule 11: reading needs health.view, changing health.manage, and the license: without the feature, and while the
// panel is read-only, nothing changes and everything is seen.
func TestWhoMaySeeAndChange(t *testing.T) {
	t.Parallel()
	others := &flows{}
	p := paneltest.Start(t, paneltest.Modules(others.modules(Module())...),
		paneltest.License(entitlement.Fixed(entitlement.State{State: entitlement.Active, Reason: "ok"})))
	body := fields{"name": "x", "scope": fields{"kind": "all"}}
	for _, path := range []string{"/summary", "/policies", "/nodes", "/connection-units"} {
		p.As(string(View)).Get("/api/v1/health" + path).Is(http.StatusOK)
		p.As(string(Manage)).Get("/api/v1/health"+path).Refused(http.StatusForbidden, "permission_denied")
	}
	p.As(string(View)).Post(policiesPath, body).Refused(http.StatusForbidden, "permission_denied")
	p.As(string(Manage)).Post(policiesPath, body).Refused(http.StatusForbidden, "license_feature_blocked")
}

// A window of maintenance marks its subjects while it lasts.
func TestAWindowOfMaintenanceMarksItsSubjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams")
	w.place()
	w.settled()
	from := w.clock.Now().Add(time.Minute)
	w.admin.Patch(policiesPath+"/"+defaultID, fields{"revision": 1, "maintenance_windows": []fields{
		{"from": from.Format(time.RFC3339), "until": from.Add(5 * time.Minute).Format(time.RFC3339)},
	}}).Is(http.StatusOK)
	resting := func() bool { return w.detail("nodes", w.node("ams")).Maintenance }
	w.place()
	w.round()
	require.False(t, resting())
	for _, want := range []bool{true, true, false} {
		w.passes(2*time.Minute + time.Second)
		w.fleet.set(func(n *nodesapi.Node) { n.SeenAt = w.clock.Now() })
		w.round()
		require.Equal(t, want, resting())
	}
}
