package offers

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/proxypanel/internal/mapping"
	"panel/modules/proxypanel/internal/profile"
	"panel/modules/proxypanel/internal/remnawave"
	"panel/platform/database"
)

func pointer[T any](value T) *T { return &value }

// A mark is a tag that a Remnawave takes, and tells one host of ours from another and from a hidden one.
func TestAMarkIsATag(t *testing.T) {
	t.Parallel()
	require.Equal(t, "MANAGED:"+strings.Repeat("A", 26), markOf("00000000-0000-0000-0000-000000000000"))
	tag := regexp.MustCompile(`^[A-Z0-9_:]{1,36}$`)
	seen := map[string]bool{}
	for range 100 {
		id := database.NewID()
		for _, mark := range []string{markOf(id), hiddenTagOf(id)} {
			require.Regexp(t, tag, mark)
			require.False(t, seen[mark])
			seen[mark] = true
		}
	}
	require.Empty(t, markOf("no id"))
	require.Empty(t, hiddenTagOf("no id"))
}

// A host leads to the first port of a range, under the remark of the entry or else the name of the flow.
func TestAHostLeadsWhereUsersConnect(t *testing.T) {
	t.Parallel()
	entry := flowsapi.Entry{Host: "a.example.com", Port: "20000-20100", ServerName: "s.example.com", Path: "/x", L4: "udp"}
	require.Equal(t, Endpoint{
		Remark: "Flow", Address: "a.example.com", Port: 20000, SNI: "s.example.com", Path: "/x", L4: "udp",
	}, endpointOf(entry, "", "Flow"))
	entry.Port = "443"
	require.Equal(t, 443, endpointOf(entry, "", "Flow").Port)
	require.Equal(t, "Europe", endpointOf(entry, "Europe", "Flow").Remark)
	require.Equal(t, strings.Repeat("я", 100), endpointOf(entry, "", strings.Repeat("я", 101)).Remark)
	require.Zero(t, endpointOf(flowsapi.Entry{Port: "any"}, "", "Flow").Port)
}

func held(to Endpoint, told *Endpoint) *row {
	r := &row{Mark: "00000000-0000-0000-0000-000000000000", HostID: "host", InboundID: "inbound", Tag: "tag"}
	r.content.Endpoint = to
	if told != nil {
		r.tell(*told)
	}
	return r
}

func hostState(to Endpoint) *remnawave.HostState {
	there := &remnawave.HostState{
		ID: "host", Remark: to.Remark, Address: to.Address, Port: to.Port, SNI: to.SNI, Path: to.Path,
	}
	there.Inbound.InboundID = "inbound"
	return there
}

// "What others have changed of a host stays": only what we want otherwise than we said last is written.
func TestAHostIsToldWhatHasChangedOfOurs(t *testing.T) {
	t.Parallel()
	was := Endpoint{Remark: "Europe", Address: "a.example.com", Port: 443, SNI: "s.example.com", Path: "/x"}
	moved, renamed, bare := was, was, was
	moved.Port, renamed.Remark, bare.SNI, bare.Path = 8443, "Asia", "", ""
	theirs := was
	theirs.Remark, theirs.Address = "Mine", "b.example.com"
	for name, one := range map[string]struct {
		wanted Endpoint
		told   *Endpoint
		there  Endpoint
		want   remnawave.HostWrite
	}{
		"nothing":                        {was, &was, was, remnawave.HostWrite{}},
		"a port":                         {moved, &was, was, remnawave.HostWrite{Port: pointer(8443)}},
		"a port that stands there":       {moved, &was, moved, remnawave.HostWrite{}},
		"a port beside what others want": {moved, &was, theirs, remnawave.HostWrite{Port: pointer(8443)}},
		"what others want":               {was, &was, theirs, remnawave.HostWrite{}},
		"a remark over theirs":           {renamed, &was, theirs, remnawave.HostWrite{Remark: pointer("Asia")}},
		"what is there no more":          {bare, &was, was, remnawave.HostWrite{SNI: pointer(""), Path: pointer("")}},
		"all, as nothing was said":       {was, nil, theirs, remnawave.HostWrite{Remark: pointer("Europe"), Address: pointer("a.example.com")}},
	} {
		require.Equal(t, one.want, difference(hostState(one.there), held(one.wanted, one.told), "profile"), name)
	}
	elsewhere := hostState(was)
	elsewhere.Inbound.InboundID = "another"
	require.Equal(t, remnawave.HostWrite{Inbound: &remnawave.HostAt{ProfileID: "profile", InboundID: "inbound"}},
		difference(elsewhere, held(was, &was), "profile"))
}

