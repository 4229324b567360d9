package agentapi

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Watches is the content of the document watches: what the agent looks at by itself.
type Watches struct {
	Watches []Watch `json:"watches"`
}

// Watch is one thing to look at, again and again.
type Watch struct {
	ID              string `json:"id"`
	Type            string `json:"type"`                  // one of the types
	Address         string `json:"address,omitempty"`     // host:port of tcp, udp and tls
	ServerName      string `json:"server_name,omitempty"` // of tls
	URL             string `json:"url,omitempty"`         // of http
	Name            string `json:"name,omitempty"`        // of dns
	Answers         bool   `json:"answers,omitempty"`     // udp: whoever listens there answers a stranger's QUIC packet
	IntervalSeconds int    `json:"interval_s"`
	TimeoutSeconds  int    `json:"timeout_s"`
	RecheckCount    int    `json:"recheck_count,omitempty"` // quick looks after a result that is unlike the one before
	RecheckSeconds  int    `json:"recheck_s,omitempty"`
	Run             int64  `json:"run,omitempty"` // a new number asks for a look at once
}

// Types of watches.
const (
	WatchTCP  = "tcp"  // a connection is made
	WatchUDP  = "udp"  // somebody answers, where Answers says so; else only a refusal is a result
	WatchTLS  = "tls"  // a handshake, and a certificate of the name that has not ended
	WatchHTTP = "http" // an answer below 400; only public addresses are asked
	WatchDNS  = "dns"  // the name has an address
)

// WatchTypes are the types.
var WatchTypes = []string{WatchTCP, WatchUDP, WatchTLS, WatchHTTP, WatchDNS}

// MaxWatches is the most that one agent looks at.
const MaxWatches = 2000

// Check refuses watches that could not be told apart or done.
func (w Watches) Check() error {
	if len(w.Watches) > MaxWatches {
		return fmt.Errorf("check the watches: there are more than %d", MaxWatches)
	}
	known := make(map[string]bool, len(w.Watches))
	for _, one := range w.Watches {
		if one.ID == "" || known[one.ID] || !slices.Contains(WatchTypes, one.Type) {
			return errors.New("check the watches: one has no id, stands there twice, or is of no known type")
		}
		if one.IntervalSeconds < 1 || one.TimeoutSeconds < 1 || one.RecheckCount < 0 || one.RecheckSeconds < 0 {
			return fmt.Errorf("check the watch %s: its times are not positive", one.ID)
		}
		known[one.ID] = true
	}
	return nil
}

// BatchHealth carries CheckResult.
const BatchHealth BatchKind = "health"

// CheckResult is what one look has found.
type CheckResult struct {
	WatchID       string     `json:"watch_id"`
	At            time.Time  `json:"at"` // by the panel's clock, as far as the agent knows it
	OK            bool       `json:"ok"`
	Reason        string     `json:"reason,omitempty"` // one of the reasons; empty when all is well
	Error         string     `json:"error,omitempty"`  // in the words of the system
	LatencyMillis float64    `json:"latency_ms,omitempty"`
	CertExpires   *time.Time `json:"cert_expires_at,omitempty"`
}

// Reasons of a result that is not well.
const (
	CheckRefused     = "refused"
	CheckTimeout     = "timeout"
	CheckNoRoute     = "no_route"
	CheckReset       = "reset"
	CheckUnresolved  = "name_unresolved"
	CheckNoTLS       = "tls_failed"
	CheckCertExpired = "certificate_expired"
	CheckCertName    = "certificate_name"
	CheckHTTPStatus  = "http_status"
	CheckFailed      = "failed" // anything else
)

// CheckReasons are the reasons.
var CheckReasons = []string{
	CheckRefused, CheckTimeout, CheckNoRoute, CheckReset, CheckUnresolved, CheckNoTLS, CheckCertExpired, CheckCertName,
	CheckHTTPStatus, CheckFailed,
}

// Clean makes a result fit to be stored and shown: an agent may say what it likes, and its texts come from strangers.
func (r *CheckResult) Clean() {
	r.Error = plain(r.Error)
	r.LatencyMillis = max(0, min(r.LatencyMillis, mostLatency))
	switch {
	case r.OK:
		r.Reason, r.Error = "", ""
	case !slices.Contains(CheckReasons, r.Reason):
		r.Reason = CheckFailed
	}
	if c := r.CertExpires; c != nil && (c.Year() < 1970 || c.Year() > 9000) {
		r.CertExpires = nil
	}
}
