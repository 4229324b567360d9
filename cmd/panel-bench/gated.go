package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/gofiber/fiber/v2"

	"panel/cmd/panel-bench/internal/load"
	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/rig"
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
