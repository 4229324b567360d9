// Package abuse is the part of the agent that looks for harm among the streams of clients, and counts from where they
// are connected. The cores tell of each stream; what is found goes to the panel as numbers and salted hashes, and a
// record of connections stays on the node.
package abuse

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"panel/cmd/panel-agent/internal/abuse/places"
	"panel/cmd/panel-agent/internal/abuse/record"
	"panel/cmd/panel-agent/internal/documents"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// Part is the manifest.
var Part = part.Part{
	Name:      "abuse",
	Documents: []agentapi.DocumentName{agentapi.DocumentAbuse},
	Commands:  []agentapi.CommandKind{agentapi.DropSessions, agentapi.FindConnections},
	Open:      open,
}

func open(env *part.Env) (*part.Live, error) {
	where := places.In(env.Folder("assets"), env.Clock)
	w := newWatcher(env.Core, where, env.Skew, env.Clock, env.Log)
	kept, err := record.Open(filepath.Join(env.Folder("abuse"), "record"))
	if err != nil {
		return nil, err
	}
	w.record = kept
	signals := paced(env.Clock, w.takes, w.blockedNow, overLink[agentapi.AbuseBatch](env.Panel.AbuseSignals, signalsOf))
	if w.signals, err = env.Stream(filepath.Join(env.Folder("abuse"), "signals"), signals); err != nil {
		return nil, err
	}
	diversity := paced(env.Clock, w.takes, w.blockedNow,
		overLink[agentapi.DiversityBatch](env.Panel.SessionDiversity, diversityOf))
	if w.diversity, err = env.Stream(filepath.Join(env.Folder("abuse"), "diversity"), diversity); err != nil {
		return nil, err
	}
	w.resume()
	return &part.Live{
		Documents: []documents.Document{{Name: agentapi.DocumentAbuse, Apply: w.apply}},
		Commands: map[agentapi.CommandKind]part.Handler{
			agentapi.DropSessions:    part.Handle(drop(env.Core)),
			agentapi.FindConnections: part.Handle(finder(kept, env.Skew)),
		},
		Loops: []func(context.Context){w.run},
		Close: func(ctx context.Context, _ bool) error { w.last(ctx); return kept.Close() },
	}, nil
}

// apply takes what is to be looked for.
func (w *watcher) apply(_ context.Context, content json.RawMessage) error {
	var watch agentapi.AbuseWatch
	if json.Unmarshal(content, &watch) != nil { // its text would quote the content, which holds the salt
		return documents.Refuse(errors.New("read what to look for: it is no JSON of the expected form"))
	}
	if err := check(&watch); err != nil {
		return documents.Refuse(err)
	}
	return w.take(&watch)
}

// Bounds of what a panel may ask for.
const (
	mostHours = 31 * 24
	mostMB    = 64 << 10
	mostHosts = 100_000
	leastSalt = 16
)

func check(watch *agentapi.AbuseWatch) error {
	record := watch.Record
	switch {
	case watch.Collect && len(watch.Salt) < leastSalt:
		return errors.New("read what to look for: the salt is too short to hide addresses")
	case record.Hours < 0, record.Hours > mostHours, record.MB < 0, record.MB > mostMB:
		return errors.New("read what to look for: the record is to be of a size that no node keeps")
	case len(watch.Hosts) > mostHosts:
		return errors.New("read what to look for: there are too many hosts")
	}
	return nil
}
