package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"panel/modules/flows/flowsapi"
)

// Fragment is the part of one node's configuration that belongs to one flow. It holds secrets: store it sealed.
type Fragment struct {
	FlowID    string            `json:"flow_id"`
	NodeID    string            `json:"node_id"`
	Role      string            `json:"role"`
	Inbounds  []Inbound         `json:"inbounds"`
	Outbounds []Outbound        `json:"outbounds"`
	Rules     []Rule            `json:"rules"`
	Listens   []Listen          `json:"listens"`
	Facts     []Fact            `json:"facts"`
	Clients   []string          `json:"clients"`
	Hops      map[string]string `json:"hops,omitempty"`
	Listed    bool              `json:"listed,omitempty"` // its entries let in whom the agent's list of clients names

	// Served is what the node of a proxy panel runs on the same machine; nothing of it goes to the agent.
	Served []flowsapi.ServedPart `json:"served,omitempty"`

	ready  *encoded
	digest []byte // SHA-256 of what it was read from
}

// Fact is one object of a fragment in words without secrets; differences between plans are told in facts.
type Fact struct {
	Group  string            `json:"group"` // listeners, routes, clients, firewall
	Name   string            `json:"name"`
	Fields map[string]string `json:"fields"`
}

// Bytes is the fragment in its one stable form.
func (f Fragment) Bytes() []byte { return encode(f) }

// encode writes a value that is made of plain structs, texts and numbers.
func encode(value any) []byte {
	raw, err := json.Marshal(value)
	if err != nil {
		//nolint:forbidigo // such a value has no error to return
		panic(fmt.Sprintf("plain values always encode: %v", err))
	}
	return raw
}

// encoded is the content of a fragment as it stands in a configuration: elements of three lists, without brackets.
type encoded struct{ inbounds, outbounds, rules []byte }

// Encoded returns the fragment with its content encoded, so that hashing and rendering it do not repeat the work.
func (f Fragment) Encoded() Fragment {
	if f.ready == nil {
		f.ready = &encoded{inbounds: elements(f.Inbounds), outbounds: elements(f.Outbounds), rules: elements(f.Rules)}
	}
	return f
}

func elements[T any](list []T) []byte {
	if len(list) == 0 {
		return nil
	}
	raw := encode(list)
	return raw[1 : len(raw)-1]
}

// Hash names what the fragment makes the core do.
func (f Fragment) Hash() string {
	e := f.Encoded().ready
	sum := sha256.New()
	for _, part := range [][]byte{e.inbounds, e.outbounds, e.rules} {
		sum.Write(part)
		sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// ReadFragment reads what Bytes wrote. A fragment that was read is not changed any more.
func ReadFragment(raw []byte) (Fragment, error) {
	var f Fragment
	if err := json.Unmarshal(raw, &f); err != nil {
		return Fragment{}, fmt.Errorf("read an installed fragment: %w", err)
	}
	sum := sha256.Sum256(raw)
	f.digest = sum[:]
	return f, nil
}

func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

const blockTag = "block"

// renderedFrame is more than what stands between the parts of a configuration.
const renderedFrame = 256

// Render merges the fragments of all flows of one node into its configuration: canonical bytes, whatever their order.
func Render(fragments []Fragment) []byte {
	sorted := slices.Clone(fragments)
	slices.SortFunc(sorted, func(a, b Fragment) int { return cmp.Compare(a.FlowID, b.FlowID) })
	sorted = share(sorted)
	strategy := "AsIs"
	for i := range sorted {
		sorted[i] = sorted[i].Encoded()
		if resolves(sorted[i].Rules) {
			strategy = "IPOnDemand"
		}
	}
	size := len(configHead()) + renderedFrame
	for _, f := range sorted {
		size += len(f.ready.inbounds) + len(f.ready.outbounds) + len(f.ready.rules) + renderedFrame
	}
	out := append(make([]byte, 0, size), configHead()...)
	out = join(append(out, `"inbounds":[`...), nil, sorted, func(e *encoded) []byte { return e.inbounds })
	out = join(append(out, `],"outbounds":[`...), blockOutbound(), sorted,
		func(e *encoded) []byte { return e.outbounds })
	out = append(append(append(out, `],"routing":{"domainStrategy":"`...), strategy...), `","rules":[`...)
	out = join(out, nil, sorted, func(e *encoded) []byte { return e.rules })
	return append(out, `]}}`...)
}

// join appends list elements of all fragments, separated by commas.
func join(out, first []byte, fragments []Fragment, part func(*encoded) []byte) []byte {
	out = append(out, first...)
	some := len(first) > 0
	for _, f := range fragments {
		elements := part(f.ready)
		if some && len(elements) > 0 {
			out = append(out, ',')
		}
		out, some = append(out, elements...), some || len(elements) > 0
	}
	return out
}

// configHead and blockOutbound are the same on every node: traffic is counted per client, and what no rule takes
// goes nowhere.
var (
	configHead = sync.OnceValue(func() []byte {
		raw := encode(emptyHead())
		return append(raw[:len(raw)-1], ',')
	})
	blockOutbound = sync.OnceValue(func() []byte { return encode(Outbound{Tag: blockTag, Protocol: "blackhole"}) })
)

func emptyHead() head {
	return head{
		Log: coreLog{Access: "none", LogLevel: "warning"},
		Policy: corePolicy{
			Levels: map[string]levelPolicy{"0": {Uplink: true, Downlink: true, Online: true}},
			System: systemPolicy{InUplink: true, InDownlink: true, OutUplink: true, OutDownlink: true},
		},
	}
}

func resolves(rules []Rule) bool {
	return slices.ContainsFunc(rules, func(r Rule) bool { return len(r.IP) > 0 })
}

// Digest is the SHA-256 of a rendered configuration as a plan tells it.
func Digest(rendered []byte) string { return hashOf(rendered) }

// Stars stands for a secret.
const Stars = "***"

var secretFields = map[string]bool{
	"password": true, "pass": true, "id": true, "auth": true, "key": true, "privateKey": true, "secretKey": true, "mldsa65Seed": true, "shortIds": true, "shortId": true,
}

// Masked reads a rendered configuration and hides every secret in it.
func Masked(config []byte) (map[string]any, error) {
	var tree map[string]any
	if err := json.Unmarshal(config, &tree); err != nil {
		return nil, fmt.Errorf("read a rendered configuration: %w", err)
	}
	mask(tree)
	return tree, nil
}

func mask(node any) {
	switch value := node.(type) {
	case map[string]any:
		for key, item := range value {
			if secretFields[key] {
				value[key] = Stars
				continue
			}
			mask(item)
		}
	case []any:
		for _, item := range value {
			mask(item)
		}
	}
}
