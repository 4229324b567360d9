package accounts

import (
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/fault"
)

// A sign-in that is turned away because all cores hash is no guess: under a flood it must not delay who knows the password.
func TestAnAttemptThatWasNotExaminedIsForgotten(t *testing.T) {
	t.Parallel()
	held, err := newThrottle(clockwork.NewFakeClock())
	require.NoError(t, err)
	for range 10 * freeAddressFailures {
		require.NoError(t, held.enter("anna", "192.0.2.1"))
		held.forget("anna", "192.0.2.1")
	}
	for range freeFailures {
		require.NoError(t, held.enter("anna", "192.0.2.1"))
	}
	require.Equal(t, fault.KindThrottled, fault.KindOf(held.enter("anna", "192.0.2.1")), "examined attempts still count")
}
