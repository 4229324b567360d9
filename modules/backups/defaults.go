package backups

import (
	"time"

	"panel/platform/jobs"
)

// NewProfile is what a profile begins with: its name and where to. Everything else has a default.
type NewProfile struct {
	Name         string             `json:"name" minLength:"1" maxLength:"64"`
	Destinations []DestinationInput `json:"destinations" minItems:"1" maxItems:"8"`
	Enabled      *bool              `json:"enabled,omitempty" doc:"Absent: true"`
	Schedule     *Schedule          `json:"schedule,omitempty" doc:"Absent: each day at 03:30 UTC"`
	Scope        *Scope             `json:"scope,omitempty" doc:"Absent: the database with all measurements"`
	Encryption   *EncryptionInput   `json:"encryption,omitempty" doc:"Absent: not encrypted"`
	Retention    *RetentionInput    `json:"retention,omitempty" doc:"Absent: the last 10, and those of 30 days"`
	Verify       *VerifyRule        `json:"verify,omitempty" doc:"Absent: on Sundays at 05:00; never with an age recipient"`
	DeadmanHours *int               `json:"deadman_hours,omitempty" minimum:"0" maximum:"8760" doc:"Absent: two hours more than the longest time between runs; 0 without a schedule"`
}

const (
	dailyBackup = "30 3 * * *"
	weeklyTest  = "0 5 * * 0"
)

// fields gives every field that is absent its default.
func (n NewProfile) fields(now time.Time) ProfileFields {
	f := ProfileFields{
		Name: n.Name, Destinations: n.Destinations, Enabled: true, Schedule: Schedule{Cron: dailyBackup},
		Encryption: EncryptionInput{Mode: "none"}, Retention: RetentionInput{KeepLast: 10, KeepDays: 30},
	}
	set(&f.Enabled, n.Enabled)
	set(&f.Schedule, n.Schedule)
	set(&f.Scope, n.Scope)
	set(&f.Encryption, n.Encryption)
	set(&f.Retention, n.Retention)
	if f.Encryption.Mode != "age" {
		f.Verify.RestoreTest = weeklyTest
	}
	set(&f.Verify, n.Verify)
	f.DeadmanHours = patience(f.Schedule, now)
	set(&f.DeadmanHours, n.DeadmanHours)
	return f
}

// patience is how many hours a schedule may stay without a good backup: the longest of its next gaps and two hours for
// the run itself. 0, which means never, without a schedule and for a rule that validation refuses.
func patience(s Schedule, now time.Time) int {
	const (
		gaps  = 32 // each weekday or day of the month is among them
		spare = 2
		most  = 8760
	)
	rule, err := jobs.ParseRule(s.Cron, s.Zone)
	if s.Cron == "" || err != nil {
		return 0
	}
	longest, last := time.Duration(0), rule.Next(now)
	for range gaps {
		next := rule.Next(last)
		if last.IsZero() || next.IsZero() {
			return 0
		}
		longest, last = max(longest, next.Sub(last)), next
	}
	return min(int((longest+time.Hour-1)/time.Hour)+spare, most)
}
