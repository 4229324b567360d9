// Package mapping is which nodes of proxy panels run on which nodes of ours.
//
// A node there is adopted by an explicit act, and nothing changes there by it. From then on entries of flows on our
// node may be served by it: then it runs a profile of ours, and what it ran before is put back when the last one
// leaves.
package mapping

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/vault"
)

// Before is what a node ran before it served flows. ProfileID is empty where it ran none.
type Before struct {
	ProfileID   string   `json:"profile_id"`
	ProfileName string   `json:"profile_name"`
	Inbounds    []string `json:"inbounds"`
}

// Mapping is a node of a proxy panel that was adopted.
type Mapping struct {
	bun.BaseModel `bun:"table:proxypanel_mappings,alias:m"`

	ID           string          `bun:"id,pk,type:uuid"`
	ConnectionID string          `bun:"connection_id,type:uuid"`
	PanelNodeID  string          `bun:"panel_node_id,type:uuid"`
	NodeID       string          `bun:"node_id,type:uuid"`
	Name         string          `bun:"name"` // there
	Address      string          `bun:"address"`
	Before       json.RawMessage `bun:"before,type:jsonb"`
	ProfileName  string          `bun:"profile_name"`
	ProfileID    string          `bun:"profile_id"` // of our profile; empty while there is none
	Written      string          `bun:"written"`
	WrittenSum   string          `bun:"written_sum"`
	SentSum      string          `bun:"sent_sum"`
	Intended     string          `bun:"intended"`
	Core         string          `bun:"core"` // version of Xray there; empty: unknown
	Connected    bool            `bun:"connected"`
	Disabled     bool            `bun:"disabled"`
	GoneAt       *time.Time      `bun:"gone_at"`
	SeenAt       time.Time       `bun:"seen_at"`
	AdoptedBy    string          `bun:"adopted_by"`
	AdoptedAt    time.Time       `bun:"adopted_at"`
}

// Ran is what it ran before.
func (m *Mapping) Ran() (before Before) {
	_ = json.Unmarshal(m.Before, &before) // written by Remember alone
	return before
}

// Remember notes what it runs before it serves flows.
func (m *Mapping) Remember(before Before) {
	before.Inbounds = append([]string{}, before.Inbounds...)
	m.Before, _ = json.Marshal(before)
}

// State of a node there: gone, disabled, disconnected or connected.
func (m *Mapping) State() string {
	switch {
	case m.GoneAt != nil:
		return "gone"
	case m.Disabled:
		return "disabled"
	case !m.Connected:
		return "disconnected"
	}
	return "connected"
}

func (m *Mapping) place(column string) vault.Ref {
	if column == "intended" {
		return vault.Ref{Table: "proxypanel_mappings", ID: m.ID, Column: "intended"}
	}
	return vault.Ref{Table: "proxypanel_mappings", ID: m.ID, Column: "written"}
}

// Secrets are the sealed columns.
func Secrets() []vault.Column {
	return []vault.Column{
		{Table: "proxypanel_mappings", ID: "id", Column: "written"},
		{Table: "proxypanel_mappings", ID: "id", Column: "intended"},
	}
}

// Store keeps mappings. Each call takes part in the context's transaction.
type Store struct {
	DB    *database.DB
	Vault *vault.Vault
}

// Faults of adopting.
var (
	ErrTaken = fault.Conflict("panel_node_adopted",
		"this node of the proxy panel, or this node of the fleet with this connection, is adopted already")
	constraints = map[string]*fault.Fault{
		"proxypanel_mappings_connection_id_panel_node_id_key": ErrTaken,
		"proxypanel_mappings_connection_id_node_id_key":       ErrTaken,
	}
)

// Insert adds one. Fault: panel_node_adopted (409).
func (s *Store) Insert(ctx context.Context, m *Mapping) error {
	_, err := s.DB.In(ctx).NewInsert().Model(m).Exec(ctx)
	return database.Fault(err, constraints)
}

// Of gives those of a connection, by name.
func (s *Store) Of(ctx context.Context, connectionID string) ([]Mapping, error) {
	rows := []Mapping{}
	err := s.DB.In(ctx).NewSelect().Model(&rows).Where("m.connection_id = ?", connectionID).
		OrderExpr("m.name, m.id").Scan(ctx)
	return rows, told(err)
}

// ByIDs gives some.
func (s *Store) ByIDs(ctx context.Context, ids ...string) (map[string]*Mapping, error) {
	var rows []Mapping
	err := s.DB.In(ctx).NewSelect().Model(&rows).Where("m.id = any(?::uuid[])", pgdialect.Array(ids)).Scan(ctx)
	found := make(map[string]*Mapping, len(rows))
	for i := range rows {
		found[rows[i].ID] = &rows[i]
	}
	return found, told(err)
}

// On gives those of a connection on some nodes of ours, by the ids of these.
func (s *Store) On(ctx context.Context, connectionID string, nodeIDs []string) (map[string]*Mapping, error) {
	rows, err := s.Of(ctx, connectionID)
	found := map[string]*Mapping{}
	for i := range rows {
		for _, id := range nodeIDs {
			if rows[i].NodeID == id {
				found[id] = &rows[i]
			}
		}
	}
	return found, err
}

// Lock gives one by the id of the node there, which stays as it is until the end of the transaction.
// Fault: not_found (404).
func (s *Store) Lock(ctx context.Context, connectionID, panelNodeID string) (m Mapping, err error) {
	err = s.DB.In(ctx).NewSelect().Model(&m).
		Where("m.connection_id = ? and m.panel_node_id = ?", connectionID, panelNodeID).For("UPDATE").Scan(ctx)
	return m, database.Fault(err, nil)
}

// Save writes some columns.
func (s *Store) Save(ctx context.Context, m *Mapping, columns ...string) error {
	_, err := s.DB.In(ctx).NewUpdate().Model(m).Column(columns...).WherePK().Exec(ctx)
	return told(err)
}

// Remove forgets one.
func (s *Store) Remove(ctx context.Context, id string) error {
	_, err := s.DB.In(ctx).NewDelete().Model((*Mapping)(nil)).Where("id = ?", id).Exec(ctx)
	return told(err)
}

// Seal seals a configuration for a column of the mapping, Open is the way back.
func (s *Store) Seal(m *Mapping, column string, config []byte) string {
	if len(config) == 0 {
		return ""
	}
	return s.Vault.Seal(m.place(column), config)
}

// Open gives a sealed configuration; nil where there is none.
func (s *Store) Open(m *Mapping, column string) ([]byte, error) {
	sealed := map[string]string{"written": m.Written, "intended": m.Intended}[column]
	if sealed == "" {
		return nil, nil
	}
	config, err := s.Vault.Open(m.place(column), sealed)
	if err != nil {
		return nil, fmt.Errorf("open what was written to a profile: %w", err)
	}
	return config, nil
}

func told(err error) error {
	if err == nil {
		return nil
	}
	return database.Fault(fmt.Errorf("keep the nodes of proxy panels: %w", err), nil)
}
