package abuse

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/abuse/internal/acts"
	"panel/modules/abuse/internal/blocks"
	"panel/modules/abuse/internal/cases"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/paneltest"
)

const blocksPath = "/api/v1/abuse/blocks"

// shielded lets an agent say that it can block, what its firewall says, and what became of its document.
func (s *scene) shielded(agent *paneltest.Agent, detail string, held ...agentapi.DocumentStatus) {
	s.t.Helper()
	agent.Online(func(h *agentapi.Heartbeat) {
		h.Capabilities = append(h.Capabilities, agentapi.DocumentBlocks.Capability())
		h.Firewall = []agentapi.Firewall{{Kind: "panel_agent", Active: true, Detail: detail}}
		h.Documents = held
	})
	require.Eventually(s.t, func() bool {
		var told bool
		require.NoError(s.t, s.DB.NewRaw(`select exists (select from node_reports where node_id = ?
			and jsonb_exists(report->'capabilities', ?))`, agent.NodeID, string(agentapi.DocumentBlocks.Capability())).
			Scan(s.t.Context(), &told))
		return told
	}, time.Minute, 10*time.Millisecond)
}

// wanted is the document of blocks that an agent is to hold.
func (s *scene) wanted(agent *paneltest.Agent) (networks []string, document agentapi.Document) {
	s.t.Helper()
	answer := agent.Get("/agent/v1/desired/blocks")
	if answer.Status == http.StatusNotFound {
		return nil, document
	}
	answer.Is(http.StatusOK).JSON(&document)
	var content agentapi.Blocks
	require.NoError(s.t, json.Unmarshal(document.Content, &content))
	networks = []string{}
	for _, one := range content.Blocks {
		networks = append(networks, one.Network)
	}
	return networks, document
}

// placed waits until an agent is to hold these blocks.
func (s *scene) placed(agent *paneltest.Agent, wanted ...string) (document agentapi.Document) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		var now []string
		now, document = s.wanted(agent)
		return len(now) == len(wanted) && equalSets(now, wanted)
	}, time.Minute, 20*time.Millisecond)
	return document
}

func equalSets(a, b []string) bool {
	seen := map[string]int{}
	for _, one := range a {
		seen[one]++
	}
	for _, one := range b {
		seen[one]--
	}
	for _, n := range seen {
		if n != 0 {
			return false
		}
	}
	return true
}

func (s *scene) blocked(more fields) *paneltest.Answer {
	s.t.Helper()
	order := fields{"network": "198.51.100.7", "minutes": 60, "reason": "flood"}
	for key, value := range more {
		order[key] = value
	}
	return s.admin.Post(blocksPath, order)
}

func (s *scene) blocks(query string) []blocks.Block {
	s.t.Helper()
	var page struct {
		Items []blocks.Block `json:"items"`
		Total int            `json:"total"`
	}
	s.As(string(View)).Get(blocksPath + query).Is(http.StatusOK).JSON(&page)
	require.Len(s.t, page.Items, page.Total)
	return page.Items
}

