package nodes

import (
	"context"
	"time"

	"panel/modules/nodes/internal/figures"
	"panel/modules/nodes/internal/install"
	"panel/modules/nodes/internal/link"
	"panel/modules/nodes/internal/telemetry"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// handlers are the operations for administrators: read the request, ask a service, shape the answer.
type handlers struct {
	service    *service
	store      *store
	enrollment *enrollment
	telemetry  *telemetry.Telemetry
	agents     *agents
	streams    *link.Streams
	installer  *install.Installer
	bulk       *bulk
	fleet      *figures.Fleet
	feed       *figures.Feed
}

func newHandlers(
	s *service, st *store, e *enrollment, t *telemetry.Telemetry, a *agents, r *link.Streams, i *install.Installer,
	b *bulk,
	f *figures.Fleet, feed *figures.Feed,
) *handlers {
	return &handlers{
		service: s, store: st, enrollment: e, telemetry: t, agents: a, streams: r, installer: i, bulk: b, fleet: f,
		feed: feed,
	}
}

func (h *handlers) list(ctx context.Context, in *listInput) (*body[httpapi.Page[Node]], error) {
	now := h.service.now()
	k, err := keyset.New(in.PageQuery, "n.id", "name", h.store.orders())
	if err != nil {
		return nil, err
	}
	rows, total, err := h.store.list(ctx, in, k, now)
	if err != nil {
		return nil, err
	}
	shown := keyset.Page(k, rows, total,
		func(row *viewRow) Node { return h.store.node(row, now) },
		func(row *viewRow) (string, string) { return row.SortKey, row.ID })
	nodes := make([]*Node, len(shown.Items))
	for i := range shown.Items {
		nodes[i] = &shown.Items[i]
	}
	return &body[httpapi.Page[Node]]{shown}, h.service.complete(ctx, nodes...)
}

func (h *handlers) brief(ctx context.Context, in *briefInput) (*body[Briefs], error) {
	found, err := h.store.brief(ctx, in)
	return &body[Briefs]{Briefs{Nodes: list(found)}}, err
}

func (h *handlers) create(ctx context.Context, in *createInput) (*body[Detail], error) {
	return wrapped(h.service.create(ctx, &in.Body))
}

func (h *handlers) summary(ctx context.Context, _ *struct{}) (*body[figures.Summary], error) {
	return wrapped(h.fleet.Summary(ctx))
}

func (h *handlers) cells(ctx context.Context, _ *struct{}) (*body[figures.Cells], error) {
	return wrapped(h.fleet.Cells(ctx))
}

func (h *handlers) moment(ctx context.Context, in *momentInput) (*body[figures.Moment], error) {
	return wrapped(h.fleet.At(ctx, in.At.UTC()))
}

func (h *handlers) stateChanges(ctx context.Context, in *stateChangesInput) (*body[figures.StateChanges], error) {
	to := momentOr(in.To, h.service.now())
	return wrapped(h.fleet.StateChanges(ctx, figures.Span{
		NodeID: in.NodeID, From: momentOr(in.From, to.Add(-24*time.Hour)), To: to, Limit: in.Limit,
	}))
}

func (h *handlers) sparks(ctx context.Context, in *sparksInput) (*body[figures.Sparks], error) {
	return wrapped(h.fleet.Sparks(ctx, in.IDs, in.Metric))
}

func (h *handlers) fleetMetrics(ctx context.Context, in *fleetMetricsInput) (*body[Series], error) {
	to := momentOr(in.To, h.service.now())
	step, points, err := h.fleet.History(ctx, in.Metric, momentOr(in.From, to.Add(-24*time.Hour)), to)
	if err != nil {
		return nil, err
	}
	out := Series{Metric: in.Metric, StepSeconds: int(step / time.Second), Points: []Point{}}
	for _, p := range points {
		out.Points = append(out.Points, Point{At: p.At.UTC(), Value: p.Value})
	}
	return &body[Series]{out}, nil
}

func (h *handlers) get(ctx context.Context, in *NodePath) (*body[Detail], error) {
	return wrapped(h.service.get(ctx, in.ID))
}

func (h *handlers) patch(ctx context.Context, in *patchInput) (*body[Detail], error) {
	want, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	return wrapped(h.service.patch(ctx, in.ID, want, &in.Body))
}

func (h *handlers) delete(ctx context.Context, in *NodePath) (*struct{}, error) {
	return nil, h.service.delete(ctx, in.ID)
}

func (h *handlers) metrics(ctx context.Context, in *metricsInput) (*body[Series], error) {
	if _, err := h.store.view(ctx, in.ID, h.service.now()); err != nil {
		return nil, err
	}
	to := momentOr(in.To, h.service.now())
	found, err := h.telemetry.History(ctx, in.ID, in.Metric, momentOr(in.From, to.Add(-time.Hour)), to)
	if err != nil {
		return nil, err
	}
	out := Series{Metric: in.Metric, StepSeconds: int(found.Step / time.Second), Points: []Point{}}
	for _, p := range found.Points {
		out.Points = append(out.Points, Point(p))
	}
	return &body[Series]{out}, nil
}

func (h *handlers) maintenance(ctx context.Context, in *maintenanceInput) (*body[Detail], error) {
	return wrapped(h.service.setMaintenance(ctx, in.ID, in.Body))
}

func (h *handlers) bulkActs(ctx context.Context, in *bulkInput) (*body[BulkOutcome], error) {
	return wrapped(h.bulk.run(ctx, &in.Body))
}

func (h *handlers) restartCore(ctx context.Context, in *NodePath) (*body[Operation], error) {
	return wrapped(h.service.order(ctx, in.ID, agentapi.RestartCore, nil))
}

func (h *handlers) rotateToken(ctx context.Context, in *NodePath) (*body[Operation], error) {
	return wrapped(h.service.order(ctx, in.ID, agentapi.RotateToken, nil))
}

func (h *handlers) logs(ctx context.Context, in *logsInput) (*body[Operation], error) {
	return wrapped(h.service.order(ctx, in.ID, agentapi.CollectLogs, agentapi.CollectLogsArgs{Lines: in.Body.Lines}))
}

func (h *handlers) operation(ctx context.Context, in *operationPath) (*body[Operation], error) {
	found, err := h.service.operation(ctx, in.ID, in.OperationID)
	if err == nil && !access.From(ctx).Permissions.Has(Edit) {
		found.Logs = nil
	}
	return wrapped(found, err)
}

func (h *handlers) bindAgent(ctx context.Context, in *bindingInput) (*secretBody[Binding], error) {
	out := &secretBody[Binding]{CacheControl: noStore, Body: Binding{Action: in.Body.Action}}
	if in.Body.Action == "revoke" {
		return out, h.enrollment.revokeAgent(ctx, in.ID)
	}
	if _, err := h.store.view(ctx, in.ID, h.service.now()); err != nil {
		return nil, err
	}
	issued, err := h.enrollment.issue(ctx, tokenOrder{kind: "one_off", lives: 24 * time.Hour, node: &in.ID})
	out.Body.Enrollment = issued
	return out, err
}

func (h *handlers) tokens(ctx context.Context, in *tokensInput) (*body[httpapi.Page[EnrollmentToken]], error) {
	k, err := keyset.New(in.PageQuery, "id", "-created_at", map[string]keyset.Order{
		"created_at": {Expression: "created_at", Kind: httpapi.CursorMoment}, "expires_at": {
			Expression: "expires_at",
			Kind:       httpapi.CursorMoment,
		},
	})
	if err != nil {
		return nil, err
	}
	rows, total, err := h.enrollment.list(ctx, in, k)
	if err != nil {
		return nil, err
	}
	now := h.service.now()
	return &body[httpapi.Page[EnrollmentToken]]{keyset.Page(k, rows, total,
		func(row *tokenRow) EnrollmentToken { return row.shown(now) },
		func(row *tokenRow) (string, string) { return row.SortKey, row.ID })}, nil
}

func (h *handlers) issueToken(ctx context.Context, in *tokenInput) (*secretBody[IssuedToken], error) {
	issued, err := h.enrollment.issue(ctx, tokenOrder{
		kind: in.Body.Kind, label: in.Body.Label, lives: time.Duration(in.Body.ExpiresSeconds) * time.Second,
		limit: in.Body.UsageLimit,
		tags:  in.Body.AutoTags, node: in.Body.BindNodeID,
	})
	if err != nil {
		return nil, err
	}
	return &secretBody[IssuedToken]{CacheControl: noStore, Body: *issued}, nil
}

func (h *handlers) token(ctx context.Context, in *tokenPath) (*body[EnrollmentToken], error) {
	return wrapped(h.enrollment.get(ctx, in.TokenID))
}

func (h *handlers) revokeToken(ctx context.Context, in *tokenPath) (*struct{}, error) {
	return nil, h.enrollment.revoke(ctx, in.TokenID)
}

const noStore = "no-store"

func wrapped[T any](value *T, err error) (*body[T], error) {
	if err != nil {
		return nil, err
	}
	return &body[T]{*value}, nil
}

// momentOr reads a time whose form the layer above has checked.
func momentOr(text string, usual time.Time) time.Time {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC()
	}
	return usual
}
