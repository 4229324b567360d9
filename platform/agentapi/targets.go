package agentapi

import (
	"strings"
	"time"
	"unicode"
)

// TargetFindings is the kind of the batches with what scan_targets has found; each item is a TargetFinding.
const TargetFindings BatchKind = "target_findings"

// Bounds of one scan.
const (
	MaxScanTargets = 512
	MaxScanAtOnce  = 32
	MaxScanSeconds = 10 // for one target
	MaxTargetNames = 50 // of a certificate in a TargetFinding
)

// ScanTargetsArgs are the arguments of scan_targets: try these sites as REALITY targets, or stop doing so. What each
// shows goes up as a TargetFinding, one for each target; the command ends when all were tried.
type ScanTargetsArgs struct {
	SearchID    string       `json:"search_id" doc:"Names the search in every finding"`
	Stop        bool         `json:"stop,omitempty" doc:"End the scan of this search; the rest is left out"`
	Targets     []ScanTarget `json:"targets,omitempty" doc:"At most 512"`
	Concurrency int          `json:"concurrency,omitempty" doc:"Targets tried at once, at most 32; 0 = 16"`
	Seconds     int          `json:"timeout_s,omitempty" doc:"Longest time for one target, at most 10; 0 = 10"`
}

// ScanTarget is one site to try.
type ScanTarget struct {
	Host       string `json:"host" doc:"Host name or IP address"`
	Port       int    `json:"port"`
	ServerName string `json:"server_name,omitempty" doc:"Name to ask for; empty: the host, and of an address the first name of its certificate"`
}

// ScanTargetsData says how far a scan came.
type ScanTargetsData struct {
	Scanned int  `json:"scanned" doc:"Findings of this scan, each handed to the batches"`
	Stopped bool `json:"stopped,omitempty" doc:"It was stopped before its end"`
}

// TargetFailure says in one word why a target showed nothing.
type TargetFailure string

// Failures of a target.
const (
	TargetInside    TargetFailure = "inside"     // the node itself, or an address that is not of the public internet
	TargetNoAddress TargetFailure = "no_address" // its name leads to no address
	TargetNoAnswer  TargetFailure = "no_answer"  // nobody took the connection
	TargetNoTLS     TargetFailure = "no_tls"     // no handshake of TLS came about in time
)

// TargetFinding is what one target showed to an agent. It holds facts; what they are worth is for the panel to say.
type TargetFinding struct {
	SearchID   string        `json:"search_id"`
	Number     int           `json:"number" doc:"Place of the target in the arguments, from 0"`
	Target     string        `json:"target" doc:"host:port as it was asked for"`
	ServerName string        `json:"server_name,omitempty" doc:"Name that was asked for"`
	Failure    TargetFailure `json:"failure,omitempty"`
	IP         string        `json:"ip,omitempty" doc:"Address that was dialed"`

	TLSVersion  string             `json:"tls_version,omitempty" doc:"1.0 to 1.3"`
	ALPN        string             `json:"alpn,omitempty"`
	Group       string             `json:"group,omitempty" doc:"Key exchange, as of the TLS registry"`
	OCSP        bool               `json:"ocsp,omitempty" doc:"The handshake carried a proof that the certificate is not revoked"`
	Certificate *TargetCertificate `json:"certificate,omitempty"`

	LatencyMillis float64 `json:"latency_ms" doc:"Time to connect"`
	Answered      bool    `json:"answered,omitempty" doc:"It answered a request for its first page"`
	RedirectsTo   string  `json:"redirects_to,omitempty" doc:"Host that its first page leads to; it was not followed"`
	LeadsInside   bool    `json:"leads_inside,omitempty" doc:"That host is a private address"`
	HTTP3         bool    `json:"h3,omitempty" doc:"Its first page offers HTTP/3"`
	CDN           string  `json:"cdn,omitempty" doc:"Network that it stands behind"`
	NameMatches   bool    `json:"dns_matches_ip,omitempty" doc:"The name that was asked for leads to this address"`

	CheckedAt time.Time `json:"checked_at" doc:"By the agent's clock"`
}

// TargetCertificate is what a target showed of itself.
type TargetCertificate struct {
	Subject    string    `json:"subject"`
	Issuer     string    `json:"issuer"`
	NotAfter   time.Time `json:"not_after"`
	ChainValid bool      `json:"chain_valid" doc:"The host's roots trust it at this moment"`
	NameValid  bool      `json:"name_valid" doc:"It covers the name that was asked for"`
	Names      []string  `json:"sans" doc:"At most 50"`
	ChainBytes int       `json:"chain_bytes" doc:"Size of all certificates that it showed"`
}

const (
	mostTargetText = 200
	mostLatency    = 60_000 // milliseconds
)

// Clean makes the texts of a finding fit to be stored and shown: they come from strangers.
func (f *TargetFinding) Clean() {
	for _, text := range []*string{
		&f.Target, &f.ServerName, &f.IP, &f.TLSVersion, &f.ALPN, &f.Group, &f.RedirectsTo, &f.CDN,
	} {
		*text = plain(*text)
	}
	f.LatencyMillis = max(0, min(f.LatencyMillis, mostLatency))
	c := f.Certificate
	if c == nil {
		return
	}
	c.Subject, c.Issuer, c.Names = plain(c.Subject), plain(c.Issuer), c.Names[:min(len(c.Names), MaxTargetNames)]
	for i := range c.Names {
		c.Names[i] = plain(c.Names[i])
	}
}

// plain cuts a text and leaves out what is not shown as a letter, or turns the direction of what follows.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if runes := []rune(text); len(runes) > mostTargetText {
		return string(runes[:mostTargetText])
	}
	return text
}
