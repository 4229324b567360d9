package assistant

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/modules/assistant/internal/engine"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
)

// States of a proposal.
const (
	open      = "open"
	confirmed = "confirmed"
	rejected  = "rejected"
	expired   = "expired"
)

// The words for what happens to proposals, in the journal and as events.
const (
	objectProposal = "assistant_proposal"
	kindProposed   = "assistant.proposed"
	kindConfirmed  = "assistant.confirmed"
	kindRejected   = "assistant.rejected"
)

// openFor is how long a proposal can be confirmed: what it was made of changes.
const openFor = 30 * time.Minute

// Proposal is a change that its caller may confirm. The browser then sends the request to the ordinary API, which asks
// for the permissions of its sender; the panel never sends it by itself.
type Proposal struct {
	ID        string     `json:"id"`
	State     string     `json:"state" enum:"open,confirmed,rejected,expired"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt time.Time  `json:"expires_at"`
	SettledAt *time.Time `json:"settled_at"`

	engine.Proposal
}

// Settled is the data of the events about proposals.
type Settled struct {
	Kind string `json:"kind"`
}

type proposalRow struct {
	bun.BaseModel `bun:"table:assistant_proposals,alias:p"`

	ID         string          `bun:"id,pk,type:uuid"`
	QuestionID string          `bun:"question_id,type:uuid"`
	AccountID  string          `bun:"account_id,type:uuid"`
	Position   int             `bun:"position"`
	Content    json.RawMessage `bun:"content,type:jsonb"`
	State      string          `bun:"state"`
	CreatedAt  time.Time       `bun:"created_at"`
	ExpiresAt  time.Time       `bun:"expires_at"`
	SettledAt  *time.Time      `bun:"settled_at"`
}

// proposals are changes that wait for a person.
type proposals struct {
	db      *database.DB
	journal audit.Journal
	bus     *events.Bus
	clock   clockwork.Clock
}

func newProposals(db *database.DB, j audit.Journal, b *events.Bus, c clockwork.Clock) *proposals {
	return &proposals{db: db, journal: j, bus: b, clock: c}
}

func (p *proposals) now() time.Time { return p.clock.Now().UTC().Truncate(time.Microsecond) }

// add keeps what an answer proposes, in the context's transaction.
func (p *proposals) add(ctx context.Context, questionID, accountID string, offers []engine.Proposal) error {
	now := p.now()
	for i, offer := range offers {
		content, err := json.Marshal(offer)
		if err != nil {
			return fmt.Errorf("encode a proposal: %w", err)
		}
		row := proposalRow{
			ID: database.NewID(), QuestionID: questionID, AccountID: accountID, Position: i, Content: content,
			State: open, CreatedAt: now, ExpiresAt: now.Add(openFor),
		}
		if _, err := p.db.In(ctx).NewInsert().Model(&row).Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("keep a proposal: %w", err), nil)
		}
		if err := p.announce(ctx, kindProposed, row.ID, offer); err != nil {
			return err
		}
	}
	return nil
}

// announce writes the journal's line and emits the event of the same name.
func (p *proposals) announce(ctx context.Context, kind, id string, offer engine.Proposal) error {
	err := p.journal.Record(ctx, p.db.In(ctx), audit.Entry{
		Action: kind, Object: audit.Object{Type: objectProposal, ID: id, Name: offer.Title},
		Changes: map[string]audit.Change{"request": {To: offer.Request.Method + " " + offer.Request.Path}},
	})
	if err != nil {
		return fmt.Errorf("record %s: %w", kind, err)
	}
	return p.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: id, At: p.now(), Data: Settled{Kind: offer.Kind}})
}

var errSettled = fault.Conflict("proposal_settled",
	"the proposal was confirmed or rejected, or its time is over; ask again")

// get shows an own proposal. Fault: not_found (404), for those of others too.
func (p *proposals) get(ctx context.Context, id string) (Proposal, error) {
	row, err := p.own(ctx, id, "")
	if err != nil {
		return Proposal{}, err
	}
	return row.shown(p.now())
}

func (p *proposals) own(ctx context.Context, id, lock string) (*proposalRow, error) {
	if !database.IsID(id) {
		return nil, errNoQuestion
	}
	row := new(proposalRow)
	read := p.db.In(ctx).NewSelect().Model(row).Where("p.id = ? and p.account_id = ?", id, access.From(ctx).AccountID)
	if lock != "" {
		read = read.For(lock)
	}
	err := read.Scan(ctx)
	return row, database.Fault(err, nil)
}

// settle confirms or rejects an own proposal, once. Faults: not_found (404), proposal_settled (409).
func (p *proposals) settle(ctx context.Context, id, state, kind string) (shown Proposal, err error) {
	err = p.db.InTx(ctx, func(ctx context.Context) error {
		row, err := p.own(ctx, id, "update")
		if err != nil {
			return err
		}
		now := p.now()
		if row.State != open || !row.ExpiresAt.After(now) {
			return errSettled
		}
		row.State, row.SettledAt = state, &now
		if _, err := p.db.In(ctx).NewUpdate().Model(row).Column("state", "settled_at").WherePK().Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("settle a proposal: %w", err), nil)
		}
		if shown, err = row.shown(now); err != nil {
			return err
		}
		return p.announce(ctx, kind, id, shown.Proposal)
	})
	return shown, err
}

// of gives the proposals of questions, by their ids.
func (p *proposals) of(ctx context.Context, questionIDs []string) (map[string][]Proposal, error) {
	found := map[string][]Proposal{}
	if len(questionIDs) == 0 {
		return found, nil
	}
	var rows []proposalRow
	err := p.db.In(ctx).NewSelect().Model(&rows).Where("p.question_id in (?)", bun.List(questionIDs)).
		OrderExpr("p.question_id, p.position").Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("list proposals: %w", err), nil)
	}
	now := p.now()
	for _, row := range rows {
		one, err := row.shown(now)
		if err != nil {
			return nil, err
		}
		found[row.QuestionID] = append(found[row.QuestionID], one)
	}
	return found, nil
}

func (r *proposalRow) shown(now time.Time) (Proposal, error) {
	out := Proposal{ID: r.ID, State: r.State, CreatedAt: r.CreatedAt.UTC(), ExpiresAt: r.ExpiresAt.UTC()}
	if r.State == open && !r.ExpiresAt.After(now) {
		out.State = expired
	}
	if r.SettledAt != nil {
		at := r.SettledAt.UTC()
		out.SettledAt = &at
	}
	if err := json.Unmarshal(r.Content, &out.Proposal); err != nil {
		return out, fmt.Errorf("read a stored proposal: %w", err)
	}
	return out, nil
}
