package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"panel/cmd/panel-bench/internal/beside"
	"panel/platform/testneed/freeport"

	"panel/cmd/panel-bench/internal/load"
	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
	"panel/e2e/rig"
	"panel/platform/agentapi"
)

const (
	toldUsers      = 500
	signalsPerPost = 50
	signalFloor    = 0.60

	fewScored, manyScored = 25_000, 100_000
	scoredWithin          = 300 // seconds
	scoringCeiling        = 25  // % of a core
	scoringSlope          = 1.15

	monthOfSignals = 3_000_000
	lookupNodes    = 1000
	lookupsAtOnce  = 40
	lookupReadings = 5
	lookupCeiling  = 200  // ms
	recordCeiling  = 2000 // ms
	usualLookup    = 10   // minutes
	widestLookup   = 120

	sensedUsers     = 5000
	sensedPerMinute = 20_000
	sensedFor       = time.Minute
	sensingCeiling  = 5  // % of a core
	sensingMemory   = 64 // MB
	sensingCost     = 1.03
	sensedRead      = 256 << 20 // bytes of one download
)

// toldOf is a panel with one flow of some clients on all nodes of a fleet.
func (b *bench) toldOf(
	ctx context.Context, name string, nodes int,
) (s *stand, fleet []seed.Member, flow string, err error) {
	s, err = b.installBare(ctx, name, func(ctx context.Context, dsn string) (err error) {
		fleet, err = seed.Fleet(ctx, dsn, nodes)
		return errors.Join(err, execute(ctx, dsn, steady))
	})
	if err != nil {
		return nil, nil, "", err
	}
	_, flows, err := s.putClients(ctx, 1, toldUsers)
	if err != nil {
		return nil, nil, "", err
	}
	return s, fleet, flows[0], execute(ctx, s.dsn, seed.Everywhere)
}

// abuseSignals compares signals of abuse that agents deliver, acknowledged when durable, with COPY of the same rows.
func abuseSignals(ctx context.Context, b *bench) ([]measure.Result, error) {
	s, fleet, flow, err := b.toldOf(ctx, "signals", telemetryNodes)
	if err != nil {
		return nil, err
	}
	users, err := seed.Texts(ctx, s.dsn, "select 'c:' || id from client_profiles order by id")
	if err != nil {
		return nil, err
	}
	if err := execute(ctx, s.dsn,
		"create table bench_signals (like abuse_signals including defaults including indexes)"); err != nil {
		return nil, err
	}
	signals := toldSignals(users, flow, copyBatch)
	body, err := json.Marshal(agentapi.AbuseBatch{StreamID: "bench", Seq: anyNumber, Signals: signals[:signalsPerPost]})
	if err != nil {
		return nil, fmt.Errorf("encode signals: %w", err)
	}
	sent := newDeliveries(s, fleet, agentapi.PathAbuseSignals, body)
	product := func() (float64, error) {
		outcome, err := load.Run(ctx, load.Plan{
			Address: s.address(), Connections: telemetryAgents, Request: sent.next, For: b.each,
		})
		return outcome.PerSecond() * signalsPerPost, err
	}
	rows := seed.SignalRows(signals)
	limit := func() (float64, error) {
		return copyRate(ctx, s.dsn, "copy bench_signals ("+seed.SignalColumns+") from stdin binary", rows, b.each)
	}
	if _, err := product(); err != nil {
		return nil, err
	}
	limits, products, err := b.pairs(limit, product)
	if err != nil {
		return nil, err
	}
	stored, err := s.number(ctx, "select count(*) from abuse_signals")
	if err != nil {
		return nil, err
	}
	posts := int64(0)
	for _, n := range sent.seq {
		posts += n
	}
	doubled := float64(max(0, stored-posts*signalsPerPost))
	return []measure.Result{
		measure.AtLeast("signals", "signals of abuse, 50 per POST, against COPY", "rows/s", limits, products, signalFloor),
		measure.Below("signals", "signals stored more than once", "rows", measure.Series{doubled}, 0).
			Note("sent %d batches, stored %d signals", posts, stored),
	}, nil
}

