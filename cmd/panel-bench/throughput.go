package main

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/speech"
	"panel/e2e/rig"
	"panel/platform/agentapi"
	"panel/platform/testneed/freeport"
)

type object = map[string]any

// throughput compares downloads through an applied flow with the same through a bare core with the same kind of
// inbound. Both sides have the same client and the same target.
func throughput(ctx context.Context, b *bench) ([]measure.Result, error) {
	site, err := rig.OpenSite("127.0.0.1")
	if err != nil {
		return nil, err
	}
	b.atEnd(func() error { site.Close(); return nil })
	link, core, err := b.appliedFlow(ctx, site)
	if err != nil {
		return nil, err
	}
	bareLink, bareCore, err := b.bareCore(ctx, site)
	if err != nil {
		return nil, err
	}
	product, err := b.download(ctx, "flow", link, site)
	if err != nil {
		return nil, err
	}
	limit, err := b.download(ctx, "bare", bareLink, site)
	if err != nil {
		return nil, err
	}
	for _, side := range []func() (float64, error){limit, product} {
		if err := rig.Eventually(ctx, 40*time.Second, func(context.Context) error {
			_,
				err := side()
			return err
		}); err != nil {
			return nil, err
		}
	}
	var work, bareWork measure.Series // processor time of the server's core per megabyte
	limits, products, err := readPairs(throughputPairs*b.settings.pairs,
		func() (float64, error) { return b.worked(bareCore, &bareWork, limit) },
		func() (float64, error) { return b.worked(core, &work, product) })
	if err != nil {
		return nil, err
	}
	result := measure.AtLeast(
		"flow",
		"throughput of an applied flow against a bare core",
		"MB/s",
		limits,
		products,
		0.97,
	)
	return []measure.Result{
		result.Note(
			"processor time of the server per gigabyte: bare %.2f s, product %.2f s, ratio %.2f; hardly depends on what else runs here",
			bareWork.Median()/1000,
			work.Median()/1000,
			bareWork.Median()/work.Median(),
		),
	}, nil
}

// throughputPairs makes more pairs than elsewhere: a client, a core and a site share the processors here, so that one
// reading differs from the next by a fifth, and the median of a few of them by more than the goal allows.
const throughputPairs = 3

// appliedFlow installs one flow on one real agent, all on this machine, and gives the link and the process of its core.
func (b *bench) appliedFlow(ctx context.Context, site *rig.Site) (link *url.URL, core int, err error) {
	s, err := b.install(ctx, "through", nil)
	if err != nil {
		return nil, 0, err
	}
	agent, err := s.Enroll(ctx, "server")
	if err != nil {
		return nil, 0, err
	}
	if err := agent.Launch(); err != nil {
		return nil, 0, err
	}
	b.atEnd(func() error { return agent.Stop() })
	if err := s.Online(ctx, agent); err != nil {
		return nil, 0, err
	}
	if link, err = s.oneFlow(ctx, agent, site); err != nil {
		return nil, 0, err
	}
	core, err = childOf(agent.PID())
	return link, core, err
}

// oneFlow enters and leaves on the same server.
func (s *stand) oneFlow(ctx context.Context, agent *rig.Agent, site *rig.Site) (*url.URL, error) {
	port, err := freeport.Find()
	if err != nil {
		return nil, err
	}
	listener := object{
		"protocol": "vless", "port": port, "transport": "raw", "security": "reality",
		"reality": object{"target": site.Target, "server_names": []string{rig.SiteName}, "allow_private_target": true},
	}
	flow, err := s.API.Draw(ctx, "through", object{
		"nodes": []object{
			{"key": "entry", "kind": "entry", "node_id": agent.NodeID, "params": object{"listener": listener}},
			{"key": "exit", "kind": "exit", "node_id": agent.NodeID, "params": object{"private": "allow"}},
		},
		"edges": []object{{"from": "entry", "to": "exit"}},
	})
	if err != nil {
		return nil, err
	}
	plan, err := s.API.Compile(ctx, flow.ID)
	if err != nil {
		return nil, err
	}
	if _, err := s.API.Apply(ctx, flow.ID, plan); err != nil {
		return nil, err
	}
	link, err := s.API.Link(ctx, flow.ID)
	if err != nil {
		return nil, err
	}
	return url.Parse(link)
}

// childOf finds the one process that another one has started: the core of an agent.
func childOf(parent int) (int, error) {
	processes, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, fmt.Errorf("look for the core: %w", err)
	}
	for _, file := range processes {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended meanwhile
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			return strconv.Atoi(filepath.Base(filepath.Dir(file)))
		}
	}
	return 0, fmt.Errorf("look for the core: process %d has started none", parent)
}

// bareCore runs the core as its authors ship it with nothing but the inbound and an open exit.
func (b *bench) bareCore(ctx context.Context, site *rig.Site) (link *url.URL, process int, err error) {
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return nil, 0, fmt.Errorf("make a key: %w", err)
	}
	port, err := freeport.Find()
	if err != nil {
		return nil, 0, err
	}
	client, short := uuid.NewString(), "0123456789abcdef"
	encode := base64.RawURLEncoding.EncodeToString
	config := object{
		"log": object{"loglevel": "none", "access": "none"},
		"inbounds": []object{{
			"listen": "127.0.0.1", "port": port, "protocol": "vless",
			"settings": object{"decryption": "none", "clients": []object{{"id": client, "flow": "xtls-rprx-vision"}}},
			"streamSettings": object{"network": "raw", "security": "reality", "realitySettings": object{
				"target": site.Target, "serverNames": []string{rig.SiteName}, "privateKey": encode(key.Bytes()),
				"shortIds": []string{short},
			}},
		}},
		"outbounds": []object{{"protocol": "freedom"}},
	}
	if process, err = b.core(ctx, "bare-server", config); err != nil {
		return nil, 0, err
	}
	query := url.Values{
		"sni":  {rig.SiteName},
		"pbk":  {encode(key.PublicKey().Bytes())},
		"sid":  {short},
		"flow": {"xtls-rprx-vision"},
		"fp":   {"chrome"},
	}
	return &url.URL{
		Scheme:   "vless",
		User:     url.User(client),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		RawQuery: query.Encode(),
	}, process, nil
}

