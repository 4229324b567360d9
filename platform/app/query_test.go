package app_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/paneltest/bodies"
	"panel/platform/testneed/geofiles"
)

// asked is one operation of an estate, as the caller asks it who may and about objects that are there.
func (e *estate) asked(line policy, query string) response {
	return e.wire.send(call{
		method: line.method, path: line.with(e.ids(line)...) + "?" + query, headers: e.caller(line),
		ip: e.address(line), body: "{}",
	})
}

// ids are those of objects that are there, in the order of the path.
func (e *estate) ids(line policy) (all []string) {
	for _, word := range line.words() {
		all = append(all, cmp.Or(e.objects[word][0], someID))
	}
	return all
}

// caller shows what opens an operation: nothing where that is nothing, or where the first administrator is not yet
// there.
func (e *estate) caller(line policy) []string {
	switch line.guarded(stage{administrator: true}) {
	case "session":
		return bearer(e.admins[0].Token)
	case "agent":
		return bearer(e.agents[0])
	}
	return nil
}

// headers are who asks, and a value for each header that the operation requires.
func (e *estate) headers(known *described, line policy) []string {
	all := e.caller(line)
	for _, p := range known.of(line).Parameters {
		if p.In == "header" && p.Required {
			all = append(all, p.Name, database.NewID())
		}
	}
	return all
}

// queries are the parameters that an operation takes, with a value for those that it requires.
func (d *described) queries(t *testing.T, line policy) (all []bodies.Parameter, needed url.Values) {
	t.Helper()
	needed = url.Values{}
	for _, p := range d.of(line).Parameters {
		if p.In != "query" {
			continue
		}
		all = append(all, p)
		if p.Required {
			needed.Set(p.Name, strings.Trim(bodies.Sample(t, d.Solved(p.Schema)), `"`))
		}
	}
	return all, needed
}

func with(values url.Values, name, value string) string {
	all := maps.Clone(values)
	all.Set(name, value)
	return all.Encode()
}

// A parameter that an operation does not know, knows in another spelling, or gets twice is refused: a misspelled filter
// must not answer as if it had chosen everything. Programs of other versions and makers may send what they like.
func TestUnknownParametersAreRefused(t *testing.T) {
	t.Parallel()
	settled, fresh := newEstate(t), &estate{matrix: newMatrix(t, newOutside(t))}
	known := settled.described()
	for name, line := range policies(t) {
		e := settled
		if line.access == "first" { // is open as long as there is no administrator
			e = fresh
		}
		taken, needed := known.queries(t, line)
		if line.lenient {
			plain, more := e.asked(line, needed.Encode()), e.asked(line, with(needed, "later", "1"))
			require.Equal(t, verdict{plain.status, plain.code}, verdict{more.status, more.code}, "%s: %s", name,
				more.body)
			continue
		}
		for _, query := range misspelled(taken, needed) {
			got := e.asked(line, query)
			require.Equal(t, verdict{http.StatusBadRequest, "bad_parameter"}, verdict{got.status, got.code},
				"%s?%s: %s", name, query, got.body)
			require.NotContains(t, got.body, canary)
			require.LessOrEqual(t, len(got.body), 1<<10)
		}
	}
}

// misspelled are queries with a parameter that is unknown, in another spelling, or there twice.
func misspelled(taken []bodies.Parameter, needed url.Values) []string {
	wrong := []string{
		with(needed, "no_such_parameter", canary), with(needed, "x[]", "1"),
		with(needed, strings.Repeat("n", 2000), "1"),
	}
	for _, p := range taken {
		wrong = append(wrong, with(needed, strings.ToUpper(p.Name), "1"), with(needed, p.Name+" ", "1"),
			with(needed, p.Name, "1")+"&"+p.Name+"=1")
	}
	return wrong
}

var oddTexts = []string{
	"zzz", "'", "0", "-1", "1.5", "99999999999999999999", "NaN", "null", "*", "%", "😀", "ſ", strings.Repeat("x", 2000),
	someID, "/", "..", " ",
}

