// Package part is the contract between the agent and what it can do: a part is one concern with its documents,
// commands and batches, in a folder of its own, and stands in the list of package parts.
package part

import (
	"context"
	"fmt"
	"slices"

	"panel/cmd/panel-agent/internal/documents"
	"panel/platform/agentapi"
)

// Part is the manifest of a part. What it names here is what the agent reports that it can do.
type Part struct {
	// Name is the one word for the part in logs and folders.
	Name string
	// Documents that Open must give an Apply for.
	Documents []agentapi.DocumentName
	// Commands that Open must give a Handler for. A kind belongs to one part.
	Commands []agentapi.CommandKind
	// Once are those of the Commands that must not begin again after a crash; they end with CodeInterrupted.
	Once []agentapi.CommandKind
	// Batches that the part sends through Env.Batches.
	Batches []agentapi.BatchKind
	// Capabilities beside those of documents, commands and batches.
	Capabilities []agentapi.Capability
	// Open makes the part. Parts are opened in the sequence of the list, before anything runs.
	Open func(*Env) (*Live, error)
}

// Live is a part at work. An empty field means "none".
type Live struct {
	Documents []documents.Document
	Commands  map[agentapi.CommandKind]Handler

	// Desired takes the configuration that the panel wants; it must be quick.
	Desired func(agentapi.Desired)
	// Hello adds to the opening of a stream, Heartbeat to each heartbeat.
	Hello     func(*agentapi.Hello)
	Heartbeat func(context.Context, *agentapi.Heartbeat)
	// Answered sees what the panel answered to a heartbeat.
	Answered func(agentapi.HeartbeatReply)

	// Boot runs before anything else, and needs no panel. An error is logged and stops nothing.
	Boot func(context.Context) error
	// Loops run until their context ends.
	Loops []func(context.Context)
	// Close runs after the loops have ended, in the sequence of the list. With leave, what serves goes on serving.
	Close func(ctx context.Context, leave bool) error
}

// Capabilities lists what an agent of these parts can do, each once and in one order.
func Capabilities(parts []Part) []agentapi.Capability {
	all := []agentapi.Capability{agentapi.CanStream}
	for _, p := range parts {
		for _, d := range p.Documents {
			all = append(all, d.Capability())
		}
		for _, k := range p.Commands {
			all = append(all, k.Capability())
		}
		for _, b := range p.Batches {
			all = append(all, b.Capability())
		}
		all = append(all, p.Capabilities...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Open opens a part and checks that it does what its manifest names, no more and no less.
func Open(p Part, env *Env) (*Live, error) {
	live, err := p.Open(env)
	if err != nil {
		return nil, fmt.Errorf("open the part %s: %w", p.Name, err)
	}
	applied := make([]agentapi.DocumentName, len(live.Documents))
	for i, d := range live.Documents {
		applied[i] = d.Name
	}
	handled := make([]agentapi.CommandKind, 0, len(live.Commands))
	for kind := range live.Commands {
		if !kind.Known() {
			return nil, fmt.Errorf("open the part %s: the command %s is not in the closed list", p.Name, kind)
		}
		handled = append(handled, kind)
	}
	if !same(applied, p.Documents) || !same(handled, p.Commands) {
		return nil, fmt.Errorf("open the part %s: its documents or commands are not those of its manifest", p.Name)
	}
	return live, nil
}

func same[T ~string](a, b []T) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
