package xray_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/xray"
)

// hostile are values that no member of a configuration expects.
func hostile() []any {
	deep := any("x")
	for range 300 {
		deep = []any{deep}
	}
	return []any{
		nil, true, -1, 1e300, 0.5, "", "x", "a\u0000b", "\u202e\u2028\ufffe\n", strings.Repeat("я", 1500), "-", ":", ",",
		[]any{},
		[]any{nil},
		[]any{object{}},
		[]any{5, "x", nil},
		object{},
		object{"": nil},
		deep, "9223372036854775808",
		"[::1", "geosite:", "'; drop table flows; --", "<script>alert(1)</script>",
		[]any{[]any{[]any{}}},
	}
}

// places lists every place of a document, as what puts a value there.
func places(value any, set func(any)) (out []func(any)) {
	out = append(out, set)
	switch v := value.(type) {
	case object:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out = append(out, places(v[name], func(other any) { v[name] = other })...)
		}
	case []any:
		for i := range v {
			out = append(out, places(v[i], func(other any) { v[i] = other })...)
		}
	}
	return out
}

func parsed(t *testing.T, text []byte) (out any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

// sane holds what is true of anything that was read, whatever it was read of.
func sane(t *testing.T, text []byte) {
	t.Helper()
	c, err := xray.Read(text)
	if err != nil {
		return
	}
	require.LessOrEqual(t, len(c.Entries), foreign.MaxEntries)
	require.LessOrEqual(t, len(c.Findings), foreign.MaxFindings)
	clients, keys := 0, map[string]bool{}
	for i := range c.Entries {
		e := &c.Entries[i]
		require.False(t, keys[e.Key], "the key %q twice", e.Key)
		keys[e.Key] = true
		shown(t, e.Key, e.Name, e.Domain, e.Listener.Path, e.Listener.ServiceName, e.Listener.Secret)
		shown(t, e.Listener.ListenIP)
		require.GreaterOrEqual(t, len([]rune(e.Name)), 3)
		for _, client := range e.Clients {
			require.NotEmpty(t, client.Label)
			shown(t, client.Label, client.Note, client.Password, client.UUID)
			require.NotEmpty(t, client.UUID+client.Password+string(client.Key))
		}
		clients += len(e.Clients)
		drawing, err := e.Drawing("")
		require.NoError(t, err)
		require.NotContains(t, string(drawing), `\u0000`, "PostgreSQL does not hold it")
	}
	require.Equal(t, clients, c.Clients)
	for _, f := range c.Findings {
		require.NotEmpty(t, f.Code.Reason())
		shown(t, f.What, f.Entry)
	}
}

func shown(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		require.False(t, strings.ContainsFunc(text, unicode.IsControl), "%q", text)
		require.LessOrEqual(t, len([]rune(text)), foreign.MaxNote)
	}
}

// everything is a configuration with each protocol, transport and security.
func everything(t *testing.T) any {
	t.Helper()
	config := parsed(t, server(t)).(object)
	in := config["inbounds"].([]any)
	for _, network := range []string{"ws", "grpc", "xhttp", "httpupgrade"} {
		settings := object{"path": "/x", "serviceName": "x", "acceptProxyProtocol": true, "mode": "auto", "xPaddingBytes": 5}
		in = append(in, vless(object{
			"network": network, "security": "tls", network + "Settings": settings, "tlsSettings": object{"alpn": []any{"h2"}},
			"sockopt": object{"acceptProxyProtocol": true},
		}))
	}
	in = append(in, hysteria(object{"udp": []any{object{"type": "salamander", "settings": object{"password": "x"}}}}))
	client := object{"id": annasID, "expiryTime": 5, "totalGB": 5, "comment": "x"}
	config["inbounds"] = append(in, speaking("vmess", client))
	text, err := json.Marshal(config)
	require.NoError(t, err)
	return parsed(t, text)
}

// Any value at any place of a configuration is read or told of; nothing panics, and nothing unfit is passed on.
func TestAnyValueAtAnyPlaceHarmsNothing(t *testing.T) {
	t.Parallel()
	root := everything(t)
	sound, err := json.Marshal(root)
	require.NoError(t, err)
	count := len(places(root, func(any) {}))
	require.Greater(t, count, 200)
	values, each := hostile(), 4
	for place := range count {
		for i := range each {
			value := values[(place*each+i)%len(values)]
			changed := parsed(t, sound)
			places(changed, func(other any) { changed = other })[place](value)
			text, err := json.Marshal(changed)
			require.NoError(t, err)
			sane(t, text)
		}
	}
}

// The same with several changes at once, and with texts that were cut or whose bytes are others.
func TestAMutatedConfigurationHarmsNothing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same changes in every run
	root, values := everything(t), hostile()
	sound, err := json.Marshal(root)
	require.NoError(t, err)
	for range 300 {
		changed := parsed(t, sound)
		for range 1 + random.IntN(5) {
			at := places(changed, func(other any) { changed = other })
			at[1+random.IntN(max(len(at)-1, 1))%len(at)](values[random.IntN(len(values))])
		}
		text, err := json.Marshal(changed)
		require.NoError(t, err)
		sane(t, text)
		raw := slices.Clone(sound)
		for range random.IntN(8) {
			raw[random.IntN(len(raw))] = byte(random.Uint32())
		}
		sane(t, raw[:random.IntN(len(raw)+1)])
		sane(t, raw)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"inbounds":[null,{"protocol":"vless","port":"1-2"}],"routing":{"rules":[null]}}`))
	f.Fuzz(sane)
}

// A finding names what it is about, never a secret of it.
func TestFindingsHoldNoSecret(t *testing.T) {
	t.Parallel()
	root := everything(t)
	sound, err := json.Marshal(root)
	require.NoError(t, err)
	count := len(places(root, func(any) {}))
	secrets := []string{annasID, realityKey, shadowKey, "c0rrect-horse", "ZmVkY2JhOTg3NjU0MzIxMA==", "hy-s3cret"}
	for place := range count {
		changed := parsed(t, sound)
		places(changed, func(other any) { changed = other })[place]("x")
		text, err := json.Marshal(changed)
		require.NoError(t, err)
		c, err := xray.Read(text)
		if err != nil {
			continue
		}
		findings, err := json.Marshal(c.Findings)
		require.NoError(t, err)
		for _, secret := range secrets {
			require.NotContains(t, string(findings), secret)
		}
	}
}
