package acts

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/abuse/internal/cases"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// Filter chooses acts of a page. What is empty chooses all.
type Filter struct {
	httpapi.PageQuery
	State, Kind, UserRef string
}

var orders = map[string]keyset.Order{"started_at": {Expression: "a.started_at", Kind: httpapi.CursorMoment}}

// Page lists acts, the newest first.
func (a *Acts) Page(ctx context.Context, f Filter) (page httpapi.Page[cases.Action], err error) {
	k, err := keyset.New(f.PageQuery, "a.id", "-started_at", orders)
	if err != nil {
		return page, err
	}
	var rows []row
	if err := k.Apply(f.chosen(a.DB.In(ctx).NewSelect().Model(&rows).ColumnExpr("a.*")), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list acts: %w", err), nil)
	}
	total, err := f.chosen(a.DB.In(ctx).NewSelect().Model((*row)(nil))).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count acts: %w", err), nil)
	}
	page = keyset.Page(k, rows, int(total), (*row).shown, func(r *row) (string, string) { return r.SortKey, r.ID })
	return page, a.name(ctx, page.Items)
}

func (f *Filter) chosen(q *bun.SelectQuery) *bun.SelectQuery {
	for column, value := range map[string]string{"a.state": f.State, "a.kind": f.Kind, "a.user_ref": f.UserRef} {
		if value != "" {
			q = q.Where(column+" = ?", value)
		}
	}
	return q
}

func (r *row) shown() cases.Action {
	return cases.Action{
		ID: r.ID, CaseID: r.CaseID, UserRef: r.UserRef, User: cases.User{Name: r.Label}, Kind: r.Kind, State: r.State,
		By: r.ByName, Automatic: r.Automatic, Reason: r.Reason, StartedAt: r.StartedAt.UTC(), Until: utc(r.Until),
		EndedAt: utc(r.EndedAt), EndedBy: r.EndedBy, Result: r.Result, Undoable: r.State == Active,
	}
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	out := at.UTC()
	return &out
}

// name says what users and nodes are called now, each asked once.
func (a *Acts) name(ctx context.Context, all []cases.Action) error {
	var refs, ids []string
	for i := range all {
		refs = append(refs, all[i].UserRef)
		for _, n := range all[i].Result.Nodes {
			ids = append(ids, n.NodeID)
		}
	}
	users, err := a.Views.Labels(ctx, refs...)
	if err != nil {
		return err
	}
	nodes, err := a.Views.NodeNames(ctx, ids...)
	if err != nil {
		return err
	}
	for i := range all {
		if name, known := users[all[i].UserRef]; known {
			all[i].User = cases.User{Name: name, Known: true}
		}
		for n := range all[i].Result.Nodes {
			all[i].Result.Nodes[n].Node = nodes[all[i].Result.Nodes[n].NodeID]
		}
	}
	return nil
}

// ofCase are the acts of a case, the newest last.
func (a *Acts) ofCase(ctx context.Context, caseID string) ([]cases.Action, error) {
	var rows []row
	err := a.DB.In(ctx).NewSelect().Model(&rows).Where("a.case_id = ?", caseID).OrderExpr("a.started_at, a.id").Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the acts of a case: %w", err), nil)
	}
	out := make([]cases.Action, len(rows))
	for i := range rows {
		out[i] = rows[i].shown()
	}
	return out, a.name(ctx, out)
}

func (a *Acts) load(ctx context.Context, id string) (*row, error) {
	if !database.IsID(id) {
		return nil, fault.Missing(fault.NoSuchThing)
	}
	r := new(row)
	return r, database.Fault(a.DB.In(ctx).NewSelect().Model(r).Where("a.id = ?", id).Scan(ctx), nil)
}

func (a *Acts) get(ctx context.Context, id string) (cases.Action, error) {
	r, err := a.load(ctx, id)
	if err != nil {
		return cases.Action{}, err
	}
	all := []cases.Action{r.shown()}
	err = a.name(ctx, all)
	return all[0], err
}

// ignoreMissing is nil for what is gone meanwhile.
func ignoreMissing(err error) error {
	if found, is := fault.As(err); is && found.Kind == fault.KindMissing {
		return nil
	}
	return err
}

// Forget lets acts go that ended before a moment.
func (a *Acts) Forget(ctx context.Context, before time.Time) error {
	_, err := a.DB.In(ctx).NewRaw("delete from abuse_actions where ended_at <= ?", before.UTC()).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("forget old acts: %w", err), nil)
	}
	return nil
}
