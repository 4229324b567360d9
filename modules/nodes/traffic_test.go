package nodes

import (
	"encoding/json"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/events"
	"panel/platform/paneltest"
)

// carrier is a node with what its agent says that its listeners carried.
type carrier struct {
	t     *testing.T
	panel *paneltest.Panel
	agent *paneltest.Agent
	seq   int64
}

func newCarrier(t *testing.T, p *paneltest.Panel, name string) *carrier {
	t.Helper()
	return &carrier{t: t, panel: p, agent: p.Enroll(name)}
}

// carries delivers a sample, and gives the batch, which an agent may send again.
func (c *carrier) carries(at time.Time, up, down int64) []agentapi.Sample {
	c.t.Helper()
	samples := paneltest.Samples(1, at)
	samples[0].Traffic = []agentapi.Traffic{
		{Kind: agentapi.TrafficListener, Name: "flow.a.in", Up: up, Down: down},
		{Kind: agentapi.TrafficListener, Name: agentapi.SharedTag + "0.0.0.0.443", Up: 1 << 40, Down: 1 << 40},
		{Kind: agentapi.TrafficClient, Name: "flow.a.client.b", Up: 1 << 40},
		{Kind: agentapi.TrafficOutbound, Name: "out", Up: 1 << 40},
	}
	c.seq++
	c.agent.Deliver("s", c.seq, samples).Is(http.StatusOK)
	return samples
}

// counted runs the counting until the node has carried so much: a transaction of another test on the same server may
// hold back what is counted.
func (c *carrier) counted(bytes int64) Traffic {
	c.t.Helper()
	var got struct{ Traffic Traffic }
	require.Eventually(c.t, func() bool {
		c.panel.RunSchedule("nodes.count_traffic")
		c.agent.Node().JSON(&got)
		return got.Traffic.UsedBytes >= bytes
	}, time.Minute, 20*time.Millisecond)
	require.Equal(c.t, bytes, got.Traffic.UsedBytes)
	return got.Traffic
}

// limit sets what the node may carry.
func (c *carrier) limit(traffic map[string]any) Traffic {
	c.t.Helper()
	admin, path := c.panel.As("nodes.edit"), "/api/v1/nodes/"+c.agent.NodeID
	var got struct {
		Revision int64
		Traffic  Traffic
	}
	c.agent.Node().JSON(&got)
	admin.Patch(path, map[string]any{"revision": got.Revision, "traffic": traffic}).Is(http.StatusOK).JSON(&got)
	return got.Traffic
}

// What a node carries is counted once: however often a batch is sent, a count runs or a panel is started, and what
// stands behind a shared port not again. Counters of an agent that begins anew never take anything off.
func TestWhatANodeCarriesIsCountedOnce(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	node, other := newCarrier(t, p, "fra-01"), newCarrier(t, p, "ams-01")
	node.counted(0)
	batch := node.carries(time.Now(), 100, 1000)
	node.agent.Deliver("s", node.seq, batch).Is(http.StatusOK)
	require.EqualValues(t, 100, node.counted(1100).UsedUp)
	other.carries(time.Now(), 1, 2)
	other.counted(3)

	second := paneltest.Start(t, paneltest.Modules(Module()), paneltest.On(p.DB))
	second.RunSchedule("nodes.count_traffic")
	again := *node
	again.panel, again.agent = second, node.agent.At(second)
	again.counted(1100)
	again.carries(time.Now(), -5, 7)
	node.counted(1107)
	node.agent.Deliver("made-anew", 1, batch).Is(http.StatusOK)
	node.counted(2207)
	other.counted(3)
}

// A number that an agent makes up stops the counting of nobody.
func TestNoAgentStopsTheCountingOfTraffic(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	liar, node := newCarrier(t, p, "liar"), newCarrier(t, p, "fra-01")
	for range 3 {
		liar.carries(time.Now(), math.MaxInt64, math.MaxInt64)
		node.carries(time.Now(), 1, 1)
		p.RunSchedule("nodes.count_traffic")
	}
	node.counted(6)
	var got struct{ Traffic Traffic }
	liar.agent.Node().JSON(&got)
	require.Positive(t, got.Traffic.UsedBytes)
}

