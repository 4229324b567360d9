package accounts

import (
	"time"

	"panel/platform/core/accounts/internal/throttle"
)

// Limits are the rules of sessions and sign-ins that no setting changes.
type Limits struct {
	SessionLife         time.Duration
	FreeFailures        int
	FreeAddressFailures int
	LongestDelay        time.Duration
}

// Fixed gives the limits of this build.
func Fixed() Limits {
	return Limits{
		SessionLife: absoluteLife, FreeFailures: throttle.FreeFailures, FreeAddressFailures: throttle.FreeAddressFailures, LongestDelay: throttle.LongestDelay,
	}
}
