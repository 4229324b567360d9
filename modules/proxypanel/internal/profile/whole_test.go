package profile

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// value is any JSON, small, with few names, so that two of them have much in common.
func value(depth int) *rapid.Generator[any] {
	plain := rapid.SampledFrom([]any{nil, true, false, 0.0, 1.0, 443.0, "", "1", "443", "true", "null", "{}", "[]"})
	if depth == 0 {
		return plain
	}
	name := rapid.SampledFrom([]string{"tag", "port", "settings", "clients"})
	member := rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) })
	return rapid.OneOf(plain,
		rapid.Map(rapid.MapOfN(name, member, 0, 3), func(m map[string]any) any { return m }),
		rapid.Map(rapid.SliceOfN(member, 0, 3), func(s []any) any { return s }))
}

// members are inbounds or outbounds, most of them with a tag.
func members(t *rapid.T, name string) []any {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any {
		one := map[string]any{"port": value(1).Draw(t, "port"), "settings": value(2).Draw(t, "settings")}
		if tag := rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "tag"); tag != "" {
			one["tag"] = tag
		}
		return one
	}), 1, 3).Draw(t, name)
}

func written(t *rapid.T, whole map[string]any) json.RawMessage {
	text, err := json.Marshal(whole)
	require.NoError(t, err)
	return text
}

// What is not the same is told, and what is the same is not: a profile that somebody has changed can be overwritten
// only where it is told what differs.
func TestWhateverDiffersIsTold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole := map[string]any{"log": value(2).Draw(t, "log")}
		whole["inbounds"], whole["outbounds"] = members(t, "inbounds"), members(t, "outbounds")
		ours := written(t, whole)
		require.Empty(t, Compare(ours, ours), string(ours))
		list := rapid.SampledFrom([]string{"inbounds", "outbounds"}).Draw(t, "list")
		switch all, _ := whole[list].([]any); rapid.IntRange(0, 3).Draw(t, "what others did") {
		case 0:
			whole[list] = rapid.Permutation(all).Draw(t, "in another sequence")
		case 1:
			whole[list] = members(t, "others")
		case 2:
			member, _ := all[0].(map[string]any)
			member["settings"] = value(2).Draw(t, "other settings")
		default:
			whole["log"] = value(1).Draw(t, "another log")
		}
		theirs := written(t, whole)
		found := Compare(ours, theirs)
		require.Equal(t, Same(ours, theirs), len(found) == 0, "%s and %s", ours, theirs)
		fields := map[string]bool{}
		for _, one := range found {
			require.False(t, fields[one.Name+" "+one.Field], "a field is told twice")
			fields[one.Name+" "+one.Field] = true
		}
	})
}

// Another sequence, another form of a value and an empty one are differences: the first outbound takes what no rule has
// decided about.
func TestSmallDifferencesAreTold(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		ours, theirs string
		want         Difference
	}{
		"another sequence": {
			`{"outbounds":[{"tag":"a"},{"tag":"b"}]}`, `{"outbounds":[{"tag":"b"},{"tag":"a"}]}`,
			Difference{Field: "sequence", Ours: "a, b", Theirs: "b, a"},
		},
		"a text instead of a number": {
			`{"inbounds":[{"tag":"a","port":443}]}`, `{"inbounds":[{"tag":"a","port":"443"}]}`,
			Difference{Name: "a", Field: "port", Ours: "443", Theirs: `"443"`},
		},
		"an empty text": {`{"log":{}}`, `{"log":{"access":""}}`, Difference{Field: "log", Ours: "{}"}},
		"an empty member": {
			`{"inbounds":[{"tag":"a"}]}`, `{"inbounds":[{"tag":"a","sniffing":{}}]}`,
			Difference{Name: "a", Field: "sniffing", Theirs: "{}"},
		},
		"an empty list": {`{"log":{"a":1}}`, `{"log":{"a":1},"dns":[]}`, Difference{Field: "dns", Theirs: "[]"}},
		"a text":        {`{"log":{"loglevel":"none"}}`, `{"log":{"loglevel":"debug"}}`, Difference{Field: "log.loglevel", Ours: "none", Theirs: "debug"}},
		"an outbound with the tag of an inbound": {
			`{"inbounds":[{"tag":"a","port":1}],"outbounds":[{"tag":"a","port":2}]}`,
			`{"inbounds":[{"tag":"a","port":1}],"outbounds":[{"tag":"a","port":3}]}`,
			Difference{Name: "outbounds[0]", Field: "port", Ours: "2", Theirs: "3"},
		},
		"no tag": {
			`{"inbounds":[{"port":1}]}`, `{"inbounds":[{"port":2}]}`,
			Difference{Name: "inbounds[0]", Field: "port", Ours: "1", Theirs: "2"},
		},
	} {
		found := Compare(json.RawMessage(one.ours), json.RawMessage(one.theirs))
		require.NotEmpty(t, found, name)
		require.Equal(t, one.want, found[0], name)
	}
	require.Empty(t, Compare(nil, nil))
	require.NotEmpty(t, Compare(nil, json.RawMessage(`{"log":{"a":1}}`)), "of what was written nothing is left")
}

