package flows

import (
	"context"
	"fmt"
	"slices"
	"time"

	"panel/platform/agentapi"
	"panel/platform/database"
)

// Limits of an apply (domain 4.18).
const (
	stageLimit = 60 * time.Second
	wholeLimit = 10 * time.Minute
	probeEnd   = 30 * time.Second
)

// advance does what the stage asks for and returns when there is something new to look at.
func (r *runner) advance(ctx context.Context, row *applyRow) error {
	switch row.Stage {
	case stageWaiting:
		return r.begin(ctx, row)
	case stagePreparing:
		return r.preparing(ctx, row)
	case stageSwitching:
		return r.switching(ctx, row)
	case stageProbing:
		return r.probing(ctx, row)
	case stageCommitting:
		return r.committing(ctx, row)
	case stageReverting:
		return r.reverting(ctx, row)
	}
	return fmt.Errorf("apply %s is in the unknown stage %q", row.ID, row.Stage)
}

func (row *applyRow) removal() bool { return row.Kind == kindDisable || row.Kind == kindDelete }

func (r *runner) late(row *applyRow) bool { return r.now().Sub(row.StartedAt) > wholeLimit }

// preparing waits until every server's core has accepted its candidate; nothing that serves has changed yet.
func (r *runner) preparing(ctx context.Context, row *applyRow) error {
	done, err := r.look(ctx, row, "prepare", configures, r.applyOrder(row, agentapi.PhasePrepare))
	if err != nil || !done {
		return err
	}
	for i := range row.Steps {
		if configures(row.Steps[i]) {
			row.Steps[i].mark("test", "done", r.now(), "the core accepts the configuration")
		}
	}
	r.enter(row, stageSwitching, "nodes switch, exits first")
	return r.keep(ctx, row)
}

// switching goes rank by rank: no entry forwards to an exit that does not listen yet.
func (r *runner) switching(ctx context.Context, row *applyRow) error {
	rank := nextRank(row)
	if rank == "" {
		return r.startProbing(ctx, row)
	}
	ofRank := func(s stepRow) bool { return configures(s) && s.Role == rank }
	order := r.applyOrder(row, agentapi.PhaseSwitch)
	if slices.ContainsFunc(row.Steps, func(s stepRow) bool { return ofRank(s) && s.Orders["switch"] == "" }) {
		if err := r.send(ctx, row, "switch", ofRank, order); err != nil {
			return err
		}
		return r.keep(ctx, row)
	}
	done, err := r.look(ctx, row, "switch", ofRank, order)
	if err != nil || !done {
		return err
	}
	return r.keep(ctx, row)
}

func nextRank(row *applyRow) string {
	for _, rank := range []string{"exit", "transit", "entry"} {
		if slices.ContainsFunc(row.Steps, func(s stepRow) bool { return configures(s) && s.Role == rank && s.stage("switch").State != "done" }) {
			return rank
		}
	}
	return ""
}

func (r *runner) startProbing(ctx context.Context, row *applyRow) error {
	if r.servers.reflector.Host == "" {
		for i := range row.Steps {
			row.Steps[i].mark("probe", "skipped", r.now(), "the panel has no address that a client could be sent to: set PANEL_PUBLIC_URL")
		}
		return r.commit(ctx, row)
	}
	if !slices.ContainsFunc(row.Steps, unprobed(row)) {
		return r.commit(ctx, row)
	}
	r.enter(row, stageProbing, "a real client goes through the new listeners")
	return r.probeNext(ctx, row)
}

// probeNext sends a client through the next entry of every server that has one left.
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
	done, err := r.look(ctx, row, "probe", chosen, order)
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

// commit decides: from this transaction on the new revision is the installed one.
func (r *runner) commit(ctx context.Context, row *applyRow) error {
	parts, err := r.store.openContent(row)
	if err != nil {
		return err
	}
	r.enter(row, stageCommitting, "the new configuration becomes the installed one")
	err = r.db.InTx(ctx, func(ctx context.Context) error {
		f := new(flowRow)
		if err := r.db.In(ctx).NewSelect().Model(f).Where("id = ?", row.FlowID).For("update").Scan(ctx); err != nil {
			return database.Fault(err, nil)
		}
		if err := r.store.replaceFragments(ctx, f.ID, parts); err != nil {
			return err
		}
		if err := r.installed(ctx, f, row); err != nil {
			return err
		}
		return r.save(ctx, row)
	})
	if err == nil {
		r.progress(ctx, row)
	}
	return err
}

