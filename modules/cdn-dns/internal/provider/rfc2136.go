package provider

import (
	"context"
	"encoding/base64"
	"errors"
	"net"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"panel/modules/cdn-dns/internal/lookup"
	"panel/platform/fault"
	"panel/platform/outbound"
)

func rfc2136Kind() *Kind {
	algorithms := []string{"hmac-sha256", "hmac-sha512", "hmac-sha384", "hmac-sha224", "hmac-sha1"}
	return &Kind{
		Name: "rfc2136", Title: "RFC 2136 (BIND, Knot and others)", LeastTTL: 1,
		Fields: []Field{
			{Name: "server", Form: formText, Required: true, Help: "Primary name server: host, or host:port"},
			{Name: "zones", Form: formList, Required: true, Help: "Zones that the server takes updates for"},
			{Name: "key_name", Form: formText, Required: true, Help: "Name of the TSIG key"},
			{Name: "key_algorithm", Form: formChoice, Choices: algorithms, Default: algorithms[0], Help: "Algorithm of the key"},
			{Name: "key_secret", Form: formSecret, Required: true, Help: "Secret of the key, in base64"},
		},
		open: openRFC2136,
	}
}

func openRFC2136(p *Providers, values Values) (driver, error) {
	if secret, err := base64.StdEncoding.DecodeString(values["key_secret"]); err != nil || len(secret) == 0 {
		return nil, fault.InvalidValue("fields.key_secret", "must be the key's secret in base64")
	}
	server := values["server"]
	if _, _, err := net.SplitHostPort(server); err != nil {
		server = net.JoinHostPort(strings.Trim(server, "[]"), "53")
	}
	u := &rfc2136{
		providers: p, server: server, algorithm: dns.Fqdn(values["key_algorithm"]),
		key: dns.CanonicalName(values["key_name"]), secret: values["key_secret"],
	}
	for _, name := range list(values["zones"]) {
		u.names = append(u.names, Canonical(name))
	}
	return u, nil
}

type rfc2136 struct {
	providers              *Providers
	server                 string
	names                  []string
	key, algorithm, secret string
}

const rfc2136Service = "the name server"

func (u *rfc2136) zones(ctx context.Context) ([]Zone, error) {
	zones := make([]Zone, 0, len(u.names))
	for _, name := range u.names {
		zone, err := u.zone(ctx, name)
		if err != nil {
			return zones, err
		}
		zones = append(zones, zone)
	}
	return zones, nil
}

// zone asks the server whether it answers for the zone.
func (u *rfc2136) zone(ctx context.Context, name string) (Zone, error) {
	if !slices.Contains(u.names, name) {
		return Zone{}, ErrNoZone
	}
	found, err := u.query(ctx, name, dns.TypeSOA)
	if err != nil {
		return Zone{}, err
	}
	if len(found) == 0 {
		return Zone{}, &Refusal{Service: rfc2136Service, Words: "it does not answer for one of the zones"}
	}
	return Zone{ID: name, Name: name, Servers: []string{u.server}}, nil
}

// records asks for each type by itself. A name that does not exist is told from one that a wildcard answers for by a
// prerequisite, which no wildcard fulfils.
func (u *rfc2136) records(ctx context.Context, zone Zone, name string) ([]Record, error) {
	exists := u.update(zone)
	exists.NameUsed([]dns.RR{&dns.ANY{Hdr: dns.RR_Header{Name: dns.Fqdn(name)}}})
	reply, err := u.exchange(ctx, exists)
	if err != nil {
		return nil, err
	}
	if reply.Rcode == dns.RcodeNameError {
		return nil, nil
	}
	if err := u.judge(reply); err != nil {
		return nil, err
	}
	var records []Record
	for _, kind := range []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeCNAME, dns.TypeTXT} {
		found, err := u.query(ctx, name, kind)
		if err != nil {
			return nil, err
		}
		for _, rr := range found {
			records = append(records, Record{
				Name: name, Type: dns.TypeToString[kind], Value: lookup.Value(rr), TTL: int(rr.Header().Ttl),
			})
		}
	}
	return records, nil
}

func (u *rfc2136) query(ctx context.Context, name string, kind uint16) ([]dns.RR, error) {
	question := new(dns.Msg)
	question.SetQuestion(dns.Fqdn(name), kind)
	question.RecursionDesired = false
	reply, err := u.exchange(ctx, question)
	if err != nil {
		return nil, err
	}
	if reply.Rcode == dns.RcodeNameError {
		return nil, nil
	}
	if err := u.judge(reply); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(reply.Answer, func(rr dns.RR) bool {
		return rr.Header().Rrtype != kind || !strings.EqualFold(rr.Header().Name, dns.Fqdn(name))
	}), nil
}

func (u *rfc2136) update(zone Zone) *dns.Msg {
	message := new(dns.Msg)
	message.SetUpdate(dns.Fqdn(zone.Name))
	return message
}

