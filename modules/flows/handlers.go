package flows

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"panel/modules/flows/internal/bulk"
	"panel/modules/flows/internal/explain"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/past"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/redraw"
	"panel/modules/flows/internal/traffic"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

type handlers struct {
	s       *service
	bulk    *bulk.Applies
	redraws *redraw.Redraws
}

func newHandlers(s *service, b *bulk.Applies, r *redraw.Redraws) *handlers {
	return &handlers{s: s, bulk: b, redraws: r}
}

const noStore = "no-store"

func answer[T any](value T, err error) (*body[T], error) {
	if err != nil {
		return nil, err
	}
	return &body[T]{Body: value}, nil
}

func secret[T any](value T, err error) (*secretBody[T], error) {
	if err != nil {
		return nil, err
	}
	return &secretBody[T]{CacheControl: noStore, Body: value}, nil
}

// revisionOf takes the revision that a change starts from, from the body or from If-Match.
func revisionOf(inBody int, ifMatch string) (int, error) {
	if inBody > 0 {
		return inBody, nil
	}
	if ifMatch == "" {
		return 0, fault.Malformed("missing_field",
			"send the revision that your change starts from, as revision or as If-Match").
			Field("revision", "missing_field", "send it in the body or as If-Match")
	}
	n, err := strconv.Atoi(strings.Trim(strings.TrimPrefix(ifMatch, "W/"), `"`))
	if err != nil || n < 1 {
		return 0, fault.Malformed("bad_parameter", "If-Match must hold the revision as a number")
	}
	return n, nil
}

func (h *handlers) list(ctx context.Context, in *listInput) (*body[httpapi.Page[Flow]], error) {
	return answer(h.s.list(ctx, in))
}

func (h *handlers) create(ctx context.Context, in *createInput) (*flowOutput, error) {
	g := graph.Graph{Nodes: []graph.Node{}, Edges: []graph.Edge{}}
	if in.Body.Graph != nil {
		g = *in.Body.Graph
	}
	id, err := h.s.create(ctx, in.Body.Name, in.Body.Description, in.Body.Tags, g)
	if err != nil {
		return nil, err
	}
	return answer(h.s.shownOne(ctx, id))
}

func (h *handlers) get(ctx context.Context, in *FlowPath) (*flowOutput, error) {
	return answer(h.s.shownOne(ctx, in.ID))
}

func (h *handlers) traffic(ctx context.Context, in *FlowPath) (*body[traffic.Traffic], error) {
	return answer(h.s.traffic(ctx, in.ID))
}

func (h *handlers) trafficOf(ctx context.Context, in *trafficInput) (*body[traffic.Sums], error) {
	return answer(traffic.SumsOf(ctx, h.s.db, h.s.nodes.readings, in.IDs, h.s.now()))
}

func (h *handlers) installedAt(ctx context.Context, in *momentInput) (*body[past.Installed], error) {
	return answer(past.At(ctx, h.s.db, in.At, h.s.now()))
}

