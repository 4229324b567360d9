// Package core runs the proxy core (Xray) in processes of its own, replaces them without refusing a connection, and
// keeps them serving while the agent is away.
package core

import (
	"bytes"
	"fmt"

	"github.com/xtls/xray-core/app/proxyman"
	xray "github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/features/routing"
	"github.com/xtls/xray-core/infra/conf"
	"github.com/xtls/xray-core/infra/conf/serial"
	_ "github.com/xtls/xray-core/main/distro/all" // registers every protocol and transport
	"github.com/xtls/xray-core/transport/internet"
	"github.com/xtls/xray-core/transport/internet/reality"

	"panel/cmd/panel-agent/internal/core/routes"
)

// Kind is how reports name this core.
const Kind = "xray"

// Version is that of the linked core.
func Version() string { return xray.Version() }

// build reads a configuration and puts in the certificates and the clients that it refers to. Logs and counters are the
// agent's business, whatever the configuration says.
func build(raw []byte, held certificates, clients lists) (*xray.Config, error) {
	parsed, err := serial.DecodeJSONConfig(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("read the core configuration: %w", err)
	}
	if err := held.putInto(parsed); err != nil {
		return nil, err
	}
	if err := clients.putInto(parsed, listedIn(raw)); err != nil {
		return nil, err
	}
	parsed.LogConfig = &conf.LogConfig{AccessLog: "none", LogLevel: "warning"}
	countEverything(parsed)
	config, err := parsed.Build()
	if err != nil {
		return nil, fmt.Errorf("build the core configuration: %w", err)
	}
	if err := tunnelled(parsed, config); err != nil {
		return nil, err
	}
	return config, nil
}

// exchangeRules gives a core the rules of a configuration, which must be its own.
func exchangeRules(core *xray.Instance, raw []byte) error {
	parsed, err := serial.DecodeJSONConfig(bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("read the core configuration: %w", err)
	}
	rules, ok := core.GetFeature(routing.RouterType()).(*routes.Routes)
	if !ok || parsed.RouterConfig == nil {
		return nil
	}
	config, err := parsed.RouterConfig.Build()
	if err != nil {
		return fmt.Errorf("build the rules of the core: %w", err)
	}
	return rules.Exchange(config)
}

func countEverything(parsed *conf.Config) {
	parsed.Stats = &conf.StatsConfig{}
	if parsed.Policy == nil {
		parsed.Policy = &conf.PolicyConfig{}
	}
	if parsed.Policy.Levels == nil {
		parsed.Policy.Levels = map[uint32]*conf.Policy{}
	}
	if parsed.Policy.Levels[0] == nil {
		parsed.Policy.Levels[0] = &conf.Policy{}
	}
	for _, level := range parsed.Policy.Levels {
		level.StatsUserUplink, level.StatsUserDownlink, level.StatsUserOnline = true, true, true
	}
	if parsed.Policy.System == nil {
		parsed.Policy.System = &conf.SystemPolicy{}
	}
	system := parsed.Policy.System
	system.StatsInboundUplink, system.StatsInboundDownlink = true, true
	system.StatsOutboundUplink, system.StatsOutboundDownlink = true, true
}

// receiver is the listening side of an inbound.
type receiver struct {
	tag string
	*proxyman.ReceiverConfig
}

func receivers(config *xray.Config) ([]receiver, error) {
	var found []receiver
	for _, inbound := range config.Inbound {
		settings, err := inbound.ReceiverSettings.GetInstance()
		if err != nil {
			return nil, fmt.Errorf("read inbound %s: %w", inbound.Tag, err)
		}
		if side, ok := settings.(*proxyman.ReceiverConfig); ok {
			found = append(found, receiver{inbound.Tag, side})
		}
	}
	return found, nil
}

// doors gives the ports of every inbound.
func doors(config *xray.Config) ([]Door, error) {
	found, err := receivers(config)
	if err != nil {
		return nil, err
	}
	all := []Door{}
	for _, r := range found {
		for _, span := range r.GetPortList().GetRange() {
			all = append(all, Door{Tag: r.tag, IP: listenIP(r), From: int(span.From), To: int(span.To)})
		}
	}
	return all, nil
}

// listenIP is empty for all addresses, and for what is no address.
func listenIP(r receiver) string {
	if r.Listen == nil || r.Listen.AsAddress().Family().IsDomain() {
		return ""
	}
	return r.Listen.AsAddress().IP().String()
}

func realityInbounds(config *xray.Config) ([]*reality.Config, error) {
	found, err := receivers(config)
	if err != nil {
		return nil, err
	}
	var inbounds []*reality.Config
	for _, receiver := range found {
		stream, err := internet.ToMemoryStreamConfig(receiver.StreamSettings)
		if err != nil {
			return nil, fmt.Errorf("read the transport of an inbound: %w", err)
		}
		if settings := reality.ConfigFromStreamSettings(stream); settings != nil {
			inbounds = append(inbounds, settings)
		}
	}
	return inbounds, nil
}
