package score

import (
	"cmp"
	"fmt"
)

// networks judges how many networks were in use within a short time. All carriers with NAT count as one.
func (s *State) networks(v *Values) judged {
	if len(s.Visits) == 0 {
		return judged{unknown: true, why: say("networks_unknown", "no network of this user is known", nil)}
	}
	out := judged{sure: s.sure()}
	most, nat, at := 0, false, int64(0)
	for i := range s.Visits {
		until := s.Visits[i].To
		in, carriers := map[int64]bool{}, false
		for j := range s.Visits {
			o := &s.Visits[j]
			if o.From > until || o.To < until-int64(together.Seconds()) {
				continue
			}
			if o.NAT {
				carriers = true
				continue
			}
			in[o.ASN] = true
		}
		n := len(in)
		if carriers {
			n++
		}
		if n > most || n == most && until > at {
			most, nat, at = n, carriers, until
		}
	}
	hosts := s.hosting()
	args := map[string]any{"networks": most, "hosting": len(hosts)}
	if nat {
		out.why = say("networks_nat", "{networks} networks in 10 minutes; carrier NAT counted once", args)
	} else {
		out.why = say("networks", "{networks} networks in 10 minutes", args)
	}
	if most > v.Networks {
		out.raw = (most - v.Networks) * v.PerNetwork
		out.findings = append(out.findings, Finding{At: moment(at), Sentence: out.why})
	}
	out.raw += len(hosts) * v.PerHosting
	out.findings = append(out.findings, hosts...)
	return out
}

// hosting are the networks of hosting and VPN, each once.
func (s *State) hosting() (out []Finding) {
	told := map[int64]bool{}
	for i := len(s.Visits) - 1; i >= 0; i-- {
		o := &s.Visits[i]
		if o.Kind != "hosting" && o.Kind != "vpn" || told[o.ASN] {
			continue
		}
		told[o.ASN] = true
		out = append(out, Finding{At: moment(o.To), Sentence: say("hosting", "a network of hosting or VPN: {name}",
			map[string]any{"name": cmp.Or(o.Name, fmt.Sprintf("AS%d", o.ASN)), "asn": o.ASN, "kind": o.Kind})})
	}
	return out
}
