package cdndns

import (
	"context"
	"errors"
	"net/netip"
	"strings"

	"go.uber.org/zap"
	"golang.org/x/net/idna"

	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/cdn-dns/internal/records"
	"panel/platform/audit"
	"panel/platform/fault"
	"panel/platform/hostname"
)

// DNSSetup is what makes a domain lead to a server.
type DNSSetup struct {
	Domain          string `json:"domain" minLength:"1" maxLength:"253" doc:"Domain name"`
	ServerIP        string `json:"server_ip" minLength:"1" maxLength:"45" doc:"IP address of the server"`
	APIToken        string `json:"api_token" minLength:"1" maxLength:"2000" doc:"Secret of the DNS provider; write-only"`
	SaveIntegration bool   `json:"save_integration,omitempty" default:"false"`
}

// DNSSetupResult says what was made.
type DNSSetupResult struct {
	RootDomain  string       `json:"root_domain" doc:"Zone that the domain lies in"`
	Created     []MadeRecord `json:"created"`
	Existing    []MadeRecord `json:"existing" doc:"Records that stood there already"`
	Integration *Integration `json:"integration,omitempty" doc:"The saved integration, without the token"`
	SaveError   string       `json:"save_error,omitempty" doc:"Why the integration could not be saved; the records stand"`
	SaveCode    string       `json:"save_error_code,omitempty" doc:"The code of save_error, as a refusal of the save alone would have it"`
}

// MadeRecord is a DNS record.
type MadeRecord struct {
	Type  string `json:"type"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

func made(r provider.Record) MadeRecord {
	return MadeRecord{Type: r.Type, Name: r.Name, Value: r.Value}
}

const setupTTL = 300

// setup makes the record of a domain with a token that need not be kept. The same call again finds it and changes
// nothing, so that a failed save is repeated by the call as it was.
type setup struct {
	integrations *integrations
	log          *zap.Logger
}

func newSetup(i *integrations, log *zap.Logger) *setup { return &setup{i, log} }

// run makes the record first and saves afterwards: what cannot be saved does not undo it.
// Faults: invalid_value, dns_token_refused, dns_token_lacks_rights (422), record_conflict (409), dns_provider_error
// (502), dns_provider_timeout (504).
func (s *setup) run(ctx context.Context, in DNSSetup) (result DNSSetupResult, err error) {
	wanted, err := in.record()
	if err != nil {
		return result, err
	}
	client, err := s.integrations.providers.Open(provider.Cloudflare, in.values(), "")
	if err != nil {
		return result, err
	}
	zone, err := s.zone(ctx, client, wanted.Name)
	if err != nil {
		return result, err
	}
	result = DNSSetupResult{RootDomain: zone.Name, Created: []MadeRecord{}, Existing: []MadeRecord{}}
	there, err := client.Records(ctx, zone, wanted.Name)
	if err != nil {
		return result, err
	}
	switch same, others := among(there, wanted); {
	case same:
		result.Existing = append(result.Existing, made(wanted))
	case len(others) > 0:
		return result, fault.Conflict("record_conflict",
			"another record already stands at this name; remove it, then try again").With("existing", others)
	default:
		if _, err := client.Add(ctx, zone, wanted); err != nil {
			return result, err
		}
		result.Created = append(result.Created, made(wanted))
		if err := s.record(ctx, wanted); err != nil {
			return result, err
		}
	}
	if in.SaveIntegration {
		s.save(ctx, in, &result)
	}
	return result, nil
}

func (in DNSSetup) values() provider.Values { return provider.Values{"api_token": in.APIToken} }

// record reads domain and address. The domain may be written in any alphabet.
func (in DNSSetup) record() (provider.Record, error) {
	name, err := idna.Lookup.ToASCII(provider.Canonical(strings.TrimSpace(in.Domain)))
	if _, isAddress := netip.ParseAddr(name); err != nil || !hostname.Is(name) || !strings.Contains(name, ".") ||
		isAddress == nil {
		return provider.Record{}, fault.InvalidValue("domain", "must be a domain name")
	}
	addr, err := netip.ParseAddr(strings.TrimSpace(in.ServerIP))
	if err != nil || !records.Reachable(addr.Unmap()) {
		return provider.Record{}, fault.InvalidValue("server_ip", "must be an IP address that others can reach")
	}
	addr = addr.Unmap()
	return provider.Record{
		Name: name, Type: provider.AddressType(addr), Value: addr.String(), TTL: setupTTL,
	}, nil
}

// zone finds the zone of a name. A token that opens no zone at all lacks the right to read them.
func (s *setup) zone(ctx context.Context, client *provider.Client, name string) (provider.Zone, error) {
	zone, err := client.ZoneOf(ctx, name)
	if !errors.Is(err, provider.ErrNoZone) {
		return zone, err
	}
	if _, lacking := client.Rights(ctx); lacking != nil {
		return zone, lacking
	}
	return zone, fault.InvalidValue("domain", "lies in no zone that the token opens").Wrap(err)
}

// among tells whether the wanted record is there, and which records stand in its way.
func among(there []provider.Record, wanted provider.Record) (same bool, others []MadeRecord) {
	for _, r := range there {
		plain := r
		plain.Proxied = wanted.Proxied
		switch {
		case plain.Same(wanted):
			same = true
		case r.Type == wanted.Type, r.Type == provider.TypeCNAME:
			others = append(others, made(r))
		}
	}
	return same, others
}

func (s *setup) record(ctx context.Context, r provider.Record) error {
	i := s.integrations
	return i.store.db.InTx(ctx, func(ctx context.Context) error {
		return i.journal.Record(ctx, i.store.db.In(ctx), audit.Entry{
			Action: actionSetup, Object: audit.Object{Type: objectName, ID: r.Name, Name: r.Name},
			Changes: map[string]audit.Change{"type": {To: r.Type}, "value": {To: r.Value}},
		})
	})
}

// save keeps the token as the integration of the zone, labelled with the zone's name: the one of the call before is
// renewed. Whatever goes wrong is said in the result: the records stand.
func (s *setup) save(ctx context.Context, in DNSSetup, result *DNSSetupResult) {
	saved, err := s.keep(ctx, in, result.RootDomain)
	result.SaveCode = fault.Code(err)
	switch {
	case err == nil:
		result.Integration = &saved
	case fault.KindOf(err) == fault.Internal:
		s.log.Error("a DNS integration could not be saved", zap.Error(err))
		result.SaveError = "the panel could not save the integration; its log says why"
	default:
		result.SaveError = reason(err)
	}
}

func (s *setup) keep(ctx context.Context, in DNSSetup, label string) (Integration, error) {
	i := s.integrations
	row, there, err := i.store.labelled(ctx, label)
	switch {
	case err != nil:
		return Integration{}, err
	case !there:
		return i.add(ctx, NewIntegration{Provider: provider.Cloudflare, Label: label, Fields: in.values()})
	case row.Provider != provider.Cloudflare:
		return Integration{}, fault.Conflict("name_taken", "an integration with this label is already there")
	}
	return i.change(ctx, row.ID, row.Revision, IntegrationChange{Fields: in.values()})
}

// within tells whether a name is the zone or lies below it.
func within(name, zone string) bool {
	name = provider.Canonical(name)
	return name == zone || strings.HasSuffix(name, "."+zone)
}
