package flows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/moves"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/lease"
)

// Limits of an apply (domain 4.18). The whole counts work on nodes alone.
const (
	phaseLimit = 60 * time.Second
	wholeLimit = 10 * time.Minute
	probeEnd   = 30 * time.Second

	clientsPoll = 100 * time.Millisecond
)

// advance does what the phase asks for and returns when there is something new to look at.
func (r *runner) advance(ctx context.Context, row *applyRow) error {
	if row.StoppedBy != nil && row.Error == nil && row.Stage != phaseCommitting {
		return r.stop(ctx, row)
	}
	switch row.Stage {
	case phaseBefore:
		return r.before(ctx, row)
	case phaseWaiting:
		return r.begin(ctx, row)
	case phasePreparing:
		return r.preparing(ctx, row)
	case phaseReady:
		return r.ready(ctx, row)
	case phaseParking:
		return r.parking(ctx, row)
	case phaseSwitching:
		return r.switching(ctx, row)
	case phaseProbing:
		return r.probing(ctx, row)
	case phaseCommitting:
		return r.committing(ctx, row)
	case phaseCanary:
		return r.canary(ctx, row)
	case phaseReverting:
		return r.reverting(ctx, row)
	case phaseReturning:
		return r.returning(ctx, row)
	case phaseUndoing:
		return r.undoing(ctx, row)
	}
	return fmt.Errorf("apply %s is in the unknown phase %q", row.ID, row.Stage)
}

func (row *applyRow) removal() bool { return row.Kind == kindDisable || row.Kind == kindDelete }

func (r *runner) late(row *applyRow) bool {
	return row.NodesSince != nil && r.now().Sub(*row.NodesSince) > wholeLimit
}

func (r *runner) stop(ctx context.Context, row *applyRow) error {
	return r.fail(ctx, row, StepError{Code: "stopped", Message: "stopped by " + *row.StoppedBy, By: *row.StoppedBy})
}

// preparing waits until every node's core has accepted its candidate; nothing that serves has changed yet.
func (r *runner) preparing(ctx context.Context, row *applyRow) error {
	done, err := r.poll(ctx, row, "prepare", row.configures, r.applyOrder(row, agentapi.PhasePrepare))
	if err != nil || !done {
		return err
	}
	for i := range row.Steps {
		if row.configures(row.Steps[i]) {
			row.Steps[i].mark("test", "done", r.now(), say("accepted"))
		}
	}
	r.enter(row, phaseReady, "ready")
	return r.ready(ctx, row)
}

// ready gives the stages before the switch their turns; the nodes are locked and have their candidates.
func (r *runner) ready(ctx context.Context, row *applyRow) error {
	began := r.now()
	over, err := r.turn(ctx, row, flowsapi.BeforeSwitch)
	if err != nil || row.Stage != phaseReady {
		return err
	}
	since := row.NodesSince.Add(r.now().Sub(began)) // the limit of the nodes does not count the stage
	row.NodesSince = &since
	switch {
	case !over:
		return r.save(ctx, row)
	case !slices.ContainsFunc(row.Steps, row.configures):
		return r.commit(ctx, row)
	}
	if held, err := r.listsHeld(ctx, row); err != nil || !held {
		return err
	}
	r.enter(row, phaseSwitching, "switching")
	return r.keep(ctx, row)
}

// listsHeld waits until the agents of the entries hold the clients of the flow, so that no client is refused by what is
// about to serve.
func (r *runner) listsHeld(ctx context.Context, row *applyRow) (bool, error) {
	wanted := listing(row)
	if len(wanted) == 0 {
		return true, nil
	}
	holding, err := r.clients.Holding(ctx, row.FlowID, "")
	if err != nil {
		return false, fmt.Errorf("read which nodes hold the clients of a flow: %w", err)
	}
	missing := slices.IndexFunc(row.Steps, func(s stepRow) bool {
		return s.Listed && row.hasTurn(s) && !slices.Contains(holding, s.NodeID)
	})
	if missing < 0 {
		return true, nil
	}
	step := row.Steps[missing]
	if r.now().Sub(row.StagedAt) > phaseLimit {
		return false, r.fail(ctx, row, StepError{
			Code: "clients_missing", NodeID: step.NodeID, NodeName: step.NodeName,
			Message: step.NodeName + ": the agent does not hold the clients of the flow",
		})
	}
	row.say("waiting_clients", "node", step.NodeName)
	row.wait = clientsPoll
	return false, r.save(ctx, row)
}

