package view

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/healthapi"
	"panel/modules/health/internal/judge"
	"panel/modules/health/internal/verdict"
	"panel/modules/pools/poolsapi"
	"panel/platform/database"
)

// What verdicts say to others that decide by what they see themselves: they add to it, and what is unknown says
// nothing.

// CanaryFindings gives what verdicts have against a canary: its flow, or one of its nodes, is down since it is watched.
// What was down before is not the canary's fault, and what is in maintenance says nothing. Nothing is said while nobody
// judges.
func (v *Views) CanaryFindings(ctx context.Context, w flowsapi.CanaryWatch) ([]flowsapi.CanaryFinding, error) {
	var rows []struct{ Kind, SubjectID, Name, Reason string }
	err := v.db.In(ctx).NewRaw(`select kind, subject_id, name, reason from health_states
		where state = ? and not maintenance and since >= ?
			and (kind = ? and subject_id = any(?::uuid[]) or kind = ? and subject_id = any(?::uuid[]))
			and exists (select from health_progress where alive_at > ?)
		order by kind = ? desc, name, subject_id`,
		verdict.Down, w.Since.UTC(), healthapi.Node, pgdialect.Array(database.OnlyIDs(w.NodeIDs)), healthapi.Flow,
		pgdialect.Array(database.OnlyIDs([]string{w.FlowID})), v.clock.Now().UTC().Add(-judge.Still), healthapi.Node).
		Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read how a canary does: %w", err), nil)
	}
	out := make([]flowsapi.CanaryFinding, len(rows))
	for i, r := range rows {
		if r.Kind == healthapi.Node {
			out[i].NodeID = r.SubjectID
			out[i].Text = flowsapi.Say("health_node_down", "the health checks say that the node is down", "reason", r.Reason)
			continue
		}
		out[i].Text = flowsapi.Say("health_flow_down", "the health checks say that the flow is down", "reason", r.Reason)
	}
	return out, nil
}

// MemberEvidence gives the verdicts about members of pools, by the ids of their nodes and flows. Ids of which nothing
// is known are left out, all of them while nobody judges.
func (v *Views) MemberEvidence(ctx context.Context, ids []string) (map[string]poolsapi.MemberHealth, error) {
	ids = database.OnlyIDs(ids)
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []subjectRow
	err := v.db.In(ctx).NewSelect().Model(&rows).Column("kind", "subject_id", "state", "reason", "since", "checked_at").
		Where("subject_id = any(?::uuid[])", pgdialect.Array(ids)).
		Where("exists (select from health_progress where alive_at > ?)", v.clock.Now().UTC().Add(-judge.Still)).Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the health of members: %w", err), nil)
	}
	seen, err := v.seen(ctx, healthapi.Node, nodesOf(rows))
	out := make(map[string]poolsapi.MemberHealth, len(rows))
	for i := range rows {
		r := &rows[i]
		out[r.SubjectID] = poolsapi.MemberHealth{
			State: r.State, Reason: r.Reason, Since: r.Since.UTC(), CheckedAt: newer(r.CheckedAt, seen[r.SubjectID]),
		}
	}
	return out, err
}

func nodesOf(rows []subjectRow) (ids []string) {
	for i := range rows {
		if rows[i].Kind == healthapi.Node {
			ids = append(ids, rows[i].SubjectID)
		}
	}
	return slices.Compact(ids)
}

// newer is when somebody looked last: a check, or the agent that was heard.
func newer(checked *time.Time, heard time.Time) *time.Time {
	if !heard.IsZero() && (checked == nil || heard.After(*checked)) {
		return utc(&heard)
	}
	return utc(checked)
}
