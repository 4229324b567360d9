package provider

import (
	"context"
	"net/netip"

	"panel/platform/fault"
)

// Front is one host name that a CDN stands in front of.
type Front struct {
	// Name is of the panel's making and unique: by it the service finds again what was made when an answer was lost.
	Name   string
	Host   string
	Origin Origin
	Marks  Marks
	// Named says that the name servers of the zone answer with the records that Advance has asked for.
	Named bool
}

// Origin is where a CDN fetches from.
type Origin struct {
	Address netip.Addr
	TLS     bool
}

// scheme is how the origin is spoken to.
func (o Origin) scheme() string {
	if o.TLS {
		return "https"
	}
	return "http"
}

// Marks are what a service calls the parts of a front.
type Marks struct {
	Resource    string `json:"resource,omitempty"`
	Group       string `json:"group,omitempty"`
	Certificate string `json:"certificate,omitempty"`
}

// Steps of a front, in the words of whoever waits for it.
const (
	StepCreate      = "create"
	StepCertificate = "certificate"
	StepName        = "cname"
	StepReady       = "ready"
)

// Progress is how far a front is.
type Progress struct {
	Marks Marks
	// Target is the name that the host name's CNAME leads to; empty before the service has given one.
	Target string
	// Records are what the zone must hold, that CNAME among them.
	Records []Record
	// Step is what is waited for.
	Step  string
	Ready bool
}

// alias is the CNAME that leads a host name to a network.
func alias(host, target string) Record {
	return Record{Name: Canonical(host), Type: TypeCNAME, Value: Canonical(target), TTL: frontTTL}
}

const frontTTL = 300

// CDN makes, changes and removes what a service keeps for one host name. Each call may be repeated, also after one
// whose answer was lost. Its faults are those of the Code constants.
type CDN interface {
	// Advance does what can be done now and tells how far the front is. Fault: record_conflict (409) when somebody
	// else at the service has the host name.
	Advance(ctx context.Context, f Front) (Progress, error)
	// Point changes where the service fetches from.
	Point(ctx context.Context, f Front) error
	// Remove takes away all that was made for the front. Parts that it learns of are kept first, so that whoever goes
	// on after a panel that died leaves none of them behind.
	Remove(ctx context.Context, f Front, keep func(Marks) error) error
}

// CDN gives what a client does at a CDN; nil for a service that is none.
func (c *Client) CDN() CDN {
	if at, is := c.driver.(CDN); is {
		return known{at}
	}
	return nil
}

// known turns the errors of a driver into faults.
type known struct{ at CDN }

// mostParts is how many things a front consists of at a CDN: a group of origins, a resource and its host name.
const mostParts = 3

// Advance looks again at what is in its way: another panel may have made it since the look before, and by its name it
// is the front's own. That can happen once with each part of a front.
func (k known) Advance(ctx context.Context, f Front) (Progress, error) {
	s, err := k.at.Advance(ctx, f)
	for range mostParts {
		if refusal := refusalOf(err); refusal == nil || !refusal.Exists {
			break
		}
		s, err = k.at.Advance(ctx, f)
	}
	if refusal := refusalOf(err); refusal != nil && refusal.Exists {
		return s, fault.Conflict(CodeConflict, f.Host+" is taken at "+refusal.Service+": "+refusal.Words).Wrap(err)
	}
	return s, asFault(err)
}

func (k known) Point(ctx context.Context, f Front) error { return asFault(k.at.Point(ctx, f)) }

func (k known) Remove(ctx context.Context, f Front, keep func(Marks) error) error {
	return asFault(k.at.Remove(ctx, f, keep))
}

// zoneless is the part of a driver whose service holds no zones.
type zoneless struct{}

func (zoneless) zones(context.Context) ([]Zone, error) { return nil, nil }

func (zoneless) zone(context.Context, string) (Zone, error) { return Zone{}, ErrNoZone }

func (zoneless) records(context.Context, Zone, string) ([]Record, error) { return nil, ErrNoZone }

func (zoneless) add(_ context.Context, _ Zone, r Record) (Record, error) { return r, ErrNoZone }

func (zoneless) remove(context.Context, Zone, Record) error { return ErrNoZone }
