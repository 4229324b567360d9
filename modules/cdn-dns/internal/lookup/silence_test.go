package lookup

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A server that was silent three times in a row is left alone, for longer each time; an answer of any kind ends that.
func TestASilentServerIsLeftAlone(t *testing.T) {
	t.Parallel()
	var s silences
	now := time.Now()
	met := fmt.Errorf("%w: it took too long", ErrSilent)
	s.note("a", met, now)
	s.note("a", met, now)
	require.False(t, s.quiet("a", now))
	s.note("a", met, now)
	require.True(t, s.quiet("a", now.Add(29*time.Second)))
	require.False(t, s.quiet("b", now))
	require.False(t, s.quiet("a", now.Add(30*time.Second)), "it is tried again")
	s.note("a", met, now)
	require.True(t, s.quiet("a", now.Add(59*time.Second)))
	for range 10 {
		s.note("a", met, now)
	}
	require.False(t, s.quiet("a", now.Add(10*time.Minute)))
	s.note("a", errors.New("refused"), now)
	require.False(t, s.quiet("a", now))
	s.note("a", met, now)
	require.False(t, s.quiet("a", now), "silences count anew")
}

// Resolvers that are left alone are asked last, and not at all only by those who ask one by one.
func TestResolversThatAnswerAreAskedFirst(t *testing.T) {
	t.Parallel()
	r := New(nil, []string{"192.0.2.1", "192.0.2.2", "192.0.2.3"})
	for range silencesBefore {
		r.silent.note("192.0.2.1:53", ErrSilent, time.Now())
	}
	require.Equal(t, []string{"192.0.2.2:53", "192.0.2.3:53", "192.0.2.1:53"}, r.loudFirst(r.public))
	require.True(t, r.Quiet("192.0.2.1:53"))
}
