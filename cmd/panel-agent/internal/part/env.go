package part

import (
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/batches"
	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/link"
	"panel/cmd/panel-agent/internal/sockets"
	"panel/platform/agentapi"
)

// Lines gives the newest lines of a log, oldest first.
type Lines interface{ Last(count int) []string }

// Env is what a part finds around it.
type Env struct {
	DataDir    string
	Executable string // the agent's own
	Version    string
	Build      string // digest of this build after an update; empty: the installed program
	UpdateKeys string // keys that updates are checked with, where they were built in
	Sampling   time.Duration

	Clock   clockwork.Clock
	Log     *zap.Logger
	Panel   *link.Client
	HTTP    *http.Client // of the panel: its trusted roots and limits
	Core    *core.Supervisor
	Sockets *sockets.Lister
	Lines   Lines // of the agent's own log

	// Skew is what the panel's clock says more than this one, as far as it is known.
	Skew func() time.Duration
	// Changed asks for a heartbeat soon: something that it reports has changed.
	Changed func()
	// Leave ends the agent for another build and leaves the cores serving; nil: updates are not for this agent.
	Leave func()

	crashLoop func(crashed core.Meta, words string)
	release   []func(l4 string, port int)
	streams   []*batches.Stream
	kinds     map[agentapi.BatchKind]bool
}

// Folder is where the part may write; nothing else writes there.
func (e *Env) Folder(name string) string { return filepath.Join(e.DataDir, name) }

// Batches opens the stream of a kind; the agent delivers and closes it.
func (e *Env) Batches(kind agentapi.BatchKind) (*batches.Stream, error) {
	if e.kinds[kind] {
		return nil, fmt.Errorf("send batches of %s: another part of the agent sends them", kind)
	}
	if e.kinds == nil {
		e.kinds = map[agentapi.BatchKind]bool{}
	}
	e.kinds[kind] = true
	return e.Stream(filepath.Join(e.Folder("batches"), string(kind)), batches.OverLink(e.Panel, kind))
}

// Stream opens a stream with its own way to the panel; the agent delivers and closes it.
func (e *Env) Stream(dir string, send batches.Send) (*batches.Stream, error) {
	stream, err := batches.Open(batches.Options{Dir: dir, Send: send, Clock: e.Clock, Log: e.Log.Named("batches")})
	if err != nil {
		return nil, err
	}
	e.streams = append(e.streams, stream)
	return stream, nil
}

// Streams gives all streams that parts have opened.
func (e *Env) Streams() []*batches.Stream { return e.streams }

// OnCrashLoop takes the one who reacts to a configuration with which the core keeps crashing.
func (e *Env) OnCrashLoop(react func(crashed core.Meta, words string)) { e.crashLoop = react }

// CrashLoop is called by the supervisor of the core.
func (e *Env) CrashLoop(crashed core.Meta, words string) {
	if e.crashLoop != nil {
		e.crashLoop(crashed, words)
	}
}

// OnRelease takes one who holds sockets for a while and gives them back when the core needs them.
func (e *Env) OnRelease(release func(l4 string, port int)) { e.release = append(e.release, release) }

// Release frees a port that the core is about to listen on.
func (e *Env) Release(l4 string, port int) {
	for _, release := range e.release {
		release(l4, port)
	}
}
