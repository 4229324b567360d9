package xray_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/xray"
)

const (
	realityKey = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"
	shadowKey  = "MDEyMzQ1Njc4OWFiY2RlZg=="
	annasID    = "0d1f5a52-6c0e-4b33-8a06-5a2a2b1c9b10"
)

// object is a part of a configuration.
type object = map[string]any

// server is a configuration that has one of everything.
func server(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/server.json")
	require.NoError(t, err)
	return text
}

func read(t *testing.T, config object) *foreign.Config {
	t.Helper()
	text, err := json.Marshal(config)
	require.NoError(t, err)
	c, err := xray.Read(text)
	require.NoError(t, err)
	for _, f := range c.Findings {
		require.NotEmpty(t, f.Code.Reason(), f)
		require.NotEmpty(t, f.Path, f)
	}
	return c
}

// listener reads one listener beside a way out.
func listener(t *testing.T, in object) *foreign.Config {
	t.Helper()
	return read(t, object{"inbounds": []any{in}, "outbounds": []any{object{"protocol": "freedom", "tag": "direct"}}})
}

// one reads a listener that becomes an entry.
func one(t *testing.T, in object) (foreign.Entry, *foreign.Config) {
	t.Helper()
	c := listener(t, in)
	require.Len(t, c.Entries, 1, "%v", c.Findings)
	return c.Entries[0], c
}

// with is an object with other members; nil takes one away.
func with(base object, others object) object {
	out := object{}
	for name, value := range base {
		out[name] = value
	}
	for name, value := range others {
		if out[name] = value; value == nil {
			delete(out, name)
		}
	}
	return out
}

func vless(stream object) object {
	return object{
		"tag": "in", "port": 443, "protocol": "vless",
		"settings":       object{"decryption": "none", "clients": []any{object{"id": annasID, "email": "anna"}}},
		"streamSettings": stream,
	}
}

func realityOf(others object) object {
	return with(object{
		"target": "www.example.org:443", "serverNames": []any{"www.example.org"}, "privateKey": realityKey,
		"shortIds": []any{"0123abcd"},
	}, others)
}

func overReality(others object) object {
	return vless(object{"network": "raw", "security": "reality", "realitySettings": realityOf(others)})
}

func shadowsocks(others object) object {
	return object{"tag": "ss", "port": 8388, "protocol": "shadowsocks", "settings": with(object{
		"method": "2022-blake3-aes-128-gcm", "password": shadowKey,
		"clients": []any{object{"password": shadowKey, "email": "vera"}},
	}, others)}
}

func hysteria(masks object) object {
	return object{
		"tag": "hy", "port": 8444, "protocol": "hysteria",
		"settings": object{"version": 2, "clients": []any{object{"auth": "hy-s3cret", "email": "anna"}}},
		"streamSettings": object{
			"network": "hysteria", "security": "tls", "finalmask": masks,
			"tlsSettings": object{"serverName": "h.example.org", "alpn": []any{"h3"}},
		},
	}
}

// told are the findings as "path code what".
func told(c *foreign.Config) (out []string) {
	for _, f := range c.Findings {
		out = append(out, strings.TrimSpace(f.Path+" "+string(f.Code)+" "+f.What))
	}
	return out
}

func TestAConfigurationBecomesEntries(t *testing.T) {
	t.Parallel()
	c, err := xray.Read(server(t))
	require.NoError(t, err)
	require.Equal(t, "xray", c.Format)
	require.Equal(t, 4, c.Clients)
	require.Len(t, c.Entries, 3)
	reality, trojan, shadow := c.Entries[0], c.Entries[1], c.Entries[2]

	require.Equal(t, &foreign.Listener{
		Protocol: "vless", Port: 443, Transport: "raw", Security: "reality", Flow: "xtls-rprx-vision", Sniffing: "on",
		Reality: &foreign.Reality{
			Target: "www.example.org:443", ServerNames: []string{"www.example.org"}, ShortIDs: []string{"0123abcd"},
			PrivateKey: realityKey, LimitUpload: &foreign.Limit{AfterBytes: 1_000_000, BytesPerSec: 100_000},
		},
	}, reality.Listener)
	require.Equal(t, annasID, reality.Clients[0].UUID)
	require.Equal(t, "anna", reality.Clients[0].Label)

	require.Equal(t, &foreign.Listener{
		Protocol: "trojan", Port: 8443, Transport: "ws", Security: "tls", Path: "/chat", ALPN: []string{"http/1.1"},
		MinVersion: "1.3",
	}, trojan.Listener)
	require.Equal(t, "a.example.org", trojan.Domain)
	require.Equal(t, "c0rrect-horse", trojan.Clients[0].Password)

	require.Equal(t, &foreign.Listener{
		Protocol: "shadowsocks2022", Port: 8388, Method: "2022-blake3-aes-128-gcm", Secret: shadowKey,
	}, shadow.Listener)
	require.Equal(t, []byte("fedcba9876543210"), shadow.Clients[0].Key)
}

// Everything that is not read is told of by its path, always in the same order.
func TestWhatIsNotReadIsTold(t *testing.T) {
	t.Parallel()
	for range 20 {
		c, err := xray.Read(server(t))
		require.NoError(t, err)
		require.Equal(t, []string{
			"dns section_left_out dns",
			"outbounds[2] outbound_left_out wireguard",
			"inbounds[0].streamSettings.realitySettings.shortIds empty_short_id",
			"routing.rules[4] rule_left_out block",
			"routing.rules[5] rule_left_out direct",
			"routing.rules[7] rule_left_out warp",
			"inbounds[1].streamSettings.tlsSettings domain_needed a.example.org",
			"routing.rules[4] rule_left_out block",
			"routing.rules[5] rule_left_out direct",
			"routing.rules[7] rule_left_out warp",
			"routing.rules[4] rule_left_out block",
			"routing.rules[5] rule_left_out direct",
			"routing.rules[7] rule_left_out warp",
			"inbounds[3].protocol wireguard_made_anew wireguard",
		}, told(c))
	}
}

