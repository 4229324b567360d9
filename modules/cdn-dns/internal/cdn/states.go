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
		SQL: `select domain_id, json_build_object('front', f.front, 'records', r.records) as known from (
				select distinct on (domain_id) domain_id, json_build_object('kind', kind,
					'resource', coalesce(marks ->> 'resource', ''), 'target', target, 'origin', origin, 'tls', origin_tls,
					'state', state) as front
				from cdn_fronts where domain_id in (select id from p) order by domain_id, id desc
			) f full join (
				select domain_id, json_agg(json_build_object('kind', kind, 'resource', provider_id, 'value', value,
					'state', state) order by hostname, type, value) as records
				from cdn_resources where domain_id in (select id from p) and type <> '` + provider.TypeCNAME + `' group by domain_id
			) r using (domain_id)`,
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