// Whatever stands in a parameter, the answer is a page, a refusal or an empty page; never a failure of the panel.
func TestNoTextOfAParameterIsAServerError(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	known := e.described()
	for name, line := range policies(t) {
		taken, needed := known.queries(t, line)
		for _, p := range taken {
			for _, text := range oddTexts {
				got := e.asked(line, with(needed, p.Name, text))
				require.Less(t, got.status, http.StatusInternalServerError, "%s?%s=%s: %s", name, p.Name, text,
					got.body)
			}
		}
	}
}

// Every moment that can be written is refused or gives a page: years 0 and 9999, also when a time zone moves them over
// the end.
func TestMomentsAtTheEndsOfTimeAreNoServerError(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	known := e.described()
	tried := 0
	for name, line := range policies(t) {
		taken, needed := known.queries(t, line)
		for _, p := range taken {
			if known.Solved(p.Schema).Format != "date-time" {
				continue
			}
			tried++
			for text, refused := range map[string]bool{
				"0000-01-01T00:00:00Z": true, "0000-12-31T23:59:59-23:00": false, "0001-01-01T00:00:00%2B01:00": true,
				"0001-01-01T00:00:00Z": false,
				"9999-12-31T23:59:59Z": false, "9999-12-31T23:59:59-01:00": true, "10000-01-01T00:00:00Z": true,
				"1969-12-31T23:59:60Z": true,
			} {
				query := needed.Encode() + "&" + p.Name + "=" + text
				got := e.asked(line, strings.TrimPrefix(query, "&"))
				require.Less(t, got.status, http.StatusInternalServerError, "%s?%s: %s", name, query, got.body)
				require.True(t, !refused || got.status == http.StatusBadRequest, "%s?%s: %s", name, query, got.body)
			}
		}
	}
	require.GreaterOrEqual(t, tried, 6, "the journal, its export, measurements")
}

// Every list takes limit, cursor and sort, refuses an order that it does not have and a cursor that it did not give,
// and gives a cursor that leads on.
func TestListsPageBySortedCursors(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	e.proxyPanel()
	e.hosting()
	e.geoFile()
	e.statusPage()
	known := e.described()
	tried := 0
	for name, line := range policies(t) {
		if !known.gives(line, "next_cursor") {
			continue
		}
		tried++
		taken, needed := known.queries(t, line)
		for _, wanted := range []string{"limit", "cursor", "sort"} {
			require.True(t, slices.ContainsFunc(taken, func(p bodies.Parameter) bool { return p.Name == wanted }),
				"%s does not take %s", name, wanted)
		}
		refused(t, name, e.asked(line, with(needed, "sort", "no_such_field")))
		first := e.asked(line, with(needed, "limit", "1"))
		require.Equal(t, http.StatusOK, first.status, "%s: %s", name, first.body)
		next, _ := decoded(t, first.body)["next_cursor"].(string)
		for _, cursor := range forged(t, next) {
			refused(t, name+" with the cursor "+cursor, e.asked(line, with(needed, "cursor", cursor)))
		}
		for _, cursor := range bent(t, next) {
			got := e.asked(line, with(needed, "cursor", cursor))
			require.Less(t, got.status, http.StatusInternalServerError, "%s with the cursor %s: %s", name, cursor,
				got.body)
		}
		if next != "" {
			second := e.asked(line, with(needed, "cursor", next)+"&limit=1")
			require.Equal(t, http.StatusOK, second.status, "%s: %s", name, second.body)
			require.NotEqual(t, decoded(t, first.body)["items"], decoded(t, second.body)["items"], name)
		}
	}
	require.GreaterOrEqual(t, tried, 10)
}

