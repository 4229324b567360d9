package xray_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/imports/internal/foreign"
)

// speaking is a listener of a protocol with clients.
func speaking(protocol string, clients ...any) object {
	return object{
		"tag": "in-1", "port": 443, "protocol": protocol, "settings": object{"clients": clients},
		"streamSettings": object{"security": "tls"},
	}
}

// Clients keep the ids that their links carry; the core makes one of any short text, always the same.
func TestIDsOfClientsAreKept(t *testing.T) {
	t.Parallel()
	for given, wanted := range map[any]string{
		annasID: annasID, strings.ToUpper(annasID): annasID, strings.ReplaceAll(annasID, "-", ""): annasID,
		"example": "feb54431-301b-52bb-a6dd-e1e93e81bb9e", 7: "",
	} {
		for _, protocol := range []string{"vless", "vmess"} {
			e, _ := one(t, speaking(protocol, object{"id": given, "email": "anna"}))
			require.Len(t, e.Clients, 1, given)
			if wanted != "" {
				require.Equal(t, wanted, e.Clients[0].UUID, given)
			}
			again, _ := one(t, speaking(protocol, object{"id": given, "email": "anna"}))
			require.Equal(t, e.Clients, again.Clients)
		}
	}
}

func TestPasswordsOfClientsAreKept(t *testing.T) {
	t.Parallel()
	const password = "c0rrect horse/battery+staple=ü"
	e, _ := one(t, speaking("trojan", object{"password": password, "email": "a"}, object{"password": 123, "email": "b"}))
	require.Equal(t, password, e.Clients[0].Password)
	require.Equal(t, "123", e.Clients[1].Password)
	e, _ = one(t, speaking("hysteria", object{"auth": "x", "password": "y"}, object{"password": "z"}))
	require.Equal(t, "x", e.Clients[0].Password)
	require.Equal(t, "z", e.Clients[1].Password)
}

// A client without a secret that the listener would accept is told of by its name, and never with what it has.
func TestClientsWithoutASecretAreTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		protocol string
		client   any
	}{
		{"vless", object{"email": "anna"}},
		{"vless", object{"id": "a text that is too long for the core", "email": "anna"}},
		{"vmess", object{"id": nil, "email": "anna"}},
		{"trojan", object{"id": annasID, "email": "anna"}},
		{"trojan", object{"password": " padded ", "email": "anna"}},
		{"trojan", object{"password": "new\nline", "email": "anna"}},
		{"trojan", object{"password": strings.Repeat("x", 129), "email": "anna"}},
		{"hysteria", object{"auth": "a\u0000b", "email": "anna"}},
	} {
		_, got := one(t, speaking(c.protocol, c.client))
		require.Contains(t, told(got), "inbounds[0].settings.clients[0] client_without_secret anna", c)
		require.Contains(t, told(got), "inbounds[0].settings.clients no_clients", c)
	}
	_, got := one(t, shadowsocks(object{"clients": []any{
		object{"password": "c2hvcnQ=", "email": "a"},
		object{"password": "!", "email": "b"},
		object{"password": shadowKey, "method": "aes-256-gcm", "email": "c"},
		nil, 5,
		[]any{},
		object{"email": 5},
	}}))
	require.Equal(t, []string{
		"inbounds[0].settings.clients[4] not_readable", "inbounds[0].settings.clients[5] not_readable",
		"inbounds[0].settings.clients[6] not_readable",
		"inbounds[0].settings.clients[0] client_without_secret a", "inbounds[0].settings.clients[1] client_without_secret b",
		"inbounds[0].settings.clients[2] client_without_secret c",
		"inbounds[0].settings.clients[3] client_without_secret shadowsocks2022 8388 4",
		"inbounds[0].settings.clients no_clients",
	}, told(got))
}

// The core takes its clients from either list; both are told of by their own places.
func TestClientsStandInEitherList(t *testing.T) {
	t.Parallel()
	e, got := one(t, object{
		"tag": "in-1", "port": 443, "protocol": "hysteria", "streamSettings": object{"security": "tls"},
		"settings": object{"clients": []any{object{"auth": "a"}}, "users": []any{object{"auth": "b"}, object{}}},
	})
	require.Len(t, e.Clients, 2)
	require.Equal(t, "in-1 1", e.Clients[0].Label, "one without a name is called by its place")
	require.Equal(t, "in-1 2", e.Clients[1].Label)
	require.Contains(t, told(got), "inbounds[0].settings.users[1] client_without_secret in-1 3")
}

