package core

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"panel/cmd/panel-agent/internal/core/sensor"
	"panel/platform/agentapi"
)

// Files of one core process, in a folder of its own.
const (
	fileConfig   = "config.json"
	fileMeta     = "meta.json"
	fileLog      = "core.log"
	fileCounters = "counters.json"
	fileSocket   = "control.sock"
	fileAlive    = "alive.lock"
	fileLimits   = "limits.json"
	filePools    = "pools.json"   // of all cores: what the panel says
	fileMembers  = "members.json" // of all cores: what is known of the members of pools
)

const controlTimeout = 4 * time.Second

// mostAsked is the largest request: the limits of all clients of a node.
const mostAsked = 64 << 20

// Meta says what a core process was started for; a later agent reads it to take the process over.
type Meta struct {
	ID        string    `json:"id"`
	Revision  int64     `json:"revision"`
	Hash      string    `json:"hash"`
	StartedAt time.Time `json:"started_at"`
}

// phase is where a core process is in its life.
type phase string

const (
	phaseStarting phase = "starting"
	phaseReady    phase = "ready"
	phaseDraining phase = "draining"
)

// request is one JSON line to a core process.
type request struct {
	// Op is status, counters, drain, stop, watch, certificates, assets, clients, limits, pools, streams or drop.
	Op           string `json:"op"`
	DrainSeconds int    `json:"drain_seconds,omitempty"`

	Limits  *limitsRequest           `json:"limits,omitempty"`
	Changes []agentapi.ClientChanges `json:"changes,omitempty"` // of clients; none: all lists are to be read
	Pools   *poolsRequest            `json:"pools,omitempty"`
	Streams *sensor.Order            `json:"streams,omitempty"`
	Drop    *dropRequest             `json:"drop,omitempty"`
}

// reply is one JSON line back.
type reply struct {
	PID      int              `json:"pid"`
	Phase    phase            `json:"phase"`
	Open     int              `json:"open"`
	Counters map[string]int64 `json:"counters,omitempty"`
	Doors    []Door           `json:"doors"` // null: a core of an older agent, which counts less

	Exchanged bool   `json:"exchanged,omitempty"` // what the node holds is in use: certificates, or geo files
	Error     string `json:"error,omitempty"`     // why it is not

	Clients *clientsAnswer `json:"clients,omitempty"` // null: a core of an older agent, which knows no lists
	Limits  *limitsAnswer  `json:"limits,omitempty"`  // null: one that knows no limits
	Pools   *poolsAnswer   `json:"pools,omitempty"`   // null: one that knows no pools
	Streams *sensor.Heard  `json:"streams,omitempty"` // null: one that listens to no streams
	Dropped *dropAnswer    `json:"dropped,omitempty"` // null: one that ends none
}

// clientsAnswer is what became of the lists of clients in a core.
type clientsAnswer struct {
	Behind bool   `json:"behind,omitempty"` // only another core process would let in all of them
	Error  string `json:"error,omitempty"`
	Logs   bool   `json:"logs,omitempty"` // the core reads lists that come by their changes
}

// poolsRequest has a core read again what the panel says about pools, or asks for its reports after a number.
type poolsRequest struct {
	Read  bool  `json:"read,omitempty"`
	After int64 `json:"after,omitempty"`
}

// poolsAnswer is what a core has to say about its pools.
type poolsAnswer struct {
	Error   string                `json:"error,omitempty"`
	Reports []agentapi.PoolReport `json:"reports,omitempty"`
}

// limitsRequest says up to which count of the core clients may carry on, by their ids.
type limitsRequest struct {
	All    bool             `json:"all,omitempty"` // nobody else has a limit
	Limits map[string]int64 `json:"limits,omitempty"`
	Gone   []string         `json:"gone,omitempty"` // have none any more
}

// limitsAnswer is what became of limits in a core.
type limitsAnswer struct {
	Error string `json:"error,omitempty"`
}

// socketAddress gives a path that fits into a socket address however deep the folder is.
func socketAddress(dir string) (string, func(), error) {
	plain := filepath.Join(dir, fileSocket)
	if len(plain) < 100 {
		return plain, func() {}, nil
	}
	handle, err := os.Open(dir)
	if err != nil {
		return "", nil, fmt.Errorf("open the folder of a core: %w", err)
	}
	path := "/proc/self/fd/" + strconv.Itoa(int(handle.Fd())) + "/" + fileSocket
	return path, func() { _ = handle.Close() }, nil
}

func dialControl(ctx context.Context, dir string) (net.Conn, error) {
	path, release, err := socketAddress(dir)
	if err != nil {
		return nil, err
	}
	defer release()
	conn, err := (&net.Dialer{Timeout: controlTimeout}).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("reach the core process: %w", err)
	}
	return conn, nil
}

// ask sends one request and reads its reply, within controlTimeout.
func ask(ctx context.Context, dir string, what request) (reply, error) {
	conn, err := dialControl(ctx, dir)
	if err != nil {
		return reply{}, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(controlTimeout)); err != nil {
		return reply{}, fmt.Errorf("ask the core process: %w", err)
	}
	var answer reply
	if err := json.NewEncoder(conn).Encode(what); err != nil {
		return reply{}, fmt.Errorf("ask the core process: %w", err)
	}
	if err := json.NewDecoder(conn).Decode(&answer); err != nil {
		return reply{}, fmt.Errorf("ask the core process: %w", err)
	}
	return answer, nil
}

// awaitDeath returns when the process behind conn has ended: it never sends anything on such a connection.
func awaitDeath(conn net.Conn) {
	_, _ = io.Copy(io.Discard, conn)
	_ = conn.Close()
}
