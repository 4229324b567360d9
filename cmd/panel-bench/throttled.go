package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"

	"panel/cmd/panel-bench/internal/load"
	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/rig"
	"panel/platform/access"
)

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
