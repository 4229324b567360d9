// Package documents stores what agents hold beside their configuration: numbered documents, each with revisions of its
// own.
package documents

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/nodes/internal/work"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/vault"
)

// Store is nodesapi.Documents, and answers the agents.
type Store struct {
	db      *database.DB
	queue   *work.Queue
	configs *work.Configs
	vault   *vault.Vault
	clock   clockwork.Clock
}

// NewStore makes the store of a panel.
func NewStore(db *database.DB, q *work.Queue, c *work.Configs, v *vault.Vault, clock clockwork.Clock) *Store {
	return &Store{db: db, queue: q, configs: c, vault: v, clock: clock}
}

// content is stored once for all nodes that hold it.
type content struct {
	bun.BaseModel `bun:"table:node_document_contents,alias:c"`

	Hash   string    `bun:"hash,pk"`
	Sealed string    `bun:"sealed"`
	UsedAt time.Time `bun:"used_at"`
}

func ref(hash string) vault.Ref {
	return vault.Ref{Table: "node_document_contents", ID: hash, Column: "sealed"}
}

// Set makes documents the wanted ones, in the context's transaction, and wakes the agents after its commit.
func (s *Store) Set(ctx context.Context, documents ...nodesapi.Document) error {
	wanted, contents, err := s.prepare(documents)
	if err != nil || len(documents) == 0 {
		return err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.putContents(ctx, contents); err != nil {
			return err
		}
		changed, err := s.put(ctx, wanted)
		if err != nil || len(changed) == 0 {
			return err
		}
		database.AfterCommit(ctx, func() { s.queue.Changed(changed) })
		return s.queue.Notify(ctx, s.db.In(ctx), changed)
	})
	if err != nil {
		return database.Fault(fmt.Errorf("setting documents of nodes: %w", err), nil)
	}
	return nil
}

// reference is one document of one node, by the digest of its content.
type reference struct{ nodeID, name, hash string }

// prepare puts everything into one order for all, against deadlocks. It refuses what is no document of the closed list.
func (s *Store) prepare(documents []nodesapi.Document) (wanted []reference, contents []content, err error) {
	sealed, now := map[string]bool{}, s.clock.Now().UTC()
	for _, d := range documents {
		raw, hash, err := encode(d)
		if err != nil {
			return nil, nil, err
		}
		if database.IsID(d.NodeID) {
			wanted = append(wanted, reference{nodeID: d.NodeID, name: d.Name, hash: hash})
		}
		if !sealed[hash] {
			sealed[hash] = true
			contents = append(contents, content{Hash: hash, Sealed: s.vault.Seal(ref(hash), raw), UsedAt: now})
		}
	}
	slices.SortFunc(contents, func(a, b content) int { return cmp.Compare(a.Hash, b.Hash) })
	slices.SortFunc(wanted, func(a, b reference) int {
		return cmp.Or(cmp.Compare(a.nodeID, b.nodeID), cmp.Compare(a.name, b.name))
	})
	for i := range wanted[:max(0, len(wanted)-1)] {
		if wanted[i].nodeID == wanted[i+1].nodeID && wanted[i].name == wanted[i+1].name {
			return nil, nil, fmt.Errorf("set the document %s: it is given twice for one node", wanted[i].name)
		}
	}
	return wanted, contents, nil
}

func encode(d nodesapi.Document) (raw []byte, hash string, err error) {
	name := agentapi.DocumentName(d.Name)
	if !name.Known() || name == agentapi.DocumentConfig {
		return nil, "", fmt.Errorf("set the document %q: %w", d.Name, nodesapi.ErrUnknownDocument)
	}
	plain, err := json.Marshal(d.Content)
	if err != nil {
		return nil, "", fmt.Errorf("encode the document %s: %w", d.Name, err)
	}
	if raw, err = agentapi.Canonical(plain); err != nil {
		return nil, "", fmt.Errorf("encode the document %s: %w", d.Name, err)
	}
	if raw == nil {
		raw = []byte("null")
	}
	if len(raw) > agentapi.MaxDocument {
		return nil, "", fmt.Errorf("set the document %s: %w", d.Name, nodesapi.ErrTooLarge)
	}
	hash, err = agentapi.HashContent(raw)
	return raw, hash, err
}

