package pools

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/pools/poolsapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// What is not there is not found, by whatever name and on every route.
func TestWhatIsNotThereIsNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{database.NewID(), "nonsense", strings.Repeat("x", 60)} {
		one := path + "/" + id
		w.admin.Get(one).Refused(http.StatusNotFound, "not_found")
		w.admin.Get(one+"/status").Refused(http.StatusNotFound, "not_found")
		w.admin.Patch(one, fields{"revision": 1, "name": "Asia"}).Refused(http.StatusNotFound, "not_found")
		w.admin.Delete(one).Refused(http.StatusNotFound, "not_found")
		w.admin.Post(one+"/override", fields{}).Refused(http.StatusNotFound, "not_found")
		w.admin.Post(one+"/members/"+database.NewID()+"/drain", fields{}).Refused(http.StatusNotFound, "not_found")
	}
	p := w.pool("Europe")
	w.admin.Post(path+"/"+p.ID+"/members/nonsense/drain", fields{}).Refused(http.StatusNotFound, "not_found")
}

// A change starts from a revision, in the body or as If-Match; one that another was quicker than changes nothing.
func TestAChangeStartsFromARevision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	one := path + "/" + p.ID
	w.admin.Patch(one, fields{"name": "Asia"}).Refused(http.StatusBadRequest, "missing_field")
	w.admin.Patch(one, fields{"revision": 1, "name": "Asia"}).Is(http.StatusOK)
	w.admin.Patch(one, fields{"revision": 1, "strategy": "random"}).Refused(http.StatusConflict, "revision_conflict")
	w.admin.Do(http.MethodPatch, one, fields{"min_healthy": 2}, "If-Match", "1").
		Refused(http.StatusConflict, "revision_conflict")
	w.admin.Do(http.MethodPatch, one, fields{"min_healthy": 2}, "If-Match", "2").Is(http.StatusOK)
	now := w.read(p.ID)
	require.EqualValues(t, 3, now.Revision)
	require.Equal(t, "Asia", now.Name)
	require.Equal(t, "round_robin", now.Strategy, "what came too late changed nothing")
	require.Equal(t, 2, now.MinHealthy)
	w.admin.Post(one+"/members/"+p.Members[0].ID+"/drain", fields{}).Is(http.StatusOK)
	require.EqualValues(t, 4, w.read(p.ID).Revision)
	w.admin.Post(one+"/members/"+p.Members[0].ID+"/drain", fields{}).Is(http.StatusOK)
	require.EqualValues(t, 4, w.read(p.ID).Revision, "what is so already is no change")
	w.admin.Post(one+"/override", fields{"member_id": p.Members[0].ID}).Is(http.StatusOK)
	require.EqualValues(t, 4, w.read(p.ID).Revision, "a choice that ends by itself is none, either")
}

// Two changes from one revision at once: one of them is told that it came too late.
func TestOfTwoChangesAtOnceOneCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	answers := make(chan int, 2)
	for i := range 2 {
		go func() {
			answers <- w.admin.Patch(path+"/"+p.ID, fields{"revision": 1, "name": fmt.Sprint("Pool ", i)}).Status
		}()
	}
	require.ElementsMatch(t, []int{http.StatusOK, http.StatusConflict}, []int{<-answers, <-answers})
	require.EqualValues(t, 2, w.read(p.ID).Revision)
}

// An override ends by itself: it is shown no more, and the document of agents says from the beginning until when it
// lasts, so that nobody has to tell them.
func TestAnOverrideEndsByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	w.admin.Post(path+"/"+p.ID+"/override", fields{"member_id": p.Members[1].ID}).Is(http.StatusOK)
	shown := w.read(p.ID).Override
	require.WithinDuration(t, w.panel.Clock.Now().Add(time.Hour), shown.Until, time.Minute, "an hour when nothing is said")
	require.Contains(t, shown.By, "user-")
	require.True(t, shown.Until.Equal(w.told().Pools[0].Override.Until))
	require.True(t, w.summary("Europe").Overridden)
	_, err := w.panel.DB.ExecContext(t.Context(), "update transit_pools set override_until = now() - interval '1 second'")
	require.NoError(t, err)
	require.Nil(t, w.read(p.ID).Override)
	require.False(t, w.summary("Europe").Overridden)
	w.admin.Post(path+"/"+p.ID+"/members/"+p.Members[0].ID+"/drain", fields{}).Is(http.StatusOK)
	require.Nil(t, w.told().Pools[0].Override, "a later document leaves it out")
}

