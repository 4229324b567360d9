package message

import "time"

// Refusal is a message that was not taken, in words that hold neither a secret nor an address.
type Refusal struct {
	// Reason is what the receiver said, or why it could not be reached.
	Reason string
	// Final says that another attempt would meet it again.
	Final bool
	// Late says that the receiver did not answer in time.
	Late bool
	// After is how long the receiver wants to be left alone; 0: it did not say.
	After time.Duration
}

// longestReason are the most characters of a reason.
const longestReason = 300

// Refused makes a refusal; the reason is cleaned and cut.
func Refused(reason string, final bool) *Refusal {
	return &Refusal{Reason: Clean(reason, longestReason), Final: final}
}

func (r *Refusal) Error() string { return r.Reason }