func (h *handlers) patch(ctx context.Context, in *patchInput) (*flowOutput, error) {
	revision, err := revisionOf(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	if err := h.s.patch(ctx, in.ID, revision, *in); err != nil {
		return nil, err
	}
	return answer(h.s.shownOne(ctx, in.ID))
}

func (h *handlers) delete(ctx context.Context, in *FlowPath) (*applyOutput, error) {
	row, err := h.s.delete(ctx, in.ID)
	return h.begun(ctx, row, err)
}

// begun answers with an apply as it was written down: a deletion of a flow that runs nowhere may be over, with all its
// records, before anybody could read it again.
func (h *handlers) begun(ctx context.Context, row *applyRow, err error) (*applyOutput, error) {
	if err != nil {
		return nil, err
	}
	numbers, err := h.s.versionNumbers(ctx, row.FlowID)
	return answer(shownApply(*row, numbers), err)
}

func (h *handlers) draft(ctx context.Context, in *FlowPath) (*draftOutput, error) {
	row, err := h.s.store.flow(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return answer(shownDraft(row), nil)
}

func shownDraft(row *flowRow) Draft {
	return Draft{
		FlowID: row.ID, Revision: row.DraftRevision, Graph: row.Graph, Problems: orEmpty(graph.Check(row.Graph)),
		UpdatedAt: row.DraftUpdatedAt, UpdatedBy: row.DraftUpdatedBy,
	}
}

func (h *handlers) saveDraft(ctx context.Context, in *draftInput) (*draftOutput, error) {
	revision, err := revisionOf(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	row, err := h.s.saveDraft(ctx, in.ID, revision, in.Body.Graph, in.Body.VersionID)
	if err != nil {
		return nil, err
	}
	return answer(shownDraft(row), nil)
}

func (h *handlers) preview(ctx context.Context, in *previewInput) (*planOutput, error) {
	var drawn *graph.Graph
	if in.Body != nil {
		drawn = in.Body.Graph
	}
	return answer(h.s.preview(ctx, in.ID, drawn))
}

func (h *handlers) compile(ctx context.Context, in *compileInput) (*planOutput, error) {
	var wish *plan.CanaryWish
	if in.Body != nil {
		wish = in.Body.Canary
	}
	return answer(h.s.compile(ctx, in.ID, wish))
}

func (h *handlers) plan(ctx context.Context, in *planPath) (*planOutput, error) {
	return answer(h.s.plan(ctx, in.ID, in.PlanID))
}

func (h *handlers) recheck(ctx context.Context, in *planPath) (*planOutput, error) {
	return answer(h.s.recheck(ctx, in.ID, in.PlanID))
}

func (h *handlers) apply(ctx context.Context, in *applyInput) (*applyOutput, error) {
	id, err := h.s.apply(ctx, in.ID, in.Body.ID, in.Body.Revision, in.Body.ForceApply)
	if err != nil {
		return nil, err
	}
	if err := h.s.await(ctx, in.ID, id, in.wait()); err != nil {
		return nil, err
	}
	return answer(h.s.shownApply(ctx, in.ID, id))
}

type bulkApplyInput struct {
	Body struct {
		Items         []bulk.Wanted `json:"items" minItems:"1" maxItems:"500"`
		StopOnFailure bool          `json:"stop_on_failure,omitempty" doc:"One after the other, until one does not go well"`
	}
}

type bulkApplyPath struct {
	BulkID string `path:"bulk_id"`
}

func (h *handlers) bulkApply(ctx context.Context, in *bulkApplyInput) (*body[bulk.Apply], error) {
	return answer(h.bulk.Start(ctx, in.Body.Items, in.Body.StopOnFailure))
}

func (h *handlers) bulkApplied(ctx context.Context, in *bulkApplyPath) (*body[bulk.Apply], error) {
	return answer(h.bulk.Get(ctx, in.BulkID))
}

type changeTargetInput struct{ Body redraw.NewTarget }

// redrawOutput is a change of many drafts: accepted, or 200 where it is only told.
type redrawOutput struct {
	Status int
	Body   redraw.Change
}

func redrawn(change redraw.Change, err error) (*redrawOutput, error) {
	if err != nil {
		return nil, err
	}
	status := accepted
	if change.DryRun {
		status = http.StatusOK
	}
	return &redrawOutput{Status: status, Body: change}, nil
}

func (h *handlers) changeTarget(ctx context.Context, in *changeTargetInput) (*redrawOutput, error) {
	return redrawn(h.redraws.ChangeTarget(ctx, in.Body))
}

type replaceNodeInput struct{ Body redraw.NewNode }

func (h *handlers) replaceNode(ctx context.Context, in *replaceNodeInput) (*redrawOutput, error) {
	return redrawn(h.redraws.ReplaceNode(ctx, in.Body))
}

func (h *handlers) bulkChanged(ctx context.Context, in *bulkApplyPath) (*body[redraw.Change], error) {
	return answer(h.redraws.Get(ctx, in.BulkID))
}

func (h *handlers) applies(ctx context.Context, in *pageInput) (*body[httpapi.Page[Apply]], error) {
	return answer(h.s.listApplies(ctx, in))
}

func (h *handlers) applied(ctx context.Context, in *applyPath) (*applyOutput, error) {
	return answer(h.s.shownApply(ctx, in.ID, in.ApplyID))
}

func (h *handlers) replay(ctx context.Context, in *applyPath) (*body[traffic.Replay], error) {
	return answer(h.s.replay(ctx, in.ID, in.ApplyID))
}

func (h *handlers) stop(ctx context.Context, in *applyPath) (*applyOutput, error) {
	if err := h.s.stop(ctx, in.ID, in.ApplyID); err != nil {
		return nil, err
	}
	return answer(h.s.shownApply(ctx, in.ID, in.ApplyID))
}

func (h *handlers) promote(ctx context.Context, in *applyPath) (*applyOutput, error) {
	if err := h.s.promote(ctx, in.ID, in.ApplyID); err != nil {
		return nil, err
	}
	return answer(h.s.shownApply(ctx, in.ID, in.ApplyID))
}

func (h *handlers) abort(ctx context.Context, in *applyPath) (*applyOutput, error) {
	if err := h.s.abort(ctx, in.ID, in.ApplyID); err != nil {
		return nil, err
	}
	return answer(h.s.shownApply(ctx, in.ID, in.ApplyID))
}

func (h *handlers) disable(ctx context.Context, in *FlowPath) (*applyOutput, error) {
	row, err := h.s.disable(ctx, in.ID)
	return h.begun(ctx, row, err)
}

func (h *handlers) enable(ctx context.Context, in *FlowPath) (*applyOutput, error) {
	row, err := h.s.enable(ctx, in.ID)
	return h.begun(ctx, row, err)
}

func (h *handlers) drift(ctx context.Context, in *nodePath) (*body[NodeDrift], error) {
	return answer(h.s.nodeDrift(ctx, in.ID, in.NodeID))
}

func (h *handlers) restore(ctx context.Context, in *nodePath) (*applyOutput, error) {
	row, err := h.s.restore(ctx, in.ID, in.NodeID)
	return h.begun(ctx, row, err)
}

func (h *handlers) connectionLink(ctx context.Context, in *linkInput) (*secretBody[ConnectionLink], error) {
	clientID := ""
	if in.Body != nil {
		clientID = in.Body.ClientID
	}
	return secret(h.s.connectionLink(ctx, in.ID, clientID))
}

func (h *handlers) versions(ctx context.Context, in *pageInput) (*body[httpapi.Page[Version]], error) {
	return answer(h.s.listVersions(ctx, in))
}

func (h *handlers) keepVersion(ctx context.Context, in *versionCreateInput) (*versionOutput, error) {
	reason := in.Body.Reason
	if reason == "" {
		reason = "manual"
	}
	return answer(h.s.keepVersion(ctx, in.ID, reason, in.Body.Note))
}

func (h *handlers) changeVersion(ctx context.Context, in *versionPatchInput) (*versionOutput, error) {
	return answer(h.s.changeVersion(ctx, in.ID, in.VersionID, in.Body))
}

func (h *handlers) version(ctx context.Context, in *VersionPath) (*snapshotOutput, error) {
	return answer(h.s.snapshot(ctx, in.ID, in.VersionID))
}

func (h *handlers) rendered(ctx context.Context, in *renderedInput) (*body[Rendered], error) {
	return answer(h.s.rendered(ctx, in.ID, in.NodeID))
}

func (h *handlers) explain(ctx context.Context, in *explainInput) (*body[explain.Explanation], error) {
	to := plan.Destination{Domain: in.Domain, IP: in.IP, Port: in.Port, Protocol: in.Protocol}
	f, err := h.s.store.flow(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return answer(h.s.explain(ctx, f, in.Of, in.Entry, to))
}

func (h *handlers) probe(ctx context.Context, in *probeInput) (*body[explain.ProbeAnswer], error) {
	b := in.Body
	to := plan.Destination{Domain: b.Domain, IP: b.IP, Port: b.Port, Protocol: b.Protocol}
	return answer(h.s.probe(ctx, in.ID, b.Entry, to))
}

// timeToAnswer is what a request keeps of its own time for the answer after a wait: the apply has begun and must be
// shown.
const timeToAnswer = 3 * time.Second

// longestWait is the time of a request that waits for the end of its apply as long as it may.
const longestWait = 30 * time.Second

// await waits until an apply has ended, at most for the given time, and holds nothing while it waits.
func (s *service) await(ctx context.Context, flowID, applyID string, limit time.Duration) error {
	if until, bounded := ctx.Deadline(); bounded {
		early, stop := context.WithDeadline(ctx, until.Add(-timeToAnswer))
		defer stop()
		ctx = early
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	news := s.bus.Subscribe(ctx)
	const poll = 500 * time.Millisecond
	for {
		ended, err := s.store.ended(context.WithoutCancel(ctx), applyID)
		if err != nil || ended || ctx.Err() != nil {
			return err
		}
		s.untilNews(ctx, news, flowID, poll)
	}
}

func (s *service) untilNews(ctx context.Context, news <-chan events.Event, flowID string, poll time.Duration) {
	later := s.clock.After(poll)
	for {
		select {
		case <-ctx.Done():
			return
		case <-later:
			return
		case event, open := <-news:
			if !open {
				news = nil
			} else if event.SubjectID == flowID {
				return
			}
		}
	}
}

const (
	created   = http.StatusCreated
	accepted  = http.StatusAccepted
	noContent = http.StatusNoContent
)
