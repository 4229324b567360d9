// Package blocks is the part of the agent that keeps addresses from the listeners of the node, in the packet filter of
// the host. Only the ports of listeners are concerned: whoever is blocked still reaches everything else of the host.
package blocks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/blocks/nft"
	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/documents"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// Kinds of the firewalls that heartbeats tell of.
const (
	kindOurs = "panel_agent" // the table of blocks
	kindNone = "none"        // nothing can be blocked, for the reason in the details
)

// look is the pause between looks at the ports of the listeners.
const look = 5 * time.Second

var able = sync.OnceValue(nft.Able)

// Part is the manifest. Where the host does not let this process block anything, it names nothing that it could do and
// says why.
func Part() part.Part {
	if err := able(); err != nil {
		return part.Part{Name: "blocks", Open: func(*part.Env) (*part.Live, error) {
			return &part.Live{Heartbeat: func(_ context.Context, beat *agentapi.Heartbeat) {
				tell(beat, agentapi.Firewall{Kind: kindNone, Detail: err.Error()})
			}}, nil
		}}
	}
	return part.Part{
		Name: "blocks", Documents: []agentapi.DocumentName{agentapi.DocumentBlocks}, Open: open,
	}
}

// tell adds to what is told; the list belongs to who made it.
func tell(beat *agentapi.Heartbeat, wall agentapi.Firewall) {
	beat.Firewall = append(slices.Clone(beat.Firewall), wall)
}

func open(env *part.Env) (*part.Live, error) {
	k := &keeper{
		doors: env.Core.Doors, skew: env.Skew, clock: env.Clock, log: env.Log.Named("blocks"), write: nft.Write,
		guarding: func(ctx context.Context) guards {
			return guards{own(), addressesOfPanel(ctx, env.Panel.Base()), peersOn(sshPorts(env.Sockets.List()))}
		},
		changed: env.Changed,
	}
	return &part.Live{
		Documents: []documents.Document{{Name: agentapi.DocumentBlocks, Apply: k.apply}},
		Loops:     []func(context.Context){k.run},
		Heartbeat: func(_ context.Context, beat *agentapi.Heartbeat) { tell(beat, k.wall()) },
	}, nil
}

// keeper holds the blocks of the node.
type keeper struct {
	doors    func(context.Context) []core.Door
	skew     func() time.Duration
	clock    clockwork.Clock
	log      *zap.Logger
	write    func([]nft.Span, []nft.Ports, time.Time) error
	guarding func(context.Context) guards
	changed  func()

	mu     sync.Mutex
	spans  []nft.Span // by the panel's clock
	left   []string   // what is not blocked, with why
	ports  []nft.Ports
	failed error
	wanted bool // a document was applied
}

// apply puts blocks into force. A list that cannot be read is refused as a whole; single blocks that would cut off the
// wrong ones are left out.
func (k *keeper) apply(ctx context.Context, content json.RawMessage) error {
	var wanted agentapi.Blocks
	if json.Unmarshal(content, &wanted) != nil {
		return documents.Refuse(errors.New("read the blocks: they are no JSON of the expected form"))
	}
	if len(wanted.Blocks) > agentapi.MaxBlocks {
		return documents.Refuse(fmt.Errorf("read the blocks: %d are more than a node takes", len(wanted.Blocks)))
	}
	spans, left := judged(wanted.Blocks, k.guarding(ctx), k.now())
	k.mu.Lock()
	defer k.mu.Unlock()
	k.spans, k.left, k.wanted = spans, left, true
	return k.put(portsOf(k.doors(ctx)))
}

// now is the panel's clock.
func (k *keeper) now() time.Time { return k.clock.Now().Add(k.skew()) }

// put writes what is wanted. The lock is held.
func (k *keeper) put(ports []nft.Ports) error {
	now := k.now()
	k.spans = slices.DeleteFunc(k.spans, func(s nft.Span) bool { return !s.Until.After(now) })
	if k.failed = k.write(k.spans, ports, now); k.failed == nil {
		k.ports = ports
	}
	k.changed()
	return k.failed
}

// judged are the blocks that may be put into force, and what is left out.
func judged(wanted []agentapi.Block, safe guards, now time.Time) (spans []nft.Span, left []string) {
	var fine []nft.Block
	for _, one := range wanted {
		network, read := networkOf(one.Network)
		reason := reasonForm
		if read {
			reason = safe.refusal(network)
		}
		switch {
		case !read:
			left = append(left, fmt.Sprintf("%.64q (%s)", one.Network, reason))
		case reason != "":
			left = append(left, fmt.Sprintf("%s (%s)", network, reason))
		case one.Until.After(now):
			fine = append(fine, nft.Block{Network: network, Until: one.Until})
		}
	}
	return nft.Spans(fine), left
}

// portsOf are the ports that anybody may knock at.
func portsOf(doors []core.Door) []nft.Ports {
	var ports []nft.Ports
	for _, d := range doors {
		if ip, err := netip.ParseAddr(d.IP); err == nil && ip.IsLoopback() {
			continue
		}
		ports = append(ports, nft.Ports{From: uint16(d.From), To: uint16(d.To)})
	}
	slices.SortFunc(ports, func(a, b nft.Ports) int { return int(a.From) - int(b.From) })
	return slices.Compact(ports)
}

// run follows the ports of the listeners.
func (k *keeper) run(ctx context.Context) {
	tick := k.clock.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.Chan():
		}
		k.follow(ctx)
	}
}

func (k *keeper) follow(ctx context.Context) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.wanted || len(k.spans) == 0 {
		return
	}
	ports := portsOf(k.doors(ctx))
	if len(ports) == 0 || slices.Equal(ports, k.ports) && k.failed == nil { // without a core nobody listens
		return
	}
	if err := k.put(ports); err != nil && ctx.Err() == nil {
		k.log.Warn("blocks could not be put into force", zap.Error(err))
	}
}

// wall says what is blocked.
func (k *keeper) wall() agentapi.Firewall {
	const shown = 5
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	k.spans = slices.DeleteFunc(k.spans, func(s nft.Span) bool { return !s.Until.After(now) })
	detail := fmt.Sprintf("%d spans of addresses are blocked", len(k.spans))
	if len(k.left) > 0 {
		detail += fmt.Sprintf("; %d left out: %s", len(k.left), strings.Join(k.left[:min(shown, len(k.left))], ", "))
	}
	if k.failed != nil {
		detail += "; " + k.failed.Error()
	}
	return agentapi.Firewall{Kind: kindOurs, Active: len(k.spans) > 0 && k.failed == nil, Detail: detail}
}