func (w *world) summary(name string) PoolSummary {
	w.t.Helper()
	var page struct{ Items []PoolSummary }
	w.admin.Get(path + "?q=" + name).Is(http.StatusOK).JSON(&page)
	require.Len(w.t, page.Items, 1)
	return page.Items[0]
}

// Each change tells who changed what: an event with its data, and a line in the journal.
func TestChangesOfPoolsAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := w.panel.Follow()
	p := w.pool("Europe")
	one := path + "/" + p.ID
	made := news.Next(poolsapi.EventCreated)
	require.Equal(t, p.ID, made.SubjectID)
	require.Equal(t, poolsapi.News{Name: "Europe"}, made.Data)
	w.admin.Patch(one, fields{"revision": 1, "strategy": "random"}).Is(http.StatusOK)
	require.Equal(t, poolsapi.News{Name: "Europe"}, news.Next(poolsapi.EventUpdated).Data)
	about := poolsapi.MemberNews{Name: "Europe", MemberID: p.Members[0].ID, Member: "ams-01", Reason: "drain"}
	w.admin.Post(one+"/members/"+p.Members[0].ID+"/drain", fields{}).Is(http.StatusOK)
	require.Equal(t, about, news.Next(poolsapi.EventDrained).Data)
	w.admin.Post(one+"/members/"+p.Members[0].ID+"/drain", fields{"drain": false}).Is(http.StatusOK)
	about.Reason = "no_drain"
	require.Equal(t, about, news.Next(poolsapi.EventDrained).Data)
	about.Reason = ""
	w.admin.Post(one+"/override", fields{"member_id": p.Members[0].ID}).Is(http.StatusOK)
	require.Equal(t, about, news.Next(poolsapi.EventOverridden).Data)
	w.admin.Post(one+"/override", fields{}).Is(http.StatusOK)
	require.Equal(t, poolsapi.MemberNews{Name: "Europe"}, news.Next(poolsapi.EventOverridden).Data)
	w.admin.Delete(one).Is(http.StatusNoContent)
	require.Equal(t, poolsapi.News{Name: "Europe"}, news.Next(poolsapi.EventDeleted).Data)
	require.Equal(t, []string{
		poolsapi.EventCreated, poolsapi.EventUpdated, poolsapi.EventDrained, poolsapi.EventDrained,
		poolsapi.EventOverridden, poolsapi.EventOverridden, poolsapi.EventDeleted,
	}, w.panel.Recorded(object, p.ID))
}

// Rule: a pool that is used stays, and so does a node in a pool. Only who may see flows is told by which.
func TestWhoUsesAPoolIsToldToThoseWhoMaySeeIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	other := w.pool("Asia", "fallback", fields{"kind": "pool", "pool_id": p.ID})
	node := "/api/v1/nodes/" + w.exits[0]
	blind, seeing := w.panel.As("nodes.edit"), w.panel.As("nodes.edit", string(view))
	refused := string(blind.Delete(node).Refused(http.StatusConflict, "node_in_use").Body)
	require.NotContains(t, refused, p.ID)
	require.NotContains(t, refused, "pool_ids")
	require.Contains(t, string(seeing.Delete(node).Refused(http.StatusConflict, "node_in_use").Body), p.ID)

	flow := w.flow("Main", p.ID)
	refused = string(blind.Delete(node).Refused(http.StatusConflict, "node_in_use").Body)
	require.NotContains(t, refused, flow)
	require.Contains(t, string(seeing.Delete(node).Refused(http.StatusConflict, "node_in_use").Body), flow)
	editor := w.panel.As(string(edit))
	require.NotContains(t, string(editor.Delete(path+"/"+p.ID).Refused(http.StatusConflict, "pool_in_use").Body), flow)
	require.Contains(t, string(w.admin.Delete(path+"/"+p.ID).Refused(http.StatusConflict, "pool_in_use").Body), flow)

	last := w.pool("Last")
	w.admin.Patch(path+"/"+other.ID, fields{"revision": 1, "fallback": fields{"kind": "pool", "pool_id": last.ID}}).
		Is(http.StatusOK)
	require.NotContains(t,
		string(editor.Delete(path+"/"+last.ID).Refused(http.StatusConflict, "pool_in_use").Body), other.ID)
	require.Contains(t,
		string(w.admin.Delete(path+"/"+last.ID).Refused(http.StatusConflict, "pool_in_use").Body), other.ID)
	w.admin.Patch(path+"/"+p.ID, fields{"revision": 1, "members": members(w.exits[1:]...)}).Is(http.StatusOK)
	w.admin.Patch(path+"/"+other.ID, fields{"revision": 2, "members": members(w.exits[1:]...)}).Is(http.StatusOK)
	w.admin.Patch(path+"/"+last.ID, fields{"revision": 1, "members": members(w.exits[1:]...)}).Is(http.StatusOK)
	seeing.Delete(node).Is(http.StatusNoContent)
}

