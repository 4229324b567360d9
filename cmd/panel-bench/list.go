package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
)

const (
	fewNodes, manyNodes = 500, 5000
	listConnections     = 2
)

// lists are the pages that operators open: the first one, a deep one, one sorted by a measured figure, one filtered;
// and that of the host names, one for each node.
var lists = []struct{ what, path string }{
	{"node list by name", "/api/v1/nodes?limit=50&sort=name"},
	{"node list by newest, filtered by country", "/api/v1/nodes?limit=50&sort=-created_at&country=DE"},
	{"node list by load", "/api/v1/nodes?limit=50&sort=-cpu_pct"},
	{"node list by state", "/api/v1/nodes?limit=50&sort=state"},
	{"node list online only", "/api/v1/nodes?limit=50&state=online"},
	{"node list the few offline ones", "/api/v1/nodes?limit=50&state=offline"},
	{"host names", "/api/v1/node-domains?limit=50"},
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

// nodeList (P4) compares the time of a page at 5,000 nodes with that at 500, also of their host names.
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
		result, err := b.comparePages(ctx, few, many, list.path)
		if err != nil {
			return results, err
		}
		result.What = list.what + ", 5,000 against 500"
		if at > 0 {
			result.Goal = "P4+" // beyond the goal, which speaks of one list
		}
		results = append(results, result)
	}
	return results, nil
}

func (b *bench) fleetOf(ctx context.Context, count int) (*stand, error) {
	return b.install(ctx, fmt.Sprintf("list_%d", count), func(ctx context.Context, dsn string) error {
		if _, err := seed.Fleet(ctx, dsn, count); err != nil {
			return err
		}
		return errors.Join(execute(ctx, dsn, steady), execute(ctx, dsn, bindAndRest))
	})
}

func (b *bench) comparePages(ctx context.Context, few, many *stand, path string) (measure.Result, error) {
	length := b.each / 2
	timeOf := func(s *stand) func() (float64, error) {
		return func() (float64, error) {
			rate, err := b.rate(ctx, s.address(), listConnections, length, s.get(path))
			return 1000 * listConnections / rate, err
		}
	}
	for _, s := range []*stand{few, many} {
		if _, err := b.rate(ctx, s.address(), listConnections, b.warm, s.get(path)); err != nil {
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

const (
	pageSize  = 50
	pageLoad  = 8 // connections
	pageFloor = 0.60
)

// pages are the lists that operators open most, each with more rows than a page holds.
var pages = []struct{ what, path string }{
	{"nodes", "/api/v1/nodes?limit=50"},
	{"flows", "/api/v1/connection-units?limit=50"},
	{"journal entries", "/api/v1/audit?limit=50"},
	{"accounts", "/api/v1/accounts?limit=50"},
	{"host names", "/api/v1/node-domains?limit=50"},
}

// bindAndRest binds a name to each node, and lets nobody look at it meanwhile.
var bindAndRest = bindNames + `;
insert into domain_watches (domain_id, node_id, hostname, state, since, next_at)
	select id, node_id, hostname, 'ok', now(), now() + interval '1 day' from node_domains`

// listPages (P4) compares a page of 50 rows with the same bytes by one prepared statement and Marshal on bare fiber.
func listPages(ctx context.Context, b *bench) ([]measure.Result, error) {
	s, err := b.installBare(ctx, "pages", func(ctx context.Context, dsn string) error {
		if _, err := seed.Fleet(ctx, dsn, fewNodes); err != nil {
			return err
		}
		return errors.Join(execute(ctx, dsn, steady), execute(ctx, dsn, bindAndRest))
	})
	if err != nil {
		return nil, err
	}
	if err := s.fillLists(ctx); err != nil {
		return nil, err
	}
	var results []measure.Result
	for _, list := range pages {
		result, err := b.comparePage(ctx, s, list.path)
		if err != nil {
			return results, fmt.Errorf("compare a page of %s: %w", list.what, err)
		}
		result.What = fmt.Sprintf("page of %d %s against a prepared statement on bare fiber", pageSize, list.what)
		results = append(results, result)
	}
	return results, nil
}

// fillLists makes more flows and accounts than a page holds; each is a journal entry, too.
func (s *stand) fillLists(ctx context.Context) error {
	var fleet struct {
		Items []struct{ ID string }
	}
	if err := s.API.Get(ctx, "/api/v1/nodes?limit=2", &fleet); err != nil {
		return err
	}
	for i := range pageSize + 10 {
		account := map[string]any{
			"username":    fmt.Sprintf("operator-%02d", i),
			"password":    "a long enough one",
			"permissions": []string{"nodes.view"},
		}
		if err := s.API.Post(ctx, "/api/v1/accounts", account, nil); err != nil {
			return err
		}
		if _, err := s.API.Draw(ctx, fmt.Sprintf("flow %02d", i), twoHops(fleet.Items[0].ID, fleet.Items[1].ID,
			20_000+i)); err != nil {
			return err
		}
	}
	return nil
}

// twoHops enters on one node and leaves on the other.
func twoHops(entry, exit string, port int) object {
	listener := object{
		"protocol": "vless", "port": port, "security": "reality", "reality": object{
			"target":       "198.51.100.1:443",
			"server_names": []string{"example.com"},
		},
	}
	return object{
		"nodes": []object{
			{"key": "in", "kind": "entry", "node_id": entry, "params": object{"listener": listener}},
			{"key": "out", "kind": "exit", "node_id": exit, "params": object{}},
		},
		"edges": []object{{"from": "in", "to": "out"}},
	}
}

func (b *bench) comparePage(ctx context.Context, s *stand, path string) (measure.Result, error) {
	answer, err := fetch(ctx, s, path)
	if err != nil {
		return measure.Result{}, err
	}
	bare, process, err := b.barePage(ctx, s.dsn, answer)
	if err != nil {
		return measure.Result{}, err
	}
	var work, bareWork measure.Series
	limit := func() (float64, error) {
		return b.worked(
			process.PID(),
			&bareWork,
			func() (float64, error) { return b.rate(ctx, bare, pageLoad, b.each, s.get(path)) },
		)
	}
	product := func() (float64, error) {
		return b.worked(
			s.Panel.PID(),
			&work,
			func() (float64, error) { return b.rate(ctx, s.address(), pageLoad, b.each, s.get(path)) },
		)
	}
	for _, side := range []string{bare, s.address()} {
		if _, err := b.rate(ctx, side, pageLoad, b.warm, s.get(path)); err != nil {
			return measure.Result{}, err
		}
	}
	limits, products, err := b.pairs(limit, product)
	result := measure.AtLeast("P4", "", "pages/s", limits, products, pageFloor)
	return result.Note(
		"%d bytes; processor time per page without the database: bare %.0f us, product %.0f us, ratio %.2f",
		len(answer),
		bareWork.Median(),
		work.Median(),
		bareWork.Median()/work.Median(),
	), err
}

// sameJSON says whether two answers mean the same, whatever the order of their fields.
func sameJSON(one, other []byte) bool {
	canonical := func(text []byte) []byte {
		var value any
		if json.Unmarshal(text, &value) != nil {
			return nil
		}
		again, _ := json.Marshal(value) // what was decoded encodes
		return again
	}
	first := canonical(one)
	return first != nil && bytes.Equal(first, canonical(other))
}
