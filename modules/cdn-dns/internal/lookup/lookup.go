// Package lookup asks name servers what they answer: the public resolvers of the panel's settings, and the
// authoritative servers of a zone, one by one.
//
// A question goes by UDP and, when the answer is cut off or lost, by TCP. Addresses are judged as for every other call
// of the panel.
package lookup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"panel/platform/outbound"
)

// Errors of a question. They name no address.
var (
	// ErrSilent means that no server answered in time.
	ErrSilent = errors.New("no name server answered")
	// ErrRefused means that a server answered, but not the question.
	ErrRefused = errors.New("the name server refused the question")
)

const (
	waitUDP    = 2 * time.Second
	waitTCP    = 3 * time.Second
	packetSize = 1232 // the size that passes every network without fragments
)

// Resolver asks. It is safe for concurrent use.
type Resolver struct {
	network *outbound.Network
	public  []string // host:port
	silent  silences
}

// New makes a resolver that asks these public resolvers: addresses with or without a port.
func New(network *outbound.Network, public []string) *Resolver {
	r := &Resolver{network: network}
	for _, server := range public {
		r.public = append(r.public, withPort(server))
	}
	return r
}

func withPort(server string) string {
	if addr, err := netip.ParseAddr(strings.Trim(server, "[]")); err == nil {
		return netip.AddrPortFrom(addr, 53).String()
	}
	if _, _, err := net.SplitHostPort(server); err == nil {
		return server
	}
	return net.JoinHostPort(server, "53")
}

// Public gives the resolvers that Lookup asks.
func (r *Resolver) Public() []string { return slices.Clone(r.public) }

// Lookup asks the public resolvers in their order, those that have been silent last; the first that answers decides. A
// name without such records gives none.
func (r *Resolver) Lookup(ctx context.Context, name, kind string) ([]string, error) {
	last := ErrSilent
	for _, server := range r.loudFirst(r.public) {
		values, err := r.ask(ctx, server, name, kind, true)
		if err == nil {
			return values, nil
		}
		last = err
	}
	return nil, last
}

// Recursive asks one resolver.
func (r *Resolver) Recursive(ctx context.Context, server, name, kind string) ([]string, error) {
	return r.ask(ctx, server, name, kind, true)
}

// At asks one authoritative server for the records of exactly this name and type.
func (r *Resolver) At(ctx context.Context, server, name, kind string) ([]string, error) {
	return r.ask(ctx, server, name, kind, false)
}

// Servers gives the addresses of a zone's authoritative servers that can be found, each with its port. Names may be
// given by whoever holds the zone, also with a port; without any, DNS is asked.
func (r *Resolver) Servers(ctx context.Context, zone string, named []string) ([]string, error) {
	if len(named) == 0 {
		found, err := r.Lookup(ctx, zone, "NS")
		if err != nil {
			return nil, err
		}
		named = found
	}
	var servers []string
	last := ErrSilent
	for _, name := range named {
		found, err := r.addresses(ctx, name)
		if err != nil {
			last = err
		}
		servers = append(servers, found...)
	}
	if len(servers) == 0 {
		return nil, fmt.Errorf("find a name server of the zone: %w", last)
	}
	return servers, nil
}

func (r *Resolver) addresses(ctx context.Context, name string) ([]string, error) {
	host, port, err := net.SplitHostPort(withPort(strings.TrimSuffix(name, ".")))
	if err != nil {
		return nil, fmt.Errorf("%w: the name of a name server cannot be read", ErrRefused)
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return []string{net.JoinHostPort(host, port)}, nil
	}
	var found []string
	for _, kind := range []string{"A", "AAAA"} {
		values, err := r.Lookup(ctx, host, kind)
		if err != nil {
			return nil, err
		}
		for _, value := range values {
			found = append(found, net.JoinHostPort(value, port))
		}
	}
	return found, nil
}

func (r *Resolver) ask(ctx context.Context, server, name, kind string, recursive bool) ([]string, error) {
	question := new(dns.Msg)
	question.SetQuestion(dns.Fqdn(name), dns.StringToType[kind])
	question.RecursionDesired = recursive
	question.SetEdns0(packetSize, false)
	reply, err := r.exchange(ctx, server, question)
	if ctx.Err() == nil {
		r.silent.note(server, err, time.Now()) //nolint:forbidigo // waits for the network are times of the machine
	}
	switch {
	case err != nil:
		return nil, err
	case reply.Rcode == dns.RcodeNameError:
		return nil, nil
	case reply.Rcode != dns.RcodeSuccess:
		return nil, fmt.Errorf("%w: %s", ErrRefused, dns.RcodeToString[reply.Rcode])
	case !recursive && !reply.Authoritative:
		return nil, fmt.Errorf("%w: it does not hold the zone", ErrRefused)
	}
	return values(reply, name, kind, recursive), nil
}

func (r *Resolver) exchange(ctx context.Context, server string, question *dns.Msg) (*dns.Msg, error) {
	reply, err := r.once(ctx, r.network.DialUDP, server, question, waitUDP)
	if err == nil && !reply.Truncated || errors.Is(err, outbound.ErrForbidden) || ctx.Err() != nil {
		return reply, err
	}
	return r.once(ctx, r.network.Dial, server, question, waitTCP)
}

type dial func(ctx context.Context, address string, reach outbound.Reach) (net.Conn, error)

func (r *Resolver) once(
	ctx context.Context, open dial, server string, question *dns.Msg, wait time.Duration,
) (*dns.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	conn, err := open(ctx, server, outbound.Private)
	if err != nil {
		return nil, silent(err)
	}
	defer conn.Close()
	client := dns.Client{Timeout: wait}
	reply, _, err := client.ExchangeWithConnContext(ctx, question, &dns.Conn{Conn: conn, UDPSize: packetSize})
	if err != nil {
		return nil, silent(err)
	}
	return reply, nil
}

// silent leaves out the address, which errors of the network repeat.
func silent(err error) error {
	if errors.Is(err, outbound.ErrForbidden) || errors.Is(err, outbound.ErrInTransaction) {
		return err
	}
	reason, _ := outbound.Explain(err)
	return fmt.Errorf("%w: %s", ErrSilent, reason)
}

// values reads the content of the records asked for. An authoritative server is asked about one name; a resolver
// follows aliases, so that the records stand under another one.
func values(reply *dns.Msg, name, kind string, aliases bool) []string {
	var found []string
	for _, record := range reply.Answer {
		if !aliases && !strings.EqualFold(record.Header().Name, dns.Fqdn(name)) ||
			record.Header().Rrtype != dns.StringToType[kind] {
			continue
		}
		found = append(found, Value(record))
	}
	slices.Sort(found)
	return found
}

// Value is the bare content of a record: a text without quotes, a name without its final dot.
func Value(record dns.RR) string {
	switch r := record.(type) {
	case *dns.A:
		return r.A.String()
	case *dns.AAAA:
		return r.AAAA.String()
	case *dns.CNAME:
		return strings.ToLower(strings.TrimSuffix(r.Target, "."))
	case *dns.NS:
		return strings.ToLower(strings.TrimSuffix(r.Ns, "."))
	case *dns.TXT:
		return strings.Join(r.Txt, "")
	}
	return strings.TrimPrefix(record.String(), record.Header().String())
}
