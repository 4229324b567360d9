package flows_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/module"
)

// A flow is tried from a node that is not its own: the client dials what clients dial, and whose address it leaves with
// is compared with where the way leads.
func TestAFlowIsTriedFromAnotherNode(t *testing.T) {
	t.Parallel()
	var probes flowsapi.Probes
	s := setupOn(t, newFleet("ams-01", "fra-01", "waw-01"), module.Module{
		Name: "watcher", Summary: "Watcher of a test", Requires: []string{"flows"},
		Attach: func(p flowsapi.Probes) module.Parts { probes = p; return module.Parts{} },
	})
	through := func() (flowsapi.Probe, error) {
		return probes.Through(t.Context(), s.flow, "in", s.fleet.id("waw-01"))
	}
	_, err := through()
	require.ErrorIs(t, err, flowsapi.ErrUnknown, "nothing is installed")

	var p plan.Plan
	s.admin.Post(s.path("/plan/compile"), nil).Is(201).JSON(&p)
	require.Equal(t, "applied", s.ended(s.admin.Post(s.path("/apply?wait=0"), order(p, true)).Is(200).Text("apply_id")).State)
	answer := &agentapi.ThroughData{Status: 200, ExitIP: s.fleet.nodes[s.fleet.id("ams-01")].Address, FirstByteMs: 31}
	s.fleet.scripted(func(o nodesapi.Order) (*nodesapi.Result, bool) {
		args, is := o.Args.(agentapi.ProbeArgs)
		if !is || args.Through == nil {
			return nil, false
		}
		require.Equal(t, s.fleet.id("waw-01"), o.NodeID)
		require.Equal(t, "panel", o.By)
		var core struct {
			Outbounds []struct{ Settings json.RawMessage }
		}
		require.NoError(t, json.Unmarshal(args.Through.Core, &core))
		require.Contains(t, string(core.Outbounds[0].Settings), s.fleet.nodes[s.fleet.id("fra-01")].Address,
			"from elsewhere the entry is not at a loopback address")
		return done(agentapi.ProbeData{Through: answer}), true
	})
	met, err := through()
	require.NoError(t, err)
	require.Equal(t, flowsapi.Probe{OK: true, Millis: 31, ExitIP: answer.ExitIP, Code: "done"}, met)

	answer.ExitIP = s.fleet.nodes[s.fleet.id("fra-01")].Address
	met, err = through()
	require.NoError(t, err)
	require.Equal(t, "fra-01", met.Elsewhere, "it left at the entry")
	answer.ExitIP = "203.0.113.77"
	met, err = through()
	require.NoError(t, err)
	require.Empty(t, met.Elsewhere, "a server may leave by an address that it does not know of")

	for entry, flow := range map[string]string{"out": s.flow, "in": database.NewID()} {
		_, err = probes.Through(t.Context(), flow, entry, s.fleet.id("waw-01"))
		require.ErrorIs(t, err, flowsapi.ErrUnknown)
	}
	s.ended(s.admin.PostOnce(s.path("/disable"), nil).Is(202).Text("apply_id"))
	_, err = through()
	require.ErrorIs(t, err, flowsapi.ErrUnknown, "it is disabled")
}
