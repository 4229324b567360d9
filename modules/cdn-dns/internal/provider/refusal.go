package provider

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"panel/platform/fault"
)

// ErrNoZone says that the credentials open no zone that the name lies in.
var ErrNoZone = errors.New("no zone of the integration holds this name")

// Refusal is an answer of a service that is no success.
type Refusal struct {
	Service string
	Status  int    // of HTTP; 0 where the service speaks DNS
	Code    string // the service's own word for it
	Words   string // the service's own sentence, without secrets
	// Missing are the rights that the credentials lack, in the service's words.
	Missing []string
	// Forbidden says that the credentials are known and do not allow this.
	Forbidden bool
	// Exists says that something else stands where the record should go.
	Exists bool
	// Unknown says that the credentials are none of the service's.
	Unknown bool
	// Final says that asking again changes nothing, where no status of HTTP says so.
	Final bool
	// Busy says that the service is at work on the same thing: the same call may succeed in a moment.
	Busy  bool
	After time.Duration
}

func (r *Refusal) Error() string {
	parts := []string{}
	if r.Status != 0 {
		parts = append(parts, fmt.Sprintf("HTTP %d", r.Status))
	}
	for _, part := range []string{r.Code, r.Words} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return r.Service + " refused: " + strings.Join(parts, ": ")
}

// Codes of the faults that calls of providers give.
const (
	CodeError       = "dns_provider_error"
	CodeTimeout     = "dns_provider_timeout"
	CodeLacksRights = "dns_token_lacks_rights"
	CodeRefused     = "dns_token_refused"
	CodeConflict    = "record_conflict"
)

// asFault turns what a driver gives into what callers may see. Faults of platform/outbound stay as they are.
func asFault(err error) error {
	refusal := refusalOf(err)
	if refusal == nil {
		return err
	}
	switch {
	case refusal.Unknown:
		return fault.Invalid("dns_token_refused", refusal.Service+" does not know these credentials").Wrap(err)
	case len(refusal.Missing) > 0 || refusal.Forbidden:
		return lacks(refusal.Service, refusal.Missing...).Wrap(err)
	case refusal.Exists:
		return fault.Conflict("record_conflict", "another record already stands at this name").Wrap(err)
	case refusal.Status == http.StatusTooManyRequests:
		return fault.Upstream("dns_provider_error", refusal.Service+" asks to be called less often").
			After(max(refusal.After, time.Second)).Wrap(err)
	}
	return fault.Upstream("dns_provider_error", refusal.Error()).Wrap(err)
}

// Passing tells of an error whether the same call may succeed later without anybody's doing: the service is down, slow,
// or asks to be called less often.
func Passing(err error) bool {
	kind := fault.KindOf(err)
	if kind == fault.KindUpstreamTimeout {
		return true
	}
	if refusal := refusalOf(err); refusal != nil && (refusal.Final || refusal.Busy) {
		return refusal.Busy
	}
	refused := status(err)
	final := refused >= http.StatusBadRequest && refused < http.StatusInternalServerError &&
		refused != http.StatusTooManyRequests
	return kind == fault.KindUpstream && !final
}

// lacks names the rights that credentials do not have, in the service's own words.
func lacks(service string, missing ...string) *fault.Fault {
	if len(missing) == 0 {
		missing = []string{"access to this zone"}
	}
	return fault.Invalid("dns_token_lacks_rights", "the credentials at "+service+" lack: "+strings.Join(missing, ", ")).
		With("missing", missing)
}

// needs says which right a refused call needs.
func needs(right string, err error) error {
	if refusal := refusalOf(err); refusal != nil && refusal.Forbidden {
		refusal.Missing = []string{right}
	}
	return err
}

// status gives the HTTP status of a refusal, 0 for any other error.
func status(err error) int {
	if refusal := refusalOf(err); refusal != nil {
		return refusal.Status
	}
	return 0
}

func refusalOf(err error) *Refusal {
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return refusal
	}
	return nil
}
