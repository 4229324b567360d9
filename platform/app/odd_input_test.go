package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/paneltest/bodies"
)

// oddStrings are raw JSON values; %s is a mark by which the text is found again.
var oddStrings = []string{
	`"%s\u0007\u001b[31m"`, `"%s\u0000x"`, `"\u0000%s"`, `"%s\ud800x"`, `"%s\udfff\ud800"`,
	`"%s` + "\xff\xfe" + `"`, `"%s` + "\xed\xa0\x80" + `"`,
	`"%s\u202egnp.exe\u2066\u200f"`, `"%s\u200b\ufeff\u2028\u2029"`, `"%s e\u0301\u0327\u0334\u20e0"`,
	`"%s\r\nX-Header: 1\r\n\r\n<b>"`,
	`"%s'); drop table nodes; --"`, `"%s\\'\" or 1=1 /*"`, `"%s\",\"x\":{\"$ne\":null},\"y\":\""`,
	`"<script>alert('%s')</script>"`,
	`"%s\"><img src=x onerror=alert(1)>"`, `"%s%%n%%s{{7*7}}${jndi:ldap://x}"`,
	`"../../../%s/etc/passwd"`, `"%s(a+)+$[[["`, `" %s "`,
	`"%s` + strings.Repeat("x", 10_000) + `"`,
}

// oddNumbers are numbers at the bounds of what programs hold.
var oddNumbers = []string{
	"-1", "0", "-0", "0.1", "1e-400", "1e308", "1e400", "2147483648", "-2147483649", "9007199254740993",
	"9223372036854775807", "-9223372036854775808",
	"9223372036854775808", "18446744073709551616", "00", "0x10", "NaN",
}

// rawBodies are what operations take that read their bodies by themselves, so that the description does not know them.
func rawBodies(t *testing.T) map[string]string {
	t.Helper()
	sample := agentapi.Sample{
		ObservedAt: time.Now().UTC(),
		CPUPercent: 1,
		MemTotal:   2,
		Traffic:    []agentapi.Traffic{{Kind: "inbound", Name: "in", Up: 1, Down: 2}},
	}
	batch, err := json.Marshal(agentapi.MetricsBatch{StreamID: "stream", Seq: 1, Samples: []agentapi.Sample{sample}})
	require.NoError(t, err)
	return map[string]string{"POST " + agentapi.PathMetrics: string(batch)}
}

// curiosity sends odd values to objects that exist.
type curiosity struct {
	*estate
	known    *described
	raw      map[string]string
	sent     int
	accepted map[string]bool // operations that did their work for a document without anything odd
	refused  map[string]string
	answers  map[int]int // by status
}

// Whatever stands in any place of any body, on objects that exist: the panel does its work or refuses, is never at a
// loss, answers a refusal in at most 8 kB without the odd value, and stores nothing of what it refuses.
func TestOddValuesInEveryBodyAreTakenOrRefused(t *testing.T) {
	t.Parallel()
	began := time.Now()
	e := newEstate(t)
	c := &curiosity{
		estate:   e,
		known:    e.described(),
		raw:      rawBodies(t),
		accepted: map[string]bool{},
		refused:  map[string]string{},
		answers:  map[int]int{},
	}
	var last []policy
	for name, line := range policies(t) {
		if strings.HasPrefix(line.access, "setup") || line.access == "first" {
			last = append(last, line)
			continue
		}
		c.try(name, line)
	}
	for _, line := range last {
		c.try(line.method+" "+line.path, line)
	}
	require.GreaterOrEqual(t, c.nothingRefusedIsStored(), 20, "values that are taken are found where they are stored")
	require.GreaterOrEqual(
		t,
		len(c.accepted),
		12,
		"too few operations did their work for an ordinary document: %v",
		c.accepted,
	)
	t.Logf(
		"%d requests to %d working operations, answers %v, in %s",
		c.sent,
		len(c.accepted),
		c.answers,
		time.Since(began).Round(time.Millisecond),
	)
}

// try sends the document of an operation as it is, and then with one odd value in each place.
func (c *curiosity) try(name string, line policy) {
	c.t.Helper()
	base := c.document(name, line)
	if base == "" {
		return
	}
	var whole any
	require.NoError(c.t, json.Unmarshal([]byte(base), &whole), name)
	if got := c.ask(line, base); got.status < 300 {
		c.accepted[name] = true
	}
	for _, at := range leaves(whole, func(changed any) any { return changed }) {
		for i, odd := range oddFor(at.value) {
			mark := fmt.Sprintf("odd%06d", c.sent)
			value := strings.ReplaceAll(strings.ReplaceAll(odd, "%s", mark), "%%", "%")
			c.judge(name, mark, i, c.ask(line, at.with(value)))
		}
	}
}

func oddFor(value any) []string {
	if _, number := value.(float64); number {
		return oddNumbers
	}
	return oddStrings
}

func (c *curiosity) judge(name, mark string, which int, got response) {
	c.t.Helper()
	c.answers[got.status]++
	what := fmt.Sprintf("%s with odd value %d (%s)", name, which, mark)
	if got.status == 0 || got.status >= http.StatusInternalServerError {
		c.t.Errorf("%s: %d %s", what, got.status, got.body[:min(len(got.body), 300)])
	}
	if got.status < http.StatusBadRequest {
		return
	}
	c.refused[mark] = what
	if len(got.body) > 8<<10 || strings.Contains(got.body, mark) {
		c.t.Errorf("%s: a long answer, or one that repeats the value: %s", what, got.body[:min(len(got.body), 300)])
	}
}

