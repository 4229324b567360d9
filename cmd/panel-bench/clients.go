package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/cmd/panel-bench/internal/beside"
	"panel/cmd/panel-bench/internal/load"
	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
	"panel/e2e/rig"
	"panel/platform/vault"
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
		compiled, err := beside.Benchmarks(ctx, "./modules/flows/internal/plan", "^BenchmarkCompileClients$", 4)
		if err != nil {
			return nil, err
		}
		added, err := beside.Benchmarks(ctx, "./cmd/panel-agent/internal/core", "^BenchmarkAddClient$", 1)
		if err != nil {
			return nil, err
		}
		sampled, err := beside.Benchmarks(ctx, "./cmd/panel-agent/internal/telemetry", "^BenchmarkAccounting$", 1)
		if err != nil {
			return nil, err
		}
		slopes = append(slopes, beside.Slope(compiled["CompileClients"]))
		core = append(core, added["AddClient"][manyOfFlow]/1e6)
		accounting = append(accounting, 100*sampled["Accounting"][usersOfAgent]/samplingOfAgent)
	}
	return []measure.Result{
		measure.Below("clients", "slope of compiling clients of a flow, 6,250 to 50,000", "", slopes, 1.15),
		measure.Below("clients", "add one to 50,000 in agent and core", "ms", core, addCeiling),
		measure.Below("clients", "accounting of an agent at 5,000 users", "%", accounting, accountingCeiling),
	}, nil
}

const (
	flowsOfClient     = 20
	subscribedAtOnce  = 400 // clients of one reading
	askedByEach       = 8   // of the ten times that each may ask in a minute, after the first
	subscriptionFloor = 0.5
)

// subscriptions compares the subscription of a client with 20 flows, which nothing has changed since somebody asked,
// with bare fiber that answers everybody with the same bytes. The first answer to each client is read from the
// database, and told beside.
func subscriptions(ctx context.Context, b *bench) ([]measure.Result, error) {
	s, err := b.installBareWith(ctx, "subscriptions", rig.PanelSettings{
		Env: []string{"PANEL_TRUSTED_PROXIES=127.0.0.1"},
	}, func(ctx context.Context, dsn string) error {
		_, err := seed.Fleet(ctx, dsn, 2)
		return err
	})
	if err != nil {
		return nil, err
	}
	addresses, _, err := s.putClients(ctx, flowsOfClient, subscribedAtOnce*(b.settings.pairs+1))
	if err != nil {
		return nil, err
	}
	asked := &subscribers{bench: b, stand: s, addresses: addresses}
	body, err := asked.sample(ctx)
	if err != nil {
		return nil, err
	}
	bare, process, err := b.bareFiber(ctx, body)
	if err != nil {
		return nil, err
	}
	var work, bareWork measure.Series
	limits, products, err := b.pairs(
		func() (float64, error) { return asked.again(ctx, bare, process.PID(), &bareWork) },
		func() (float64, error) { return asked.fromMemory(ctx, &work) },
	)
	result := measure.AtLeast("subscr", fmt.Sprintf("subscription of %d flows against bare fiber", flowsOfClient), "req/s",
		limits, products, subscriptionFloor)
	return []measure.Result{result.Note(
		"%d bytes; processor time per answer: bare %.0f us, product %.0f us, ratio %.2f; read from the database %.0f req/s",
		len(body), bareWork.Median(), work.Median(), bareWork.Median()/work.Median(), asked.first.Median(),
	)}, err
}

// putClients draws flows from one node to another and has clients use all of them.
func (s *stand) putClients(ctx context.Context, flows, count int) (addresses, flowIDs []string, err error) {
	key, _, err := vault.MasterKey("", s.Panel.DataDir)
	if err != nil {
		return nil, nil, err
	}
	opened, err := vault.New(key)
	if err != nil {
		return nil, nil, err
	}
	var fleet struct {
		Items []struct{ ID string }
	}
	if err := s.API.Get(ctx, "/api/v1/nodes?limit=2", &fleet); err != nil {
		return nil, nil, err
	}
	entry, exit := fleet.Items[0].ID, fleet.Items[1].ID
	for i := range flows {
		flow, err := s.API.Draw(ctx, fmt.Sprintf("clients %02d", i), twoHops(entry, exit, 21_000+i))
		if err != nil {
			return nil, nil, err
		}
		flowIDs = append(flowIDs, flow.ID)
	}
	addresses, err = seed.Clients{Vault: opened, NodeID: entry, FlowIDs: flowIDs, Count: count}.Put(ctx, s.dsn)
	return addresses, flowIDs, err
}

// subscribers ask for their subscriptions, each from an address of its own.
type subscribers struct {
	bench     *bench
	stand     *stand
	addresses []string // of subscriptions
	taken     int      // of them
	sent      int
	first     measure.Series // rates of answers that were read from the database
}

// sample is the answer to one client, which must name all flows.
func (u *subscribers) sample(ctx context.Context) ([]byte, error) {
	address := u.stand.Panel.URL + u.addresses[len(u.addresses)-1] + "?format=links"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("fetch a subscription: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("fetch a subscription: %w", err)
	}
	links, err := base64.StdEncoding.DecodeString(string(body))
	if found := strings.Count(string(links), "vless://"); err != nil || found != flowsOfClient {
		return nil, fmt.Errorf("fetch a subscription: it names %d flows, the answer is %d", found, answer.StatusCode)
	}
	return body, nil
}

// request is that of the next client of a reading.
func (u *subscribers) request(of []string) func(int, []byte) []byte {
	return func(_ int, buffer []byte) []byte {
		u.sent++
		return fmt.Appendf(buffer, "GET %s?format=links HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: 198.18.%d.%d\r\n\r\n",
			of[u.sent%len(of)], u.stand.address(), u.sent>>8&255, u.sent&255)
	}
}

// again has the clients of a reading ask at an address until each has asked so often.
func (u *subscribers) again(ctx context.Context, address string, pid int, work *measure.Series) (float64, error) {
	at := max(0, u.taken-subscribedAtOnce)
	return u.ask(ctx, address, pid, work, u.addresses[at:at+subscribedAtOnce])
}

func (u *subscribers) ask(
	ctx context.Context, address string, pid int, work *measure.Series, of []string,
) (float64, error) {
	before, err := processorSeconds(pid)
	if err != nil {
		return 0, err
	}
	outcome, err := load.Run(ctx, load.Plan{
		Address: address, Connections: connections, Request: u.request(of), For: u.bench.grace,
		Requests: askedByEach * len(of),
	})
	if err != nil {
		return 0, err
	}
	after, err := processorSeconds(pid)
	*work = append(*work, 1e6*(after-before)/float64(outcome.Requests))
	return outcome.PerSecond(), err
}

// fromMemory takes other clients for each reading. Each of them asks once before.
func (u *subscribers) fromMemory(ctx context.Context, work *measure.Series) (float64, error) {
	of := u.addresses[u.taken : u.taken+subscribedAtOnce]
	u.taken += subscribedAtOnce
	outcome, err := load.Run(ctx, load.Plan{
		Address: u.stand.address(), Connections: 8, Request: u.request(of), For: u.bench.grace, Requests: len(of),
	})
	if err != nil {
		return 0, err
	}
	u.first = append(u.first, outcome.PerSecond())
	return u.ask(ctx, u.stand.address(), u.stand.Panel.PID(), work, of)
}
