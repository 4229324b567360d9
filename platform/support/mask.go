package support

import (
	"fmt"
	"iter"
	"math"
	"net/netip"
	"strings"

	"panel/platform/doctor"
	"panel/platform/pattern"
)

// Kinds of what is masked.
const (
	kindPassword = "password"
	kindToken    = "token"
	kindKey      = "key"
	kindAddress  = "address"
	kindID       = "id"
)

// masker takes secrets out of texts. Values that the settings name are known beforehand; others are recognised by how
// they are written, and then looked for everywhere, because what one line shows another may show encoded.
type masker struct {
	known     *known
	addresses map[string]string // to the name that stands for it; nil leaves addresses as they are
}

func newMasker(hideAddresses bool) *masker {
	m := &masker{known: newKnown()}
	if hideAddresses {
		m.addresses = map[string]string{}
	}
	return m
}

var (
	digest  = pattern.Of(`^[0-9a-fA-F]{32,}$`)
	stamp   = pattern.Of(`^[0-9]{4,}[0-9_-]*(?:_[a-z_]+)?$`) // dates, numbers and names of migrations
	orderly = pattern.Of(`^01[0-9A-HJKMNP-TV-Z]{24}$`)       // names of requests, which rise with time
	uuid    = pattern.Of(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
)

// random tells text that was drawn or encoded from words that people and programs write.
func random(text string) bool {
	if digest().MatchString(text) {
		return true
	}
	if stamp().MatchString(text) || orderly().MatchString(text) || uuid().MatchString(text) || strings.HasPrefix(text,
		"***") {
		return false
	}
	upper, lower, digits, marks := 0, 0, 0, 0
	for _, c := range text {
		switch {
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= 'a' && c <= 'z':
			lower++
		case c >= '0' && c <= '9':
			digits++
		default:
			marks++
		}
	}
	const long, dense, scarce = 20, 3.2, 2
	mixed := upper >= scarce && lower >= scarce && digits >= 1
	oneCase := marks == 0 && len(text) >= long && digits >= scarce && upper+lower >= scarce
	base32 := lower == 0 && marks == 0 && digits >= scarce && upper >= scarce
	unbroken := marks <= len(text)/8
	return (mixed && unbroken || oneCase || base32) && entropy(text) >= dense
}

// eachRandom hands over the runs of letters that were drawn or encoded.
func eachRandom(text string, found func(value, kind string, from, to int)) {
	const shortest = 16
	from := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && inRun[text[i]] {
			continue
		}
		if i-from >= shortest && random(text[from:i]) {
			found(text[from:i], kindKey, from, i)
		}
		from = i + 1
	}
}

// inRun are the letters of base64, base32, base58 and hexadecimal.
var inRun = func() (in [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=-") {
		in[c] = true
	}
	return in
}()

// entropy is in bits per letter.
func entropy(text string) float64 {
	var counts [256]float64
	for _, c := range []byte(text) {
		counts[c]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			share := n / float64(len(text))
			bits -= share * math.Log2(share)
		}
	}
	return bits
}

// learn collects the values that the rules recognise, so that they are found in other forms too.
func (m *masker) learn(text string) {
	keep := func(value, kind string, _, _ int) {
		for _, part := range append(strings.FieldsFunc(value, inside), value) {
			if worthSearching(part) {
				m.known.add(part, kind)
			}
		}
	}
	for line := range linesOf(text) {
		lower := lowered(line)
		for _, r := range rules {
			if r.kind != kindID && r.hinted(lower) {
				r.each(line, keep)
			}
		}
		eachRandom(line, keep)
	}
}

