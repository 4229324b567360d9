package plan_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"testing"

	"github.com/cloudflare/circl/sign/mldsa/mldsa65"
	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

const (
	ownPrivate = "aMxqeY1LoJzrWjVVkSvqkxAWVzP2cEOQjKTSxVNfkVU"
	ownPublic  = "EFzf7diK7eW7fs-fhEIGfnsc2ElK1X5WEu6WBybLZko"
)

func ofReality(change func(*graph.Listener)) plan.Input {
	in := input(across())
	l := vless(443)
	change(l)
	in.Graph.Nodes[0].Params.Listener = l
	return in
}

func streamOf(t *testing.T, in plan.Input) map[string]any {
	t.Helper()
	return rendered(t, in)["streamSettings"].(map[string]any)
}

func queryOf(t *testing.T, in plan.Input) url.Values {
	t.Helper()
	uri, _ := link(plan.Access{
		FlowID: flowID, Root: root, Block: "in", Listen: *in.Graph.Nodes[0].Params.Listener, Host: "h",
		Client: in.Clients[0], Name: "Anna",
	})
	parsed, err := url.Parse(uri)
	require.NoError(t, err)
	return parsed.Query()
}

// An own key takes the place of the one that the panel makes up: on the node, and as its public half in every link.
func TestAnOwnKeyOfREALITYIsUsed(t *testing.T) {
	t.Parallel()
	in := ofReality(func(l *graph.Listener) { l.Reality.PublicKey = ownPublic })
	in.Keys = map[string]string{ownPublic: ownPrivate}
	reality := streamOf(t, in)["realitySettings"].(map[string]any)
	require.Equal(t, ownPrivate, reality["privateKey"])
	require.Equal(t, ownPublic, queryOf(t, in).Get("pbk"))
	made := ofReality(func(*graph.Listener) {})
	require.NotEqual(t, ownPrivate, streamOf(t, made)["realitySettings"].(map[string]any)["privateKey"])
	require.NotEqual(t, ownPublic, queryOf(t, made).Get("pbk"))
}

// What links carry of ML-DSA-65 proves what the node signs with its seed; without the setting there is neither.
func TestMLDSASeedAndVerifierBelongTogether(t *testing.T) {
	t.Parallel()
	in := ofReality(func(l *graph.Listener) { l.Reality.MLDSA65 = true })
	text := streamOf(t, in)["realitySettings"].(map[string]any)["mldsa65Seed"].(string)
	raw, err := base64.RawURLEncoding.DecodeString(text)
	require.NoError(t, err)
	_, private := mldsa65.NewKeyFromSeed((*[mldsa65.SeedSize]byte)(raw))
	message, signature := []byte("hello"), make([]byte, mldsa65.SignatureSize)
	require.NoError(t, mldsa65.SignTo(private, message, nil, false, signature))
	var public mldsa65.PublicKey
	shown, err := base64.RawURLEncoding.DecodeString(queryOf(t, in).Get("pqv"))
	require.NoError(t, err)
	require.NoError(t, public.UnmarshalBinary(shown))
	require.True(t, mldsa65.Verify(&public, message, nil, signature))

	plain := ofReality(func(*graph.Listener) {})
	require.NotContains(t, streamOf(t, plain)["realitySettings"], "mldsa65Seed")
	require.False(t, queryOf(t, plain).Has("pqv"))
}

// The core looks into traffic where a rule asks for it, or as the listener says.
func TestSniffingIsAsTheListenerSays(t *testing.T) {
	t.Parallel()
	byName := &graph.Match{Domain: []string{"example.org"}}
	for _, c := range []struct {
		says  string
		match *graph.Match
		want  bool
	}{
		{"", nil, false},
		{"", byName, true},
		{"auto", byName, true},
		{"on", nil, true},
		{"off", byName, false},
	} {
		in := ofReality(func(l *graph.Listener) { l.Sniffing = c.says })
		in.Graph.Edges = slices.DeleteFunc(in.Graph.Edges, func(e graph.Edge) bool { return e.Match != nil })
		in.Graph.Nodes = append(in.Graph.Nodes, graph.Node{Key: "refuse", Kind: graph.Block})
		if c.match != nil {
			in.Graph.Edges = append([]graph.Edge{{From: "in", To: "refuse", Match: c.match}}, in.Graph.Edges...)
		}
		_, sniffs := rendered(t, in)["sniffing"]
		require.Equal(t, c.want, sniffs, "%q %v", c.says, c.match)
	}
}

// Further settings of xhttp reach the node and, the same, the client: with other padding the node would refuse it.
func TestExtraSettingsOfXHTTPReachBothEnds(t *testing.T) {
	t.Parallel()
	in := ofReality(func(l *graph.Listener) {
		l.Transport = "xhttp"
		l.Extra = &graph.Extra{
			PaddingBytes: "300-400", NoGRPCHeader: true, MaxEachPostBytes: "500000",
			Xmux: &graph.Xmux{MaxConcurrency: "8", KeepAliveSeconds: -1},
		}
	})
	const want = `{"xPaddingBytes":"300-400","noGRPCHeader":true,"scMaxEachPostBytes":"500000",
		"xmux":{"maxConcurrency":"8","hKeepAlivePeriod":-1}}`
	shown, err := json.Marshal(streamOf(t, in)["xhttpSettings"].(map[string]any)["extra"])
	require.NoError(t, err)
	require.JSONEq(t, want, string(shown))
	require.JSONEq(t, want, queryOf(t, in).Get("extra"))
}

// Nobody reads a secret of a listener in what a screen shows of a configuration.
func TestSecretsOfEveryListenerAreMasked(t *testing.T) {
	t.Parallel()
	for _, in := range []plan.Input{
		ofReality(func(l *graph.Listener) { l.Reality.MLDSA65 = true }),
		entering(graph.Listener{Protocol: "hysteria2", Port: 443, Obfs: "salamander"}),
		entering(graph.Listener{Protocol: "trojan", Port: 443}),
		entering(graph.Listener{Protocol: "vmess", Port: 443}),
	} {
		r := plan.Compile(in)
		require.Empty(t, r.Plan.Errors)
		tree, err := plan.Masked(plan.Render([]plan.Fragment{r.Fragments[nodeA]}))
		require.NoError(t, err)
		secrets := []string{}
		var walk func(key string, value any)
		walk = func(key string, value any) {
			switch v := value.(type) {
			case map[string]any:
				for k, item := range v {
					walk(k, item)
				}
			case []any:
				for _, item := range v {
					walk(key, item)
				}
			case string:
				switch key {
				case "id", "password", "auth", "privateKey", "mldsa65Seed", "shortIds":
					secrets = append(secrets, v)
				}
			}
		}
		walk("", tree)
		require.NotEmpty(t, secrets)
		for _, shown := range secrets {
			require.Equal(t, plan.Stars, shown)
		}
	}
}
