package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/pressure/attacks"
	"panel/e2e/rig"
)

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
