package cdn

import (
	"encoding/json"
	"strings"
	"time"

	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/domains/domainsapi"
)

// Source tells bindings what stands at networks for them: the front at a CDN, else their proxied records.
func Source() domainsapi.Source {
	return domainsapi.Source{
		Name: "networks",
		SQL: `select jsonb_build_object('front', (
				select jsonb_build_object('kind', f.kind, 'resource', coalesce(f.marks ->> 'resource', ''), 'target', f.target,
					'origin', f.origin, 'tls', f.origin_tls, 'state', f.state)
				from cdn_fronts f where f.domain_id = d.id order by f.id desc limit 1
			), 'records', (
				select jsonb_agg(jsonb_build_object('kind', c.kind, 'resource', c.provider_id, 'value', c.value, 'state', c.state)
					order by c.hostname, c.type, c.value)
				from cdn_resources c where c.domain_id = d.id and c.type <> '` + provider.TypeCNAME + `'
			))`,
		Read: stateFrom,
	}
}

func stateFrom(known []byte, _ time.Time) (domainsapi.State, error) {
	var at struct {
		Front *struct {
			Kind, Resource, Target, Origin, State string
			TLS                                   bool
		}
		Records []struct{ Kind, Resource, Value, State string }
	}
	if err := json.Unmarshal(known, &at); err != nil {
		return domainsapi.State{}, err
	}
	if f := at.Front; f != nil {
		port := portHTTP
		if f.TLS {
			port = portHTTPS
		}
		return domainsapi.State{RecordType: provider.TypeCNAME, CDN: &domainsapi.CDN{
			Kind: f.Kind, ResourceID: f.Resource, CNAME: strings.TrimSuffix(f.Target, "."), OriginHost: f.Origin,
			OriginPort: port, State: f.State,
		}}, nil
	}
	if len(at.Records) == 0 {
		return domainsapi.State{}, nil
	}
	first := at.Records[0]
	state := &domainsapi.CDN{
		Kind: first.Kind, ResourceID: first.Resource, OriginHost: first.Value, State: first.State,
	}
	for _, record := range at.Records {
		if record.State != StateReady {
			state.State = StateProvisioning
		}
	}
	return domainsapi.State{CDN: state}, nil
}
