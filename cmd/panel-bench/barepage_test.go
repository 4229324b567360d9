package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-bench/internal/measure"
)

// The limit answers the same page whatever its rows hold: nulls, absent fields, times, objects, numbers of both kinds.
func TestTheLimitOfAPageAnswersTheSamePage(t *testing.T) {
	t.Parallel()
	row := `{"id":"a","n":1,"part":1.5,"mixed":2,"at":"2026-11-22T10:00:00.123456Z","on":true,"none":null,"some":"x","list":[1,{"b":null}],"odd":"word"}`
	other := `{"id":"b","n":2,"part":2,"mixed":"2","at":"2026-11-22T10:00:01Z","on":false,"none":null,"some":null,"list":[]}`
	answer := `{"items":[` + row
	for range pageSize - 1 {
		answer += "," + other
	}
	answer += `],"next_cursor":"c","total":77}`
	serves := func(ctx context.Context, b *bench) ([]measure.Result, error) {
		dsn, err := b.database(ctx, "page")
		if err != nil {
			return nil, err
		}
		_, _, err = b.barePage(ctx, dsn, []byte(answer))
		return nil, err
	}
	require.Empty(t, measuring(t.Context(), t, goal{"A", serves, time.Minute}).results())
}

func TestAPageOfAnotherContentIsNoLimit(t *testing.T) {
	t.Parallel()
	require.True(t, sameJSON([]byte(`{"a":1,"b":[null]}`), []byte(`{"b":[null],"a":1}`)))
	require.False(t, sameJSON([]byte(`{"a":1}`), []byte(`{"a":2}`)))
	require.False(t, sameJSON([]byte(`{"a":1}`), []byte(`an error`)))
}
