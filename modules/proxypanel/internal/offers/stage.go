package offers

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/proxypanel/internal/mapping"
	"panel/modules/proxypanel/internal/remnawave"
)

// Names of the stages.
const (
	StageOffer = "proxypanel.offer"
	StageHosts = "proxypanel.hosts"
)

const (
	busyAgain = time.Second     // while somebody else writes
	nodeAgain = 5 * time.Second // while the node there is not connected
	within    = 30 * time.Minute
)

// Stages are the part that proxy panels have in applies. Before the switch the nodes there run what is wanted, with
// hosts that nobody sees; after the commit the hosts lead there, and what is wanted no more is gone.
func (e *Engine) Stages() []flowsapi.Stage {
	return []flowsapi.Stage{
		{
			Name: StageOffer, At: flowsapi.BeforeSwitch, Part: flowsapi.GroupProxyPanel, Limit: within,
			Preview: e.preview, Do: e.offer, Undo: e.undo,
		},
		{Name: StageHosts, At: flowsapi.AfterCommit, Part: flowsapi.GroupProxyPanel, Do: e.install},
	}
}

// offer puts there what an apply wants.
func (e *Engine) offer(ctx context.Context, a flowsapi.Apply) (flowsapi.Outcome, error) {
	wanted, err := e.wants(ctx, a)
	if err != nil || len(wanted) == 0 {
		return flowsapi.Outcome{Result: flowsapi.Nothing}, err
	}
	if err := e.note(ctx, a, wanted); err != nil {
		return flowsapi.Outcome{}, err
	}
	have, err := e.rows.ofFlow(ctx, a.Change.FlowID)
	if err != nil {
		return flowsapi.Outcome{}, err
	}
	have = slices.DeleteFunc(have, func(r row) bool { return r.Phase == phaseLeaving || !wants(wanted, &r) })
	err = e.everywhere(ctx, have, func(ctx context.Context, p *pass, on []string) error {
		return p.bringAll(ctx, on, func(*row) bool { return false }, a.Change.FlowID)
	})
	return e.outcome(err)
}

// wants says whether a row is for an entry that is wanted. Rows of a connection that is left wait for the commit.
func wants(wanted []Wanted, r *row) bool {
	return slices.ContainsFunc(wanted, func(one Wanted) bool {
		return one.Block == r.Block && one.ConnectionID == r.ConnectionID
	})
}

// undo leaves everything as it was before an apply.
func (e *Engine) undo(ctx context.Context, a flowsapi.Apply) error {
	touched, err := e.takeBack(ctx, a)
	if err != nil || len(touched) == 0 {
		return err
	}
	err = e.everywhere(ctx, touched, func(ctx context.Context, p *pass, on []string) error {
		leaves := func(r *row) bool { return r.Phase == phaseLeaving && r.of(a.ID) }
		return p.bringAll(ctx, on, leaves, a.Change.FlowID)
	})
	if err != nil {
		return err
	}
	return e.undone(ctx, a)
}

// install lets the hosts lead to what is installed and removes what is not. It is repeated until it holds.
func (e *Engine) install(ctx context.Context, a flowsapi.Apply) (flowsapi.Outcome, error) {
	wanted, err := e.wants(ctx, a)
	if err != nil {
		return flowsapi.Outcome{}, err
	}
	if err := e.commit(ctx, a, wanted); err != nil {
		return flowsapi.Outcome{}, err
	}
	return e.settle(ctx, a.Change.FlowID)
}

// settle brings a flow to what is committed.
func (e *Engine) settle(ctx context.Context, flowID string) (flowsapi.Outcome, error) {
	have, err := e.rows.ofFlow(ctx, flowID)
	if err != nil || len(have) == 0 {
		return flowsapi.Outcome{Result: flowsapi.Nothing}, err
	}
	waiting := map[string]bool{}
	err = e.everywhere(ctx, have, func(ctx context.Context, p *pass, on []string) error {
		leaves := func(r *row) bool { return r.Phase == phaseLeaving && r.ApplyID == nil }
		if err := p.bringAll(ctx, on, leaves, flowID); err != nil {
			return err
		}
		waits, err := p.leadAll(ctx, on, flowID)
		maps.Copy(waiting, waits)
		return err
	})
	if outcome, err := e.outcome(err); err != nil || outcome.Result == flowsapi.Again {
		return outcome, err
	}
	if err := e.settled(ctx, flowID, waiting); err != nil {
		return flowsapi.Outcome{}, err
	}
	if len(waiting) > 0 {
		return e.again(flowsapi.Say("waiting_for_panel_node",
			"the node of the proxy panel is not connected yet; its hosts are shown once it is"), nodeAgain), nil
	}
	return flowsapi.Outcome{Result: flowsapi.Done}, nil
}

