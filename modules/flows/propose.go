package flows

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/uptrace/bun"

	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// begin takes all servers of the apply, or none, so that two flows on one server never mix their configurations.
func (r *runner) begin(ctx context.Context, row *applyRow) error {
	mine, err := r.lock(ctx, row)
	if err != nil {
		return err
	}
	if !mine && r.late(row) && !row.removal() {
		return r.fail(ctx, row, "deadline", "another flow kept a server for too long; apply again", "")
	}
	if !mine {
		row.Detail = "waiting for another flow's apply on the same server"
		if err := r.save(ctx, r.db, row); err != nil {
			return err
		}
		r.pause(ctx)
		return nil
	}
	return r.propose(ctx, row)
}

func (r *runner) lock(ctx context.Context, row *applyRow) (bool, error) {
	if len(row.Steps) == 0 {
		return true, nil
	}
	ids := stepNodes(row)
	mine := false
	err := r.db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		for _, id := range ids {
			lock := &lockRow{NodeID: id, ApplyID: row.ID, TakenAt: r.now()}
			if _, err := tx.NewInsert().Model(lock).On("conflict (node_id) do nothing").Exec(ctx); err != nil {
				return err
			}
		}
		n, err := tx.NewSelect().Model((*lockRow)(nil)).Where("apply_id = ?", row.ID).Count(ctx)
		if mine = int(n) == len(ids); err == nil && !mine {
			return errTaken
		}
		return err
	})
	if errors.Is(err, errTaken) {
		return false, nil
	}
	return mine, database.Fault(err, nil)
}

var errTaken = errors.New("another apply holds a server")

func stepNodes(row *applyRow) []string {
	ids := make([]string, len(row.Steps))
	for i, step := range row.Steps {
		ids[i] = step.NodeID
	}
	slices.Sort(ids)
	return ids
}

// propose merges the flow's parts with what the other flows have on each server now and stores the candidates.
func (r *runner) propose(ctx context.Context, row *applyRow) error {
	parts, err := r.store.openContent(row)
	if err != nil {
		return err
	}
	others, err := r.store.othersOn(ctx, r.db, row.FlowID, stepNodes(row))
	if err != nil {
		return err
	}
	problems := make([]string, len(row.Steps))
	err = together(len(row.Steps), func(i int) (err error) {
		problems[i], err = r.candidate(ctx, &row.Steps[i], parts, others)
		return err
	})
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(problems, func(p string) bool { return p != "" }); i >= 0 {
		return r.notProposed(ctx, row, &row.Steps[i], problems[i])
	}
	if !slices.ContainsFunc(row.Steps, configures) {
		return r.commit(ctx, row)
	}
	if err := r.send(ctx, row, "prepare", configures, r.applyOrder(row, agentapi.PhasePrepare)); err != nil {
		return err
	}
	r.enter(row, stagePreparing, "every server fetches its configuration and tests it")
	return r.keep(ctx, row)
}

func configures(s stepRow) bool { return s.Action == plan.ActionConfigure }

func (r *runner) notProposed(ctx context.Context, row *applyRow, step *stepRow, problem string) error {
	step.fail("prepare", r.now(), &StepError{Code: problem, Message: proposalProblems[problem]})
	return r.fail(ctx, row, problem, proposalProblems[problem], "")
}

// together does n things, a few at a time, and gives the first error.
func together(n int, do func(i int) error) error {
	const atOnce = 8
	errs := make([]error, n)
	var all sync.WaitGroup
	for worker := range min(atOnce, n) {
		all.Go(func() {
			for i := worker; i < n; i += atOnce {
				errs[i] = do(i)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

var proposalProblems = map[string]string{
	"port_conflict": "another flow has taken a port since the plan was compiled; choose another one",
	"unknown_node":  "the server was deleted since the plan was compiled",
}

func (r *runner) candidate(ctx context.Context, step *stepRow, parts map[string]plan.Fragment, others map[string][]plan.Fragment) (string, error) {
	all := slices.Clone(others[step.NodeID])
	if part, stays := parts[step.NodeID]; stays {
		if meets(part, all) {
			return "port_conflict", nil
		}
		all = append(all, part)
	}
	var core json.RawMessage
	if len(all) > 0 {
		core = plan.Render(all)
	}
	config, err := r.servers.PutCandidate(ctx, step.NodeID, core, socketsOf(all))
	if missing(err) && step.Action == plan.ActionRemove {
		return "", nil // a deleted server has nothing left to remove
	}
	if missing(err) {
		return "unknown_node", nil
	}
	if err != nil {
		return "", fmt.Errorf("store a candidate configuration: %w", err)
	}
	step.Config, step.Hash = config.Revision, config.Hash
	return "", nil
}

func meets(part plan.Fragment, others []plan.Fragment) bool {
	for _, o := range others {
		for _, theirs := range o.Listens {
			if slices.ContainsFunc(part.Listens, theirs.Overlaps) {
				return true
			}
		}
	}
	return false
}

// mostSockets bounds how many sockets of one port range are told to the agent one by one.
const mostSockets = 64

func socketsOf(all []plan.Fragment) []nodesapi.Listener {
	var out []nodesapi.Listener
	for _, f := range all {
		for _, l := range f.Listens {
			for port := l.From; port <= l.To && port < l.From+mostSockets; port++ {
				out = append(out, nodesapi.Listener{Key: l.Name, FlowID: l.FlowID, L4: l.L4, IP: l.IP, Port: port})
			}
		}
	}
	return out
}
