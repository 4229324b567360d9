package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"

	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/pressure/attacks"
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

const (
	attackers  = 1000
	attackFor  = 3 * time.Second
	attackEnds = 2 * time.Second // later all strangers are gone, whether or not they were answered
	goneWithin = 10 * time.Second
)

// strangersFlood (P14) lets 1,000 connections of strangers send whatever was found to cost the panel most, one attack
// after the other, and asks for something else meanwhile, beside the same on a machine whose cores are as busy with
// something else.
func strangersFlood(ctx context.Context, b *bench) ([]measure.Result, error) {
	s, err := b.installBare(ctx, "strangers", nil)
	if err != nil {
		return nil, err
	}
	idle, err := resident(s.Panel.PID())
	if err != nil {
		return nil, err
	}
	alone, err := s.beside(ctx, func() error { hashes(attackFor); return nil })
	if err != nil {
		return nil, err
	}
	all, missing := b.attackedByAll(ctx, s, idle)
	return all.results(alone, idle), missing
}

// attackedByAll is what all attacks together did.
type attackedByAll struct {
	worst float64 // p99 in milliseconds
	name  string  // of the attack with it
	most  float64 // memory in MB
	notes []string
}

// results are none when no attack was measured: nothing is no good figure.
func (a *attackedByAll) results(alone measure.Series, idle float64) []measure.Result {
	if len(a.notes) == 0 {
		return nil
	}
	gated := measure.Within("P14", "p99 of another GET while 1,000 strangers attack, worst attack", "ms",
		measure.Series{alone.Quantile(0.99)}, measure.Series{a.worst}, 150, usualAlone)
	gated.Notes = append([]string{"worst: " + a.name}, a.notes...)
	return []measure.Result{
		gated, measure.Below("P14", "memory that strangers take, on top of the idle panel", "MB",
			measure.Series{a.most - idle}, 160),
	}
}

// attackedByAll sends the attacks one after the other. An attack that could not be measured does not
// keep the others from it.
func (b *bench) attackedByAll(ctx context.Context, s *stand, idle float64) (all *attackedByAll, missing error) {
	all = &attackedByAll{most: idle}
	for _, attack := range attacks.All() {
		if ctx.Err() != nil {
			return all, errors.Join(missing, fmt.Errorf("%s and those after it: %w", attack.Name, ctx.Err()))
		}
		took, err := b.attacked(ctx, s, attack.Name)
		now, errMemory := resident(s.Panel.PID())
		if err := errors.Join(err, errMemory); err != nil {
			missing = errors.Join(missing, fmt.Errorf("%s: %w", attack.Name, err))
			continue
		}
		p99 := took.Quantile(0.99)
		if p99 > all.worst {
			all.worst, all.name = p99, attack.Name
		}
		all.most = max(all.most, now)
		all.notes = append(all.notes, fmt.Sprintf("%s: p99 %.1f ms of %d requests", attack.Name, p99, len(took)))
	}
	return all, missing
}

// beside asks at fixed moments while the work goes on.
func (s *stand) beside(ctx context.Context, work func() error) (measure.Series, error) {
	enough := make(chan struct{})
	var failure error
	go func() {
		defer close(enough)
		failure = work()
	}()
	took, err := s.pollUntil(ctx, enough)
	return took, errors.Join(failure, err)
}

// attackMode makes this executable the strangers: in a process of their own they do not slow down whoever measures.
const attackMode = "attack"

// attackOn is what that process is told.
type attackOn struct{ Address, Name string }

// attacked asks beside one attack.
func (b *bench) attacked(ctx context.Context, s *stand, name string) (measure.Series, error) {
	b.attacks++
	file := filepath.Join(b.folder, fmt.Sprintf("attack-%d", b.attacks))
	content, err := json.Marshal(attackOn{Address: s.address(), Name: name})
	if err != nil {
		return nil, fmt.Errorf("describe the attack: %w", err)
	}
	if err := os.WriteFile(file+".json", content, 0o600); err != nil {
		return nil, fmt.Errorf("describe the attack: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this executable: %w", err)
	}
	strangers, err := rig.Start(
		rig.Spec{Name: "the strangers", Log: file + ".log", Path: self, Args: []string{attackMode, file + ".json"}},
	)
	if err != nil {
		return nil, err
	}
	return s.beside(ctx, func() error {
		ended, cancel := context.WithTimeout(ctx, attackFor+goneWithin)
		defer cancel()
		code, err := strangers.Exit(ended)
		switch {
		case err != nil:
			strangers.Kill()
			return err
		case code != 0:
			return fmt.Errorf("the strangers ended with %d: %s", code, strangers.LastWords())
		}
		return nil
	})
}

// attack sends one attack on every connection, and again every second until the time is over. Strangers who are left
// waiting do not prolong it: what they cost the panel shows while they wait.
func attack(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the attack: %w", err)
	}
	var on attackOn
	if err := json.Unmarshal(content, &on); err != nil {
		return fmt.Errorf("read the attack: %w", err)
	}
	all := attacks.All()
	at := slices.IndexFunc(all, func(a attacks.Attack) bool { return a.Name == on.Name })
	if at < 0 {
		return fmt.Errorf("there is no attack %s", on.Name)
	}
	until := time.Now().Add(attackFor)
	var strangers sync.WaitGroup
	for number := range attackers {
		strangers.Go(func() {
			for next := time.Now(); next.Before(until); next = next.Add(time.Second) {
				time.Sleep(time.Until(next))
				send(all[at], on.Address, number, until.Add(attackEnds))
			}
		})
	}
	strangers.Wait()
	return nil
}

func send(a attacks.Attack, address string, number int, end time.Time) {
	conn, err := (&net.Dialer{Deadline: end}).Dial("tcp", address)
	if err != nil {
		return // whom the panel does not let in does it no harm
	}
	defer conn.Close()
	_ = conn.SetDeadline(end)
	a.Send(conn, number)
}
