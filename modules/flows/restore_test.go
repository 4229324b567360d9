package flows_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows"
	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/module"
)

func (s *stage) drift(node string) flows.NodeDrift {
	s.t.Helper()
	var d flows.NodeDrift
	s.admin.Get(s.path("/nodes/" + s.fleet.id(node) + "/drift")).Is(http.StatusOK).JSON(&d)
	return d
}

func (s *stage) restore(node string) flows.Apply {
	s.t.Helper()
	return s.ended(s.admin.Post(s.path("/nodes/"+s.fleet.id(node)+"/restore"), nil).Is(http.StatusAccepted).
		Text("apply_id"))
}

// leftBehind makes a node run what it ran before the last apply.
func (s *stage) leftBehind(node string) {
	s.fleet.set(node, func(n *nodesapi.Node) {
		n.RevisionInstalled--
		n.HashInstalled = s.fleet.configs[n.ID][n.RevisionInstalled-1].Hash
	})
}

// twice installs the flow on one port and then on another.
func (s *stage) twice() {
	s.t.Helper()
	s.install()
	s.save(s.drawing(8443))
	s.install()
}

func TestADriftedNodeShowsItsDifferenceAndIsRestoredAlone(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.twice()
	require.Equal(t, "in_sync", s.drift("fra-01").State)
	s.leftBehind("fra-01")
	require.Equal(t, []string{s.fleet.id("fra-01")}, s.get().Drift.NodeIDs)

	d := s.drift("fra-01")
	require.Equal(t, "drifted", d.State)
	require.True(t, d.Known)
	require.False(t, d.PartSame)
	require.True(t, d.RestSame)
	require.Equal(t, 2, *d.VersionNumber)
	require.Len(t, d.Diff.Listeners, 1)
	change := d.Diff.Listeners[0]
	require.Equal(t, []string{"changed", "in", "listen"}, []string{change.Op, change.Name, change.Field})
	require.Contains(t, change.From, ":443")
	require.Contains(t, change.To, ":8443")

	before := len(s.fleet.phases("ams-01"))
	a := s.restore("fra-01")
	require.Equal(t, "applied", a.State, "%+v", a.Error)
	require.Equal(t, "restore", a.Kind)
	require.Equal(t, 2, *a.VersionNumber)
	require.Len(t, a.Steps, 1)
	require.Equal(t, "restores", a.Steps[0].DetailCode)
	require.Len(t, s.fleet.phases("ams-01"), before, "no other node is touched")
	require.Equal(t, "in_sync", s.get().Drift.State)
	require.Equal(t, "in_sync", s.drift("fra-01").State)
	require.Equal(t, 2, *s.get().InstalledVersionNumber, "no new version comes of it")
	var noted int
	require.NoError(t, s.panel.DB.NewRaw(`select count(*) from journal where action = 'flow.apply_started'
		and changes::jsonb #>> '{node,to}' = 'fra-01' and changes::jsonb #>> '{kind,to}' = 'restore'`).Scan(t.Context(), &noted))
	require.Equal(t, 1, noted)
}

// A draft and clients that came later have no part in a restoration.
func TestARestorationInstallsNothingNew(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.twice()
	s.leftBehind("fra-01")
	wanted := s.fleet.serving("fra-01")
	s.save(s.drawing(9443))
	s.admin.Post(s.path("/clients"), map[string]any{"label": "late"}).Is(http.StatusCreated)
	require.Equal(t, "applied", s.restore("fra-01").State)
	require.JSONEq(t, wanted, s.fleet.serving("fra-01"))
	require.NotEqual(t, s.get().DraftRevision, *s.get().InstalledRevision)
}

// A node that cannot be restored keeps what it runs, and the flow says that it failed.
func TestARestorationThatFailsIsReverted(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.twice()
	s.leftBehind("fra-01")
	refused := nodesapi.Result{Code: string(agentapi.CodeCoreRefused), Error: "port in use"}
	s.fleet.scripted(refusal(s.fleet.id("fra-01"), agentapi.PhasePrepare, refused))
	a := s.restore("fra-01")
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, "drifted", s.get().Drift.State)
	require.Zero(t, s.locks())
}

func TestARestorationIsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	at := func(node string) string { return s.path("/nodes/" + node + "/restore") }
	s.admin.Post(at(s.fleet.id("fra-01")), nil).Refused(http.StatusNotFound, "not_found")
	s.twice()
	s.leftBehind("fra-01")
	for _, node := range []string{"zzz", database.NewID()} {
		s.admin.Post(at(node), nil).Refused(http.StatusNotFound, "not_found")
		s.admin.Get(s.path("/nodes/"+node+"/drift")).Refused(http.StatusNotFound, "not_found")
	}
	s.fleet.set("fra-01", func(n *nodesapi.Node) { n.Online = false })
	require.Equal(t, "unknown", s.drift("fra-01").State, "a silent node tells nothing")
	s.admin.Post(at(s.fleet.id("fra-01")), nil).Refused(http.StatusUnprocessableEntity, "agent_offline")
}

// What the panel has not stored is not guessed, and the address that links name is part of what is restored.
func TestADifferenceThatIsNotKnownIsSaidToBeUnknown(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.twice()
	s.fleet.set("fra-01", func(n *nodesapi.Node) {
		n.RevisionInstalled, n.HashInstalled, n.Address = 77, "strange", "198.51.100.9"
	})
	d := s.drift("fra-01")
	require.Equal(t, "drifted", d.State)
	require.False(t, d.Known)
	require.Len(t, d.Diff.Listeners, 1)
	require.Equal(t, "host", d.Diff.Listeners[0].Field)
	require.Equal(t, "applied", s.restore("fra-01").State)
	require.Equal(t, "in_sync", s.get().Drift.State)
	require.Empty(t, s.drift("fra-01").Diff.Listeners)
}

// Another module has what is installed on a node put there again: by one apply, in its transaction, of one flow that is
// not being applied.
func TestAnotherModuleInstallsAgainWhatIsInstalled(t *testing.T) {
	t.Parallel()
	var others flowsapi.Applies
	s := setup(t, module.Module{
		Name: "guest", Summary: "Installs again", Requires: []string{"flows"},
		Attach: func(a flowsapi.Applies) module.Parts { others = a; return module.Parts{} },
	})
	fra := s.fleet.id("fra-01")
	none, err := others.Reinstall(t.Context(), fra)
	require.NoError(t, err)
	require.Empty(t, none, "nothing is installed")
	s.twice()
	s.leftBehind("fra-01")
	broken := s.panel.DB.InTx(t.Context(), func(ctx context.Context) error {
		_, err := others.Reinstall(ctx, fra)
		return errors.Join(err, errors.New("the caller changes its mind"))
	})
	require.ErrorContains(t, broken, "changes its mind")
	require.Equal(t, "drifted", s.drift("fra-01").State)

	id, err := others.Reinstall(access.With(t.Context(), access.Caller{Kind: access.System, Username: "self-repair"}), fra)
	require.NoError(t, err)
	a := s.ended(id)
	require.Equal(t, []string{"applied", "restore", "self-repair"}, []string{a.State, a.Kind, a.StartedBy})
	require.Equal(t, "in_sync", s.drift("fra-01").State)
	over, failure, err := others.Ended(t.Context(), id)
	require.NoError(t, err)
	require.True(t, over)
	require.Empty(t, failure)
	over, failure, err = others.Ended(t.Context(), database.NewID())
	require.NoError(t, err)
	require.True(t, over)
	require.Equal(t, "the flow is gone", failure)
	busy, err := others.OnNodes(t.Context(), fra)
	require.NoError(t, err)
	require.Empty(t, busy)

	s.fleet.set("fra-01", func(n *nodesapi.Node) { n.Online = false })
	_, err = others.Reinstall(t.Context(), fra)
	require.ErrorContains(t, err, "does not answer")
}
