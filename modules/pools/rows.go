package pools

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/flows/flowsapi"
	"panel/platform/audit"
	"panel/platform/names"
)

const object = "transit_pool"

type poolRow struct {
	bun.BaseModel `bun:"table:transit_pools,alias:p"`

	ID         string `bun:"id,pk,type:uuid"`
	Name       string `bun:"name"`
	NameKey    string `bun:"name_key"`
	Strategy   string `bun:"strategy"`
	Stickiness string `bun:"stickiness"`
	Health     Health `bun:"health,type:jsonb"`

	FallbackKind     string  `bun:"fallback_kind"`
	FallbackMemberID *string `bun:"fallback_member_id,type:uuid"`
	FallbackPoolID   *string `bun:"fallback_pool_id,type:uuid"`

	MinHealthy       int        `bun:"min_healthy"`
	OverrideMemberID *string    `bun:"override_member_id,type:uuid"`
	OverrideUntil    *time.Time `bun:"override_until"`
	OverrideBy       string     `bun:"override_by"`
	Below            bool       `bun:"below"` // people were told that too few members are usable
	CreatedAt        time.Time  `bun:"created_at"`
	UpdatedAt        time.Time  `bun:"updated_at"`
	Revision         int64      `bun:"revision"`

	SortKey string `bun:"sort_key,scanonly"`
}

type memberRow struct {
	bun.BaseModel `bun:"table:transit_pool_members,alias:m"`

	ID       string     `bun:"id,pk,type:uuid"`
	PoolID   string     `bun:"pool_id,type:uuid"`
	NodeID   string     `bun:"node_id,type:uuid,nullzero"` // empty: it is a flow
	FlowID   string     `bun:"flow_id,type:uuid,nullzero"`
	Position int        `bun:"position"`
	Weight   int        `bun:"weight"`
	Priority int        `bun:"priority"`
	Enabled  bool       `bun:"enabled"`
	Drain    bool       `bun:"drain"`
	ToldAt   *time.Time `bun:"told_at"` // that it is down

	Withdrawn string `bun:"withdrawn"` // who keeps new traffic from it; empty: nobody
}

func (r *poolRow) object() audit.Object { return audit.Object{Type: object, ID: r.ID, Name: r.Name} }

func (r *poolRow) named(name string) {
	r.Name = strings.TrimSpace(name)
	r.NameKey = names.SearchKey(r.Name)
}

// overridden gives the override that lasts; nil when there is none.
func (r *poolRow) overridden(now time.Time) *Override {
	if r.OverrideMemberID == nil || r.OverrideUntil == nil || !now.Before(*r.OverrideUntil) {
		return nil
	}
	return &Override{MemberID: *r.OverrideMemberID, Until: r.OverrideUntil.UTC(), By: r.OverrideBy}
}

// shape is what a configuration holds of a pool: whatever changes it makes other configurations.
func (r *poolRow) shape(members []memberRow) flowsapi.Pool {
	pool := flowsapi.Pool{
		ID: r.ID, Name: r.Name, Strategy: r.Strategy, Stickiness: r.Stickiness, Members: []flowsapi.PoolMember{},
		Fallback: flowsapi.PoolFallback{
			Kind: r.FallbackKind, MemberID: text(r.FallbackMemberID), PoolID: text(r.FallbackPoolID),
		},
	}
	sorted := slices.Clone(members)
	slices.SortFunc(sorted, func(a, b memberRow) int { return cmp.Compare(a.ID, b.ID) })
	for _, m := range sorted {
		pool.Members = append(pool.Members, m.shape())
	}
	return pool
}

// sameShape compares without names, which no configuration holds.
func sameShape(a, b flowsapi.Pool) bool {
	return a.Strategy == b.Strategy && a.Stickiness == b.Stickiness && a.Fallback == b.Fallback &&
		slices.Equal(a.Members, b.Members)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
