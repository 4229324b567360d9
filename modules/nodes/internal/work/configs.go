package work

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jonboulle/clockwork"
	"github.com/segmentio/encoding/json"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/ingest"
	"panel/platform/vault"
)

// Configs stores what nodes shall serve, sealed, because it holds the secrets of clients. It is nodesapi.Configs.
type Configs struct {
	db      *database.DB
	queue   *Queue
	vault   *vault.Vault
	clock   clockwork.Clock
	reads   *ingest.Batcher[*configQuery]
	desired func(nodeIDs ...string) // called after nodes were made to serve another configuration
}

// storedRevisions is how many configurations of a node are stored besides the desired one.
const storedRevisions = 50

// NewConfigs makes the store of configurations. Desired is called with the nodes that shall serve another one, after
// the commit.
func NewConfigs(db *database.DB, q *Queue, v *vault.Vault, clock clockwork.Clock,
	desired func(nodeIDs ...string),
) *Configs {
	c := &Configs{db: db, queue: q, vault: v, clock: clock, desired: desired}
	c.reads = ingest.NewBatcher(mostQueries, c.readAll)
	return c
}

// Run reads configurations until the context ends.
func (c *Configs) Run(ctx context.Context) error { return c.reads.Run(ctx) }

func configRef(nodeID string, revision int64) vault.Ref {
	return vault.Ref{Table: "node_configs", ID: nodeID + "/" + strconv.FormatInt(revision, 10), Column: "sealed"}
}

// Desired gives what the node shall serve; revision 0 when nothing was ever wanted.
func (c *Configs) Desired(ctx context.Context, nodeID string) (nodesapi.Config, error) {
	var revision int64
	if err := c.db.In(ctx).NewRaw("select desired_revision from nodes where id = ?", nodeID).Scan(ctx, &revision); err != nil {
		return nodesapi.Config{}, unknown(database.Fault(err, nil))
	}
	if revision == 0 {
		return nodesapi.Config{NodeID: nodeID}, nil
	}
	return c.Stored(ctx, nodeID, revision)
}

// Stored gives any stored configuration.
func (c *Configs) Stored(ctx context.Context, nodeID string, revision int64) (nodesapi.Config, error) {
	found, err := c.Read(ctx, nodeID, revision)
	if err != nil {
		return nodesapi.Config{}, unknown(err)
	}
	return outside(nodeID, found), nil
}

// Read opens a configuration of this node. Fault: not_found (404).
func (c *Configs) Read(ctx context.Context, nodeID string, revision int64) (*agentapi.NodeConfig, error) {
	asked := &configQuery{nodeID: nodeID, revision: revision}
	if err := c.reads.Submit(ctx, asked); err != nil {
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

// configQuery is one agent that wants a configuration. A rollout makes the whole fleet ask at once, so that those who
// ask while a reading is under way share the next one.
type configQuery struct {
	nodeID   string
	revision int64
	sealed   string // the answer
}

const mostQueries = 500

const readConfigs = `select c.node_id::text, c.revision, c.sealed from unnest($1::uuid[], $2::bigint[]) u(node_id, revision)
	join node_configs c on c.node_id = u.node_id and c.revision = u.revision`

func (c *Configs) readAll(ctx context.Context, queries []*configQuery) []error {
	ids, revisions := make([]string, len(queries)), make([]int64, len(queries))
	for i, q := range queries {
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
	errs := make([]error, len(queries))
	for i, q := range queries {
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
