package app_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/httpapi"
)

// Answers are encoded by a library that is faster than the standard one and must write the same bytes, for every type
// that an operation of any module answers with.
func TestAnswersAreEncodedAsTheStandardLibraryDoes(t *testing.T) {
	t.Parallel()
	const samples = 50
	for _, op := range everything(t).App.Server().Routes() {
		if op.Answer() == nil {
			continue
		}
		body, has := op.Answer().FieldByName("Body")
		if !has {
			continue
		}
		random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same values in every run
		for range samples {
			value := reflect.New(body.Type).Elem()
			fill(random, value, 0)
			require.Equal(t, standard(t, value.Interface()), ours(t, value.Interface()), "%s %s", op.Method, op.Path)
		}
	}
}

func standard(t *testing.T, value any) string {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(value))
	return text.String()
}

func ours(t *testing.T, value any) string {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, httpapi.Encode(&text, value))
	return text.String()
}

const deepest = 6

var words = []string{
	"", "plain", `"quoted" \ and /`, "<b>&amp;</b>", "Привет", "\u2028\u2029", "line\nbreak\ttab\x01",
	"bad \xff byte", "😀",
}

// fill gives every exported field a value, often its zero.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	if depth > deepest || r.IntN(4) == 0 || !v.CanSet() {
		return
	}
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(r.Int64N(4e9), r.Int64N(2)*r.Int64N(1e9)).UTC()))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(`{"a":[1,2.5,"x"],"b":null}`)))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int64N(1<<40) - 1<<39)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.Uint64N(1 << 40))
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0.1, -2, 1e21, 1e-7, 123456789.123, r.Float64()}[r.IntN(6)])
	case reflect.String:
		v.SetString(words[r.IntN(len(words))])
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i), depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3))
		for i := range v.Len() {
			fill(r, v.Index(i), depth+1)
		}
	case reflect.Map:
		fillMap(r, v, depth)
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf([]any{"x", 1.5, true, map[string]any{"b": 1, "a": "<", "": []any{nil}}}[r.IntN(4)]))
		}
	default: // channels and functions are no JSON
	}
}

func fillMap(r *rand.Rand, v reflect.Value, depth int) {
	v.Set(reflect.MakeMap(v.Type()))
	for range r.IntN(4) {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(r, key, depth+1)
		fill(r, value, depth+1)
		v.SetMapIndex(key, value)
	}
}
