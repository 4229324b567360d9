package targets

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"time"

	"go.uber.org/zap"

	"panel/modules/flows/flowsapi"
	"panel/modules/targets/internal/verdict"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/ingest"
)

// validFor is how long a result may be used in a plan.
const validFor = 24 * time.Hour

func (s *searches) intake() ingest.Intake {
	return ingest.Intake{Kind: agentapi.TargetFindings, Take: s.take}
}

// take stores what an agent has found. It returns when the findings are durable; a batch that comes again changes
// nothing. What belongs to no search of this node is dropped: the search was deleted meanwhile, or the agent makes it
// up.
func (s *searches) take(ctx context.Context, nodeID string, batch *agentapi.Batch) error {
	bySearch := map[string][]agentapi.TargetFinding{}
	for _, item := range batch.Items {
		var f agentapi.TargetFinding
		if err := json.Unmarshal(item, &f); err != nil || !database.IsID(f.SearchID) {
			s.log.Warn("a finding of an agent cannot be read and is dropped", zap.String("node", nodeID))
			continue
		}
		f.Clean()
		bySearch[f.SearchID] = append(bySearch[f.SearchID], f)
	}
	var err error
	for id, findings := range bySearch {
		err = errors.Join(err, s.store.db.InTx(ctx, func(ctx context.Context) error {
			return s.add(ctx, nodeID, id, findings)
		}))
	}
	return err
}

func (s *searches) add(ctx context.Context, nodeID, id string, findings []agentapi.TargetFinding) error {
	row, err := s.store.lock(ctx, id)
	if gone(err) || err == nil && row.NodeID != nodeID {
		return nil
	}
	if err != nil {
		return err
	}
	results := make([]resultRow, 0, len(findings))
	for _, f := range findings {
		if f.Number >= 0 && f.Number < row.Total {
			results = append(results, s.judged(&row, f))
		}
	}
	if len(results) == 0 {
		return nil
	}
	if err := s.store.add(ctx, results); err != nil {
		return err
	}
	if row.Scanned, row.Found, err = s.store.counted(ctx, id); err != nil {
		return err
	}
	if err := s.emit(ctx, kindFound, &row); err != nil {
		return err
	}
	if row.State == stateRunning && row.Announced != nil {
		return s.settle(ctx, &row)
	}
	return s.store.update(ctx, &row)
}

// judged makes a result of what an agent found. What was asked for is what the search says; when it was looked at is
// bounded by the panel's clock.
func (s *searches) judged(row *searchRow, f agentapi.TargetFinding) resultRow {
	now, asked := s.now(), row.Targets[f.Number]
	f.Target, f.ServerName = hostPort(asked), nameFor(asked, f.ServerName)
	if f.CheckedAt.After(now) || f.CheckedAt.Before(row.CreatedAt) {
		f.CheckedAt = row.CreatedAt
	}
	v := verdict.Of(f, f.CheckedAt)
	return resultRow{
		ID: database.NewID(), SearchID: row.ID, Number: f.Number, NodeID: row.NodeID, Target: f.Target,
		ServerName: f.ServerName, Finding: f, Suitability: v.Suitability, Score: v.Score, Latency: f.LatencyMillis,
		Reasons: v.Reasons, CheckedAt: f.CheckedAt, ValidUntil: f.CheckedAt.Add(validFor),
	}
}

// nameFor is the name of a target: the one that was asked for, and of an address what its certificate says.
func nameFor(asked agentapi.ScanTarget, found string) string {
	if asked.ServerName != "" {
		return asked.ServerName
	}
	if _, err := netip.ParseAddr(asked.Host); err != nil {
		return asked.Host
	}
	name, _ := nameOf(found)
	return name
}

// foundTargets gives results as drafts take them over.
func (s *searches) foundTargets(ctx context.Context, ids []string) (map[string]flowsapi.FoundTarget, error) {
	found := map[string]flowsapi.FoundTarget{}
	if ids = database.OnlyIDs(ids); len(ids) == 0 {
		return found, nil
	}
	rows, err := s.store.byIDs(ctx, ids)
	for i := range rows {
		found[rows[i].ID] = rows[i].outside()
	}
	return found, err
}

func (r *resultRow) outside() flowsapi.FoundTarget {
	return flowsapi.FoundTarget{
		ID: r.ID, NodeID: r.NodeID, Target: r.Target, ServerName: r.ServerName, ValidUntil: r.ValidUntil,
		Suitable: r.Suitability == verdict.Suitable || r.Suitability == verdict.Acceptable,
	}
}