// everywhere makes a pass at each proxy panel that rows are at, with the mappings that they are on.
func (e *Engine) everywhere(
	ctx context.Context, rows []row, do func(ctx context.Context, p *pass, on []string) error,
) error {
	at := map[string]map[string]bool{}
	for _, r := range rows {
		if at[r.ConnectionID] == nil {
			at[r.ConnectionID] = map[string]bool{}
		}
		at[r.ConnectionID][r.MappingID] = true
	}
	for _, id := range slices.Sorted(maps.Keys(at)) {
		err := e.pass(ctx, id, func(ctx context.Context, p *pass) error {
			return do(ctx, p, slices.Sorted(maps.Keys(at[id])))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// bringAll brings some nodes there to what the rows say; those that rows leave come first, so that what moves is free
// for the next.
func (p *pass) bringAll(ctx context.Context, on []string, goes func(*row) bool, flowID string) error {
	all, at, err := p.load(ctx, on)
	if err != nil {
		return err
	}
	left := func(id string) bool { return slices.ContainsFunc(all[id], func(r row) bool { return goes(&r) }) }
	slices.SortStableFunc(on, func(a, b string) int {
		switch first, second := left(a), left(b); {
		case first == second:
			return 0
		case first:
			return -1
		}
		return 1
	})
	for _, id := range on {
		if at[id] == nil {
			continue
		}
		if err := p.bring(ctx, at[id], all[id], goes, flowID); err != nil {
			return err
		}
	}
	return nil
}

// load reads mappings and their rows anew: as the only writer, what is read now holds.
func (p *pass) load(ctx context.Context, on []string) (map[string][]row, map[string]*mapping.Mapping, error) {
	at, err := p.Mappings.ByIDs(ctx, on...)
	if err != nil {
		return nil, nil, err
	}
	found, err := p.rows.ofMapping(ctx, on...)
	all := map[string][]row{}
	for _, r := range found {
		all[r.MappingID] = append(all[r.MappingID], r)
	}
	return all, at, err
}

// leadAll lets the hosts of a flow lead to what is installed, and gives the rows that wait for their node.
func (p *pass) leadAll(ctx context.Context, on []string, flowID string) (waiting map[string]bool, err error) {
	all, at, err := p.load(ctx, on)
	if err != nil {
		return nil, err
	}
	waiting = map[string]bool{}
	for _, id := range on {
		for i := range all[id] {
			r := &all[id][i]
			if r.FlowID != flowID || r.Phase != phaseCommitted && r.Phase != phaseSettled {
				continue
			}
			waits, err := p.lead(ctx, at[id], r)
			if err != nil {
				return nil, err
			}
			if waits {
				waiting[r.ID] = true
			}
		}
	}
	return waiting, nil
}

// outcome is what an apply is told of a pass: what passes by itself is tried again.
func (e *Engine) outcome(err error) (flowsapi.Outcome, error) {
	var problem *remnawave.Problem
	switch {
	case err == nil:
		return flowsapi.Outcome{Result: flowsapi.Done}, nil
	case errors.Is(err, errBusy), errors.Is(err, errLost):
		return e.again(flowsapi.Say("waiting_for_proxy_panel", "somebody else is writing to the proxy panel"), busyAgain), nil
	case errors.As(err, &problem) && problem.Cause == remnawave.SlowDown:
		return e.again(flowsapi.Say("proxy_panel_slow_down", "the proxy panel wants to be left alone for a while"),
			max(problem.Wait, busyAgain)), nil
	}
	return flowsapi.Outcome{}, err
}

func (e *Engine) again(detail flowsapi.Text, after time.Duration) flowsapi.Outcome {
	return flowsapi.Outcome{Result: flowsapi.Again, Detail: detail, At: e.Clock.Now().Add(after)}
}

// forgotten is how long what is committed may stand unfinished before somebody else than its apply ends it: a newer
// apply that was undone again has taken its place.
const forgotten = 2 * time.Minute

// Sweep brings flows at a proxy panel to what is committed, where nobody does it any more.
func (e *Engine) Sweep(ctx context.Context, connectionID string) error {
	var ids []string
	err := e.DB.In(ctx).NewRaw(`select distinct flow_id::text from proxypanel_parts where connection_id = ?
		and phase in ('committed', 'leaving') and apply_id is null and updated_at < ? order by 1`, connectionID,
		e.now().Add(-forgotten)).Scan(ctx, &ids)
	if err != nil {
		return kept(err)
	}
	for _, id := range ids {
		if _, err := e.settle(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