// document is one that the operation takes, with identifiers of objects that exist; "" when it takes none.
func (c *curiosity) document(name string, line policy) string {
	c.t.Helper()
	if text := c.raw[name]; text != "" {
		return text
	}
	body := c.known.body(line)
	if body == nil {
		return ""
	}
	text := c.known.Document(c.t, body, bodies.Change{Path: "nowhere"})
	var whole map[string]any
	if json.Unmarshal([]byte(text), &whole) != nil {
		return text
	}
	if _, draws := whole["graph"]; draws {
		whole["graph"] = json.RawMessage(c.drawing(""))
	}
	for field, value := range c.ordinary() {
		if _, there := whole[field]; there {
			whole[field] = value
		}
	}
	encoded, err := json.Marshal(whole)
	require.NoError(c.t, err)
	return string(encoded)
}

// ordinary are values of fields whose declaration alone does not say what works.
func (c *curiosity) ordinary() map[string]any {
	return map[string]any{
		"node_id": c.objects["nodes"][0], "owner_id": c.admins[0].AccountID, "address": "192.0.2.7", "ips": []any{},
		"country_code": "DE",
		"zone":         "odd.example", "label": "odd", "hostname": "a.odd.example",
		"permissions": []string{"nodes.view"},
		"password":    "a long enough one", "provider_id": nil,
	}
}

// ask sends as whoever may call, to an object that exists, from the revision that it has.
func (c *curiosity) ask(line policy, document string) response {
	c.sent++
	path, token := c.path(line), c.admins[0].Token
	if line.access == "agent" {
		token = c.agents[0]
	}
	if before, after, found := strings.Cut(document, `"revision":1`); found {
		document = fmt.Sprintf(`%s"revision":%d%s`, before, c.revision(path), after)
	}
	got := c.wire.send(
		call{method: line.method, path: path, headers: bearer(token), ip: c.address(line), body: document},
	)
	if got.status == http.StatusUnauthorized && line.access == "session" {
		c.admins[0] = c.Admin()
		got = c.wire.send(
			call{
				method:  line.method,
				path:    path,
				headers: bearer(c.admins[0].Token),
				ip:      c.address(line),
				body:    document,
			},
		)
	}
	return got
}

// path names objects that exist; accounts are those of the second administrator, so that the first stays what he is.
func (c *curiosity) path(line policy) string {
	var ids []string
	for _, word := range line.words() {
		pair, which := c.objects[word], 0
		if word == "accounts" {
			which = 1
		}
		if pair[which] == "" {
			pair[which] = someID
		}
		ids = append(ids, pair[which])
	}
	return line.with(ids...)
}

var revisionIn = regexp.MustCompile(`"revision":(\d+)`)

// revision is that of the object which the path is about.
func (c *curiosity) revision(path string) int {
	for ; strings.Count(path, "/") > 3; path = path[:strings.LastIndex(path, "/")] {
		got := c.wire.send(call{method: http.MethodGet, path: path, headers: bearer(c.admins[0].Token)})
		if found := revisionIn.FindAllStringSubmatch(got.body, -1); got.status == http.StatusOK && found != nil {
			var revision int
			_, err := fmt.Sscan(found[len(found)-1][1], &revision)
			require.NoError(c.t, err)
			return revision
		}
	}
	return 1
}

var markIn = regexp.MustCompile(`odd\d{6}`)

// nothingRefusedIsStored looks for the marks of refused values in every table, and counts those of others.
func (c *curiosity) nothingRefusedIsStored() (stored int) {
	c.t.Helper()
	for table := range c.picture() {
		var rows []string
		require.NoError(
			c.t,
			c.DB.NewRaw("select t::text from "+table+" t where t::text like '%odd0%'").Scan(c.t.Context(), &rows),
		)
		for _, mark := range markIn.FindAllString(strings.Join(rows, "\n"), -1) {
			require.Empty(c.t, c.refused[mark], "%s holds what was refused", table)
			stored++
		}
	}
	return stored
}

// leaf is a place of a document that holds a text or a number.
type leaf struct {
	value any
	whole func(value any) any
}

const placeholder = "@odd value@"

// with is the document with raw JSON at the place.
func (l leaf) with(raw string) string {
	text, _ := json.Marshal(l.whole(placeholder)) // what was decoded encodes
	return strings.Replace(string(text), `"`+placeholder+`"`, raw, 1)
}

// leaves are all places of a document; whole puts a part back into the document.
func leaves(part any, whole func(any) any) []leaf {
	var found []leaf
	switch p := part.(type) {
	case string, float64:
		found = append(found, leaf{part, whole})
	case map[string]any:
		for name, value := range p {
			found = append(found,
				leaves(value, func(changed any) any { return whole(withMember(p, name, changed)) })...)
		}
	case []any:
		for i, value := range p {
			found = append(found, leaves(value, func(changed any) any {
				copied := slices.Clone(p)
				copied[i] = changed
				return whole(copied)
			})...)
		}
	}
	return found
}

func withMember(of map[string]any, name string, value any) map[string]any {
	copied := make(map[string]any, len(of))
	for key, old := range of {
		copied[key] = old
	}
	copied[name] = value
	return copied
}