// Rule: a block is a document of each node with its end in it; which nodes hold it, wait for it or cannot is said.
func TestABlockIsPlacedOnNodes(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	ams, old := s.Enroll("ams").Online(), s.Enroll("old").Online()
	old.Online(func(h *agentapi.Heartbeat) {
		h.Firewall = []agentapi.Firewall{{Kind: "none", Detail: "operation not permitted"}}
	})
	s.shielded(s.node, "0 spans of addresses are blocked")
	s.shielded(ams, "0 spans of addresses are blocked")
	var made blocks.Block
	s.blocked(fields{"network": " 198.51.100.7/24 "}).Is(http.StatusCreated).JSON(&made)
	require.Equal(t, "198.51.100.0/24", made.Network)
	require.Equal(t, blocks.Active, made.State)
	require.Empty(t, made.NodeIDs)
	s.blocked(fields{"network": "2001:db8::1", "node_ids": []string{ams.NodeID, ams.NodeID}}).Is(http.StatusCreated)
	s.blocked(fields{"network": "198.51.100.0/24"}).Refused(http.StatusConflict, "block_active")
	require.Equal(t, []string{blocks.EventBlocked}, s.Recorded(blocks.Object, made.ID))

	document := s.placed(s.node, "198.51.100.0/24")
	s.placed(ams, "198.51.100.0/24", "2001:db8::1")
	var content agentapi.Blocks
	require.NoError(t, json.Unmarshal(document.Content, &content))
	require.Equal(t, made.ID, content.Blocks[0].ID)
	require.True(t, made.Until.Equal(content.Blocks[0].Until))
	var now blocks.Block
	require.Eventually(t, func() bool {
		now = s.blocks("?network=198.51")[0]
		return len(now.Errors) == 1 && now.Errors[0].Detail != ""
	}, time.Minute, 20*time.Millisecond)
	require.Equal(t, [3]int{0, 2, 1}, [3]int{now.NodesHeld, now.NodesWaiting, now.NodesFailed})
	require.Equal(t, []blocks.Error{{
		NodeID: old.NodeID, Node: "old", Error: "firewall_none", Detail: "operation not permitted",
	}}, now.Errors)

	s.shielded(s.node, "1 spans of addresses are blocked", agentapi.DocumentStatus{
		Name: agentapi.DocumentBlocks, Revision: document.Revision, Hash: document.Hash,
	})
	s.shielded(ams, "1 spans of addresses are blocked; 1 left out: 2001:db8::1/128 (somebody looks after the server from there)",
		agentapi.DocumentStatus{
			Name: agentapi.DocumentBlocks, FailedRevision: s.placed(ams, "198.51.100.0/24", "2001:db8::1").Revision,
			Error: "nft: busy",
		})
	require.Eventually(t, func() bool {
		now = s.blocks("?network=198.51")[0]
		return now.NodesHeld == 1 && now.NodesFailed == 2
	}, time.Minute, 20*time.Millisecond)
	require.Equal(t, "nft: busy", now.Errors[0].Error)
	s.shielded(ams, "0 spans; 1 left out: 2001:db8::1/128 (somebody looks after the server from there)")
	require.Eventually(t, func() bool {
		one := s.blocks("?network=2001")[0]
		return len(one.Errors) == 1 && one.Errors[0].Error == "somebody looks after the server from there"
	}, time.Minute, 20*time.Millisecond)
}

// Rule: a block is lifted by hand before its end, and one that is over leaves the list when somebody removes it.
func TestABlockIsLifted(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.shielded(s.node, "0 spans of addresses are blocked")
	id := s.blocked(nil).Is(http.StatusCreated).Text("id")
	s.placed(s.node, "198.51.100.7")
	lifted := s.admin.Post(blocksPath+"/"+id+"/unblock", nil).Is(http.StatusOK)
	require.Equal(t, "lifted", lifted.Text("state"))
	require.NotEmpty(t, lifted.Text("lifted_by"))
	s.placed(s.node)
	s.admin.Post(blocksPath+"/"+id+"/unblock", nil).Refused(http.StatusConflict, "block_over")
	require.Equal(t, []string{blocks.EventBlocked, blocks.EventLifted}, s.Recorded(blocks.Object, id))
	s.admin.Delete(blocksPath + "/" + id).Is(http.StatusNoContent)
	require.Empty(t, s.blocks(""))
	s.admin.Delete(blocksPath+"/"+id).Refused(http.StatusNotFound, "not_found")

	other := s.blocked(nil).Is(http.StatusCreated).Text("id")
	s.admin.Delete(blocksPath + "/" + other).Is(http.StatusNoContent)
	require.Equal(t, blocks.Lifted, s.blocks("")[0].State, "one that holds is lifted first")
	s.exec("update abuse_blocks set lifted_at = null, lifted_by = '', until = now() - interval '1 second'")
	require.Equal(t, blocks.Ended, s.blocks("?state=ended")[0].State)
	require.Empty(t, s.blocks("?state=active"))
}

