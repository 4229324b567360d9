package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
)

const (
	fewClients, manyOfFlow = 5000, 50_000
	addedClients           = 30
	addCeiling             = 50 // ms
	usersOfAgent           = 5000
	samplingOfAgent        = 15e9 // ns
	accountingCeiling      = 2    // % of a core
)

// crowd is a panel with one flow of so many clients.
type crowd struct {
	*stand
	flow string
}

func (b *bench) crowdOf(ctx context.Context, count int) (*crowd, error) {
	s, err := b.installBare(ctx, fmt.Sprintf("clients_%d", count), func(ctx context.Context, dsn string) error {
		_, err := seed.Fleet(ctx, dsn, 2)
		return errors.Join(err, execute(ctx, dsn, steady))
	})
	if err != nil {
		return nil, err
	}
	_, flowIDs, err := s.putClients(ctx, 1, count)
	if err != nil {
		return nil, err
	}
	return &crowd{stand: s, flow: flowIDs[0]}, nil
}

// manyClients looks at what 50,000 clients of one flow cost: the panel, the compiler, and the agents of its entries.
func manyClients(ctx context.Context, b *bench) ([]measure.Result, error) {
	few, err := b.crowdOf(ctx, fewClients)
	if err != nil {
		return nil, err
	}
	many, err := b.crowdOf(ctx, manyOfFlow)
	if err != nil {
		return nil, err
	}
	results, err := b.clientPages(ctx, few, many)
	if err != nil {
		return results, err
	}
	added, err := many.adds(ctx)
	if err != nil {
		return append(results, added...), err
	}
	beside, err := besideClients(ctx, b)
	return append(append(results, added...), beside...), err
}

// clientPages asks of pages of clients what P4 asks of other lists.
func (b *bench) clientPages(ctx context.Context, few, many *crowd) (results []measure.Result, err error) {
	for _, list := range []struct {
		what string
		path func(c *crowd) string
	}{
		{"clients", func(*crowd) string { return "/api/v1/clients?limit=50" }},
		{"clients by use", func(*crowd) string { return "/api/v1/clients?limit=50&sort=-used" }},
		{"clients of a flow", func(c *crowd) string { return "/api/v1/connection-units/" + c.flow + "/clients?limit=50" }},
	} {
		against, err := b.comparePage(ctx, many.stand, list.path(many))
		if err != nil {
			return results, fmt.Errorf("compare a page of %s: %w", list.what, err)
		}
		against.Goal = "clients"
		against.What = fmt.Sprintf("page of %d of %d %s against a prepared statement", pageSize, manyOfFlow, list.what)
		grown, err := b.grown(ctx, few, many, list.path)
		if err != nil {
			return results, fmt.Errorf("compare pages of %s: %w", list.what, err)
		}
		grown.What = fmt.Sprintf("page of %s, 50,000 against 5,000", list.what)
		results = append(results, against, grown)
	}
	return results, nil
}

// grown compares the time of a page among many with that among few.
func (b *bench) grown(ctx context.Context, few, many *crowd, path func(c *crowd) string) (measure.Result, error) {
	timeOf := func(c *crowd) func() (float64, error) {
		return func() (float64, error) {
			rate, err := b.rate(ctx, c.address(), listConnections, b.each/2, c.get(path(c)))
			return 1000 * listConnections / rate, err
		}
	}
	for _, c := range []*crowd{few, many} {
		if _, err := b.rate(ctx, c.address(), listConnections, b.warm, c.get(path(c))); err != nil {
			return measure.Result{}, err
		}
	}
	limits, products, err := b.pairs(timeOf(few), timeOf(many))
	return measure.AtMost("clients", "", "ms", limits, products, 1.25), err
}

// adds takes the time from the request to add a client until its flow has a list with it, which is what agents are told
// of.
func (c *crowd) adds(ctx context.Context) ([]measure.Result, error) {
	conn, err := pgx.Connect(ctx, c.dsn)
	if err != nil {
		return nil, fmt.Errorf("connect to the database of the run: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var answered, listed measure.Series
	for i := range addedClients {
		began := time.Now()
		var made struct{ ID string }
		err := c.API.Post(ctx, "/api/v1/connection-units/"+c.flow+"/clients",
			map[string]any{"label": fmt.Sprint("added ", i)}, &made)
		if err != nil {
			return nil, err
		}
		answered = append(answered, milliseconds(time.Since(began)))
		for there := false; !there; {
			err := conn.QueryRow(ctx, "select exists (select from client_listed where flow_id = $1 and client_id = $2)", c.flow,
				made.ID).Scan(&there)
			if err != nil {
				return nil, fmt.Errorf("look for a client on a list: %w", err)
			}
		}
		listed = append(listed, milliseconds(time.Since(began)))
	}
	return []measure.Result{
		measure.Below("clients", "add one to 50,000: answered", "ms", answered, addCeiling),
		measure.Below("clients", "add one to 50,000: on the list", "ms", listed, addCeiling),
	}, nil
}

// besideClients runs the benchmarks of the compiler and of the agent.
func besideClients(ctx context.Context, b *bench) ([]measure.Result, error) {
	var slopes, core, accounting measure.Series
	for range (b.settings.pairs + 3) / 4 {
		compiled, err := benchmarks(ctx, "./modules/flows/internal/plan", "^BenchmarkCompileClients$", 4)
		if err != nil {
			return nil, err
		}
		added, err := benchmarks(ctx, "./cmd/panel-agent/internal/core", "^BenchmarkAddClient$", 1)
		if err != nil {
			return nil, err
		}
		sampled, err := benchmarks(ctx, "./cmd/panel-agent/internal/telemetry", "^BenchmarkAccounting$", 1)
		if err != nil {
			return nil, err
		}
		slopes = append(slopes, slope(compiled["CompileClients"]))
		core = append(core, added["AddClient"][manyOfFlow]/1e6)
		accounting = append(accounting, 100*sampled["Accounting"][usersOfAgent]/samplingOfAgent)
	}
	return []measure.Result{
		measure.Below("clients", "slope of compiling clients of a flow, 6,250 to 50,000", "", slopes, 1.15),
		measure.Below("clients", "add one to 50,000 in agent and core", "ms", core, addCeiling),
		measure.Below("clients", "accounting of an agent at 5,000 users", "%", accounting, accountingCeiling),
	}, nil
}
