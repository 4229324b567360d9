package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	shadowsocks "github.com/sagernet/sing-shadowsocks"
	"github.com/sagernet/sing-shadowsocks/shadowaead_2022"
	"github.com/sagernet/sing/common/metadata"

	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/rig"
	"panel/platform/agentapi"
	"panel/platform/testneed/freeport"
)

const (
	sensedUsers     = 5000
	sensedPerMinute = 20_000
	sensedFor       = time.Minute
	sensingCeiling  = 5  // % of a core
	sensingMemory   = 64 // MB
	sensingCost     = 1.03
	sensedRead      = 256 << 20 // bytes of one download
)

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
	agent  *rig.Agent
	core   int
	entry  string
	users  []shadowsocks.Method
	server []byte // key of the listener
	site   netip.AddrPort
}

func (b *bench) crowdedNode(ctx context.Context, site *rig.Site) (*crowded, error) {
	s, err := b.installBare(ctx, "sensing", nil)
	if err != nil {
		return nil, err
	}
	c := &crowded{bench: b, stand: s}
	page, err := url.Parse(site.Page)
	if err == nil {
		c.site, err = netip.ParseAddrPort(page.Host)
	}
	if err != nil {
		return nil, fmt.Errorf("read the address of the site: %w", err)
	}
	if c.agent, err = s.Enroll(ctx, "server"); err != nil {
		return nil, err
	}
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

const sensedMethod = "2022-blake3-aes-128-gcm"

// draw installs a flow with a listener of Shadowsocks 2022, whose clients cost little here.
func (c *crowded) draw(ctx context.Context) (string, error) {
	port, err := freeport.Find()
	if err != nil {
		return "", err
	}
	c.entry = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	listener := object{"protocol": "shadowsocks2022", "port": port, "l4": "tcp", "method": sensedMethod}
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
	c.server, err = base64.StdEncoding.DecodeString(server)
	return err
}

var errFewUsers = errors.New("the agent does not know all users yet")

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
		if err == nil {
			err = c.know(raw)
		}
		if err == nil && len(c.users) < sensedUsers {
			err = errFewUsers
		}
		return err
	})
}

// know takes users from the changes of its list that an agent has on its disk, one in each line.
func (c *crowded) know(lines []byte) error {
	c.users = nil
	for line := range bytes.Lines(lines) {
		var changes agentapi.ClientChanges
		if err := json.Unmarshal(line, &changes); err != nil {
			return fmt.Errorf("read the list of an agent: %w", err)
		}
		for _, one := range changes.Clients {
			user, err := shadowaead_2022.New(sensedMethod, [][]byte{c.server, one.Key[:len(c.server)]}, nil)
			if err != nil {
				return fmt.Errorf("read the key of a user: %w", err)
			}
			c.users = append(c.users, user)
		}
	}
	return nil
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
	if t.done, err = c.connections(ctx); err != nil {
		return t, err
	}
	agentEnd, errAgent := processorSeconds(c.agent.PID())
	coreEnd, errCore := processorSeconds(c.core)
	t.agent, t.core = 100*(agentEnd-agent)/sensedFor.Seconds(), 100*(coreEnd-core)/sensedFor.Seconds()
	memory, errMemory := resident(c.agent.PID())
	t.memory = memory
	return t, errors.Join(errAgent, errCore, errMemory)
}

// connections counts those that brought what was asked for.
func (c *crowded) connections(ctx context.Context) (done int, err error) {
	var all sync.WaitGroup
	var mu sync.Mutex
	pace := time.NewTicker(sensedFor / sensedPerMinute)
	defer pace.Stop()
	for i := range sensedPerMinute {
		select {
		case <-ctx.Done():
			return done, ctx.Err()
		case <-pace.C:
		}
		all.Go(func() {
			n, failed := c.fetch(ctx, i%len(c.users), 1)
			mu.Lock()
			defer mu.Unlock()
			if failed == nil && n > 0 {
				done++
			} else if err == nil {
				err = failed
			}
		})
	}
	all.Wait()
	if done > sensedPerMinute*9/10 {
		err = nil
	}
	return done, err
}

// fetch reads so many bytes of the site as one of the users, and gives how many came.
func (c *crowded) fetch(ctx context.Context, user int, count int64) (int64, error) {
	dialer := net.Dialer{
		Timeout: 10 * time.Second, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, byte(1+user>>8), byte(user), 1)},
	}
	conn, err := dialer.DialContext(ctx, "tcp", c.entry)
	if err != nil {
		return 0, fmt.Errorf("connect as a user: %w", err)
	}
	defer func() { _ = conn.Close() }()
	stream := c.users[user].DialEarlyConn(conn, metadata.SocksaddrFromNetIP(c.site))
	if _, err := fmt.Fprintf(stream, "GET /bytes?n=%d HTTP/1.0\r\n\r\n", count); err != nil {
		return 0, fmt.Errorf("ask as a user: %w", err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(sensedFor)) //nolint:forbidigo // deadlines of connections are times of the machine
	return io.Copy(io.Discard, stream)
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
			n, err := c.fetch(ctx, user, sensedRead)
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
