package automation

import (
	"context"
	"time"

	"panel/platform/access"
	"panel/platform/automation"
	"panel/platform/httpapi"
)

type handlers struct{ stop *automation.Switch }

func newHandlers(s *automation.Switch) *handlers { return &handlers{s} }

// routes let everybody see that nothing happens by itself: it explains what they find. To stop is possible at any time.
func (h *handlers) routes() httpapi.Routes {
	return httpapi.Under("/api/v1/system/automation", "",
		httpapi.Get("", "Show whether everything automatic is stopped", access.Session(), h.state),
		httpapi.Get("/acts", "List what the panel does by itself", access.Needs(manage), h.list),
		httpapi.Post("/stop", "Stop everything that the panel does by itself", access.Needs(manage), h.halt,
			httpapi.WhileDegraded()),
		httpapi.Post("/resume", "Let the panel act by itself again", access.Needs(manage), h.resume,
			httpapi.WhileDegraded()),
	)
}

type stateOutput struct{ Body automation.State }

func (h *handlers) state(ctx context.Context, _ *struct{}) (*stateOutput, error) {
	state, err := h.stop.State(ctx)
	return &stateOutput{state}, err
}

// StopOrder says why everything is stopped.
type StopOrder struct {
	Reason string `json:"reason" minLength:"1" maxLength:"300" doc:"Shown to everybody who finds everything stopped"`
}

type stopInput struct{ Body StopOrder }

func (h *handlers) halt(ctx context.Context, in *stopInput) (*stateOutput, error) {
	state, err := h.stop.Stop(ctx, in.Body.Reason)
	return &stateOutput{state}, err
}

func (h *handlers) resume(ctx context.Context, _ *struct{}) (*stateOutput, error) {
	state, err := h.stop.Resume(ctx)
	return &stateOutput{state}, err
}

// Act is something that the panel does by itself.
type Act struct {
	Name    string         `json:"name" example:"flows.promote_canary"`
	Summary string         `json:"summary"`
	Budget  string         `json:"budget" doc:"What bounds it"`
	Why     automation.Why `json:"why" enum:",stopped,read_only,not_in_plan" doc:"What keeps it from happening now; empty: nothing"`
	Last    *LastAct       `json:"last" doc:"What it did last; null: nothing that the journal has"`
}

// LastAct is what an act did last.
type LastAct struct {
	At     time.Time `json:"at"`
	Action string    `json:"action" doc:"What the journal calls it"`
	Object string    `json:"object" doc:"Name of what it was done to"`
}

// ActList is everything that this build does by itself.
type ActList struct {
	State automation.State `json:"state"`
	Items []Act            `json:"items"`
}

type listOutput struct{ Body ActList }

func (h *handlers) list(ctx context.Context, _ *struct{}) (*listOutput, error) {
	all, state, err := h.stop.List(ctx)
	if err != nil {
		return nil, err
	}
	out := &listOutput{ActList{State: state, Items: make([]Act, len(all))}}
	for i, a := range all {
		out.Body.Items[i] = Act{Name: a.Name, Summary: a.Summary, Budget: a.Budget, Why: a.Why}
		if a.Last != nil {
			out.Body.Items[i].Last = &LastAct{At: a.Last.At, Action: a.Last.Action, Object: a.Last.Object}
		}
	}
	return out, nil
}
