package flows_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
)

const (
	privateKey = "aMxqeY1LoJzrWjVVkSvqkxAWVzP2cEOQjKTSxVNfkVU"
	publicKey  = "EFzf7diK7eW7fs-fhEIGfnsc2ElK1X5WEu6WBybLZko"
)

// withKey is the drawing whose entry has an own key, or names one that was brought before.
func (s *stage) withKey(private, public string) graph.Graph {
	g := s.drawing(443)
	l, r := *g.Nodes[0].Params.Listener, *g.Nodes[0].Params.Listener.Reality
	r.PrivateKey, r.PublicKey = private, public
	l.Reality = &r
	g.Nodes[0].Params.Listener = &l
	return g
}

// A private key goes in and never out: the drawing names it by its public half from then on, the node gets it, links
// carry the public half, and the database holds it sealed.
func TestAnOwnPrivateKeyGoesInAndNeverOut(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.save(s.withKey(privateKey, ""))
	draft := s.admin.Get(s.path("/draft")).Is(200)
	require.NotContains(t, string(draft.Body), privateKey)
	require.Contains(t, string(draft.Body), publicKey)
	s.install()
	require.Contains(t, s.fleet.serving("fra-01"), privateKey)
	require.Contains(t, s.link(), "pbk="+publicKey)
	require.NotContains(t, string(s.admin.Get(s.path("/rendered?node_id="+s.fleet.id("fra-01"))).Is(200).Body), privateKey)
	var rows []map[string]any
	require.NoError(t, s.panel.DB.NewRaw("select * from flow_keys").Scan(t.Context(), &rows))
	require.Len(t, rows, 1)
	kept, err := json.Marshal(rows)
	require.NoError(t, err)
	require.NotContains(t, string(kept), privateKey)
	var stored int
	require.NoError(t, s.panel.DB.NewRaw(`select count(*) from flows f, flow_versions v, flow_plans p
		where f.graph::text like ?0 or v.graph::text like ?0 or p.graph::text like ?0 or p.plan::text like ?0`,
		"%"+privateKey+"%").Scan(t.Context(), &stored))
	require.Zero(t, stored)

	s.save(s.withKey("", publicKey)) // as a screen sends it back
	require.True(t, s.compile().IsNoop)
	s.save(s.drawing(443)) // without it the panel's own key is back
	s.install()
	require.NotContains(t, s.link(), publicKey)
	s.save(s.withKey("", publicKey)) // as an older version has it
	s.install()
	require.Contains(t, s.link(), "pbk="+publicKey)
}

// Keys are read in whatever alphabet of Base64 their programs write them.
func TestAPrivateKeyIsReadInEveryAlphabet(t *testing.T) {
	t.Parallel()
	s := setup(t)
	standard := strings.NewReplacer("-", "+", "_", "/").Replace(privateKey) + "="
	s.save(s.withKey(" "+standard+" ", ""))
	require.Contains(t, string(s.admin.Get(s.path("/draft")).Is(200).Body), publicKey)
	for _, wrong := range []string{"x", privateKey + privateKey, "Ж", "AAAA"} {
		answer := s.admin.Put(s.path("/draft"), map[string]any{
			"revision": s.get().DraftRevision, "graph": s.withKey(wrong, ""),
		})
		answer.Is(422)
		require.NotContains(t, string(answer.Body), wrong+`"`, "a rejected value is never echoed")
		require.Contains(t, string(answer.Body), "graph.nodes[0].params.listener.reality.private_key")
	}
}

// A public key whose private one nobody brought to this flow is refused before anything is stored, as is that of
// another flow: who knows a public key does not own the private one.
func TestAPublicKeyWithoutItsPrivateOneIsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.save(s.withKey(privateKey, ""))
	other := s.admin.Post("/api/v1/connection-units", map[string]any{"name": "Other flow"}).Is(201).Text("id")
	revision := s.admin.Get("/api/v1/connection-units/" + other + "/draft").Is(200).Value("revision")
	body := map[string]any{"revision": revision, "graph": s.withKey("", publicKey)}
	refused := s.admin.Put("/api/v1/connection-units/"+other+"/draft", body).Is(422)
	require.Contains(t, string(refused.Body), "graph.nodes[0].params.listener.reality.public_key")
	require.NotContains(t, string(refused.Body), publicKey, "a rejected value is never echoed")
	s.admin.Post("/api/v1/connection-units/"+other+"/plan/preview", map[string]any{"graph": body["graph"]}).Is(422)
	s.admin.Post("/api/v1/connection-units", map[string]any{
		"name": "Third flow", "graph": s.withKey("", publicKey),
	}).Is(422)
	require.Equal(t, revision, s.admin.Get("/api/v1/connection-units/"+other+"/draft").Is(200).Value("revision"))
	made := s.admin.Post("/api/v1/connection-units", map[string]any{
		"name": "Fourth flow", "graph": s.withKey(privateKey, ""),
	}).Is(201)
	require.NotContains(t, string(made.Body), privateKey)
}

// A preview of a drawing with a key that was not saved yet compiles and stores nothing.
func TestAPreviewKeepsNoKey(t *testing.T) {
	t.Parallel()
	s := setup(t)
	answer := s.admin.Post(s.path("/plan/preview"), map[string]any{"graph": s.withKey(privateKey, "")}).Is(200)
	require.NotContains(t, string(answer.Body), privateKey)
	var keys int
	require.NoError(t, s.panel.DB.NewRaw("select count(*) from flow_keys").Scan(t.Context(), &keys))
	require.Zero(t, keys)
}
