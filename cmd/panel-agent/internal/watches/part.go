// Package watches is the part of the agent that looks at other nodes, and at what this one reaches, by itself: the
// panel says once what to look at and how often, and gets the results in batches.
package watches

import (
	"context"
	"encoding/json"
	"errors"
	"net"

	"panel/cmd/panel-agent/internal/documents"
	"panel/cmd/panel-agent/internal/part"
	"panel/cmd/panel-agent/internal/reach"
	"panel/platform/agentapi"
	"panel/platform/probing"
)

// Part is the manifest.
var Part = part.Part{
	Name:      "watches",
	Documents: []agentapi.DocumentName{agentapi.DocumentWatches},
	Batches:   []agentapi.BatchKind{agentapi.BatchHealth},
	Open:      open,
}

func open(env *part.Env) (*part.Live, error) {
	stream, err := env.Batches(agentapi.BatchHealth)
	if err != nil {
		return nil, err
	}
	allowed, err := reach.FromEnvironment()
	if err != nil {
		return nil, err
	}
	prober := &probing.Prober{
		Dial:       (&net.Dialer{}).DialContext,
		DialPublic: (&net.Dialer{Control: allowed.Guard}).DialContext,
		Lookup:     net.DefaultResolver.LookupHost,
		Now:        env.Clock.Now,
		Forbidden:  func(err error) bool { return errors.Is(err, reach.ErrInside) },
	}
	w := newWatcher(prober.Look, stream.Add, env.Skew, env.Clock, env.Log)
	return &part.Live{
		Documents: []documents.Document{{Name: agentapi.DocumentWatches, Apply: w.apply}},
		Loops:     []func(context.Context){w.run},
	}, nil
}

// apply takes what to look at. What cannot be used is refused as a whole, and what was there before stays.
func (w *watcher) apply(_ context.Context, content json.RawMessage) error {
	var wanted agentapi.Watches
	if json.Unmarshal(content, &wanted) != nil {
		return documents.Refuse(errors.New("read the watches: they are no JSON of the expected form"))
	}
	if err := wanted.Check(); err != nil {
		return documents.Refuse(err)
	}
	w.set(wanted.Watches)
	return nil
}
