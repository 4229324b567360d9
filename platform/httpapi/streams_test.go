package httpapi

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/fault"
)

// Live streams are bounded for each account and in sum; one that ends makes room for one, and leaves nothing behind.
func TestLiveStreamsAreBounded(t *testing.T) {
	t.Parallel()
	s := NewStreams()
	leave := map[string][]func(){}
	open := func(account string) error {
		left, err := s.Open(account)
		if err == nil {
			leave[account] = append(leave[account], left)
		}
		return err
	}
	for range streamsOfOne {
		require.NoError(t, open("anna"))
	}
	require.Equal(t, fault.KindThrottled, fault.KindOf(open("anna")))
	require.NoError(t, open("boris"), "another account has streams of its own")
	leave["anna"][0]()
	leave["anna"] = leave["anna"][1:]
	require.NoError(t, open("anna"))
	for i := 0; s.all < streamsInAll; i++ {
		require.NoError(t, open("account "+strconv.Itoa(i/streamsOfOne)))
	}
	require.Equal(t, fault.KindThrottled, fault.KindOf(open("one more")))
	for _, list := range leave {
		for _, left := range list {
			left()
		}
	}
	require.Zero(t, s.all)
	require.Empty(t, s.open)
}
