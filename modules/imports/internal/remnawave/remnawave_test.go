package remnawave_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/remnawave"
)

const (
	annasID = "0d1f5a52-6c0e-4b33-8a06-5a2a2b1c9b10"
	borisID = "1d1f5a52-6c0e-4b33-8a06-5a2a2b1c9b10"
)

// profile is what the API answers for one: a whole configuration, whose lists of clients are always empty.
const profile = `{"response":{"uuid":"9f0e0000-0000-4000-8000-000000000001","viewPosition":1,"name":"Main","config":{
	"log":{"loglevel":"info"},
	"inbounds":[
		{"tag":"VLESS_REALITY","port":443,"listen":"0.0.0.0","protocol":"vless",
			"settings":{"clients":[],"decryption":"none"},
			"sniffing":{"enabled":true,"destOverride":["http","tls","quic"]},
			"streamSettings":{"network":"raw","security":"reality","realitySettings":{
				"target":"www.example.org:443","show":false,"xver":0,"spiderX":"","shortIds":["0123abcd"],
				"privateKey":"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY","serverNames":["www.example.org"]}}},
		{"tag":"TROJAN_TLS","port":8443,"protocol":"trojan","settings":{"clients":[]},
			"streamSettings":{"network":"raw","security":"tls","tlsSettings":{"serverName":"a.example.org"}}},
		{"tag":"HYSTERIA","port":8444,"protocol":"hysteria","settings":{"version":2,"clients":[]},
			"streamSettings":{"network":"hysteria","security":"tls","hysteriaSettings":{"version":2}}},
		{"tag":"Shadowsocks","port":1234,"protocol":"shadowsocks","settings":{
			"method":"2022-blake3-aes-256-gcm","password":"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=","clients":[]}}
	],
	"outbounds":[{"tag":"DIRECT","protocol":"freedom"},{"tag":"BLOCK","protocol":"blackhole"}],
	"routing":{"rules":[{"ip":["geoip:private"],"outboundTag":"BLOCK"},{"protocol":["bittorrent"],"outboundTag":"BLOCK"}]}
	},"inbounds":[],"nodes":[],"createdAt":"2026-08-01T00:00:00.000Z","updatedAt":"2026-08-01T00:00:00.000Z"}}`

// users is a page of the stream of users.
const users = `{"response":{"users":[
	{"id":1,"shortUuid":"aB3_dE6-gH9jK2mN","username":"anna","status":"ACTIVE","trafficLimitBytes":107374182400,
		"trafficLimitStrategy":"MONTH","expireAt":"2030-01-01T00:00:00.000Z","telegramId":null,"email":null,
		"description":"Анна","tag":null,"hwidDeviceLimit":null,"trojanPassword":"anna-s3cret-password",
		"vlessUuid":"0d1f5a52-6c0e-4b33-8a06-5a2a2b1c9b10","ssPassword":"abcdefghijklmnopqrstuvwxyz012345",
		"activeInternalSquads":[{"uuid":"5f0e0000-0000-4000-8000-000000000001","name":"One"}],
		"userTraffic":{"usedTrafficBytes":2048,"lifetimeUsedTrafficBytes":4096,"onlineAt":null}},
	{"id":2,"shortUuid":"boris","username":"boris","status":"DISABLED","trafficLimitBytes":0,"trafficLimitStrategy":"NO_RESET",
		"expireAt":"2099-12-31T00:00:00.000Z","description":null,"trojanPassword":"boris-s3cret-password",
		"vlessUuid":"1d1f5a52-6c0e-4b33-8a06-5a2a2b1c9b10","ssPassword":"too short",
		"activeInternalSquads":[{"uuid":"5f0e0000-0000-4000-8000-000000000002","name":"Two"}],
		"userTraffic":{"usedTrafficBytes":0}}
	],"nextCursor":null,"hasMore":false}}`

