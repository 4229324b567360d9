package bulk

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/internal/many"
	"panel/platform/database"
	"panel/platform/fault"
)

// step looks at what goes on, and begins what may begin now.
func (b *Applies) step(ctx context.Context, r *row, progress many.Progress) error {
	changed, err := b.look(ctx, r)
	if err != nil {
		return err
	}
	if r.StopOnFailure && r.count(Failed)+r.count(Refused) > 0 && r.count(Waiting) > 0 {
		r.Leave("stopped", "an earlier flow did not go well")
		changed = true
	}
	most := atOnce
	if r.StopOnFailure {
		most = 1
	}
	for i := range r.Items {
		if r.Items[i].State != Waiting || r.count(Applying) >= most {
			continue
		}
		if r.StopOnFailure && r.count(Refused) > 0 {
			break
		}
		if err := b.begin(ctx, r, &r.Items[i]); err != nil {
			return err
		}
		if err := b.Write(ctx, r); err != nil {
			return err
		}
		changed = false
	}
	if r.count(Waiting)+r.count(Applying) == 0 {
		b.Finish(r)
		changed = true
	}
	if changed {
		if err := b.Write(ctx, r); err != nil {
			return err
		}
	}
	return progress(ctx, r.percent())
}

// begin installs the plan of one flow, or finds the apply that a panel has begun and could not note any more.
func (b *Applies) begin(ctx context.Context, r *row, item *Item) error {
	id, err := b.begun(ctx, item.ID, r.StartedAt)
	if err != nil {
		return err
	}
	if id == "" {
		id, err = b.install(ctx, item.FlowID, item.ID, item.Revision)
	}
	if err == nil {
		item.State, item.ApplyID = Applying, &id
		return nil
	}
	f := many.Refusal(ctx, err)
	if f == nil {
		return fmt.Errorf("apply the flow %s: %w", item.FlowName, err)
	}
	item.State, item.Code, item.Error = Refused, f.Code, reason(f)
	return nil
}

// reason is what a refusal says, with the nodes that it is about.
func reason(f *fault.Fault) string {
	nodes, _ := f.Extra["nodes"].([]string)
	if len(nodes) == 0 {
		return f.Detail
	}
	return f.Detail + ": " + strings.Join(nodes, ", ")
}

// begun gives the apply that a plan has had since a moment; empty without one.
func (b *Applies) begun(ctx context.Context, planID string, since time.Time) (string, error) {
	var ids []string
	err := b.db.NewRaw(`select id from flow_applies where plan_id = ? and started_at >= ? order by started_at limit 1`,
		planID, since).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return "", database.Fault(err, nil)
	}
	return ids[0], nil
}

// look reads how the applies that were begun have ended. It tells whether one has.
func (b *Applies) look(ctx context.Context, r *row) (changed bool, err error) {
	open := []string{}
	for _, item := range r.Items {
		if item.State == Applying {
			open = append(open, *item.ApplyID)
		}
	}
	if len(open) == 0 {
		return false, nil
	}
	var found []struct{ ID, Stage, Code, Message string }
	err = b.db.NewRaw(`select w.id, coalesce(a.stage, 'gone') as stage, coalesce(a.error ->> 'code', '') as code,
			coalesce(a.error ->> 'message', '') as message
		from unnest(?::uuid[]) w (id) left join flow_applies a using (id)
		where a.id is null or a.finished_at is not null`, pgdialect.Array(open)).Scan(ctx, &found)
	if err != nil {
		return false, database.Fault(fmt.Errorf("read how the applies of a bulk apply ended: %w", err), nil)
	}
	for _, end := range found {
		for i := range r.Items {
			if item := &r.Items[i]; item.ApplyID != nil && *item.ApplyID == end.ID {
				item.ends(end.Stage, end.Code, end.Message)
			}
		}
	}
	return len(found) > 0, nil
}

func (i *Item) ends(stage, code, message string) {
	switch stage {
	case "applied":
		i.State = Applied
	case "gone":
		i.State, i.Code, i.Error = Failed, "not_found", "the flow was deleted in the meantime"
	default:
		i.State, i.Code, i.Error = Failed, code, message
	}
}

func (r *row) count(state string) (n int) {
	for _, item := range r.Items {
		if item.State == state {
			n++
		}
	}
	return n
}

// Leave implements many.Row.
func (r *row) Leave(code, why string) {
	for i := range r.Items {
		if item := &r.Items[i]; item.State == Waiting {
			item.State, item.Code, item.Error = Skipped, code, why
		}
	}
}

// Names implements many.Row.
func (r *row) Names() []string {
	names := make([]string, len(r.Items))
	for i := range r.Items {
		names[i] = r.Items[i].FlowName
	}
	return names
}

func (r *row) percent() int {
	return 100 * (len(r.Items) - r.count(Waiting) - r.count(Applying)) / len(r.Items)
}

// Outcome implements many.Row.
func (r *row) Outcome() error {
	return many.Missed(len(r.Items), r.count(Applied), "flows were not applied")
}