// putContents keeps each content from being tidied away until the transaction has ended.
func (s *Store) putContents(ctx context.Context, contents []content) error {
	_, err := s.db.In(ctx).NewInsert().Model(&contents).On("conflict (hash) do update").
		Set("used_at = excluded.used_at").Exec(ctx)
	return err
}

// put gives the nodes whose document changed. The same content again keeps its revision; nodes that are gone are left
// out.
func (s *Store) put(ctx context.Context, wanted []reference) (changed []string, err error) {
	nodes, names, hashes := make([]string, len(wanted)), make([]string, len(wanted)), make([]string, len(wanted))
	for i, w := range wanted {
		nodes[i], names[i], hashes[i] = w.nodeID, w.name, w.hash
	}
	err = s.db.In(ctx).NewRaw(`with present as (
			select n.id from nodes n where n.id = any(?0::uuid[]) order by n.id for key share
		), written as (
			insert into node_documents as d (node_id, name, revision, hash, set_at)
			select u.node_id, u.name, 1, u.hash, ?3
			from unnest(?0::uuid[], ?1::text[], ?2::text[]) u(node_id, name, hash) join present p on p.id = u.node_id
			order by u.node_id, u.name
			on conflict (node_id, name) do update set revision = d.revision + 1, hash = excluded.hash, set_at = excluded.set_at
				where d.hash <> excluded.hash
			returning node_id
		)
		select distinct node_id::text from written`,
		pgdialect.Array(nodes), pgdialect.Array(names), pgdialect.Array(hashes), s.clock.Now().UTC()).
		Scan(ctx, &changed)
	return changed, err
}

var errNone = fault.Missing("this node shall hold no such document")

// Read gives the newest revision of a node's document to its agent. Fault: not_found (404).
func (s *Store) Read(ctx context.Context, nodeID string, name agentapi.DocumentName) (*agentapi.Document, error) {
	if name == agentapi.DocumentConfig {
		return s.config(ctx, nodeID)
	}
	found := &agentapi.Document{DocumentRef: agentapi.DocumentRef{Name: name}}
	var sealed string
	err := s.db.In(ctx).NewRaw(`select d.revision, d.hash, c.sealed
		from node_documents d join node_document_contents c on c.hash = d.hash
		where d.node_id = ? and d.name = ?`, nodeID, string(name)).Scan(ctx, &found.Revision, &found.Hash, &sealed)
	if err != nil {
		return nil, database.Fault(err, nil)
	}
	text, err := s.vault.Open(ref(found.Hash), sealed)
	if err != nil {
		return nil, fmt.Errorf("opening the document %s of node %s: %w", name, nodeID, err)
	}
	found.Content = text
	return found, nil
}

// config gives the desired configuration in the form of a document.
func (s *Store) config(ctx context.Context, nodeID string) (*agentapi.Document, error) {
	desired, err := s.configs.Desired(ctx, nodeID)
	if errors.Is(err, nodesapi.ErrUnknown) || err == nil && desired.Revision == 0 {
		return nil, errNone
	}
	if err != nil {
		return nil, err
	}
	config, err := s.configs.Read(ctx, nodeID, desired.Revision)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("encoding configuration %d of node %s: %w", config.Revision, nodeID, err)
	}
	wanted := agentapi.DocumentRef{Name: agentapi.DocumentConfig, Revision: config.Revision, Hash: config.Hash}
	return &agentapi.Document{DocumentRef: wanted, Content: text}, nil
}

// contentRetention leaves a content that no node holds any more for those that are about to hold it again.
const contentRetention = time.Hour

// Tidy lets contents go that no node holds.
func Tidy() jobs.Tidy {
	return jobs.Tidy{
		Table: "node_document_contents", Column: "used_at", Age: contentRetention,
		Unless: "exists (select from node_documents d where d.hash = node_document_contents.hash)",
	}
}
