package nodes

import (
	"context"
	"strconv"
	"strings"
	"time"

	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// handlers are the operations for administrators: read the request, ask a service, shape the answer.
type handlers struct {
	service    *service
	store      *store
	enrollment *enrollment
	domainBook *domainBook
	telemetry  *telemetry
	outbox     *commands
	agents     *agents
	streams    *streams
	installer  *installer
	bulk       *bulk
}

func newHandlers(
	s *service, st *store, e *enrollment, d *domainBook, t *telemetry, c *commands, a *agents, r *streams, i *installer, b *bulk,
) *handlers {
	return &handlers{
		service: s, store: st, enrollment: e, domainBook: d, telemetry: t, outbox: c, agents: a, streams: r, installer: i, bulk: b,
	}
}

func (h *handlers) list(ctx context.Context, in *listInput) (*body[httpapi.Page[Node]], error) {
	now := h.service.now()
	k, err := newKeyset(in.PageQuery, "n.id", "name", h.store.orders())
	if err != nil {
		return nil, err
	}
	rows, total, err := h.store.list(ctx, in, k, now)
	if err != nil {
		return nil, err
	}
	shown := page(k, rows, total,
		func(row *viewRow) Node { return h.store.node(row, now) },
		func(row *viewRow) (string, string) { return row.SortKey, row.ID })
	nodes := make([]*Node, len(shown.Items))
	for i := range shown.Items {
		nodes[i] = &shown.Items[i]
	}
	return &body[httpapi.Page[Node]]{shown}, h.service.updates.fill(ctx, nodes...)
}

func (h *handlers) create(ctx context.Context, in *createInput) (*body[Detail], error) {
	return wrapped(h.service.create(ctx, &in.Body))
}

func (h *handlers) summary(ctx context.Context, _ *struct{}) (*body[Summary], error) {
	states, drift, err := h.store.countStates(ctx, h.service.now())
	if err != nil {
		return nil, err
	}
	out := Summary{States: map[string]int{}, Drift: drift}
	for _, state := range []string{"pending", "online", "degraded", "offline", "maintenance", "disabled"} {
		out.States[state] = states[state]
		out.Total += states[state]
	}
	return &body[Summary]{out}, nil
}

func (h *handlers) get(ctx context.Context, in *NodePath) (*body[Detail], error) {
	return wrapped(h.service.get(ctx, in.ID))
}

func (h *handlers) patch(ctx context.Context, in *patchInput) (*body[Detail], error) {
	want, err := wantedRevision(in.Body.Revision, in.IfMatch)
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
	return wrapped(h.telemetry.history(ctx, in.ID, in.Metric, momentOr(in.From, to.Add(-time.Hour)), to))
}

func (h *handlers) maintenance(ctx context.Context, in *maintenanceInput) (*body[Detail], error) {
	return wrapped(h.service.setMaintenance(ctx, in.ID, in.Body))
}

func (h *handlers) bulkActs(ctx context.Context, in *bulkInput) (*body[BulkOutcome], error) {
	return wrapped(h.bulk.run(ctx, &in.Body))
}

func (h *handlers) restartCore(ctx context.Context, in *NodePath) (*body[Operation], error) {
	return wrapped(h.service.order(ctx, h.outbox, in.ID, agentapi.RestartCore, nil))
}

func (h *handlers) rotateToken(ctx context.Context, in *NodePath) (*body[Operation], error) {
	return wrapped(h.service.order(ctx, h.outbox, in.ID, agentapi.RotateToken, nil))
}

func (h *handlers) logs(ctx context.Context, in *logsInput) (*body[Operation], error) {
	return wrapped(h.service.order(ctx, h.outbox, in.ID, agentapi.CollectLogs, agentapi.CollectLogsArgs{Lines: in.Body.Lines}))
}

func (h *handlers) operation(ctx context.Context, in *operationPath) (*body[Operation], error) {
	found, err := h.outbox.operation(ctx, in.ID, in.OperationID)
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
	k, err := newKeyset(in.PageQuery, "id", "-created_at", map[string]order{
		"created_at": {expression: "created_at", kind: "timestamptz"}, "expires_at": {expression: "expires_at", kind: "timestamptz"},
	})
	if err != nil {
		return nil, err
	}
	rows, total, err := h.enrollment.list(ctx, in, k)
	if err != nil {
		return nil, err
	}
	now := h.service.now()
	return &body[httpapi.Page[EnrollmentToken]]{page(k, rows, total,
		func(row *tokenRow) EnrollmentToken { return row.shown(now) },
		func(row *tokenRow) (string, string) { return row.SortKey, row.ID })}, nil
}

func (h *handlers) issueToken(ctx context.Context, in *tokenInput) (*secretBody[IssuedToken], error) {
	issued, err := h.enrollment.issue(ctx, tokenOrder{
		kind: in.Body.Kind, label: in.Body.Label, lives: time.Duration(in.Body.ExpiresSeconds) * time.Second, limit: in.Body.UsageLimit,
		tags: in.Body.AutoTags, node: in.Body.BindNodeID,
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

func (h *handlers) domains(ctx context.Context, in *domainsInput) (*body[httpapi.Page[Domain]], error) {
	k, err := newKeyset(in.PageQuery, "d.id", "hostname", map[string]order{
		"hostname": {expression: "d.hostname", kind: "text"}, "created_at": {expression: "d.created_at", kind: "timestamptz"},
	})
	if err != nil {
		return nil, err
	}
	rows, total, err := h.domainBook.list(ctx, in, k)
	if err != nil {
		return nil, err
	}
	return &body[httpapi.Page[Domain]]{page(k, rows, total, (*domainRow).shown,
		func(row *domainRow) (string, string) { return row.SortKey, row.ID })}, nil
}

func (h *handlers) createDomain(ctx context.Context, in *domainInput) (*body[Domain], error) {
	return wrapped(h.domainBook.create(ctx, in))
}

func (h *handlers) domain(ctx context.Context, in *DomainPath) (*body[Domain], error) {
	return wrapped(h.domainBook.get(ctx, in.ID))
}

func (h *handlers) patchDomain(ctx context.Context, in *domainPatch) (*body[Domain], error) {
	want, err := wantedRevision(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	return wrapped(h.domainBook.patch(ctx, in, want))
}

func (h *handlers) deleteDomain(ctx context.Context, in *DomainPath) (*struct{}, error) {
	return nil, h.domainBook.delete(ctx, in.ID)
}

const noStore = "no-store"

func wrapped[T any](value *T, err error) (*body[T], error) {
	if err != nil {
		return nil, err
	}
	return &body[T]{*value}, nil
}

// wantedRevision takes the revision from the body or from If-Match. Fault: missing_field (400).
func wantedRevision(inBody *int64, ifMatch string) (int64, error) {
	if inBody != nil {
		return *inBody, nil
	}
	if n, err := strconv.ParseInt(strings.Trim(strings.TrimPrefix(ifMatch, "W/"), `"`), 10, 64); err == nil {
		return n, nil
	}
	return 0, fault.Malformed("missing_field", "send the revision that the change starts from, in the body or as If-Match").
		Field("revision", "missing_field", "required")
}

// momentOr reads a time whose form the layer above has checked.
func momentOr(text string, usual time.Time) time.Time {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC()
	}
	return usual
}
