package domains

import (
	"context"
	"fmt"

	"panel/modules/domains/domainsapi"
)

// states asks other modules what they know of bindings. It is domainsapi.States.
type states struct {
	sources []source
	cdns    func(ctx context.Context, integrationID string) (bool, error)
}

type source struct {
	name   string
	answer func(ctx context.Context, domainIDs ...string) (map[string]domainsapi.State, error)
}

func newStates() *states { return &states{} }

// Add takes who answers.
func (s *states) Add(name string, answer func(ctx context.Context, domainIDs ...string) (map[string]domainsapi.State,
	error),
) {
	s.sources = append(s.sources, source{name, answer})
}

// CDNs takes who knows the accounts at CDNs.
func (s *states) CDNs(known func(ctx context.Context, integrationID string) (bool, error)) {
	s.cdns = known
}

// isCDN tells whether there is such an account.
func (s *states) isCDN(ctx context.Context, integrationID string) (bool, error) {
	if s.cdns == nil {
		return false, nil
	}
	return s.cdns(ctx, integrationID)
}

// fill writes what is known into the bindings, with one question to each source.
func (s *states) fill(ctx context.Context, shown ...*Domain) error {
	if len(shown) == 0 {
		return nil
	}
	ids := make([]string, len(shown))
	for i, d := range shown {
		ids[i] = d.ID
	}
	for _, from := range s.sources {
		known, err := from.answer(ctx, ids...)
		if err != nil {
			return fmt.Errorf("asking %s for the states of domains: %w", from.name, err)
		}
		for _, d := range shown {
			d.learn(known[d.ID])
		}
	}
	return nil
}

func (d *Domain) learn(known domainsapi.State) {
	if known.DNS != "" {
		d.DNSState = known.DNS
	}
	if known.RecordType != "" {
		d.Record.Type = known.RecordType
	}
	if known.ResolvedIPs != nil {
		d.ResolvedIPs = known.ResolvedIPs
	}
	if c := known.CDN; c != nil {
		d.CDN = CDN{
			IntegrationID: d.CDN.IntegrationID, Kind: c.Kind, ResourceID: c.ResourceID, CNAME: c.CNAME,
			OriginHost: c.OriginHost, OriginPort: c.OriginPort, State: c.State,
		}
	}
	if c := known.Certificate; c != nil {
		d.Certificate = Certificate{State: c.State, Issuer: c.Issuer, Challenge: c.Challenge, LastError: c.LastError}
		if !c.NotAfter.IsZero() {
			until := c.NotAfter.UTC()
			d.Certificate.NotAfter = &until
		}
	}
}
