package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/speech"
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
	for _, s := range speech.All {
		result, err := b.protocol(ctx, s, site)
		if err != nil {
			return results, fmt.Errorf("measure %s: %w", s.Name, err)
		}
		results = append(results, result)
	}
	return results, nil
}

const (
	// elsewhere is an address of no host: tunnels carry none of this one. The listener leads it to the site.
	elsewhere     = "198.51.100.7"
	protocolPairs = 6
)

func (b *bench) protocol(ctx context.Context, s speech.Speech, site *rig.Site) (measure.Result, error) {
	none := measure.Result{}
	client := agentapi.Client{ID: "bench", UUID: uuid.NewString(), Key: make([]byte, 32), Number: 1}
	d := speech.Dialogue{Speech: s, Client: client, Host: "one." + spreadZone}
	_, _ = rand.Read(d.Client.Key) // never fails
	d.Server = base64.StdEncoding.EncodeToString(agentapi.TunnelKey(d.Client.Key[:16]).Bytes())
	if s.TLS {
		chain, key, err := wildcard(1)
		if err != nil {
			return none, err
		}
		d.Chain, d.Key = chain, key
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
	what := "processor time of a node's core per megabyte, " + s.Name
	result := measure.AtMost("protocols", what, "us", bareWork, work, 1.03)
	return result.Note("rate: bare %.0f MB/s, node %.0f MB/s", limits.Median(), products.Median()), nil
}

// speaking runs a listener, that of a node or a bare one, with a client, and gives a function that reads through both.
func (b *bench) speaking(ctx context.Context, d speech.Dialogue, site *rig.Site, node bool) (
	pid int, read func() (float64, error), err error,
) {
	name := strings.ReplaceAll(d.Name, " ", "-") + map[bool]string{true: "-node", false: "-bare"}[node]
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
			return b.nodeCore(ctx, name, config, d.Client)
		}
	}
	pid, err = run(ctx, name, d.Listener(port, node))
	if err != nil {
		return 0, nil, err
	}
	if _, err := b.core(ctx, name+"-client", d.Dialer(port, door)); err != nil {
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

// nodeCore runs the core of a node with a client on its list, as the agent does.
func (b *bench) nodeCore(ctx context.Context, name string, config object, client agentapi.Client) (int, error) {
	program, err := rig.Executable(ctx, rig.AgentProgram)
	if err != nil {
		return 0, err
	}
	folder := filepath.Join(b.folder, name)
	dir := filepath.Join(folder, "core")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, fmt.Errorf("make the folder of %s: %w", name, err)
	}
	list := agentapi.Clients{Flows: []agentapi.FlowClients{{
		FlowID: speech.Flow, Revision: 1, Clients: []agentapi.Client{client},
	}}}
	err = errors.Join(
		written(filepath.Join(dir, "config.json"), config), written(filepath.Join(folder, "clients.json"), list),
	)
	if err != nil {
		return 0, err
	}
	process, err := rig.Start(rig.Spec{
		Name: name, Log: filepath.Join(b.folder, name+".log"), Path: program, Args: []string{"core", "--dir", dir},
	})
	if err != nil {
		return 0, err
	}
	b.atEnd(func() error { process.Kill(); return nil })
	return process.PID(), nil
}

func written(path string, content any) error {
	raw, err := json.Marshal(content)
	if err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}
