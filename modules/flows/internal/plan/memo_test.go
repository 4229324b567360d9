package plan_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

// Rule: what a memo gives is that of a full compilation, byte for byte, after any changes, however much of it was
// dropped and whatever callers did to earlier results.
func TestTheMemoGivesWhatAFullCompilationGives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		memo := plan.NewMemo(rapid.IntRange(0, 12).Draw(t, "nodes of the memo"))
		fleet := make([]plan.Input, rapid.IntRange(1, 3).Draw(t, "flows"))
		for i := range fleet {
			fleet[i] = drawnInput(t)
			if rapid.Bool().Draw(t, "pool") {
				fleet[i] = pooled(rapid.IntRange(1, 4).Draw(t, "members"))
			}
			fleet[i].FlowID = fmt.Sprintf("0190a000-0000-7000-9000-%012d", i)
		}
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			in := &fleet[rapid.IntRange(0, len(fleet)-1).Draw(t, "flow")]
			changeOf(t, in)
			full, got := plan.Compile(*in), memo.Compile(*in)
			require.Equal(t, full, got)
			require.Equal(t, bytesOf(full), bytesOf(got))
			spoil(got)
			require.Equal(t, full, memo.Compile(*in))
		}
	})
}

// changeOf makes one change of those that happen to a flow. Nothing is changed in place: two inputs may share it.
func changeOf(t *rapid.T, in *plan.Input) {
	nodes := map[string]plan.Node{}
	var ids []string
	for id, n := range in.Nodes {
		nodes[id], ids = n, append(ids, id)
	}
	in.Nodes = nodes
	at := rapid.SampledFrom(sortedTexts(ids)).Draw(t, "node")
	n := nodes[at]
	switch rapid.IntRange(0, 9).Draw(t, "change") {
	case 0:
		n.Address = fmt.Sprintf("192.0.2.%d", rapid.IntRange(1, 9).Draw(t, "address"))
	case 1:
		n.Core = rapid.SampledFrom([]string{"", "1.8.24", "26.3.27"}).Draw(t, "core")
	case 2:
		n.Others = []plan.Fragment{reread(drawnOthers(t, at))}
	case 3:
		n.Can = rapid.SampledFrom([][]string{nil, {"apply"}, {"document_clients"}}).Draw(t, "abilities")
	case 4:
		n.Sockets = []plan.Socket{{L4: "tcp", IP: "0.0.0.0", Port: rapid.IntRange(440, 446).Draw(t, "socket")}}
	case 5:
		client := plan.Client{ID: fmt.Sprint(len(in.Clients)), UUID: in.Clients[0].UUID, Key: make([]byte, 32)}
		in.Clients = append(in.Clients[:len(in.Clients):len(in.Clients)], client)
	case 6:
		result := plan.Compile(*in)
		in.Installed, in.Hosts = result.Fragments, result.Hosts
	case 7:
		in.Graph.Nodes = rapid.Permutation(in.Graph.Nodes).Draw(t, "nodes")
	case 8:
		in.Graph.Edges = append([]graph.Edge(nil), in.Graph.Edges...)
		in.Graph.Edges[rapid.IntRange(0, len(in.Graph.Edges)-1).Draw(t, "edge")].Match = drawnMatch(t)
	case 9:
		in.Revision++
	}
	nodes[at] = n
}

func reread(others []plan.Fragment) plan.Fragment {
	f := plan.Fragment{FlowID: "other"}
	if len(others) > 0 {
		f = others[0]
	}
	read, err := plan.ReadFragment(f.Bytes())
	if err != nil {
		panic(err)
	}
	return read
}

func sortedTexts(all []string) []string {
	sorted := append([]string(nil), all...)
	for i := range sorted {
		for j := i; j > 0 && sorted[j] < sorted[j-1]; j-- {
			sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
		}
	}
	return sorted
}

// spoil does to a result what callers may do: they change checks and steps, append, and take away.
func spoil(r plan.Result) {
	for i := range r.Plan.Readiness {
		r.Plan.Readiness[i].Forceable, r.Plan.Readiness[i].Evidence = true, "spoilt"
	}
	for i := range r.Plan.Steps {
		r.Plan.Steps[i] = plan.Step{}
	}
	for i := range r.Plan.Diff.Listeners {
		r.Plan.Diff.Listeners[i].To = "spoilt"
	}
	r.Plan.Errors = append(r.Plan.Errors, graph.Problem{Code: "spoilt"})
	for i := range r.Hosts {
		r.Hosts[i].Host = "spoilt"
	}
	clear(r.Fragments)
	clear(r.Plan.Rendered)
}