// switching goes rank by rank: no entry forwards to an exit that does not listen yet.
func (r *runner) switching(ctx context.Context, row *applyRow) error {
	rank := nextRank(row)
	if rank == "" {
		return r.startProbing(ctx, row)
	}
	ofRank := func(s stepRow) bool { return row.configures(s) && s.Role == rank }
	order := r.applyOrder(row, agentapi.PhaseSwitch)
	if sent, err := r.order(ctx, row, "switch", ofRank, order); err != nil || sent {
		return err
	}
	done, err := r.poll(ctx, row, "switch", ofRank, order)
	if err != nil || !done {
		return err
	}
	return r.keep(ctx, row)
}

func nextRank(row *applyRow) string {
	for _, rank := range []string{"exit", "transit", "entry"} {
		open := func(s stepRow) bool { return row.configures(s) && s.Role == rank && s.stage("switch").State != "done" }
		if slices.ContainsFunc(row.Steps, open) {
			return rank
		}
	}
	return ""
}

func (r *runner) startProbing(ctx context.Context, row *applyRow) error {
	if r.nodes.reflector.Host == "" {
		for i := range row.Steps {
			row.Steps[i].mark("probe", "skipped", r.now(), say("no_public_url"))
		}
		return r.commit(ctx, row)
	}
	if !slices.ContainsFunc(row.Steps, unprobed(row)) {
		return r.commit(ctx, row)
	}
	r.enter(row, phaseProbing, "probing")
	return r.probeNext(ctx, row)
}

// probeNext sends a client through the next entry of every node that has one left.
func (r *runner) probeNext(ctx context.Context, row *applyRow) error {
	order, err := r.probeOrder(ctx, row)
	if err != nil {
		return err
	}
	if err := r.send(ctx, row, "probe", unprobed(row), order); err != nil {
		return err
	}
	return r.keep(ctx, row)
}

func (r *runner) probing(ctx context.Context, row *applyRow) error {
	chosen := unprobed(row)
	order, err := r.probeOrder(ctx, row)
	if err != nil {
		return err
	}
	done, err := r.poll(ctx, row, "probe", chosen, order)
	if err != nil || !done {
		return err
	}
	for i := range row.Steps {
		if chosen(row.Steps[i]) {
			row.Steps[i].Probed++
		}
	}
	if slices.ContainsFunc(row.Steps, chosen) {
		return r.probeNext(ctx, row)
	}
	return r.commit(ctx, row)
}

// commit decides: from this transaction on the new revision is the installed one, and what the nodes shall serve.
// Whether somebody has stopped the apply before is decided by the lock of its row.
func (r *runner) commit(ctx context.Context, row *applyRow) error {
	if row.Canary.Waits() {
		return r.serveCanary(ctx, row)
	}
	parts, err := r.store.openContent(row)
	if err != nil {
		return err
	}
	undecided := *row
	r.enter(row, phaseCommitting, "committing")
	err = r.db.InTx(ctx, func(ctx context.Context) error {
		f := new(flowRow)
		if err := r.db.In(ctx).NewSelect().Model(f).Where("id = ?", row.FlowID).For("update").Scan(ctx); err != nil {
			return database.Fault(err, nil)
		}
		if err := r.notStopped(ctx, row); err != nil {
			return err
		}
		if err := r.store.replaceFragments(ctx, f.ID, parts); err != nil {
			return err
		}
		if err := r.serves(ctx, f.ID, parts); err != nil {
			return err
		}
		if err := r.installed(ctx, f, row); err != nil {
			return err
		}
		if err := r.want(ctx, row); err != nil {
			return err
		}
		return r.keep(ctx, row)
	})
	if errors.Is(err, errStopped) {
		row.Stage, row.Detail, row.Text, row.StagedAt = undecided.Stage, undecided.Detail, undecided.Text,
			undecided.StagedAt
		return nil // the next step reads who did
	}
	return err
}

func (r *runner) notStopped(ctx context.Context, row *applyRow) error {
	var going []bool
	err := r.db.In(ctx).
		NewRaw("select stopped_at is null from flow_applies where id = ? and lease_token = ? for no key update",
			row.ID, row.LeaseToken).
		Scan(ctx, &going)
	switch {
	case err != nil:
		return database.Fault(err, nil)
	case len(going) == 0:
		return lease.ErrLost
	case !going[0]:
		return errStopped
	}
	return nil
}

