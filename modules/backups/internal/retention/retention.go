// Package retention decides which artefacts of one destination may go.
package retention

import (
	"cmp"
	"slices"
	"time"
)

// Rules say what stays: what any rule of KeepLast and KeepDays keeps, as far as MaxBytes allows. Zero means no such
// rule; without any rule everything stays.
type Rules struct {
	KeepLast int   `json:"keep_last,omitempty"`
	KeepDays int   `json:"keep_days,omitempty"`
	MaxBytes int64 `json:"max_bytes,omitempty"`
}

// Kept is an artefact of one destination.
type Kept struct {
	Name  string
	At    time.Time
	Bytes int64
	// Good tells that it is complete and was not found damaged.
	Good bool
}

// Excess names what goes, oldest first. The newest good one never goes, whatever the rules say. What is not good does
// not count among the last ones, so that it pushes no good one out.
func Excess(all []Kept, r Rules, now time.Time) []string {
	newest := slices.SortedFunc(slices.Values(all), func(a, b Kept) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.Name, a.Name))
	})
	var gone []string
	var bytes int64
	good := 0
	for _, one := range newest {
		if one.Good {
			good++
		}
		last := one.Good && good == 1
		stays := r.keeps(one, good, now) && (r.MaxBytes == 0 || bytes+one.Bytes <= r.MaxBytes)
		if last || stays {
			bytes += one.Bytes
			continue
		}
		gone = append(gone, one.Name)
	}
	slices.Reverse(gone)
	return gone
}

// keeps looks at count and age; good is the number of good ones up to this one.
func (r Rules) keeps(one Kept, good int, now time.Time) bool {
	if r.KeepLast == 0 && r.KeepDays == 0 {
		return true
	}
	const day = 24 * time.Hour
	young := r.KeepDays > 0 && now.Sub(one.At) <= time.Duration(r.KeepDays)*day
	among := r.KeepLast > 0 && good <= r.KeepLast && (one.Good || good < r.KeepLast)
	return young || among
}