// linesOf gives lines with their ends; a key that is written over several lines stays in one piece.
func linesOf(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			end := strings.IndexByte(text, '\n') + 1
			if end == 0 {
				end = len(text)
			}
			if strings.Contains(text[:end], "PRIVATE KEY-----") && strings.Contains(text[:end], "-----BEGIN") {
				if last := strings.Index(text[end:], "-----END"); last >= 0 && !strings.Contains(text[:end],
					"-----END") {
					end += last + len("-----END ENCRYPTED PRIVATE KEY-----")
					end = min(end, len(text))
				}
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}

func (r rule) hinted(lower string) bool {
	for _, hint := range r.hints {
		if strings.Contains(lower, hint) {
			return true
		}
	}
	return false
}

// inside tells what separates the values of a cookie header or of a link.
func inside(letter rune) bool { return strings.ContainsRune("; ,&?#=@", letter) }

// worthSearching keeps ordinary words from being masked everywhere because one line calls them a secret.
func worthSearching(value string) bool {
	const least = 6
	return len(value) >= least && len(value) < 512 && strings.ContainsAny(value, "0123456789!@#$%^&*+/=_.") ||
		len(value) >= 3*least && len(value) < 512
}

// each hands over every secret with its place.
func (r rule) each(text string, found func(value, kind string, from, to int)) {
	group := r.match().SubexpIndex("v")
	for _, at := range r.match().FindAllStringSubmatchIndex(text, -1) {
		from, to, kind := at[0], at[1], r.kind
		if group > 0 {
			from, to = at[2*group], at[2*group+1]
		}
		if kind == "" {
			kind = kindOf(text[at[0]:at[1]])
			from, to = valueAt(text, at[1])
		}
		if value := text[from:to]; r.sure == nil && !strings.HasPrefix(value, "***") || r.sure != nil && r.sure(value) {
			found(value, kind, from, to)
		}
	}
}

// valueAt is what stands behind a name: between quotes, which may be escaped themselves, or up to the next space.
func valueAt(text string, at int) (from, to int) {
	line := text[at:]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	escapes := len(line) - len(strings.TrimLeft(line, `\`))
	quoted := line[escapes:]
	if quoted == "" || quoted[0] != '"' && quoted[0] != '\'' {
		if end := strings.IndexAny(line, " \t\r\"'\\&"); end >= 0 {
			line = line[:end]
		}
		return at, at + len(strings.TrimRight(line, ",;)}]"))
	}
	from = at + escapes + 1
	for i := escapes + 1; i < len(line); i++ {
		before := 0
		for before < i && line[i-1-before] == '\\' {
			before++
		}
		if line[i] == quoted[0] && (before == escapes || escapes == 0 && before%2 == 0) {
			return from, at + i - before*min(escapes, 1)
		}
	}
	return from, at + len(line)
}

// mask takes out what is known, then what is recognised, then addresses.
func (m *masker) mask(text string, counts map[string]int) string {
	text = m.known.mask(text, counts)
	var out strings.Builder
	for line := range linesOf(text) {
		lower := lowered(line)
		for _, r := range rules {
			if r.hinted(lower) {
				line = replaced(line, counts, r.each)
			}
		}
		out.WriteString(replaced(line, counts, eachRandom))
	}
	return m.hideAddresses(out.String(), counts)
}

// replaced puts stars in the place of what each finds.
func replaced(text string, counts map[string]int, each func(string, func(value, kind string, from, to int))) string {
	var out strings.Builder
	done := 0
	each(text, func(_, kind string, from, to int) {
		if from < done {
			return
		}
		out.WriteString(text[done:from] + stars(kind))
		done = to
		counts[kind]++
	})
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

var addressLike = pattern.Of(`\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[0-9a-fA-F]{1,4}:){2,7}[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{1,4})*\b`)

// hideAddresses gives each public address a number; those of private networks say nothing and stay.
func (m *masker) hideAddresses(text string, counts map[string]int) string {
	if m.addresses == nil {
		return text
	}
	return addressLike().ReplaceAllStringFunc(text, func(found string) string {
		address, err := netip.ParseAddr(found)
		if err != nil || address.IsPrivate() || address.IsLoopback() || address.IsUnspecified() ||
			address.IsLinkLocalUnicast() {
			return found
		}
		counts[kindAddress]++
		if m.addresses[found] == "" {
			m.addresses[found] = fmt.Sprintf("***address-%d***", len(m.addresses)+1)
		}
		return m.addresses[found]
	})
}

// NewMask gives a function that takes secrets out of single lines: those of a panel's settings, and what is written
// like one in any of the texts, in every form in which the others repeat it.
func NewMask(env doctor.Env, texts ...string) func(string) string {
	m := newMasker(false)
	for value, kind := range secretsOf(env) {
		m.known.add(value, kind)
	}
	for _, text := range texts {
		m.learn(text)
	}
	return func(text string) string { return m.mask(text, map[string]int{}) }
}
