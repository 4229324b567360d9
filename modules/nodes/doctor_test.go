package nodes

import (
	"fmt"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/doctor"
	"panel/platform/paneltest"
)

// examined is what Doctor says about agents, with these settings beside the address of the database.
func examined(t *testing.T, p *paneltest.Panel, settings ...string) doctor.Finding {
	t.Helper()
	set := map[string]string{"PANEL_DB_URL": p.DB.Pool.Config().ConnString()}
	for i := 0; i+1 < len(settings); i += 2 {
		set[settings[i]] = settings[i+1]
	}
	return silentAgents(t.Context(), doctor.Env{Now: time.Now, Getenv: func(name string) string { return set[name] }})
}

// quietFor sets back when an agent was last heard.
func quietFor(t *testing.T, p *paneltest.Panel, nodeID string, silence time.Duration) {
	t.Helper()
	_, err := p.DB.ExecContext(t.Context(), `insert into node_reports (node_id, seen_at)
		values (?0, now() - ?1 * interval '1 second')
		on conflict (node_id) do update set seen_at = excluded.seen_at`, nodeID, silence.Seconds())
	require.NoError(t, err)
}

// Doctor counts the agents of nodes in service that are silent, names the ones that are silent longest, and says where
// to look.
func TestDoctorFindsSilentAgents(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	require.Equal(t, doctor.Skipped, examined(t, p).Status, "without nodes there is nothing to say")
	edit := p.As("nodes.edit")
	ids := []string{}
	for i := range 5 {
		ids = append(ids, edit.AddNode(fmt.Sprintf("node-%d", i)))
	}
	require.Equal(t, "no node is in service", examined(t, p).Found.String(),
		"agents that never enrolled are not silent")
	for _, id := range ids {
		quietFor(t, p, id, 0)
	}
	fine := examined(t, p)
	require.Equal(t, []any{doctor.OK, "5 agents report", 5}, []any{
		fine.Status, fine.Found.String(),
		fine.Data["agents"],
	})
	for i, id := range ids[:4] {
		quietFor(t, p, id, time.Duration(i+1)*time.Hour)
	}
	found := examined(t, p)
	require.Equal(t, doctor.Warning, found.Status)
	require.Equal(t, "4 of 5 agents are silent: node-3, node-2, node-1", found.Found.String())
	require.Contains(t, found.Do.String(), "systemctl status panel-agent")
	require.Equal(t, 4, found.Data["silent"])
	require.Equal(t, doctor.OK, examined(t, p, "PANEL_AGENT_HEARTBEAT_SECONDS", "86400").Status,
		"silence is measured in heartbeats")
	quietFor(t, p, ids[4], time.Minute)
	require.Equal(t, doctor.Failed, examined(t, p).Status, "nobody reports any more")
}

// A node that a person took out of service is silent for a reason; one whose maintenance has ended is in service again.
func TestDoctorLooksAtNodesInService(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	edit := p.As("nodes.edit")
	for name, state := range map[string]string{
		"disabled": "disabled = true", "endless": "maintenance = true",
		"repaired": "maintenance = true, maintenance_until = now() + interval '1 hour'",
		"over":     "maintenance = true, maintenance_until = now() - interval '1 hour'",
		"serving":  "note = ''",
	} {
		id := edit.AddNode(name)
		quietFor(t, p, id, map[bool]time.Duration{true: 0, false: time.Hour}[name == "serving"])
		_, err := p.DB.ExecContext(t.Context(), "update nodes set "+state+" where id = ?", id)
		require.NoError(t, err)
	}
	require.Equal(t, "1 of 2 agents are silent: over", examined(t, p).Found.String())
}

