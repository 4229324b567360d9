package intake

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"panel/modules/clients/clientsapi"
	"panel/modules/flows/flowsapi"
	"panel/platform/ingest"
)

// mostAsked is for how many batches whom and what their nodes serve is asked at once.
const mostAsked = 64

// questions ask whom and what nodes serve, for the batches that come at the same time together: under load that is
// most of what a batch costs.
type questions struct {
	flows   flowsapi.Flows
	clients clientsapi.Clients
	batches *ingest.Batcher[*question]
}

// question is what one batch wants to know: whether its node serves the clients that it names.
type question struct {
	nodeID  string
	clients []string
	answer  serving
}

// serving is whom and what a node serves, of those that a batch names.
type serving struct{ users, flows map[string]bool }

func newQuestions(flows flowsapi.Flows, clients clientsapi.Clients) *questions {
	q := &questions{flows: flows, clients: clients}
	q.batches = ingest.NewBatcher(mostAsked, func(ctx context.Context, together []*question) []error {
		return []error{q.ask(ctx, together)}
	})
	return q
}

// of says who of those that a batch names may use a flow that is installed on the node. Users of a proxy panel beside
// this one are known to no module. Fault: unavailable (503).
func (q *questions) of(ctx context.Context, nodeID string, refs []string) (serving, error) {
	one, seen := &question{nodeID: nodeID}, map[string]bool{}
	for _, ref := range refs {
		if id, client := strings.CutPrefix(ref, "c:"); client && !seen[id] && len(ref) <= longestRef {
			seen[id] = true
			one.clients = append(one.clients, id)
		}
	}
	if err := q.batches.Submit(ctx, one); err != nil {
		return serving{}, err
	}
	return one.answer, nil
}

// ask answers questions with one look at the flows and one at the clients.
func (q *questions) ask(ctx context.Context, together []*question) error {
	nodes, clients := map[string]bool{}, map[string]bool{}
	for _, one := range together {
		nodes[one.nodeID] = true
		for _, id := range one.clients {
			clients[id] = true
		}
	}
	installed, err := q.flows.IDsOnNodes(ctx, slices.Collect(maps.Keys(nodes))...)
	if err != nil {
		return fmt.Errorf("ask what nodes serve: %w", err)
	}
	flows := map[string]bool{}
	for _, ids := range installed {
		for _, id := range ids {
			flows[id] = true
		}
	}
	may, err := q.clients.Among(ctx, slices.Collect(maps.Keys(flows)), slices.Collect(maps.Keys(clients)))
	if err != nil {
		return fmt.Errorf("ask whom nodes serve: %w", err)
	}
	for _, one := range together {
		one.answer = one.served(installed[one.nodeID], may)
	}
	return nil
}

// served is the answer to a question, by the flows on its node and those that each client may use.
func (one *question) served(flowIDs []string, may map[string][]string) serving {
	own := serving{users: map[string]bool{}, flows: map[string]bool{}}
	for _, id := range flowIDs {
		own.flows[id] = true
	}
	for _, id := range one.clients {
		if slices.ContainsFunc(may[id], func(flow string) bool { return own.flows[flow] }) {
			own.users["c:"+id] = true
		}
	}
	return own
}