// When all members rest, agents are told that none gets anything new: the fallback takes over, and each comes back with
// the end of its maintenance.
func TestAllMembersInMaintenance(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	resting := func() (n int) {
		for _, m := range w.told().Pools[0].Members {
			if m.Drain {
				n++
			}
		}
		return n
	}
	for _, node := range w.exits {
		w.admin.Post("/api/v1/nodes/"+node+"/maintenance", fields{"on": true}).Is(http.StatusOK)
	}
	require.Eventually(t, func() bool { return resting() == len(w.exits) }, within, every)
	for _, m := range w.read(p.ID).Members {
		require.True(t, m.Resting)
		require.False(t, m.Drain, "what people have said stays beside it")
	}
	w.admin.Post("/api/v1/nodes/"+w.exits[0]+"/maintenance", fields{"on": false}).Is(http.StatusOK)
	require.Eventually(t, func() bool { return resting() == len(w.exits)-1 }, within, every)
}

// Rule: a pool has at most 1,000 members. So many are made, read, listed, told to agents and compiled.
func TestAPoolOfAThousandMembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var nodes []string
	require.NoError(t, w.panel.DB.NewRaw(`insert into nodes select (jsonb_populate_record(n, jsonb_build_object(
			'id', gen_random_uuid(), 'name', 'n-' || i, 'name_key', 'n-' || i))).*
		from nodes n, generate_series(1, 1000) i where n.id = ? returning id`, w.exits[0]).Scan(t.Context(), &nodes))
	p := w.pool("Large", "members", members(nodes...))
	require.Len(t, p.Members, 1000)
	w.admin.Patch(path+"/"+p.ID, fields{"revision": 1, "members": members(append(nodes, w.exits[0])...)}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Equal(t, 1000, w.summary("Large").Members)
	flow := w.flow("Main", p.ID)
	require.Eventually(t, func() bool {
		told := w.told().Pools
		return len(told) == 1 && len(told[0].Members) == 1000
	}, within, every)
	var plan struct {
		Errors, Steps []any
	}
	w.admin.Post("/api/v1/connection-units/"+flow+"/plan/preview", fields{}).Is(http.StatusOK).JSON(&plan)
	require.Empty(t, plan.Errors)
	require.Len(t, plan.Steps, 1001)
}

// Pools are listed by their names, page by page, and found by a part of one.
func TestPoolsAreListedPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"Europe", "Asia", "Reserve", "North Asia"} {
		w.pool(name)
	}
	type page struct {
		Items []PoolSummary
		Next  *string `json:"next_cursor"`
		Total int
	}
	read := func(query string) (p page, names []string) {
		w.admin.Get(path + query).Is(http.StatusOK).JSON(&p)
		for _, one := range p.Items {
			names = append(names, one.Name)
		}
		return p, names
	}
	first, names := read("?limit=3")
	require.Equal(t, []string{"Asia", "Europe", "North Asia"}, names)
	require.Equal(t, 4, first.Total)
	last, names := read("?limit=3&cursor=" + *first.Next)
	require.Equal(t, []string{"Reserve"}, names)
	require.Nil(t, last.Next)
	found, names := read("?q=ASIA&sort=-name")
	require.Equal(t, []string{"North Asia", "Asia"}, names)
	require.Equal(t, 2, found.Total)
	_, names = read("?sort=created_at")
	require.Equal(t, "Europe", names[0])
	require.Equal(t, PoolSummary{
		ID: first.Items[0].ID, Name: "Asia", Strategy: "round_robin", Members: 3, State: "unused", Fallback: "block",
		Revision: 1, CreatedAt: first.Items[0].CreatedAt, UpdatedAt: first.Items[0].UpdatedAt,
	}, first.Items[0])
}

