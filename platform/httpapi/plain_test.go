package httpapi

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type scalars struct {
	Text   string  `json:"text" maxLength:"5"`
	Free   string  `json:"free"`
	Named  string  `json:"named" enum:"a,b"`
	Count  int     `json:"count"`
	Some   uint    `json:"some"`
	Few    int     `json:"few" minimum:"1" maximum:"9"`
	Rate   float64 `json:"rate"`
	Is     bool    `json:"is"`
	Absent *string `json:"absent,omitempty"`
}

// What a look at a token decides is what all rules decide: the same faults at the same fields for every value.
func TestPlainValuesAreJudgedAsAllOthers(t *testing.T) {
	t.Parallel()
	quick := Leniently[scalars]().shape()
	slow := *quick.whole
	slow.fields = map[string]*field{}
	for name, known := range quick.whole.fields {
		careful := *known.shape
		careful.plain = false
		slow.fields[name] = &field{&careful, name, known.at}
	}
	value := rapid.OneOf(
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Float64().AsAny(), rapid.Int().AsAny(),
		rapid.IntRange(-3, 12).AsAny(), rapid.String().AsAny(),
		rapid.SampledFrom([]string{"a", "abcde", "abcdef", "é", "ééééé", "éééééé", "\x7f", "\\", `"`, "\n"}).AsAny(),
		rapid.Just[any]([]int{}), rapid.Just[any](map[string]int{"text": 1}),
		rapid.SampledFrom([]json.Number{"1e400", "-0", "1.0", "1e2", "123456789012345", "1234567890123456789"}).AsAny(),
	)
	names := rapid.SampledFrom([]string{
		"text", "free", "named", "count", "some", "few", "rate", "is", "absent", "Text", "later",
	})
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(rapid.MapOfN(names, value, 0, 9).Draw(t, "body"))
		require.NoError(t, err)
		require.Equal(t, judged(quick.registry, text, &slow), judged(quick.registry, text, quick.whole), string(text))
	})
}

// A scalar is plain when nothing but its type and the length of its text is asked of it.
func TestScalarsWithRulesAreNotPlain(t *testing.T) {
	t.Parallel()
	plain := map[string]bool{}
	for name, known := range Strictly[scalars]().shape().whole.fields {
		plain[name] = known.plain
	}
	require.Equal(t, map[string]bool{
		"text": true, "free": true, "named": false, "count": true, "some": false, "few": false,
		"rate": true, "is": true, "absent": true,
	}, plain)
}

// The largest numbers that are taken at sight are numbers that the decoder takes, too.
func TestNumbersTakenAtSightFitTheirTypes(t *testing.T) {
	t.Parallel()
	documents := Strictly[struct {
		Count int64   `json:"count"`
		Rate  float64 `json:"rate"`
	}]()
	digits := strings.Repeat("9", shortNumber)
	got, err := documents.Read(fmt.Appendf(nil, `{"count":-%s,"rate":%s}`, digits[:shortInteger-1], digits))
	require.NoError(t, err)
	require.EqualValues(t, -99999999999999, got.Count)
	require.False(t, math.IsInf(got.Rate, 0))
	_, err = documents.Read(fmt.Appendf(nil, `{"count":1,"rate":%s}`, strings.Repeat("9", 400)))
	require.Error(t, err)
}
