package intake

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/clients/clientsapi"
	"panel/modules/flows/flowsapi"
)

// fleet serves flows on nodes to clients, and counts how often it is asked.
type fleet struct {
	flowsapi.Flows
	clientsapi.Clients
	on, may map[string][]string // the flows of a node and of a client
	asked   int
	broken  error
}

func (f *fleet) IDsOnNodes(_ context.Context, nodeIDs ...string) (map[string][]string, error) {
	f.asked++
	found := map[string][]string{}
	for _, id := range nodeIDs {
		found[id] = f.on[id]
	}
	return found, f.broken
}

func (f *fleet) Among(_ context.Context, _, clientIDs []string) (map[string][]string, error) {
	f.asked++
	found := map[string][]string{}
	for _, id := range clientIDs {
		found[id] = f.may[id]
	}
	return found, nil
}

func twoNodes() *fleet {
	return &fleet{
		on:  map[string][]string{"ams": {"asia", "europe"}, "fra": {"europe"}},
		may: map[string][]string{"anna": {"asia"}, "boris": {"europe"}},
	}
}

// Batches that are asked about together cost two questions; each gets the answer about its own node.
func TestBatchesAreAskedAboutTogether(t *testing.T) {
	t.Parallel()
	f := twoNodes()
	q := newQuestions(f, f)
	together := []*question{
		{nodeID: "ams", clients: []string{"anna", "boris", "nobody"}},
		{nodeID: "fra", clients: []string{"anna", "boris"}},
		{nodeID: "waw", clients: []string{"anna"}},
	}
	require.NoError(t, q.ask(t.Context(), together))
	require.Equal(t, 2, f.asked)
	require.Equal(t, serving{
		users: map[string]bool{"c:anna": true, "c:boris": true}, flows: map[string]bool{"asia": true, "europe": true},
	}, together[0].answer)
	require.Equal(t, serving{
		users: map[string]bool{"c:boris": true}, flows: map[string]bool{"europe": true},
	}, together[1].answer, "anna may use a flow of another node only")
	require.Empty(t, together[2].answer.users)
	require.Empty(t, together[2].answer.flows)
}

// A question that cannot be answered refuses every batch that waits for it: what nobody checked is not stored.
func TestWhatCannotBeAskedIsRefused(t *testing.T) {
	t.Parallel()
	f := twoNodes()
	f.broken = errors.New("the database is away")
	q := newQuestions(f, f)
	ctx, stop := context.WithCancel(t.Context())
	var running, callers sync.WaitGroup
	running.Go(func() { _ = q.batches.Run(ctx) })
	for range 5 {
		callers.Go(func() {
			own, err := q.of(ctx, "ams", []string{"c:anna", "c:anna", "p:panel:7"})
			if !errors.Is(err, f.broken) || len(own.users) > 0 {
				t.Error("answered without having asked")
			}
		})
	}
	callers.Wait()
	stop()
	running.Wait()
}
