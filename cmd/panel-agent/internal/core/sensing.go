package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"panel/cmd/panel-agent/internal/core/sensor"
)

const (
	opStreams = "streams"
	opDrop    = "drop"
)

// dropRequest names whose streams are to end.
type dropRequest struct {
	ClientID string `json:"client_id"`
	FlowID   string `json:"flow_id,omitempty"` // empty: in all flows
}

// dropAnswer is from where each stream came that was ended.
type dropAnswer struct {
	Sources []netip.Addr `json:"sources"`
}

// hear gives what clients do. A core whose configuration has no dispatcher has no clients.
func (r *roster) hear(order sensor.Order) *sensor.Heard {
	if r.admission == nil {
		return &sensor.Heard{}
	}
	heard := r.admission.sensor.Take(order)
	return &heard
}

func (r *roster) drop(whose *dropRequest) *dropAnswer {
	if r.admission == nil {
		return &dropAnswer{}
	}
	return &dropAnswer{Sources: r.admission.drop(whose.ClientID, whose.FlowID)}
}

// Cores are the ids of the cores that live now, the serving one and those that drain.
func (s *Supervisor) Cores() []string { return slices.Sorted(maps.Keys(s.living())) }

// errOlder says that a core is of an agent from before this one.
var errOlder = errors.New("the core was started by an older agent; restart it to see its streams")

// Streams gives what the clients of a core do.
func (s *Supervisor) Streams(ctx context.Context, core string, order sensor.Order) (sensor.Heard, error) {
	inst := s.living()[core]
	if inst == nil {
		return sensor.Heard{}, nil
	}
	answer, err := ask(ctx, inst.dir, request{Op: opStreams, Streams: &order})
	if err == nil && answer.Streams == nil && answer.Phase != phaseStarting {
		err = errOlder
	}
	if err != nil {
		return sensor.Heard{}, fmt.Errorf("hear of the streams of a core: %w", err)
	}
	if answer.Streams == nil {
		return sensor.Heard{}, nil
	}
	return *answer.Streams, nil
}

// Drop ends the streams of a client in all cores, in one flow or in all. The client may come again.
func (s *Supervisor) Drop(ctx context.Context, clientID, flowID string) (streams, sources int, err error) {
	from := map[netip.Addr]bool{}
	for _, inst := range s.living() {
		answer, failed := ask(ctx, inst.dir, request{Op: opDrop, Drop: &dropRequest{clientID, flowID}})
		switch {
		case failed != nil:
			err = errors.Join(err, failed)
		case answer.Dropped == nil && answer.Phase != phaseStarting:
			err = errors.Join(err, errOlder)
		case answer.Dropped != nil:
			streams += len(answer.Dropped.Sources)
			for _, one := range answer.Dropped.Sources {
				from[one] = true
			}
		}
	}
	if err != nil {
		return streams, len(from), fmt.Errorf("end the streams of a client: %w", err)
	}
	return streams, len(from), nil
}

// Entrance is an inbound of the serving core whose clients come from a list, with what shows where they come from.
type Entrance struct {
	Tag      string
	Protocol string
	IP       string // empty: all addresses
	Announce bool   // whoever passes sessions on to it says where they come from
}

// Entrances are those of the configuration that is served.
func (s *Supervisor) Entrances() []Entrance {
	s.mu.Lock()
	raw := s.spec.Core
	s.mu.Unlock()
	return entrancesIn(raw)
}

func entrancesIn(raw []byte) []Entrance {
	var read struct {
		Inbounds []struct {
			Tag            string
			Listen         string
			Protocol       string
			ClientsOf      json.RawMessage `json:"clients_of"`
			StreamSettings struct {
				Sockopt struct {
					AcceptProxyProtocol bool `json:"acceptProxyProtocol"`
					TrustedForwarded    any  `json:"trustedXForwardedFor"`
				}
			}
		}
	}
	if json.Unmarshal(raw, &read) != nil {
		return nil
	}
	var all []Entrance
	for _, in := range read.Inbounds {
		if in.ClientsOf != nil && in.Tag != "" {
			socket := in.StreamSettings.Sockopt
			all = append(all, Entrance{
				Tag: in.Tag, Protocol: in.Protocol, IP: in.Listen,
				Announce: socket.AcceptProxyProtocol || socket.TrustedForwarded != nil,
			})
		}
	}
	return all
}

// Doors are what the cores that live now listen on.
func (s *Supervisor) Doors(ctx context.Context) []Door {
	var all []Door
	for _, inst := range s.living() {
		for _, door := range inst.count(ctx).Doors {
			if !slices.Contains(all, door) {
				all = append(all, door)
			}
		}
	}
	return all
}
