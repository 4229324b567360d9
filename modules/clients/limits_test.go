package clients_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/clients/clientsapi"
	"panel/platform/paneltest"
)

type object = map[string]any

// Every field has its limits: what is beyond them is refused with its name, and nothing is left of it.
func TestFieldsOfAClientHaveLimits(t *testing.T) {
	t.Parallel()
	s := setup(t)
	tags := func(n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprint("tag ", i))
		}
		return all
	}
	id := s.add("Anna")
	for field, values := range map[string][]any{
		"label": {"", strings.Repeat("я", 65), nil, 5, []string{"x"}},
		"note":  {strings.Repeat("x", 1001), 5},
		"tags":  {tags(21), []string{""}, []string{strings.Repeat("x", 33)}, "x", []any{5}},
		"quota": {
			object{"bytes": 0},
			object{"bytes": -1},
			object{"bytes": 1 << 54},
			object{"bytes": 1.5},
			object{},
			object{"bytes": 5, "reset": "yearly"},
			object{"bytes": 5, "more": 1},
			"5",
		},
		"limits": {
			object{"speed_mbps": -1},
			object{"speed_mbps": 100_001},
			object{"speed_mbps": 1.5},
			object{"addresses": 1001},
			object{"addresses": "two"},
			object{"devices": 2},
			"5",
		},
		"expires_at": {"tomorrow", "2027-02-30T00:00:00Z", 5, "2027-01-01"},
	} {
		for _, value := range values {
			body := object{"label": "Boris", field: value}
			added := s.admin.Post(path, body)
			require.Contains(t, []int{400, 422}, added.Status, "%s %v: %s", field, value, added.Body)
			if value == nil {
				continue // in a change, what is null is left as it is
			}
			changed := s.admin.Patch(path+"/"+id, object{"revision": 1, field: value})
			require.Contains(t, []int{400, 422}, changed.Status, "%s %v: %s", field, value, changed.Body)
		}
	}
	require.Equal(t, []string{"Anna", "Default"}, s.labels(path+"?sort=label"))
	got := s.get(id)
	require.EqualValues(t, 1, got.Revision)
	require.Empty(t, got.Tags)
	require.Nil(t, got.Quota)
	require.Zero(t, got.Limits)
	longest := s.add(strings.Repeat("я", 64), "note", strings.Repeat("x", 1000), "tags", tags(20), "quota",
		object{"bytes": int64(1<<53 - 1), "reset": "weekly"}, "expires_at", "9999-12-31T23:59:59Z")
	require.Len(t, s.get(longest).Tags, 20)
	require.Equal(t, clientsapi.Active, s.get(longest).State)
}

// What people type is kept and found as it is, whatever it means to a database, a page or a shell.
func TestHostileWordsAreKeptAndFound(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, word := range []string{
		`'; drop table client_profiles; --`, `<img src=x onerror=alert(1)>`, `100% _sure_ \d+`, "${jndi:ldap://x}", "a\u202eb",
		"🚀 漢字 Ünï", `"quoted" \ back`, "%25", "[.*]",
	} {
		id := s.add(word, "note", "note of "+word, "tags", []string{"t"})
		require.Equal(t, word, s.get(id).Label)
		query := "?q=" + url.QueryEscape(word)
		require.Equal(t, []string{word}, s.labels(path+query), word)
		require.Equal(t, []string{word}, s.labels(path+"?q="+url.QueryEscape("note of "+word)), word)
	}
	var list clients.Import
	require.NoError(t, json.Unmarshal(s.admin.Get(path+"/export?tag=t").Is(200).Body, &list))
	require.Len(t, list.Clients, 9)
}

