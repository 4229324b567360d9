package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
)

const (
	calmsIn  = 2 * time.Minute   // what a start sets off is over by then, and it is told that all nodes are offline
	quietRun = 130 * time.Second // twice the longest pause between two looks of a driver
	bySize   = 1.25              // how many more statements a panel may run beside a fleet: some are due by chance
)

// jobsAndQuiet (P16) measures the queue of jobs by itself, and then whole panels at rest.
func jobsAndQuiet(ctx context.Context, b *bench) ([]measure.Result, error) {
	busy, err := jobsOneByOne(ctx, b)
	if err != nil {
		return busy, err
	}
	quiet, err := quietPanels(ctx, b)
	return append(busy, quiet...), err
}

// quietPanels counts everything that two panels ask of their databases while nobody does anything: one without nodes,
// and one with a fleet whose agents are silent.
func quietPanels(ctx context.Context, b *bench) ([]measure.Result, error) {
	alone, err := b.install(ctx, "quiet", nil)
	if err != nil {
		return nil, err
	}
	beside, err := b.install(ctx, "quiet_fleet", func(ctx context.Context, dsn string) error {
		_, err := seed.Fleet(ctx, dsn, manyAgents)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := pause(ctx, calmsIn); err != nil {
		return nil, err
	}
	for _, s := range []*stand{alone, beside} {
		s.counter.Take()
		s.counter.TakePings()
	}
	if err := pause(ctx, quietRun); err != nil {
		return nil, err
	}
	one, many := alone.rest(), beside.rest()
	polls := measure.Below("P16", "polls of a quiet panel: jobs, schedules and all processes", "1/s",
		measure.Series{one.polls, many.polls}, 1)
	polls = polls.Note("%.2f pings a second tell the panel that no notification was lost", one.pings)
	all := measure.AtMost("P16", "statements of a quiet panel beside 5,000 nodes, against none", "1/s",
		measure.Series{one.statements}, measure.Series{many.statements}, bySize)
	return []measure.Result{one.noted(polls), many.noted(all)}, nil
}

// noted adds the commonest statements to a result.
func (r atRest) noted(result measure.Result) measure.Result {
	for _, line := range r.most {
		result = result.Note("%s", line)
	}
	return result
}

// atRest is what a quiet panel asks of its database in a second.
type atRest struct {
	polls, statements, pings float64
	most                     []string // the commonest statements
}

// rest reads what has been counted since the last reading.
func (s *stand) rest() atRest {
	const shown, wide = 12, 100
	seen, seconds := s.counter.Take(), quietRun.Seconds()
	r := atRest{statements: float64(sum(seen)) / seconds, pings: float64(s.counter.TakePings()) / seconds}
	for statement, n := range seen {
		if isPoll(statement) {
			r.polls += float64(n) / seconds
		}
	}
	common := slices.SortedFunc(maps.Keys(seen), func(a, b string) int { return cmp.Compare(seen[b], seen[a]) })
	for _, statement := range common[:min(len(common), shown)] {
		r.most = append(r.most, fmt.Sprintf("%.2f/s %s", float64(seen[statement])/seconds, statement[:min(len(statement), wide)]))
	}
	return r
}

// isPoll tells whether a statement looks for work: jobs, or the rows of a process.
func isPoll(statement string) bool {
	return strings.Contains(statement, "limit k.free for update") || strings.Contains(statement, "from lease_wakes where process")
}