// add inserts the record on the condition that nothing stands where it may not stand beside: a server takes a CNAME
// onto an address with success and does nothing.
func (u *rfc2136) add(ctx context.Context, zone Zone, r Record) (Record, error) {
	rr, err := u.rr(r)
	if err != nil {
		return r, err
	}
	there, err := u.records(ctx, zone, r.Name)
	if err != nil || slices.ContainsFunc(there, r.Same) {
		return r, err
	}
	message := u.update(zone)
	if r.Type == TypeCNAME {
		message.NameNotUsed([]dns.RR{rr})
	} else {
		message.RRsetNotUsed([]dns.RR{&dns.CNAME{Hdr: dns.RR_Header{Name: rr.Header().Name, Rrtype: dns.TypeCNAME}}})
	}
	message.Insert([]dns.RR{rr})
	reply, err := u.exchange(ctx, message)
	if err != nil {
		return r, err
	}
	return r, u.judge(reply)
}

func (u *rfc2136) rr(r Record) (dns.RR, error) {
	header := dns.RR_Header{
		Name: dns.Fqdn(r.Name), Rrtype: dns.StringToType[r.Type], Class: dns.ClassINET,
		Ttl: uint32(max(r.TTL, 0)), //nolint:gosec // a TTL is checked where it is entered
	}
	switch r.Type {
	case TypeA:
		return &dns.A{Hdr: header, A: net.ParseIP(r.Value)}, nil
	case TypeAAAA:
		return &dns.AAAA{Hdr: header, AAAA: net.ParseIP(r.Value)}, nil
	case TypeCNAME:
		return &dns.CNAME{Hdr: header, Target: dns.Fqdn(r.Value)}, nil
	case TypeTXT:
		return &dns.TXT{Hdr: header, Txt: []string{r.Value}}, nil
	}
	return nil, &Refusal{Service: rfc2136Service, Words: "the panel does not write records of this type"}
}

func (u *rfc2136) remove(ctx context.Context, zone Zone, r Record) error {
	rr, err := u.rr(r)
	if err != nil {
		return err
	}
	message := u.update(zone)
	message.Remove([]dns.RR{rr})
	reply, err := u.exchange(ctx, message)
	if err != nil {
		return err
	}
	return u.judge(reply)
}

// exchange signs a message and sends it by TCP, which updates need for their size and queries for their source.
func (u *rfc2136) exchange(ctx context.Context, message *dns.Msg) (*dns.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, u.providers.patience)
	defer cancel()
	conn, err := u.providers.network.Dial(ctx, u.server, outbound.Private)
	if err != nil {
		return nil, u.failed(err)
	}
	defer conn.Close()
	const fudge = 300
	message.SetTsig(u.key, u.algorithm, fudge, u.providers.now().Unix())
	client := dns.Client{Timeout: u.providers.patience, TsigSecret: map[string]string{u.key: u.secret}}
	reply, _, err := client.ExchangeWithConnContext(ctx, message, &dns.Conn{Conn: conn})
	if reply != nil && reply.IsTsig() != nil && reply.IsTsig().Error != dns.RcodeSuccess {
		return nil, unsigned(int(reply.IsTsig().Error))
	}
	if err != nil {
		return nil, u.failed(err)
	}
	return reply, nil
}

// unsigned says why a server does not believe the key. The error of the library hides it.
func unsigned(code int) error {
	refusal := &Refusal{Service: rfc2136Service, Code: dns.RcodeToString[code]}
	switch code {
	case dns.RcodeBadSig, dns.RcodeBadKey:
		refusal.Unknown = true
	case dns.RcodeBadTime:
		refusal.Words = "its clock and the panel's differ too much"
	}
	return refusal
}

func (u *rfc2136) failed(err error) error {
	switch {
	case errors.Is(err, outbound.ErrInTransaction), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, dns.ErrAuth), errors.Is(err, dns.ErrSig), errors.Is(err, dns.ErrNoSig):
		return &Refusal{Service: rfc2136Service, Unknown: true, Words: "the signature is not accepted"}
	}
	reason, late := outbound.Explain(err)
	if late {
		return fault.UpstreamTimeout("dns_provider_timeout", rfc2136Service+" did not answer in time")
	}
	return fault.Upstream("dns_provider_error", rfc2136Service+" could not be used: "+reason)
}

func (u *rfc2136) judge(reply *dns.Msg) error {
	refusal := &Refusal{Service: rfc2136Service, Code: dns.RcodeToString[reply.Rcode]}
	switch reply.Rcode {
	case dns.RcodeSuccess:
		return nil
	case dns.RcodeYXDomain, dns.RcodeYXRrset:
		refusal.Exists = true
	case dns.RcodeRefused:
		refusal.Missing = []string{"update of the zone"}
	case dns.RcodeNotAuth, dns.RcodeNotZone:
		refusal.Words = "it does not answer for the zone"
	}
	return refusal
}
