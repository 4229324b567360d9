package health

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/bschecktest"
	"panel/modules/health/healthapi"
	"panel/modules/health/internal/external"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/httpapi"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// outside is a panel whose flows say what the test makes them say, with a service for external checks beside it.
type outside struct {
	*paneltest.Panel
	t       *testing.T
	service *bschecktest.Service
	flows   *flows
	node    string
}

// onlyExternal is health with nothing but external checks at work.
func onlyExternal() module.Module {
	manifest := Module()
	manifest.Attach = func(e *external.Service) module.Parts {
		e.Hurry(10*time.Millisecond, 100*time.Millisecond)
		return module.Parts{
			Routes: e.Routes(View, Manage), Jobs: e.Jobs(), Schedules: e.Schedules(), Listeners: e.Listeners(),
			Metrics: e.Metrics(),
		}
	}
	return manifest
}

func newChecks(t *testing.T, more ...paneltest.Setting) *outside {
	t.Helper()
	c := &outside{t: t, service: bschecktest.New(t), flows: &flows{}}
	c.Panel = c.panel(more...)
	c.node = c.Admin().AddNode("fra-01", "address", "192.0.2.10")
	c.set(map[string]any{"api_key": bschecktest.Key})
	return c
}

// panel starts a panel of these flows; several may work on one database.
func (c *outside) panel(more ...paneltest.Setting) *paneltest.Panel {
	c.t.Helper()
	return paneltest.Start(c.t, append([]paneltest.Setting{
		paneltest.Modules(c.flows.modules(onlyExternal())...),
		paneltest.Env(map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.0/8"}),
	}, more...)...)
}

// set changes settings; the others are those that tests like.
func (c *outside) set(change map[string]any) {
	c.t.Helper()
	all := map[string]any{
		"address": c.service.URL, "daily_cap": 1000, "monthly_cap": 5000, "min_interval_minutes": 0, "low_balance": 0,
		"drop_percent": 20,
	}
	for key, value := range change {
		all[key] = value
	}
	revision := c.Admin().Get("/api/v1/health/bscheck/settings").Value("revision")
	c.Admin().Put("/api/v1/health/bscheck/settings", map[string]any{"revision": revision, "settings": all}).
		Is(http.StatusOK)
}

// flow adds a flow with one entry on the node.
func (c *outside) flow(name string, more ...func(*flowsapi.Entry)) string {
	entry := flowsapi.Entry{
		Block: "in", NodeID: c.node, Host: "entry.example", Port: "443", Transport: "raw", Security: "reality",
		Protocol: "vless", L4: "tcp", ServerName: "target.example",
	}
	for _, one := range more {
		one(&entry)
	}
	id := database.NewID()
	c.flows.mu.Lock()
	defer c.flows.mu.Unlock()
	c.flows.all = append(c.flows.all, flowsapi.Flow{
		ID: id, Name: name, Enabled: true, InstalledRevision: 1, NodeIDs: []string{c.node},
		Entries: []flowsapi.Entry{entry},
	})
	return id
}

const underFlows = "/api/v1/health/connection-units/"

func (c *outside) start(flow string, price int) *paneltest.Answer {
	c.t.Helper()
	return c.Admin().Post(underFlows+flow+"/bscheck-checks", map[string]any{"max_price": price})
}

func (c *outside) reports(flow string) (list external.ReportList) {
	c.t.Helper()
	c.As(string(View)).Get(underFlows + flow + "/bscheck-reports").Is(http.StatusOK).JSON(&list)
	return list
}

// ended waits for the newest report of a flow.
func (c *outside) ended(flow string) (report external.Report) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		list := c.reports(flow)
		if len(list.Items) > 0 {
			report = list.Items[0]
		}
		return report.CheckedAt != nil
	}, within, every, "%+v", report)
	return report
}

