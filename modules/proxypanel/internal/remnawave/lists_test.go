package remnawave_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/remnawavetest"
	"panel/platform/config"
	"panel/platform/outbound"
)

// hasty keeps no pace.
type hasty struct{}

func (hasty) Turn(context.Context, string) (time.Duration, error) { return 0, nil }
func (hasty) Hold(context.Context, string, time.Duration) error   { return nil }

func open(t *testing.T, address, token string) *remnawave.Client {
	t.Helper()
	cfg, err := config.Of(map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.1"})
	require.NoError(t, err)
	network, err := outbound.NewNetwork(cfg)
	require.NoError(t, err)
	access := remnawave.Access{BaseURL: address, Token: token}
	client, err := remnawave.Open(network, access, hasty{}, clockwork.NewRealClock())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

func beside(t *testing.T) (*remnawave.Client, *remnawavetest.Panel) {
	t.Helper()
	p := remnawavetest.New(t)
	return open(t, p.URL, p.Token(time.Hour, "*")), p
}

// Of each kind the closed list of fields is read, and the order within an object is no difference.
func TestObjectsAreListed(t *testing.T) {
	t.Parallel()
	c, p := beside(t)
	id := p.AddNode("berlin", "192.0.2.7", false)
	nodes, err := c.List(t.Context(), remnawave.KindNode)
	require.NoError(t, err)
	require.Len(t, nodes, 1)
	require.Equal(t, id, nodes[0].ID)
	fields := nodes[0].Fields.(remnawave.NodeFields)
	require.Equal(t, "192.0.2.7", fields.Address)
	require.Equal(t, remnawavetest.DefaultProfile, fields.ProfileID)
	require.Len(t, fields.ActiveInbounds, 1)
	require.Contains(t, fields.Message, "ECONNREFUSED")

	profiles, err := c.List(t.Context(), remnawave.KindProfile)
	require.NoError(t, err)
	profile := profiles[0].Fields.(remnawave.ProfileFields)
	require.Equal(t, remnawave.SumOf(p.Config(remnawavetest.DefaultProfile)), profile.Sum)
	require.Equal(t, []string{id}, profile.Nodes)

	inbounds, err := c.List(t.Context(), remnawave.KindInbound)
	require.NoError(t, err)
	require.Equal(t, remnawavetest.DefaultTag, inbounds[0].Name)
	require.Equal(t, remnawavetest.DefaultProfile, inbounds[0].ParentID)
	require.Equal(t, 1234, inbounds[0].Fields.(remnawave.InboundFields).Port)
	for _, kind := range []string{remnawave.KindHost, remnawave.KindSquad} {
		none, err := c.List(t.Context(), kind)
		require.NoError(t, err)
		require.Empty(t, none)
	}
}

// The sum of a configuration stays with another order and other spaces, and goes with a value.
func TestTheSumOfAConfiguration(t *testing.T) {
	t.Parallel()
	one := remnawave.SumOf([]byte(`{"a":1,"b":[1,2]}`))
	require.Len(t, one, 64)
	require.Equal(t, one, remnawave.SumOf([]byte(` { "b":[1, 2], "a":1}`)))
	require.NotEqual(t, one, remnawave.SumOf([]byte(`{"a":1,"b":[2,1]}`)))
	require.Empty(t, remnawave.SumOf([]byte(`{`)))
}

// Users come in parts until the panel says that this was the last one, each with no credential.
func TestUsersAreStreamed(t *testing.T) {
	t.Parallel()
	c, p := beside(t)
	ids := p.AddUsers(remnawave.MostUsers + 5)
	first, err := c.Users(t.Context(), "", remnawave.MostUsers)
	require.NoError(t, err)
	require.Len(t, first.Users, remnawave.MostUsers)
	require.NotEmpty(t, first.Next)
	last, err := c.Users(t.Context(), first.Next, remnawave.MostUsers)
	require.NoError(t, err)
	require.Len(t, last.Users, 5)
	require.Empty(t, last.Next)
	require.EqualValues(t, ids[len(ids)-1], last.Users[4].ID)
	require.NotNil(t, last.Users[4].MadeAt)
	for _, row := range p.Dump()["users"][:1] {
		for _, name := range []string{"vlessUuid", "trojanPassword", "ssPassword", "shortUuid"} {
			require.NotContains(t, fmt.Sprintf("%+v", first.Users[0]), row[name].(string), name)
		}
	}
}

// saying is a panel that answers every question with one text.
func saying(t *testing.T, text string) *remnawave.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	return open(t, server.URL, "")
}

// A list that is not whole is no list: nothing could be told from what it lacks.
func TestListsThatAreNotWhole(t *testing.T) {
	t.Parallel()
	const id = `"00000000-0000-4000-8000-000000000001"`
	for _, one := range []struct{ kind, text string }{
		{remnawave.KindNode, `{"response":{}}`},
		{remnawave.KindNode, `{"response":null}`},
		{remnawave.KindNode, `{"response":[{"name":"a"}]}`},
		{remnawave.KindNode, `{"response":[{"uuid":"7"}]}`},
		{remnawave.KindNode, `{"response":[{"uuid":` + id},
		{remnawave.KindNode, `[]`},
		{remnawave.KindProfile, `{"response":{"total":2,"configProfiles":[{"uuid":` + id + `}]}}`},
		{remnawave.KindProfile, `{"response":{"total":0}}`},
		{remnawave.KindInbound, `{"response":{"total":1,"inbounds":[]}}`},
		{remnawave.KindSquad, `{"response":{"total":0,"internalSquads":null}}`},
		{remnawave.KindHost, `{"response":"sesame"}`},
	} {
		_, err := saying(t, one.text).List(t.Context(), one.kind)
		require.Equal(t, remnawave.AnswerUnreadable, remnawave.CauseOf(err), one.text)
	}
	const anna = `{"id":1,"username":"anna"}`
	for _, text := range []string{
		`{"response":{}}`, `{"response":{"users":null,"hasMore":false}}`, `{"response":{"users":[` + anna + `]}}`,
		`{"response":{"users":[` + anna + `],"hasMore":true,"nextCursor":null}}`,
		`{"response":{"users":[` + anna + `],"hasMore":true,"nextCursor":"same"}}`,
		`{"response":{"users":[],"hasMore":true,"nextCursor":"x"}}`,
		`{"response":{"users":[{"id":0}],"hasMore":false}}`, `{"response":{"users":[{"id":"x"}],"hasMore":false}}`,
		`{"response":{"users":[` + anna,
	} {
		_, err := saying(t, text).Users(t.Context(), "same", 2)
		require.Equal(t, remnawave.AnswerUnreadable, remnawave.CauseOf(err), text)
	}
}

// What is odd about one object is not taken, and loses nothing else.
func TestOddValuesAreLeftOut(t *testing.T) {
	t.Parallel()
	const odd = `{"id":7,"username":"a\u0000b\nc","status":5,"trafficLimitBytes":"12","expireAt":"soon","createdAt":null,
		"activeInternalSquads":[{"uuid":"x"}],"userTraffic":{"usedTrafficBytes":-1,"lifetimeUsedTrafficBytes":1e30}}`
	last := saying(t, `{"response":{"users":[`+odd+`,{"id":7}],"hasMore":false,"nextCursor":null}}`)
	page, err := last.Users(t.Context(), "", 2)
	require.NoError(t, err)
	require.Len(t, page.Users, 1)
	one := page.Users[0]
	require.Equal(t, "a b c", one.Username)
	require.Empty(t, one.Status)
	require.EqualValues(t, 12, one.TrafficLimit)
	require.Zero(t, one.TrafficUsed)
	require.Positive(t, one.LifetimeUsed)
	require.Nil(t, one.ExpiresAt)
	require.Empty(t, one.Squads)
	const node = `{"uuid":"00000000-0000-4000-8000-00000000000A","name":null,"port":99999,"versions":null,"tags":["b","a",3],
		"configProfile":{"activeConfigProfileUuid":null,"activeInbounds":[{"uuid":"y"}]}}`
	nodes, err := saying(t, `{"response":[`+node+`]}`).List(t.Context(), remnawave.KindNode)
	require.NoError(t, err)
	require.Equal(t, "00000000-0000-4000-8000-00000000000a", nodes[0].ID)
	text, err := json.Marshal(nodes[0].Fields)
	require.NoError(t, err)
	require.Contains(t, string(text), `"port":null`)
	require.Contains(t, string(text), `"tags":["","a","b"]`)
}
