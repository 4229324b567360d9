// Package clients is the part of the agent that holds who may use the flows of the node, and how much of their quotas.
// It lets the core let in those and nobody else.
package clients

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/documents"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// Part is the manifest.
var Part = part.Part{
	Name: "clients",
	Documents: []agentapi.DocumentName{
		agentapi.DocumentClients, agentapi.DocumentClientLists, agentapi.DocumentShares,
	},
	Open: func(env *part.Env) (*part.Live, error) {
		l := &lists{core: env.Core, fetch: env.Panel.ClientChanges, skew: env.Skew, clock: env.Clock, log: env.Log}
		return &part.Live{
			Documents: []documents.Document{
				{Name: agentapi.DocumentClients, Apply: l.apply},
				{Name: agentapi.DocumentClientLists, Apply: l.applyLists},
				{Name: agentapi.DocumentShares, Apply: shares(env.Core.Shares)},
			},
			Loops: []func(context.Context){l.follow},
		}, nil
	},
}

// admits is the core.
type admits interface {
	Clients(ctx context.Context, wanted agentapi.Clients) error
	Lists(ctx context.Context, wanted agentapi.ClientLists, skew time.Duration, fetch core.FetchChanges) error
	ByChanges() bool
}

// lists hands the clients to the core, with the end of each one's time by the clock of this machine.
type lists struct {
	core  admits
	fetch core.FetchChanges
	skew  func() time.Duration
	clock clockwork.Clock
	log   *zap.Logger

	mu     sync.Mutex
	wanted *agentapi.Clients
	listed *agentapi.ClientLists // in place of wanted
	by     time.Duration         // what the clock was off by when they were handed on
}

// apply hands lists to the core. Those that cannot be used are refused as a whole, and the ones before stay.
func (l *lists) apply(ctx context.Context, content json.RawMessage) error {
	var wanted agentapi.Clients
	if json.Unmarshal(content, &wanted) != nil { // its text would quote the content
		return documents.Refuse(errors.New("read the clients: they are no JSON of the expected form"))
	}
	if err := wanted.Check(); err != nil {
		return documents.Refuse(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.core.ByChanges() { // they are from before an update of the agent
		return nil
	}
	l.wanted = &wanted
	return l.hand(ctx)
}

// applyLists fetches what has changed on the lists and hands it to the core.
func (l *lists) applyLists(ctx context.Context, content json.RawMessage) error {
	var wanted agentapi.ClientLists
	if json.Unmarshal(content, &wanted) != nil {
		return documents.Refuse(errors.New("read the lists of clients: they are no JSON of the expected form"))
	}
	if err := wanted.Check(); err != nil {
		return documents.Refuse(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wanted, l.listed = nil, &wanted
	return l.hand(ctx)
}

func (l *lists) hand(ctx context.Context) error {
	by := l.skew()
	var err error
	if l.listed != nil {
		err = l.core.Lists(ctx, *l.listed, by, l.fetch)
	} else {
		err = l.core.Clients(ctx, moved(*l.wanted, by))
	}
	if err != nil {
		return err
	}
	l.by = by
	return nil
}

// shares hands what the node may let clients use of their quotas to the core.
func shares(hand func(context.Context, agentapi.Shares) error) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, content json.RawMessage) error {
		var changed agentapi.Shares
		if err := json.Unmarshal(content, &changed); err != nil {
			return documents.Refuse(errors.New("read the shares: they are no JSON of the expected form"))
		}
		if err := changed.Check(); err != nil {
			return documents.Refuse(err)
		}
		return hand(ctx, changed)
	}
}

// moved gives the lists with the ends of times as a clock says them that is off by so much.
func moved(wanted agentapi.Clients, by time.Duration) agentapi.Clients {
	flows := slices.Clone(wanted.Flows)
	for i := range flows {
		flows[i].Clients = slices.Clone(flows[i].Clients)
		for j := range flows[i].Clients {
			if client := &flows[i].Clients[j]; !client.Expires.IsZero() {
				client.Expires = client.Expires.Add(-by)
			}
		}
	}
	return agentapi.Clients{Flows: flows}
}

const look = 15 * time.Second

// follow hands the lists on again when the clock of this machine is off by something else.
func (l *lists) follow(ctx context.Context) {
	tick := l.clock.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.Chan():
		}
		if err := l.adjust(ctx); err != nil && ctx.Err() == nil {
			l.log.Warn("the clients could not be given to the core again", zap.Error(err))
		}
	}
}

func (l *lists) adjust(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.listed != nil || l.wanted != nil && ends(*l.wanted)
	if !held || (l.skew()-l.by).Abs() < core.MostSkew {
		return nil
	}
	return l.hand(ctx)
}

// ends says whether the time of anybody ends.
func ends(of agentapi.Clients) bool {
	return slices.ContainsFunc(of.Flows, func(flow agentapi.FlowClients) bool {
		return slices.ContainsFunc(flow.Clients, func(c agentapi.Client) bool { return !c.Expires.IsZero() })
	})
}