// proxyPanel is a connection with two nodes and two users, which nobody could ask for more.
func (e *estate) proxyPanel() {
	e.t.Helper()
	id := database.NewID()
	e.write(`insert into proxypanel_connections (id, label, base_url, direct, sealed, has_extra_headers, has_cookie, has_ca,
			has_client_certificate, state, cause, detail, missing_scopes, version, created_at, updated_at, revision)
		values (?, 'p', 'https://p.invalid', false, '', false, false, false, false, 'auth', '', '', '[]', '', now(), now(), 1)`, id)
	e.write("insert into proxypanel_hooks (connection_id, hook_id) values (?, ?)", id, database.NewID())
	for number := range 2 {
		e.write(`insert into proxypanel_objects (connection_id, kind, external_id, name, fields, hash, seen_at)
			values (?, 'node', ?, 'n', '{}', '', now())`, id, database.NewID())
		e.write(`insert into proxypanel_users (connection_id, id, username, status, tag, traffic_limit, traffic_used,
				lifetime_used, squads, hash, seen_at) values (?, ?, 'u', 'ACTIVE', '', 0, 0, 0, '[]', '', now())`, id, number+1)
	}
	e.owns(0, "connections", id)
}

// hosting is an account with two machines that were entered by hand, which nobody could ask for more.
func (e *estate) hosting() {
	e.t.Helper()
	id := database.NewID()
	e.write(`insert into hosting_accounts (id, kind, label, base_url, sealed, has_credentials, state, created_at, updated_at,
			revision) values (?, 'custom', 'h', '', '', false, 'ok', now(), now(), 1)`, id)
	for range 2 {
		server := database.NewID()
		e.write(`insert into hosting_servers (id, account_id, external_id, name, status, region, plan, vcpu, mem, disk, ipv4,
				ipv6, tags, price_currency, price_period, created_at, updated_at, revision)
			values (?, ?, ?, 'm', 'unknown', '', '', 0, 0, 0, '[]', '[]', '[]', '', '', now(), now(), 1)`, server, id, server)
	}
	e.owns(0, "cloud-providers", id)
}

// statusPage is one with two deploys.
func (e *estate) statusPage() {
	e.t.Helper()
	page := e.ask(0, http.MethodPost, "/api/v1/statuspage/pages", `{"slug":"a","titles":{"en":"A"}}`)
	for range 2 {
		e.write(`insert into statuspage_deploys (id, page_id, revision, content, state, targets, started_by, started_at,
				finished_at) values (?, ?, 1, '{}', 'live', '[]', 'a', now(), now())`, database.NewID(), page["id"])
	}
	e.owns(0, "pages", page["id"])
}

// geoFile is one with a category of two names.
func (e *estate) geoFile() {
	e.t.Helper()
	const head = 7 // before the names stand two lengths and the code of the category
	raw := geofiles.File(geofiles.Site("ads", "a.example", "b.example"))
	digest := fmt.Sprintf("%x", sha256.Sum256(raw))
	id, file := database.NewID(), database.NewID()
	e.write("insert into files (id, sha256, size) values (?, ?, ?)", file, digest, len(raw))
	e.write("insert into file_pieces (file_id, number, content) values (?, 0, ?)", file, raw)
	e.write(`insert into geo_assets (id, name, file, preset, source_url, scheduled, cron, on_nodes, state, version,
			created_at, updated_at) values (?, 'geosite.dat', 'geosite', 'custom', 'https://example.com/a', false, '0 4 * * *',
			true, 'current', ?, now(), now())`, id, digest)
	e.write(`insert into geo_versions (asset_id, sha256, size, kind, categories, entries, source_url, fetched_at)
		values (?, ?, ?, 'site', jsonb_build_array(jsonb_build_object('n', 'ads', 'e', 2, 'd', '0', 'o', ?::int, 'l', ?::int)),
			2, '', now())`, id, digest, len(raw), head, len(raw)-head)
	e.owns(0, "geo-assets", id)
	e.owns(0, "categories", "ads")
}

