// Package provider speaks to the services that hold DNS zones, all through one client with one vocabulary.
//
// A kind is one file: the fields that an integration of it has, and a driver that translates four questions into the
// service's own API. Client adds what all of them share: finding the zone of a name by walking its labels, a write that
// is only called done when an authoritative server of the zone answers so, and the two interfaces of libdns.
package provider

import (
	"context"
	"net/netip"
	"strings"

	"github.com/libdns/libdns"
)

// Solver writes the TXT records of DNS-01. Names are relative to the zone, which may end with a dot.
type Solver interface {
	libdns.RecordAppender
	libdns.RecordDeleter
}

// Solvers gives the zone that a host name lies in and who writes into it.
type Solvers interface {
	// Solver finds the integration that holds the zone of the host name; ErrNoZone when no integration does.
	Solver(ctx context.Context, hostname string) (zone string, solver Solver, err error)
}

// Record types that the panel writes.
const (
	TypeA     = "A"
	TypeAAAA  = "AAAA"
	TypeCNAME = "CNAME"
	TypeTXT   = "TXT"
)

// Zone is a domain that a service answers for.
type Zone struct {
	ID   string // what the service calls it
	Name string // lower case, without the final dot
	// Servers are the authoritative servers as the service names them; empty: ask DNS.
	Servers []string
}

// Record is one record of a zone. Name is the whole host name, Value the bare content: a TXT without its quotes, a
// CNAME without its final dot.
type Record struct {
	ID      string // empty where the service has no ids for records
	Name    string
	Type    string
	Value   string
	TTL     int
	Proxied bool
}

// Same tells whether two records say the same, whatever their TTL is.
func (r Record) Same(other Record) bool {
	return r.Name == other.Name && r.Type == other.Type && r.Proxied == other.Proxied && sameValue(r, other)
}

// excludes tells whether two records cannot stand at one name: an alias stands alone.
func (r Record) excludes(other Record) bool {
	return r.Name == other.Name && (r.Type == TypeCNAME) != (other.Type == TypeCNAME)
}

func sameValue(a, b Record) bool {
	if a.Value == b.Value {
		return true
	}
	left, errLeft := netip.ParseAddr(a.Value)
	right, errRight := netip.ParseAddr(b.Value)
	switch {
	case errLeft == nil && errRight == nil:
		return left == right
	case a.Type == TypeCNAME:
		return Canonical(a.Value) == Canonical(b.Value)
	}
	return false
}

// Canonical is a name in lower case without its final dot.
func Canonical(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// relative is the name within its zone; @ for the zone itself.
func relative(name, zone string) string {
	if name == zone {
		return "@"
	}
	return strings.TrimSuffix(name, "."+zone)
}

// absolute is the whole name of what a service calls by its name within the zone.
func absolute(name, zone string) string {
	name = Canonical(name)
	switch {
	case name == "" || name == "@" || name == zone:
		return zone
	case strings.HasSuffix(name, "."+zone):
		return name
	}
	return name + "." + zone
}
