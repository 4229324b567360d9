package domains

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/domains/domainsapi"
)

// long is a zone of so many characters.
func long(characters int) string {
	label := strings.Repeat("z", 63) + "."
	return strings.Repeat(label, 4)[len("example")+4*len(label)-characters:] + "example"
}

// A host name is written in any alphabet and letter case, and has at most 253 characters.
func TestNamesInAnyAlphabetAndOfAnyLength(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	admin := p.Admin()
	node := admin.AddNode("node")
	for wanted, in := range map[string][2]string{
		"n1.xn--e1afmkfd.xn--p1ai":                {"N1", "ПРИМЕР.рф."},
		"xn--b1agh1afp.xn--bcher-kva.example":     {"Привет", "Bücher.example"},
		"xn--e1afmkfd.xn--p1ai":                   {"@", "xn--e1afmkfd.xn--p1ai"},
		"a." + long(251):                          {"a", long(251)},
		strings.Repeat("l", 63) + "." + long(189): {strings.Repeat("L", 63), long(189)},
	} {
		made := admin.Post(domainsapi.Path, map[string]any{"node_id": node, "label": in[0], "zone": in[1]})
		require.Equal(t, wanted, made.Is(http.StatusCreated).Text("hostname"))
	}
}

// What is no host name is refused at its field, and never said again.
func TestHostileNamesAreRefusedAtTheirField(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	admin := p.Admin()
	node := admin.AddNode("node")
	for _, in := range [][3]string{
		{"zone", "n1", "*.example.com"},
		{"zone", "n1", "example..com"},
		{"zone", "n1", ".example.com"},
		{"zone", "n1", "exa mple.com"},
		{"zone", "n1", "example.com/../.."},
		{"zone", "n1", "example.com\r\nHost: a"},
		{"zone", "n1", "example.com\x00"},
		{"zone", "n1", "\u202eexample.com"},
		{"zone", "n1", "xn--\u00e4.example"},
		{"zone", "n1", "xn--0.example"},
		{"zone", "n1", "127.0.0.1"},
		{"zone", "n1", "example.0x7f"},
		{"zone", "n1", "localhost"},
		{"zone", "n1", "'; drop table node_domains; --.example"},
		{"zone", "n1", "<b>.example"},
		{"zone", "n1", strings.Repeat("z", 64) + ".example"},
		{"label", "*", "example.com"},
		{"label", "a.b", "example.com"},
		{"label", "-a", "example.com"},
		{"label", "a_b", "example.com"},
		{"label", "a\nb", "example.com"},
		{"label", "\u200d", "example.com"},
		{"label", "xn--0", "example.com"},
		{"label", strings.Repeat("ж", 63), "example.com"},
		{"label", "ab", long(251)},
	} {
		body := map[string]any{"node_id": node, "label": in[1], "zone": in[2]}
		refused := admin.Post(domainsapi.Path, body).Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.Contains(t, string(refused.Body), `"field":"`+in[0]+`"`, "%q", in)
		require.NotContains(t, string(refused.Body), in[2], "a rejected value is never echoed")
	}
	require.EqualValues(t, 0, admin.Get(domainsapi.Path).Value("total"))
}

// A binding is renamed by the same rules, and one that cannot be keeps its name.
func TestABindingIsRenamedByTheSameRules(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	admin := p.Admin()
	_, id := bound(t, admin)
	path := domainsapi.Path + "/" + id
	for revision, one := range []struct {
		change   map[string]any
		hostname string
	}{
		{map[string]any{"zone": "ПРИМЕР.рф"}, "waw-03.xn--e1afmkfd.xn--p1ai"},
		{map[string]any{"label": "@"}, "xn--e1afmkfd.xn--p1ai"},
		{map[string]any{"label": "Bücher", "zone": "Example.com."}, "xn--bcher-kva.example.com"},
		{map[string]any{"label": ""}, "waw-03.example.com"},
	} {
		one.change["revision"] = revision + 1
		require.Equal(t, one.hostname, admin.Patch(path, one.change).Is(http.StatusOK).Text("hostname"))
	}
	for _, change := range []map[string]any{
		{"zone": "*.example.com"},
		{"zone": "127.0.0.1"},
		{"zone": "localhost"},
		{"label": "a.b"},
		{"label": "xn--0"},
		{"label": strings.Repeat("l", 63), "zone": long(251)},
	} {
		change["revision"] = 5
		admin.Patch(path, change).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	require.Equal(t, "waw-03.example.com", admin.Get(path).Text("hostname"))
}
