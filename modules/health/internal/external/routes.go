package external

import (
	"context"
	"net/http"
	"time"

	"panel/platform/access"
	"panel/platform/httpapi"
	"panel/platform/settings"
)

type body[T any] struct{ Body T }

type askedInput struct {
	FlowPath
	Body Asked
}

// FlowPath names a flow in a path.
type FlowPath struct {
	ID string `path:"id" maxLength:"64"`
}

type orderInput struct {
	FlowPath
	Body Order
}

type reportInput struct {
	FlowPath
	ReportID string `path:"report_id" maxLength:"64"`
}

// ReportList are the newest reports of a flow.
type ReportList struct {
	Items []Report `json:"items" maxItems:"100" doc:"The newest first"`
}

// asking is how long the service may take for an answer that costs nothing, with the wait for a turn.
const asking = 35 * time.Second

// Routes are the operations. Of reading, only the account and the operators are asked of the service.
func (s *Service) Routes(view, manage access.Key) httpapi.Routes {
	sees, may, reads := access.Needs(view), access.Needs(manage), httpapi.UngatedReads()
	accepted, waits := httpapi.Status(http.StatusAccepted), httpapi.Waits(asking)
	doc := settings.Routes("/bscheck/settings", "external checks", sees, may, s.settings, shownSettings)
	reads(&doc[0])
	return httpapi.Under("/api/v1/health", Feature, append(doc,
		httpapi.Get("/connection-units/{id}/bscheck-reports",
			"List the newest external reports of a flow; this starts no check and asks nobody", sees, s.listReports, reads),
		httpapi.Get("/connection-units/{id}/bscheck-targets", "List the addresses of a flow that can be checked from outside",
			sees, s.listTargets, reads),
		httpapi.Post("/connection-units/{id}/bscheck-checks/preview", "Ask what an external check would cost; this is free",
			may, s.previewed, waits),
		httpapi.Post("/connection-units/{id}/bscheck-checks", "Start a paid external check", may, s.started, accepted),
		httpapi.Post("/connection-units/{id}/bscheck-checks/{report_id}/cancel",
			"Cancel an external check; what is done stays paid for and is kept", may, s.cancelled, accepted),
		httpapi.Get("/bscheck/account", "Ask the service for external checks what is left there", may, s.account, waits),
		httpapi.Get("/bscheck/operators", "List the operators that the service for external checks has", may, s.operators,
			waits),
		httpapi.Get("/bscheck/summary", "Show how external checks stand; this asks nobody", sees, s.summary, reads),
		httpapi.Get("/bscheck/flows", "List the flows that were checked from outside, with their newest reports", sees,
			s.checkedFlows, reads),
		httpapi.Get("/bscheck/schedules", "List schedules of external checks", sees, s.listPlans, reads),
		httpapi.Post("/bscheck/schedules", "Add a schedule of paid external checks", may, s.createPlan,
			httpapi.Status(http.StatusCreated)),
		httpapi.Put("/bscheck/schedules/{id}", "Change a schedule of paid external checks", may, s.replacePlan),
		httpapi.Delete("/bscheck/schedules/{id}", "Remove a schedule of external checks", may, s.deletePlan,
			httpapi.Status(http.StatusNoContent)),
	)...)
}

type planInput struct{ Body Plan }

type planChangeInput struct {
	FlowPath
	IfMatch string `header:"If-Match" maxLength:"32"`
	Body    ScheduleChange
}

func (s *Service) summary(ctx context.Context, _ *struct{}) (*body[Summary], error) {
	summary, err := s.Summary(ctx)
	return &body[Summary]{summary}, err
}

func (s *Service) checkedFlows(ctx context.Context, in *httpapi.PageQuery) (*body[httpapi.Page[Checked]], error) {
	page, err := s.Flows(ctx, *in)
	return &body[httpapi.Page[Checked]]{page}, err
}

func (s *Service) listPlans(ctx context.Context, in *httpapi.PageQuery) (*body[httpapi.Page[Schedule]], error) {
	page, err := s.plans(ctx, *in)
	return &body[httpapi.Page[Schedule]]{page}, err
}

func (s *Service) createPlan(ctx context.Context, in *planInput) (*body[Schedule], error) {
	plan, err := s.addPlan(ctx, in.Body)
	return &body[Schedule]{plan}, err
}

func (s *Service) replacePlan(ctx context.Context, in *planChangeInput) (*body[Schedule], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	plan, err := s.changePlan(ctx, in.ID, revision, in.Body.Plan)
	return &body[Schedule]{plan}, err
}

func (s *Service) deletePlan(ctx context.Context, in *FlowPath) (*struct{}, error) {
	return nil, s.removePlan(ctx, in.ID)
}

func (s *Service) listReports(ctx context.Context, in *FlowPath) (*body[ReportList], error) {
	reports, err := s.Reports(ctx, in.ID)
	return &body[ReportList]{ReportList{reports}}, err
}

func (s *Service) listTargets(ctx context.Context, in *FlowPath) (*body[Targets], error) {
	targets, err := s.Targets(ctx, in.ID)
	return &body[Targets]{targets}, err
}

func (s *Service) previewed(ctx context.Context, in *askedInput) (*body[Preview], error) {
	preview, err := s.Preview(ctx, in.ID, in.Body)
	return &body[Preview]{preview}, err
}

func (s *Service) started(ctx context.Context, in *orderInput) (*body[Started], error) {
	started, err := s.Start(ctx, in.ID, in.Body)
	return &body[Started]{started}, err
}

func (s *Service) cancelled(ctx context.Context, in *reportInput) (*body[Report], error) {
	report, err := s.Cancel(ctx, in.ID, in.ReportID)
	return &body[Report]{report}, err
}

func (s *Service) account(ctx context.Context, _ *struct{}) (*body[AccountView], error) {
	account, err := s.Account(ctx)
	return &body[AccountView]{account}, err
}

func (s *Service) operators(ctx context.Context, _ *struct{}) (*body[OperatorList], error) {
	list, err := s.Operators(ctx)
	return &body[OperatorList]{list}, err
}