// A remark that was taken over holds until the drawing names another one.
func TestARemarkThatWasTakenOverHolds(t *testing.T) {
	t.Parallel()
	r := held(Endpoint{Remark: "Europe"}, nil)
	r.Remark, _ = json.Marshal(adopted{Drawn: "Europe", Remark: "Mine"})
	require.Equal(t, "Mine", r.endpoint().Remark)
	r.content.Endpoint.Remark = "Asia"
	require.Equal(t, "Asia", r.endpoint().Remark)
	r.Remark = json.RawMessage(`{`)
	require.Equal(t, "Asia", r.endpoint().Remark)
	require.Nil(t, held(Endpoint{}, nil).sent())
}

// Lists of inbounds are replaced whole: what others have put there stays, in its order.
func TestOnlyOurInboundsComeAndGo(t *testing.T) {
	t.Parallel()
	ids := []string{"c", "a", "b"}
	require.Equal(t, []string{"c", "b", "ours"}, changed(ids, []string{"ours", "b"}, []string{"a", "x"}))
	require.Equal(t, []string{"c", "a", "b"}, ids, "the list that was read is left alone")
	require.Empty(t, changed([]string{"a"}, nil, []string{"a"}))
	squad := &remnawave.SquadState{Inbounds: []remnawave.InboundState{{ID: "a"}, {ID: "b"}}}
	for _, one := range []struct {
		give, take []string
		want       bool
	}{
		{nil, nil, true}, {[]string{"a", "b"}, []string{"c"}, true}, {[]string{"c"}, nil, false}, {nil, []string{"b"}, false},
	} {
		require.Equal(t, one.want, holds(squad, one.give, one.take), one)
	}
	require.True(t, sameIDs([]string{"a", "b", "a"}, []string{"b", "a"}))
	require.True(t, sameIDs(nil, []string{}))
	require.False(t, sameIDs([]string{"a"}, []string{"a", "b"}))
	require.Equal(t, []string{"x"}, *without([]string{"t", "x", "t"}, "t"))
	require.NotNil(t, *without(nil, "t"), "tags are never null, which would leave them as they are")
	r := &row{}
	r.giveSquads([]string{"b", "a", "b"})
	require.Equal(t, []string{"a", "b"}, r.squads())
	r.giveSquads(nil)
	require.Equal(t, "[]", string(r.Squads))
	stay := []*row{{Tag: "b"}, {Tag: "a"}, {Tag: "not there"}}
	require.Equal(t, []string{"1", "2"}, known(stay, map[string]string{"a": "2", "b": "1", "others": "3"}))
}

func at(profiles []remnawave.ProfileState, nodes []remnawave.NodeState) *pass {
	return &pass{
		Engine: &Engine{Tools: Tools{Clock: clockwork.NewFakeClock()}}, at: Connection{Label: "main"},
		force: map[string]bool{}, profiles: profiles, nodes: nodes,
	}
}

// The host of a row bears its mark; only where nobody does it is the one that it was noted with.
func TestAHostIsFoundByItsMark(t *testing.T) {
	t.Parallel()
	p, r := at(nil, nil), held(Endpoint{}, nil)
	require.Nil(t, p.host(r))
	p.hosts = []remnawave.HostState{{ID: "host"}, {ID: "other", Tags: []string{"x", markOf(r.Mark)}}}
	require.Equal(t, "other", p.host(r).ID)
	p.hosts[1].Tags = nil
	require.Equal(t, "host", p.host(r).ID)
	p.profiles = []remnawave.ProfileState{{ID: ""}, {ID: "p"}}
	require.Nil(t, p.profile(""), "no id is no profile, whatever the other panel gives")
	require.Equal(t, "p", p.profile("p").ID)
	require.Nil(t, p.node("n"))
	require.Nil(t, p.squad("s"))
}

type oneField struct{ kind, field, ours, theirs string } // that differs

func drifts(look func(add adding)) (found []oneField) {
	look(func(kind, _, _, field, ours, theirs string) {
		found = append(found, oneField{kind, field, ours, theirs})
	})
	return found
}

