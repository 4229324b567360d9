package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"panel/cmd/panel-bench/internal/front"
	"panel/cmd/panel-bench/internal/load"
	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/rig"
	"panel/platform/access"
)

// gatedPath needs a session, a permission and a look at the license, and answers from memory.
const (
	gatedPath   = "/api/v1/permissions"
	connections = 64
)

// gatedGet (P3) compares a GET behind the whole guard with fiber that answers the same bytes to anybody.
func gatedGet(ctx context.Context, b *bench) ([]measure.Result, error) {
	s, err := b.install(ctx, "gated", nil)
	if err != nil {
		return nil, err
	}
	body, err := fetch(ctx, s, gatedPath)
	if err != nil {
		return nil, err
	}
	bare, process, err := b.bareFiber(ctx, body)
	if err != nil {
		return nil, err
	}
	var work, bareWork measure.Series // processor time per request
	product := func() (float64, error) {
		return b.worked(
			s.Panel.PID(),
			&work,
			func() (float64, error) { return b.rate(ctx, s.address(), connections, b.each, s.get(gatedPath)) },
		)
	}
	limit := func() (float64, error) {
		return b.worked(
			process.PID(),
			&bareWork,
			func() (float64, error) { return b.rate(ctx, bare, connections, b.each, s.get(gatedPath)) },
		)
	}
	for _, side := range []string{bare, s.address()} {
		if _, err := b.rate(ctx, side, connections, b.warm, s.get(gatedPath)); err != nil {
			return nil, err
		}
	}
	idle, err := s.idleStatements(ctx)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	limits, products, err := b.pairs(limit, product)
	if err != nil {
		return nil, err
	}
	requests := products.Median() * b.each.Seconds() * float64(len(products))
	result := measure.AtLeast("P3", "gated GET, "+gatedPath+", against bare fiber", "req/s", limits, products, 0.60)
	result = result.Note(
		"processor time per request: bare %.1f us, product %.1f us, ratio %.2f; hardly depends on what else runs here",
		bareWork.Median(),
		work.Median(),
		bareWork.Median()/work.Median(),
	)
	return []measure.Result{result, s.statements("P3", requests, idle*time.Since(began).Seconds())}, nil
}

// worked adds the microseconds that a process worked per request to a series.
func (b *bench) worked(pid int, into *measure.Series, read func() (float64, error)) (float64, error) {
	before, err := processorSeconds(pid)
	if err != nil {
		return 0, err
	}
	rate, err := read()
	if err != nil {
		return 0, err
	}
	after, err := processorSeconds(pid)
	*into = append(*into, 1e6*(after-before)/(rate*b.each.Seconds()))
	return rate, err
}

// idleStatements is how many statements a second the panel runs by the clock, without any request.
func (s *stand) idleStatements(ctx context.Context) (float64, error) {
	const watch = 3 * time.Second
	s.counter.Take()
	select {
	case <-time.After(watch):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	return float64(sum(s.counter.Take())) / watch.Seconds(), nil
}

func sum(counts map[string]int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}

// statements gates on none beyond what runs by the clock, which is given half as much again for its own rhythm.
func (s *stand) statements(goal string, requests, byTheClock float64) measure.Result {
	seen := s.counter.Take()
	more := max(0, float64(sum(seen))-1.5*byTheClock-5)
	result := measure.Below(
		goal,
		"SQL statements per request in steady state",
		"stmt",
		measure.Series{more / requests},
		0,
	)
	for statement, n := range seen {
		result = result.Note("%d x %s, in %.0f requests", n, statement[:min(len(statement), 100)], requests)
	}
	return result
}

// bareMode makes this executable the limit of gatedGet.
const bareMode = "bare-fiber"

// serveBare answers every request with what stands in the file.
func serveBare(file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the body to answer with: %w", err)
	}
	return serve(func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return c.Send(body)
	})
}

// bareFiber answers everybody with the body.
func (b *bench) bareFiber(ctx context.Context, body []byte) (string, *rig.Process, error) {
	return b.bareProgram(ctx, bareMode, body)
}

func fetch(ctx context.Context, s *stand, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Panel.URL+path, nil)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", path, err)
	}
	request.Header.Set("Authorization", "Bearer "+s.API.Token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", path, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("fetch %s: the panel answered %d", path, answer.StatusCode)
	}
	return body, err
}

// p99 of a run, to print beside a rate.
func p99(o load.Outcome) float64 { return measure.Series(o.Latencies).Quantile(0.99) }

const throttledPath = "/install/agent.sh"

// throttledRoute (P23) counts what a public route lets through under a storm, and compares refusing with bare fiber
// that answers everybody with the same bytes.
func throttledRoute(ctx context.Context, b *bench) ([]measure.Result, error) {
	s, err := b.installWith(ctx, "throttled", rig.PanelSettings{Env: []string{"PANEL_TRUSTED_PROXIES=127.0.0.1"}}, nil)
	if err != nil {
		return nil, err
	}
	storm := &storm{bench: b, stand: s}
	var results []measure.Result
	for _, connections := range []int{1, 8, 64} {
		result, err := storm.exact(ctx, connections)
		if err != nil {
			return results, err
		}
		results = append(results, result)
	}
	refusing, err := storm.refusing(ctx)
	return append(results, refusing), err
}

// storm asks from one address after the other; each finds a full bucket.
type storm struct {
	bench     *bench
	stand     *stand
	addresses int
}

