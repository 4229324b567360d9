// Package firewall reads which host firewalls are in force. It changes nothing: whether a port can be reached is shown
// by a peer that dials it, this only says where to search when it cannot.
package firewall

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/agentapi"
)

const (
	lookLimit = 2 * time.Second
	keepFor   = time.Minute
)

// Reader reads at most once a minute.
type Reader struct {
	clock clockwork.Clock
	root  string
	rules func(context.Context) (string, error)
	mu    sync.Mutex
	at    time.Time
	last  []agentapi.Firewall
}

// New makes a reader of this host's firewalls.
func New(clock clockwork.Clock) *Reader { return &Reader{clock: clock, root: "/", rules: nftChains} }

// Read gives every firewall that was found.
func (r *Reader) Read(ctx context.Context) []agentapi.Firewall {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.at.IsZero() && r.clock.Since(r.at) < keepFor {
		return r.last
	}
	var all []agentapi.Firewall
	for _, read := range []func(context.Context) (agentapi.Firewall, bool){r.ufw, r.firewalld, r.iptables, r.nftables} {
		if wall, found := read(ctx); found {
			all = append(all, wall)
		}
	}
	r.at, r.last = r.clock.Now(), all
	return all
}

func (r *Reader) ufw(context.Context) (agentapi.Firewall, bool) {
	raw, err := os.ReadFile(r.root + "etc/ufw/ufw.conf")
	if err != nil {
		return agentapi.Firewall{}, false
	}
	for line := range strings.Lines(string(raw)) {
		if value, found := strings.CutPrefix(strings.TrimSpace(line), "ENABLED="); found {
			return agentapi.Firewall{Kind: "ufw", Active: strings.EqualFold(strings.Trim(value, `"'`), "yes")}, true
		}
	}
	return agentapi.Firewall{Kind: "ufw"}, true
}

func (r *Reader) firewalld(context.Context) (agentapi.Firewall, bool) {
	_, installed := os.Stat(r.root + "etc/firewalld")
	_, running := os.Stat(r.root + "run/firewalld.pid")
	return agentapi.Firewall{Kind: "firewalld", Active: running == nil}, installed == nil || running == nil
}

func (r *Reader) iptables(context.Context) (agentapi.Firewall, bool) {
	raw, err := os.ReadFile(r.root + "proc/net/ip_tables_names")
	tables := strings.Join(strings.Fields(string(raw)), ", ")
	if err != nil || tables == "" {
		return agentapi.Firewall{}, false
	}
	return agentapi.Firewall{
		Kind: "iptables", Active: strings.Contains(tables, "filter"),
		Detail: "tables: " + tables,
	}, true
}

func (r *Reader) nftables(ctx context.Context) (agentapi.Firewall, bool) {
	chains, err := r.rules(ctx)
	if err != nil {
		return agentapi.Firewall{}, false
	}
	input, dropping := strings.Count(chains, "hook input"), 0
	for line := range strings.Lines(chains) {
		if strings.Contains(line, "hook input") && strings.Contains(line, "policy drop") {
			dropping++
		}
	}
	detail := fmt.Sprintf("%d input chains, %d of them drop by default", input, dropping)
	return agentapi.Firewall{Kind: "nftables", Active: input > 0, Detail: detail}, true
}

func nftChains(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, "nft", "list", "chains").Output()
	return string(out), err
}