// What differs of a host, a squad and a node is told field by field; what we left to the other panel may be anything.
func TestDriftIsToldFieldByField(t *testing.T) {
	t.Parallel()
	ours := Endpoint{Remark: "Europe", Address: "a.example.com", Port: 443}
	p, r := at(nil, nil), held(ours, nil)
	r.content.Squads = []string{"s1", "s2", "s3"}
	require.Equal(t, []oneField{{kindHost, gone, "Europe", ""}}, drifts(func(add adding) { p.hostDiffers(r, add) }))
	there := hostState(ours)
	there.SNI, there.Path = "theirs.example.com", "/theirs"
	p.hosts = []remnawave.HostState{*there}
	require.Empty(t, drifts(func(add adding) { p.hostDiffers(r, add) }))
	p.hosts[0].Port, p.hosts[0].Remark, p.hosts[0].Inbound.InboundID = 80, "Mine", "another"
	require.Equal(t, []oneField{
		{kindHost, "remark", "Europe", "Mine"}, {kindHost, "port", "443", "80"}, {kindHost, "inbound", "inbound", "another"},
	}, drifts(func(add adding) { p.hostDiffers(r, add) }))
	p.squads = []remnawave.SquadState{
		{ID: "s1", Name: "All", Inbounds: []remnawave.InboundState{{ID: "inbound"}}}, {ID: "s2", Name: "Few"},
	}
	require.Equal(t, []oneField{{kindSquad, "inbound tag", "Few", ""}, {kindSquad, gone, "s3", ""}},
		drifts(func(add adding) { p.squadsDiffer(r, add) }))
	m := &mapping.Mapping{ProfileID: "ours", ProfileName: "panel_1", PanelNodeID: "n"}
	node := &remnawave.NodeState{ID: "n"}
	node.Runs.ProfileID = "ours"
	look := func() []oneField { return drifts(func(add adding) { p.nodeDiffers(m, node, []row{*r}, add) }) }
	require.Equal(t, []oneField{{kindNode, "inbound tag", "active", ""}}, look())
	node.Runs.Inbounds = []remnawave.InboundState{{ID: "inbound"}, {ID: "more"}}
	require.Empty(t, look(), "what it runs beside ours is not our matter")
	node.Runs.ProfileID = "p2"
	require.Equal(t, []oneField{{kindNode, "profile", "panel_1", "p2"}}, look())
	p.profiles = []remnawave.ProfileState{{ID: "p2", Name: "Theirs"}}
	require.Equal(t, []oneField{{kindNode, "profile", "panel_1", "Theirs"}}, look())
	lost, err := at(nil, nil).differs(m, nil)
	require.NoError(t, err)
	require.Len(t, lost, 1)
	require.Equal(t, []any{kindNode, gone, false, "node-n"}, []any{lost[0].Kind, lost[0].Field, lost[0].Adoptable, lost[0].Object})
}

// A node that runs something else than when it was adopted is not taken from whoever let it.
func TestANodeThatRunsSomethingElseIsLeftAlone(t *testing.T) {
	t.Parallel()
	p := at([]remnawave.ProfileState{{ID: "theirs", Name: "Theirs"}}, nil)
	m := &mapping.Mapping{ProfileID: "ours", PanelNodeID: "n"}
	before := mapping.Before{ProfileID: "before", Inbounds: []string{"b", "a"}}
	node := &remnawave.NodeState{ID: "n", Name: "ams"}
	for runs, want := range map[string]string{
		"ours": "", "before": "", "theirs": "runs the profile Theirs now", "unknown": "runs the profile unknown now",
	} {
		node.Runs.ProfileID = runs
		node.Runs.Inbounds = []remnawave.InboundState{{ID: "a"}, {ID: "b"}}
		err := p.replaces(t.Context(), m, node, &before)
		if want == "" {
			require.NoError(t, err, runs)
			continue
		}
		var foreign *Changed
		require.ErrorAs(t, err, &foreign, runs)
		require.Equal(t, Changed{"main", "node", "ams", want}, *foreign)
		p.force[objectOf(kindNode, "n")] = true
		require.NoError(t, p.replaces(t.Context(), m, node, &before), "somebody has said that it may be overwritten")
		delete(p.force, objectOf(kindNode, "n"))
	}
}

// What passes by itself is waited for, as long as the other panel wants; the rest ends the apply.
func TestWhatPassesIsWaitedFor(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClock()
	e := &Engine{Tools: Tools{Clock: clock}}
	slow := func(wait time.Duration) error {
		return fmt.Errorf("read: %w", &remnawave.Problem{Cause: remnawave.SlowDown, Wait: wait})
	}
	for name, one := range map[string]struct {
		err  error
		code string
		wait time.Duration
	}{
		"somebody writes":   {fmt.Errorf("x: %w", errBusy), "waiting_for_proxy_panel", busyAgain},
		"somebody goes on":  {errLost, "waiting_for_proxy_panel", busyAgain},
		"it wants a minute": {slow(time.Minute), "proxy_panel_slow_down", time.Minute},
		"it wants a moment": {slow(time.Millisecond), "proxy_panel_slow_down", busyAgain},
	} {
		outcome, err := e.outcome(one.err)
		require.NoError(t, err, name)
		require.Equal(t, flowsapi.Again, outcome.Result, name)
		require.Equal(t, one.code, outcome.Detail.Code, name)
		require.Equal(t, clock.Now().Add(one.wait), outcome.At, name)
	}
	outcome, err := e.outcome(nil)
	require.NoError(t, err)
	require.Equal(t, flowsapi.Done, outcome.Result)
	for _, ends := range []error{errors.New("x"), &Missing{"main", "squad", "s"}, &remnawave.Problem{Cause: remnawave.TokenRefused}} {
		_, err := e.outcome(ends)
		require.ErrorIs(t, err, ends)
	}
}

