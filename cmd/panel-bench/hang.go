package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/rig"
)

// front stands before the license server: it passes connections on, or takes them and never answers.
type front struct {
	listener net.Listener
	target   string
	hangs    atomic.Bool
	calls    atomic.Int64 // taken while hanging

	mu   sync.Mutex
	open []net.Conn
}

func openFront() (*front, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &front{listener: listener}
	go f.accept()
	return f, nil
}

// before gives the front's own address in place of the authority's.
func (f *front) before(authority string) string {
	address, err := url.Parse(authority)
	if err != nil || address.Host == "" {
		f.target = authority
		return f.listener.Addr().String()
	}
	f.target, address.Host = address.Host, f.listener.Addr().String()
	return address.String()
}

func (f *front) accept() {
	for {
		client, err := f.listener.Accept()
		if err != nil {
			return
		}
		f.mu.Lock()
		f.open = append(f.open, client)
		f.mu.Unlock()
		if f.hangs.Load() {
			f.calls.Add(1)
			continue
		}
		go f.pass(client)
	}
}

func (f *front) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", f.target)
	if err != nil {
		return
	}
	defer server.Close()
	go func() { _, _ = io.Copy(server, client) }() // either side may leave at any moment
	_, _ = io.Copy(client, server)
}

// cut ends all connections, so that none is kept from before.
func (f *front) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.open {
		c.Close()
	}
	f.open = nil
}

func (f *front) close() error {
	f.cut()
	return f.listener.Close()
}

// hangingLicense (P22) compares the gated GET while calls to the license server hang with the same while it answers.
func hangingLicense(ctx context.Context, b *bench) ([]measure.Result, error) {
	f, err := openFront()
	if err != nil {
		return nil, err
	}
	b.atEnd(f.close)
	s, err := b.installWith(ctx, "hanging", rig.PanelSettings{LicenseFront: f.before}, nil)
	if err != nil {
		return nil, err
	}
	var calm, hung measure.Series // processor time per request
	read := func(into *measure.Series) (float64, error) {
		return b.worked(
			s.Panel.PID(),
			into,
			func() (float64, error) { return b.rate(ctx, s.address(), connections, b.each, s.get(gatedPath)) },
		)
	}
	if _, err := b.rate(ctx, s.address(), connections, b.warm, s.get(gatedPath)); err != nil {
		return nil, err
	}
	limits, products, err := b.pairs(func() (float64, error) { return read(&calm) }, func() (float64, error) {
		hangs, release := f.hang(ctx, s)
		defer release()
		if err := hangs(); err != nil {
			return 0, err
		}
		return read(&hung)
	})
	if err != nil {
		return nil, err
	}
	alone, err := f.leftAlone(ctx)
	gated := measure.AtLeast("P22", "gated GET while calls to the license server hang", "req/s", limits, products, 0.95)
	return []measure.Result{
		gated.Note("processor time per request: calm %.1f us, hanging %.1f us", calm.Median(), hung.Median()),
		measure.Below("P22", "calls to a hanging license server nobody asked for", "1/min", measure.Series{alone}, 1),
	}, err
}

// hang makes the authority silent and has a refresh wait for it; hangs returns once it does. A refresh may fail at once
// on a connection from before; then another one asks.
func (f *front) hang(ctx context.Context, s *stand) (hangs func() error, release func()) {
	f.cut()
	f.hangs.Store(true)
	before := f.calls.Load()
	var ended sync.WaitGroup
	ended.Go(func() {
		for f.hangs.Load() && ctx.Err() == nil {
			_ = s.API.Post(ctx, "/api/v1/license/refresh", nil, nil) // how it ends says nothing here
		}
	})
	hangs = func() error {
		return rig.Eventually(ctx, 10*time.Second, func(context.Context) error {
			if f.calls.Load() == before {
				return errors.New("no call to the license server hangs")
			}
			return nil
		})
	}
	return hangs, func() {
		f.hangs.Store(false)
		f.cut()
		ended.Wait()
	}
}

// leftAlone counts what the panel asks by itself in a minute.
func (f *front) leftAlone(ctx context.Context) (float64, error) {
	f.cut()
	f.hangs.Store(true)
	defer f.hangs.Store(false)
	before := f.calls.Load()
	select {
	case <-time.After(time.Minute):
		return float64(f.calls.Load() - before), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
