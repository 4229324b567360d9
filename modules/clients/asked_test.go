package clients_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/clients/clientsapi"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// asking is a stage on which another module asks of clients.
func asking(t *testing.T) (*stage, clientsapi.Clients) {
	t.Helper()
	var given clientsapi.Clients
	guest := module.Module{
		Name: "guest", Summary: "Asks of clients", Requires: []string{"clients"},
		Attach: func(c clientsapi.Clients) module.Parts {
			given = c
			return module.Parts{}
		},
	}
	s := start(t, clockwork.NewFakeClock(), paneltest.Modules(guest))
	return s, given
}

// Whoever is told of clients by a node asks which of them may use its flows, or might before their access was revoked:
// what they did then is told later. Others are not among them, however they are named.
func TestWhoIsAmongTheClientsOfFlows(t *testing.T) {
	t.Parallel()
	s, asked := asking(t)
	other := s.newFlow("Asia main")
	anna := s.add("Anna", "flow_ids", []string{s.flow})
	both := s.add("Both", "flow_ids", []string{s.flow, other})
	boris := s.add("Boris", "flow_ids", []string{other})
	taken := s.add("Taken", "flow_ids", []string{s.flow})
	revoked := s.add("Revoked", "flow_ids", []string{s.flow})
	s.admin.Delete(path + "/" + taken + "/flows/" + s.flow).Is(204)
	s.admin.Delete(path + "/" + revoked).Is(204)
	among := func(flows []string, ids ...string) []string {
		t.Helper()
		found, err := asked.Among(t.Context(), flows, ids)
		require.NoError(t, err)
		return slices.Collect(maps.Keys(found))
	}
	all := []string{anna, both, boris, taken, revoked, none, "zzz", "", anna}
	require.ElementsMatch(t, []string{anna, both, taken, revoked}, among([]string{s.flow}, all...))
	require.ElementsMatch(t, []string{both, boris}, among([]string{other}, all...))
	require.ElementsMatch(t, []string{anna, both, boris, taken, revoked}, among([]string{s.flow, other}, all...))
	found, err := asked.Among(t.Context(), []string{s.flow, other}, all)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{s.flow, other}, found[both], "each of the flows that a client may use")
	require.Equal(t, []string{other}, found[boris])
	require.Empty(t, among(nil, all...))
	require.Empty(t, among([]string{s.flow}))
	require.Empty(t, among([]string{none, "zzz"}, all...))
}

// Names are given of all clients that are there, revoked ones too; who is not there has none.
func TestClientsAreNamedAsLongAsTheyAreThere(t *testing.T) {
	t.Parallel()
	s, asked := asking(t)
	anna, revoked := s.add("Anna"), s.add("Revoked")
	s.admin.Delete(path + "/" + revoked).Is(204)
	named, err := asked.Labels(t.Context(), anna, revoked, none, "zzz", anna)
	require.NoError(t, err)
	require.Equal(t, map[string]string{anna: "Anna", revoked: "Revoked"}, named)
	named, err = asked.Labels(t.Context())
	require.NoError(t, err)
	require.Empty(t, named)
}
