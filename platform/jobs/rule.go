package jobs

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // a server without the files of time zones keeps them as well

	"github.com/robfig/cron/v3"
)

// Rule is a cron rule of five fields in a time zone.
type Rule struct {
	spec cron.Schedule
	zone *time.Location
}

var fields = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// ParseRule reads minute, hour, day of month, month and day of week; the empty zone is UTC.
func ParseRule(text, zone string) (Rule, error) {
	place, err := time.LoadLocation(zone)
	if err != nil {
		return Rule{}, fmt.Errorf("the time zone %q is not known", zone)
	}
	if strings.Contains(text, "TZ=") || strings.HasPrefix(text, "@") {
		return Rule{}, fmt.Errorf("the rule %q must have five fields, like 30 3 * * *", text)
	}
	spec, err := fields.Parse(text)
	if err != nil {
		return Rule{}, fmt.Errorf("the rule %q cannot be read: %w", text, err)
	}
	return Rule{spec: spec, zone: place}, nil
}

// Next is the first moment after the given one; the zero time says never.
//
// It steps through the clock on the wall, so that a rule of every day runs on every day: at 02:30 also on the day that
// has no 02:30, and once on the day that has two.
func (r Rule) Next(after time.Time) time.Time {
	for wall := r.spec.Next(wallOf(after.In(r.zone))); !wall.IsZero(); wall = r.spec.Next(wall) {
		at := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), 0, 0, r.zone)
		if at.After(after) {
			return at.UTC()
		}
	}
	return time.Time{}
}

// wallOf is what the clock on the wall shows, a while ago: in a gap of the zone it stands further back than time has
// gone.
func wallOf(at time.Time) time.Time {
	const widest = 3 * time.Hour
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC).Add(-widest)
}