func (t *storm) next() func(int, []byte) []byte {
	t.addresses++
	request := fmt.Sprintf(
		"GET %s HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: 198.51.%d.%d\r\n\r\n",
		throttledPath,
		t.stand.address(),
		t.addresses>>8,
		t.addresses&255,
	)
	return func(_ int, buffer []byte) []byte { return append(buffer, request...) }
}

const window = 5 * time.Second

// exact says how far the number of answers is from what the limit allows in the time.
func (t *storm) exact(ctx context.Context, connections int) (measure.Result, error) {
	var off measure.Series
	limit := access.PublicLimit
	for range max(1, t.bench.settings.pairs/4) {
		outcome, err := load.Run(ctx, load.Plan{
			Address: t.stand.address(), Connections: connections, Request: t.next(), For: window, Refusals: true,
		})
		if err != nil {
			return measure.Result{}, err
		}
		allowed := float64(limit.Burst) + math.Floor(outcome.Took.Seconds()/limit.Interval().Seconds())
		off = append(off, math.Abs(float64(outcome.Requests-outcome.Refused)-allowed))
	}
	return measure.Below(
		"P23",
		fmt.Sprintf("throttled route, %d connections: answers off the limit per window", connections),
		"req",
		off,
		1,
	), nil
}

func (t *storm) refusing(ctx context.Context) (measure.Result, error) {
	b := t.bench
	body, err := t.refusal(ctx)
	if err != nil {
		return measure.Result{}, err
	}
	bare, process, err := b.bareFiber(ctx, body)
	if err != nil {
		return measure.Result{}, err
	}
	var work, bareWork measure.Series
	request := t.next()
	read := func(address string) func() (float64, error) {
		return func() (float64, error) {
			outcome, err := load.Run(
				ctx,
				load.Plan{Address: address, Connections: connections, Request: request, For: b.each, Refusals: true},
			)
			return outcome.PerSecond(), err
		}
	}
	limit := func() (float64, error) { return b.worked(process.PID(), &bareWork, read(bare)) }
	product := func() (float64, error) { return b.worked(t.stand.Panel.PID(), &work, read(t.stand.address())) }
	limits, products, err := b.pairs(limit, product)
	result := measure.AtLeast(
		"P23",
		"refusing on a throttled route against bare fiber",
		"req/s",
		limits,
		products,
		0.80,
	)
	return result.Note(
		"processor time per request: bare %.1f us, product %.1f us, ratio %.2f",
		bareWork.Median(),
		work.Median(),
		bareWork.Median()/work.Median(),
	), err
}

// refusal is the answer of the route to who asks too often.
func (t *storm) refusal(ctx context.Context) ([]byte, error) {
	for range 10 * access.PublicLimit.Burst {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.stand.Panel.URL+throttledPath, nil)
		if err != nil {
			return nil, err
		}
		answer, err := t.stand.API.HTTP.Do(request)
		if err != nil {
			return nil, fmt.Errorf("ask until refused: %w", err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode == http.StatusTooManyRequests {
			return body, err
		}
	}
	return nil, fmt.Errorf("ask until refused: %s never refuses", throttledPath)
}

// hangingLicense (P22) compares the gated GET while calls to the license server hang with the same while it answers.
func hangingLicense(ctx context.Context, b *bench) ([]measure.Result, error) {
	f, err := front.Open()
	if err != nil {
		return nil, err
	}
	b.atEnd(f.Close)
	s, err := b.installWith(ctx, "hanging", rig.PanelSettings{LicenseFront: f.Before}, nil)
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
		hangs, release := hang(ctx, f, s)
		defer release()
		if err := hangs(); err != nil {
			return 0, err
		}
		return read(&hung)
	})
	if err != nil {
		return nil, err
	}
	alone, err := leftAlone(ctx, f)
	gated := measure.AtLeast("P22", "gated GET while calls to the license server hang", "req/s", limits, products, 0.95)
	return []measure.Result{
		gated.Note("processor time per request: calm %.1f us, hanging %.1f us", calm.Median(), hung.Median()),
		measure.Below("P22", "calls to a hanging license server nobody asked for", "1/min", measure.Series{alone}, 1),
	}, err
}

// hang makes the authority silent and has a refresh wait for it; hangs returns once it does. A refresh may fail at once
// on a connection from before; then another one asks.
func hang(ctx context.Context, f *front.Front, s *stand) (hangs func() error, release func()) {
	f.Cut()
	f.Hangs.Store(true)
	before := f.Calls.Load()
	var ended sync.WaitGroup
	ended.Go(func() {
		for f.Hangs.Load() && ctx.Err() == nil {
			_ = s.API.Post(ctx, "/api/v1/license/refresh", nil, nil) // how it ends says nothing here
		}
	})
	hangs = func() error {
		return rig.Eventually(ctx, 10*time.Second, func(context.Context) error {
			if f.Calls.Load() == before {
				return errors.New("no call to the license server hangs")
			}
			return nil
		})
	}
	return hangs, func() {
		f.Hangs.Store(false)
		f.Cut()
		ended.Wait()
	}
}

// leftAlone counts what the panel asks by itself in a minute.
func leftAlone(ctx context.Context, f *front.Front) (float64, error) {
	f.Cut()
	f.Hangs.Store(true)
	defer f.Hangs.Store(false)
	before := f.Calls.Load()
	select {
	case <-time.After(time.Minute):
		return float64(f.Calls.Load() - before), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
