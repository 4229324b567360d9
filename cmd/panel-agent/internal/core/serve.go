package core

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/xtls/xray-core/app/stats"
	xray "github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/features/inbound"
	featstats "github.com/xtls/xray-core/features/stats"
	"golang.org/x/sys/unix"

	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
)

const (
	keepPause  = 2 * time.Second        // between readings of counters, log size and open streams
	drainPoll  = 200 * time.Millisecond // between checks while draining
	quietLooks = 3                      // the kernel's table may miss a socket while it changes
	logLimit   = 1 << 20
	logKept    = 256 << 10
)

// server is the inside of a core process.
type server struct {
	dir      string
	instance *xray.Instance
	counters *stats.Manager
	doors    []Door
	entrance *entrance
	roster   *roster
	pools    *pools
	mu       sync.Mutex
	phase    phase
	drain    chan time.Duration
	stop     chan struct{}
	stopOnce sync.Once
	ended    chan struct{} // closed with the core
	reroutes atomic.Int64  // so often its rules were made anew
}

// Serve is the whole life of a core process: it reads its folder, listens, and ends at a signal or when it has
// drained. It does not care whether an agent is there. What goes wrong is printed for the agent to find in the log
// file.
func Serve(dir string) error {
	s := &server{dir: dir, phase: phaseStarting, drain: make(chan time.Duration, 1), stop: make(chan struct{})}
	s.ended = make(chan struct{})
	defer close(s.ended)
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	guardPrivate()
	listener, err := s.listenControl()
	if err != nil {
		return err
	}
	defer listener.Close()
	go s.answer(listener)
	if err := s.start(); err != nil {
		return err
	}
	defer s.instance.Close()
	return s.live()
}

func (s *server) listenControl() (net.Listener, error) {
	path, release, err := socketAddress(s.dir)
	if err != nil {
		return nil, err
	}
	defer release()
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("open the control socket: %w", err)
	}
	return listener, nil
}

func (s *server) start() error {
	raw, err := os.ReadFile(filepath.Join(s.dir, fileConfig))
	if err != nil {
		return fmt.Errorf("read the core configuration: %w", err)
	}
	held, err := readCertificates(filepath.Dir(s.dir))
	if err != nil {
		return err
	}
	s.roster = newRoster(raw, filepath.Dir(s.dir), readLimits(s.dir))
	config, err := build(raw, held, s.roster.held)
	if err != nil {
		return err
	}
	if s.doors, err = doors(config); err != nil {
		return err
	}
	s.entrance = newEntrance(raw, filepath.Dir(s.dir), s.roster)
	own := s.entrance.take(config)
	if s.instance, err = xray.New(admitting(config)); err != nil {
		return fmt.Errorf("make the core: %w", err)
	}
	s.roster.attach(s.instance)
	if s.pools, err = newPools(raw, s.dir, s.instance); err != nil {
		return err
	}
	if err := s.entrance.fill(s.instance, own, held); err != nil {
		return err
	}
	return s.open(config)
}

func (s *server) open(config *xray.Config) error {
	if err := warm(context.Background(), config, filepath.Dir(s.dir)); err != nil {
		fmt.Fprintln(os.Stderr, "warm up REALITY:", err)
	}
	if err := s.instance.Start(); err != nil {
		return fmt.Errorf("start the core: %w", err)
	}
	steerToNewest()
	s.counters, _ = s.instance.GetFeature(featstats.ManagerType()).(*stats.Manager)
	go s.roster.watch(s.ended)
	go s.pools.run(s.ended)
	s.enter(phaseReady)
	return nil
}

func (s *server) live() error {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	tick := time.NewTicker(keepPause)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.keepHouse()
		case limit := <-s.drain:
			return s.drainOut(limit)
		case <-ended:
			return s.saveCounters()
		case <-s.stop:
			return s.saveCounters()
		}
	}
}

// keepHouse leaves counters behind for the case of a crash, and bounds the log.
func (s *server) keepHouse() {
	if err := s.saveCounters(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	path := filepath.Join(s.dir, fileLog)
	if info, err := os.Stat(path); err == nil && info.Size() > logLimit {
		tail := disk.Tail(path, logKept)
		_ = os.Truncate(path, 0)
		_, _ = os.Stderr.WriteString(tail)
	}
}

// drainOut closes the listeners and ends when no stream is open any more, at the latest after limit.
func (s *server) drainOut(limit time.Duration) error {
	s.enter(phaseDraining)
	s.pools.rest()
	s.closeInbounds()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	poll := time.NewTicker(drainPoll)
	defer poll.Stop()
	for quiet := 0; quiet < quietLooks; {
		if quiet++; openStreams(s.doors) > 0 {
			quiet = 0
		}
		select {
		case <-poll.C:
		case <-s.stop:
			return s.saveCounters()
		case <-deadline.C:
			return s.saveCounters()
		}
	}
	return s.saveCounters()
}

func (s *server) closeInbounds() {
	manager, ok := s.instance.GetFeature(inbound.ManagerType()).(inbound.Manager)
	if !ok {
		return
	}
	for _, handler := range manager.ListHandlers(context.Background()) {
		if err := handler.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "close an inbound:", err)
		}
	}
}