func (r *runner) installed(ctx context.Context, f *flowRow, row *applyRow) error {
	now := r.now()
	switch row.Kind {
	case kindDisable:
		f.Enabled = false
	case kindDelete:
		f.Deleting = true
	case kindEnable:
		f.Enabled, f.InstalledAt, f.InstalledHosts = true, &now, row.Hosts
	case kindApply:
		if err := r.newVersion(ctx, f, row); err != nil {
			return err
		}
		f.Enabled, f.InstalledVersionID, f.InstalledRevision, f.InstalledAt = true, row.VersionID, &row.Revision, &now
		f.InstalledHosts = row.Hosts
	}
	err := r.store.updateFlow(ctx, f, "enabled", "deleting", "installed_version_id", "installed_revision", "installed_at", "installed_hosts")
	if err != nil {
		return err
	}
	if f.Deleting {
		return r.servers.SetUses(ctx, f.ID)
	}
	return r.use(ctx, f)
}

func (r *runner) newVersion(ctx context.Context, f *flowRow, row *applyRow) error {
	v := &versionRow{
		ID: database.NewID(), FlowID: f.ID, Revision: row.Revision, Reason: "apply", PlanHash: row.PlanHash, Graph: drawnOr(row.Graph),
		Applied: true, Bypassed: row.Bypassed, ApplyID: &row.ID, CreatedAt: r.now(), CreatedBy: row.StartedBy,
	}
	if err := r.store.insertVersion(ctx, v); err != nil {
		return err
	}
	row.VersionID, f.InstalledVersionID = &v.ID, &v.ID
	_, err := r.db.In(ctx).NewUpdate().Model((*planRow)(nil)).Set("applied_at = ?", r.now()).Where("id = ?", row.PlanID).Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	return r.store.pruneVersions(ctx, f.ID, r.now())
}

// committing makes the candidates the desired configurations and lets the agents keep them. An agent that misses its
// commit follows the desired revision by itself, so the end does not depend on it.
func (r *runner) committing(ctx context.Context, row *applyRow) error {
	order := r.applyOrder(row, agentapi.PhaseCommit)
	if slices.ContainsFunc(row.Steps, func(s stepRow) bool { return s.stage("commit").State == "pending" }) {
		if err := r.want(ctx, row); err != nil {
			return err
		}
		if err := r.send(ctx, row, "commit", configures, order); err != nil {
			return err
		}
		return r.keep(ctx, row)
	}
	settled, err := r.settled(ctx, row, "commit", configures)
	if err != nil || !settled && r.now().Sub(row.StagedAt) < stageLimit {
		return err
	}
	for i := range row.Steps {
		row.Steps[i].State = "done"
	}
	return r.finish(ctx, row, stageApplied, endings[row.Kind].detail, endings[row.Kind].word)
}

var endings = map[string]struct{ word, detail string }{
	kindApply:   {"flow.apply_succeeded", "installed on every node"},
	kindEnable:  {"flow.apply_succeeded", "the installed version runs again"},
	kindDisable: {"flow.disabled", "taken off its nodes; nodes that were away drop it when they return"},
	kindDelete:  {"flow.deleted", "deleted; nodes that were away drop it when they return"},
}

// want makes the candidates the desired configurations. A server that was deleted meanwhile is left out.
func (r *runner) want(ctx context.Context, row *applyRow) error {
	revisions := make(map[string]int64, len(row.Steps))
	for _, step := range row.Steps {
		if step.Config > 0 {
			revisions[step.NodeID] = step.Config
		}
	}
	if _, err := r.servers.SetDesired(ctx, revisions); err != nil {
		return fmt.Errorf("make the configurations the desired ones: %w", err)
	}
	for i := range row.Steps {
		row.Steps[i].mark("commit", "done", r.now(), "it is the desired configuration now")
	}
	return nil
}

// fail decides to go back. The installed revision was never replaced, so servers that switched return to it.
func (r *runner) fail(ctx context.Context, row *applyRow, code, message, output string) error {
	row.Error = &StepError{Code: code, Message: message, Output: output}
	r.enter(row, stageReverting, "something failed; nodes return to the installed version")
	return r.keep(ctx, row)
}

// reverting goes back in the reverse order: entries first, so that none forwards to an exit that is gone.
func (r *runner) reverting(ctx context.Context, row *applyRow) error {
	for _, rank := range []string{"entry", "transit", "exit"} {
		begun := func(s stepRow) bool { return configures(s) && s.Role == rank && s.Orders["prepare"] != "" }
		if slices.ContainsFunc(row.Steps, func(s stepRow) bool { return begun(s) && s.Orders["revert"] == "" }) {
			if err := r.send(ctx, row, "revert", begun, r.applyOrder(row, agentapi.PhaseRevert)); err != nil {
				return err
			}
			return r.keep(ctx, row)
		}
		if settled, err := r.settled(ctx, row, "revert", begun); err != nil || !settled {
			return err
		}
	}
	err := r.finish(ctx, row, stageFailed, "failed: "+row.Error.Message+"; the installed version keeps running", "flow.apply_failed")
	if err == nil {
		r.tell(ctx, "flow.reverted", row.FlowID, map[string]string{"apply_id": row.ID})
	}
	return err
}
