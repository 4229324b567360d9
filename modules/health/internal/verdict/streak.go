package verdict

import "time"

// Result is one result of a vantage.
type Result struct {
	At      time.Time
	OK      bool
	Reason  string
	Error   string
	Latency *float64
	Expires *time.Time // of a certificate
}

// Streak is what one vantage has seen in a row of one check.
type Streak struct {
	State               string // up, down or unknown
	OK                  *bool
	Reason, Error       string
	Latency             *float64
	Expires             *time.Time
	Failures, Successes int
	At, Since           time.Time // zero: never
}

// Thresholds are how many results in a row turn the state.
type Thresholds struct{ Failures, Successes int }

// After gives the streak with one more result. A result that is older than the last one changes nothing, so that what
// comes twice, or late, does no harm. The first success ends not knowing at once; a failure never does before the
// threshold.
func (s Streak) After(r Result, t Thresholds) Streak {
	if !r.At.After(s.At) {
		return s
	}
	ok := r.OK
	s.OK, s.At, s.Reason, s.Error, s.Latency = &ok, r.At, r.Reason, r.Error, nil
	if r.Expires != nil {
		s.Expires = r.Expires
	}
	if r.OK {
		s.Failures, s.Successes, s.Latency = 0, s.Successes+1, r.Latency
	} else {
		s.Failures, s.Successes = s.Failures+1, 0
	}
	before := s.State
	switch {
	case r.OK && (before != Down || s.Successes >= t.Successes):
		s.State = Up
	case !r.OK && s.Failures >= t.Failures:
		s.State = Down
	}
	if s.State != before || s.Since.IsZero() {
		s.Since = r.At
	}
	return s
}

// Fresh says whether a result still counts: three intervals without one are too many, beside the time that results
// wait on their way.
func Fresh(at, now time.Time, interval time.Duration) bool {
	const onTheWay = 45 * time.Second
	return !at.IsZero() && now.Sub(at) <= 3*interval+onTheWay
}

// CutOff says whether so few agents are heard that the panel's own route is the likely cause: at most one, or one in
// ten. The one may be on the panel's own host, and cut off with it.
func CutOff(silent, all int) bool {
	const few = 10
	return silent > 1 && all-silent <= max(1, all/few)
}
