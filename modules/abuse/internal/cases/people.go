package cases

import (
	"context"
	"fmt"
	"strings"
	"time"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// Change is what people change of a case. What is left out stays.
type Change struct {
	Revision       *int64     `json:"revision,omitempty" minimum:"1" doc:"Revision that the change starts from; or send it as If-Match"`
	State          *string    `json:"state,omitempty" enum:"open,dismissed" doc:"dismissed: it is no abuse; open: it is looked at again"`
	Note           *string    `json:"note,omitempty" minLength:"1" maxLength:"2000" doc:"Why, for those who read it later"`
	WhitelistUntil *time.Time `json:"whitelist_until,omitempty" doc:"No case of this user is opened until then; a moment that is past takes it back"`
}

var (
	errLive   = fault.Conflict("case_live", "another case of this user is open already")
	errActing = fault.Conflict("case_acting", "something is being done about this user: undo it first")
)

// farthest is how long a user may be left alone.
const farthest = 366 * 24 * time.Hour

// Change changes a case. Faults: not_found (404), revision_conflict, case_live, case_acting (409), invalid_value (422).
func (c *Cases) Change(ctx context.Context, id string, revision int64, to Change) (Case, error) {
	err := c.DB.InTx(ctx, func(ctx context.Context) error {
		r, err := c.load(ctx, id, "update of c")
		if err != nil {
			return err
		}
		if r.Revision != revision {
			return httpapi.ErrRevision
		}
		return c.change(ctx, r, to)
	})
	if err != nil {
		return Case{}, err
	}
	return c.Get(ctx, id)
}

func (c *Cases) change(ctx context.Context, r *row, to Change) error {
	now, changes := c.now(), map[string]audit.Change{}
	if to.State != nil && *to.State != r.State {
		changes["state"] = audit.Change{From: r.State, To: *to.State}
		if err := c.turn(ctx, r, *to.State, now); err != nil {
			return err
		}
	}
	if at := to.WhitelistUntil; at != nil {
		if at.Sub(now) > farthest {
			return fault.InvalidValue("whitelist_until", "must lie within a year")
		}
		changes["whitelist_until"] = audit.Change{From: utc(r.WhitelistUntil), To: at.UTC()}
		if r.WhitelistUntil = at; !at.After(now) {
			r.WhitelistUntil = nil
		}
	}
	if to.Note != nil {
		if err := c.note(ctx, r, *to.Note); err != nil {
			return err
		}
	}
	if len(changes) == 0 {
		return nil
	}
	r.Revision, r.UpdatedAt = r.Revision+1, now
	if err := c.save(ctx, r); err != nil {
		return err
	}
	if err := c.record(ctx, EventChanged, r, changes); err != nil {
		return err
	}
	return c.announce(ctx, EventChanged, r)
}

// turn dismisses a case or opens it again.
func (c *Cases) turn(ctx context.Context, r *row, state string, now time.Time) error {
	switch {
	case r.State == Actioned:
		return errActing
	case state == Dismissed:
		r.close(Dismissed, access.From(ctx).Name(), now)
		r.Revision-- // the change counts once
		return c.Watched(ctx)
	}
	var live bool
	err := c.DB.In(ctx).NewRaw("select exists (select from abuse_cases where user_ref = ? and state in (?, ?))", r.UserRef,
		Open, Actioned).Scan(ctx, &live)
	if err != nil || live {
		return firstOf(database.Fault(err, nil), errLive)
	}
	r.State, r.ClosedAt, r.ClosedBy, r.WhitelistUntil, r.Reopened = Open, nil, "", nil, r.Reopened+1
	r.EvidenceAt = now // somebody looks at it again
	return c.Watched(ctx)
}

func firstOf(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// Note adds a note to a case and gives the case. Faults: not_found (404), invalid_value (422).
func (c *Cases) Note(ctx context.Context, id, text string) (Case, error) {
	err := c.DB.InTx(ctx, func(ctx context.Context) error {
		r, err := c.load(ctx, id, "share of c")
		if err != nil {
			return err
		}
		return c.note(ctx, r, text)
	})
	if err != nil {
		return Case{}, err
	}
	return c.Get(ctx, id)
}

const mostNotes = 500

func (c *Cases) note(ctx context.Context, r *row, text string) error {
	if text = strings.TrimSpace(text); text == "" {
		return fault.InvalidValue("text", "must say something")
	}
	var notes int
	err := c.DB.In(ctx).NewRaw("select count(*) from abuse_notes where case_id = ?", r.ID).Scan(ctx, &notes)
	if err != nil {
		return database.Fault(err, nil)
	}
	if notes >= mostNotes {
		return fault.InvalidValue("text", fmt.Sprintf("a case has at most %d notes", mostNotes))
	}
	_, err = c.DB.In(ctx).NewInsert().Model(&noteRow{
		ID: database.NewID(), CaseID: r.ID, Text: text, CreatedBy: access.From(ctx).Name(), CreatedAt: c.now(),
	}).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("store a note: %w", err), nil)
	}
	if err := c.record(ctx, ActionNoted, r, nil); err != nil {
		return err
	}
	return c.announce(ctx, EventChanged, r)
}

func (c *Cases) record(ctx context.Context, action string, r *row, changes map[string]audit.Change) error {
	err := c.Journal.Record(ctx, c.DB.In(ctx), audit.Entry{
		Action: action, Object: audit.Object{Type: Object, ID: r.ID, Name: r.title()}, Changes: changes,
	})
	if err != nil {
		return fmt.Errorf("record what was done with a case: %w", err)
	}
	return nil
}

func (r *row) title() string { return fmt.Sprintf("%d", r.Number) }

// Forget lets closed cases and what is remembered of users go that are older than a moment.
func (c *Cases) Forget(ctx context.Context, before time.Time) error {
	for _, statement := range []string{
		"delete from abuse_cases where closed_at <= ?", "delete from abuse_subjects where updated_at <= ?",
	} {
		if _, err := c.DB.In(ctx).NewRaw(statement, before.UTC()).Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("forget old cases: %w", err), nil)
		}
	}
	return nil
}