// Rule: nobody blocks loopback, private networks, nodes, the panel or himself; each is refused with its reason.
func TestBlocksThatAreRefused(t *testing.T) {
	t.Parallel()
	s := newScene(t, paneltest.Env(map[string]string{
		"PANEL_PUBLIC_URL": "https://203.0.113.5", "PANEL_TRUSTED_PROXIES": "0.0.0.0/0",
	}))
	s.exec("update nodes set address = '203.0.113.9' where id = ?", s.node.NodeID)
	for network, code := range map[string]string{
		"127.0.0.1": "blocks_loopback", "::1": "blocks_loopback", "0.0.0.0/0": "blocks_loopback",
		"::ffff:127.0.0.1": "blocks_loopback", "10.1.2.3": "blocks_private", "192.168.0.0/24": "blocks_private",
		"fd00::1": "blocks_private", "8.0.0.0/6": "blocks_private", "64.0.0.0/7": "blocks_too_wide",
		"2001:d00::/23": "blocks_too_wide", "203.0.113.5": "blocks_panel", "203.0.113.0/24": "blocks_panel",
		"203.0.113.9": "blocks_node", "192.0.2.77": "blocks_yourself", "192.0.2.0/24": "blocks_yourself",
		"example.org": "invalid_value", "198.51.100.7/33": "invalid_value", "fe80::1%eth0": "invalid_value",
	} {
		refused := s.admin.Do(http.MethodPost, blocksPath, fields{"network": network, "minutes": 5, "reason": "a"},
			"X-Forwarded-For", "192.0.2.77").Refused(http.StatusUnprocessableEntity, code)
		first := refused.Value("errors").([]any)[0].(map[string]any)
		require.Equal(t, "network", first["field"], network)
		require.Equal(t, code, first["code"], network)
	}
	for _, wrong := range []fields{
		{"minutes": 0},
		{"reason": "  "},
		{"node_ids": []string{database.NewID()}},
		{"node_ids": []string{"x"}},
		{"until": time.Now().Add(time.Hour).UTC()},
		{"minutes": 600_000},
	} {
		s.blocked(wrong).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	s.As(string(View)).Post(blocksPath, fields{"network": "198.51.100.7", "minutes": 5, "reason": "a"}).
		Refused(http.StatusForbidden, "permission_denied")
	s.admin.Post(blocksPath+"/x/unblock", nil).Refused(http.StatusNotFound, "not_found")
	require.Empty(t, s.blocks(""))
	s.exec(`insert into abuse_blocks (id, network, node_ids, reason, created_by, created_at, until)
		select gen_random_uuid(), '198.18.' || i / 256 || '.' || i % 256, '{}', 'a', 'b', now(), now() + interval '1 hour'
		from generate_series(1, ?) i`, agentapi.MaxBlocks)
	s.blocked(nil).Refused(http.StatusConflict, "blocks_full")
}

// Rule: 50,000 blocks are given to agents as one document, and an end that passes is no reason to give them all again.
func TestAListOfManyBlocksIsPlacedOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.shielded(s.node, "0 spans of addresses are blocked")
	s.exec(`insert into abuse_blocks (id, network, node_ids, reason, created_by, created_at, until)
		select gen_random_uuid(), '198.18.' || i / 256 || '.' || i % 256, '{}', 'a', 'b', now(),
			date_trunc('hour', now()) + interval '2 hours' from generate_series(1, ?) i`, agentapi.MaxBlocks)
	began := time.Now()
	require.NoError(t, s.places.Place(t.Context()))
	t.Logf("placed in %s", time.Since(began))
	networks, first := s.wanted(s.node)
	require.Len(t, networks, agentapi.MaxBlocks)
	s.exec("update abuse_blocks set until = date_trunc('hour', now()) + interval '1 second' where network like '198.18.1.%'")
	require.NoError(t, s.places.Place(t.Context()))
	_, second := s.wanted(s.node)
	s.exec("update abuse_blocks set placed = placed")
	require.NoError(t, s.places.Place(t.Context()))
	_, third := s.wanted(s.node)
	require.Greater(t, second.Revision, first.Revision)
	require.Equal(t, second.Revision, third.Revision)
}

