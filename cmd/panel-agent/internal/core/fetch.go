package core

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	xraynet "github.com/xtls/xray-core/common/net"
	xray "github.com/xtls/xray-core/core"

	"panel/platform/agentapi"
)

// FetchOrder is one page to fetch through a client core. Bearer goes to the page only.
type FetchOrder struct {
	agentapi.ThroughProbe
	Bearer string `json:"bearer,omitempty"`
	// Certificates are those of this node without their keys: a client on the node can tell what a listener must show.
	Certificates certificates `json:"certificates,omitempty"`
}

// fetchAnswer is what a fetching process prints.
type fetchAnswer struct {
	Data  agentapi.ThroughData `json:"data"`
	Error string               `json:"error,omitempty"`
}

const (
	fetchSeconds  = 20
	fetchBytes    = 1 << 20
	fetchOverhead = 5 * time.Second
)

// Through lets a process of its own be the client, so that neither a crash nor settings of a client core touch the
// agent.
func (s *Supervisor) Through(ctx context.Context, order FetchOrder) (agentapi.ThroughData, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchLimit(order)+fetchOverhead)
	defer cancel()
	held, err := readCertificates(s.dir)
	if err != nil {
		return agentapi.ThroughData{}, err
	}
	order.Certificates = held.public()
	asked, err := json.Marshal(order)
	if err != nil {
		return agentapi.ThroughData{}, fmt.Errorf("ask for a fetch: %w", err)
	}
	cmd := s.command(ctx, "fetch", "--json")
	var out, words bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(asked), &out, &words
	runErr := cmd.Run()
	var answer fetchAnswer
	if err := json.Unmarshal(lastJSON(out.Bytes()), &answer); err != nil {
		return agentapi.ThroughData{}, fmt.Errorf("run a client core: %w: %s", runErr, lastLine(tail(words.String())))
	}
	if answer.Error != "" {
		return answer.Data, errors.New(answer.Error)
	}
	return answer.Data, nil
}

// lastJSON skips what the core may have printed before the answer.
func lastJSON(out []byte) []byte {
	out = bytes.TrimSpace(out)
	return out[bytes.LastIndexByte(out, '\n')+1:]
}

// RunFetch is the whole life of a fetching process: one order in, one answer out.
func RunFetch(in io.Reader, out io.Writer) error {
	var order FetchOrder
	if err := json.NewDecoder(in).Decode(&order); err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	if order.ProxyHeader {
		announce()
	}
	data, err := Fetch(context.Background(), order)
	answer := fetchAnswer{Data: data}
	if err != nil {
		answer.Error = err.Error()
	}
	return json.NewEncoder(out).Encode(answer)
}

// Fetch starts a client core in this process and gets one page through it.
func Fetch(ctx context.Context, order FetchOrder) (agentapi.ThroughData, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchLimit(order))
	defer cancel()
	config := []byte(order.Core)
	if order.Link != "" {
		var err error
		if config, err = ClientConfig(order.Link, order.DialAs); err != nil {
			return agentapi.ThroughData{}, err
		}
	}
	built, err := build(config, order.Certificates, nil)
	if err != nil {
		return agentapi.ThroughData{}, err
	}
	client, err := xray.New(built)
	if err == nil {
		err = client.Start()
	}
	if err != nil {
		return agentapi.ThroughData{}, fmt.Errorf("start a client core: %w", err)
	}
	defer client.Close()
	return get(ctx, client, order)
}

func fetchLimit(order FetchOrder) time.Duration {
	if order.Timeout <= 0 {
		return fetchSeconds * time.Second
	}
	return time.Duration(order.Timeout) * time.Second
}

func get(ctx context.Context, client *xray.Instance, order FetchOrder) (agentapi.ThroughData, error) {
	var data agentapi.ThroughData
	began := time.Now()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotFirstResponseByte: func() { data.FirstByteMs = millis(time.Since(began)) },
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, order.URL, nil)
	if err != nil {
		return data, fmt.Errorf("fetch through the flow: the address of the page cannot be read")
	}
	if order.Bearer != "" {
		req.Header.Set("Authorization", "Bearer "+order.Bearer)
	}
	resp, err := (&http.Client{Transport: transport(client, tunnelOf(order.Core)), CheckRedirect: noRedirect}).Do(req)
	if err != nil {
		return data, fmt.Errorf("fetch through the flow: %w", plainly(err, fetchLimit(order)))
	}
	defer resp.Body.Close()
	data.Status = resp.StatusCode
	body, err := read(resp.Body, order.MaxBytes)
	data.TotalMs, data.Bytes = millis(time.Since(began)), int64(len(body))
	if err != nil {
		return data, fmt.Errorf("fetch through the flow: %w", err)
	}
	data.ExitIP, data.Matched = exitIP(body), bytes.Contains(body, []byte(order.Expect))
	return data, judge(data)
}

// plainly leaves out of a failure what the order says already, and names the time in which nobody answered.
func plainly(err error, limit time.Duration) error {
	var failed *url.Error
	switch {
	case !errors.As(err, &failed):
		return err
	case failed.Timeout():
		return fmt.Errorf("no answer within %s", limit)
	}
	return failed.Err
}

func judge(data agentapi.ThroughData) error {
	switch {
	case data.Status >= http.StatusBadRequest:
		return fmt.Errorf("fetch through the flow: the page answered %d", data.Status)
	case !data.Matched:
		return errors.New("fetch through the flow: the page does not contain the expected text")
	}
	return nil
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func read(body io.Reader, limit int64) ([]byte, error) {
	if limit <= 0 {
		limit = fetchBytes
	}
	return io.ReadAll(io.LimitReader(body, limit))
}

// tunnelOf gives the address that a probe through WireGuard dials in place of every other one; empty without. The
// listener leads a probe to the panel whatever it dials, and addresses of the host itself do not pass a tunnel.
func tunnelOf(config []byte) string {
	var read struct {
		Outbounds []struct{ Protocol string }
	}
	err := json.Unmarshal(config, &read)
	if err != nil || len(read.Outbounds) == 0 || read.Outbounds[0].Protocol != protocolWireGuard {
		return ""
	}
	return agentapi.TunnelListener().String()
}

func transport(client *xray.Instance, instead string) *http.Transport {
	return &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, address string) (net.Conn,
		error,
	) {
		host, digits, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("dial through the flow: %w", err)
		}
		port, err := strconv.ParseUint(digits, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("dial through the flow: %w", err)
		}
		to := xraynet.ParseAddress(or(instead, host))
		return xray.Dial(ctx, client, xraynet.TCPDestination(to, xraynet.Port(port)))
	}}
}

// exitIP reads the address that a reflecting page reports.
func exitIP(body []byte) string {
	var reflected agentapi.Reflection
	text := strings.TrimSpace(string(body[:min(len(body), 4096)]))
	if json.Unmarshal([]byte(text), &reflected) == nil && reflected.IP != "" {
		text = reflected.IP
	}
	if address, err := netip.ParseAddr(text); err == nil {
		return address.Unmap().String()
	}
	return ""
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