// Names are taken without regard to case, and a pool keeps its own.
func TestANameIsTakenOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.pool("Europe"), w.pool("Asia")
	w.admin.Post(path, fields{"name": " EUROPE ", "strategy": "random", "members": members()}).Refused(409, "name_taken")
	w.admin.Patch(path+"/"+other.ID, fields{"revision": 1, "name": "europe"}).Refused(409, "name_taken")
	w.admin.Patch(path+"/"+p.ID, fields{"revision": 1, "name": "europe"}).Is(http.StatusOK)
	w.admin.Delete(path + "/" + p.ID).Is(http.StatusNoContent)
	w.admin.Patch(path+"/"+other.ID, fields{"revision": 1, "name": "Europe"}).Is(http.StatusOK)
}

// Rule: members stay who they are while weights and order change; who goes takes what was reported of it along.
func TestMembersKeepTheirIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe", "fallback", fields{"kind": "member", "node_id": w.exits[2]})
	require.Equal(t, Fallback{Kind: "member", NodeID: w.exits[2]}, p.Fallback)
	one := path + "/" + p.ID
	w.admin.Patch(one, fields{"revision": 1, "members": members(w.exits[:2]...)}).Refused(422, "invalid_value")
	w.admin.Patch(one, fields{"revision": 1, "members": members(w.exits[2], w.exits[0])}).Is(http.StatusOK)
	after := w.read(p.ID)
	require.Equal(t, []string{p.Members[2].ID, p.Members[0].ID}, []string{after.Members[0].ID, after.Members[1].ID})
	w.admin.Patch(one, fields{"revision": 2, "members": members(w.exits...)}).Is(http.StatusOK)
	again := w.read(p.ID)
	require.Equal(t, p.Members[0].ID, again.Members[0].ID)
	require.NotEqual(t, p.Members[1].ID, again.Members[1].ID, "one that was gone comes as a new one")
	w.admin.Patch(one, fields{"revision": 3, "members": members(w.exits[0], w.exits[0])}).Refused(422, "invalid_value")
	w.admin.Patch(one, fields{"revision": 3, "members": members(database.NewID())}).Refused(422, "invalid_value")
	w.admin.Patch(one, fields{"revision": 3, "members": members(), "fallback": fields{"kind": "direct"}}).Is(http.StatusOK)
	require.Empty(t, w.read(p.ID).Members)
}

// An older report that comes late changes nothing, and a moment in the future is taken for now.
func TestReportsCountByTheirMoments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	now := w.panel.Clock.Now()
	w.report(state(p, 0, "healthy", now), serves(p, "members", 3, "started", now))
	w.report(state(p, 0, "down", now.Add(-time.Minute)), serves(p, "fallback", 0, "all_down", now.Add(-time.Minute)))
	shown := w.read(p.ID)
	require.Equal(t, "healthy", shown.Members[0].State)
	require.Equal(t, "healthy", shown.State)
	require.Nil(t, shown.LastSwitch)
	w.report(state(p, 0, "down", now.Add(24*time.Hour)))
	require.WithinDuration(t, w.panel.Clock.Now(), *w.read(p.ID).Members[0].LastSwitchAt, time.Minute)
}

