package targets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

const (
	usualAtOnce = 16
	// pace is the time between two first connections: what comes slowly looks less like an attack to a hoster.
	pace = 100 * time.Millisecond
	// mostStops bounds the scans whose stop came before they began.
	mostStops = 64
)

var errStopped = errors.New("the scan was stopped")

// scanner carries out scans. All of them together try at most MaxScanAtOnce targets at once.
type scanner struct {
	look  looker
	found func(agentapi.TargetFinding) error
	clock clockwork.Clock
	slots chan struct{}

	mu      sync.Mutex
	running map[string]context.CancelCauseFunc
	stopped map[string]bool
}

type looker interface {
	at(ctx context.Context, target agentapi.ScanTarget) agentapi.TargetFinding
}

func newScanner(look looker, found func(agentapi.TargetFinding) error, clock clockwork.Clock) *scanner {
	return &scanner{
		look: look, found: found, clock: clock, slots: make(chan struct{}, agentapi.MaxScanAtOnce),
		running: map[string]context.CancelCauseFunc{}, stopped: map[string]bool{},
	}
}

// do is the command scan_targets.
func (s *scanner) do(ctx context.Context, args agentapi.ScanTargetsArgs) (agentapi.ScanTargetsData, error) {
	if args.SearchID == "" {
		return agentapi.ScanTargetsData{}, badArgs("the scan has no id")
	}
	if args.Stop {
		s.stop(args.SearchID)
		return agentapi.ScanTargetsData{Stopped: true}, nil
	}
	if err := check(args); err != nil {
		return agentapi.ScanTargetsData{}, err
	}
	ctx, leave := s.enter(ctx, args.SearchID)
	defer leave()
	scanned, err := s.scan(ctx, args)
	data := agentapi.ScanTargetsData{Scanned: scanned}
	if errors.Is(context.Cause(ctx), errStopped) {
		data.Stopped = true
		return data, nil
	}
	return data, err
}

func badArgs(why string) error { return part.Coded(agentapi.CodeBadArgs, errors.New(why)) }

func check(args agentapi.ScanTargetsArgs) error {
	switch {
	case len(args.Targets) == 0 || len(args.Targets) > agentapi.MaxScanTargets:
		return badArgs(fmt.Sprintf("a scan has 1 to %d targets", agentapi.MaxScanTargets))
	case args.Concurrency < 0 || args.Concurrency > agentapi.MaxScanAtOnce:
		return badArgs(fmt.Sprintf("at most %d targets are tried at once", agentapi.MaxScanAtOnce))
	case args.Seconds < 0 || args.Seconds > agentapi.MaxScanSeconds:
		return badArgs(fmt.Sprintf("a target has at most %d seconds", agentapi.MaxScanSeconds))
	}
	for _, t := range args.Targets {
		if t.Host == "" || t.Port < 1 || t.Port > 65535 {
			return badArgs("a target has no host or no port")
		}
	}
	return nil
}

// enter lets stop end the scan; one that was stopped before it began ends at once.
func (s *scanner) enter(ctx context.Context, id string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped[id] {
		cancel(errStopped)
	}
	delete(s.stopped, id)
	s.running[id] = cancel
	return ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, id)
		cancel(nil)
	}
}

func (s *scanner) stop(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel, runs := s.running[id]; runs {
		cancel(errStopped)
		return
	}
	if len(s.stopped) >= mostStops {
		clear(s.stopped)
	}
	s.stopped[id] = true
}

// scan tries the targets one after the other, some at once, and says how many findings are on the disk.
func (s *scanner) scan(ctx context.Context, args agentapi.ScanTargetsArgs) (scanned int, err error) {
	limit := time.Duration(cmp.Or(args.Seconds, agentapi.MaxScanSeconds)) * time.Second
	own := make(chan struct{}, cmp.Or(args.Concurrency, usualAtOnce))
	var mu sync.Mutex
	var all sync.WaitGroup
	for number, target := range args.Targets {
		if !s.turn(ctx, own, number) {
			break
		}
		all.Go(func() {
			defer func() { <-s.slots; <-own }()
			failed := s.one(ctx, args.SearchID, number, target, limit)
			mu.Lock()
			defer mu.Unlock()
			if failed != nil {
				err = failed
				return
			}
			scanned++
		})
	}
	all.Wait()
	return scanned, cmp.Or(ctx.Err(), err)
}

// turn waits until the next target may be tried; false when the scan has ended.
func (s *scanner) turn(ctx context.Context, own chan struct{}, number int) bool {
	if number > 0 {
		select {
		case <-ctx.Done():
			return false
		case <-s.clock.After(pace):
		}
	}
	for _, slots := range []chan struct{}{own, s.slots} {
		select {
		case <-ctx.Done():
			return false
		case slots <- struct{}{}:
		}
	}
	return true
}

// one tries a target. What a scan that has ended was just looking at says nothing about the target.
func (s *scanner) one(
	ctx context.Context, search string, number int, target agentapi.ScanTarget, limit time.Duration,
) error {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	finding := s.look.at(limited, target)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	finding.SearchID, finding.Number = search, number
	return s.found(finding)
}
