package abuse

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/abuse/internal/acts"
	"panel/modules/abuse/internal/blocks"
	"panel/modules/abuse/internal/cases"
	"panel/modules/abuse/internal/intake"
	"panel/modules/abuse/internal/views"
	"panel/modules/clients/clientsapi"
	"panel/modules/nodes/nodesapi"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/settings"
)

func newActs(
	db *database.DB, clock clockwork.Clock, j audit.Journal, bus *events.Bus, queue *jobs.Enqueuer, v *views.Views,
	c *cases.Cases, fleet nodesapi.Fleet, commands nodesapi.Commands, clients clientsapi.Clients, users clientsapi.Acts,
	b *blocks.Blocks, stop *automation.Switch, doc *settings.Doc[Settings], people proxypanelapi.People,
) *acts.Acts {
	return acts.New(acts.Tools{
		DB: db, Clock: clock, Journal: j, Bus: bus, Queue: queue, Views: v, Cases: c, Fleet: fleet, Commands: commands,
		Clients: clients, Users: users, Blocks: b, Stop: stop, Plan: automatic(doc), People: people,
	})
}

// actEvents are the kinds of events about acts.
func actEvents() []events.Kind {
	return []events.Kind{
		{
			Name: acts.EventActioned, Summary: "Something was done about a user", Needs: View, Live: true,
			Subject: cases.Object, Notify: true, Screen: caseScreen, Data: acts.News{},
			Effect: "It ends by itself, or somebody undoes it.",
		},
		{
			Name: acts.EventUndone, Summary: "What was done about a user is over, and what it changed was given back",
			Needs: View, Live: true, Subject: cases.Object, Data: acts.News{},
		},
	}
}

// forgets lets cases and acts go that were over before a moment, and blocks as soon as addresses of users.
func forgets(
	c *cases.Cases, a *acts.Acts, b *blocks.Blocks, kept func(ctx context.Context) (intake.Kept, error),
) func(ctx context.Context, before time.Time) error {
	return func(ctx context.Context, before time.Time) error {
		times, err := kept(ctx)
		if err != nil {
			return err
		}
		return errors.Join(c.Forget(ctx, before), a.Forget(ctx, before),
			b.Forget(ctx, before.Add(times.All-times.Addresses)))
	}
}

func (h *handlers) actRoutes(view, manage access.Rule) httpapi.Routes {
	return httpapi.Under("/api/v1/abuse", feature,
		httpapi.Post("/cases/{id}/actions", "Do something about the user of a case", manage, h.act,
			httpapi.Status(http.StatusCreated)),
		httpapi.Get("/actions", "List what was done about users", view, h.listActs, httpapi.UngatedReads()),
		httpapi.Post("/actions/{id}/undo", "Take back what was done about a user", manage, h.undo),
	)
}

type actInput struct {
	CasePath
	Body acts.Order
}

type actsInput struct {
	httpapi.PageQuery
	State   string `query:"state" enum:"pending,active,failed,ended,undone"`
	Kind    string `query:"kind" enum:"warn,limit,drop_sessions,block_ips,revoke,disable_user"`
	UserRef string `query:"user_ref" maxLength:"128" doc:"c:<client id> or p:<connection>:<user id>"`
}

// ActionPath names an act.
type ActionPath struct {
	ID string `path:"id" maxLength:"64"`
}

func (h *handlers) act(ctx context.Context, in *actInput) (*body[cases.Action], error) {
	done, err := h.acts.Do(ctx, in.ID, in.Body)
	return &body[cases.Action]{done}, err
}

func (h *handlers) listActs(ctx context.Context, in *actsInput) (*body[httpapi.Page[cases.Action]], error) {
	page, err := h.acts.Page(ctx, acts.Filter{
		PageQuery: in.PageQuery, State: in.State, Kind: in.Kind, UserRef: in.UserRef,
	})
	return &body[httpapi.Page[cases.Action]]{page}, err
}

func (h *handlers) undo(ctx context.Context, in *ActionPath) (*body[cases.Action], error) {
	undone, err := h.acts.Undo(ctx, in.ID)
	return &body[cases.Action]{undone}, err
}
