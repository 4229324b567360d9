package format_test

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"panel/modules/flows/flowsapi"
	"panel/modules/subscriptions/format"
)

// read is what a program finds of one connection, whatever form it was written in.
type read struct {
	Name, Host string
	Port       int
	Secret     string
}

func wanted(c flowsapi.Connection) read {
	secret := c.ID + c.Password
	if c.Tunnel != nil {
		secret = c.Tunnel.PrivateKey
	}
	return read{c.Name, c.Host, c.Port, secret}
}

// readers read each form without any code of the writers.
var readers = map[format.Format]func(t require.TestingT, raw []byte) []read{
	format.Links:   readLinks,
	format.Xray:    readXray,
	format.SingBox: readSingBox,
	format.Clash:   readClash,
	format.Stash:   readClash,

	format.WireGuard: readConf,
}

// readConf reads the file of WireGuard: a remark, and lines of names and values.
func readConf(t require.TestingT, raw []byte) (out []read) {
	found, values := read{}, map[string]string{}
	for i, line := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n") {
		name, value, is := strings.Cut(line, " = ")
		switch {
		case i == 0:
			require.True(t, strings.HasPrefix(line, "# "), line)
			found.Name = line[2:]
		case is:
			values[name] = value
		default:
			require.Contains(t, []string{"", "[Interface]", "[Peer]"}, line)
		}
	}
	if len(values) == 0 {
		return nil
	}
	at := strings.LastIndex(values["Endpoint"], ":")
	port, err := strconv.Atoi(values["Endpoint"][at+1:])
	require.NoError(t, err)
	require.Equal(t, []string{"10.0.1.7/32", "1420"}, []string{values["Address"], values["MTU"]})
	require.NotEqual(t, values["PrivateKey"], values["PublicKey"])
	found.Host, found.Port, found.Secret = values["Endpoint"][:at], port, values["PrivateKey"]
	return []read{found}
}

func readLinks(t require.TestingT, raw []byte) (out []read) {
	text, err := base64.StdEncoding.DecodeString(string(raw))
	require.NoError(t, err)
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if line == "" {
			continue
		}
		if document, is := strings.CutPrefix(line, "vmess://"); is {
			out = append(out, readVMess(t, document))
			continue
		}
		rest, name, found := strings.Cut(line, "#")
		require.True(t, found)
		rest, _, _ = strings.Cut(rest, "?")
		_, rest, found = strings.Cut(rest, "://")
		require.True(t, found)
		secret, place, found := strings.Cut(rest, "@")
		require.True(t, found)
		at := strings.LastIndex(place, ":")
		port, err := strconv.Atoi(place[at+1:])
		require.NoError(t, err)
		if method, keys, both := strings.Cut(secret, ":"); both {
			require.Equal(t, "2022-blake3-aes-256-gcm", method)
			secret = keys
		}
		out = append(out, read{unescaped(t, name), place[:at], port, unescaped(t, secret)})
	}
	return out
}

func readVMess(t require.TestingT, document string) read {
	raw, err := base64.StdEncoding.DecodeString(document)
	require.NoError(t, err)
	var d map[string]string
	require.NoError(t, json.Unmarshal(raw, &d))
	port, err := strconv.Atoi(d["port"])
	require.NoError(t, err)
	return read{d["ps"], d["add"], port, d["id"]}
}

// unescaped takes the percent-encoding of RFC 3986 away and refuses what must have been encoded.
func unescaped(t require.TestingT, text string) string {
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			require.True(t, text[i] > ' ' && text[i] < 0x7f && !strings.ContainsRune(`"<>\^`+"`{|}#", rune(text[i])), "%q", text)
			out = append(out, text[i])
			continue
		}
		require.Less(t, i+2, len(text))
		n, err := strconv.ParseUint(text[i+1:i+3], 16, 8)
		require.NoError(t, err)
		out = append(out, byte(n))
		i += 2
	}
	return string(out)
}

type xrayDocument struct {
	Remarks   string
	Outbounds []struct {
		Tag, Protocol  string
		StreamSettings struct{ HysteriaSettings struct{ Auth string } }
		Settings       struct {
			Address any // a list where it is no server's
			Port    int
			VNext   []struct {
				Address string
				Port    int
				Users   []struct{ ID, Flow, Encryption string }
			}
			Servers []struct {
				Address, Password, Method string
				Port                      int
			}
			SecretKey string
			Peers     []struct{ Endpoint, PublicKey string }
		}
	}
	Routing struct {
		Rules []struct {
			Domain, IP  []string
			Port        string
			OutboundTag string
		}
	}
}

