package nodes

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jonboulle/clockwork"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/vault"
)

// configs keeps what nodes shall serve, sealed, because it holds the secrets of clients. It is nodesapi.Configs.
type configs struct {
	db    *database.DB
	desk  *desk
	vault *vault.Vault
	clock clockwork.Clock
	reads *batcher[*configQuestion]
}

// keptRevisions is how many configurations of a node are kept besides the desired one.
const keptRevisions = 50

func newConfigs(db *database.DB, d *desk, v *vault.Vault, clock clockwork.Clock) *configs {
	c := &configs{db: db, desk: d, vault: v, clock: clock}
	c.reads = newBatcher(mostQuestions, c.readAll)
	return c
}

func exportConfigs(c *configs) nodesapi.Configs { return c }

func configRef(nodeID string, revision int64) vault.Ref {
	return vault.Ref{Table: "node_configs", ID: nodeID + "/" + strconv.FormatInt(revision, 10), Column: "sealed"}
}

// Desired gives what the node shall serve; revision 0 when nothing was ever wanted.
func (c *configs) Desired(ctx context.Context, nodeID string) (nodesapi.Config, error) {
	var revision int64
	if err := c.db.NewRaw("select desired_revision from nodes where id = ?", nodeID).Scan(ctx, &revision); err != nil {
		return nodesapi.Config{}, unknown(database.Fault(err, nil))
	}
	if revision == 0 {
		return nodesapi.Config{NodeID: nodeID}, nil
	}
	return c.Stored(ctx, nodeID, revision)
}

// Stored gives any stored configuration.
func (c *configs) Stored(ctx context.Context, nodeID string, revision int64) (nodesapi.Config, error) {
	found, err := c.read(ctx, nodeID, revision)
	if err != nil {
		return nodesapi.Config{}, unknown(err)
	}
	return outside(nodeID, found), nil
}

// read opens a configuration of this node. Fault: not_found (404).
func (c *configs) read(ctx context.Context, nodeID string, revision int64) (*agentapi.NodeConfig, error) {
	asked := &configQuestion{nodeID: nodeID, revision: revision}
	if err := c.reads.submit(ctx, asked); err != nil {
		return nil, err
	}
	text, err := c.vault.Open(configRef(nodeID, revision), asked.sealed)
	if err != nil {
		return nil, fmt.Errorf("opening configuration %d of node %s: %w", revision, nodeID, err)
	}
	found := new(agentapi.NodeConfig)
	if err := json.Unmarshal(text, found); err != nil {
		return nil, fmt.Errorf("reading configuration %d of node %s: %w", revision, nodeID, err)
	}
	return found, nil
}

// configQuestion is one agent that wants a configuration. A rollout makes the whole fleet ask at once, so that those who
// ask while a reading is under way share the next one.
type configQuestion struct {
	nodeID   string
	revision int64
	sealed   string // the answer
}

const mostQuestions = 500

const readConfigs = `select c.node_id::text, c.revision, c.sealed from unnest($1::uuid[], $2::bigint[]) u(node_id, revision)
	join node_configs c on c.node_id = u.node_id and c.revision = u.revision`

func (c *configs) readAll(ctx context.Context, questions []*configQuestion) []error {
	ids, revisions := make([]string, len(questions)), make([]int64, len(questions))
	for i, q := range questions {
		ids[i], revisions[i] = q.nodeID, q.revision
	}
	found, err := c.db.Pool.Query(ctx, readConfigs, ids, revisions)
	if err != nil {
		return []error{database.Fault(fmt.Errorf("reading configurations: %w", err), nil)}
	}
	type key struct {
		nodeID   string
		revision int64
	}
	answers := map[key]string{}
	var k key
	var sealed string
	_, err = pgx.ForEachRow(found, []any{&k.nodeID, &k.revision, &sealed}, func() error {
		answers[k] = sealed
		return nil
	})
	if err != nil {
		return []error{database.Fault(fmt.Errorf("reading configurations: %w", err), nil)}
	}
	errs := make([]error, len(questions))
	for i, q := range questions {
		if q.sealed = answers[key{q.nodeID, q.revision}]; q.sealed == "" {
			errs[i] = errNoConfig
		}
	}
	return errs
}

var errNoConfig = fault.Missing("this node has no such configuration")

func outside(nodeID string, c *agentapi.NodeConfig) nodesapi.Config {
	out := nodesapi.Config{NodeID: nodeID, Revision: c.Revision, Hash: c.Hash, Core: c.Core}
	for _, l := range c.Listeners {
		out.Listeners = append(out.Listeners, nodesapi.Listener(l))
	}
	return out
}

// unknown gives other modules their own word for "not found".
func unknown(err error) error {
	if fault.KindOf(err) == fault.KindMissing {
		return nodesapi.ErrUnknown
	}
	return err
}
