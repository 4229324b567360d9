package pools

import (
	"context"
	"time"

	"go.uber.org/zap"

	"panel/modules/pools/poolsapi"
)

// MemberHealth is what the health checks of the panel see of the node or flow of a member.
type MemberHealth struct {
	State     string     `json:"state" enum:"up,degraded,down,unknown"`
	Reason    string     `json:"reason"`
	Since     time.Time  `json:"since" doc:"Since when the state is this"`
	CheckedAt *time.Time `json:"checked_at" doc:"Newest evidence; null: none"`
}

// evidence is what others see of members. It is read beside what agents say, and never in its place.
type evidence struct {
	log     *zap.Logger
	sources []evidenceSource
}

type evidenceSource struct {
	name string
	ask  func(ctx context.Context, ids []string) (map[string]poolsapi.MemberHealth, error)
}

func newEvidence(log *zap.Logger) *evidence { return &evidence{log: log} }

func exportEvidence(e *evidence) poolsapi.HealthEvidence { return e }

// Add implements poolsapi.HealthEvidence.
func (e *evidence) Add(
	name string, ask func(ctx context.Context, ids []string) (map[string]poolsapi.MemberHealth, error),
) {
	e.sources = append(e.sources, evidenceSource{name, ask})
}

// of gives the evidence by nodes and flows; of several answers about one, the worst.
func (e *evidence) of(ctx context.Context, members []memberRow) map[string]MemberHealth {
	out := map[string]MemberHealth{}
	if len(e.sources) == 0 || len(members) == 0 {
		return out
	}
	ids := make([]string, len(members))
	for i, m := range members {
		ids[i] = m.of()
	}
	for _, source := range e.sources {
		said, err := source.ask(ctx, ids)
		if err != nil {
			e.log.Warn("what else is seen of the members of a pool is not known", zap.String("source", source.name), zap.Error(err))
			continue
		}
		for id, one := range said {
			if known, told := out[id]; !told || healthRank[one.State] > healthRank[known.State] {
				out[id] = MemberHealth{State: one.State, Reason: one.Reason, Since: one.Since, CheckedAt: one.CheckedAt}
			}
		}
	}
	return out
}

var healthRank = map[string]int{
	poolsapi.HealthUnknown: 0, poolsapi.HealthUp: 1, poolsapi.HealthDegraded: 2, poolsapi.HealthDown: 3,
}
