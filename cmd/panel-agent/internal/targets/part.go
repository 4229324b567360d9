// Package targets tries sites as REALITY targets from this host: what they show in a handshake of TLS, in their
// certificate and on their first page. It reads little, waits briefly, and never dials an address inside.
package targets

import (
	"context"
	"crypto/x509"
	"net"

	"panel/cmd/panel-agent/internal/part"
	"panel/cmd/panel-agent/internal/reach"
	"panel/platform/agentapi"
)

// Part is the manifest. A scan that a crash has ended is not begun again: hosters count repeated scans.
var Part = part.Part{
	Name: "targets", Commands: []agentapi.CommandKind{agentapi.ScanTargets},
	Once: []agentapi.CommandKind{agentapi.ScanTargets}, Batches: []agentapi.BatchKind{agentapi.TargetFindings},
	Open: open,
}

func open(env *part.Env) (*part.Live, error) {
	findings, err := env.Batches(agentapi.TargetFindings)
	if err != nil {
		return nil, err
	}
	allowed, err := reach.FromEnvironment()
	if err != nil {
		return nil, err
	}
	// Without roots of the system no chain is valid; every finding says so, and nothing else ends.
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	s := newScanner(&look{
		names: net.DefaultResolver, reach: allowed, roots: roots, clock: env.Clock,
	}, func(f agentapi.TargetFinding) error { return findings.Add(f) }, env.Clock)
	return &part.Live{Commands: map[agentapi.CommandKind]part.Handler{agentapi.ScanTargets: part.Handle(s.do)}}, nil
}

// resolver is what a look asks of DNS.
type resolver interface {
	LookupHost(ctx context.Context, host string) ([]string, error)
	LookupCNAME(ctx context.Context, host string) (string, error)
}
