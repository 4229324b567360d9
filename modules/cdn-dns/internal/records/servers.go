package records

import (
	"context"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"panel/modules/cdn-dns/internal/provider"
)

const (
	keepServers = 10 * time.Minute
	keepNothing = time.Minute
)

// zones remembers the name servers of zones, so that they are not looked for at each look.
type zones struct {
	mu    sync.Mutex
	known map[string]servers
}

type servers struct {
	addresses []string
	until     time.Time
}

// serversOf gives the authoritative servers of the zone that a host name lies in: those that its holder names, or those
// that DNS has for the nearest parent that is a zone. None when they cannot be found.
func (e *Engine) serversOf(ctx context.Context, zone provider.Zone) []string {
	now := e.now()
	e.zones.mu.Lock()
	known, there := e.zones.known[zone.Name]
	e.zones.mu.Unlock()
	if there && now.Before(known.until) {
		return known.addresses
	}
	found := e.findServers(ctx, zone)
	if ctx.Err() != nil {
		return found
	}
	keep := keepServers
	if len(found) == 0 {
		keep = keepNothing
	}
	e.zones.mu.Lock()
	defer e.zones.mu.Unlock()
	for name, old := range e.zones.known {
		if !now.Before(old.until) {
			delete(e.zones.known, name)
		}
	}
	e.zones.known[zone.Name] = servers{found, now.Add(keep)}
	return found
}

func (e *Engine) findServers(ctx context.Context, zone provider.Zone) []string {
	top, err := publicsuffix.EffectiveTLDPlusOne(zone.Name)
	if err != nil {
		top = zone.Name
	}
	for name := zone.Name; ; _, name, _ = strings.Cut(name, ".") {
		found, err := e.Resolver.Servers(ctx, name, zone.Servers)
		if err == nil || name == top {
			return found
		}
	}
}
