package verdict

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

var now = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func site(changes ...func(*agentapi.TargetFinding)) agentapi.TargetFinding {
	f := agentapi.TargetFinding{
		ServerName: "www.example.org", TLSVersion: "1.3", ALPN: "h2", Group: "X25519MLKEM768", LatencyMillis: 20,
		Answered: true, NameMatches: true, HTTP3: true, OCSP: true, Certificate: &agentapi.TargetCertificate{
			Subject: "CN=www.example.org", Issuer: "CN=An authority", NotAfter: now.Add(90 * 24 * time.Hour),
			ChainValid: true, NameValid: true,
		},
	}
	for _, change := range changes {
		change(&f)
	}
	return f
}

func codes(v Verdict) (list []string) {
	for _, r := range v.Reasons {
		list = append(list, r.Code)
	}
	return list
}

// Rule: what has all that REALITY asks for and nothing against it is suitable, and the best of them scores 100.
func TestTheBestTargetScores100(t *testing.T) {
	t.Parallel()
	v := Of(site(), now)
	require.Equal(t, Suitable, v.Suitability)
	require.Equal(t, 100, v.Score)
	for _, r := range v.Reasons {
		require.NotEmpty(t, r.Text, r.Code)
		require.Equal(t, Good, r.Effect)
	}
}

// Rule: each fault of a target gives its verdict with its reason.
func TestEachFaultHasItsReason(t *testing.T) {
	t.Parallel()
	type change = func(*agentapi.TargetFinding)
	for reason, c := range map[string]struct {
		suitability string
		change      change
	}{
		"x25519":           {Suitable, func(f *agentapi.TargetFinding) { f.Group = "X25519" }},
		"redirects_own":    {Suitable, func(f *agentapi.TargetFinding) { f.RedirectsTo = "example.org" }},
		"middling":         {Suitable, func(f *agentapi.TargetFinding) { f.LatencyMillis = 120 }},
		"cdn":              {Acceptable, func(f *agentapi.TargetFinding) { f.CDN = "Fastly" }},
		"dns_elsewhere":    {Acceptable, func(f *agentapi.TargetFinding) { f.NameMatches = false }},
		"far":              {Acceptable, func(f *agentapi.TargetFinding) { f.LatencyMillis = 301 }},
		"no_page":          {Acceptable, func(f *agentapi.TargetFinding) { f.Answered = false }},
		"expires_soon":     {Acceptable, func(f *agentapi.TargetFinding) { f.Certificate.NotAfter = now.Add(time.Hour) }},
		"no_tls13":         {Unsuitable, func(f *agentapi.TargetFinding) { f.TLSVersion = "1.2" }},
		"no_h2":            {Unsuitable, func(f *agentapi.TargetFinding) { f.ALPN = "http/1.1" }},
		"other_group":      {Unsuitable, func(f *agentapi.TargetFinding) { f.Group = "CurveP256" }},
		"name_invalid":     {Unsuitable, func(f *agentapi.TargetFinding) { f.Certificate.NameValid = false }},
		"chain_invalid":    {Unsuitable, func(f *agentapi.TargetFinding) { f.Certificate.ChainValid = false }},
		"expired":          {Unsuitable, func(f *agentapi.TargetFinding) { f.Certificate.NotAfter = now }},
		"no_name":          {Unsuitable, func(f *agentapi.TargetFinding) { f.ServerName = "" }},
		"redirects":        {Unsuitable, func(f *agentapi.TargetFinding) { f.RedirectsTo = "example.com" }},
		"redirects_inside": {Unsuitable, func(f *agentapi.TargetFinding) { f.RedirectsTo, f.LeadsInside = "10.0.0.1", true }},
		"inside":           {Unsuitable, func(f *agentapi.TargetFinding) { f.Failure = agentapi.TargetInside }},
		"no_answer":        {Unknown, func(f *agentapi.TargetFinding) { f.Failure = agentapi.TargetNoAnswer }},
		"no_tls":           {Unknown, func(f *agentapi.TargetFinding) { f.Failure = agentapi.TargetNoTLS }},
		"no_address":       {Unknown, func(f *agentapi.TargetFinding) { f.Failure = agentapi.TargetNoAddress }},
		"self_signed": {Unsuitable, func(f *agentapi.TargetFinding) {
			f.Certificate.ChainValid, f.Certificate.Issuer = false, f.Certificate.Subject
		}},
	} {
		v := Of(site(c.change), now)
		require.Equal(t, c.suitability, v.Suitability, reason)
		require.Contains(t, codes(v), reason)
		require.Less(t, v.Score, 100, reason)
		switch v.Suitability {
		case Acceptable:
			require.LessOrEqual(t, v.Score, mostAcceptable, reason)
		case Unsuitable:
			require.LessOrEqual(t, v.Score, mostUnsuitable, reason)
		}
	}
}

// An agent may say anything; a verdict comes out.
func TestAnEmptyFindingIsJudged(t *testing.T) {
	t.Parallel()
	v := Of(agentapi.TargetFinding{}, now)
	require.Equal(t, Unsuitable, v.Suitability)
	require.GreaterOrEqual(t, v.Score, 0)
	require.Len(t, Codes(), len(reasons))
}
