package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"strings"
	"time"

	"github.com/miekg/dns"

	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
	"panel/e2e/rig"
)

const (
	watchedNames  = 5000
	watchedFor    = 20 * time.Second
	watchedRounds = 3
	namesWithin   = 3 * time.Minute
	namesLeadTo   = "203.0.113.7"
	lookedAtAgain = 15 // minutes until a name that is as it should be is looked at again
)

// bindNames binds a host name to each node of the fleet, a hundred to a zone.
var bindNames = `
update nodes set address = '` + namesLeadTo + `';
insert into node_domains
		(id, node_id, zone, label, hostname, mode, ttl, owner_id, created_at, updated_at, revision)
	select gen_random_uuid(), id, zone, label, label || '.' || zone, 'direct', 300, gen_random_uuid(),
		now(), now(), 1
	from (select id, 'n' || number as label, 'zone' || number / 100 || '.example' as zone
		from (select id, row_number() over (order by id) as number from nodes) n) d`

// watchedHostNames keeps 5,000 bindings and looks at the processor time that watching them takes. One of three
// resolvers never answers.
func watchedHostNames(ctx context.Context, b *bench) ([]measure.Result, error) {
	resolvers, stop, err := nameServers(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	s, err := b.installBareWith(ctx, "names", rig.PanelSettings{Env: []string{
		"PANEL_DNS_RESOLVERS=" + strings.Join(resolvers, ","), "PANEL_OUTBOUND_ALLOW=127.0.0.0/8",
	}}, func(ctx context.Context, dsn string) error {
		if _, err := seed.Fleet(ctx, dsn, watchedNames); err != nil {
			return err
		}
		return execute(ctx, dsn, bindNames)
	})
	if err != nil {
		return nil, err
	}
	took, err := s.allLookedAt(ctx)
	if err != nil {
		return nil, err
	}
	var resting, watching measure.Series
	for round := range watchedRounds + 1 { // in the first the panel is busy with its beginning
		rest, err := s.spent(ctx, "interval '1 hour'")
		if err != nil {
			return nil, err
		}
		// As far apart as the looks of a panel that has run for long.
		busy, err := s.spent(ctx, fmt.Sprintf("random() * interval '%d minutes'", lookedAtAgain))
		if err != nil {
			return nil, err
		}
		if round > 0 {
			resting, watching = append(resting, rest), append(watching, busy)
		}
	}
	result := measure.Below("names", "processor that watching 5,000 host names takes", "% of a core",
		measure.Series{max(watching.Median()-resting.Median(), 0)}, 5)
	return []measure.Result{
		measure.Below("names", "first looks at 5,000 host names, one resolver silent", "s",
			measure.Series{took.Seconds()}, namesWithin.Seconds()),
		result.Note("the panel takes %.1f %% with it and %.1f %% without, medians of %d", watching.Median(),
			resting.Median(), watchedRounds),
	}, nil
}

// spent is the processor time of the panel, in percent of a core, while names are due after this time from now.
func (s *stand) spent(ctx context.Context, due string) (float64, error) {
	if err := execute(ctx, s.dsn, "update domain_watches set next_at = now() + "+due); err != nil {
		return 0, err
	}
	before, err := processorSeconds(s.Panel.PID())
	if err != nil {
		return 0, err
	}
	if err := pause(ctx, watchedFor); err != nil {
		return 0, err
	}
	after, err := processorSeconds(s.Panel.PID())
	return 100 * (after - before) / watchedFor.Seconds(), err
}

// allLookedAt waits until every name was found to lead to its node.
func (s *stand) allLookedAt(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	for time.Since(began) < namesWithin {
		good, err := s.number(ctx, "select count(*) from domain_watches where state = 'ok'")
		if err != nil {
			return 0, err
		}
		if good >= watchedNames {
			return time.Since(began), nil
		}
		if err := pause(ctx, lookEvery*10); err != nil {
			return 0, err
		}
	}
	return 0, fmt.Errorf("not all of %d host names were looked at within %s", watchedNames, namesWithin)
}

// nameServers are two resolvers to which every name leads to the same address, and one that never answers.
func nameServers(ctx context.Context) (addresses []string, stop func(), err error) {
	good := dns.HandlerFunc(func(w dns.ResponseWriter, question *dns.Msg) {
		reply := new(dns.Msg)
		reply.SetReply(question)
		if asked := question.Question[0]; asked.Qtype == dns.TypeA {
			if record, err := dns.NewRR(asked.Name + " 60 IN A " + namesLeadTo); err == nil {
				reply.Answer = append(reply.Answer, record)
			}
		}
		_ = w.WriteMsg(reply) // who does not get it asks again
	})
	silent := dns.HandlerFunc(func(dns.ResponseWriter, *dns.Msg) {})
	var servers []*dns.Server
	stop = func() {
		for _, server := range servers {
			_ = server.Shutdown() // the process ends soon
		}
	}
	for _, handler := range []dns.Handler{good, good, silent} {
		conn, err := new(net.ListenConfig).ListenPacket(ctx, "udp", "127.0.0.1:0")
		if err != nil {
			stop()
			return nil, nil, fmt.Errorf("open a name server: %w", err)
		}
		server := &dns.Server{PacketConn: conn, Handler: handler}
		servers = append(servers, server)
		go func() { _ = server.ActivateAndServe() }()
		addresses = append(addresses, conn.LocalAddr().String())
	}
	return addresses, stop, nil
}

const (
	spreadNodes  = 200
	spreadRounds = 10
	spreadWithin = time.Minute
	spreadZone   = "zone.example"
	spreadFlow   = "0199a0de-0000-7000-8000-000000000001"
)

// showCertificates lets every node of the fleet show the certificate of a host name of its own in one zone.
var showCertificates = []string{
	`insert into flows (id, name, owner_id, root, graph, draft_updated_at, created_at, updated_at)
		values ('` + spreadFlow + `', 'spread', '` + spreadFlow + `', '', '{}', now(), now(), now())`,
	`insert into certificate_uses (flow_id, node_id, hostname, port)
		select '` + spreadFlow + `', id, name || '.` + spreadZone + `', 443 from nodes`,
}

// spreadCertificates exchanges the wildcard of a zone under 200 nodes and looks at how long it takes until their agents
// say that they hold the next one.
func spreadCertificates(ctx context.Context, b *bench) ([]measure.Result, error) {
	f, err := b.fleetAt(ctx, "spread", spreadNodes, 5*time.Second)
	if err != nil {
		return nil, err
	}
	for _, statement := range showCertificates {
		if err := execute(ctx, f.dsn, statement); err != nil {
			return nil, err
		}
	}
	var nearly, whole measure.Series
	for round := range spreadRounds + 1 { // the first warms up
		most, all, err := f.exchange(ctx, int64(round+1))
		if err != nil {
			return nil, err
		}
		if round > 0 {
			nearly, whole = append(nearly, most.Seconds()), append(whole, all.Seconds())
		}
	}
	f.agents.Kill()
	result := measure.Below("spread", "a certificate at 99 of 100 of 200 nodes, slowest of 10 rounds", "s",
		measure.Series{nearly.Quantile(1)}, 5)
	return []measure.Result{
		result.Note("median %.2f s; at all of them %.2f s, at most %.2f s", nearly.Median(), whole.Median(),
			whole.Quantile(1)),
	}, f.Panel.Stop()
}

// exchange stores the next certificate; it gives when 99 % of the agents and when all of them have said that they hold
// it.
func (f *fleet) exchange(ctx context.Context, serial int64) (most, all time.Duration, err error) {
	chain, key, err := wildcard(serial)
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := f.API.Post(ctx, "/api/v1/certificates", map[string]any{"chain": chain, "key": key}, nil); err != nil {
		return 0, 0, err
	}
	const holding = `select count(*) from node_documents d join node_reports r on r.node_id = d.node_id
		cross join lateral jsonb_to_recordset(r.surroundings->'documents') as a(name text, revision bigint)
		where d.name = 'certificates' and a.name = d.name and a.revision = d.revision`
	for time.Since(began) < spreadWithin {
		held, err := f.number(ctx, holding)
		if err != nil {
			return 0, 0, err
		}
		took := time.Since(began)
		if most == 0 && held*100 >= spreadNodes*99 {
			most = took
		}
		if held == spreadNodes {
			return most, took, nil
		}
		if err := pause(ctx, lookEvery); err != nil {
			return 0, 0, err
		}
	}
	return 0, 0, fmt.Errorf("not all of %d nodes held the next certificate within %s", spreadNodes, spreadWithin)
}

// wildcard is a certificate of the zone that outlasts those with lower serial numbers.
func wildcard(serial int64) (chain, key string, err error) {
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", fmt.Errorf("make a key: %w", err)
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(serial), DNSNames: []string{"*." + spreadZone}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().AddDate(1, 0, int(serial)),
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, secret.Public(), secret)
	if err != nil {
		return "", "", fmt.Errorf("make a certificate: %w", err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		return "", "", fmt.Errorf("encode a key: %w", err)
	}
	text := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	return text("CERTIFICATE", der), text("PRIVATE KEY", encoded), nil
}
