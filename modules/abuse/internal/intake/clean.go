package intake

import (
	"encoding/hex"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"panel/platform/agentapi"
)

// Bounds of what is stored of an agent's word.
const (
	mostCount    = 1_000_000 // of anything in one window
	longestTag   = 128       // characters
	longestHost  = 253
	longestName  = 80
	longestHash  = 64
	longestRef   = 128
	highestASN   = 1<<32 - 1
	highestPort  = 1<<16 - 1
	longestWhile = 7 * 24 * time.Hour  // that one line may be about
	oldest       = 30 * 24 * time.Hour // what is older when it comes says nothing any more
)

// plain makes a text fit to be stored and shown, at most so many bytes of it: without what controls a terminal, turns
// the direction of writing or is no text.
func plain(text string, most int) string {
	if len(text) <= most && printable(text) {
		return text
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if cut := most; len(text) > most {
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut]
	}
	return text
}

// printable says that a text has nothing but printable characters of ASCII, as most have.
func printable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// country is an ISO 3166 code, or nothing.
func country(code string) string {
	const letters = 2
	code = strings.ToUpper(code)
	if len(code) != letters || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || code == "XX" {
		return ""
	}
	return code
}

// address is an address in its one form, or nothing.
func address(text string) string {
	at, err := netip.ParseAddr(text)
	if err != nil {
		return ""
	}
	return at.Unmap().WithZone("").String()
}

func between(n, least, most int64) int64 { return max(least, min(n, most)) }

func share(part float64) float64 { return max(0, min(part, 1)) }

// asn is the number of a network; 0 is unknown.
func asn(n int64) int64 {
	if n < 0 || n > highestASN {
		return 0
	}
	return n
}

// span puts two moments in order and keeps them from lying in the future or far apart.
func span(first, last, now time.Time) (time.Time, time.Time) {
	if last.IsZero() || last.After(now) {
		last = now
	}
	if first.IsZero() || first.After(last) {
		first = last
	}
	if last.Sub(first) > longestWhile {
		first = last.Add(-longestWhile)
	}
	return first.UTC(), last.UTC()
}

// hash is a salted hash, or nothing: what is no hexadecimal number may be an address.
func hash(text string) string {
	if _, err := hex.DecodeString(text); err != nil || len(text) > longestHash {
		return ""
	}
	return strings.ToLower(text)
}

// cleanSignal makes a signal fit to be stored; false where it says nothing that could be.
func cleanSignal(s *agentapi.AbuseSignal, now time.Time) bool {
	if !slices.Contains(agentapi.AbuseKinds, s.Kind) || !slices.Contains(agentapi.Detectors, s.DetectedBy) {
		return false
	}
	if s.FlowID != "" && uuid.Validate(s.FlowID) != nil {
		return false
	}
	if s.FirstAt, s.LastAt = span(s.FirstAt, s.LastAt, now); now.Sub(s.LastAt) > oldest {
		return false
	}
	s.Count, s.Confidence = between(s.Count, 1, mostCount), share(s.Confidence)
	s.InboundTag = plain(s.InboundTag, longestTag)
	cleanSource(s)
	cleanDest(s)
	if s.Action == nil {
		s.Action = &agentapi.AbuseHandled{}
	}
	if until := s.Action.WillUnblockAt; until != nil && (!s.Action.Blocked || until.After(now.AddDate(1, 0, 0))) {
		s.Action.WillUnblockAt = nil
	}
	return true
}

// cleanSource keeps the address of a source out of the words of the evidence, which stay longer.
func cleanSource(s *agentapi.AbuseSignal) {
	if s.Source == nil {
		s.Source = &agentapi.AbuseSource{}
	}
	said := s.Source.IP
	*s.Source = agentapi.AbuseSource{
		IP: address(said), PrefixHash: hash(s.Source.PrefixHash), ASN: asn(s.Source.ASN),
		Country: country(s.Source.Country),
	}
	if s.Source.IP != "" {
		s.Evidence = strings.NewReplacer(said, "[source]", s.Source.IP, "[source]").Replace(s.Evidence)
	}
	s.Evidence = plain(s.Evidence, agentapi.MaxEvidence)
}