// toldSignals are as long as real ones.
func toldSignals(users []string, flow string, count int) []agentapi.AbuseSignal {
	now := time.Now().UTC().Truncate(time.Second)
	out := make([]agentapi.AbuseSignal, count)
	for i := range out {
		out[i] = agentapi.AbuseSignal{
			Kind: agentapi.AbuseKinds[i%len(agentapi.AbuseKinds)], UserRef: users[i%len(users)], FlowID: flow,
			InboundTag: "in-443", Source: &agentapi.AbuseSource{PrefixHash: "ab12cd34ef56ab78", ASN: 64500, Country: "DE"},
			Dest:  &agentapi.AbuseDest{IP: fmt.Sprintf("198.51.100.%d", i%250), Port: 1 + i%1000},
			Count: 1 + int64(i), FirstAt: now.Add(-time.Minute), LastAt: now, DetectedBy: agentapi.DetectedByFlows,
			Confidence: 0.8, Evidence: "61 connections to port 22 of 61 addresses within one minute",
		}
	}
	return out
}

// abuseScoring takes the processor time of a panel that scores the users of whom something was told in five minutes.
func abuseScoring(ctx context.Context, b *bench) ([]measure.Result, error) {
	times := map[float64]float64{}
	var results []measure.Result
	for _, users := range []int{fewScored, manyScored} {
		took, cases, err := b.scores(ctx, users)
		if err != nil {
			return results, err
		}
		times[float64(users)] = took.Median()
		share := measure.Series{}
		for _, seconds := range took {
			share = append(share, 100*seconds/scoredWithin)
		}
		if users == manyScored {
			results = append(results, measure.Below("scoring", "scoring 100,000 users in five minutes", "% of a core", share,
				scoringCeiling).Note("%d cases are open", cases))
		}
	}
	return append(results, measure.Below("scoring", "slope of scoring, 25,000 to 100,000 users", "",
		measure.Series{beside.Slope(times)}, scoringSlope)), nil
}

// scores gives the processor seconds of each of three times that users are scored, who are known from the first on.
func (b *bench) scores(ctx context.Context, users int) (took measure.Series, cases int64, err error) {
	s, err := b.installBare(ctx, fmt.Sprintf("scoring_%d", users), func(ctx context.Context, dsn string) error {
		_, err := seed.Fleet(ctx, dsn, 2)
		return errors.Join(err, execute(ctx, dsn, steady))
	})
	if err != nil {
		return nil, 0, err
	}
	for range 3 {
		shared, alone := seed.SharerLists(time.Now().UTC())
		if err := execute(ctx, s.dsn, seed.Sharers, users, shared, alone); err != nil {
			return nil, 0, err
		}
		before, err := processorSeconds(s.Panel.PID())
		if err != nil {
			return nil, 0, err
		}
		if err := s.scored(ctx); err != nil {
			return nil, 0, err
		}
		after, err := processorSeconds(s.Panel.PID())
		if err != nil {
			return nil, 0, err
		}
		took = append(took, after-before)
	}
	cases, err = s.number(ctx, "select count(*) from abuse_cases")
	return took, cases, err
}

var errUnscored = errors.New("users wait to be scored")

// scored waits until nothing is left that came in.
func (s *stand) scored(ctx context.Context) error {
	return rig.Eventually(ctx, scoredWithin*time.Second, func(ctx context.Context) error {
		left, err := s.number(ctx, `select count(*) from (select from abuse_diversity d, abuse_progress p
			where (d.xact, d.user_ref) > (p.diversity_xact, p.diversity_ref) limit 1) one`)
		if err == nil && left > 0 {
			return errUnscored
		}
		return err
	})
}

