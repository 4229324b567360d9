// Package routes is the router of the core, whose rules can be exchanged as a whole while it works. The core's own
// exchange empties its list first, and whoever connects at that moment leaves by the wrong way.
package routes

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/xtls/xray-core/app/router"
	"github.com/xtls/xray-core/common"
	"github.com/xtls/xray-core/common/serial"
	xray "github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/features/dns"
	"github.com/xtls/xray-core/features/outbound"
	"github.com/xtls/xray-core/features/routing"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// Routes is a routing.Router that asks the newest set of rules. Streams keep the way that they have.
type Routes struct {
	current atomic.Pointer[router.Router]
	make    func(*router.Config) (*router.Router, error)
}

// The core makes its router from a message of its configuration. Bytes stand for one that can be exchanged.
func init() {
	common.Must(common.RegisterConfig((*wrapperspb.BytesValue)(nil), func(ctx context.Context, raw any) (any, error) {
		said, ok := raw.(*wrapperspb.BytesValue)
		config := new(router.Config)
		if !ok || proto.Unmarshal(said.GetValue(), config) != nil {
			return nil, errors.New("make the router: its configuration cannot be read")
		}
		r := new(Routes)
		err := xray.RequireFeatures(ctx, func(d dns.Client, ways outbound.Manager, streams routing.Dispatcher) error {
			r.make = func(config *router.Config) (*router.Router, error) {
				next := new(router.Router)
				return next, next.Init(ctx, config, d, ways, streams)
			}
			return r.Exchange(config)
		})
		return r, err
	}))
}

// Into has the core of a configuration use rules that can be exchanged.
func Into(config *xray.Config) {
	plain := serial.GetMessageType(&router.Config{})
	for i, app := range config.App {
		if app.Type == plain {
			config.App[i] = serial.ToTypedMessage(wrapperspb.Bytes(app.Value))
		}
	}
}

// Exchange makes all rules anew. The ones before count until then, and stay where these cannot be made.
func (r *Routes) Exchange(config *router.Config) error {
	distinguish(config)
	next, err := r.make(config)
	if err != nil {
		return fmt.Errorf("make the rules of the core: %w", err)
	}
	if before := r.current.Swap(next); before != nil {
		return before.Close()
	}
	return nil
}

// Type is that of routers.
func (*Routes) Type() any { return routing.RouterType() }

// Start has nothing to do.
func (*Routes) Start() error { return nil }

// Close ends the rules.
func (r *Routes) Close() error {
	if now := r.current.Load(); now != nil {
		return now.Close()
	}
	return nil
}

// PickRoute finds the way of a stream.
func (r *Routes) PickRoute(ctx routing.Context) (routing.Route, error) {
	return r.current.Load().PickRoute(ctx)
}

// AddRule adds to the rules, or exchanges them all.
func (r *Routes) AddRule(config *serial.TypedMessage, add bool) error {
	return r.current.Load().AddRule(config, add)
}

// RemoveRule takes one away.
func (r *Routes) RemoveRule(tag string) error { return r.current.Load().RemoveRule(tag) }

// ListRule lists them.
func (r *Routes) ListRule() []routing.Route { return r.current.Load().ListRule() }
