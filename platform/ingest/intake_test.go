package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/fault"
)

func TestABatchGoesToTheReaderOfItsKind(t *testing.T) {
	t.Parallel()
	i, down := NewIntakes(), errors.New("down")
	var got []string
	reading := func(kind agentapi.BatchKind, err error) Intake {
		return Intake{Kind: kind, Take: func(_ context.Context, nodeID string, b *agentapi.Batch) error {
			got = append(got, nodeID+" "+string(kind))
			return err
		}}
	}
	require.NoError(t, errors.Join(i.Add(reading("one", nil)), i.Add(reading("two", down))))
	require.Equal(t, []agentapi.BatchKind{"one", "two"}, i.Kinds())
	require.NoError(t, i.Take(t.Context(), "n", &agentapi.Batch{Kind: "one"}))
	require.ErrorIs(t, i.Take(t.Context(), "n", &agentapi.Batch{Kind: "two"}), down)
	require.Equal(t, fault.KindMissing, fault.KindOf(i.Take(t.Context(), "n", &agentapi.Batch{Kind: "three"})))
	many := &agentapi.Batch{Kind: "one", Items: make([]json.RawMessage, agentapi.MaxBatchItems+1)}
	require.Equal(t, fault.KindInvalid, fault.KindOf(i.Take(t.Context(), "n", many)))
	require.Equal(t, []string{"n one", "n two"}, got)
}

func TestAKindOfBatchesHasOneReader(t *testing.T) {
	t.Parallel()
	i := NewIntakes()
	take := func(context.Context, string, *agentapi.Batch) error { return nil }
	require.NoError(t, i.Add(Intake{Kind: "one", Take: take}))
	for _, bad := range []Intake{{Kind: "one", Take: take}, {Take: take}, {Kind: "two"}} {
		require.Error(t, i.Add(bad))
	}
}
