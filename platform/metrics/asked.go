package metrics

import (
	"context"
	"sync"
	"time"
)

// How long an answer of the database is shown again, and how long a scrape waits for a new one.
const (
	askEvery  = 5 * time.Second
	askWithin = 2 * time.Second
)

// Asked shows gauges that only the database knows, told apart by a label. However often and by how many it is scraped,
// the database is asked once in a few seconds; when it does not answer in time the family is missing from the scrape,
// not old.
func Asked(name, help, label string, ask func(ctx context.Context) (map[string]float64, error)) Collector {
	return Gauges(name, help, label, (&asked{ask: ask}).answer)
}

// AskedOne is Asked for a single number.
func AskedOne(name, help string, ask func(ctx context.Context) (float64, error)) Collector {
	a := &asked{ask: func(ctx context.Context) (map[string]float64, error) {
		value, err := ask(ctx)
		return map[string]float64{"": value}, err
	}}
	return Collector{name: name, help: help, kind: gauge, read: func(show func(string, float64)) {
		for _, value := range a.answer() {
			show("", value)
		}
	}}
}

type asked struct {
	ask func(ctx context.Context) (map[string]float64, error)

	mu    sync.Mutex
	known map[string]float64
	until time.Time
}

func (a *asked) answer() map[string]float64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now() //nolint:forbidigo // a scrape happens in real time
	if now.Before(a.until) {
		return a.known
	}
	ctx, cancel := context.WithTimeout(context.Background(), askWithin)
	defer cancel()
	found, err := a.ask(ctx)
	if err != nil {
		found = nil
	}
	a.known, a.until = found, now.Add(askEvery)
	return found
}
