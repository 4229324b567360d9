package message

import "time"

// Reason says why something was not sent: a stable code for programs, and what the receiver said by itself, if the code
// has a place for it.
type Reason struct{ Code, Detail string }

// Because makes a reason; the detail is cleaned and cut.
func Because(code, detail string) Reason { return Reason{code, Clean(detail, longestReason)} }

// Refusal is a message that was not taken, for a reason that holds neither a secret nor an address.
type Refusal struct {
	Reason Reason
	// Final says that another attempt would meet it again.
	Final bool
	// Late says that the receiver did not answer in time.
	Late bool
	// After is how long the receiver wants to be left alone; 0: it did not say.
	After time.Duration
}

// longestReason are the most characters of a detail.
const longestReason = 300

// Refused makes a refusal.
func Refused(code, detail string, final bool) *Refusal {
	return &Refusal{Reason: Because(code, detail), Final: final}
}

func (r *Refusal) Error() string { return English.Reason(r.Reason) }
