package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/rig"
	"panel/platform/agentapi"
	"panel/platform/testneed/freeport"
)

// protocols compares the processor time of a node's core per gigabyte of each protocol with that of the core as its
// authors ship it, which has the same listener and nothing else. The client of each is on the list of the node. The
// rate is told beside it: here both ends and the target share the processors, so it says little.
func protocols(ctx context.Context, b *bench) ([]measure.Result, error) {
	site, err := rig.OpenSite("127.0.0.1")
	if err != nil {
		return nil, err
	}
	b.atEnd(func() error { site.Close(); return nil })
	var results []measure.Result
	for _, s := range spoken {
		result, err := b.protocol(ctx, s, site)
		if err != nil {
			return results, fmt.Errorf("measure %s: %w", s.name, err)
		}
		results = append(results, result)
	}
	return results, nil
}

// speech is a protocol with what carries it.
type speech struct {
	name, protocol, network string
	tls                     bool
}

var spoken = []speech{
	{"VLESS over TLS", "vless", "raw", true},
	{"VLESS over gRPC", "vless", "grpc", true},
	{"Trojan", "trojan", "raw", true},
	{"VMess", "vmess", "raw", false},
	{"Shadowsocks 2022", "shadowsocks", "raw", false},
	{"Hysteria 2", "hysteria", "hysteria", true},
	{"WireGuard", "wireguard", "", false},
}

const (
	spokenFlow   = "0198a000-0000-7000-8000-00000000bec4"
	spokenMethod = "2022-blake3-aes-256-gcm"
	// elsewhere is an address of no host: tunnels carry none of this one. The listener leads it to the site.
	elsewhere     = "198.51.100.7"
	protocolPairs = 6
)

func (b *bench) protocol(ctx context.Context, s speech, site *rig.Site) (measure.Result, error) {
	none := measure.Result{}
	client := agentapi.Client{ID: "bench", UUID: uuid.NewString(), Key: make([]byte, 32), Number: 1}
	d := dialogue{speech: s, client: client}
	_, _ = rand.Read(d.client.Key) // never fails
	d.server = base64.StdEncoding.EncodeToString(agentapi.TunnelKey(d.client.Key[:16]).Bytes())
	if s.tls {
		chain, key, err := wildcard(1)
		if err != nil {
			return none, err
		}
		d.chain, d.key = chain, key
	}
	core, product, err := b.speaking(ctx, d, site, true)
	if err != nil {
		return none, err
	}
	bareCore, limit, err := b.speaking(ctx, d, site, false)
	if err != nil {
		return none, err
	}
	var work, bareWork measure.Series // processor time of the server's core per megabyte
	limits, products, err := readPairs(protocolPairs*b.settings.pairs/2,
		func() (float64, error) { return b.worked(bareCore, &bareWork, limit) },
		func() (float64, error) { return b.worked(core, &work, product) })
	if err != nil {
		return none, err
	}
	what := "processor time of a node's core per megabyte, " + s.name
	result := measure.AtMost("protocols", what, "us", bareWork, work, 1.03)
	return result.Note("rate: bare %.0f MB/s, node %.0f MB/s", limits.Median(), products.Median()), nil
}

// dialogue is what both ends of a protocol know.
type dialogue struct {
	speech
	client     agentapi.Client
	server     string // key of the server, in Base64
	chain, key string // PEM
}

// speaking runs a listener, that of a node or a bare one, with a client, and gives a function that reads through both.
func (b *bench) speaking(ctx context.Context, d dialogue, site *rig.Site, node bool) (
	pid int, read func() (float64, error), err error,
) {
	name := strings.ReplaceAll(d.name, " ", "-") + map[bool]string{true: "-node", false: "-bare"}[node]
	port, err := freeport.Find()
	if err != nil {
		return 0, nil, err
	}
	door, err := freeport.Find()
	if err != nil {
		return 0, nil, err
	}
	run := b.core
	if node {
		run = func(ctx context.Context, name string, config object) (int, error) {
			return b.nodeCore(ctx, name, config, d.client)
		}
	}
	pid, err = run(ctx, name, d.listener(port, node))
	if err != nil {
		return 0, nil, err
	}
	if _, err := b.core(ctx, name+"-client", d.dialer(port, door)); err != nil {
		return 0, nil, err
	}
	proxy := &url.URL{Scheme: "socks5", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(door))}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), DisableKeepAlives: true}}
	page := strings.Replace(site.Page, "127.0.0.1", elsewhere, 1) + "/bytes?n=" + strconv.Itoa(downloadSize)
	read = func() (float64, error) { return readFor(ctx, client, page, b.each) }
	return pid, read, rig.Eventually(ctx, time.Minute, func(context.Context) error {
		rate, err := read()
		if err == nil && rate == 0 {
			err = errors.New("nothing comes through")
		}
		return err
	})
}