// abuseLookups takes the time until the answer to a complaint, from signals of 30 days.
func abuseLookups(ctx context.Context, b *bench) ([]measure.Result, error) {
	s, _, flow, err := b.toldOf(ctx, "lookups", lookupNodes)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(execute(ctx, s.dsn, seed.Ahead), execute(ctx, s.dsn, seed.MonthPartitions)); err != nil {
		return nil, err
	}
	if err := execute(ctx, s.dsn, seed.Month, monthOfSignals, flow); err != nil {
		return nil, err
	}
	err = errors.Join(execute(ctx, s.dsn, seed.MonthCounted), execute(ctx, s.dsn, "vacuum analyze abuse_signals"))
	if err != nil {
		return nil, err
	}
	var asked, read measure.Series
	people := 0
	for reading := range lookupReadings + 1 {
		var posts, gets measure.Series
		for i := range lookupsAtOnce {
			post, get, found, err := s.lookup(ctx, reading*lookupsAtOnce+i)
			if err != nil {
				return nil, err
			}
			posts, gets, people = append(posts, post), append(gets, get), people+found
		}
		if reading > 0 { // the first one warms up
			asked, read = append(asked, posts.Quantile(0.95)), append(read, gets.Quantile(0.95))
		}
	}
	onNode, err := beside.Benchmarks(ctx, "./cmd/panel-agent/internal/abuse/record", "^BenchmarkFind$", 2)
	if err != nil {
		return nil, err
	}
	each := math.Round(float64(people) / lookupsAtOnce / (lookupReadings + 1))
	return []measure.Result{
		measure.Below("lookups", "p95 of asking who it was, among 3,000,000 signals", "ms", asked, lookupCeiling).
			Note("%.0f people are named each time", each),
		measure.Below("lookups", "p95 of reading the answer", "ms", read, lookupCeiling),
		measure.Below("lookups", "two hours in the record of a node, 20,000 connections a minute", "ms",
			measure.Series{onNode["Find"][widestLookup] / 1e6}, recordCeiling).
			Note("ten minutes: %.0f ms", onNode["Find"][usualLookup]/1e6),
	}, nil
}

// lookup asks who was behind an address at one of many moments of the month, and gives the milliseconds of the question
// and of reading its answer.
func (s *stand) lookup(ctx context.Context, number int) (post, get float64, people int, err error) {
	at := time.Now().UTC().Add(-time.Duration(1+number*2) * time.Hour)
	complaint := map[string]any{
		"address": fmt.Sprintf("10.0.%d.%d", number%lookupNodes>>8, number%lookupNodes&255), "at": at,
		"tolerance_s": []int{300, 3600}[number%2], "reason": "bench",
	}
	if number%3 > 0 {
		complaint["dest_port"] = 22
	}
	if number%3 > 1 {
		complaint["dest"] = "198.51.0.0/17"
	}
	var found struct {
		ID     string
		People []struct{} `json:"people"`
	}
	began := time.Now()
	if err := s.API.Post(ctx, "/api/v1/abuse/lookups", complaint, &found); err != nil {
		return 0, 0, 0, err
	}
	post = milliseconds(time.Since(began))
	began = time.Now()
	err = s.API.Get(ctx, "/api/v1/abuse/lookups/"+found.ID, &found)
	return post, milliseconds(time.Since(began)), len(found.People), err
}

