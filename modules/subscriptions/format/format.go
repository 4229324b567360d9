// Package format writes connections in the forms that client programs read: a list of share links, and configurations
// of Xray, sing-box, Clash with its descendants, and Stash. It reads and calls nothing.
package format

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"panel/modules/flows/flowsapi"
)

// Format is one of the forms.
type Format string

// The forms, by the names that ?format= takes.
const (
	Links   Format = "links"
	Xray    Format = "xray"
	SingBox Format = "sing-box"
	Clash   Format = "clash"
	Stash   Format = "stash"

	WireGuard Format = "wireguard"
)

// All gives every form.
func All() []Format { return []Format{Links, Xray, SingBox, Clash, Stash, WireGuard} }

// Kind is the media type of a form.
func (f Format) Kind() string {
	switch f {
	case Xray, SingBox:
		return "application/json"
	case Clash, Stash:
		return "text/yaml; charset=utf-8"
	case Links, WireGuard:
	}
	return "text/plain; charset=utf-8"
}

// Write writes the connections that the form knows; of none it makes a document that carries nothing.
func Write(f Format, connections []flowsapi.Connection) ([]byte, error) {
	known := make([]flowsapi.Connection, 0, len(connections))
	for _, c := range connections {
		if Knows(f, c) {
			known = append(known, c)
		}
	}
	known = named(known)
	switch f {
	case Xray:
		return xray(known)
	case SingBox:
		return singBox(known)
	case Clash, Stash:
		return clash(f, known)
	case WireGuard:
		return conf(known), nil
	case Links:
	}
	return links(known), nil
}

// Knows reports whether programs that read the form can use the connection. Clash speaks xhttp as the core does by
// itself, and has no words for what else a listener may ask of requests.
func Knows(f Format, c flowsapi.Connection) bool {
	switch f {
	case SingBox:
		return c.Transport != "xhttp"
	case Stash:
		return slices.Contains([]string{"raw", "ws", "grpc", "quic"}, c.Transport) && c.Obfs == ""
	case Clash:
		return len(c.Extra) == 0
	case WireGuard:
		return c.Protocol == "wireguard"
	case Links, Xray:
	}
	return true
}

// links is a list of links, one in a line, in Base64.
func links(connections []flowsapi.Connection) []byte {
	var text strings.Builder
	for _, c := range connections {
		text.WriteString(c.URI() + "\n")
	}
	return []byte(base64.StdEncoding.EncodeToString([]byte(text.String())))
}

// Names that the forms use themselves, in small letters.
const (
	chooser = "proxy"
	fastest = "auto"
	outside = "direct"
	nowhere = "block"
)

var taken = []string{chooser, fastest, outside, nowhere, "reject", "global", "pass", "compatible", "reject-drop", "dns"}

// named gives every connection a name that no other one has, in characters that people see.
func named(connections []flowsapi.Connection) []flowsapi.Connection {
	used := map[string]bool{}
	for _, name := range taken {
		used[name] = true
	}
	for i := range connections {
		clean := Clean(connections[i].Name)
		if clean == "" {
			clean = connections[i].Host
		}
		name := clean
		for n := 2; used[strings.ToLower(name)]; n++ {
			name = fmt.Sprintf("%s (%d)", clean, n)
		}
		used[strings.ToLower(name)] = true
		connections[i].Name = name
	}
	return connections
}

const joiner = '\u200d' // it holds emoji together

// Clean leaves out of a text what nobody sees: control characters, marks of direction, broken encoding.
func Clean(text string) string {
	visible := strings.Map(func(r rune) rune {
		switch {
		case r == joiner || unicode.IsPrint(r) && r != unicode.ReplacementChar:
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return -1
	}, text)
	return strings.Join(strings.Fields(visible), " ")
}

// shared gives what every connection refuses, for forms whose rules hold for all of them.
func shared(connections []flowsapi.Connection) []flowsapi.Refusal {
	if len(connections) == 0 {
		return nil
	}
	var out []flowsapi.Refusal
	for _, r := range connections[0].Refused {
		everywhere := true
		for _, c := range connections[1:] {
			everywhere = everywhere && slices.ContainsFunc(c.Refused, r.Equal)
		}
		if everywhere {
			out = append(out, r)
		}
	}
	return out
}

// near are the networks that a device reaches without any proxy.
var near = []string{
	"10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7", "fe80::/10",
}

// pattern takes a domain of a refusal apart; a domain without a word before it stands for all below it too.
func pattern(domain string) (kind, value string) {
	kind, value, found := strings.Cut(domain, ":")
	if !found {
		return "domain", domain
	}
	return kind, value
}
