package bscheck

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"panel/modules/health/internal/external/checker"
)

const (
	mostUnits = 500
	mostCost  = 1_000_000_000
)

const (
	whitelistOff  = "whitelist_off"
	unavailable   = "unavailable"
	targetRefused = "target_refused"
)

// unit is an operator as the service lists it.
type unit struct {
	Key       string `json:"op_key"`
	Operator  string `json:"operator"`
	Name      string `json:"name"`
	Region    string `json:"region"`
	DPI       string `json:"dpi"`
	Channel   string `json:"channel_state"`
	Probeable *bool  `json:"probeable"`
}

func (u unit) operator() checker.Operator {
	key := parsed(u.Key)
	return checker.Operator{
		Key: brief(u.Key), Operator: brief(cmp.Or(u.Operator, key.operator)),
		Name: brief(cmp.Or(u.Name, u.Operator, key.operator)), Region: brief(cmp.Or(u.Region, key.region)),
		Whitelist: u.DPI == "on" || key.whitelist,
		Ready:     (u.Probeable == nil || *u.Probeable) && u.Channel != "DOWN",
	}
}

// keyParts are what a key says: "mts|цфо|on".
type keyParts struct {
	operator, region string
	whitelist        bool
}

func parsed(key string) keyParts {
	parts := append(strings.SplitN(key, "|", 3), "", "", "")
	return keyParts{operator: parts[0], region: parts[1], whitelist: parts[2] == "on"}
}

// probeAnswer is the result of a probe.
type probeAnswer struct {
	Outcome     string            `json:"outcome"`
	ByTarget    map[string]target `json:"by_target"`
	Cost        float64           `json:"cost_credits"`
	Refunded    float64           `json:"refunded"`
	Cancelled   bool              `json:"cancelled"`
	Skipped     skipped           `json:"skipped"`
	DPIOff      skipped           `json:"skipped_dpi_off"`
	Unavailable skipped           `json:"skipped_unavailable"`
}

type target struct {
	ByOperator map[string]leg `json:"by_operator"`
}

// leg is what one unit found. OK says only that the unit ran the probe.
type leg struct {
	OK      bool    `json:"ok"`
	DPI     string  `json:"dpi"`
	Channel string  `json:"channel_state"`
	Latency *number `json:"latency_ms"`
	ICMP    *part   `json:"icmp"`
	TCP     *part   `json:"tcp"`
	SNI     []part  `json:"sni"`
	Error   string  `json:"error"`
}

type part struct {
	OK      bool    `json:"ok"`
	Latency *number `json:"latency_ms"`
	RTT     *number `json:"rtt_avg_ms"`
	Error   string  `json:"error"`
}

// number is one that may also come as null or as something else, which counts for nothing.
type number float64

// UnmarshalJSON keeps what is no number from spoiling a result that was paid for.
func (n *number) UnmarshalJSON(text []byte) error {
	var read float64
	if json.Unmarshal(text, &read) == nil && read >= 0 && read < 1e9 {
		*n = number(read)
	}
	return nil
}

func (p *part) ok() bool { return p != nil && p.OK }

func (l leg) latency() *float64 {
	for _, one := range []*part{l.TCP, l.ICMP} {
		if one.ok() {
			if found := cmp.Or(one.Latency, one.RTT); found != nil {
				return (*float64)(found)
			}
		}
	}
	return (*float64)(l.Latency)
}

// tls tells how the handshakes went; none when there was none.
func (l leg) tls() string {
	switch {
	case len(l.SNI) == 0:
		return "none"
	case slices.ContainsFunc(l.SNI, func(p part) bool { return !p.OK }):
		return "failed"
	}
	return "ok"
}

func (l leg) shown(key string) checker.Leg {
	parts := parsed(key)
	shown := checker.Leg{
		Key: brief(key), Operator: brief(parts.operator), Region: brief(parts.region),
		Whitelist: parts.whitelist || l.DPI == "on", Channel: brief(l.Channel), TLS: l.tls(),
		Reachable: l.ICMP.ok() || l.TCP.ok(),
	}
	if shown.Reachable {
		shown.LatencyMs = l.latency()
		return shown
	}
	shown.Error = brief(l.Error)
	for _, one := range []*part{l.TCP, l.ICMP} {
		if shown.Error == "" && one != nil {
			shown.Error = brief(one.Error)
		}
	}
	return shown
}

var errNoTarget = errors.New("the answer says nothing of the target")