// The whole way: what it would cost, the check, what came of it and what was paid.
func TestAnExternalCheckIsPaidOnceAndReported(t *testing.T) {
	t.Parallel()
	c := newChecks(t)
	flow, news := c.flow("Edge"), c.Follow()
	c.service.Do(func(s *bschecktest.Service) { s.Down = []string{"mts|пфо|on"} })
	var targets external.Targets
	c.As(string(View)).Get(underFlows + flow + "/bscheck-targets").Is(http.StatusOK).JSON(&targets)
	require.Equal(t, []external.Target{{NodeID: c.node, NodeName: "fra-01", Target: "entry.example:443"}}, targets.Items)
	preview := c.Admin().Post(underFlows+flow+"/bscheck-checks/preview", map[string]any{}).Is(http.StatusOK)
	require.InEpsilon(t, 40, preview.Value("price.amount"), 0)
	require.Equal(t, "entry.example:443", preview.Text("target"))
	require.Empty(t, preview.Text("refused"))
	sum, _ := c.service.Paid()
	require.Zero(t, sum, "a preview is free")

	started := c.start(flow, 40).Is(http.StatusAccepted)
	require.Equal(t, external.Queued, started.Text("report.state"))
	news.Next(healthapi.EventCheckStarted)
	news.Next(healthapi.EventCheckDone)
	report := c.ended(flow)
	require.Equal(t, external.Done, report.State)
	require.Equal(t, [2]int{3, 4}, [2]int{report.Passed, report.Total})
	require.Equal(t, external.Money{Amount: 40, Unit: "kopek"}, *report.Cost)
	require.Len(t, report.Skipped, 2)
	sum, checks := c.service.Paid()
	require.Equal(t, [2]int64{40, 1}, [2]int64{sum, int64(checks)})
	operation := "/api/v1/operations/" + started.Text("operation_id")
	require.Eventually(t, func() bool { return c.Admin().Get(operation).Text("state") == "succeeded" }, within, every)
	require.Contains(t, c.Recorded("flow", flow), healthapi.EventCheckDone)
}

// Rule 22 of the traps: that a probe ran does not mean that it reached anything.
func TestALegThatOnlyRanHasReachedNothing(t *testing.T) {
	t.Parallel()
	c := newChecks(t)
	c.service.Do(func(s *bschecktest.Service) { s.Down = bschecktest.Operators })
	flow := c.flow("Edge")
	c.start(flow, 40).Is(http.StatusAccepted)
	report := c.ended(flow)
	require.Equal(t, [2]int{0, 4}, [2]int{report.Passed, report.Total})
	for _, leg := range report.Legs {
		require.False(t, leg.Reachable)
		require.Equal(t, "timed out", leg.Error)
	}
}

// The specification: at most 100, the newest first, and reading starts no check. Rule 21 of the traps: it calls nobody.
func TestReadingReportsCallsNobody(t *testing.T) {
	t.Parallel()
	c := newChecks(t)
	flow := c.flow("Edge")
	_, err := c.DB.NewRaw(`insert into health_reports (id, provider, flow_id, flow_name, node_id, node_name, kind, target,
			content, call_key, state, source, requested_by, asked_at, checked_at, touched_at, price, cost)
		select gen_random_uuid(), 'bscheck', ?, 'Edge', ?, 'fra-01', 'probe', 'entry.example:443', '{}', gen_random_uuid(),
			'done', 'manual', 'root', now() - n * interval '1 hour', now(), now(), n, n from generate_series(1, 130) n`,
		flow, c.node).Exec(t.Context())
	require.NoError(t, err)
	c.service.Close() // every call fails from here on
	before := len(c.service.Asked)
	list := c.reports(flow)
	require.Len(t, list.Items, 100)
	for i, one := range list.Items {
		require.Equal(t, int64(i+1), one.Price.Amount, "the newest first")
	}
	require.Len(t, c.service.Asked, before)
	c.As(string(View)).Get(underFlows+database.NewID()+"/bscheck-reports").Refused(http.StatusNotFound, "not_found")
}

