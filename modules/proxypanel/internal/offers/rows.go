package offers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
	"panel/platform/vault"
)

// Phases of a row.
const (
	phaseOffered   = "offered"   // an apply that has not committed wants it; it is put there
	phaseHeld      = "held"      // the same, but another node runs its inbound until the commit
	phaseUndoing   = "undoing"   // content is again what it was before; it is not there yet
	phaseCommitted = "committed" // it is installed; the host does not lead there yet
	phaseSettled   = "settled"
	phaseLeaving   = "leaving" // it is to be removed
)

// row is what was put at a proxy panel for one entry on one node.
type row struct {
	bun.BaseModel `bun:"table:proxypanel_parts,alias:p"`

	ID           string          `bun:"id,pk,type:uuid"`
	MappingID    string          `bun:"mapping_id,type:uuid"`
	ConnectionID string          `bun:"connection_id,type:uuid"`
	FlowID       string          `bun:"flow_id,type:uuid"`
	Block        string          `bun:"block"`
	Tag          string          `bun:"tag"`
	Mark         string          `bun:"mark,type:uuid"`
	Sealed       string          `bun:"content"`
	Before       string          `bun:"before"`
	BeforePhase  string          `bun:"before_phase"`
	Phase        string          `bun:"phase"`
	ApplyID      *string         `bun:"apply_id,type:uuid"`
	InboundID    string          `bun:"inbound_id"` // there; empty: not known yet
	HostID       string          `bun:"host_id"`    // there
	HostSent     json.RawMessage `bun:"host_sent,type:jsonb,nullzero"`
	Remark       json.RawMessage `bun:"remark,type:jsonb,nullzero"`
	Port         int             `bun:"port"`
	L4           string          `bun:"l4"`
	Squads       json.RawMessage `bun:"squads,type:jsonb"` // that were given its inbound
	EnabledAt    *time.Time      `bun:"enabled_at"`
	CreatedAt    time.Time       `bun:"created_at"`
	UpdatedAt    time.Time       `bun:"updated_at"`

	content Content // opened
	renewed bool    // its inbound was there and had to be made anew
}

func (r *row) contentPlace() vault.Ref {
	return vault.Ref{Table: "proxypanel_parts", ID: r.ID, Column: "content"}
}

func (r *row) beforePlace() vault.Ref {
	return vault.Ref{Table: "proxypanel_parts", ID: r.ID, Column: "before"}
}

// Secrets are the sealed columns.
func Secrets() []vault.Column {
	return []vault.Column{
		{Table: "proxypanel_parts", ID: "id", Column: "content"}, {Table: "proxypanel_parts", ID: "id", Column: "before"},
	}
}

// of says whether the row waits for the end of an apply.
func (r *row) of(applyID string) bool { return r.ApplyID != nil && *r.ApplyID == applyID }

// squads are those that were given the inbound.
func (r *row) squads() (ids []string) {
	_ = json.Unmarshal(r.Squads, &ids) // written by giveSquads alone
	return ids
}

func (r *row) giveSquads(ids []string) {
	slices.Sort(ids)
	r.Squads, _ = json.Marshal(append([]string{}, slices.Compact(ids)...))
}

// sent is what the host was told last; nil where it was told nothing.
func (r *row) sent() *Endpoint {
	if len(r.HostSent) == 0 {
		return nil
	}
	var told Endpoint
	_ = json.Unmarshal(r.HostSent, &told) // written by tell alone
	return &told
}

func (r *row) tell(to Endpoint) { r.HostSent, _ = json.Marshal(to) }

// adopted is a remark that somebody has written there and that we hold since, instead of the one that was drawn.
type adopted struct{ Drawn, Remark string }

// endpoint is where users connect, with the remark that holds.
func (r *row) endpoint() Endpoint {
	to := r.content.Endpoint
	var theirs adopted
	if len(r.Remark) > 0 && json.Unmarshal(r.Remark, &theirs) == nil && theirs.Drawn == to.Remark {
		to.Remark = theirs.Remark
	}
	return to
}

// rows keeps them. Each call takes part in the context's transaction.
type rows struct {
	db    *database.DB
	vault *vault.Vault
}