// Rule: an act blocks the addresses that signals of the last day name, until its end; whoever undoes it lifts them.
func TestAddressesOfAUserAreBlocked(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.shielded(s.node, "0 spans of addresses are blocked")
	s.do(fields{"kind": "block_ips"}).Refused(http.StatusConflict, "addresses_unknown")
	for _, ip := range []string{"198.51.100.7", "198.51.100.8", "127.0.0.1"} {
		s.exec(`insert into abuse_signals (id, node_id, xact, kind, user_ref, inbound_tag, source_ip, source_hash, source_asn,
				source_country, dest_host, dest_port, dest_asn, count, first_at, last_at, detected_by, confidence, evidence, blocked)
			values (gen_random_uuid(), ?, 1, 'torrent', ?, '', ?, '', 0, '', '', 0, 0, 1, now(), now(), 'rule', 1, '', false)`,
			s.node.NodeID, agentapi.RefOfClient(s.client), ip)
	}
	one := s.done(fields{"kind": "block_ips", "minutes": 30})
	require.Equal(t, []string{"198.51.100.7", "198.51.100.8"}, one.Result.Networks)
	s.placed(s.node, one.Result.Networks...)
	found := s.blocks("")
	require.Len(t, found, 2)
	require.Equal(t, s.caseID, *found[0].CaseID)
	require.True(t, one.Until.Equal(found[0].Until))
	require.Equal(t, cases.Actioned, s.shown().State)
	s.undo(one.ID).Is(http.StatusOK)
	s.placed(s.node)
	require.Len(t, s.blocks("?state=lifted"), 2)

	two := s.done(fields{"kind": "block_ips", "networks": []string{"203.0.113.0/25"}})
	s.done(fields{"kind": "block_ips", "networks": []string{"203.0.113.200"}})
	s.do(fields{"kind": "block_ips", "networks": []string{"203.0.113.1", "10.0.0.1"}}).
		Refused(http.StatusUnprocessableEntity, "blocks_private")
	for _, b := range s.blocks("?state=active&network=203.0.113.0") {
		s.admin.Post(blocksPath+"/"+b.ID+"/unblock", nil).Is(http.StatusOK)
	}
	require.Eventually(t, func() bool { return s.theAct(two.ID).State == acts.Undone }, time.Minute,
		20*time.Millisecond)
	require.NotEmpty(t, s.theAct(two.ID).EndedBy)
	require.Equal(t, cases.Actioned, s.shown().State, "the other block holds on")
	s.exec("update abuse_blocks set until = now() - interval '1 second' where lifted_at is null")
	s.passes()
	require.Equal(t, cases.Expired, s.shown().State)
	require.Len(t, s.blocks("?state=ended"), 1)
}

// Rule: addresses are let go as soon as those of signals, in blocks and in what acts say of them. The journal never
// names one.
func TestAddressesOfBlocksAreForgotten(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	one := s.done(fields{"kind": "block_ips", "networks": []string{"198.51.100.77"}})
	id := s.blocked(nil).Is(http.StatusCreated).Text("id")
	s.passes()
	s.exec("update abuse_actions set ended_at = now() - interval '15 days'")
	s.exec("update abuse_blocks set lifted_at = now() - interval '15 days'")
	s.RunSchedule("abuse.renew")
	require.Empty(t, s.blocks(""))
	require.Empty(t, s.theAct(one.ID).Result.Networks)
	var named, around int
	require.NoError(t, s.DB.NewRaw(`select
			count(*) filter (where j::text like '%198.51.100.7%'),
		count(*) filter (where object_id = ? and j::text like '%198.51.100.0/24%') from journal j`, id).
		Scan(t.Context(), &named, &around))
	require.Equal(t, [2]int{0, 1}, [2]int{named, around})
}