// Fifty starts at once on two panels: never more than the cap, never one of them twice.
func TestFiftyStartsAtOnceStayUnderTheCap(t *testing.T) {
	t.Parallel()
	c := newChecks(t)
	c.set(map[string]any{"daily_cap": 400})
	second := c.panel(paneltest.On(c.DB))
	var ids []string
	for range 50 {
		ids = append(ids, c.flow("Edge"))
	}
	clients := []*paneltest.Client{c.Admin(), second.Bearer(c.Admin().Token)}
	statuses, codes := map[int]int{}, map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for i, id := range ids {
		all.Go(func() {
			a := clients[i%2].Do(http.MethodPost, underFlows+id+"/bscheck-checks", map[string]any{"max_price": 40})
			mu.Lock()
			defer mu.Unlock()
			statuses[a.Status]++
			if a.Status != http.StatusAccepted {
				codes[a.Text("code")]++
			}
		})
	}
	all.Wait()
	require.Equal(t, map[int]int{http.StatusAccepted: 10, http.StatusUnprocessableEntity: 40}, statuses)
	require.Equal(t, map[string]int{"cost_limit_reached": 40}, codes)
	require.Eventually(t, func() bool {
		var open int
		err := c.DB.NewRaw("select count(*) from health_reports where cost is null").Scan(context.Background(), &open)
		return err == nil && open == 0
	}, 2*within, every)
	sum, checks := c.service.Paid()
	require.Equal(t, [2]int64{400, 10}, [2]int64{sum, int64(checks)})
	var told int
	require.NoError(t, c.DB.NewRaw("select count(*) from health_checkers where told_day is not null").
		Scan(t.Context(), &told))
	require.Equal(t, 1, told)
}

// The same address is not checked by two at once, nor sooner than the interval.
func TestTheSameAddressIsNotCheckedTwice(t *testing.T) {
	t.Parallel()
	c := newChecks(t)
	flow := c.flow("Edge")
	c.service.Do(func(s *bschecktest.Service) { s.Slow = time.Second })
	c.start(flow, 40).Is(http.StatusAccepted)
	c.start(flow, 40).Refused(http.StatusConflict, "check_active")
	c.ended(flow)
	c.set(map[string]any{"min_interval_minutes": 10})
	c.start(flow, 40).Refused(http.StatusConflict, "check_too_soon")
	_, checks := c.service.Paid()
	require.Equal(t, 1, checks)
}

// A connection that ends after the payment: the same key brings the result, and nothing is paid again.
func TestAResultThatWasPaidForIsFetchedLater(t *testing.T) {
	t.Parallel()
	c := newChecks(t)
	flow := c.flow("Edge")
	c.service.Do(func(s *bschecktest.Service) { s.Lost = 1 })
	c.start(flow, 40).Is(http.StatusAccepted)
	report := c.ended(flow)
	require.Equal(t, external.Done, report.State)
	require.Equal(t, 4, report.Passed)
	sum, checks := c.service.Paid()
	require.Equal(t, [2]int64{40, 1}, [2]int64{sum, int64(checks)})
	require.Equal(t, 2, c.service.Calls("POST /probe"))
}

// What the service refuses costs nothing and gives the money back to the budget.
func TestRefusalsCostNothing(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		spoil func(s *bschecktest.Service)
		price int
		code  string
	}{
		"no money there":   {func(s *bschecktest.Service) { s.Balance = 10 }, 40, "balance_low"},
		"the price rose":   {func(s *bschecktest.Service) { s.Price = 90 }, 40, "price_changed"},
		"nothing is ready": {func(*bschecktest.Service) {}, 40, "no_operators"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChecks(t)
			flow := c.flow("Edge")
			c.service.Do(one.spoil)
			if one.code == "no_operators" {
				c.service.Fail("POST /probe", http.StatusBadRequest, "no_dpi_on", "", 1)
			}
			c.start(flow, one.price).Is(http.StatusAccepted)
			report := c.ended(flow)
			require.Equal(t, [2]string{external.Failed, one.code}, [2]string{report.State, report.ErrorCode})
			require.Zero(t, report.Cost.Amount)
			sum, _ := c.service.Paid()
			require.Zero(t, sum)
		})
	}
}

