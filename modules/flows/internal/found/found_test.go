package found_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/found"
	"panel/modules/flows/internal/graph"
	"panel/platform/fault"
)

var now = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func good() flowsapi.FoundTarget {
	return flowsapi.FoundTarget{
		NodeID: "n1", Target: "www.example.org:443", ServerName: "www.example.org", Suitable: true,
		ValidUntil: now.Add(time.Second),
	}
}

func drawing(changes ...func(*graph.Listener)) graph.Graph {
	l := graph.Listener{Protocol: "vless", Transport: "raw", Security: "reality", Reality: &graph.Reality{
		Target: "www.example.org:443", TargetResultID: "r1",
	}}
	for _, change := range changes {
		change(&l)
	}
	return graph.Graph{Nodes: []graph.Node{
		{Key: "exit", Kind: graph.Exit, NodeID: "n1"},
		{Key: "entry", Kind: graph.Entry, NodeID: "n1", Params: graph.Params{Listener: &l}},
	}}
}

func knowing(results map[string]flowsapi.FoundTarget) *found.Sources {
	s := new(found.Sources)
	s.Add("test", func(context.Context, []string) (map[string]flowsapi.FoundTarget, error) { return results, nil })
	return s
}

// Rule: a found target must be fresh, suitable, of this target and found from this node, at compile and at apply.
func TestAFoundTargetMustHaveAnUpToDateResult(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*flowsapi.FoundTarget){
		"":                   func(*flowsapi.FoundTarget) {},
		"older than 24":      func(f *flowsapi.FoundTarget) { f.ValidUntil = now },
		"another node":       func(f *flowsapi.FoundTarget) { f.NodeID = "n2" },
		"of another target":  func(f *flowsapi.FoundTarget) { f.Target = "www.example.org:8443" },
		"is of another":      func(f *flowsapi.FoundTarget) { f.ServerName = "example.org" },
		"not suitable":       func(f *flowsapi.FoundTarget) { f.Suitable = false },
		"there is no such r": nil,
	} {
		results := map[string]flowsapi.FoundTarget{}
		if change != nil {
			f := good()
			change(&f)
			results["r1"] = f
		}
		problems, err := knowing(results).Problems(t.Context(), drawing(), now)
		require.NoError(t, err)
		if want == "" {
			require.Empty(t, problems)
			require.NoError(t, found.Fault(problems))
			continue
		}
		require.Len(t, problems, 1, want)
		require.Contains(t, problems[0].Message, want)
		require.Equal(t, "nodes[1].params.listener.reality.target_result_id", problems[0].Path)
		var refused *fault.Fault
		require.ErrorAs(t, found.Fault(problems), &refused)
		require.Equal(t, found.Stale, refused.Code)
		require.Equal(t, found.Stale, found.Obstacles(problems)[0].Code)
	}
}

// Rule: a draft that names no result asks nobody, and nothing changes for it.
func TestADraftWithoutAResultAsksNobody(t *testing.T) {
	t.Parallel()
	s := new(found.Sources)
	s.Add("broken", func(context.Context, []string) (map[string]flowsapi.FoundTarget, error) {
		return nil, errors.New("no idea")
	})
	for _, g := range []graph.Graph{
		drawing(func(l *graph.Listener) { l.Reality.TargetResultID = "" }),
		drawing(func(l *graph.Listener) { l.Security = "none" }),
		drawing(func(l *graph.Listener) { l.Reality = nil }),
	} {
		problems, err := s.Problems(t.Context(), g, now)
		require.NoError(t, err)
		require.Empty(t, problems)
	}
	_, err := s.Problems(t.Context(), drawing(), now)
	require.ErrorContains(t, err, "broken")
}

// The names that clients ask for are those of the listener, and those of its hops count as well.
func TestNamesAndHops(t *testing.T) {
	t.Parallel()
	g := drawing(func(l *graph.Listener) { l.Reality.ServerNames = []string{"a.example.org", "WWW.example.org"} })
	g.Nodes[1].Kind, g.Nodes[1].Params.Hop, g.Nodes[1].Params.Listener = graph.Transit, g.Nodes[1].Params.Listener, nil
	problems, err := knowing(map[string]flowsapi.FoundTarget{"r1": good()}).Problems(t.Context(), g, now)
	require.NoError(t, err)
	require.Empty(t, problems)
	g.Nodes[1].Params.Hop.Reality.ServerNames = []string{"a.example.org"}
	problems, err = knowing(map[string]flowsapi.FoundTarget{"r1": good()}).Problems(t.Context(), g, now)
	require.NoError(t, err)
	require.Equal(t, "nodes[1].params.hop.reality.target_result_id", problems[0].Path)
}
