package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"

	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/rig"
)

// floods are the numbers of clients that sign in at once.
var floods = []int{2, 8, 50, 200}

// loginFlood (P14) compares sign-ins with what all cores hash without a panel around them.
func loginFlood(ctx context.Context, b *bench) ([]measure.Result, error) {
	settings := rig.PanelSettings{Env: []string{"PANEL_TRUSTED_PROXIES=127.0.0.1"}}
	s, err := b.installWith(ctx, "flood", settings, nil)
	if err != nil {
		return nil, err
	}
	f := &flood{bench: b, stand: s}
	if f.idle, err = resident(s.Panel.PID()); err != nil {
		return nil, err
	}
	var results []measure.Result
	for _, clients := range floods {
		result, err := f.of(ctx, clients)
		if err != nil {
			return results, err
		}
		results = append(results, result)
	}
	few, many := results[0].Value, results[len(results)-1].Value
	flat := measure.Series{0}
	if few > 0 {
		flat[0] = max(0, 100*(1-many/few))
	}
	return append(
		results,
		measure.Below("P14", "drop from 2 clients to 200", "%", flat, 20),
		measure.Below("P14", "memory on top of the idle panel", "MB", measure.Series{f.most - f.idle}, 160),
		measure.Within(
			"P14",
			"p99 of another GET meanwhile, worst flood",
			"ms",
			f.alone,
			measure.Series{f.slowest},
			150,
			usualAlone,
		),
	), nil
}

type flood struct {
	bench      *bench
	stand      *stand
	idle, most float64        // MB
	slowest    float64        // worst p99 of the other GET, ms
	alone      measure.Series // p99 of that GET while the cores hash outside the panel, ms
	addresses  int            // handed out, so that no delay of one reading reaches into another
}

func (f *flood) of(ctx context.Context, clients int) (measure.Result, error) {
	latest := measure.Series{}
	product := func() (float64, error) {
		rate, latencies, err := f.reading(ctx, clients)
		latest = append(latest, latencies...)
		return rate, err
	}
	if _, _, err := f.reading(ctx, clients); err != nil { // warm-up
		return measure.Result{}, err
	}
	limits, products, err := f.bench.pairs(func() (float64, error) { return f.bound(ctx) }, product)
	p99 := latest.Quantile(0.99)
	f.slowest = max(f.slowest, p99)
	result := measure.AtLeast(
		"P14",
		fmt.Sprintf("sign-ins of %d clients against bare argon2id", clients),
		"1/s",
		limits,
		products,
		0.60,
	)
	return result.Note("another GET meanwhile: p99 %.1f ms of %d; memory up to %.0f MB", p99, len(latest), f.most), err
}

// bound reads the limit, and how long the other GET takes beside it: the machine is as busy as in a flood, the panel is
// not.
func (f *flood) bound(ctx context.Context) (rate float64, err error) {
	var all sync.WaitGroup
	all.Go(func() { rate = hashes(f.bench.each) })
	latencies, err := f.beside(ctx, time.Now().Add(f.bench.each))
	all.Wait()
	f.alone = append(f.alone, latencies.Quantile(0.99))
	return rate, err
}

// usualAlone is what that GET takes on a machine on which nothing else runs.
const usualAlone = 100

// hashes is what the cores can do: as many loops as cores.
func hashes(length time.Duration) float64 {
	var done atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	salt := []byte("sixteen bytes ..")
	for range runtime.NumCPU() {
		all.Go(func() {
			for time.Since(began) < length {
				argon2.IDKey([]byte(rig.Password), salt, 2, 19<<10, 1, 32)
				done.Add(1)
			}
		})
	}
	all.Wait()
	return float64(done.Load()) / time.Since(began).Seconds()
}

// reading floods for a while and asks something else beside it, at fixed moments.
func (f *flood) reading(ctx context.Context, clients int) (rate float64, others measure.Series, err error) {
	began := time.Now()
	until := began.Add(f.bench.each)
	timed, cancel := context.WithDeadline(ctx, until.Add(5*time.Second))
	defer cancel()
	var signed atomic.Int64
	var all sync.WaitGroup
	failures := make([]error, clients)
	for i := range clients {
		f.addresses++
		address := fmt.Sprintf("2001:db8:%x:%x::1", f.addresses>>16, f.addresses&0xffff)
		all.Go(func() { failures[i] = f.signIn(timed, address, until, &signed) })
	}
	all.Go(func() { others, err = f.beside(timed, until) })
	all.Wait()
	return float64(signed.Load()) / time.Since(began).Seconds(), others, errors.Join(append(failures, err)...)
}

// signIn is one client: who is told to wait waits.
func (f *flood) signIn(ctx context.Context, address string, until time.Time, signed *atomic.Int64) error {
	body := fmt.Sprintf(`{"username":%q,"password":%q}`, rig.Username, rig.Password)
	for time.Now().Before(until) {
		request, err := http.NewRequestWithContext(
			ctx,
			http.MethodPost,
			f.stand.Panel.URL+"/api/v1/auth/login",
			strings.NewReader(body),
		)
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-Forwarded-For", address)
		answer, err := f.stand.API.HTTP.Do(request)
		if err != nil {
			return err
		}
		answer.Body.Close()
		switch {
		case answer.StatusCode < 300:
			signed.Add(1)
		case answer.StatusCode != http.StatusTooManyRequests:
			return fmt.Errorf("sign in under a flood: the panel answered %d", answer.StatusCode)
		default:
			if err := pause(ctx, min(time.Second, time.Until(until))); err != nil {
				return err
			}
		}
	}
	return nil
}

const othersEvery = 20 * time.Millisecond

// beside asks at fixed moments, whether or not the answer before has come, and notes the memory.
func (f *flood) beside(ctx context.Context, until time.Time) (measure.Series, error) {
	var mu sync.Mutex
	var took measure.Series
	var failures []error
	var all sync.WaitGroup
	for at := time.Now(); at.Before(until); at = at.Add(othersEvery) {
		if err := pause(ctx, time.Until(at)); err != nil {
			return took, err
		}
		all.Go(func() {
			err := f.stand.API.Get(ctx, gatedPath, nil)
			mu.Lock()
			defer mu.Unlock()
			took, failures = append(took, milliseconds(time.Since(at))), append(failures, err)
		})
		now, err := resident(f.stand.Panel.PID())
		if err != nil {
			return took, err
		}
		f.most = max(f.most, now)
	}
	all.Wait()
	return took, errors.Join(failures...)
}
