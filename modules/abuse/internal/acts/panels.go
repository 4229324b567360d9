package acts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"panel/modules/abuse/internal/cases"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
)

// What is done about users who live in a proxy panel is done by that panel. It is asked by a job, after the transaction
// in which somebody wanted it; until then the act is pending.

const (
	kindPanel  = "abuse.panel"
	kindEnable = "abuse.enable"

	panelWithin = 2 * time.Minute
	// panelTries is how often the proxy panel is asked before an act has failed.
	panelTries = 3
	// enableTries are enough for a proxy panel that is gone for days.
	enableTries = 25
)

type panelArgs struct{ ActionID string }

// Kind names the worker.
func (panelArgs) Kind() string { return kindPanel }

type enableArgs struct{ ActionID string }

// Kind names the worker.
func (enableArgs) Kind() string { return kindEnable }

// lives says whether a user lives in a proxy panel.
func lives(userRef string) bool {
	_, _, known := proxypanelapi.ReadRef(userRef)
	return known
}

// known makes sure that there is somebody to warn. Fault: user_gone (409).
func (a *Acts) known(ctx context.Context, r *row) error {
	if !lives(r.UserRef) {
		_, err := a.client(ctx, r)
		return err
	}
	names, err := a.People.Labels(ctx, r.UserRef)
	if _, there := names[r.UserRef]; err == nil && !there {
		return errGone
	}
	return err
}

// askPanel has the proxy panel asked after the transaction of the context.
func (a *Acts) askPanel(ctx context.Context, r *row) error {
	r.State = Pending
	if err := a.known(ctx, r); err != nil {
		return err
	}
	return a.Queue.Insert(ctx, panelArgs{r.ID}, jobs.Opts{Attempts: panelTries})
}

// inPanel does an act in the proxy panel. Each step may be done again: what the user was before is kept before it is
// changed.
func (a *Acts) inPanel(ctx context.Context, job jobs.Job, args panelArgs) error {
	r, err := a.load(ctx, args.ActionID)
	if err != nil || r.State != Pending {
		return ignoreMissing(err)
	}
	err = a.doInPanel(ctx, r)
	var refused *fault.Fault
	switch {
	case errors.Is(err, proxypanelapi.ErrUnknown):
		return a.panelDid(ctx, r.ID, errGone.Code)
	case err == nil:
		return a.panelDid(ctx, r.ID, "")
	case job.Last && errors.As(err, &refused):
		return a.panelDid(ctx, r.ID, refused.Code)
	}
	return err
}

func (a *Acts) doInPanel(ctx context.Context, r *row) error {
	if r.Kind == DropSessions {
		_, err := a.People.Drop(ctx, r.UserRef)
		return err
	}
	if r.Effects.Person == nil {
		before, err := a.People.Read(ctx, r.UserRef)
		if err != nil {
			return err
		}
		r.Effects.Person = &person{Disabled: before.Disabled, MadeAt: before.MadeAt}
		done, err := a.DB.In(ctx).NewUpdate().Model(r).Column("effects").WherePK().Where("a.state = ?", Pending).Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("keep what a user was before: %w", err), nil)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return err // it was given up meanwhile
		}
	}
	return a.People.Disable(ctx, r.UserRef)
}

// panelDid notes what came of an act in the proxy panel; an empty code: it is done.
func (a *Acts) panelDid(ctx context.Context, id, code string) error {
	r, err := a.load(ctx, id)
	if err != nil {
		return ignoreMissing(err)
	}
	return a.DB.InTx(ctx, func(ctx context.Context) error {
		var c cases.Held
		if r.CaseID != nil {
			if c, err = a.Cases.Hold(ctx, *r.CaseID); ignoreMissing(err) != nil {
				return err
			}
		}
		r := new(row)
		err := a.DB.In(ctx).NewSelect().Model(r).Where("a.id = ?", id).For("update").Scan(ctx)
		if err != nil || r.State != Pending {
			return ignoreMissing(database.Fault(err, nil))
		}
		now := a.now()
		switch {
		case code != "":
			r.State, r.EndedAt, r.Result.Error = Failed, &now, code
		case r.Kind == DropSessions:
			r.State, r.EndedAt = Ended, &now
		default:
			r.State = Active
		}
		return a.settled(ctx, r, c.ID)
	})
}

// settled stores an act that is pending no more, with what follows from it.
func (a *Acts) settled(ctx context.Context, r *row, caseID string) error {
	if err := a.save(ctx, r); err != nil {
		return err
	}
	if r.State == Active {
		if err := a.endsAt(ctx, r.Until); err != nil {
			return err
		}
		if caseID != "" {
			return a.Cases.Actioned(ctx, caseID)
		}
	}
	if caseID == "" {
		return nil
	}
	return a.Cases.Told(ctx, caseID)
}

// abandon ends an act that is still pending when its time is over. What it may have changed is given back.
func (a *Acts) abandon(ctx context.Context, id string) error {
	return a.DB.InTx(ctx, func(ctx context.Context) error {
		r := new(row)
		err := a.DB.In(ctx).NewSelect().Model(r).Where("a.id = ?", id).For("update").Scan(ctx)
		if err != nil || r.State != Pending {
			return ignoreMissing(database.Fault(err, nil))
		}
		if r.Kind == DisableUser {
			if err := a.enableLater(ctx, r); err != nil {
				return err
			}
		}
		now := a.now()
		r.State, r.EndedAt, r.Result.Error = Failed, &now, "proxypanel_timeout"
		return a.save(ctx, r)
	})
}

// enableLater has a user enabled again that an act has disabled, after the transaction of the context.
func (a *Acts) enableLater(ctx context.Context, r *row) error {
	if before := r.Effects.Person; before == nil || before.Disabled {
		return nil
	}
	return a.Queue.Insert(ctx, enableArgs{r.ID}, jobs.Opts{Attempts: enableTries})
}

// enable lets a user in again whom an act has disabled, unless another act holds or the number is another user's now.
func (a *Acts) enable(ctx context.Context, _ jobs.Job, args enableArgs) error {
	r, err := a.load(ctx, args.ActionID)
	if err != nil || r.Effects.Person == nil {
		return ignoreMissing(err)
	}
	var again bool
	err = a.DB.In(ctx).NewRaw(`select exists (select from abuse_actions where user_ref = ? and kind = ? and id <> ?
		and state in (?, ?))`, r.UserRef, DisableUser, r.ID, Pending, Active).Scan(ctx, &again)
	if err != nil || again {
		return database.Fault(err, nil)
	}
	now, err := a.People.Read(ctx, r.UserRef)
	if err == nil && now.Same(r.Effects.Person.MadeAt) {
		err = a.People.Enable(ctx, r.UserRef)
	}
	if errors.Is(err, proxypanelapi.ErrUnknown) {
		return nil
	}
	return err
}