func readXray(t require.TestingT, raw []byte) (out []read) {
	all := []xrayDocument{{}}
	if raw[0] == '[' {
		require.NoError(t, json.Unmarshal(raw, &all))
	} else {
		require.NoError(t, json.Unmarshal(raw, &all[0]))
	}
	for _, d := range all {
		require.Equal(t, "proxy", d.Outbounds[0].Tag, "the first is where traffic goes that no rule speaks of")
		for _, s := range d.Outbounds[0].Settings.VNext {
			out = append(out, read{d.Remarks, s.Address, s.Port, s.Users[0].ID})
		}
		if s := d.Outbounds[0].Settings; d.Outbounds[0].Protocol == "hysteria" {
			auth := d.Outbounds[0].StreamSettings.HysteriaSettings.Auth
			out = append(out, read{d.Remarks, s.Address.(string), s.Port, auth})
		}
		for _, p := range d.Outbounds[0].Settings.Peers {
			host, digits, _ := strings.Cut(p.Endpoint, ":")
			port, err := strconv.Atoi(digits)
			require.NoError(t, err)
			out = append(out, read{d.Remarks, host, port, d.Outbounds[0].Settings.SecretKey})
		}
		for _, s := range d.Outbounds[0].Settings.Servers {
			out = append(out, read{d.Remarks, s.Address, s.Port, s.Password})
		}
	}
	return out
}

type singBoxDocument struct {
	Outbounds []struct {
		Type, Tag, Server, UUID, Password string
		Server_Port                       int      //nolint:revive // as the program calls it
		Server_Ports                      []string //nolint:revive // as the program calls it
		Outbounds                         []string
	}
	Endpoints []struct {
		Type, Tag   string
		Private_Key string //nolint:revive // as the program calls it
		Peers       []struct {
			Address string
			Port    int
		}
	}
	Route struct {
		Final string
		Rules []map[string]any
	}
}

func readSingBox(t require.TestingT, raw []byte) (out []read) {
	var d singBoxDocument
	require.NoError(t, json.Unmarshal(raw, &d))
	tags, found := map[string]bool{}, map[string]read{}
	for _, e := range d.Endpoints {
		require.False(t, tags[e.Tag], "a tag is there twice: %q", e.Tag)
		tags[e.Tag] = true
		found[e.Tag] = read{e.Tag, e.Peers[0].Address, e.Peers[0].Port, e.Private_Key}
	}
	for _, o := range d.Outbounds {
		require.False(t, tags[o.Tag], "a tag is there twice: %q", o.Tag)
		tags[o.Tag] = true
		if len(o.Server_Ports) > 0 {
			require.Zero(t, o.Server_Port)
			first, _, _ := strings.Cut(o.Server_Ports[0], ":")
			var err error
			o.Server_Port, err = strconv.Atoi(first)
			require.NoError(t, err)
		}
		if o.Server != "" {
			found[o.Tag] = read{o.Tag, o.Server, o.Server_Port, o.UUID + o.Password}
		}
	}
	for _, o := range d.Outbounds {
		for _, tag := range o.Outbounds {
			require.True(t, tags[tag], "%q is no outbound", tag)
			if one, way := found[tag]; way && o.Type == "selector" {
				out = append(out, one)
			}
		}
	}
	require.Len(t, out, len(found), "the selector offers every one")
	require.True(t, tags[d.Route.Final])
	return out
}

type clashDocument struct {
	Proxies []struct {
		Name, Type, Server, UUID, Password, Auth string
		Port                                     int
		PrivateKey                               string `yaml:"private-key"`
	}
	Groups []struct {
		Name, Type string
		Proxies    []string
	} `yaml:"proxy-groups"`
	Rules []string
}

func readClash(t require.TestingT, raw []byte) (out []read) {
	var d clashDocument
	require.NoError(t, yaml.Unmarshal(raw, &d), "%s", raw)
	names := map[string]bool{"DIRECT": true, "REJECT": true}
	for _, p := range d.Proxies {
		require.False(t, names[p.Name], "a name is there twice: %q", p.Name)
		names[p.Name] = true
		out = append(out, read{p.Name, p.Server, p.Port, p.UUID + p.Password + p.Auth + p.PrivateKey})
	}
	for _, g := range d.Groups {
		require.False(t, names[g.Name])
		names[g.Name] = true
	}
	for _, g := range d.Groups {
		require.NotEmpty(t, g.Proxies)
		for _, name := range g.Proxies {
			require.True(t, names[name], "%q is no proxy", name)
		}
	}
	for _, rule := range d.Rules {
		parts := strings.Split(rule, ",")
		require.GreaterOrEqual(t, len(parts), 2)
		require.True(t, names[parts[min(2, len(parts)-1)]], rule)
	}
	return out
}