// exchange makes the inbounds show the certificates that the node holds now.
func (s *server) exchange(at phase) (done bool, problem string) {
	if at != phaseReady {
		return false, "the core drains and accepts nothing any more"
	}
	if err := s.entrance.exchange(); err != nil {
		return false, err.Error()
	}
	return true, ""
}

// mostReroutes is how often a core makes its rules anew: it keeps all lists of networks that it ever had.
const mostReroutes = 16

// reroute makes the rules of the core anew from its configuration and the geo files that the node holds now. A core
// that drains begins no streams. After many times another core is due, which takes over.
func (s *server) reroute() (done bool, problem string) {
	if s.reroutes.Add(1) > mostReroutes {
		return false, ""
	}
	raw, err := os.ReadFile(filepath.Join(s.dir, fileConfig))
	if err != nil {
		return false, err.Error()
	}
	if err := exchangeRules(s.instance, raw); err != nil {
		return false, err.Error()
	}
	return true, ""
}

// follow has the core let in whom the lists of the node name. One that drains lets in nobody, and need not be
// exchanged.
func (s *server) follow(at phase, changes []agentapi.ClientChanges) *clientsAnswer {
	behind, err := s.roster.follow(changes)
	answer := &clientsAnswer{Behind: behind && at == phaseReady, Logs: true}
	if err != nil {
		answer.Error = err.Error()
	}
	return answer
}

// limit takes limits of clients.
func (s *server) limit(to *limitsRequest) *limitsAnswer {
	if err := s.roster.limit(to); err != nil {
		return &limitsAnswer{Error: err.Error()}
	}
	return &limitsAnswer{}
}

func (s *server) saveCounters() error {
	raw, err := json.Marshal(s.count())
	if err != nil {
		return fmt.Errorf("save the counters: %w", err)
	}
	path := filepath.Join(s.dir, fileCounters)
	err = errors.Join(os.WriteFile(path+".new", raw, 0o600), os.Rename(path+".new", path))
	if err != nil {
		return fmt.Errorf("save the counters: %w", err)
	}
	return nil
}

func (s *server) count() map[string]int64 {
	found := map[string]int64{}
	if s.counters == nil {
		return found
	}
	s.counters.VisitCounters(func(name string, counter featstats.Counter) bool {
		if value := counter.Value(); value > 0 {
			found[name] = value
		}
		return true
	})
	return found
}

func (s *server) enter(next phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = next
}

func (s *server) current() phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase
}

func (s *server) answer(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go s.converse(conn)
	}
}

func (s *server) converse(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, mostAsked)
	for lines.Scan() {
		var asked request
		if json.Unmarshal(lines.Bytes(), &asked) != nil {
			return
		}
		if asked.Op == "watch" {
			continue // the agent only wants to see this connection end
		}
		if json.NewEncoder(conn).Encode(s.reply(asked)) != nil {
			return
		}
		s.obey(asked)
	}
}

func (s *server) reply(asked request) reply {
	answer := reply{PID: os.Getpid(), Phase: s.current()}
	switch {
	case answer.Phase == phaseStarting:
	case asked.Op == opCertificates:
		answer.Exchanged, answer.Error = s.exchange(answer.Phase)
	case asked.Op == opAssets:
		answer.Exchanged, answer.Error = s.reroute()
	case asked.Op == opClients:
		answer.Clients = s.follow(answer.Phase, asked.Changes)
	case asked.Op == opLimits && asked.Limits != nil:
		answer.Limits = s.limit(asked.Limits)
	case asked.Op == opPools && asked.Pools != nil:
		answer.Pools = s.pools.answer(asked.Pools)
	case asked.Op == opStreams && asked.Streams != nil:
		answer.Streams = s.roster.hear(*asked.Streams)
	case asked.Op == opDrop && asked.Drop != nil:
		answer.Dropped = s.roster.drop(asked.Drop)
	case asked.Op == "counters":
		answer.Counters, answer.Doors = s.count(), s.doors
	case asked.Op == "status" && answer.Phase == phaseDraining:
		answer.Open = openStreams(s.doors)
	}
	return answer
}

func (s *server) obey(asked request) {
	switch asked.Op {
	case "drain":
		select {
		case s.drain <- time.Duration(asked.DrainSeconds) * time.Second:
		default:
		}
	case "stop":
		s.stopOnce.Do(func() { close(s.stop) })
	}
}

// Two cores share a port while one takes over from the other. Left alone, the kernel spreads new connections over
// both, and those still queued at the old listener are reset when it closes. This program makes the kernel pick socket
// 1 of the group, which is the newer one; with a single socket the index is out of range and the kernel takes that
// one. So the old listener gets nothing new from the moment the new one listens, and closing it later loses nothing.
var pickNewer = []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: 1}}

// steerToNewest applies pickNewer to every listener of this process. It comes after listening: the kernel lets a socket
// that has a program already not join the group of a port. A kernel that refuses it leaves plain sharing.
func steerToNewest() {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil {
			attachPicker(fd)
		}
	}
}

func attachPicker(fd int) {
	if reuse, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT); err != nil || reuse == 0 {
		return
	}
	program := unix.SockFprog{Len: uint16(len(pickNewer)), Filter: &pickNewer[0]}
	_, _, _ = syscall.Syscall6(syscall.SYS_SETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_ATTACH_REUSEPORT_CBPF,
		uintptr(unsafe.Pointer(&program)), unsafe.Sizeof(program), 0)
	runtime.KeepAlive(&program)
}
