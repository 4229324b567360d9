package nodes

import (
	"context"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// bulk does to a list of nodes what the routes of a single node do to one: by the same rules, with the same lines in
// the journal, each node by itself, so that one that refuses keeps back no other. It is nodesapi.BulkActs.
type bulk struct {
	service *service
	log     *zap.Logger
	update  func(ctx context.Context, nodeID string) error
}

func newBulk(s *service, log *zap.Logger) *bulk {
	return &bulk{service: s, log: log}
}

func exportBulk(b *bulk) nodesapi.BulkActs { return b }

// UpdateWith takes who begins updates.
func (b *bulk) UpdateWith(update func(ctx context.Context, nodeID string) error) { b.update = update }

// Acts on many nodes.
const (
	actMaintain    = "maintenance_on"
	actEndMaintain = "maintenance_off"
	actTags        = "tags"
	actDisable     = "disable"
	actEnable      = "enable"
	actRestart     = "restart_core"
	actUpdate      = "update_agent"
	actDelete      = "delete"
)

// run carries the act out on each node, in the order given. Fault: invalid_value (422).
func (b *bulk) run(ctx context.Context, in *bulkBody) (*BulkOutcome, error) {
	do, err := b.act(in)
	if err != nil {
		return nil, err
	}
	out := &BulkOutcome{Results: []BulkResult{}}
	for _, id := range distinct(in.IDs) {
		result := BulkResult{NodeID: id, OK: true}
		if !database.IsID(id) {
			err = fault.Missing(fault.NoSuchThing)
		} else {
			result.OperationID, err = do(ctx, id)
		}
		if err != nil {
			result = b.refused(id, err)
			out.Failed++
		} else {
			out.Succeeded++
		}
		out.Results = append(out.Results, result)
	}
	return out, nil
}

// refused says in the words of the single route why a node did not take part. What nobody may see is in the log.
func (b *bulk) refused(id string, err error) BulkResult {
	known, ok := fault.As(err)
	if !ok {
		b.log.Error("an act on many nodes failed on one", zap.String("node", id), zap.Error(err))
		return BulkResult{NodeID: id, Code: "internal", Error: "the panel failed to do this; read its log"}
	}
	words := known.Detail
	for _, field := range known.Fields {
		words += "; " + field.Field + " " + field.Message
	}
	return BulkResult{NodeID: id, Code: known.Code, Error: words}
}

type bulkAct func(ctx context.Context, id string) (operation *string, err error)

func (b *bulk) act(in *bulkBody) (bulkAct, error) {
	if in.Act != actMaintain && (in.Until != nil || in.Reason != "") {
		return nil, fault.InvalidValue("act", "until and reason belong to maintenance_on")
	}
	if (in.Act == actTags) == (len(in.AddTags)+len(in.RemoveTags) == 0) {
		return nil, fault.InvalidValue("add_tags", "add_tags or remove_tags belong to the act tags, and to no other")
	}
	switch in.Act {
	case actMaintain, actEndMaintain:
		window := maintenanceBody{On: in.Act == actMaintain, Until: in.Until, Reason: in.Reason}
		return b.quiet(func(ctx context.Context, id string) (*Detail, error) {
			return b.service.setMaintenance(ctx, id, window)
		}), nil
	case actTags:
		return b.edit(func(row *nodeRow) { row.Tags = retagged(row.Tags, in.AddTags, in.RemoveTags) }), nil
	case actDisable, actEnable:
		return b.edit(func(row *nodeRow) { row.Disabled = in.Act == actDisable }), nil
	case actRestart:
		return b.restart, nil
	case actDelete:
		return func(ctx context.Context, id string) (*string, error) { return nil, b.service.delete(ctx, id) }, nil
	}
	if b.update == nil {
		return nil, fault.InvalidValue("act", "this panel updates no agents")
	}
	return func(ctx context.Context, id string) (*string, error) { return nil, b.update(ctx, id) }, nil
}

// quiet is an act that ends with its answer.
func (*bulk) quiet(do func(ctx context.Context, id string) (*Detail, error)) bulkAct {
	return func(ctx context.Context, id string) (*string, error) {
		_, err := do(ctx, id)
		return nil, err
	}
}

func (b *bulk) edit(change func(row *nodeRow)) bulkAct {
	return b.quiet(func(ctx context.Context, id string) (*Detail, error) {
		return b.service.change(ctx, id, nodesapi.NodeUpdated, nil, func(_ context.Context, _ bun.Tx,
			row *nodeRow,
		) error {
			change(row)
			return row.check()
		})
	})
}

func (b *bulk) restart(ctx context.Context, id string) (*string, error) {
	started, err := b.service.order(ctx, id, agentapi.RestartCore, nil)
	if err != nil {
		return nil, err
	}
	return &started.ID, nil
}

// retagged takes tags off first, so that a tag in both lists stays.
func retagged(tags, add, remove []string) []string {
	off := distinct(remove)
	kept := slices.DeleteFunc(slices.Clone(tags), func(tag string) bool {
		return slices.Contains(off,
			strings.TrimSpace(tag))
	})
	return distinct(append(kept, add...))
}