func TestAMemoIsForAllGoroutines(t *testing.T) {
	t.Parallel()
	memo, inputs := plan.NewMemo(15), []plan.Input{}
	for i := range 4 {
		inputs = append(inputs, star(i, 10*i, 10))
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5 {
				for _, in := range inputs {
					got := memo.Compile(in)
					if got.Plan.Hash == "" || got.Fingerprint != in.Fingerprint() {
						t.Error("another flow's result")
					}
					spoil(got)
				}
			}
		})
	}
	all.Wait()
}

// Rule: an input that differs in anything but its revision has another key. A new field that the key leaves out is
// found here.
func TestEveryFieldOfAnInputDecidesAboutItsKey(t *testing.T) {
	t.Parallel()
	var in plan.Input
	fill(reflect.ValueOf(&in).Elem())
	in.Graph.Nodes[0].Kind = graph.Entry
	was, seen := in.Key(), 0
	require.Equal(t, was, in.Key())
	leaves(reflect.ValueOf(&in).Elem(), "input", func(path string) {
		seen++
		if path == "input.Revision" {
			require.Equal(t, was, in.Key())
			return
		}
		require.NotEqual(t, was, in.Key(), path)
	})
	require.Greater(t, seen, 200)
	require.Equal(t, was, in.Key())
}

// fill puts something into every field: one element into lists and tables.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		if fill(v.Index(0)); v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte("7"))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("a")
	default: // numbers and truths stay as they are
	}
}

// leaves changes each single value in turn, calls look, and puts the value back.
func leaves(v reflect.Value, path string, look func(path string)) {
	switch v.Kind() {
	case reflect.Pointer:
		leaves(v.Elem(), path, look)
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				leaves(v.Field(i), path+"."+field.Name, look)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			leaves(v.Index(i), fmt.Sprintf("%s[%d]", path, i), look)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			leaves(value, path+"[]", func(path string) {
				v.SetMapIndex(key, value)
				look(path)
			})
			v.SetMapIndex(key, value)
		}
	default:
		before := reflect.New(v.Type()).Elem()
		before.Set(v)
		other(v)
		look(path)
		v.Set(before)
	}
}

func other(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("b")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8:
		v.SetUint(v.Uint() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	default:
		panic("a kind of value that this test does not know: " + v.Kind().String())
	}
}

// A result with more nodes than a memo holds is made each time; the memo never holds more.
func TestAMemoIsBounded(t *testing.T) {
	t.Parallel()
	memo := plan.NewMemo(10)
	for i := range 3 {
		memo.Compile(star(i, 0, 6))
		require.LessOrEqual(t, memo.Nodes(), 10)
	}
	require.Equal(t, 6, memo.Nodes())
	memo.Compile(star(9, 0, 11))
	require.Equal(t, 6, memo.Nodes())
	memo.Compile(plan.Input{FlowID: "refused"})
	require.Equal(t, 7, memo.Nodes(), "what has no node counts, too")
}

// chained is a flow whose pool falls back on another one, and so on: so many members in four pools.
func chained(members int) plan.Input {
	const pools = 4
	in := pooled(1)
	in.Pools, in.Graph.Nodes[1].PoolID = map[string]flowsapi.Pool{}, "pool0"
	for at := range pools {
		p := flowsapi.Pool{ID: fmt.Sprintf("pool%d", at), Name: "p", Strategy: "random", Stickiness: "none"}
		p.Fallback = flowsapi.PoolFallback{Kind: flowsapi.FallbackPool, PoolID: fmt.Sprintf("pool%d", at+1)}
		if at == pools-1 {
			p.Fallback = flowsapi.PoolFallback{Kind: flowsapi.FallbackBlock}
		}
		for i := range members / pools {
			n := at*members/pools + i
			id := fmt.Sprintf("0190a000-0000-7000-8000-%012d", n)
			in.Nodes[id] = plan.Node{
				ID: id, Name: id, Address: fmt.Sprintf("10.1.%d.%d", n/250, 1+n%250), Core: "26.3.27", Others: held(id),
			}
			p.Members = append(p.Members, flowsapi.PoolMember{ID: "m" + id, NodeID: id})
		}
		in.Pools[p.ID] = p
	}
	return in
}