func kept(err error) error {
	if err == nil {
		return nil
	}
	return database.Fault(fmt.Errorf("keep what stands at proxy panels: %w", err), nil)
}

func (s *rows) read(ctx context.Context, where string, args ...any) ([]row, error) {
	var found []row
	err := s.db.In(ctx).NewSelect().Model(&found).Where(where, args...).OrderExpr("p.tag, p.id").Scan(ctx)
	if err != nil {
		return nil, kept(err)
	}
	for i := range found {
		if err := s.open(&found[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (s *rows) ofFlow(ctx context.Context, flowID string) ([]row, error) {
	return s.read(ctx, "p.flow_id = ?", flowID)
}

func (s *rows) ofMapping(ctx context.Context, mappingIDs ...string) ([]row, error) {
	return s.read(ctx, "p.mapping_id = any(?::uuid[])", pgdialect.Array(mappingIDs))
}

func (s *rows) ofConnection(ctx context.Context, connectionID string) ([]row, error) {
	return s.read(ctx, "p.connection_id = ?", connectionID)
}

// lockFlow keeps the rows of a flow as they are until the end of the transaction.
func (s *rows) lockFlow(ctx context.Context, flowID string) ([]row, error) {
	_, err := s.db.In(ctx).NewRaw("select 1 from proxypanel_parts where flow_id = ? order by id for update", flowID).Exec(ctx)
	if err != nil {
		return nil, kept(err)
	}
	return s.ofFlow(ctx, flowID)
}

func (s *rows) open(r *row) error {
	text, err := s.vault.Open(r.contentPlace(), r.Sealed)
	if err == nil {
		err = json.Unmarshal(text, &r.content)
	}
	if err != nil {
		return fmt.Errorf("open what is put at a proxy panel: %w", err)
	}
	return nil
}

// set gives the row a content.
func (s *rows) set(r *row, content Content) error {
	text, err := json.Marshal(content)
	if err != nil {
		return fmt.Errorf("write what is put at a proxy panel: %w", err)
	}
	r.content, r.Sealed = content, s.vault.Seal(r.contentPlace(), text)
	r.Port, r.L4 = content.Endpoint.Port, content.Endpoint.L4
	return nil
}

// remember keeps the present content as the one before; restore brings it back.
func (s *rows) remember(r *row) error {
	text, err := json.Marshal(r.content)
	if err != nil {
		return fmt.Errorf("write what was put at a proxy panel: %w", err)
	}
	r.Before, r.BeforePhase = s.vault.Seal(r.beforePlace(), text), r.Phase
	return nil
}

func (s *rows) restore(r *row) error {
	text, err := s.vault.Open(r.beforePlace(), r.Before)
	if err != nil {
		return fmt.Errorf("open what was put at a proxy panel: %w", err)
	}
	var before Content
	if err := json.Unmarshal(text, &before); err != nil {
		return fmt.Errorf("read what was put at a proxy panel: %w", err)
	}
	return s.set(r, before)
}

func (s *rows) insert(ctx context.Context, r *row) error {
	_, err := s.db.In(ctx).NewInsert().Model(r).Exec(ctx)
	return kept(err)
}

func (s *rows) save(ctx context.Context, r *row) error {
	_, err := s.db.In(ctx).NewUpdate().Model(r).ExcludeColumn("id", "created_at").WherePK().Exec(ctx)
	return kept(err)
}

// put saves what was found or made there, and nothing of what an apply decides.
func (s *rows) put(ctx context.Context, r *row) error {
	_, err := s.db.In(ctx).NewUpdate().Model(r).
		Column("inbound_id", "host_id", "host_sent", "squads", "enabled_at").WherePK().Exec(ctx)
	return kept(err)
}

func (s *rows) remove(ctx context.Context, ids ...string) error {
	_, err := s.db.In(ctx).NewDelete().Model((*row)(nil)).Where("id = any(?::uuid[])", pgdialect.Array(ids)).Exec(ctx)
	return kept(err)
}

func same(a, b Content) bool {
	one, err := json.Marshal(a)
	other, failed := json.Marshal(b)
	return err == nil && failed == nil && string(one) == string(other)
}