// Too fast for the service, or the service away for a moment: the check waits as long as it says, and is made.
func TestABusyServiceIsWaitedFor(t *testing.T) {
	t.Parallel()
	c := newChecks(t)
	flow := c.flow("Edge")
	c.service.Fail("POST /probe/preview", http.StatusTooManyRequests, "rate_limited", "1", 1)
	c.service.Fail("POST /probe", http.StatusTooManyRequests, "rate_limited", "1", 1)
	c.start(flow, 40).Is(http.StatusAccepted)
	require.Equal(t, external.Done, c.ended(flow).State)
	_, checks := c.service.Paid()
	require.Equal(t, 1, checks)
}

// What goes on is ended at the service, and what was done until then is kept and paid for; what was not sent costs
// nothing.
func TestACancelledCheckKeepsWhatWasPaidFor(t *testing.T) {
	t.Parallel()
	c := newChecks(t)
	flow := c.flow("Edge")
	c.service.Do(func(s *bschecktest.Service) { s.Slow = time.Hour })
	id := c.start(flow, 40).Is(http.StatusAccepted).Text("report.id")
	require.Eventually(t, func() bool { return c.service.Calls("POST /probe") == 1 }, within, every)
	cancel := underFlows + flow + "/bscheck-checks/" + id + "/cancel"
	c.Admin().Post(cancel, nil).Is(http.StatusAccepted)
	report := c.ended(flow)
	require.Equal(t, external.Cancelled, report.State)
	require.Len(t, report.Legs, 2)
	require.Equal(t, int64(20), report.Cost.Amount)
	c.Admin().Post(cancel, nil).Is(http.StatusAccepted)
	c.Admin().Post(underFlows+c.flow("Other")+"/bscheck-checks/"+id+"/cancel", nil).
		Refused(http.StatusNotFound, "not_found")
}

// Scans and tunnels wait in the service's queue; the panel asks until they have ended.
func TestWhatWaitsInAQueueIsAskedFor(t *testing.T) {
	t.Parallel()
	c := newChecks(t)
	flow := c.flow("Edge")
	for kind, body := range map[string]map[string]any{
		"scan":  {"kind": "scan", "max_price": 40},
		"vless": {"kind": "vless", "max_price": 40, "link": "vless://canary-secret@entry.example:443?security=reality#x"},
	} {
		c.Admin().Post(underFlows+flow+"/bscheck-checks", body).Is(http.StatusAccepted)
		report := c.ended(flow)
		require.Equal(t, [2]string{kind, external.Done}, [2]string{report.Kind, report.State}, "%+v", report)
		require.Equal(t, 4, report.Total)
		require.Len(t, report.Skipped, 1)
		if kind == "scan" {
			require.Equal(t, "192.0.2.0/24", report.Target)
		}
	}
	var left string
	err := c.DB.NewRaw("select coalesce(string_agg(r::text, ''), '') from health_reports r where sealed <> '' or r::text like '%canary-secret%'").
		Scan(t.Context(), &left)
	require.NoError(t, err)
	require.Empty(t, left, "the link goes with the end of the check")
}