// Without a database, or with one that is not the panel's, there is nothing to say about agents; nothing is broken by
// asking.
func TestDoctorSaysNothingOfAgentsWithoutADatabase(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	for _, address := range []string{"postgres://nobody@127.0.0.1:1/none", "no address"} {
		require.Equal(t, doctor.Skipped, examined(t, p, "PANEL_DB_URL", address).Status)
	}
	_, err := p.DB.ExecContext(t.Context(), "alter table node_reports rename to other")
	require.NoError(t, err)
	require.Equal(t, doctor.Skipped, examined(t, p).Status)
	_, err = p.DB.ExecContext(t.Context(), "alter table other rename to node_reports")
	require.NoError(t, err)
}

// The history of the fleet is noted by the panel each minute; Doctor tells when agents report and nobody notes.
func TestDoctorFindsAFleetThatIsNotNoted(t *testing.T) {
	t.Parallel()
	// By a clock that stands the panel itself notes nothing.
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.Clock(clockwork.NewFakeClockAt(time.Now())))
	look := func() doctor.Finding {
		t.Helper()
		dsn := p.DB.Pool.Config().ConnString()
		return notedMinutes(t.Context(), doctor.Env{Now: time.Now, Getenv: func(name string) string {
			return map[string]string{"PANEL_DB_URL": dsn}[name]
		}})
	}
	require.Equal(t, "no agent reports now", look().Found.String())
	quietFor(t, p, p.As("nodes.edit").AddNode("node"), 0)
	require.Equal(t, doctor.OK, look().Status, "a panel that has just begun has noted nothing yet")
	note := func(ago time.Duration) {
		t.Helper()
		_, err := p.DB.ExecContext(t.Context(), `delete from fleet_minutes`)
		require.NoError(t, err)
		_, err = p.DB.ExecContext(t.Context(), `insert into fleet_minutes (at, states, measured, net_rx_bps, net_tx_bps)
			values (now() - ?0 * interval '1 second', '{}', 0, 0, 0)`, ago.Seconds())
		require.NoError(t, err)
	}
	note(time.Minute)
	require.Equal(t, "the fleet is noted every minute", look().Found.String())
	note(20*time.Minute + 30*time.Second)
	found := look()
	require.Equal(t, doctor.Warning, found.Status)
	require.Equal(t, "the fleet was last noted 20 minutes ago", found.Found.String())
	require.Contains(t, found.Do.String(), "panelctl logs scheduler")
}

// Doctor counts the agents that say that they may block no address, names some, and gives the one command that renews
// their service. What is switched off, and an agent that says nothing of it, does not count.
func TestDoctorCountsAgentsThatMayBlockNothing(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	look := func() doctor.Finding {
		set := map[string]string{
			"PANEL_DB_URL": p.DB.Pool.Config().ConnString(), "PANEL_PUBLIC_URL": "https://panel.test",
		}
		env := doctor.Env{Now: time.Now, Getenv: func(name string) string { return set[name] }}
		return unprotected(t.Context(), env)
	}
	require.Equal(t, doctor.Skipped, look().Status)
	with, without := p.Enroll("with"), p.Enroll("without")
	with.Online(func(h *agentapi.Heartbeat) { h.Firewall = []agentapi.Firewall{{Kind: "panel_agent", Active: true}} })
	require.Equal(t, doctor.OK, look().Status)
	without.Online(func(h *agentapi.Heartbeat) {
		h.Firewall = []agentapi.Firewall{{Kind: "ufw"}, {Kind: "none", Detail: "not permitted"}}
	})
	found := look()
	require.Equal(t, doctor.Warning, found.Status)
	require.Equal(t, "1 of 2 agents may block no address: without", found.Found.String())
	require.Contains(t, found.Do.String(), "curl -fsSL https://panel.test/install/agent.sh | sudo sh")
	require.Contains(t, p.Scrape(), "panel_nodes_without_firewall 1")
	_, err := p.DB.ExecContext(t.Context(), "update nodes set disabled = true where id = ?", without.NodeID)
	require.NoError(t, err)
	require.Equal(t, doctor.OK, look().Status)
}