func (b *bench) core(ctx context.Context, name string, config object) (int, error) {
	program, err := rig.Executable(ctx, rig.CoreProgram)
	if err != nil {
		return 0, err
	}
	content, err := json.Marshal(config)
	if err != nil {
		return 0, fmt.Errorf("encode the configuration of %s: %w", name, err)
	}
	path := filepath.Join(b.folder, name+".json")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return 0, fmt.Errorf("write the configuration of %s: %w", name, err)
	}
	process, err := rig.Start(
		rig.Spec{
			Name: name,
			Log:  filepath.Join(b.folder, name+".log"),
			Path: program,
			Args: []string{"run", "-c", path},
		},
	)
	if err != nil {
		return 0, err
	}
	b.atEnd(func() error { process.Kill(); return nil })
	return process.PID(), nil
}

const (
	streams      = 4
	downloadSize = 512 << 20
)

// download runs a client with the link and gives a function that reads for a while through it, in MB/s.
func (b *bench) download(
	ctx context.Context,
	name string,
	link *url.URL,
	site *rig.Site,
) (func() (float64, error), error) {
	port, err := freeport.Find()
	if err != nil {
		return nil, err
	}
	if _, err := b.core(ctx, name+"-client", clientConfig(port, link)); err != nil {
		return nil, err
	}
	proxy := &url.URL{Scheme: "socks5", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), DisableKeepAlives: true}}
	page := site.Page + "/bytes?n=" + strconv.Itoa(downloadSize)
	return func() (float64, error) { return readFor(ctx, client, page, b.each) }, nil
}

func clientConfig(port int, link *url.URL) object {
	q := link.Query()
	target, digits, _ := strings.Cut(link.Host, ":")
	number, _ := strconv.Atoi(digits) // a link has a port
	return object{
		"log": object{"loglevel": "none", "access": "none"},
		"inbounds": []object{
			{"listen": "127.0.0.1", "port": port, "protocol": "socks", "settings": object{"auth": "noauth"}},
		},
		"outbounds": []object{{
			"protocol": "vless",
			"settings": object{"vnext": []object{{"address": target, "port": number, "users": []object{
				{"id": link.User.Username(), "encryption": "none", "flow": q.Get("flow")},
			}}}},
			"streamSettings": object{"network": "raw", "security": "reality", "realitySettings": object{
				"serverName": q.Get(
					"sni",
				), "fingerprint": q.Get("fp"), "password": q.Get("pbk"), "shortId": q.Get("sid"),
			}},
		}},
	}
}

// readFor reads on several streams at once and counts what arrives in the time.
func readFor(ctx context.Context, client *http.Client, page string, length time.Duration) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	counts, failures := make([]int64, streams), make([]error, streams)
	began := time.Now()
	var all sync.WaitGroup
	for i := range streams {
		all.Go(func() { counts[i], failures[i] = read(ctx, client, page) })
	}
	all.Wait()
	took := time.Since(began).Seconds()
	total := int64(0)
	for i, count := range counts {
		if total += count; failures[i] != nil {
			return 0, failures[i]
		}
	}
	return float64(total) / 1e6 / took, nil
}

// read ends with the time; bytes that came until then count.
func read(ctx context.Context, client *http.Client, page string) (int64, error) {
	total := int64(0)
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
		if err != nil {
			return total, fmt.Errorf("download through a flow: %w", err)
		}
		answer, err := client.Do(request)
		if err != nil {
			if ctx.Err() != nil && total > 0 {
				return total, nil
			}
			return total, fmt.Errorf("download through a flow: %w", err)
		}
		n, err := io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		total += n
		if err != nil && ctx.Err() == nil {
			return total, fmt.Errorf("download through a flow: %w", err)
		}
	}
	return total, nil
}

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
	elsewhere = "198.51.100.7"
	// protocolPairs are read until the median of their ratios is known to this precision, at most as many times as
	// the run has pairs: the goal is about hundredths, and readings of some protocols differ by a tenth.
	protocolPairs = 24
	precision     = 0.008
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
	var rates, bareRates measure.Series
	for len(work) < protocolPairs*b.settings.pairs && measure.Ratios(bareWork, work).MedianError() > precision {
		limits, products, err := readPairs(protocolPairs,
			func() (float64, error) { return b.worked(bareCore, &bareWork, limit) },
			func() (float64, error) { return b.worked(core, &work, product) })
		if err != nil {
			return none, err
		}
		bareRates, rates = append(bareRates, limits...), append(rates, products...)
	}
	what := "processor time of a node's core per megabyte, " + s.Name
	result := measure.AtMost("protocols", what, "us", bareWork, work, 1.03)
	return result.
		Note("%d pairs; the median has a standard error of %.3f", len(work), measure.Ratios(bareWork, work).MedianError()).
		Note("rate: bare %.0f MB/s, node %.0f MB/s", bareRates.Median(), rates.Median()), nil
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