func TestSectionsWithoutAPlaceInFlowsAreTold(t *testing.T) {
	t.Parallel()
	c := read(t, object{
		"burstObservatory": object{"a": 1}, "observatory": object{"a": 1}, "fakedns": []any{object{}},
		"reverse": object{"a": 1},
		"dns":     object{}, "log": object{"loglevel": "debug"}, "stats": object{}, "policy": object{"levels": object{}},
	})
	require.Equal(t, []string{
		"reverse section_left_out reverse", "fakedns section_left_out fakedns", "observatory section_left_out observatory",
		"burstObservatory section_left_out burstObservatory",
	}, told(c))
}

// A way out that leads elsewhere is told of, also when it hides behind one that seems to leave from the node.
func TestWaysOutThatLeadElsewhereAreTold(t *testing.T) {
	t.Parallel()
	c := read(t, object{"outbounds": []any{
		object{"tag": "a", "protocol": "freedom", "proxySettings": object{"tag": "b"}},
		object{"tag": "b", "protocol": "VLESS"},
		object{"tag": "c", "protocol": "Freedom"},
		object{"tag": "d", "protocol": "freedom", "streamSettings": object{"sockopt": object{"dialerProxy": "b"}}},
		object{"tag": "e", "protocol": "dns"},
		object{"tag": "f", "protocol": "Blackhole"},
		nil,
		object{},
		object{"tag": "g", "protocol": "loopback"},
		object{"tag": "h", "protocol": "freedom", "proxySettings": 5, "streamSettings": []any{}},
	}})
	require.Equal(t, []string{
		"outbounds[0] outbound_left_out freedom", "outbounds[1] outbound_left_out VLESS",
		"outbounds[3] outbound_left_out freedom", "outbounds[8] outbound_left_out loopback",
	}, told(c))
}

// Entries are chosen by their keys: none has that of another.
func TestEntriesHaveKeysOfTheirOwn(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("я", 70)
	inbounds := []any{}
	for _, tag := range []any{"in", "in", "in-2", "", "inbound-4", nil, long, long, " in "} {
		inbounds = append(inbounds, with(shadowsocks(nil), object{"tag": tag}))
	}
	c := read(t, object{"inbounds": inbounds})
	require.Len(t, c.Entries, len(inbounds))
	seen := map[string]bool{}
	for _, e := range c.Entries {
		require.False(t, seen[e.Key], e.Key)
		require.LessOrEqual(t, len([]rune(e.Key)), foreign.MaxLabel)
		seen[e.Key] = true
	}
	require.Equal(t, "in", c.Entries[0].Key)
	require.Equal(t, "in-2", c.Entries[1].Key)
	require.Equal(t, "in-2-2", c.Entries[2].Key)
}

// An entry is called as the other panel calls it, else by its tag, else by what it is.
func TestAnEntryHasAName(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]object{
		"Germany 🇩🇪":           {"panelName": "Germany 🇩🇪", "tag": "in-443"},
		"in-443":               {"panelName": " x ", "tag": "in-443"},
		"shadowsocks2022 8388": {"tag": "a"},
		"shadowsocks2022 90":   {"tag": nil, "port": "90"},
		"a b":                  {"tag": "\u202ea\x00b\u2028"},
	} {
		e, _ := one(t, with(shadowsocks(nil), in))
		require.Equal(t, name, e.Name)
	}
}

func TestTheDoorOfTheCoreForItsPanelIsNoEntry(t *testing.T) {
	t.Parallel()
	c := read(t, object{"api": object{"tag": "api"}, "inbounds": []any{with(shadowsocks(nil), object{"tag": "api"})}})
	require.Empty(t, c.Entries)
	require.Empty(t, c.Findings)
}

func TestAnEntryThatWasSwitchedOffIsTold(t *testing.T) {
	t.Parallel()
	e, c := one(t, with(shadowsocks(nil), object{"panelOff": true, "panelID": "7"}))
	require.True(t, e.Off)
	require.Contains(t, told(c), "inbounds[id=7] switched_off shadowsocks2022 8388")
}

// Limits keep a hostile file from filling the panel; what is above them is told of.
func TestWhatIsAboveTheLimitsIsTold(t *testing.T) {
	t.Parallel()
	inbounds := make([]any, 3000)
	for i := range inbounds {
		if inbounds[i] = nil; i < foreign.MaxEntries+5 {
			inbounds[i] = with(shadowsocks(nil), object{"tag": nil})
		}
	}
	c := read(t, object{"inbounds": inbounds})
	require.Len(t, c.Entries, foreign.MaxEntries)
	require.Contains(t, told(c), "inbounds[200] over_limit shadowsocks2022 8388")
	require.Len(t, c.Findings, foreign.MaxFindings)
}

func TestWhatIsNoConfigurationFails(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `5`, `"x"`, `[]`, `{"inbounds":{}}`, `{"inbounds":"x"}`, `{"outbounds":5}`, `{"outbounds":[5]}`,
		`{"routing":[]}`, `{"api":"x"}`, `{"inbounds":[`, `{"inbounds":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
	} {
		_, err := xray.Read([]byte(text))
		require.Error(t, err, "%.40s", text)
	}
}
