package artefact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
)

const (
	chunkBytes = 1 << 20
	ahead      = 4 // chunks that a fast destination may be ahead of the slowest
	look       = 250 * time.Millisecond
)

// lane brings parts to one destination. It has a goroutine of its own, so that a slow one holds the others only as long
// as its queue and the stall allow.
type lane struct {
	target Target
	clock  clockwork.Clock
	ctx    context.Context //nolint:containedctx // it ends this lane alone
	cancel context.CancelCauseFunc
	queue  chan message
	done   chan struct{} // closed when the goroutine has ended
	moved  atomic.Int64  // when it last took or sent something, in nanoseconds
	bytes  atomic.Int64
	mu     sync.Mutex
	files  []string // that were begun
	err    error
}

// message is one step of a stream: a file begins, goes on, or ends.
type message struct {
	begin string
	data  []byte
	end   bool
}

func newLane(ctx context.Context, target Target, clock clockwork.Clock) *lane {
	l := &lane{target: target, clock: clock, queue: make(chan message, ahead), done: make(chan struct{})}
	ctx, l.cancel = context.WithCancelCause(ctx)
	l.ctx = context.WithValue(ctx, moving{}, l.touch)
	l.touch()
	go l.run()
	return l
}

func (l *lane) touch() { l.moved.Store(l.clock.Now().UnixNano()) }

func (l *lane) run() {
	defer close(l.done)
	for {
		m, more, err := l.next()
		if err == nil && more {
			err = l.put(m.begin)
		}
		if err != nil {
			l.fail(err)
			return
		}
		if !more {
			return
		}
	}
}

// next waits for a message; more is false at the end of all.
func (l *lane) next() (m message, more bool, err error) {
	select {
	case m, more = <-l.queue:
		l.touch()
		return m, more, nil
	case <-l.ctx.Done():
		return m, false, context.Cause(l.ctx)
	}
}

var errShort = errors.New("the destination took a part of the file and said that it was all")

// begins remembers a file, so that it can be taken away if the destination fails.
func (l *lane) begins(file string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files = append(l.files, file)
}

// begun are the files that were begun, the newest first.
func (l *lane) begun() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	files := slices.Clone(l.files)
	slices.Reverse(files)
	return files
}

func (l *lane) put(file string) error {
	l.begins(file)
	content := &laneReader{lane: l}
	if err := l.target.Put(l.ctx, file, content); err != nil {
		if cause := context.Cause(l.ctx); cause != nil {
			return cause
		}
		return err
	}
	if !content.ended {
		return errShort
	}
	return nil
}

// fail keeps the first reason.
func (l *lane) fail(err error) {
	l.mu.Lock()
	if l.err == nil {
		l.err = err
	}
	l.mu.Unlock()
	l.cancel(err)
}

func (l *lane) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// laneReader gives a destination the content of one file.
type laneReader struct {
	lane  *lane
	rest  []byte
	ended bool
}

// Read ends with io.EOF only where the file ended: a stream that broke off is an error, and so nothing is kept of it.
func (r *laneReader) Read(into []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.ended {
			return 0, io.EOF
		}
		m, more, err := r.lane.next()
		switch {
		case err != nil:
			return 0, err
		case !more:
			return 0, io.ErrUnexpectedEOF
		case m.end:
			r.ended = true
		default:
			r.rest = m.data
		}
	}
	n := copy(into, r.rest)
	r.rest = r.rest[n:]
	r.lane.bytes.Add(int64(n))
	r.lane.touch()
	return n, nil
}

// lanes hand one stream to all destinations.
type lanes struct {
	all   []*lane
	clock clockwork.Clock
	stall time.Duration
}

func newLanes(ctx context.Context, targets []Target, clock clockwork.Clock, stall time.Duration) *lanes {
	l := &lanes{clock: clock, stall: stall}
	for _, target := range targets {
		l.all = append(l.all, newLane(ctx, target, clock))
	}
	return l
}

var errNoneLeft = errors.New("no destination takes the backup")

// send gives a message to every destination that still takes part, and gives up one that stalls.
func (l *lanes) send(ctx context.Context, m message) error {
	left := false
	for _, one := range l.all {
		left = l.sendTo(ctx, one, m) || left
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !left {
		return errNoneLeft
	}
	return nil
}

func (l *lanes) sendTo(ctx context.Context, one *lane, m message) bool {
	if one.ctx.Err() != nil {
		return false
	}
	for {
		timer := l.clock.NewTimer(look)
		select {
		case one.queue <- m:
			timer.Stop()
			return true
		case <-one.ctx.Done():
			timer.Stop()
			return false
		case <-ctx.Done():
			timer.Stop()
			return false
		case <-timer.Chan():
			l.judge(one)
		}
	}
}

// judge gives up a destination that took nothing for too long.
func (l *lanes) judge(one *lane) {
	if l.clock.Now().Sub(time.Unix(0, one.moved.Load())) >= l.stall {
		one.fail(fmt.Errorf("%w (%s)", ErrStalled, l.stall))
	}
}

// finish waits until every destination has everything or has failed.
func (l *lanes) finish(ctx context.Context) {
	for _, one := range l.all {
		close(one.queue)
	}
	for _, one := range l.all {
		l.await(ctx, one)
	}
}

// await does not wait for a destination that is given up: what hangs in it ends with its connection.
func (l *lanes) await(ctx context.Context, one *lane) {
	for {
		timer := l.clock.NewTimer(look)
		select {
		case <-one.done:
			timer.Stop()
			return
		case <-ctx.Done():
			one.fail(context.Cause(ctx))
		case <-timer.Chan():
			l.judge(one)
		}
		timer.Stop()
		if one.failure() != nil {
			l.leave(one)
			return
		}
	}
}

// leave gives a failed destination a moment to end by itself, so that what it began can be cleared away.
func (l *lanes) leave(one *lane) {
	const moment = 5 * time.Second
	timer := l.clock.NewTimer(moment)
	defer timer.Stop()
	select {
	case <-one.done:
	case <-timer.Chan():
	}
}

// abort ends all destinations in the middle of what they do.
func (l *lanes) abort(err error) {
	for _, one := range l.all {
		one.fail(err)
	}
	for _, one := range l.all {
		l.leave(one)
	}
}

// each runs a step for every destination that has everything so far, all at once, within the stall.
func (l *lanes) each(do func(one *lane) error) {
	var together sync.WaitGroup
	for _, one := range l.all {
		if one.failure() == nil {
			together.Go(func() {
				if err := do(one); err != nil {
					one.fail(err)
				}
			})
		}
	}
	together.Wait()
}

const cleanWithin = time.Minute

// clean takes away what a failed destination has of the artefact. A manifest goes first: a destination that died may
// have kept it and could not say so. What cannot be taken away is no artefact without its manifest; Sweep removes it
// later.
func (l *lanes) clean(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanWithin)
	defer cancel()
	var together sync.WaitGroup
	for _, one := range l.all {
		if one.failure() == nil {
			continue
		}
		together.Go(func() {
			for _, file := range one.begun() {
				if one.target.Remove(ctx, file) != nil {
					return
				}
			}
		})
	}
	together.Wait()
}

// putManifest makes the artefact one that is offered.
func (l *lanes) putManifest(ctx context.Context, file string, content []byte) {
	l.each(func(one *lane) error {
		within, cancel := context.WithTimeout(ctx, l.stall)
		defer cancel()
		one.begins(file)
		return one.target.Put(within, file, bytes.NewReader(content))
	})
}
