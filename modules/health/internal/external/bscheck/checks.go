package bscheck

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"panel/modules/health/internal/external/checker"
)

// probeBody is what a probe and its preview are asked with.
type probeBody struct {
	Targets   []string `json:"targets"`
	Operators []string `json:"operators,omitempty"`
	DPI       string   `json:"dpi"`
	Probes    probes   `json:"probes"`
	SNIHosts  []string `json:"sni_hosts,omitempty"`
}

type probes struct {
	ICMP bool `json:"icmp"`
	TCP  bool `json:"tcp"`
	SNI  bool `json:"sni"`
}

type scanBody struct {
	Target    string   `json:"target"`
	Operators []string `json:"operators,omitempty"`
	DPI       string   `json:"dpi"`
}

type tunnelBody struct {
	Input     string   `json:"raw_input"`
	Operators []string `json:"selected_modems,omitempty"`
	DPI       string   `json:"dpi"`
}

// both asks units whether their white list is on or off: which is meant is part of their keys.
const both = "any"

func bodyOf(order checker.Order) any {
	switch order.Kind {
	case checker.Scan:
		return scanBody{Target: order.Target, Operators: order.Operators, DPI: both}
	case checker.Tunnel:
		return tunnelBody{Input: order.Link, Operators: order.Operators, DPI: both}
	}
	body := probeBody{
		Targets: []string{order.Target}, Operators: order.Operators, DPI: both,
		Probes: probes{ICMP: true, TCP: !order.Datagrams, SNI: order.Handshake && order.ServerName != ""},
	}
	if body.Probes.SNI {
		body.SNIHosts = []string{order.ServerName}
	}
	return body
}

// Preview asks what a check would cost. Of a tunnel the service tells the price only when it waits in the queue.
func (c *Client) Preview(ctx context.Context, access checker.Access, order checker.Order) (checker.Price, error) {
	path := "/probe/preview"
	switch order.Kind {
	case checker.Tunnel:
		return checker.Price{Units: len(order.Operators), AfterStart: true}, nil
	case checker.Scan:
		path = "/scans/preview"
	}
	var got struct {
		Cost  *float64        `json:"cost_credits"`
		Units json.RawMessage `json:"selected_units"`
	}
	err := c.do(ctx, access, call{method: http.MethodPost, path: path, body: bodyOf(order), out: &got})
	if err == nil && (got.Cost == nil || *got.Cost < 0 || *got.Cost > mostCost) {
		err = &checker.Refusal{Code: checker.AnswerUnusable, Detail: "no price", Repeat: true}
	}
	if err != nil {
		return checker.Price{}, err
	}
	return checker.Price{Amount: int64(*got.Cost), Units: counted(got.Units)}, nil
}

// counted reads the selected units, a number or a list of them.
func counted(raw json.RawMessage) int {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		return len(list)
	}
	var n int
	_ = json.Unmarshal(raw, &n) // 0 when it is neither
	return n
}

// Start has a check made.
func (c *Client) Start(
	ctx context.Context, access checker.Access, order checker.Order, key string,
) (checker.Result, error) {
	one := call{method: http.MethodPost, path: "/probe", key: key, body: bodyOf(order), paid: true, patient: true}
	if order.Kind == checker.Probe {
		var got probeAnswer
		one.out = &got
		if err := c.do(ctx, access, one); err != nil {
			return checker.Result{}, err
		}
		return got.result(order)
	}
	one.path, one.patient = "/vless", false
	if order.Kind == checker.Scan {
		one.path = "/scans"
	}
	var got begun
	one.out = &got
	if err := c.do(ctx, access, one); err != nil {
		return checker.Result{}, err
	}
	return got.result()
}

// begun is the answer to the start of a scan or a tunnel.
type begun struct {
	TestID      json.Number `json:"test_id"`
	ScanID      json.Number `json:"scan_id"`
	Cost        float64     `json:"cost_credits"`
	DPIOff      skipped     `json:"skipped_dpi_off"`
	Unavailable skipped     `json:"skipped_unavailable"`
}

func (b begun) result() (checker.Result, error) {
	ref := b.TestID.String() + b.ScanID.String()
	if _, err := strconv.ParseInt(ref, 10, 64); err != nil {
		return checker.Result{}, &checker.Lost{Code: checker.AnswerUnusable, Err: err}
	}
	return checker.Result{
		State: checker.Running, Ref: ref, Price: price(b.Cost),
		Skipped: append(b.DPIOff.as(whitelistOff), b.Unavailable.as(unavailable)...),
	}, nil
}

// Poll asks for a scan or a tunnel.
func (c *Client) Poll(
	ctx context.Context, access checker.Access, order checker.Order, ref string,
) (checker.Result, error) {
	var got state
	one := call{method: http.MethodGet, path: pathOf(order, ref), out: &got}
	if err := c.do(ctx, access, one); err != nil {
		return checker.Result{}, err
	}
	return got.result(ref), nil
}