func cleanDest(s *agentapi.AbuseSignal) {
	if s.Dest == nil {
		s.Dest = &agentapi.AbuseDest{}
		return
	}
	port := s.Dest.Port
	if port < 0 || port > highestPort {
		port = 0
	}
	*s.Dest = agentapi.AbuseDest{
		Host: strings.ToLower(plain(s.Dest.Host, longestHost)), IP: address(s.Dest.IP), Port: port,
		ASN: asn(s.Dest.ASN),
	}
}

// cleanUser makes a line of diversity fit to be stored; false where it is too old to say anything.
func cleanUser(u *agentapi.UserDiversity, now time.Time) bool {
	if u.FirstAt, u.LastAt = span(u.FirstAt, u.LastAt, now); now.Sub(u.LastAt) > oldest {
		return false
	}
	u.IPs, u.Sources = between(u.IPs, 0, mostCount), between(u.Sources, 0, mostCount)
	u.MaxConcurrent = between(u.MaxConcurrent, 0, mostCount)
	u.MobileShare = share(u.MobileShare)
	u.ASNs = kept(u.ASNs, func(n int64) (int64, bool) { n = asn(n); return n, n != 0 })
	u.Countries = kept(u.Countries, func(code string) (string, bool) {
		code = country(code)
		return code, code != ""
	})
	u.Cities = kept(u.Cities, func(name string) (string, bool) {
		name = plain(name, longestName)
		return name, name != ""
	})
	if u.Devices != nil {
		devices := between(*u.Devices, 0, mostCount)
		u.Devices = &devices
	}
	u.Networks = u.Networks[:min(len(u.Networks), agentapi.MaxDiversityLists)]
	for i := range u.Networks {
		cleanNetwork(&u.Networks[i], now)
	}
	return true
}

func cleanNetwork(n *agentapi.UserNetwork, now time.Time) {
	n.ASN, n.Country = asn(n.ASN), country(n.Country)
	n.Name, n.City = plain(n.Name, longestName), plain(n.City, longestName)
	if !slices.Contains(agentapi.NetworkKinds, n.Kind) {
		n.Kind = ""
	}
	const quarter, half = 90, 180
	if n.Lat < -quarter || n.Lat > quarter || n.Lon < -half || n.Lon > half {
		n.Lat, n.Lon = 0, 0
	}
	n.Prefixes = kept(n.Prefixes, func(one string) (string, bool) { one = hash(one); return one, one != "" })
	n.FirstAt, n.LastAt = span(n.FirstAt, n.LastAt, now)
}

// kept are the values of a list that make sense, each once, up to the most that a list may have.
func kept[T comparable](all []T, clean func(T) (T, bool)) []T {
	out := []T{}
	for _, one := range all[:min(len(all), mostListed)] {
		if value, fine := clean(one); fine && !slices.Contains(out, value) && len(out) < agentapi.MaxDiversityLists {
			out = append(out, value)
		}
	}
	return out
}

// mostListed bounds the work on one list of a user.
const mostListed = 1000

// cleanCoverage are the listeners that an agent speaks of, each once.
func cleanCoverage(all []agentapi.Coverage) []agentapi.Coverage {
	seen, out := map[string]bool{}, []agentapi.Coverage{}
	for _, one := range all[:min(len(all), agentapi.MostAbuseItems)] {
		one.InboundTag = plain(one.InboundTag, longestTag)
		if one.InboundTag == "" || seen[one.InboundTag] || !slices.Contains(agentapi.CoverageSources, one.Source) {
			continue
		}
		seen[one.InboundTag] = true
		out = append(out, one)
	}
	return out
}
