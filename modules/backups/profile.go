package backups

import (
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/backups/internal/destination"
	"panel/modules/backups/internal/retention"
	"panel/platform/audit"
	"panel/platform/fault"
)

// Profile says what is backed up, when, where to and for how long.
type Profile struct {
	ID            string          `json:"id" format:"uuid"`
	Name          string          `json:"name"`
	Enabled       bool            `json:"enabled" doc:"Whether its schedule and its restore tests run by themselves"`
	Schedule      Schedule        `json:"schedule"`
	Scope         Scope           `json:"scope"`
	Destinations  []Destination   `json:"destinations"`
	Encryption    Encryption      `json:"encryption"`
	Compression   string          `json:"compression" enum:"zstd"`
	Retention     retention.Rules `json:"retention"`
	Verify        VerifyRule      `json:"verify"`
	DeadmanHours  int             `json:"deadman_hours" doc:"Hours without a good backup after which people are told; 0: never"`
	NextRunAt     *time.Time      `json:"next_run_at"`
	NextVerifyAt  *time.Time      `json:"next_verify_at"`
	LastSuccessAt *time.Time      `json:"last_success_at" doc:"When a backup last reached all destinations; null: never"`
	CreatedAt     time.Time       `json:"created_at"`
	UpdatedAt     time.Time       `json:"updated_at"`
	Revision      int64           `json:"revision"`
}

// Schedule is when a profile runs by itself.
type Schedule struct {
	Cron string `json:"cron,omitempty" maxLength:"100" doc:"Five fields, 30 3 * * *; empty: only when somebody starts it"`
	Zone string `json:"zone,omitempty" maxLength:"64" doc:"Time zone of the rule, Europe/Moscow; empty: UTC"`
}

// Scope is what a backup holds. The database is in each, and in it the files that the panel keeps, such as builds of
// the agent.
type Scope struct {
	Database    *bool  `json:"database,omitempty" doc:"Always true: a backup without the database is refused"`
	SecretStore bool   `json:"secret_store,omitempty" doc:"The master key too; only in an encrypted backup"`
	Config      bool   `json:"config,omitempty" doc:"The file of settings too"`
	Files       *bool  `json:"files,omitempty" doc:"Always true: the panel's files are kept in its database"`
	StatusPage  bool   `json:"statuspage,omitempty" doc:"Refused while the panel has no status page"`
	Telemetry   string `json:"telemetry,omitempty" enum:"none,rollups,all" default:"all" doc:"How much of the measurements"`
}

// judge refuses what no backup can be. Fault: invalid_value (422), with the code backup_scope of the field.
func (s Scope) judge() error {
	no := func(field, message string) error {
		return fault.Invalid("invalid_value", "a field has a value that is not allowed").
			Field("scope."+field, "backup_scope", message)
	}
	switch {
	case s.Database != nil && !*s.Database:
		return no("database", "the database is in every backup")
	case s.Files != nil && !*s.Files:
		return no("files", "the panel's files are kept in its database and are in every backup")
	case s.StatusPage:
		return no("statuspage", "this panel has no status page to back up")
	}
	return nil
}

// scope is what a backup of the profile holds.
func (r *profileRow) scope() Scope {
	always := true
	return Scope{
		Database: &always, SecretStore: r.SecretStore, Config: r.Config, Files: &always, Telemetry: r.Telemetry,
	}
}

// Encryption is how backups of a profile are encrypted.
type Encryption struct {
	Mode          string `json:"mode" enum:"age,passphrase,none"`
	Recipient     string `json:"recipient" doc:"The age recipient; its identity is not known to the panel"`
	HasPassphrase bool   `json:"has_passphrase"`
}

// VerifyRule is when the last good backup is restored into a scratch database.
type VerifyRule struct {
	RestoreTest string `json:"restore_test,omitempty" maxLength:"100" doc:"Five fields in the schedule's time zone; empty: never by itself"`
}

// Destination is one place that a profile writes to.
type Destination struct {
	ID           string         `json:"id" format:"uuid"`
	Kind         string         `json:"kind" enum:"local,s3,sftp,messenger"`
	Config       map[string]any `json:"config"`
	HasSecret    bool           `json:"has_secret"`
	MaxPartBytes int64          `json:"max_part_bytes"`
}