// The flow control of a listener is that of most of its clients; the old links of the others stop working.
func TestFlowControl(t *testing.T) {
	t.Parallel()
	const vision = "xtls-rprx-vision"
	for _, c := range []struct {
		clients []string
		otherwise,
		wanted string
		others []int
	}{
		{[]string{vision, vision, ""}, "", vision, []int{2}},
		{[]string{"", "", vision}, "", "none", []int{2}},
		{[]string{"", vision}, "", vision, []int{0}},
		{nil, "", vision, nil},
		{[]string{"none", ""}, "", "none", nil},
		{[]string{"", ""}, vision, vision, nil},
		{[]string{"xtls-rprx-direct", vision}, "", vision, []int{0}},
	} {
		clients := []any{}
		for i, flow := range c.clients {
			clients = append(clients, object{"id": fmt.Sprint("client", i), "flow": flow, "email": fmt.Sprint("c", i)})
		}
		in := speaking("vless", clients...)
		in["settings"] = with(in["settings"].(object), object{"flow": c.otherwise})
		e, got := one(t, in)
		require.Equal(t, c.wanted, e.Listener.Flow, c)
		others := []int{}
		for i := range c.clients {
			other := fmt.Sprintf("inbounds[0].settings.clients[%d].flow client_other_flow c%d", i, i)
			for _, line := range told(got) {
				if line == other {
					others = append(others, i)
				}
			}
		}
		require.ElementsMatch(t, c.others, others, c)
		require.Len(t, e.Clients, len(c.clients))
	}
	in := speaking("vless", object{"id": annasID})
	in["streamSettings"] = object{"network": "ws", "security": "tls"}
	e, _ := one(t, in)
	require.Empty(t, e.Listener.Flow, "over other transports there is none")
}

// What another panel keeps about a client beside its secret comes along.
func TestWhatAnotherPanelKeepsAboutAClient(t *testing.T) {
	t.Parallel()
	const bytes = 107_374_182_400
	e, got := one(t, speaking("vless",
		object{
			"id": "a", "email": "a\tb", "comment": "Анна,\nс мая", "enable": false, "expiryTime": 1_893_456_000_000,
			"totalGB": bytes, "trafficReset": "weekly", "panelUp": 5, "panelDown": 6, "subId": "s8k2m4qa7xv1c9zt",
		},
		object{"id": "b", "email": "b", "enable": true, "expiryTime": -86_400_001, "totalGB": bytes, "reset": 30},
		object{"id": "c", "email": "c", "expiryTime": 1e300, "totalGB": -1, "panelUp": -5, "trafficReset": "daily"},
		object{"id": "d", "email": "d", "expiryTime": 0, "totalGB": 1e300, "trafficReset": "hourly"},
		object{"id": "e", "email": "e", "totalGB": bytes, "trafficReset": "hourly"},
		object{"id": "f", "email": "f", "totalGB": bytes, "trafficReset": "never", "subId": 42},
		object{"id": "g", "email": "g", "expiryTime": -3650 * 86_400_000.0},
		object{"id": "h", "email": "h", "expiryTime": -3650*86_400_000.0 - 1},
		object{"id": "i", "email": "i", "expiryTime": -1e300},
	))
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	a, b := e.Clients[0], e.Clients[1]
	require.Equal(t, foreign.Client{
		Label: "a b", Note: "Анна, с мая", UUID: a.UUID, Disabled: true, ExpiresAt: &at, Quota: bytes, Reset: "weekly",
		Up: 5, Down: 6, Subscription: "s8k2m4qa7xv1c9zt",
	}, a)
	require.False(t, b.Disabled)
	require.Nil(t, b.ExpiresAt)
	require.Equal(t, 2, b.LastsDays, "a day that was begun is a whole one")
	require.EqualValues(t, bytes, b.Quota)
	require.Equal(t, "never", b.Reset)
	for _, c := range e.Clients[2:4] {
		require.Equal(t, foreign.Client{Label: c.Label, UUID: c.UUID}, c)
	}
	require.Equal(t, "never", e.Clients[5].Reset)
	lines := strings.Join(told(got), "\n")
	require.NotContains(t, lines, "clients[1].expiryTime")
	require.Equal(t, 3650, e.Clients[6].LastsDays)
	for i, label := range map[int]string{7: "h", 8: "i"} {
		require.Zero(t, e.Clients[i].LastsDays, label)
		require.Contains(t, lines, fmt.Sprintf("clients[%d].expiryTime time_too_long %s", i, label))
	}
	require.Contains(t, lines, "clients[1].reset reset_left_out b")
	require.Contains(t, lines, "clients[4].reset reset_left_out e")
	require.NotContains(t, lines, "clients[5].reset")
	require.Contains(t, lines, "clients[5].subId subscription_too_short f", "a number is read as its digits")
}

// A list longer than one import takes is cut, and that is told.
func TestClientsAboveTheLimitAreTold(t *testing.T) {
	t.Parallel()
	clients := make([]any, foreign.MaxClients+3)
	for i := range clients {
		clients[i] = object{"password": "x"}
	}
	e, got := one(t, speaking("trojan", clients...))
	require.Len(t, e.Clients, foreign.MaxClients)
	require.Equal(t, foreign.MaxClients, got.Clients)
	require.Contains(t, told(got), "inbounds[0].clients over_limit")
}
