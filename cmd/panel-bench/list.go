package main

import (
	"context"
	"fmt"

	"panel/cmd/panel-bench/internal/measure"
)

const (
	fewNodes, manyNodes = 500, 5000
	listConnections     = 2
)

// lists are the pages that operators open: the first one, a deep one, one sorted by a measured figure, one filtered.
var lists = []struct{ what, query string }{
	{"by name", "?limit=50&sort=name"},
	{"by newest, filtered by country", "?limit=50&sort=-created_at&country=DE"},
	{"by load", "?limit=50&sort=-cpu_pct"},
	{"by state", "?limit=50&sort=state"},
	{"online only", "?limit=50&state=online"},
	{"the few offline ones", "?limit=50&state=offline"},
}

// steady keeps the fleet as it is while it is measured, for no agent reports: twenty nodes are lost, all others heard.
const steady = `update node_reports set seen_at = case when node_id in (select id from nodes order by id desc limit 20)
	then now() - interval '1 hour' else now() + interval '1 hour' end`

// listsAndPages (P4) asks both questions about lists.
func listsAndPages(ctx context.Context, b *bench) ([]measure.Result, error) {
	results, err := listPages(ctx, b)
	if err != nil {
		return results, err
	}
	more, err := nodeList(ctx, b)
	return append(results, more...), err
}

// nodeList (P4) compares the time of a page at 5,000 nodes with that at 500.
func nodeList(ctx context.Context, b *bench) ([]measure.Result, error) {
	few, err := b.fleetOf(ctx, fewNodes)
	if err != nil {
		return nil, err
	}
	many, err := b.fleetOf(ctx, manyNodes)
	if err != nil {
		return nil, err
	}
	var results []measure.Result
	for at, list := range lists {
		result, err := b.comparePages(ctx, few, many, list.query)
		if err != nil {
			return results, err
		}
		result.What = fmt.Sprintf("node list %s, 5,000 against 500", list.what)
		if at > 0 {
			result.Goal = "P4+" // beyond the goal, which speaks of one list
		}
		results = append(results, result)
	}
	return results, nil
}

func (b *bench) fleetOf(ctx context.Context, count int) (*stand, error) {
	return b.install(ctx, fmt.Sprintf("list_%d", count), func(ctx context.Context, dsn string) error {
		if _, err := seedFleet(ctx, dsn, count); err != nil {
			return err
		}
		return execute(ctx, dsn, steady)
	})
}

func (b *bench) comparePages(ctx context.Context, few, many *stand, query string) (measure.Result, error) {
	length := b.each / 2
	timeOf := func(s *stand) func() (float64, error) {
		return func() (float64, error) {
			rate, err := b.rate(ctx, s.address(), listConnections, length, s.get("/api/v1/nodes"+query))
			return 1000 * listConnections / rate, err
		}
	}
	for _, s := range []*stand{few, many} {
		if _, err := b.rate(ctx, s.address(), listConnections, b.warm, s.get("/api/v1/nodes"+query)); err != nil {
			return measure.Result{}, err
		}
	}
	many.counter.Take()
	limits, products, err := b.pairs(timeOf(few), timeOf(many))
	if err != nil {
		return measure.Result{}, err
	}
	statements := 0
	for _, n := range many.counter.Take() {
		statements += n
	}
	pages := float64(len(products)) * length.Seconds() * 1000 * listConnections / products.Median()
	return measure.AtMost("P4", "", "ms", limits, products, 1.25).
			Note("%.2f statements per page", float64(statements)/pages),
		nil
}