type profileRow struct {
	bun.BaseModel `bun:"table:backup_profiles,alias:p"`

	ID            string     `bun:"id,pk,type:uuid"`
	Name          string     `bun:"name"`
	Label         string     `bun:"label"`
	Enabled       bool       `bun:"enabled"`
	Cron          string     `bun:"cron"`
	Zone          string     `bun:"zone"`
	SecretStore   bool       `bun:"secret_store"`
	Config        bool       `bun:"config"`
	Telemetry     string     `bun:"telemetry"`
	Encryption    string     `bun:"encryption"`
	Recipient     string     `bun:"recipient"`
	Passphrase    string     `bun:"passphrase"`
	KeepLast      int        `bun:"keep_last"`
	KeepDays      int        `bun:"keep_days"`
	MaxBytes      int64      `bun:"max_bytes"`
	VerifyCron    string     `bun:"verify_cron"`
	DeadmanHours  int        `bun:"deadman_hours"`
	NextRunAt     *time.Time `bun:"next_run_at"`
	NextVerifyAt  *time.Time `bun:"next_verify_at"`
	LastSuccessAt *time.Time `bun:"last_success_at"`
	LastGoodRun   *string    `bun:"last_good_run,type:uuid"`
	OverdueAt     *time.Time `bun:"overdue_at"`
	CreatedAt     time.Time  `bun:"created_at"`
	UpdatedAt     time.Time  `bun:"updated_at"`
	Revision      int64      `bun:"revision"`
	SortKey       string     `bun:"sort_key,scanonly"`
}

func (r *profileRow) object() audit.Object {
	return audit.Object{Type: objectProfile, ID: r.ID, Name: r.Name}
}

func (r *profileRow) rules() retention.Rules {
	return retention.Rules{KeepLast: r.KeepLast, KeepDays: r.KeepDays, MaxBytes: r.MaxBytes}
}

type destinationRow struct {
	bun.BaseModel `bun:"table:backup_destinations,alias:d"`

	ID           string          `bun:"id,pk,type:uuid"`
	ProfileID    string          `bun:"profile_id,type:uuid"`
	Place        int             `bun:"place"`
	Kind         string          `bun:"kind"`
	Config       json.RawMessage `bun:"config,type:jsonb"`
	MaxPartBytes int64           `bun:"max_part_bytes"`
	Secret       string          `bun:"secret"`
}

func (r *destinationRow) shown() Destination {
	shown := Destination{
		ID: r.ID, Kind: r.Kind, HasSecret: r.Secret != "", MaxPartBytes: r.MaxPartBytes,
		Config: map[string]any{},
	}
	_ = json.Unmarshal(r.Config, &shown.Config) // it was written by the panel
	return shown
}

func (r *destinationRow) spec(secret string) destination.Spec {
	return destination.Spec{
		Kind: destination.Kind(r.Kind), Config: r.Config, Secret: secret, MaxPartBytes: r.MaxPartBytes,
	}
}

// profile is a row with its places and its open secrets.
type profile struct {
	row        profileRow
	places     []place
	passphrase string
}

// place is a destination with its open secret.
type place struct {
	row    destinationRow
	secret string
}

func shownProfile(r *profileRow, places []destinationRow) Profile {
	shown := Profile{
		ID: r.ID, Name: r.Name, Enabled: r.Enabled, Schedule: Schedule{Cron: r.Cron, Zone: r.Zone},
		Scope:        r.scope(),
		Destinations: []Destination{},
		Encryption: Encryption{
			Mode: r.Encryption, Recipient: r.Recipient, HasPassphrase: r.Passphrase != "",
		},
		Compression: "zstd", Retention: r.rules(), Verify: VerifyRule{RestoreTest: r.VerifyCron},
		DeadmanHours: r.DeadmanHours, NextRunAt: utc(r.NextRunAt), NextVerifyAt: utc(r.NextVerifyAt),
		LastSuccessAt: utc(r.LastSuccessAt), CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
		Revision: r.Revision,
	}
	for i := range places {
		shown.Destinations = append(shown.Destinations, places[i].shown())
	}
	return shown
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	in := at.UTC()
	return &in
}
