package geo

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/policies"
	"panel/platform/database"
	"panel/platform/paneltest"
)

// installed gives a flow whose installed version compares with this, as an apply leaves it.
func (s *stage) installed(catalogue int, match fields) string {
	s.t.Helper()
	graph := fields{
		"nodes": []fields{{"key": "in", "kind": "entry", "params": fields{}}, {"key": "out", "kind": "block", "params": fields{}}},
		"edges": []fields{{"from": "in", "to": "out", "match": match}},
	}
	id := s.admin.Post("/api/v1/connection-units", fields{"name": "flow"}).Is(http.StatusCreated).Text("id")
	version := database.NewID()
	for _, statement := range []struct {
		query string
		args  []any
	}{
		{`insert into flow_versions (id, flow_id, number, revision, reason, graph, applied, catalogue_version, created_at,
			created_by) values (?, ?, 1, 1, 'apply', ?, true, ?, now(), 'test')`, []any{version, id, graph, catalogue}},
		{"update flows set installed_version_id = ?, installed_revision = 1 where id = ?", []any{version, id}},
	} {
		_, err := s.DB.NewRaw(statement.query, statement.args...).Exec(s.t.Context())
		require.NoError(s.t, err)
	}
	return id
}

// Rule: what an installed flow uses, by itself or by a set of the catalogue, must be in every version that nodes get.
func TestAFileThatLacksWhatFlowsUseIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, paneltest.Modules(policies.Module()))
	good := sites("own", "by-set", "other")
	first := s.origin.publish("geosite.dat", good)
	n := s.node("n")
	id := s.geosite()
	s.update(id, true)
	n.takes(first)
	s.until(id, inState(stateCurrent))
	s.admin.Put("/api/v1/policy-catalogue", fields{
		"revision": 0, "sets": []fields{{"name": "ads", "geosite": []string{"by-set"}}}, "presets": []fields{},
		"geo_tokens": []string{},
	}).Is(http.StatusOK)
	flow := s.installed(1, fields{"geosite": []string{"own"}, "sets": []string{"ads"}})

	for category, missing := range map[string]string{"own": "by-set", "by-set": "own"} {
		s.origin.publish("geosite.dat", sites(category, "other"))
		a := s.update(id, true)
		require.Equal(t, [2]string{stateRejected, reasonMissing}, [2]string{a.State, a.RejectReason}, a.RejectDetail)
		require.Equal(t, []MissingToken{{Token: "geosite:" + missing, FlowIDs: []string{flow}}}, a.Missing)
		require.Equal(t, first, a.Version.SHA256)
		require.Nil(t, a.Candidate)
	}
	require.Equal(t, string(good), string(n.Get("/agent/v1/assets/"+first).Is(http.StatusOK).Body),
		"the file before stays byte-identical")
	s.admin.Delete(assetsPath+"/"+id).Refused(http.StatusConflict, "geo_asset_in_use")

	s.origin.publish("geosite.dat", sites("own", "by-set"))
	a := s.update(id, true)
	require.Empty(t, a.Missing, "nobody uses the other one")
	require.NotEqual(t, first, a.Version.SHA256)
}

// A version that lacked nothing when it was fetched, and does now, is neither rolled out nor returned to.
func TestAKeptVersionThatLacksWhatFlowsUseByNowIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.origin.publish("geosite.dat", sites("a"))
	id := s.geosite()
	s.update(id, true)
	s.until(id, inState(stateCurrent))
	s.origin.publish("geosite.dat", sites("a", "b"))
	s.update(id, true)
	s.until(id, inState(stateCurrent))
	s.origin.publish("geosite.dat", sites("a", "c"))
	s.update(id, false)
	s.installed(0, fields{"geosite": []string{"b"}})
	s.admin.Post(assetsPath+"/"+id+"/rollback", fields{}).Refused(http.StatusUnprocessableEntity, reasonMissing)
	s.admin.Post(assetsPath+"/"+id+"/distribute", fields{}).Refused(http.StatusUnprocessableEntity, reasonMissing)
}