// sensing is what an agent takes that looks for abuse among 5,000 users with 20,000 connections in a minute, and what
// its core takes more for each gigabyte. Agent, core and panel are real; the same agent is measured before, while it is
// told to look for nothing.
func sensing(ctx context.Context, b *bench) ([]measure.Result, error) {
	site, err := rig.OpenSite("127.0.0.1")
	if err != nil {
		return nil, err
	}
	b.atEnd(func() error { site.Close(); return nil })
	c, err := b.crowdedNode(ctx, site)
	if err != nil {
		return nil, err
	}
	quiet, err := c.minute(ctx, false)
	if err != nil {
		return nil, err
	}
	busy, err := c.minute(ctx, true)
	if err != nil {
		return nil, err
	}
	work, quietWork, err := c.downloads(ctx)
	if err != nil {
		return nil, err
	}
	cost := measure.AtMost("sensing", "processor time of the core per megabyte, collecting against not", "us", quietWork,
		work, sensingCost)
	return []measure.Result{
		measure.Below("sensing", "agent that collects from 5,000 users, 20,000 connections a minute", "% of a core",
			measure.Series{busy.agent}, sensingCeiling).
			Note("without collecting %.2f %%; its core %.1f %% and %.1f %%", quiet.agent, busy.core, quiet.core),
		measure.Below("sensing", "memory of that agent (VmRSS)", "MB", measure.Series{busy.memory}, sensingMemory).
			Note("without collecting %.1f MB; %d of %d connections came through", quiet.memory, busy.done, sensedPerMinute),
		cost,
	}, nil
}

// crowded is a node with a listener for many users.
type crowded struct {
	*bench
	*stand
	agent *rig.Agent
	core  int
	users load.Users
}

func (b *bench) crowdedNode(ctx context.Context, site *rig.Site) (*crowded, error) {
	s, err := b.installBare(ctx, "sensing", nil)
	if err != nil {
		return nil, err
	}
	c := &crowded{bench: b, stand: s}
	page, err := url.Parse(site.Page)
	if err == nil {
		c.users.Site, err = netip.ParseAddrPort(page.Host)
	}
	if err != nil {
		return nil, fmt.Errorf("read the address of the site: %w", err)
	}
	if c.agent, err = s.Enroll(ctx, "server"); err != nil {
		return nil, err
	}
	at := slices.Index(c.agent.Spec.Args, "--sampling") // counted as on a server, not each second
	c.agent.Spec.Args = slices.Delete(c.agent.Spec.Args, at, at+2)
	if err := c.agent.Launch(); err != nil {
		return nil, err
	}
	b.atEnd(func() error { return c.agent.Stop() })
	if err := s.Online(ctx, c.agent); err != nil {
		return nil, err
	}
	flow, err := c.draw(ctx)
	if err != nil {
		return nil, err
	}
	return c, c.fill(ctx, flow)
}

// draw installs a flow with a listener of Shadowsocks 2022, whose clients cost little here.
func (c *crowded) draw(ctx context.Context) (string, error) {
	port, err := freeport.Find()
	if err != nil {
		return "", err
	}
	c.users.Entry = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	listener := object{"protocol": "shadowsocks2022", "port": port, "l4": "tcp", "method": load.UsersMethod}
	flow, err := c.API.Draw(ctx, "crowded", object{
		"nodes": []object{
			{"key": "entry", "kind": "entry", "node_id": c.agent.NodeID, "params": object{"listener": listener}},
			{"key": "exit", "kind": "exit", "node_id": c.agent.NodeID, "params": object{"private": "allow"}},
		},
		"edges": []object{{"from": "entry", "to": "exit"}},
	})
	if err != nil {
		return "", err
	}
	plan, err := c.API.Compile(ctx, flow.ID)
	if err != nil {
		return "", err
	}
	if _, err := c.API.Apply(ctx, flow.ID, plan); err != nil {
		return "", err
	}
	return flow.ID, c.learn(ctx, flow.ID)
}

// learn takes the key of the listener from the link of the flow's first client.
func (c *crowded) learn(ctx context.Context, flow string) error {
	link, err := c.API.Link(ctx, flow)
	if err != nil {
		return err
	}
	named, err := url.Parse(link)
	if err != nil {
		return fmt.Errorf("read a link: %w", err)
	}
	secret, _ := named.User.Password()
	server, _, _ := strings.Cut(secret, ":") // behind it is the key of the client
	c.users.Key, err = base64.StdEncoding.DecodeString(server)
	return err
}

