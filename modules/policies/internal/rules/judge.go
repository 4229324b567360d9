package rules

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"panel/modules/flows/flowsapi"
)

// Policy is a policy as it judges.
type Policy struct {
	Name      string
	Rules     []Rule
	Protocols []string // that are allowed; any when empty
}

// Preset is a listener of the catalogue. An empty member allows any value.
type Preset struct {
	Name      string
	Protocol  string
	Transport string
	Security  string
	Flow      string
}

// Catalogue is what some rules speak of.
type Catalogue struct {
	Presets   []Preset
	GeoTokens []string // geosite:ru, geoip:ru
}

// most bounds the violations that are told of one drawing.
const most = 100

// Judge says what of a drawing a policy forbids.
func Judge(ctx context.Context, p Policy, c Catalogue, d flowsapi.Drawn) ([]flowsapi.Violation, error) {
	j := &judge{policy: p, catalogue: c, drawn: d}
	j.protocols()
	for _, r := range p.Rules {
		j.rule = r
		if err := j.apply(ctx); err != nil {
			return nil, err
		}
	}
	return j.out, nil
}

type judge struct {
	policy    Policy
	catalogue Catalogue
	drawn     flowsapi.Drawn
	rule      Rule
	out       []flowsapi.Violation
}

func (j *judge) forbid(path, format string, args ...any) {
	if len(j.out) >= most {
		return
	}
	j.out = append(j.out, flowsapi.Violation{
		Code: flowsapi.ForbiddenByPolicy, Path: path, Policy: j.policy.Name, Rule: j.rule.Type, Name: j.rule.Name,
		Message: fmt.Sprintf("policy %q, rule %q: ", j.policy.Name, j.rule.Title()) + fmt.Sprintf(format, args...),
	})
}

func (j *judge) allows(value string) bool { return slices.Contains(j.rule.Values, value) }

func (j *judge) protocols() {
	j.rule = Rule{Type: AllowedProtocols, Values: j.policy.Protocols}
	for _, l := range j.drawn.Listeners {
		if len(j.rule.Values) > 0 && !j.allows(l.Protocol) {
			j.forbid(l.Path+".protocol", "the protocol %s is not allowed", l.Protocol)
		}
	}
}

func (j *judge) apply(ctx context.Context) error {
	switch j.rule.Type {
	case PoolStrategies, PoolFallbacks, MinPoolMembers:
		j.pools()
	case BlockKinds:
		j.kinds()
	case MustBlock:
		j.mustBlock()
	case CatalogueSets, GeoTokens:
		j.ways()
	case MaxClients:
		return j.clients(ctx)
	case MaxNodes, MaxEntries:
		j.counts()
	case Securities, Transports, Presets:
		j.listeners()
	case PrivateAddresses:
		j.private()
	}
	return nil
}

// pools looks at the pools of the drawing and at those that take over from them.
func (j *judge) pools() {
	for _, b := range j.drawn.Blocks {
		seen := map[string]bool{}
		for id := b.PoolID; id != "" && !seen[id]; {
			pool, known := j.drawn.Pools[id]
			if !known {
				break
			}
			seen[id] = true
			j.pool(b.Path+".pool_id", pool)
			id = pool.Fallback.PoolID
		}
	}
}

func (j *judge) pool(path string, pool flowsapi.Pool) {
	switch {
	case j.rule.Type == PoolStrategies && !j.allows(pool.Strategy):
		j.forbid(path, "the pool %s chooses its members by %s", pool.Name, pool.Strategy)
	case j.rule.Type == PoolFallbacks && !j.allows(pool.Fallback.Kind):
		j.forbid(path, "the pool %s falls back on %s", pool.Name, pool.Fallback.Kind)
	case j.rule.Type == MinPoolMembers && len(pool.Members) < j.rule.Number:
		j.forbid(path, "the pool %s has %d members, fewer than %d", pool.Name, len(pool.Members), j.rule.Number)
	}
}

func (j *judge) kinds() {
	for _, b := range j.drawn.Blocks {
		if b.Kind != "entry" && b.Kind != "block" && !j.allows(b.Kind) {
			j.forbid(b.Path+".kind", "blocks of the kind %s are not allowed", b.Kind)
		}
	}
}

// mustBlock asks the first ways of each entry to block what the rule names: what stands before them could let it out.
func (j *judge) mustBlock() {
	kinds := map[string]string{}
	for _, b := range j.drawn.Blocks {
		kinds[b.Key] = b.Kind
	}
	for _, b := range j.drawn.Blocks {
		if b.Kind != "entry" {
			continue
		}
		blocked := map[string]bool{}
		for _, w := range j.drawn.Ways {
			if w.From != b.Key {
				continue
			}
			if kinds[w.To] != "block" {
				break
			}
			blocks(w, blocked)
		}
		for _, value := range j.rule.Values {
			if !stopped(value, blocked) {
				j.forbid(b.Path, "the first ways of this entry have to block %s", value)
			}
		}
	}
}

// stopped tells whether what a rule names is blocked, ports also by ranges that hold them.
func stopped(value string, blocked map[string]bool) bool {
	if blocked[value] || blocked["everything"] {
		return true
	}
	ports, are := strings.CutPrefix(value, "port:")
	if !are {
		return false
	}
	for _, wanted := range strings.Split(ports, ",") {
		if !within(wanted, blocked) {
			return false
		}
	}
	return true
}