// Neither the key nor what the service says beside the account is ever shown.
func TestTheKeyIsNeverShown(t *testing.T) {
	t.Parallel()
	c := newChecks(t)
	admin := c.Admin()
	shown := admin.Get("/api/v1/health/bscheck/settings").Is(http.StatusOK)
	require.Equal(t, true, shown.Value("settings.has_api_key"))
	account := admin.Get("/api/v1/health/bscheck/account").Is(http.StatusOK)
	require.InEpsilon(t, 1_000_000, account.Value("balance"), 0)
	operators := admin.Get("/api/v1/health/bscheck/operators").Is(http.StatusOK)
	for _, answer := range []*paneltest.Answer{shown, account, operators} {
		require.NotContains(t, string(answer.Body), "canary")
	}
	require.Len(t, operators.Value("items"), 4)
	admin.Get("/api/v1/health/bscheck/operators").Is(http.StatusOK)
	require.Equal(t, 1, c.service.Calls("GET /operators"), "they are remembered")
	c.set(map[string]any{"api_key": "another"})
	admin.Get("/api/v1/health/bscheck/account").Refused(http.StatusBadGateway, "checker_error")
	c.set(map[string]any{"api_key": ""})
	admin.Get("/api/v1/health/bscheck/account").Refused(http.StatusUnprocessableEntity, "checker_not_configured")
	c.start(c.flow("Edge"), 40).Refused(http.StatusUnprocessableEntity, "checker_not_configured")
}

// Operators that are lost between two reports are told once, those that were not asked this time are not.
func TestADropOfReachabilityIsTold(t *testing.T) {
	t.Parallel()
	c := newChecks(t)
	flow, news := c.flow("Edge"), c.Follow()
	c.start(flow, 40).Is(http.StatusAccepted)
	c.ended(flow)
	c.service.Do(func(s *bschecktest.Service) { s.Down = []string{"mts|цфо|on"} })
	c.start(flow, 40).Is(http.StatusAccepted)
	dropped := news.Next(healthapi.EventReachabilityDropped)
	require.Equal(t, flow, dropped.SubjectID)
	require.Contains(t, string(dropped.JSON()), `"lost":["mts|цфо|on"]`)
}

