package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

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
}

// keptRevisions is how many configurations of a node are kept besides the desired one.
const keptRevisions = 50

func newConfigs(db *database.DB, d *desk, v *vault.Vault, clock clockwork.Clock) *configs {
	return &configs{db: db, desk: d, vault: v, clock: clock}
}

func exportConfigs(c *configs) nodesapi.Configs { return c }

// PutCandidate stores a configuration without wanting it yet.
func (c *configs) PutCandidate(ctx context.Context, nodeID string, core json.RawMessage, listeners []nodesapi.Listener) (nodesapi.Config, error) {
	wanted := agentapi.NodeConfig{Core: core}
	for _, l := range listeners {
		wanted.Listeners = append(wanted.Listeners, agentapi.Listener(l))
	}
	hash, err := wanted.ContentHash()
	if err != nil {
		return nodesapi.Config{}, fmt.Errorf("storing a configuration: %w", err)
	}
	wanted.Hash = hash
	err = c.db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error { return c.put(ctx, tx, nodeID, &wanted) })
	if err != nil {
		return nodesapi.Config{}, unknown(err)
	}
	return outside(nodeID, &wanted), nil
}

func (c *configs) put(ctx context.Context, tx bun.Tx, nodeID string, wanted *agentapi.NodeConfig) error {
	var locked string
	if err := tx.NewRaw("select id from nodes where id = ? for no key update", nodeID).Scan(ctx, &locked); err != nil {
		return database.Fault(err, nil)
	}
	var newest configRow
	err := tx.NewSelect().Model(&newest).Column("revision", "hash").Where("node_id = ?", nodeID).Order("revision DESC").Limit(1).Scan(ctx)
	if err != nil && fault.KindOf(database.Fault(err, nil)) != fault.KindMissing {
		return database.Fault(err, nil)
	}
	if wanted.Revision = newest.Revision; newest.Hash == wanted.Hash {
		return nil
	}
	wanted.Revision++
	return c.insert(ctx, tx, nodeID, wanted)
}

func (c *configs) insert(ctx context.Context, tx bun.Tx, nodeID string, wanted *agentapi.NodeConfig) error {
	text, err := json.Marshal(wanted)
	if err != nil {
		return fmt.Errorf("encoding a configuration: %w", err)
	}
	row := &configRow{
		NodeID: nodeID, Revision: wanted.Revision, Hash: wanted.Hash, HasCore: wanted.HasCore(), Listeners: list(wanted.Listeners),
		Sealed: c.vault.Seal(configRef(nodeID, wanted.Revision), text), CreatedAt: c.clock.Now().UTC(),
	}
	if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
		return database.Fault(err, nil)
	}
	_, err = tx.NewRaw("delete from node_configs c using nodes n where c.node_id = ?0 and n.id = ?0 and c.revision <= ?1 and c.revision <> n.desired_revision",
		nodeID, wanted.Revision-keptRevisions).Exec(ctx)
	return database.Fault(err, nil)
}

func configRef(nodeID string, revision int64) vault.Ref {
	return vault.Ref{Table: "node_configs", ID: nodeID + "/" + strconv.FormatInt(revision, 10), Column: "sealed"}
}

// SetDesired makes a stored configuration the wanted one and tells the agent.
func (c *configs) SetDesired(ctx context.Context, nodeID string, revision int64) error {
	err := c.db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		done, err := tx.NewRaw(`update nodes n set desired_revision = c.revision, desired_hash = c.hash, desired_core = c.has_core, desired_at = ?
			from node_configs c where n.id = ? and c.node_id = n.id and c.revision = ?`, c.clock.Now().UTC(), nodeID, revision).Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("wanting a configuration: %w", err), nil)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return errors.Join(nodesapi.ErrUnknown, err)
		}
		return c.desk.tell(ctx, tx, []string{nodeID})
	})
	if err != nil {
		return unknown(err)
	}
	c.desk.changed([]string{nodeID})
	return nil
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
	row := new(configRow)
	if err := c.db.NewSelect().Model(row).Where("node_id = ? and revision = ?", nodeID, revision).Scan(ctx); err != nil {
		return nil, database.Fault(err, nil)
	}
	text, err := c.vault.Open(configRef(nodeID, revision), row.Sealed)
	if err != nil {
		return nil, fmt.Errorf("opening configuration %d of node %s: %w", revision, nodeID, err)
	}
	found := new(agentapi.NodeConfig)
	if err := json.Unmarshal(text, found); err != nil {
		return nil, fmt.Errorf("reading configuration %d of node %s: %w", revision, nodeID, err)
	}
	return found, nil
}

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