var (
	errFewUsers       = errors.New("the agent does not know all users yet")
	errFewConnections = errors.New("more than a tenth of the connections failed")
)

// fill adds the users and waits until the agent lets them in. What they show is read from its disk.
func (c *crowded) fill(ctx context.Context, flow string) error {
	lines := make([]object, sensedUsers)
	for i := range lines {
		lines[i] = object{"label": fmt.Sprintf("user %04d", i), "flows": []string{flow}}
	}
	if err := c.API.Post(ctx, "/api/v1/clients/import", object{"clients": lines}, nil); err != nil {
		return err
	}
	path := filepath.Join(c.Folder, c.agent.Spec.Name, "core", "lists", flow+".log")
	return rig.Eventually(ctx, time.Minute, func(context.Context) error {
		raw, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read the list of an agent: %w", err)
		}
		known, err := c.users.Know(raw)
		if err == nil && known < sensedUsers {
			err = errFewUsers
		}
		return err
	})
}

// collect tells agents to look for abuse, or not to, and waits until they do as they are told.
func (c *crowded) collect(ctx context.Context, on bool) error {
	const path, heard = "/api/v1/abuse/settings", 20 * time.Second
	var stored struct {
		Revision int64
		Settings object
	}
	if err := c.API.Get(ctx, path, &stored); err != nil {
		return err
	}
	stored.Settings["collect"].(object)["enabled"] = on
	err := c.API.Put(ctx, path, object{"revision": stored.Revision, "settings": stored.Settings}, nil)
	if err != nil {
		return err
	}
	if err := pause(ctx, heard); err != nil {
		return err
	}
	c.core, err = childOf(c.agent.PID())
	return err
}

// taken is what a minute has cost: shares of a core, and memory in MB.
type taken struct {
	agent, core, memory float64
	done                int
}

// minute has users connect at an even pace for a minute, each from an address of its own.
func (c *crowded) minute(ctx context.Context, collects bool) (t taken, err error) {
	if err := c.collect(ctx, collects); err != nil {
		return t, err
	}
	agent, err := processorSeconds(c.agent.PID())
	if err != nil {
		return t, err
	}
	core, err := processorSeconds(c.core)
	if err != nil {
		return t, err
	}
	if t.done, err = c.users.Connect(ctx, sensedPerMinute, sensedFor); t.done < sensedPerMinute*9/10 {
		return t, errors.Join(errFewConnections, err)
	}
	agentEnd, errAgent := processorSeconds(c.agent.PID())
	coreEnd, errCore := processorSeconds(c.core)
	t.agent, t.core = 100*(agentEnd-agent)/sensedFor.Seconds(), 100*(coreEnd-core)/sensedFor.Seconds()
	memory, errMemory := resident(c.agent.PID())
	t.memory = memory
	return t, errors.Join(errAgent, errCore, errMemory)
}

// downloads takes the processor time of the core for each megabyte by turns, collecting and not, in microseconds.
func (c *crowded) downloads(ctx context.Context) (work, quiet measure.Series, err error) {
	read := func(into *measure.Series) error {
		before, err := processorSeconds(c.core)
		if err != nil {
			return err
		}
		total := int64(0)
		for user := range streams {
			n, err := c.users.Read(ctx, user, sensedRead)
			if err != nil {
				return err
			}
			total += n
		}
		after, err := processorSeconds(c.core)
		*into = append(*into, 1e6*(after-before)/(float64(total)/1e6))
		return err
	}
	for range c.settings.pairs / 2 {
		for _, side := range []struct {
			collects bool
			into     *measure.Series
		}{{false, &quiet}, {true, &work}} {
			if err := c.collect(ctx, side.collects); err != nil {
				return nil, nil, err
			}
			for range throughputPairs {
				if err := read(side.into); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	return work, quiet, nil
}
