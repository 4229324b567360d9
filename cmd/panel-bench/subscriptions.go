package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"

	"panel/cmd/panel-bench/internal/load"
	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
	"panel/e2e/rig"
	"panel/platform/vault"
)

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
