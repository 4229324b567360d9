// Package verdict says what the facts about a site are worth for REALITY: whether it is a suitable target, how good a
// one, and why.
//
// REALITY asks of a target TLS 1.3 with HTTP/2 and a key exchange over X25519, a certificate that a browser accepts for
// the name, and a first page that leads nowhere else. The rest makes one target better than another.
package verdict

import (
	"strings"
	"time"

	"panel/platform/agentapi"
)

// Suitabilities.
const (
	Suitable   = "suitable"
	Acceptable = "acceptable" // it works, and something speaks against it
	Unsuitable = "unsuitable"
	Unknown    = "unknown" // it showed nothing
)

// Effects of a reason.
const (
	Good    = "good"
	Warning = "warning" // makes a suitable target an acceptable one
	Bad     = "bad"     // makes a target unsuitable
	Nothing = "nothing" // says why nothing is known
)

// Reason is one fact and what it does to the score.
type Reason struct {
	Code   string `json:"code"`
	Effect string `json:"effect" enum:"good,warning,bad,nothing"`
	Points int    `json:"points" doc:"What it adds to the score"`
	Text   string `json:"text" doc:"The reason as a sentence"`
}

// Verdict is what a site is worth.
type Verdict struct {
	Suitability string
	Score       int // 0 to 100
	Reasons     []Reason
}

// Scores that a target does not exceed with something against it.
const (
	mostAcceptable = 70
	mostUnsuitable = 30
)

const (
	near, middling, far = 50, 150, 300 // milliseconds
	expiresSoon         = 7 * 24 * time.Hour
)

// Of judges the facts that an agent found, at a moment.
func Of(f agentapi.TargetFinding, now time.Time) Verdict {
	j := &judge{worst: Good}
	if f.Failure != "" {
		j.failure(f.Failure)
		return j.verdict()
	}
	j.handshake(f)
	j.certificate(f, now)
	j.page(f)
	j.place(f)
	return j.verdict()
}

type judge struct {
	score   int
	worst   string
	reasons []Reason
}

// severity orders the effects.
var severity = map[string]int{Good: 0, Warning: 1, Bad: 2, Nothing: 3}

func (j *judge) say(code string) {
	r := reasons[code]
	r.Code = code
	j.score += r.Points
	if severity[r.Effect] > severity[j.worst] {
		j.worst = r.Effect
	}
	j.reasons = append(j.reasons, r)
}

// either says one of two reasons.
func (j *judge) either(holds bool, yes, no string) {
	if holds {
		j.say(yes)
		return
	}
	j.say(no)
}

func (j *judge) verdict() Verdict {
	v := Verdict{Score: max(0, min(j.score, 100)), Reasons: j.reasons}
	switch j.worst {
	case Good:
		v.Suitability = Suitable
	case Warning:
		v.Suitability, v.Score = Acceptable, min(v.Score, mostAcceptable)
	case Bad:
		v.Suitability, v.Score = Unsuitable, min(v.Score, mostUnsuitable)
	default:
		v.Suitability, v.Score = Unknown, 0
	}
	return v
}

func (j *judge) failure(failure agentapi.TargetFailure) {
	switch failure {
	case agentapi.TargetInside:
		j.say("inside")
	case agentapi.TargetNoAddress:
		j.say("no_address")
	case agentapi.TargetNoTLS:
		j.say("no_tls")
	default:
		j.say("no_answer")
	}
}

func (j *judge) handshake(f agentapi.TargetFinding) {
	j.either(f.TLSVersion == "1.3", "tls13", "no_tls13")
	j.either(f.ALPN == "h2", "h2", "no_h2")
	switch {
	case PostQuantum(f.Group):
		j.say("post_quantum")
	case f.Group == "X25519":
		j.say("x25519")
	case f.TLSVersion == "1.3": // an older handshake has said enough
		j.say("other_group")
	}
	if f.OCSP {
		j.say("ocsp")
	}
}

// PostQuantum says whether a key exchange withstands quantum computers.
func PostQuantum(group string) bool { return group == "X25519MLKEM768" }

func (j *judge) certificate(f agentapi.TargetFinding, now time.Time) {
	c := f.Certificate
	if c == nil || f.ServerName == "" {
		j.say("no_name")
		return
	}
	j.either(c.NameValid, "name_valid", "name_invalid")
	switch {
	case !now.Before(c.NotAfter):
		j.say("expired")
	case !c.ChainValid && c.Subject == c.Issuer:
		j.say("self_signed")
	case !c.ChainValid:
		j.say("chain_invalid")
	default:
		j.say("chain_valid")
	}
	if now.Before(c.NotAfter) && c.NotAfter.Sub(now) < expiresSoon {
		j.say("expires_soon")
	}
}

func (j *judge) page(f agentapi.TargetFinding) {
	switch {
	case f.LeadsInside:
		j.say("redirects_inside")
	case f.RedirectsTo != "" && sameSite(f.RedirectsTo, f.ServerName):
		j.say("redirects_own")
	case f.RedirectsTo != "":
		j.say("redirects")
	case f.Answered:
		j.say("direct")
	default:
		j.say("no_page")
	}
	if f.HTTP3 {
		j.say("h3")
	}
	if f.CDN != "" {
		j.say("cdn")
	}
}

// sameSite says whether two names differ in a leading www alone.
func sameSite(a, b string) bool {
	bare := func(name string) string { return strings.TrimPrefix(strings.ToLower(name), "www.") }
	return bare(a) == bare(b)
}

func (j *judge) place(f agentapi.TargetFinding) {
	if f.ServerName != "" {
		j.either(f.NameMatches, "dns_matches", "dns_elsewhere")
	}
	switch {
	case f.LatencyMillis <= near:
		j.say("near")
	case f.LatencyMillis <= middling:
		j.say("middling")
	case f.LatencyMillis > far:
		j.say("far")
	}
}
