package app

import (
	"context"
	"encoding/json"
	"fmt"

	"go.uber.org/zap"

	"panel/platform/audit"
	"panel/platform/restored"
)

// continues is the journal's own part after a restore; a journal of tests may lack it.
type continues interface {
	Continue(ctx context.Context, former string, object audit.Object, changes map[string]audit.Change) (int64, error)
}

// settle puts a database right that was restored from a backup, before anything of the panel runs.
func (a *App) settle(ctx context.Context) error {
	rules := map[string]restored.Rule{}
	for _, o := range a.parts {
		if o.parts.Restored != nil {
			rules[o.owner] = o.parts.Restored
		}
	}
	done, err := restored.Settle(ctx, a.opts.DB, rules, a.goesOn)
	if err != nil {
		return fmt.Errorf("settle the restored database: %w", err)
	}
	if done != nil {
		a.opts.Log.Warn("the panel goes on with a restored database", zap.String("backup", done.Artefact),
			zap.Int64("journal_continued_after", done.Outcome.ContinuedAfter),
			zap.Int("nodes_enrolled_since", len(done.Outcome.EnrolledSince)))
	}
	return nil
}

// goesOn writes into the journal that it goes on after a restore.
func (a *App) goesOn(ctx context.Context, r *restored.Restoration) (err error) {
	journal, is := a.journal.(continues)
	if !is {
		return nil
	}
	former := ""
	_ = json.Unmarshal(r.Kept[restored.Journal], &former) // the panel wrote it; nothing is no journal
	names := make([]string, len(r.Outcome.EnrolledSince))
	for i, node := range r.Outcome.EnrolledSince {
		names[i] = node.Name
	}
	object := audit.Object{Type: "installation", ID: r.ID, Name: r.Artefact}
	r.Outcome.ContinuedAfter, err = journal.Continue(ctx, former, object, map[string]audit.Change{
		"snapshot": {To: r.Snapshot}, "license_kept": {To: r.Outcome.LicenseKept}, "raised": {To: r.Outcome.Raised},
		"enrolled_since": {To: names},
	})
	return err
}
