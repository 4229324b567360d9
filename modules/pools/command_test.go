package pools

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

func (w *world) command(line string) paneltest.Said {
	w.t.Helper()
	return w.admin.Command(features(), line)
}

// lines are the rows that a command has printed, without their last column where that is a moment.
func lines(t *testing.T, said paneltest.Said) (rows []string) {
	t.Helper()
	require.Zero(t, said.Exit, said.Err)
	for line := range strings.Lines(said.Out) {
		rows = append(rows, strings.TrimSpace(line))
	}
	return rows
}

// Pools are listed with how many members are down and whether the fallback carries the traffic; a member is shown with
// why it gets none.
func TestCommandsShowPools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe", "fallback", fields{"kind": "direct"})
	w.pool("Asia", "members", members(w.exits[0]), "strategy", "sticky", "stickiness", "user")
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	at := w.panel.Clock.Now()
	w.report(state(p, 0, "healthy", at), state(p, 1, "down", at), serves(p, "members", 2, "member_down", at))
	require.Equal(t, []string{
		"Asia\tunused\t1\t0\tsticky\tblock\t0", "Europe\tdegraded\t3\t1\tround_robin\tdirect\t1",
	}, lines(t, w.command("pools list --plain")))
	require.Contains(t, w.command("pools list").Out, "degraded")

	shown := lines(t, w.command("pools show europe --plain"))
	require.Len(t, shown, 3)
	require.Contains(t, shown[0], "ams-01\thealthy\t")
	require.Contains(t, shown[0], "\t1\t0\tin use")
	require.Contains(t, shown[1], "waw-01\tdown\t")
	require.Contains(t, shown[1], "\tnot used")

	w.report(state(p, 0, "down", at), state(p, 2, "down", at), serves(p, "fallback", 0, "all_down", at))
	require.Contains(t, lines(t, w.command("pools list --plain"))[1], "\tdirect, in use\t")
	var whole struct {
		Schema string
		Pool
	}
	require.NoError(t, json.Unmarshal([]byte(w.command("pools show "+p.ID+" --json").Out), &whole))
	require.Equal(t, "panelctl.pool/v1", whole.Schema)
	require.Equal(t, "down", whole.State)
}

// Rule: an override has an end, and is ended by hand at any time.
func TestCommandsChooseAMember(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	chosen := lines(t, w.command("pools override Europe WAW-01 --for 2h --plain"))
	require.Contains(t, chosen[1], "\tchosen")
	require.WithinDuration(t, w.panel.Clock.Now().Add(2*time.Hour), w.read(p.ID).Override.Until, time.Minute)
	require.Contains(t, lines(t, w.command("pools override Europe --off --plain"))[1], "\tin use")
	require.Nil(t, w.read(p.ID).Override)
	for line, exit := range map[string]int{
		"pools override Europe":                    2, // neither a member nor the end
		"pools override Europe waw-01 --off":       2,
		"pools override Europe waw-01 --for 1s":    1,
		"pools override Europe waw-01 --for 1000h": 1,
		"pools override Europe nobody":             1,
		"pools override Nowhere waw-01":            1,
		"pools show Nowhere":                       1,
		"pools drain Europe":                       2,
	} {
		said := w.command(line)
		require.Equal(t, exit, said.Exit, "%s: %s", line, said.Err)
	}
	require.Nil(t, w.read(p.ID).Override)
}

// Rule: drains act at once. Who takes the last usable member out of a pool has to confirm it.
func TestCommandsDrainAMember(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	require.Contains(t, lines(t, w.command("pools drain Europe ams-01 --plain"))[0], "\tdrains")
	require.True(t, w.read(p.ID).Members[0].Drain)
	require.Zero(t, w.command("pools drain Europe waw-01").Exit)
	require.Equal(t, 2, w.command("pools drain Europe ber-01").Exit, "the last usable one: nobody can confirm")
	require.False(t, w.read(p.ID).Members[2].Drain)
	require.Zero(t, w.command("pools drain Europe ber-01 --yes").Exit)
	require.True(t, w.read(p.ID).Members[2].Drain)
	require.Contains(t, lines(t, w.command("pools drain Europe ber-01 --off --plain"))[2], "\tin use")

	direct := w.pool("Asia", "members", members(w.exits[0]), "fallback", fields{"kind": "direct"})
	require.Equal(t, 2, w.command("pools drain Asia ams-01").Exit, "also where a fallback takes over")
	require.False(t, w.read(direct.ID).Members[0].Drain)
}

// A member says one reason why it gets no traffic: what people have decided before what agents have seen.
func TestWhyAMemberGetsNoTraffic(t *testing.T) {
	t.Parallel()
	down := Member{ID: "m", Enabled: true, State: agentapi.PoolDown}
	chosen := Pool{Override: &Override{MemberID: "m"}}
	for wanted, of := range map[string]struct {
		pool   Pool
		change func(*Member)
	}{
		"not used":   {Pool{}, func(*Member) {}},
		"held out":   {Pool{}, func(m *Member) { m.Held = true }},
		"chosen":     {chosen, func(m *Member) { m.Held = true }},
		"node rests": {chosen, func(m *Member) { m.Resting = true }},
		"drains":     {chosen, func(m *Member) { m.Resting, m.Drain = true, true }},
		"disabled":   {chosen, func(m *Member) { m.Drain, m.Enabled = true, false }},
	} {
		m := down
		of.change(&m)
		require.Equal(t, wanted, useOf(of.pool, m))
	}
	require.Equal(t, "in use", useOf(Pool{}, Member{Enabled: true, State: agentapi.PoolHealthy}))
}

// Scripts ask for the pools that lack members alone.
func TestPoolsThatLackMembersAreListedAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	w.pool("Asia")
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	require.Len(t, lines(t, w.command("pools list --plain")), 2)
	require.Empty(t, lines(t, w.command("pools list --plain --below-minimum")))
	w.report(serves(p, "fallback", 0, "all_down", w.panel.Clock.Now()))
	found := lines(t, w.command("pools list --plain --below-minimum"))
	require.Len(t, found, 1)
	require.Contains(t, found[0], "Europe\tdown")
}
