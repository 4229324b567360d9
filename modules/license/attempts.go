package license

import "time"

// keptAttempts is how many questions people are shown.
const keptAttempts = 5

// Attempt is one question to one license server; a check that passes over mirrors makes several.
type Attempt struct {
	At      time.Time `json:"at"`
	Server  string    `json:"server" doc:"Host of the license server" example:"lic1.example.com"`
	OK      bool      `json:"ok" doc:"It gave a signed answer, be it a refusal"`
	Outcome string    `json:"outcome" doc:"The signed verdict, or what went wrong" example:"timeout"`
	TookMS  int64     `json:"took_ms"`
}

// latest puts fresh attempts, in the order they were made, before the earlier ones.
func latest(earlier, fresh []Attempt, at time.Time) []Attempt {
	all := make([]Attempt, 0, len(fresh)+len(earlier))
	for i := len(fresh) - 1; i >= 0; i-- {
		attempt := fresh[i]
		attempt.At = at
		all = append(all, attempt)
	}
	all = append(all, earlier...)
	return all[:min(len(all), keptAttempts)]
}