// No value of a field that holds a secret is told, in whatever protocol: a drift is stored and shown.
func TestNoSecretIsTold(t *testing.T) {
	t.Parallel()
	const inbound = `{"inbounds":[{"tag":"a",%s}]}`
	for _, text := range []string{
		`"settings":{"clients":[{"id":"sesame","email":"sesame"}]}`,
		`"settings":{"users":[{"password":"sesame","user":"sesame"}]}`,
		`"settings":{"accounts":[{"user":"sesame","pass":"sesame"}]}`,
		`"settings":{"password":"sesame"}`,
		`"settings":{"id":"sesame"}`,
		`"settings":{"decryption":"mlkem768x25519plus.native.600s.sesame"}`,
		`"settings":{"secretKey":"sesame","peers":[{"preSharedKey":"sesame"}]}`,
		`"settings":{"vnext":[{"users":[{"id":"sesame","encryption":"sesame"}]}]}`,
		`"settings":{"servers":[{"password":"sesame"}]}`,
		`"settings":{"auth":"sesame"}`,
		`"streamSettings":{"realitySettings":{"privateKey":"sesame","shortIds":["sesame"],"mldsa65Seed":"sesame"}}`,
		`"streamSettings":{"tlsSettings":{"certificates":[{"key":["sesame"],"certificate":["sesame"]}],"echServerKeys":"sesame"}}`,
		`"streamSettings":{"kcpSettings":{"seed":"sesame"}}`,
		`"streamSettings":{"wsSettings":{"headers":{"Authorization":"sesame"}}}`,
	} {
		for _, found := range [][]Difference{
			Compare(json.RawMessage(fmt.Sprintf(inbound, `"port":1`)), json.RawMessage(fmt.Sprintf(inbound, text))),
			Compare(json.RawMessage(fmt.Sprintf(inbound, text)), json.RawMessage(fmt.Sprintf(inbound, `"port":1`))),
		} {
			require.NotEmpty(t, found)
			require.NotContains(t, fmt.Sprint(found), "sesame", text)
			require.Contains(t, fmt.Sprint(found), Hidden, text)
		}
	}
}

// A value is told in part, and differences up to a number.
func TestDifferencesAreToldInPart(t *testing.T) {
	t.Parallel()
	long := func(text string) json.RawMessage { return json.RawMessage(`{"log":{"access":"` + text + `"}}`) }
	found := Compare(long(strings.Repeat("я", 200)), long(strings.Repeat("ю", 201)))
	require.Equal(t, []Difference{{Field: "log.access", Ours: strings.Repeat("я", 200), Theirs: strings.Repeat("ю", 200) + "…"}}, found)
	many := map[string]any{}
	for i := range Most + 5 {
		many[fmt.Sprintf("f%03d", i)] = i
	}
	text, err := json.Marshal(many)
	require.NoError(t, err)
	found = Compare(json.RawMessage(`{"x":1}`), text)
	require.Len(t, found, Most)
	require.Equal(t, "f000", found[0].Field, "in the sequence of their paths")
}

// Parts that share an outbound must mean the same by it, also the one that takes what no rule decides.
func TestTheFirstOutboundIsOurs(t *testing.T) {
	t.Parallel()
	_, err := Build([]Part{part("a", 1, `{"tag":"flow.unmatched","protocol":"freedom"}`)})
	require.ErrorContains(t, err, "flow.unmatched")
	made, err := Build([]Part{part("a", 1, `{"protocol":"blackhole","tag":"flow.unmatched"}`)})
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(made), "flow.unmatched"))
	none, err := Build(nil)
	require.NoError(t, err)
	require.JSONEq(t, `{"inbounds":[],"outbounds":[`+blocked+`],"routing":{"domainStrategy":"AsIs","rules":[]}}`, string(none))
	parts := []Part{part("b", 2), part("a", 1)}
	_, err = Build(parts)
	require.NoError(t, err)
	require.Equal(t, "b", parts[0].Tag, "the parts of the caller are left alone")
}