// People are told once in a month when a node comes to the part of its limit that they have chosen, and again after
// another limit. The journal has who changed it.
func TestANodeNearItsLimitIsToldOnce(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	node := newCarrier(t, p, "fra-01")
	news := p.Follow()
	require.Equal(t, 80, node.limit(map[string]any{"limit_bytes": 1000}).NotifyPct)
	var written string
	require.NoError(t, p.DB.NewRaw("select changes::text from journal where action = 'node.updated'").
		Scan(t.Context(), &written))
	require.JSONEq(t, `{"traffic_limit":{"from":null,"to":1000},
		"traffic_reset_day":{"from":null,"to":1},"traffic_notify_pct":{"from":null,"to":80}}`, written)
	node.carries(time.Now(), 0, 799)
	node.counted(799)
	node.carries(time.Now(), 1, 0)
	node.counted(800)
	told := news.Next(nodesapi.NodeTrafficThreshold)
	require.Equal(t, node.agent.NodeID, told.SubjectID)
	data := trafficOf(t, told)
	require.Equal(t, []any{"fra-01", int64(800), int64(1000), 80},
		[]any{data.Name, data.UsedBytes, data.LimitBytes, data.UsedPercent})
	node.carries(time.Now(), 1, 0)
	node.counted(801)
	node.limit(map[string]any{"limit_bytes": 10_000})
	node.counted(801)
	node.limit(map[string]any{"notify_pct": 5})
	node.counted(801)
	data = trafficOf(t, news.Next(nodesapi.NodeTrafficThreshold))
	require.Equal(t, []int64{801, 10_000}, []int64{data.UsedBytes, data.LimitBytes}, "and not at 801 of 1,000")
	require.Nil(t, node.limit(map[string]any{"limit_bytes": 0}).LimitBytes)
}

func trafficOf(t *testing.T, event events.Event) (data nodesapi.Traffic) {
	t.Helper()
	raw, err := json.Marshal(event.Data)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &data))
	return data
}

// A month begins on the reset day: what was carried is zero then, and what an agent kept from before is in no month any
// more. Another reset day lets the month that runs go on.
func TestAMonthOfTrafficBeginsOnTheResetDay(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Date(2026, 1, 30, 23, 0, 0, 0, time.UTC))
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.Clock(clock))
	node := newCarrier(t, p, "fra-01")
	node.carries(clock.Now(), 500, 0)
	node.counted(500)
	got := node.limit(map[string]any{"limit_bytes": 600, "reset_day": 31})
	require.Equal(t, time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), got.ResetsAt)
	clock.Advance(2 * time.Hour)
	node.carries(clock.Now().Add(-90*time.Minute), 40, 0)
	node.carries(clock.Now(), 1, 0)
	got = node.counted(1)
	require.Equal(t, time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC), got.ResetsAt, "a shorter month")
	require.Equal(t, time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), *got.Since)
	got = node.limit(map[string]any{"reset_day": 15})
	require.Equal(t, time.Date(2026, 2, 15, 0, 0, 0, 0, time.UTC), got.ResetsAt)
	require.Equal(t, time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), *node.counted(1).Since)
}

// What a limit may be.
func TestBadTrafficLimitsAreRefused(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	node := newCarrier(t, p, "fra-01")
	for field, values := range map[string][]any{
		"limit_bytes": {-1, 2e18}, "reset_day": {0, 32}, "notify_pct": {0, 101},
	} {
		for _, value := range values {
			p.As("nodes.edit").Patch("/api/v1/nodes/"+node.agent.NodeID, map[string]any{
				"revision": 1, "traffic": map[string]any{field: value},
			}).Refused(http.StatusUnprocessableEntity, "invalid_value")
		}
	}
	p.As("nodes.edit").Patch("/api/v1/nodes/"+node.agent.NodeID, map[string]any{
		"revision": 1, "traffic": map[string]any{"limit": 1},
	}).Refused(http.StatusBadRequest, "unknown_field")
}