// What cannot be looked at is refused before anything is spent.
func TestWhatCannotBeCheckedIsRefused(t *testing.T) {
	t.Parallel()
	c := newChecks(t)
	flow := c.flow("Edge")
	invalid := func(body map[string]any) {
		t.Helper()
		c.Admin().Post(underFlows+flow+"/bscheck-checks", body).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	invalid(map[string]any{"max_price": 40, "node_id": database.NewID()})
	invalid(map[string]any{"max_price": 40, "operators": []string{strings.Repeat("x", 200)}})
	invalid(map[string]any{"max_price": 40, "kind": "vless"})
	invalid(map[string]any{"max_price": 40, "kind": "vless", "link": "vless://id@elsewhere.example:443"})
	invalid(map[string]any{"max_price": 0})
	c.Admin().Post(underFlows+database.NewID()+"/bscheck-checks", map[string]any{"max_price": 40}).
		Refused(http.StatusNotFound, "not_found")
	_, checks := c.service.Paid()
	require.Zero(t, checks)
}

// A schedule starts a check when its time has come, once for all panels, and says why where it cannot.
func TestScheduledChecksBeginByTheClock(t *testing.T) {
	t.Parallel()
	c := newChecks(t)
	flow, admin := c.flow("Edge"), c.Admin()
	plan := map[string]any{"flow_id": flow, "every_hours": 6, "max_price": 40, "enabled": true}
	const path = "/api/v1/health/bscheck/schedules"
	id := admin.Post(path, plan).Is(http.StatusCreated).Text("id")
	const name = "health.external_schedule"
	due := func() {
		t.Helper()
		_, err := c.DB.NewRaw("update health_check_schedules set next_at = now() - interval '1 minute'").Exec(t.Context())
		require.NoError(t, err)
		c.RunSchedule(name)
	}
	c.RunSchedule(name)
	require.Empty(t, c.reports(flow).Items, "its time has not come")
	due()
	report := c.ended(flow)
	require.Equal(t, [2]string{"schedule", external.Done}, [2]string{report.Trigger, report.State})
	c.RunSchedule(name)
	require.Len(t, c.reports(flow).Items, 1)

	c.set(map[string]any{"daily_cap": 60})
	due()
	var plans httpapi.Page[external.Schedule]
	admin.Get(path).Is(http.StatusOK).JSON(&plans)
	require.Equal(t, "cost_limit_reached", plans.Items[0].LastError)
	require.Len(t, c.reports(flow).Items, 1)

	plan["every_hours"], plan["revision"] = 12, 9
	admin.Put(path+"/"+id, plan).Refused(http.StatusConflict, "revision_conflict")
	plan["revision"] = 1
	require.InEpsilon(t, 12, admin.Put(path+"/"+id, plan).Is(http.StatusOK).Value("every_hours"), 0)
	plan["flow_id"] = database.NewID()
	admin.Post(path, plan).Refused(http.StatusBadRequest, "unknown_field")
	delete(plan, "revision")
	admin.Post(path, plan).Refused(http.StatusUnprocessableEntity, "invalid_value")
	admin.Delete(path + "/" + id).Is(http.StatusNoContent)
	admin.Delete(path+"/"+id).Refused(http.StatusNotFound, "not_found")
}

// A list of what was checked has each flow once, with its newest report and the line of those before.
func TestTheFlowsThatWereCheckedAreListed(t *testing.T) {
	t.Parallel()
	c := newChecks(t)
	b, a := c.flow("Beta"), c.flow("alpha")
	c.service.Do(func(s *bschecktest.Service) { s.Down = []string{"mts|цфо|on"} })
	for _, flow := range []string{b, a, b} {
		c.start(flow, 40).Is(http.StatusAccepted)
		c.ended(flow)
	}
	viewer := c.As(string(View))
	var page httpapi.Page[external.Checked]
	viewer.Get("/api/v1/health/bscheck/flows?limit=1").Is(http.StatusOK).JSON(&page)
	require.Equal(t, "alpha", page.Items[0].FlowName)
	require.Equal(t, 2, page.Total)
	viewer.Get("/api/v1/health/bscheck/flows?limit=1&cursor=" + *page.NextCursor).Is(http.StatusOK).JSON(&page)
	require.Equal(t, "Beta", page.Items[0].FlowName)
	require.Len(t, page.Items[0].Trend, 2)
	require.Equal(t, 3, page.Items[0].Last.Passed)
	summary := viewer.Get("/api/v1/health/bscheck/summary").Is(http.StatusOK)
	require.InEpsilon(t, 120, summary.Value("budget.today.spent"), 0)
	require.InEpsilon(t, 3, summary.Value("reports"), 0)
	require.Contains(t, c.Scrape(), "panel_external_checks_spent_today_kopeks 120")
}

// A check that waits is not paid for once the license has made the panel read-only; it says so.
func TestNothingIsPaidForWithoutALicense(t *testing.T) {
	t.Parallel()
	license := &switched{}
	license.state.Store(&entitlement.State{State: entitlement.Active, Enabled: []string{external.Feature}})
	c := newChecks(t, paneltest.License(license))
	flow := c.flow("Edge")
	c.service.Fail("POST /probe/preview", http.StatusTooManyRequests, "rate_limited", "1", 1)
	c.start(flow, 40).Is(http.StatusAccepted)
	require.Eventually(t, func() bool { return c.service.Calls("POST /probe/preview") == 1 }, within, every)
	license.state.Store(&entitlement.State{State: entitlement.Degraded})
	report := c.ended(flow)
	require.Equal(t, [2]string{external.Failed, "license_stopped"}, [2]string{report.State, report.ErrorCode})
	_, checks := c.service.Paid()
	require.Zero(t, checks)
}

type switched struct {
	state atomic.Pointer[entitlement.State]
}

func (s *switched) Current() entitlement.State { return *s.state.Load() }