// A list that does not page is whole by its nature, with the reason in testdata/whole_lists.csv: it is found here, and
// not passed over because it does not look like a page.
func TestAListWithoutPagesIsReviewed(t *testing.T) {
	t.Parallel()
	known := newEstate(t).described()
	var found, may []string
	for name, line := range policies(t) {
		if line.method == http.MethodGet && known.gives(line, "items") && !known.gives(line, "next_cursor") {
			found = append(found, name)
		}
	}
	for _, row := range reviewed(t, "testdata/whole_lists.csv") {
		may = append(may, row[0])
	}
	require.ElementsMatch(t, may, found)
}

func refused(t *testing.T, what string, got response) {
	t.Helper()
	require.Equal(t, verdict{http.StatusBadRequest, "bad_parameter"}, verdict{got.status, got.code}, "%s: %s", what,
		got.body)
}

// gives tells whether the answer of an operation has a member: items those of lists, next_cursor those of pages.
func (d *described) gives(line policy, member string) bool {
	var answer struct {
		Content map[string]struct {
			Schema *bodies.Schema `json:"schema"`
		} `json:"content"`
	}
	if json.Unmarshal(d.of(line).Responses["200"], &answer) != nil || answer.Content["application/json"].Schema == nil {
		return false
	}
	_, has := d.Solved(answer.Content["application/json"].Schema).Properties[member]
	return has
}

func coded(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// forged are cursors that no list gives.
func forged(t *testing.T, real string) []string {
	t.Helper()
	all := []string{
		"x", "%", "AAAA", coded("junk"), coded("{}"), coded(`{"s":"no_such_field","v":"","i":"` + someID + `"}`),
		coded("0000-01-01T00:00:00Z " + someID),
		coded("zzz zzz"), coded("\x00\xff"), coded(strings.Repeat("x", 300)), coded("null"),
	}
	return append(all, bentWith(t, real, "i", "zzz", "", strings.ReplaceAll(someID, "-", ""))...)
}

// bent are cursors that a list may have given, but for their value.
func bent(t *testing.T, real string) []string {
	t.Helper()
	return bentWith(t, real, "v", "", "zzz", "0000-01-01T00:00:00Z", "9999-12-31 23:59:59-14", "infinity", "NaN",
		"1e999", "\x00", strings.Repeat("9", 300))
}

func bentWith(t *testing.T, real, member string, values ...string) (all []string) {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(real)
	require.NoError(t, err)
	var members map[string]string
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	for _, value := range values {
		members[member] = value
		text, err := json.Marshal(members)
		require.NoError(t, err)
		all = append(all, coded(string(text)))
	}
	return all
}

// An identifier that nothing has and one that has another form get the same answer, at each place of a path: neither
// tells which forms there are, nor what a caller may not see.
func TestMalformedAndUnknownIdentifiersGetTheSameAnswer(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	known := e.described()
	tried := 0
	for name, line := range policies(t) {
		words := line.words()
		if line.access != "session" && line.access != "agent" || len(words) == 0 {
			continue
		}
		headers, body := e.headers(known, line), known.request(t, line)
		_, needed := known.queries(t, line)
		for at := range words {
			ids := e.ids(line)
			answers := map[string]any{}
			for _, id := range []string{someID, "not-an-id", "%20", strings.ToUpper(someID), strings.ReplaceAll(someID,
				"-", "")} {
				ids[at] = id
				got := e.wire.send(call{
					method: line.method, path: line.with(ids...) + "?" + needed.Encode(),
					headers: headers, body: body,
				})
				if got.status != http.StatusNotFound {
					t.Errorf("%s with %s: %s", name, id, got.body)
					continue
				}
				require.Contains(t, known.of(line).Responses, "404", name)
				answers[id] = anonymous(t, got.body)
			}
			tried++
			for id, answer := range answers {
				require.Equal(t, answers[someID], answer, "%s with %s", name, id)
			}
		}
	}
	require.GreaterOrEqual(t, tried, 30)
}
