package provider

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// driver speaks one service's API. Its errors are *Refusal or faults of platform/outbound.
type driver interface {
	// zones lists every zone that the credentials open.
	zones(ctx context.Context) ([]Zone, error)
	// zone gives the zone of exactly this name; ErrNoZone when there is none.
	zone(ctx context.Context, name string) (Zone, error)
	// records gives the records of exactly this name, of the types that the panel writes.
	records(ctx context.Context, zone Zone, name string) ([]Record, error)
	add(ctx context.Context, zone Zone, r Record) (Record, error)
	// remove takes away one record; one that is gone is no error.
	remove(ctx context.Context, zone Zone, r Record) error
}

// Rights are what the credentials may do, as far as the service tells without a write.
type Rights struct{ ZoneRead, DNSEdit bool }

// rightful is a driver whose service tells rights.
type rightful interface {
	rights(ctx context.Context) (Rights, error)
}

// Client is one integration, opened. Its faults are those of the Code constants.
type Client struct {
	Kind      *Kind
	providers *Providers
	driver    driver
}

// Zones lists every zone that the credentials open, by name.
func (c *Client) Zones(ctx context.Context) ([]Zone, error) {
	zones, err := c.driver.zones(ctx)
	slices.SortFunc(zones, func(a, b Zone) int { return strings.Compare(a.Name, b.Name) })
	return zones, asFault(err)
}

// Rights tells what the credentials may do. A service that does not tell is believed by what it shows.
func (c *Client) Rights(ctx context.Context) (Rights, error) {
	if telling, ok := c.driver.(rightful); ok {
		rights, err := telling.rights(ctx)
		return rights, asFault(err)
	}
	return Rights{ZoneRead: true, DNSEdit: true}, nil
}

// ZoneOf finds the zone that a host name lies in: its own labels first, then those of its parents. ErrNoZone when the
// credentials open none.
func (c *Client) ZoneOf(ctx context.Context, host string) (Zone, error) {
	for name := Canonical(host); strings.Contains(name, "."); {
		zone, err := c.driver.zone(ctx, name)
		if err == nil || !errors.Is(err, ErrNoZone) {
			return zone, asFault(err)
		}
		_, name, _ = strings.Cut(name, ".")
	}
	return Zone{}, ErrNoZone
}

// Records gives the records of exactly this name, of the types that the panel writes.
func (c *Client) Records(ctx context.Context, zone Zone, name string) ([]Record, error) {
	found, err := c.driver.records(ctx, zone, Canonical(name))
	return found, asFault(err)
}

// Written is what became of a write.
type Written struct {
	Record Record
	// Confirmed says that an authoritative server of the zone answers with the record.
	Confirmed bool
	// Seen is what that server answered instead, if it answered at all.
	Seen []string
}

// Add writes a record beside those that are there; one that is there already is what was wanted. It reads the record
// back and asks an authoritative server of the zone for it. A service may say that it wrote what it did not: a CNAME
// where other records stand. That is record_conflict.
func (c *Client) Add(ctx context.Context, zone Zone, r Record) (Written, error) {
	r.Name, r.TTL = Canonical(r.Name), max(r.TTL, c.Kind.LeastTTL)
	r.Proxied = r.Proxied && c.Kind.Proxies
	made, err := c.write(ctx, zone, r)
	if err != nil {
		return Written{Record: made}, asFault(err)
	}
	written := Written{Record: made}
	written.Confirmed, written.Seen = c.confirmed(ctx, zone, r)
	return written, nil
}

func (c *Client) write(ctx context.Context, zone Zone, r Record) (Record, error) {
	ctx, release, err := c.lock(ctx, zone, r.Name)
	if err != nil {
		return Record{}, err
	}
	defer release()
	made, refused := c.driver.add(ctx, zone, r)
	if refused != nil && !decided(refused) {
		return Record{}, refused
	}
	there, err := c.driver.records(ctx, zone, r.Name)
	if err != nil {
		return made, cmp.Or(refused, err)
	}
	if i := slices.IndexFunc(there, r.Same); i >= 0 {
		return there[i], nil
	}
	if refusal := refusalOf(refused); refusal != nil {
		refusal.Exists = refusal.Exists || slices.ContainsFunc(there, r.excludes)
		return Record{}, refused
	}
	return Record{}, &Refusal{
		Service: c.Kind.Title, Words: "the record was taken and is not there", Exists: len(there) > 0,
	}
}

// decided tells whether a service has refused a write for what it says. Services have words of their own for a record
// that is there already, which is what was wanted, and for another one in its way: what stands at the name tells.
func decided(err error) bool {
	refusal := refusalOf(err)
	return refusal != nil && !refusal.Unknown && !refusal.Forbidden && !refusal.Busy && len(refusal.Missing) == 0 &&
		refusal.Status >= http.StatusBadRequest && refusal.Status < http.StatusInternalServerError &&
		refusal.Status != http.StatusTooManyRequests
}

// Remove takes a record away. One that is gone is no error.
func (c *Client) Remove(ctx context.Context, zone Zone, r Record) error {
	r.Name = Canonical(r.Name)
	ctx, release, err := c.lock(ctx, zone, r.Name)
	if err != nil {
		return err
	}
	defer release()
	return asFault(c.driver.remove(ctx, zone, r))
}

// confirmed asks authoritative servers until one has the record, for a few seconds.
func (c *Client) confirmed(ctx context.Context, zone Zone, r Record) (bool, []string) {
	ctx, cancel := context.WithTimeout(ctx, c.providers.confirm)
	defer cancel()
	var seen []string
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		answered, err := c.ask(ctx, zone, r)
		if err == nil {
			if seen = answered; matches(r, seen) {
				return true, seen
			}
		}
		select {
		case <-ctx.Done():
			return false, seen
		case <-time.After(pause):
		}
	}
}

// Answers tells whether an authoritative server of the zone answers with a record now.
func (c *Client) Answers(ctx context.Context, zone Zone, r Record) bool {
	values, err := c.ask(ctx, zone, r)
	return err == nil && matches(r, values)
}

func (c *Client) ask(ctx context.Context, zone Zone, r Record) ([]string, error) {
	servers, err := c.providers.resolver.Servers(ctx, zone.Name, zone.Servers)
	for _, server := range servers {
		var values []string
		if values, err = c.providers.resolver.At(ctx, server, r.Name, r.Type); err == nil {
			return values, nil
		}
	}
	return nil, err
}

// matches looks for the record among what a server answered. What a network answers for its customers has addresses of
// its own.
func matches(r Record, values []string) bool {
	if r.Proxied {
		return len(values) > 0
	}
	return slices.ContainsFunc(values, func(value string) bool {
		return sameValue(r, Record{Type: r.Type, Value: value})
	})
}

// lock takes the turn at a name.
func (c *Client) lock(ctx context.Context, zone Zone, name string) (held context.Context, release func(), err error) {
	return c.providers.turns.Take(ctx, c.Kind.Name+"/"+zone.ID+"/"+name)
}

// AddressType is the type of the record that holds an address.
func AddressType(addr netip.Addr) string {
	if addr.Unmap().Is4() {
		return TypeA
	}
	return TypeAAAA
}
