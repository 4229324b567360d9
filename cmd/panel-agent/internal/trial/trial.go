// Package trial is a part of the agent for tests: it holds two documents, carries out a command and sends numbers, and
// writes down what it does in a folder that tests read.
package trial

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/batches"
	"panel/cmd/panel-agent/internal/disk"
	"panel/cmd/panel-agent/internal/documents"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// Part is the manifest.
var Part = part.Part{
	Name:      "trial",
	Documents: []agentapi.DocumentName{agentapi.DocumentBlocks, agentapi.DocumentAssets},
	Commands:  []agentapi.CommandKind{agentapi.BlockIPs},
	Batches:   []agentapi.BatchKind{"trial_numbers"},
	Open:      open,
}

// Texts that a document may hold to make it fail.
const (
	refused = "refuse this"
	broken  = "fail at this"
)

const pace = 20 * time.Millisecond

type live struct {
	dir     string
	numbers *batches.Stream
	env     *part.Env
}

func open(env *part.Env) (*part.Live, error) {
	l := &live{dir: env.Folder("trial"), env: env}
	var err error
	if l.numbers, err = env.Batches("trial_numbers"); err != nil {
		return nil, err
	}
	return &part.Live{
		Documents: []documents.Document{
			{Name: agentapi.DocumentBlocks, Apply: l.applying("blocks")},
			{Name: agentapi.DocumentAssets, Apply: l.applying("assets")},
		},
		Commands: map[agentapi.CommandKind]part.Handler{agentapi.BlockIPs: part.Handle(l.block)},
		Boot:     func(context.Context) error { return os.MkdirAll(l.dir, 0o700) },
		Loops:    []func(context.Context){l.count},
	}, nil
}

// applying writes a document's text into a file of its name.
func (l *live) applying(name string) func(context.Context, json.RawMessage) error {
	return func(_ context.Context, content json.RawMessage) error {
		var text string
		if err := json.Unmarshal(content, &text); err != nil {
			return documents.Refuse(err)
		}
		switch text {
		case refused:
			return documents.Refuse(errors.New("the text cannot be applied"))
		case broken:
			return errors.New("the text could not be applied")
		}
		return disk.WriteFile(filepath.Join(l.dir, name), []byte(text))
	}
}

type blocked struct {
	Blocked int `json:"blocked"`
}

func (l *live) block(_ context.Context, args agentapi.BlockIPsArgs) (blocked, error) {
	return blocked{len(args.IPs)}, disk.WriteJSON(filepath.Join(l.dir, "blocked"), args.IPs)
}

// count sends each number once, from 1; the last one is durable together with it.
func (l *live) count(ctx context.Context) {
	last, _ := strconv.ParseInt(string(l.numbers.Bases()), 10, 64)
	tick := l.env.Clock.NewTicker(pace)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.Chan():
		}
		if err := l.numbers.AddAt(json.RawMessage(strconv.FormatInt(last+1, 10)), last+1); err != nil {
			l.env.Log.Error("a number could not be written down", zap.Error(err))
			continue
		}
		last++
	}
}