// within tells whether one of the ports that are blocked, or a range of them, holds a port or a range.
func within(ports string, blocked map[string]bool) bool {
	low, high, known := span(ports)
	for one := range blocked {
		text, are := strings.CutPrefix(one, "port:")
		if !are || !known {
			continue
		}
		if from, to, sound := span(text); sound && from <= low && high <= to {
			return true
		}
	}
	return false
}

// span reads a port, or the first and the last one of a range.
func span(text string) (low, high int, sound bool) {
	first, second, two := strings.Cut(strings.TrimSpace(text), "-")
	if !two {
		second = first
	}
	low, errLow := strconv.Atoi(first)
	high, errHigh := strconv.Atoi(second)
	return low, high, errLow == nil && errHigh == nil && low <= high
}

// blocks notes what a way blocks whatever else traffic is like: with a second condition it lets a part of it through.
func blocks(w flowsapi.DrawnWay, into map[string]bool) {
	names := len(w.Match.Geosite) + len(w.Match.GeoIP) + len(w.Match.Domain) + len(w.Match.IP)
	switch {
	case names == 0 && w.Port == "" && len(w.Protocol) == 0:
		into["everything"] = true
	case names > 0 && w.Port == "" && len(w.Protocol) == 0:
		for kind, list := range map[string][]string{
			"geosite": w.Match.Geosite, "geoip": w.Match.GeoIP, "domain": w.Match.Domain, "ip": w.Match.IP, "set": w.Sets,
		} {
			for _, one := range list {
				into[kind+":"+one] = true
			}
		}
	case names == 0 && w.Port == "":
		for _, one := range w.Protocol {
			into["protocol:"+one] = true
		}
	case names == 0 && len(w.Protocol) == 0:
		for _, one := range strings.Split(w.Port, ",") {
			into["port:"+one] = true
		}
	}
}

func (j *judge) ways() {
	for _, w := range j.drawn.Ways {
		own := w.Own
		if j.rule.Type == CatalogueSets {
			if len(own.Geosite)+len(own.GeoIP)+len(own.Domain)+len(own.IP) > 0 {
				j.forbid(w.Path+".match", "ways choose names and addresses by sets of the catalogue alone")
			}
			continue
		}
		for _, tokens := range []struct {
			kind string
			list []string
		}{{"geosite", own.Geosite}, {"geoip", own.GeoIP}} {
			for i, one := range tokens.list {
				name := tokens.kind + ":" + strings.TrimPrefix(one, "!")
				if !slices.Contains(j.catalogue.GeoTokens, name) {
					j.forbid(w.Path+".match."+tokens.kind+"["+strconv.Itoa(i)+"]", "the catalogue has no category %s", name)
				}
			}
		}
	}
}

func (j *judge) clients(ctx context.Context) error {
	if j.drawn.Clients == nil {
		return nil
	}
	n, err := j.drawn.Clients(ctx)
	if err == nil && n > j.rule.Number {
		j.forbid("", "the flow has %d clients, more than %d", n, j.rule.Number)
	}
	return err
}

func (j *judge) counts() {
	nodes, entries := map[string]bool{}, 0
	for _, b := range j.drawn.Blocks {
		if b.NodeID != "" {
			nodes[b.NodeID] = true
		}
		if b.Kind == "entry" {
			entries++
		}
		for _, m := range j.drawn.Pools[b.PoolID].Members {
			if m.NodeID != "" { // a flow has nodes of its own
				nodes[m.NodeID] = true
			}
		}
	}
	switch {
	case j.rule.Type == MaxNodes && len(nodes) > j.rule.Number:
		j.forbid("nodes", "the flow is on %d nodes, more than %d", len(nodes), j.rule.Number)
	case j.rule.Type == MaxEntries && entries > j.rule.Number:
		j.forbid("nodes", "the flow has %d entries, more than %d", entries, j.rule.Number)
	}
}

func (j *judge) listeners() {
	for _, l := range j.drawn.Listeners {
		switch {
		case j.rule.Type == Securities && !j.allows(l.Security):
			j.forbid(l.Path+".security", "the security %s is not allowed", l.Security)
		case j.rule.Type == Transports && !j.allows(l.Transport):
			j.forbid(l.Path+".transport", "the transport %s is not allowed", l.Transport)
		case j.rule.Type == Presets && !j.preset(l):
			j.forbid(l.Path, "the listener is not like one of the allowed presets of the catalogue")
		}
	}
}

// preset says whether a listener is like a preset that the rule allows; a rule without values allows all of them.
func (j *judge) preset(l flowsapi.DrawnListener) bool {
	like := func(want, is string) bool { return want == "" || want == is }
	return slices.ContainsFunc(j.catalogue.Presets, func(p Preset) bool {
		return (len(j.rule.Values) == 0 || j.allows(p.Name)) && like(p.Protocol, l.Protocol) &&
			like(p.Transport, l.Transport) && like(p.Security, l.Security) && like(p.Flow, l.Flow)
	})
}

func (j *judge) private() {
	for _, b := range j.drawn.Blocks {
		if b.Private {
			j.forbid(b.Path+".params.private", "traffic must not reach private addresses")
		}
	}
}
