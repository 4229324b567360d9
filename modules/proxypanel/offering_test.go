package proxypanel

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/proxypanel/internal/offers"
	"panel/modules/proxypanel/internal/profile"
	"panel/modules/proxypanel/internal/shadow"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/modules/proxypanel/remnawavetest"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/outbound"
	"panel/platform/paneltest"
	"panel/platform/vault"
)

// offering is a bench whose stages are called as an apply calls them, with parts of the test's own.
type offering struct {
	*bench
	connection string
	squad      string
	engine     *offers.Engine
	shows      proxypanelapi.Hosts
	offer      flowsapi.Stage
	hosts      flowsapi.Stage
	mutex      sync.Mutex
	served     map[string][]offers.Part // by apply
}

func newOffering(t *testing.T, more ...module.Module) *offering {
	t.Helper()
	o := &offering{served: map[string][]offers.Part{}}
	asking := module.Module{
		Name: "asking", Summary: "Lets the test ask", Requires: []string{"proxypanel"},
		Attach: func(
			db *database.DB, n *outbound.Network, v *vault.Vault, j audit.Journal, b *events.Bus, q *jobs.Enqueuer,
			clock clockwork.Clock, shows proxypanelapi.Hosts,
		) module.Parts {
			o.shows = shows
			o.engine = engineOf(db, n, v, j, b, q, clock, o.parts)
			return module.Parts{}
		},
	}
	o.bench = newBenchOf(t, built(append(more, asking)...))
	stages := o.engine.Stages()
	o.offer, o.hosts = stages[0], stages[1]
	o.connection, o.squad = o.add().ID, o.there.AddSquad("All")
	return o
}

// engineOf makes an engine on a panel's database that asks the other panel without a pause.
func engineOf(
	db *database.DB, n *outbound.Network, v *vault.Vault, j audit.Journal, b *events.Bus, q *jobs.Enqueuer,
	clock clockwork.Clock, served func(context.Context, string) ([]offers.Part, error),
) *offers.Engine {
	d := newDoor(n, &pace{db, clock, time.Millisecond}, clock)
	c := newConnections(newStore(db), d, v, j, b, q, clock)
	return offers.New(offers.Tools{
		DB: db, Vault: v, Bus: b, Clock: clock, Mappings: newMappings(db, v), Shadow: shadow.New(db), Open: c.opened,
		Usable: c.usable, Served: served,
	})
}

func (o *offering) parts(_ context.Context, applyID string) ([]offers.Part, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.served[applyID], nil
}

// node is a node of ours with one there that was adopted for it.
func (o *offering) node(name, address string) (ours, theirs string) {
	o.t.Helper()
	ours, theirs = o.Admin().AddNode(name, "address", address), o.there.AddNode(name, address, true)
	o.adopt(theirs, ours, true).Is(http.StatusOK)
	return ours, theirs
}

func (o *offering) adopt(theirs, ours string, replace bool) *paneltest.Answer {
	o.t.Helper()
	return o.Admin().Post(connectionsPath+"/"+o.connection+"/adopt", fields{
		"panel_node_id": theirs, "node_id": ours, "replace": replace,
	})
}

// entry is one on a node that the proxy panel serves.
func (o *offering) entry(flowID, node string, port int) flowsapi.Entry {
	return flowsapi.Entry{
		Block: "in", NodeID: node, Host: "edge.example.com", Port: fmt.Sprint(port), Transport: "raw", Security: "none",
		Protocol: "vless", L4: "tcp", Tag: "flow." + flowID + ".in.in",
		Offer: &flowsapi.Offer{ConnectionID: o.connection, SquadIDs: []string{o.squad}, Remark: "Europe"},
	}
}

// part is what serves an entry; way changes its routing.
func part(e flowsapi.Entry, way string) offers.Part {
	return offers.Part{
		Block: e.Block, NodeID: e.NodeID, ConnectionID: e.Offer.ConnectionID, SquadIDs: e.Offer.SquadIDs,
		Remark: e.Offer.Remark, Part: profile.Part{
			Tag: e.Tag, Inbound: json.RawMessage(fmt.Sprintf(
				`{"tag":%q,"port":%s,"protocol":"vless","settings":{"clients":[],"decryption":"none"}}`, e.Tag, e.Port)),
			Outbounds: []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"tag":"%s.%s","protocol":"freedom"}`, e.Tag, way))},
			Rules: []json.RawMessage{
				json.RawMessage(fmt.Sprintf(`{"inboundTag":[%q],"outboundTag":"%s.%s"}`, e.Tag, e.Tag, way)),
			},
		},
	}
}

// apply is one that installs entries in place of others.
func (o *offering) apply(flowID string, before, after []flowsapi.Entry) flowsapi.Apply {
	a := flowsapi.Apply{ID: database.NewID(), By: "anna", Change: flowsapi.Change{
		FlowID: flowID, FlowName: "Europe", Kind: flowsapi.KindApply, Before: before, After: after,
	}}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, e := range after {
		o.served[a.ID] = append(o.served[a.ID], part(e, "out"))
	}
	return a
}

// done calls a stage again, as an apply does, until it has nothing to wait for.
func (o *offering) done(stage flowsapi.Stage, a flowsapi.Apply) flowsapi.Result {
	o.t.Helper()
	for range 20 {
		outcome, err := stage.Do(o.t.Context(), a)
		require.NoError(o.t, err)
		if outcome.Result != flowsapi.Again {
			return outcome.Result
		}
		<-o.Clock.After(50 * time.Millisecond)
	}
	require.Fail(o.t, "the stage waits for ever")
	return ""
}

// install brings an apply to its end.
func (o *offering) install(flowID string, before, after []flowsapi.Entry) flowsapi.Apply {
	o.t.Helper()
	a := o.apply(flowID, before, after)
	o.done(o.offer, a)
	o.done(o.hosts, a)
	return a
}

// dump is all that stands there, without when it was written last.
func (o *offering) dump() string {
	o.t.Helper()
	all := o.there.Dump()
	delete(all, "users")
	for _, rows := range all {
		for _, row := range rows {
			delete(row, "updatedAt")
			delete(row, "nodes.nodes")
		}
	}
	for _, row := range all["config-profiles"] { // which nodes run it is computed when it is asked for
		delete(row, "nodes")
	}
	for _, row := range all["internal-squads"] {
		delete(row, "info")
	}
	text, err := json.MarshalIndent(all, "", " ")
	require.NoError(o.t, err)
	return string(text)
}

// ours are the objects there that the panel has made, by name.
func (o *offering) ours() (names []string) {
	all := o.there.Dump()
	for _, row := range all["config-profiles"] {
		if row["uuid"] != remnawavetest.DefaultProfile {
			names = append(names, "profile")
		}
	}
	for range all["hosts"] {
		names = append(names, "host")
	}
	return names
}

func (o *offering) host() map[string]any {
	o.t.Helper()
	all := o.there.Dump()["hosts"]
	require.Len(o.t, all, 1)
	return all[0]
}

func (o *offering) nodeThere(id string) map[string]any {
	o.t.Helper()
	for _, row := range o.there.Dump()["nodes"] {
		if row["uuid"] == id {
			return row
		}
	}
	require.Fail(o.t, "there is no such node")
	return nil
}

func inboundID(t *testing.T, host map[string]any) string {
	t.Helper()
	id, _ := host["inbound"].(map[string]any)["configProfileInboundUuid"].(string)
	require.NotEmpty(t, id)
	return id
}