// An error names the proxy panel, what was being done and what that panel says of it.
func TestAnErrorNamesWhereAndWhat(t *testing.T) {
	t.Parallel()
	p := at(nil, nil)
	require.NoError(t, p.met(nil, "read"))
	refused := &remnawave.Problem{Cause: remnawave.PanelFailed, Status: http.StatusBadRequest, Code: "A1", Detail: "no inbounds"}
	err := p.met(refused, "write the profile panel_1")
	require.EqualError(t, err,
		"write the profile panel_1 at the proxy panel main: the proxy panel: panel_failed (HTTP 400 A1): no inbounds")
	require.ErrorIs(t, err, refused)
	require.EqualError(t, p.met(errors.New("x"), "read"), "read at the proxy panel main: x")
	require.EqualError(t, &Missing{"main", "node", "ams"}, "the proxy panel main has no node ams any more")
	m := &mapping.Mapping{PanelNodeID: "n"}
	missing := fmt.Errorf("run: %w", &Missing{"main", "node", "ams"})
	require.True(t, p.without(m, []*row{{Phase: phaseSettled}, {Phase: phaseUndoing}}, missing))
	require.False(t, p.without(m, []*row{{Phase: phaseOffered}}, missing), "what comes needs its node")
	require.False(t, p.without(m, nil, errors.New("x")))
	p.nodes = []remnawave.NodeState{{ID: "n"}}
	require.False(t, p.without(m, nil, missing), "it is not the node that is missing")
}

// An entry that another node of the same proxy panel serves from now on keeps its host, with what others made of it.
func TestAHostGoesWithItsEntry(t *testing.T) {
	t.Parallel()
	have := []row{
		{ID: "new", Block: "in", ConnectionID: "c", Mark: "new mark"},
		{ID: "elsewhere", Block: "in", ConnectionID: "other", HostID: "h0"},
		{ID: "block", Block: "in2", ConnectionID: "c", HostID: "h1"},
		{ID: "old", Block: "in", ConnectionID: "c", Mark: "mark", HostID: "h", HostSent: json.RawMessage(`{}`), EnabledAt: pointer(time.Time{})},
	}
	stays := func(r *row) bool { return r.ID == "new" }
	(&Engine{}).inherit(&have[0], have, stays)
	require.Equal(t, []string{"mark", "h"}, []string{have[0].Mark, have[0].HostID})
	require.NotNil(t, have[0].EnabledAt)
	require.Empty(t, have[3].HostID)
	require.NotEqual(t, "mark", have[3].Mark, "two rows never bear one mark")
	require.Nil(t, have[3].EnabledAt)
	require.Equal(t, []string{"h0", "h1"}, []string{have[1].HostID, have[2].HostID})
}

// The bare profile that stands between the making and the first writing of a configuration is known as ours.
func TestABareProfileIsKnown(t *testing.T) {
	t.Parallel()
	part := profile.Part{Tag: "in", Inbound: json.RawMessage(`{"tag":"in","port":443,"protocol":"vless","settings":{}}`)}
	config, err := profile.Build([]profile.Part{part})
	require.NoError(t, err)
	bare, err := profile.Minimal([]profile.Part{part})
	require.NoError(t, err)
	require.True(t, barely(config, bare))
	require.False(t, barely(config, config))
	require.False(t, barely(config, json.RawMessage(`{}`)))
	require.False(t, barely(json.RawMessage(`no`), bare))
}

// A host may be hidden where all squads that see it see another one on another connected node.
func TestAHostIsSpareWhereAllItsSquadsSeeAnother(t *testing.T) {
	t.Parallel()
	near := &visibleHosts{others: []otherHost{
		{HostID: "h", Squads: []string{"a", "b", "c"}, Nodes: []string{"n"}},
		{HostID: "same node", Squads: []string{"a", "b", "c"}, Nodes: []string{"n"}},
		{HostID: "other", Squads: []string{"a"}, Nodes: []string{"n", "n2"}},
		{HostID: "another", Squads: []string{"b"}, Nodes: []string{"n3"}},
		{HostID: "nowhere", Squads: []string{"c"}},
	}}
	for squads, want := range map[string]bool{"a": true, "b": true, "a b": true, "c": false, "a c": false, "d": false, "": true} {
		require.Equal(t, want, near.spares("h", "n", strings.Fields(squads)), squads)
	}
	require.False(t, near.spares("another", "n", []string{"b"}), "itself is no other one")
}
