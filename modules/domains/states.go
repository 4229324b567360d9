package domains

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/domains/domainsapi"
)

// states is what other modules know of bindings. It is domainsapi.States.
type states struct {
	sources []domainsapi.Source
	cdns    func(ctx context.Context, integrationID string) (bool, error)
}

func newStates() *states { return &states{} }

// Add takes who knows them.
func (s *states) Add(source domainsapi.Source) { s.sources = append(s.sources, source) }

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

// ask has a query of the bindings d, chosen by p, ask each source about all of them: their answers are the array known.
func (s *states) ask(q *bun.SelectQuery) *bun.SelectQuery {
	answers := make([]string, len(s.sources))
	for i, from := range s.sources {
		as := "s" + strconv.Itoa(i)
		q = q.Join("left join (" + from.SQL + ") as " + as + " on " + as + ".domain_id = d.id")
		answers[i] = as + ".known"
	}
	return q.ColumnExpr("json_build_array(" + strings.Join(answers, ", ") + ") as known")
}

// shown is a binding with what the sources know of it.
func (s *states) shown(row *domainRow, now time.Time) (Domain, error) {
	d := row.shown()
	for i, known := range row.Known {
		if bytes.Equal(known, []byte("null")) {
			continue
		}
		state, err := s.sources[i].Read(known, now)
		if err != nil {
			return d, fmt.Errorf("read what %s knows of a binding: %w", s.sources[i].Name, err)
		}
		d.learn(state)
	}
	return d, nil
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
