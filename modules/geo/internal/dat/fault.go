package dat

import (
	"errors"
	"fmt"
)

// Reasons why a file is refused; they are words of the API.
const (
	NotGeoData = "not_geo_data"
	Truncated  = "truncated"
	TooLarge   = "too_large"
	Empty      = "empty"
	HTML       = "html_instead_of_data"
)

// Refusal says why a file is not one that nodes may hold.
type Refusal struct {
	Reason string // one of the words above
	Detail string
}

func (r *Refusal) Error() string { return r.Reason + ": " + r.Detail }

func refuse(reason, format string, args ...any) error {
	return &Refusal{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// AsRefusal gives the refusal behind an error; nil when there is none.
func AsRefusal(err error) *Refusal {
	var r *Refusal
	if errors.As(err, &r) {
		return r
	}
	return nil
}
