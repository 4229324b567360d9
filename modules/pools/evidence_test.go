package pools

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/pools/poolsapi"
	"panel/platform/agentapi"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// sighted is a module that sees how members are.
type sighted struct {
	name string
	says func(ids []string) (map[string]poolsapi.MemberHealth, error)
}

func (s *sighted) manifest() module.Module {
	return module.Module{
		Name: s.name, Summary: "Sees how members are", Requires: []string{"pools"},
		Attach: func(all poolsapi.HealthEvidence) module.Parts {
			all.Add(s.name, func(_ context.Context, ids []string) (map[string]poolsapi.MemberHealth, error) {
				return s.says(ids)
			})
			return module.Parts{}
		},
	}
}

func sightedWorld(t *testing.T, by ...*sighted) *world {
	t.Helper()
	all := features()
	for _, one := range by {
		all = append(all, one.manifest())
	}
	return newWorldOn(t, paneltest.New(t, all...))
}

// A pool member keeps the state that its agents have found; health adds its evidence, and never declares the member
// healthy or down.
func TestHealthAddsToTheStateOfAMemberAndNeverReplacesIt(t *testing.T) {
	t.Parallel()
	since, checked := time.Now().Add(-time.Hour).UTC().Truncate(time.Second), time.Now().UTC().Truncate(time.Second)
	var asked []string
	see := &sighted{name: "sighted"}
	w := sightedWorld(t, see)
	see.says = func(ids []string) (map[string]poolsapi.MemberHealth, error) {
		asked = ids
		return map[string]poolsapi.MemberHealth{
			w.exits[0]: {State: poolsapi.HealthUp, Since: since},
			w.exits[1]: {State: poolsapi.HealthDown, Reason: "unreachable", Since: since, CheckedAt: &checked},
		}, nil
	}
	p := w.pool("Europe")
	w.flow("Main", p.ID)
	require.ElementsMatch(t, w.exits, asked, "once, about all members")
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	at := w.panel.Clock.Now()
	w.report(state(p, 0, agentapi.PoolDown, at), state(p, 1, agentapi.PoolHealthy, at))
	shown := w.read(p.ID)
	require.Equal(t, agentapi.PoolDown, shown.Members[0].State, "health sees it well; its agents do not reach it")
	require.Equal(t, MemberHealth{State: "up", Since: since}, *shown.Members[0].Health)
	require.Equal(t, agentapi.PoolHealthy, shown.Members[1].State, "agents reach it, whatever health sees")
	require.Equal(t, MemberHealth{State: "down", Reason: "unreachable", Since: since, CheckedAt: &checked},
		*shown.Members[1].Health)
	require.Nil(t, shown.Members[2].Health, "nothing is known of it")
	var status Status
	w.admin.Get(path + "/" + p.ID + "/status").Is(http.StatusOK).JSON(&status)
	require.Equal(t, shown.Members, status.Members)
}

// A source that cannot say keeps no pool from being shown; of several the worst counts.
func TestAPoolIsShownWhenHealthCannotBeAsked(t *testing.T) {
	t.Parallel()
	broken, well, ill := &sighted{name: "broken"}, &sighted{name: "well"}, &sighted{name: "ill"}
	w := sightedWorld(t, broken, well, ill)
	say := func(state string) func([]string) (map[string]poolsapi.MemberHealth, error) {
		return func([]string) (map[string]poolsapi.MemberHealth, error) {
			return map[string]poolsapi.MemberHealth{w.exits[0]: {State: state}}, nil
		}
	}
	broken.says = func([]string) (map[string]poolsapi.MemberHealth, error) { return nil, errors.New("away") }
	well.says, ill.says = say(poolsapi.HealthUp), say(poolsapi.HealthDegraded)
	p := w.pool("Europe")
	require.Equal(t, poolsapi.HealthDegraded, p.Members[0].Health.State)
	ill.says = say(poolsapi.HealthUnknown)
	require.Equal(t, poolsapi.HealthUp, w.read(p.ID).Members[0].Health.State, "who knows nothing does not count")
	ill.says = func([]string) (map[string]poolsapi.MemberHealth, error) { panic("an empty pool asks nobody") }
	require.Empty(t, w.pool("Empty", "members", members()).Members)
}
