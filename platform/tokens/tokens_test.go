package tokens_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/fault"
	"panel/platform/tokens"
)

func TestATokenIsItsPrefixAndRandomBitsAndIsStoredAsADigest(t *testing.T) {
	t.Parallel()
	one, digest := tokens.New("pat_")
	two, other := tokens.New("pat_")
	require.NotEqual(t, one, two)
	require.NotEqual(t, digest, other)
	require.Equal(t, digest, tokens.DigestOf(one))
	require.True(t, strings.HasPrefix(one, "pat_"))
	require.Len(t, one, len("pat_")+43)
}

// image is an image over a table that the test turns, and how often it was read.
type image struct {
	*tokens.Image[string]
	db    *database.DB
	reads atomic.Int32
	owner atomic.Value
	meets func() // runs in the middle of a read
}

var errUnknown = errors.New("unknown")

func newImage(t *testing.T) *image {
	t.Helper()
	i := &image{db: dbtest.New(t), meets: func() {}}
	i.owner.Store("anna")
	listener := database.NewListener(i.db.Pool, zap.NewNop())
	i.Image = tokens.NewImage(listener, tokens.Options[string]{
		Channel: "things", Most: 2, Owner: func(owner string) string { return owner },
		Read: func(context.Context, tokens.Digest) (string, error) {
			i.reads.Add(1)
			owner, _ := i.owner.Load().(string)
			i.meets()
			if owner == "" {
				return "", errUnknown
			}
			return owner, nil
		},
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = listener.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	require.Eventually(t, listener.Healthy, 60*time.Second, time.Millisecond)
	return i
}

func (i *image) announce(t *testing.T, owner string) {
	t.Helper()
	require.NoError(t, database.Notify(t.Context(), i.db, "things", owner))
}

func TestATokenIsReadOnceUntilItsOwnerIsAnnounced(t *testing.T) {
	t.Parallel()
	i, digest := newImage(t), tokens.DigestOf("x")
	for range 3 {
		found, err := i.Prove(t.Context(), digest)
		require.NoError(t, err)
		require.Equal(t, "anna", found)
	}
	require.EqualValues(t, 1, i.reads.Load())
	i.announce(t, "boris")
	i.announce(t, "anna")
	i.owner.Store("")
	require.Eventually(t, func() bool { _, known := i.Remembered(digest); return !known }, time.Minute,
		time.Millisecond)
	_, err := i.Prove(t.Context(), digest)
	require.ErrorIs(t, err, errUnknown)
}

func TestWhatWasReadBeforeAChangeIsNotRemembered(t *testing.T) {
	t.Parallel()
	i, digest := newImage(t), tokens.DigestOf("x")
	i.meets = func() { i.Forget("anna") }
	_, err := i.Prove(t.Context(), digest)
	require.NoError(t, err)
	_, known := i.Remembered(digest)
	require.False(t, known, "the change came between the read and its memory")
}

func TestAnImageIsBounded(t *testing.T) {
	t.Parallel()
	i := newImage(t)
	for _, token := range []string{"a", "b", "c"} {
		_, err := i.Prove(t.Context(), tokens.DigestOf(token))
		require.NoError(t, err)
	}
	_, first := i.Remembered(tokens.DigestOf("a"))
	_, last := i.Remembered(tokens.DigestOf("c"))
	require.False(t, first)
	require.True(t, last)
}

func TestNothingIsProvedFromMemoryWhileChangesCannotBeHeard(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	reads := 0
	disconnected := tokens.NewImage(database.NewListener(db.Pool, zap.NewNop()), tokens.Options[int]{
		Channel: "things", Owner: func(int) string { return "" },
		Read: func(context.Context, tokens.Digest) (int, error) { reads++; return reads, nil },
	})
	for want := 1; want <= 3; want++ {
		found, err := disconnected.Prove(t.Context(), tokens.DigestOf("x"))
		require.NoError(t, err)
		require.Equal(t, want, found)
	}
}

func TestUnknownTokensCostOneReadAndTheirNetworkWaits(t *testing.T) {
	t.Parallel()
	unknown, err := tokens.NewUnknown()
	require.NoError(t, err)
	now, digest := time.Now(), tokens.DigestOf("x")
	require.NoError(t, unknown.Refuse(digest, "192.0.2.1", now, errUnknown))
	unknown.Note(digest, "192.0.2.1", now)
	require.ErrorIs(t, unknown.Refuse(digest, "192.0.2.1", now, errUnknown), errUnknown)
	require.NoError(t, unknown.Refuse(digest, "192.0.2.1", now.Add(time.Minute), errUnknown),
		"it may have come into being")
	unknown.Forget()
	require.NoError(t, unknown.Refuse(digest, "192.0.2.1", now, errUnknown))

	for n := range 100 {
		unknown.Note(tokens.DigestOf(string(rune(n))), "2001:db8::1", now)
	}
	refused := unknown.Refuse(tokens.DigestOf("new"), "2001:db8::2", now, errUnknown)
	require.Equal(t, fault.KindThrottled, fault.KindOf(refused), "one network")
	require.NoError(t, unknown.Refuse(tokens.DigestOf("new"), "2001:db8:0:1::2", now, errUnknown),
		"another network does not wait")
}

// Every request is proved by the digest of its token.
func TestADigestTakesNoMemory(t *testing.T) {
	token, digest := tokens.New("pat_")
	long := strings.Repeat(token, 10)
	require.Zero(t, testing.AllocsPerRun(100, func() { tokens.DigestOf(token) }))
	require.Equal(t, digest, tokens.DigestOf(token))
	require.EqualValues(t, sha256.Sum256([]byte(long)), tokens.DigestOf(long))
}
