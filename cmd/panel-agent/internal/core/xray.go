// Package core runs the proxy core (Xray) in processes of its own, replaces them without refusing a connection, and
// keeps them serving while the agent is away.
package core

import (
	"bytes"
	"fmt"

	"github.com/xtls/xray-core/app/proxyman"
	xray "github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/infra/conf"
	"github.com/xtls/xray-core/infra/conf/serial"
	_ "github.com/xtls/xray-core/main/distro/all" // registers every protocol and transport
	"github.com/xtls/xray-core/transport/internet"
	"github.com/xtls/xray-core/transport/internet/reality"
)

// Kind is how reports name this core.
const Kind = "xray"

// Version is that of the linked core.
func Version() string { return xray.Version() }

// build reads a server configuration. Logs and counters are the agent's business, whatever the configuration says.
func build(raw []byte) (*xray.Config, error) {
	parsed, err := serial.DecodeJSONConfig(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("read the core configuration: %w", err)
	}
	parsed.LogConfig = &conf.LogConfig{AccessLog: "none", LogLevel: "warning"}
	countEverything(parsed)
	config, err := parsed.Build()
	if err != nil {
		return nil, fmt.Errorf("build the core configuration: %w", err)
	}
	return config, nil
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
	parsed.Policy.System.StatsInboundUplink, parsed.Policy.System.StatsInboundDownlink = true, true
	// Nobody reads what an outbound counted, and counting it wraps every connection to a destination.
	parsed.Policy.System.StatsOutboundUplink, parsed.Policy.System.StatsOutboundDownlink = false, false
}

// receivers gives the listening side of every inbound.
func receivers(config *xray.Config) ([]*proxyman.ReceiverConfig, error) {
	var found []*proxyman.ReceiverConfig
	for _, inbound := range config.Inbound {
		settings, err := inbound.ReceiverSettings.GetInstance()
		if err != nil {
			return nil, fmt.Errorf("read inbound %s: %w", inbound.Tag, err)
		}
		if receiver, ok := settings.(*proxyman.ReceiverConfig); ok {
			found = append(found, receiver)
		}
	}
	return found, nil
}

func listenPorts(config *xray.Config) (map[int]bool, error) {
	found, err := receivers(config)
	if err != nil {
		return nil, err
	}
	ports := map[int]bool{}
	for _, receiver := range found {
		if receiver.PortList == nil {
			continue
		}
		for _, span := range receiver.PortList.Range {
			for port := span.From; port <= span.To; port++ {
				ports[int(port)] = true
			}
		}
	}
	return ports, nil
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