func (r *runner) installed(ctx context.Context, f *flowRow, row *applyRow) error {
	now := r.now()
	switch row.Kind {
	case kindDisable:
		f.Enabled = false
	case kindDelete:
		f.Deleting = true
	case kindEnable, kindRerender:
		f.Enabled, f.InstalledAt, f.InstalledHosts = true, &now, row.Hosts
	case kindRestore:
		f.InstalledHosts = row.Hosts
	case kindApply:
		if err := r.newVersion(ctx, f, row); err != nil {
			return err
		}
		f.Enabled, f.InstalledVersionID, f.InstalledRevision, f.InstalledAt = true, row.VersionID, &row.Revision, &now
		f.InstalledHosts = row.Hosts
		f.counted(drawnOr(row.Graph))
	}
	err := r.store.updateFlow(
		ctx,
		f,
		"enabled",
		"deleting",
		"installed_version_id",
		"installed_revision",
		"installed_at",
		"installed_hosts",
		"draft_changes",
	)
	if err != nil {
		return err
	}
	if f.Deleting {
		left := moves.Settle(ctx, r.db, r.nodes.Domains, bindingIDs(f.Graph)...)
		return errors.Join(left, r.nodes.SetUses(ctx, f.ID))
	}
	if row.Kind == kindApply {
		if err := moves.Arrive(ctx, r.db, r.nodes.Domains, drawnOr(row.Graph)); err != nil {
			return err
		}
	}
	return r.use(ctx, f)
}

func (r *runner) newVersion(ctx context.Context, f *flowRow, row *applyRow) error {
	v := &versionRow{
		ID:        database.NewID(),
		FlowID:    f.ID,
		Revision:  row.Revision,
		Reason:    "apply",
		PlanHash:  row.PlanHash,
		Graph:     drawnOr(row.Graph),
		Applied:   true,
		Bypassed:  row.Bypassed,
		ApplyID:   &row.ID,
		CreatedAt: r.now(),
		CreatedBy: row.StartedBy,

		CatalogueVersion: row.CatalogueVersion,
	}
	if err := r.store.insertVersion(ctx, v); err != nil {
		return err
	}
	row.VersionID, f.InstalledVersionID = &v.ID, &v.ID
	_, err := r.db.In(ctx).
		NewUpdate().
		Model((*planRow)(nil)).
		Set("applied_at = ?", r.now()).
		Where("id = ?", row.PlanID).
		Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	return r.store.pruneVersions(ctx, f.ID, r.now())
}

// committing lets the agents keep what they have switched to. An agent that misses its commit follows the desired
// revision by itself, so the end does not depend on it.
func (r *runner) committing(ctx context.Context, row *applyRow) error {
	order := r.applyOrder(row, agentapi.PhaseCommit)
	if sent, err := r.order(ctx, row, "commit", row.configures, order); err != nil || sent {
		return err
	}
	settled, err := r.settled(ctx, row, "commit", row.configures)
	if err != nil || !settled && r.now().Sub(row.StagedAt) < phaseLimit {
		return err
	}
	for i := range row.Steps {
		row.Steps[i].State = "done"
	}
	return r.finish(ctx, row, stateApplied, endings[row.Kind].action, endings[row.Kind].code)
}

// endings are the action of the journal and the sentence with which an apply ends well.
var endings = map[string]struct{ action, code string }{
	kindApply:    {"flow.apply_succeeded", "applied"},
	kindEnable:   {"flow.apply_succeeded", "enabled"},
	kindRerender: {"flow.apply_succeeded", "rerendered"},
	kindRestore:  {"flow.apply_succeeded", "restored"},
	kindDisable:  {"flow.disabled", "disabled"},
	kindDelete:   {"flow.deleted", "deleted"},
}

// want makes the candidates the desired configurations. A node that was deleted meanwhile is left out.
func (r *runner) want(ctx context.Context, row *applyRow) error {
	revisions := make(map[string]int64, len(row.Steps))
	for _, step := range row.Steps {
		if step.Config > 0 && row.hasTurn(step) {
			revisions[step.NodeID] = step.Config
		}
	}
	if _, err := r.nodes.SetDesired(ctx, revisions); err != nil {
		return fmt.Errorf("make the configurations the desired ones: %w", err)
	}
	for i := range row.Steps {
		if row.hasTurn(row.Steps[i]) {
			row.Steps[i].mark("commit", "done", r.now(), say("desired"))
		}
	}
	return nil
}
