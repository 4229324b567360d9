// Package answers lets nodes answer a certificate authority that asks over HTTP whether a host name is ours (HTTP-01):
// the way to a certificate for names in zones that no integration holds.
//
// The answers of all orders stand in a table, and each node is given its own as a document of its agent in the same
// transaction. So whichever panel dies, what a node answers is what the table says, and an order that ends takes its
// answers along.
package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/cdn-dns/internal/certificates"
	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// Answers is certificates.Answerer.
type Answers struct {
	db        *database.DB
	domains   domainsapi.Domains
	fleet     nodesapi.Fleet
	documents nodesapi.Documents
	port      int
}

// New makes it. Nodes answer at the port.
func New(
	db *database.DB, d domainsapi.Domains, f nodesapi.Fleet, documents nodesapi.Documents, port int,
) *Answers {
	return &Answers{db: db, domains: d, fleet: f, documents: documents, port: port}
}

// answer is what a node answers for one token.
type answer struct {
	bun.BaseModel `bun:"table:certificate_answers,alias:a"`

	OrderID string `bun:"order_id,type:uuid"`
	NodeID  string `bun:"node_id,type:uuid"`
	Host    string `bun:"host"`
	Token   string `bun:"token"`
	Answer  string `bun:"answer"`
}

var document = string(agentapi.DocumentChallenges)

// errUnbound is also for names of bindings that lead elsewhere: to a CDN, or to somebody else's site.
var errUnbound = errors.New("it is bound to no node that could answer the authority for it")

// node is the one that a host name leads to.
func (a *Answers) node(ctx context.Context, host string) (node nodesapi.Node, err error) {
	bound, err := a.domains.ByHostnames(ctx, host)
	if err != nil {
		return node, err
	}
	binding, known := bound[host]
	if !known || binding.Mode == "reality_sni" || binding.Mode == "cdn" {
		return node, errUnbound
	}
	node, err = a.fleet.Node(ctx, binding.NodeID)
	if errors.Is(err, nodesapi.ErrUnknown) {
		return node, errUnbound
	}
	return node, err
}

// Can gives the reason why no node can answer for a host name; none when one can.
func (a *Answers) Can(ctx context.Context, host string) (reason string, err error) {
	node, err := a.node(ctx, host)
	if errors.Is(err, errUnbound) {
		return err.Error(), nil
	}
	if err == nil && !node.Can(string(agentapi.DocumentChallenges.Capability())) {
		return "the agent of " + node.Name + " does not answer authorities; enrol or update it", nil
	}
	return "", err
}

// Show lets the nodes answer for an order, and tells whether they do. While a node has not said so it gives false; an
// agent that cannot listen is certificates.ErrNoAnswer with what it said.
func (a *Answers) Show(ctx context.Context, orderID string, all ...certificates.Answer) (shown bool, err error) {
	rows := make([]answer, len(all))
	nodes := make([]nodesapi.Node, len(all))
	for i, one := range all {
		if nodes[i], err = a.node(ctx, one.Host); err != nil {
			return false, err
		}
		rows[i] = answer{OrderID: orderID, NodeID: nodes[i].ID, Host: one.Host, Token: one.Token, Answer: one.Text}
	}
	err = a.db.InTx(ctx, func(ctx context.Context) error {
		_, err := a.db.In(ctx).NewInsert().Model(&rows).
			On("conflict (order_id, token) do update").Set("node_id = excluded.node_id").Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("note the answers to an authority: %w", err), nil)
		}
		return a.give(ctx, ids(rows)...)
	})
	if err != nil {
		return false, err
	}
	return a.held(ctx, nodes)
}

func (a *Answers) held(ctx context.Context, nodes []nodesapi.Node) (bool, error) {
	for _, node := range nodes {
		states, err := a.documents.States(ctx, document, node.ID)
		if err != nil {
			return false, err
		}
		switch at := states[node.ID]; at.State {
		case nodesapi.DocumentApplied:
		case nodesapi.DocumentFailed:
			return false, fmt.Errorf("%w: %s: %s", certificates.ErrNoAnswer, node.Name, at.Error)
		default:
			return false, nil
		}
	}
	return true, nil
}

// Withdraw ends the answers for an order, in the context's transaction.
func (a *Answers) Withdraw(ctx context.Context, orderID string) error {
	var rows []answer
	err := a.db.In(ctx).NewRaw("delete from certificate_answers where order_id = ? returning *", orderID).
		Scan(ctx, &rows)
	if err != nil {
		return database.Fault(fmt.Errorf("end the answers to an authority: %w", err), nil)
	}
	return a.give(ctx, ids(rows)...)
}

func ids(rows []answer) []string {
	nodes := make([]string, len(rows))
	for i, row := range rows {
		nodes[i] = row.NodeID
	}
	return slices.Compact(slices.Sorted(slices.Values(nodes)))
}

// give sets the documents of nodes to what the table says. One transaction at a time does so: each reads what all
// others have committed.
func (a *Answers) give(ctx context.Context, nodes ...string) error {
	if len(nodes) == 0 {
		return nil
	}
	if _, err := a.db.In(ctx).NewRaw("select pg_advisory_xact_lock(731204521)").Exec(ctx); err != nil {
		return database.Fault(err, nil)
	}
	var rows []answer
	err := a.db.In(ctx).NewSelect().Model(&rows).Where("a.node_id = any(?::uuid[])", pgdialect.Array(nodes)).Scan(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("read what nodes answer authorities: %w", err), nil)
	}
	wanted := make([]nodesapi.Document, len(nodes))
	for i, node := range nodes {
		content := agentapi.Challenges{Port: a.port, Answers: []agentapi.ChallengeAnswer{}}
		for _, row := range rows {
			if row.NodeID == node {
				content.Answers = append(content.Answers,
					agentapi.ChallengeAnswer{Host: row.Host, Token: row.Token, Text: row.Answer})
			}
		}
		slices.SortFunc(content.Answers, func(a, b agentapi.ChallengeAnswer) int {
			return cmp.Compare(a.Token, b.Token)
		})
		wanted[i] = nodesapi.Document{NodeID: node, Name: document, Content: content}
	}
	return a.documents.Set(ctx, wanted...)
}