const squads = `{"response":{"total":2,"internalSquads":[
	{"uuid":"5f0e0000-0000-4000-8000-000000000001","name":"One","info":{"membersCount":1,"inboundsCount":2},
		"inbounds":[{"uuid":"x","tag":"VLESS_REALITY","type":"vless"},{"uuid":"y","tag":"Shadowsocks"}]},
	{"uuid":"5f0e0000-0000-4000-8000-000000000002","name":"Two","inbounds":[{"tag":"VLESS_REALITY"},{"tag":"TROJAN_TLS"}]}
	]}}`

func whole(users, squads string) string {
	return `{"profile":` + profile + `,"users":` + users + `,"squads":` + squads + `}`
}

func read(t *testing.T, text string) *foreign.Config {
	t.Helper()
	c, err := remnawave.Read([]byte(text))
	require.NoError(t, err)
	require.Equal(t, remnawave.Format, c.Format)
	clients := 0
	for _, e := range c.Entries {
		clients += len(e.Clients)
	}
	require.Equal(t, clients, c.Clients)
	return c
}

func labels(e foreign.Entry) (out []string) {
	for _, c := range e.Clients {
		out = append(out, c.Label)
	}
	return out
}

func told(c *foreign.Config) (out []string) {
	for _, f := range c.Findings {
		out = append(out, strings.Join([]string{f.Path, string(f.Code), f.Entry, f.What}, " "))
	}
	return out
}

func TestAProfileIsReadAsTheAPIAnswers(t *testing.T) {
	t.Parallel()
	bare := strings.TrimSuffix(strings.TrimPrefix(profile, `{"response":`), "}")
	for _, text := range []string{profile, bare, `{"profile":` + profile + `}`, `{"profile":` + bare + `,"users":null}`} {
		members := map[string]json.RawMessage{}
		require.NoError(t, json.Unmarshal([]byte(text), &members))
		require.True(t, remnawave.Is(members))
		c := read(t, text)
		require.Len(t, c.Entries, 4)
		require.Len(t, c.Entries[0].Rules, 2)
		require.Equal(t, "xtls-rprx-vision", c.Entries[0].Listener.Flow)
		require.Contains(t, told(c), "inbounds[0].settings.clients no_clients VLESS_REALITY ")
	}
	require.False(t, remnawave.Is(map[string]json.RawMessage{"inbounds": nil}))
}

// Users may use the listeners of their squads, each with the secret that the protocol asks for.
func TestUsersMayUseWhatTheirSquadsHave(t *testing.T) {
	t.Parallel()
	c := read(t, whole(users, squads))
	require.Equal(t, []string{"anna", "boris"}, labels(c.Entries[0]))
	require.Equal(t, []string{"boris"}, labels(c.Entries[1]))
	require.Empty(t, c.Entries[2].Clients)
	require.Equal(t, []string{"anna"}, labels(c.Entries[3]))
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	require.Equal(t, foreign.Client{
		Label: "anna", Note: "Анна", UUID: annasID, ExpiresAt: &at, Quota: 107_374_182_400, Reset: "monthly", Down: 2048,
		Subscription: "aB3_dE6-gH9jK2mN",
	}, c.Entries[0].Clients[0])
	boris := c.Entries[1].Clients[0]
	require.True(t, boris.Disabled)
	require.Equal(t, "boris-s3cret-password", boris.Password)
	require.Zero(t, boris.Quota)
	require.Equal(t, []byte("abcdefghijklmnopqrstuvwxyz012345"), c.Entries[3].Clients[0].Key)
	lines := told(c)
	require.Contains(t, lines, "inbounds[2].settings.clients no_clients HYSTERIA ", "nobody may use it")
	require.NotContains(t, strings.Join(lines, "\n"), "no_clients VLESS_REALITY")
	require.Contains(t, lines, "users[1].shortUuid subscription_too_short TROJAN_TLS boris")
	require.NotContains(t, strings.Join(lines, "\n"), "subscription_shared", "a user is one client with several entries")
}

