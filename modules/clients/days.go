package clients

import (
	"context"
	"fmt"
	"time"

	"panel/platform/database"
	"panel/platform/jobs"
)

// keptDays is how long is kept what clients have carried by days.
const keptDays = 90

const day = 24 * time.Hour

// tidyDays ends what is told of days long past.
func tidyDays() jobs.Tidy {
	return jobs.Tidy{Table: "client_days", Column: "day", Age: (keptDays + 1) * day}
}

// Course is what a client has carried on each of the last days, the oldest first.
type Course struct {
	Days []Day `json:"days" doc:"Each day in UTC, also those without traffic; the last one is today"`
}

// Day is what was carried on one day.
type Day struct {
	Day string `json:"day" format:"date"`
	Traffic
}

type courseInput struct {
	ClientPath
	Days int `query:"days" minimum:"1" maximum:"90" default:"30" doc:"How many days"`
}

// course gives what a client has carried on each of the last days. Fault: not_found (404).
func (c *clients) course(ctx context.Context, in *courseInput) (Course, error) {
	row, err := c.store.get(ctx, in.ID)
	if err != nil {
		return Course{}, err
	}
	today := c.now().Truncate(day)
	var known []struct {
		Day      time.Time
		Up, Down int64
	}
	err = c.store.db.In(ctx).NewRaw("select day, up, down from client_days where client_id = ? and day > ?::date",
		row.ID, today.AddDate(0, 0, -in.Days).Format(time.DateOnly)).Scan(ctx, &known)
	if err != nil {
		return Course{}, database.Fault(fmt.Errorf("read what a client carried by days: %w", err), nil)
	}
	carried := make(map[string]Traffic, len(known))
	for _, one := range known {
		carried[one.Day.Format(time.DateOnly)] = Traffic{Up: one.Up, Down: one.Down}
	}
	out := Course{Days: make([]Day, in.Days)}
	for i := range out.Days {
		name := today.AddDate(0, 0, i-in.Days+1).Format(time.DateOnly)
		out.Days[i] = Day{Day: name, Traffic: carried[name]}
	}
	return out, nil
}