// A member is down when all nodes that forward to it say so; what one of them misses makes it degraded.
func TestAStateIsMadeOfAllSightings(t *testing.T) {
	t.Parallel()
	for want, states := range map[string][]string{
		agentapi.PoolUnknown:  {agentapi.PoolUnknown, agentapi.PoolUnknown},
		agentapi.PoolHealthy:  {agentapi.PoolHealthy, agentapi.PoolUnknown},
		agentapi.PoolDegraded: {agentapi.PoolHealthy, agentapi.PoolDown},
		agentapi.PoolDown:     {agentapi.PoolDown, agentapi.PoolDown},
	} {
		require.Equal(t, want, together(states))
	}
	require.Equal(t, agentapi.PoolUnknown, together(nil))
	require.Equal(t, agentapi.PoolDegraded, together([]string{agentapi.PoolDegraded}))
}

// A destination's way through a flow tells what was seen of the pool on it, and of the one that it falls back on.
func TestAWayIsExplainedWithItsPools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	spare := w.pool("Spare", "members", members(w.exits[2]))
	p := w.pool("Europe", "members", members(w.exits[:2]...), "fallback", fields{"kind": "pool", "pool_id": spare.ID})
	flow := w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 2 }, within, every)
	now, group := w.panel.Clock.Now(), "flow."+flow+".out.in.pool"
	inFlow := func(r agentapi.PoolReport) agentapi.PoolReport {
		r.Group = group
		return r
	}
	started := inFlow(serves(p, "members", 2, "started", now))
	alone := inFlow(serves(p, "members", 1, "member_down", now))
	alone.Active = p.Members[1].ID
	w.report(started, inFlow(state(p, 0, "down", now)), inFlow(state(p, 1, "healthy", now)), alone,
		state(p, 0, "healthy", now))
	type choice struct {
		NodeName   string `json:"node_name"`
		ActiveName string `json:"active_name"`
		Reason     string
	}
	var way struct {
		Result   string
		NodeName string `json:"node_name"`
		Pools    []struct {
			Name    string
			Choices []choice
			Members []struct {
				NodeName string `json:"node_name"`
				Seen     []struct{ State string }
			}
		}
	}
	w.admin.Get("/api/v1/connection-units/" + flow + "/explain?domain=example.org").Is(http.StatusOK).JSON(&way)
	require.Equal(t, "direct", way.Result)
	require.Equal(t, "waw-01", way.NodeName)
	require.Len(t, way.Pools, 2)
	require.Equal(t, "Europe", way.Pools[0].Name)
	require.Equal(t, []choice{{NodeName: "fra-01", ActiveName: "waw-01", Reason: "member_down"}}, way.Pools[0].Choices)
	require.Equal(t, "ams-01", way.Pools[0].Members[0].NodeName)
	require.Len(t, way.Pools[0].Members[0].Seen, 1, "of another flow's way nothing is told")
	require.Equal(t, "down", way.Pools[0].Members[0].Seen[0].State)
	require.Equal(t, "Spare", way.Pools[1].Name)
	require.Empty(t, way.Pools[1].Choices)
	require.Equal(t, "ber-01", way.Pools[1].Members[0].NodeName)
}

// What a configuration holds of a pool does not depend on names, weights or the order of members.
func TestTheShapeOfAPool(t *testing.T) {
	t.Parallel()
	row := poolRow{ID: "p", Name: "Europe", Strategy: "random", FallbackKind: flowsapi.FallbackBlock}
	members := []memberRow{{ID: "b", NodeID: "2"}, {ID: "a", NodeID: "1", Weight: 5}}
	shape := row.shape(members)
	require.Equal(t, []flowsapi.PoolMember{{ID: "a", NodeID: "1"}, {ID: "b", NodeID: "2"}}, shape.Members)
	renamed := row
	renamed.Name, renamed.MinHealthy = "Asia", 7
	members[0].Weight, members[1].Drain = 9, true
	require.True(t, sameShape(shape, renamed.shape([]memberRow{members[1], members[0]})))
	for name, change := range map[string]func(r *poolRow){
		"strategy":   func(r *poolRow) { r.Strategy = "ordered" },
		"stickiness": func(r *poolRow) { r.Stickiness = "user" },
		"fallback":   func(r *poolRow) { r.FallbackKind = flowsapi.FallbackDirect },
	} {
		other := row
		change(&other)
		require.False(t, sameShape(shape, other.shape(members)), name)
	}
	require.False(t, sameShape(shape, row.shape(members[:1])))
}