// Without squads nobody has said who may use what: all users may use everything that they have a secret for.
func TestWithoutSquadsUsersMayUseEverything(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"profile":` + profile + `,"users":` + users + `}`, whole(users, "null")} {
		c := read(t, text)
		for _, e := range c.Entries[:3] {
			require.Equal(t, []string{"anna", "boris"}, labels(e))
		}
		require.Equal(t, borisID, c.Entries[2].Clients[1].Password, "Hysteria is asked for the id")
		require.Equal(t, []string{"anna"}, labels(c.Entries[3]))
		require.Contains(t, told(c), "users[1] client_without_secret Shadowsocks boris")
	}
	require.Zero(t, read(t, whole(users, "[]")).Clients, "no squad lets anybody in")
}

// Lists by themselves are read as those of the answers are.
func TestBareListsAreReadAlike(t *testing.T) {
	t.Parallel()
	bare := func(answer, member string) string {
		var parsed struct{ Response map[string]json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(answer), &parsed))
		return string(parsed.Response[member])
	}
	lists := whole(bare(users, "users"), bare(squads, "internalSquads"))
	require.Equal(t, read(t, whole(users, squads)), read(t, lists))
}

// A user of another form is told of, and the others are read.
func TestAUserOfAnotherFormIsTold(t *testing.T) {
	t.Parallel()
	c := read(t, whole(`[5,{"username":"x","expireAt":"tomorrow"},{"username":"y","vlessUuid":"no id"},null,
		{"username":"z\u0000","vlessUuid":"`+annasID+`","trojanPassword":"new\nline","trafficLimitBytes":1e300,
		"userTraffic":{"usedTrafficBytes":-5}}]`, "null"))
	require.Equal(t, []string{"z"}, labels(c.Entries[0]))
	require.Equal(t, foreign.Client{Label: "z", UUID: annasID}, c.Entries[0].Clients[0])
	require.Empty(t, c.Entries[1].Clients)
	lines := told(c)
	for _, line := range []string{
		"users[0] not_readable  ", "users[1] not_readable  ", "users[2] client_without_secret VLESS_REALITY y",
		"users[3] client_without_secret VLESS_REALITY ", "users[4] client_without_secret TROJAN_TLS z",
	} {
		require.Contains(t, lines, line)
	}
}

func TestQuotasBeginAnewAsTheyDid(t *testing.T) {
	t.Parallel()
	for strategy, reset := range map[string]string{
		"NO_RESET": "", "DAY": "daily", "WEEK": "weekly", "MONTH": "monthly", "MONTH_ROLLING": "monthly", "": "",
	} {
		c := read(t, whole(`[{"username":"anna","vlessUuid":"`+annasID+`","trafficLimitBytes":5,"trafficLimitStrategy":"`+
			strategy+`"}]`, "null"))
		require.Equal(t, reset, c.Entries[0].Clients[0].Reset, strategy)
		require.EqualValues(t, 5, c.Entries[0].Clients[0].Quota)
	}
}

// Hosts are what links point at; flows make links of their own.
func TestHostsAreTold(t *testing.T) {
	t.Parallel()
	c := read(t, `{"profile":`+profile+`,"hosts":{"response":[{"remark":"DE","address":"a.example.org","port":443}]}}`)
	require.Contains(t, told(c), "hosts section_left_out  hosts")
}

func TestUsersAboveTheLimitAreTold(t *testing.T) {
	t.Parallel()
	one := `{"username":"anna","vlessUuid":"` + annasID + `"}`
	c := read(t, whole("["+strings.Repeat(one+",", foreign.MaxClients)+one+"]", "null"))
	require.Equal(t, foreign.MaxClients, c.Clients)
	require.Contains(t, told(c), "users[50000] over_limit VLESS_REALITY ")
}

// What is no profile is refused. Squads of an unknown form let nobody in by mistake.
func TestWhatIsNoProfileIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `5`, `{}`, `{"response":5}`, `{"profile":null}`, `{"profile":{"name":"x"}}`, `{"config":5}`, `{"config":[]}`,
		whole("5", "null"), whole(`{"people":[]}`, "null"), whole(users, "5"), whole(users, `{"squads":[]}`),
		whole(users, `[{"uuid":5}]`),
	} {
		_, err := remnawave.Read([]byte(text))
		require.Error(t, err, "%.60s", text)
	}
}