// Acts on many and imports take as many as they say, and no act reaches anybody when its list is refused.
func TestListsOfManyHaveLimits(t *testing.T) {
	t.Parallel()
	s := setup(t)
	id := s.add("Anna")
	ids := make([]string, 201)
	for i := range ids {
		ids[i] = id
	}
	for _, body := range []object{
		{"act": "disable", "ids": ids},
		{"act": "disable", "ids": []string{}},
		{"act": "disable", "ids": []string{""}},
		{"act": "delete", "ids": []string{id}},
		{"ids": []string{id}},
		{"act": "extend", "extend_days": 3651, "ids": []string{id}},
		{"act": "extend", "ids": []string{id}},
		{"act": "quota", "ids": []string{id}},
		{"act": "quota", "no_quota": true, "quota": object{"bytes": 5}, "ids": []string{id}},
	} {
		refused := s.admin.Post(path+"/bulk", body)
		require.Contains(t, []int{400, 422}, refused.Status, "%v: %s", body, refused.Body)
	}
	require.Equal(t, clientsapi.Active, s.get(id).State)
	require.EqualValues(t, 1, s.get(id).Revision)

	line := object{"label": "x"}
	many := make([]object, 10_001)
	for i := range many {
		many[i] = line
	}
	for _, body := range []object{
		{"clients": []object{}},
		{"clients": many},
		{"clients": []object{{"label": "x", "secret": "y"}}},
		{"clients": []object{{"note": "nobody"}}},
		{"clients": "x"},
	} {
		refused := s.admin.Post(path+"/import", body)
		require.Contains(t, []int{400, 422}, refused.Status)
	}
	large := packed(t, `{"clients":[{"label":"x","note":"`+strings.Repeat("x", 9<<20)+`"}]}`)
	s.admin.Do(http.MethodPost, path+"/import", large, "Content-Encoding", "gzip").Refused(413, "body_too_large")
	require.Equal(t, 2, s.total(path))
}

// Names that differ by their case alone are one name for an import; the first line with it counts.
func TestAnImportKnowsNamesWithoutTheirCase(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var done clients.Imported
	s.admin.Post(path+"/import", object{"clients": []object{
		{"label": "  Ольга ", "note": "first"}, {"label": "ОЛЬГА", "note": "second"}, {"label": "DEFAULT"}, {"label": "Пётр"},
	}}).Is(200).JSON(&done)
	require.Equal(t, clients.Imported{Added: 2, Skipped: []string{"ОЛЬГА", "DEFAULT"}}, done)
	var page struct {
		Items []struct{ Label, Note string }
	}
	s.admin.Get(path + "?q=" + url.QueryEscape("ольга")).Is(200).JSON(&page)
	require.Len(t, page.Items, 1)
	require.Equal(t, "first", page.Items[0].Note)
	// One that was revoked has given its name back.
	s.admin.Delete(path + "/" + s.add("Gone")).Is(204)
	s.admin.Post(path+"/import", object{"clients": []object{{"label": "gone"}}}).Is(200).JSON(&done)
	require.Equal(t, 1, done.Added)
}

// Times that end together are told one by one, each once, also when several panels look at the same moment.
func TestManyTimesThatEndTogetherAreEachToldOnce(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const many = 450 // more than one transaction takes
	list := clients.Import{}
	until := s.clock.Now().Add(time.Hour)
	for i := range many {
		list.Clients = append(list.Clients, clients.Line{Label: fmt.Sprintf("client %03d", i), ExpiresAt: &until})
	}
	s.admin.Post(path+"/import", list).Is(200)
	other := paneltest.Start(t, paneltest.On(s.panel.DB), paneltest.Clock(s.clock), paneltest.Modules(features()...))
	s.clock.Advance(time.Hour)
	s.panel.RunSchedule("clients.expiry")
	other.RunSchedule("clients.expiry")
	told := func() (lines, of int) {
		require.NoError(t, s.panel.DB.NewRaw(`select count(*), count(distinct object_id) from journal
			where action = ?`, clientsapi.EventExpired).Scan(t.Context(), &lines, &of))
		return lines, of
	}
	require.Eventually(t, func() bool { lines, _ := told(); return lines >= many }, time.Minute, 50*time.Millisecond)
	lines, of := told()
	require.Equal(t, []int{many, many}, []int{lines, of})
	require.Len(t, s.paged(path+"?state=expired", 200), many)
}

// An export of nobody is a document that says so, and reads back.
func TestAnExportOfNobody(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var list clients.Import
	require.NoError(t, json.Unmarshal(s.admin.Get(path+"/export?q=nobody").Is(200).Body, &list))
	require.NotNil(t, list.Clients)
	require.Empty(t, list.Clients)
	table := string(s.admin.Get(path + "/export?q=nobody&format=csv").Is(200).Body)
	require.Equal(t, 1, strings.Count(table, "\n"))
	require.True(t, strings.HasPrefix(table, "id,label,note"))
	for _, wrong := range []string{"?format=xml", "?state=sleeping", "?q=" + strings.Repeat("x", 101)} {
		require.Contains(t, []int{400, 422}, s.admin.Get(path+"/export"+wrong).Status, wrong)
	}
}

// packed is a body small enough to be sent whole before the answer to it comes.
func packed(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}