// result reads a probe. An answer that names the target in another spelling has it alone.
func (p probeAnswer) result(order checker.Order) (checker.Result, error) {
	if p.Outcome == "no_dpi_on" {
		return checker.Result{}, &checker.Refusal{Code: checker.NothingToAsk, Detail: "no_dpi_on"}
	}
	found, named := p.ByTarget[order.Target]
	for _, one := range p.ByTarget {
		if !named && len(p.ByTarget) == 1 {
			found, named = one, true
		}
	}
	got := checker.Result{
		State: checker.Done, Cost: max(price(p.Cost)-price(p.Refunded), 0), Legs: []checker.Leg{},
		Skipped: slices.Concat(p.DPIOff.as(whitelistOff), p.Unavailable.as(unavailable), p.Skipped.as(targetRefused)),
	}
	if p.Cancelled || p.Outcome == checker.Cancelled {
		got.State = checker.Cancelled
	}
	if !named && got.State == checker.Done && len(got.Skipped) == 0 {
		return got, &checker.Lost{Code: checker.AnswerUnusable, Err: errNoTarget}
	}
	for key, one := range found.ByOperator {
		if len(got.Legs) < mostUnits {
			got.Legs = append(got.Legs, one.shown(key))
		}
	}
	slices.SortFunc(got.Legs, byKey)
	return got, nil
}

func byKey(a, b checker.Leg) int { return cmp.Compare(a.Key, b.Key) }

func price(credits float64) int64 {
	if credits < 0 || credits > mostCost {
		return 0
	}
	return int64(credits)
}

// skipped are operators that did not take part. The service names them in two shapes: by their keys alone, or as
// objects; an address that it refuses comes as an object of its own.
type skipped []skippedUnit

type skippedUnit struct {
	Key      string `json:"op_key"`
	Operator string `json:"operator"`
	Name     string `json:"name"`
	Region   string `json:"region"`
	Target   string `json:"target"`
}

// UnmarshalJSON reads both shapes, also mixed.
func (s *skipped) UnmarshalJSON(text []byte) error {
	var raw []json.RawMessage
	if json.Unmarshal(text, &raw) != nil {
		return nil
	}
	for _, item := range raw[:min(len(raw), mostUnits)] {
		var one skippedUnit
		if json.Unmarshal(item, &one.Key) != nil && json.Unmarshal(item, &one) != nil {
			continue
		}
		*s = append(*s, one)
	}
	return nil
}

func (s skipped) as(reason string) []checker.Skipped {
	all := make([]checker.Skipped, 0, len(s))
	for _, one := range s {
		key := cmp.Or(one.Key, one.Target, strings.Trim(one.Operator+"|"+one.Region, "|"))
		all = append(all, checker.Skipped{
			Key: brief(key), Name: brief(cmp.Or(one.Name, one.Operator, one.Key, one.Target)), Reason: reason,
		})
	}
	return all
}

// state is what a scan or a tunnel answers when it is polled.
type state struct {
	State    string          `json:"state"`
	Ready    bool            `json:"result_ready"`
	Cost     float64         `json:"cost_credits"`
	Charged  *float64        `json:"charged_credits"`
	Refunded float64         `json:"refunded_credits"`
	Result   json.RawMessage `json:"result"`
}

// row is one unit of a tunnel's or a scan's result. Of a scan Up counts the addresses that answered.
type row struct {
	Key      string  `json:"op_key"`
	Operator string  `json:"operator"`
	Region   string  `json:"region"`
	Channel  string  `json:"channel_state"`
	Tunnel   bool    `json:"tunnel_up"`
	Up       int     `json:"alive"`
	Latency  *number `json:"tcp_latency_ms"`
	Reason   string  `json:"fail_reason"`
	Error    string  `json:"error"`
}

func (r row) shown() checker.Leg {
	key := cmp.Or(r.Key, r.Operator+"|"+r.Region+"|"+map[bool]string{true: "on", false: "off"}[r.Channel == "DPI_ON"])
	one := checker.Leg{
		Key: brief(key), Operator: brief(cmp.Or(r.Operator, parsed(key).operator)),
		Region: brief(cmp.Or(r.Region, parsed(key).region)), Whitelist: parsed(key).whitelist,
		Channel: brief(r.Channel), Reachable: r.Tunnel || r.Up > 0, TLS: "none",
	}
	if one.Reachable {
		one.LatencyMs = (*float64)(r.Latency)
	} else {
		one.Error = brief(cmp.Or(r.Reason, r.Error))
	}
	return one
}

func (s state) result(ref string) checker.Result {
	got := checker.Result{State: checker.Running, Ref: ref, Legs: []checker.Leg{}, Skipped: []checker.Skipped{}}
	switch {
	case s.State == checker.Cancelled:
		got.State = checker.Cancelled
	case s.State == checker.Done || s.Ready:
		got.State = checker.Done
	default:
		return got
	}
	got.Cost = max(price(s.Cost)-price(s.Refunded), 0)
	if s.Charged != nil {
		got.Cost = price(*s.Charged)
	}
	for _, one := range s.rows() {
		got.Legs = append(got.Legs, one.shown())
	}
	slices.SortFunc(got.Legs, byKey)
	return got
}

// rows are those of the result, which is a list, or an object that holds one.
func (s state) rows() (rows []row) {
	if json.Unmarshal(s.Result, &rows) == nil {
		return rows[:min(len(rows), mostUnits)]
	}
	var wrapped struct {
		Results []row `json:"results"`
	}
	_ = json.Unmarshal(s.Result, &wrapped) // a result of another shape has no rows
	return wrapped.Results[:min(len(wrapped.Results), mostUnits)]
}
