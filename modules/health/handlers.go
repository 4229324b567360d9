package health

import (
	"context"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/incidents"
	"panel/modules/health/internal/repair"
	"panel/modules/health/internal/rules"
	"panel/modules/health/internal/view"
	"panel/platform/httpapi"
)

// handlers read the request, ask policies and views, and shape the answer.
type handlers struct {
	policies *policies
	views    *view.Views
	runs     *runs
	kept     *incidents.Incidents
	repairs  *repair.Repairs
}

func newHandlers(
	p *policies, v *view.Views, r *runs, i *incidents.Incidents, heals *repair.Repairs,
) *handlers {
	return &handlers{p, v, r, i, heals}
}

func (h *handlers) summary(ctx context.Context, _ *struct{}) (*body[view.Summary], error) {
	summary, err := h.views.Summary(ctx)
	return &body[view.Summary]{summary}, err
}

func (h *handlers) list(ctx context.Context, kind string, in *listInput) (*body[httpapi.Page[view.Subject]], error) {
	page, err := h.views.Page(ctx, kind, view.Filter{
		PageQuery: in.PageQuery, Part: in.Query, State: in.State, Days: in.Days, IDs: in.IDs,
	})
	return &body[httpapi.Page[view.Subject]]{page}, err
}

func (h *handlers) nodes(ctx context.Context, in *listInput) (*body[httpapi.Page[view.Subject]], error) {
	return h.list(ctx, healthapi.Node, in)
}

func (h *handlers) flows(ctx context.Context, in *listInput) (*body[httpapi.Page[view.Subject]], error) {
	return h.list(ctx, healthapi.Flow, in)
}

func (h *handlers) subject(ctx context.Context, kind string, in *subjectInput) (*body[view.SubjectDetail], error) {
	subject, err := h.views.Subject(ctx, kind, in.ID, in.Days)
	return &body[view.SubjectDetail]{subject}, err
}

func (h *handlers) node(ctx context.Context, in *subjectInput) (*body[view.SubjectDetail], error) {
	return h.subject(ctx, healthapi.Node, in)
}

func (h *handlers) flow(ctx context.Context, in *subjectInput) (*body[view.SubjectDetail], error) {
	return h.subject(ctx, healthapi.Flow, in)
}

func (h *handlers) history(ctx context.Context, kind string, in *historyInput) (*body[view.History], error) {
	history, err := h.views.History(ctx, kind, in.ID, in.From, in.To)
	return &body[view.History]{history}, err
}

func (h *handlers) nodeHistory(ctx context.Context, in *historyInput) (*body[view.History], error) {
	return h.history(ctx, healthapi.Node, in)
}

func (h *handlers) flowHistory(ctx context.Context, in *historyInput) (*body[view.History], error) {
	return h.history(ctx, healthapi.Flow, in)
}

func (h *handlers) listPolicies(ctx context.Context, in *policiesInput) (*body[httpapi.Page[Policy]], error) {
	page, err := h.policies.page(ctx, in.PageQuery, in.Query)
	return &body[httpapi.Page[Policy]]{page}, err
}

func (h *handlers) shown(ctx context.Context, id string, err error) (*body[Policy], error) {
	if err != nil {
		return nil, err
	}
	policy, err := h.policies.get(ctx, id)
	return &body[Policy]{policy}, err
}

func (h *handlers) policy(ctx context.Context, in *SubjectPath) (*body[Policy], error) {
	return h.shown(ctx, in.ID, nil)
}

func (h *handlers) createPolicy(ctx context.Context, in *createInput) (*body[Policy], error) {
	id, err := h.policies.create(ctx, in.Body)
	return h.shown(ctx, id, err)
}

func (h *handlers) changePolicy(ctx context.Context, in *changeInput) (*body[Policy], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err == nil {
		err = h.policies.change(ctx, in.ID, revision, in.Body)
	}
	return h.shown(ctx, in.ID, err)
}

func (h *handlers) removePolicy(ctx context.Context, in *SubjectPath) (*struct{}, error) {
	return nil, h.policies.remove(ctx, in.ID)
}

func (h *handlers) run(ctx context.Context, in *runInput) (*body[Started], error) {
	started, err := h.runs.start(ctx, in.Body)
	return &body[Started]{started}, err
}

func (h *handlers) incidents(
	ctx context.Context, in *incidentsInput,
) (*body[httpapi.Page[incidents.Incident]], error) {
	page, err := h.kept.Page(ctx, incidents.Filter{
		PageQuery: in.PageQuery, State: in.State, Severity: in.Severity, Kind: in.Kind,
		SubjectID: in.SubjectID, SufferingIDs: in.IDs,
	})
	return &body[httpapi.Page[incidents.Incident]]{page}, err
}

func (h *handlers) incident(ctx context.Context, in *SubjectPath) (*body[repair.Detail], error) {
	detail, err := h.kept.Detail(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	done, err := h.repairs.OfIncident(ctx, in.ID)
	return &body[repair.Detail]{repair.Detail{Detail: detail, Actions: done}}, err
}

func (h *handlers) acknowledge(ctx context.Context, in *incidentActInput) (*body[repair.Detail], error) {
	if err := h.kept.Acknowledge(ctx, in.ID, in.Body.Note); err != nil {
		return nil, err
	}
	return h.incident(ctx, &in.SubjectPath)
}

func (h *handlers) resolve(ctx context.Context, in *incidentActInput) (*body[repair.Detail], error) {
	if err := h.kept.Resolve(ctx, in.ID, in.Body.Note); err != nil {
		return nil, err
	}
	return h.incident(ctx, &in.SubjectPath)
}

func (h *handlers) actions(ctx context.Context, in *actionsInput) (*body[httpapi.Page[repair.Action]], error) {
	page, err := h.repairs.Page(ctx, repair.Filter{
		PageQuery: in.PageQuery, State: in.State, NodeID: in.NodeID, IncidentID: in.IncidentID,
	})
	return &body[httpapi.Page[repair.Action]]{page}, err
}

func (h *handlers) action(ctx context.Context, in *SubjectPath) (*body[repair.Action], error) {
	shown, err := h.repairs.Show(ctx, in.ID)
	return &body[repair.Action]{shown}, err
}

func (h *handlers) approve(ctx context.Context, in *SubjectPath) (*body[repair.Action], error) {
	if err := h.repairs.Approve(ctx, in.ID); err != nil {
		return nil, err
	}
	return h.action(ctx, in)
}

func (h *handlers) dismiss(ctx context.Context, in *SubjectPath) (*body[repair.Action], error) {
	if err := h.repairs.Dismiss(ctx, in.ID); err != nil {
		return nil, err
	}
	return h.action(ctx, in)
}

func (h *handlers) undo(ctx context.Context, in *SubjectPath) (*body[repair.Action], error) {
	if err := h.repairs.Undo(ctx, in.ID); err != nil {
		return nil, err
	}
	return h.action(ctx, in)
}

func (h *handlers) dryRun(ctx context.Context, in *dryRunInput) (*body[repair.DryRun], error) {
	wanted := rules.Repair{
		Actions: in.Actions, Limits: rules.Limits{
			MaxActionsPerHour: in.MaxActionsPerHour, CooldownS: in.CooldownS, MaxPctOfPool: in.MaxPctOfPool,
		},
	}
	if len(wanted.Actions) == 0 {
		wanted.Actions = rules.Ladder
	}
	out, err := h.repairs.DryRun(ctx, in.PolicyID, wanted)
	return &body[repair.DryRun]{out}, err
}
