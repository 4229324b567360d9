package backups

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"panel/modules/backups/internal/destination"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/operations"
	"panel/platform/pattern"
)

// service is the rules about profiles, runs and restore tests.
type service struct {
	*engine
	store      *store
	journal    audit.Journal
	bus        *events.Bus
	operations *operations.Store
	wakeRun    func(ctx context.Context, id string) error
	wakeTest   func(ctx context.Context, id string) error
}

func newService(e *engine, s *store, j audit.Journal, b *events.Bus, o *operations.Store) *service {
	return &service{engine: e, store: s, journal: j, bus: b, operations: o}
}

func (s *service) now() time.Time { return s.clock.Now().UTC() }

// mostProfiles keeps what every panel looks at each minute short.
const mostProfiles = 100

// ProfileFields are what a profile is made of.
type ProfileFields struct {
	Name         string
	Enabled      bool
	Schedule     Schedule
	Scope        Scope
	Destinations []DestinationInput
	Encryption   EncryptionInput
	Retention    RetentionInput
	Verify       VerifyRule
	DeadmanHours int
}

// RetentionInput says what stays at each destination; 0 is no such rule, and without any everything stays.
type RetentionInput struct {
	KeepLast int   `json:"keep_last,omitempty" minimum:"0" maximum:"10000"`
	KeepDays int   `json:"keep_days,omitempty" minimum:"0" maximum:"36500"`
	MaxBytes int64 `json:"max_bytes,omitempty" minimum:"0" maximum:"9007199254740991"`
}

// DestinationInput is a place as it is given. The secret is written only; what has an id and none keeps the one it has.
type DestinationInput struct {
	ID           string         `json:"id,omitempty" maxLength:"64" doc:"Of a destination that is there already"`
	Kind         string         `json:"kind" enum:"local,s3,sftp,messenger"`
	Config       map[string]any `json:"config,omitempty" doc:"What a destination of this kind needs"`
	Secret       string         `json:"secret,omitempty" maxLength:"16384" doc:"Secret key, password, private key or token; absent: stays"`
	MaxPartBytes int64          `json:"max_part_bytes,omitempty" minimum:"0" maximum:"1099511627776"`
}

// EncryptionInput is how backups are encrypted. The passphrase is written only; absent it stays.
type EncryptionInput struct {
	Mode       string `json:"mode" enum:"age,passphrase,none"`
	Recipient  string `json:"recipient,omitempty" maxLength:"200"`
	Passphrase string `json:"passphrase,omitempty" maxLength:"1024"`
}

// create adds a profile. Faults: invalid_value (422), name_taken (409).
func (s *service) create(ctx context.Context, in ProfileFields) (Profile, error) {
	id := database.NewID()
	p := &profile{row: profileRow{ID: id, Label: labelOf(in.Name, id), CreatedAt: s.now()}}
	if err := s.fill(p, in); err != nil {
		return Profile{}, err
	}
	err := s.store.db.InTx(ctx, func(ctx context.Context) error {
		count, err := s.store.db.In(ctx).NewSelect().Model((*profileRow)(nil)).Count(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("count backup profiles: %w", err), nil)
		}
		if count >= mostProfiles {
			return fault.InvalidValue("name", "there are as many profiles as a panel can have; remove one first")
		}
		if err := s.store.insertProfile(ctx, &p.row); err != nil {
			return err
		}
		return s.keep(ctx, p, audit.Entry{Action: actionAdded, Object: p.row.object()})
	})
	return p.shown(), err
}

// change replaces a profile's fields.
// Faults: not_found (404), revision_conflict, name_taken (409), invalid_value (422).
func (s *service) change(ctx context.Context, id string, revision int64, in ProfileFields) (Profile, error) {
	p, err := s.store.profile(ctx, id)
	if err != nil {
		return Profile{}, err
	}
	before := p.row
	if err := s.fill(p, in); err != nil {
		return Profile{}, err
	}
	err = s.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.profileRow(ctx, id, true)
		if err != nil {
			return err
		}
		if row.Revision != revision || before.Revision != revision {
			return httpapi.ErrRevision
		}
		if err := s.store.updateProfile(ctx, &p.row); err != nil {
			return err
		}
		entry := audit.Entry{Action: actionChanged, Object: p.row.object(), Changes: differences(&before, &p.row)}
		return s.keep(ctx, p, entry)
	})
	return p.shown(), err
}

func (s *service) keep(ctx context.Context, p *profile, entry audit.Entry) error {
	rows := make([]destinationRow, len(p.places))
	for i := range p.places {
		rows[i] = p.places[i].row
	}
	if err := s.store.replaceDestinations(ctx, p.row.ID, rows); err != nil {
		return err
	}
	return s.journal.Record(ctx, s.store.db.In(ctx), entry)
}

// remove deletes a profile and its records; artefacts stay where they are.
// Faults: not_found (404), backup_run_active (409).
func (s *service) remove(ctx context.Context, id string) error {
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.profileRow(ctx, id, true)
		if err != nil {
			return err
		}
		active, err := s.store.hasActive(ctx, id)
		if err != nil {
			return err
		}
		if active {
			return constraints["backup_runs_active"]
		}
		if err := s.store.deleteProfile(ctx, id); err != nil {
			return err
		}
		return s.journal.Record(ctx, s.store.db.In(ctx), audit.Entry{Action: actionRemoved, Object: row.object()})
	})
}

func (p *profile) shown() Profile {
	rows := make([]destinationRow, len(p.places))
	for i := range p.places {
		rows[i] = p.places[i].row
	}
	return shownProfile(&p.row, rows)
}

// fill puts the fields into a profile and judges them. Fault: invalid_value (422).
func (s *service) fill(p *profile, in ProfileFields) error {
	if err := in.Scope.judge(); err != nil {
		return err
	}
	row := &p.row
	row.Name, row.Enabled, row.Cron, row.Zone = in.Name, in.Enabled, in.Schedule.Cron, in.Schedule.Zone
	row.SecretStore, row.Config, row.Telemetry = in.Scope.SecretStore, in.Scope.Config, in.Scope.Telemetry
	row.KeepLast, row.KeepDays, row.MaxBytes = in.Retention.KeepLast, in.Retention.KeepDays, in.Retention.MaxBytes
	row.VerifyCron, row.DeadmanHours = in.Verify.RestoreTest, in.DeadmanHours
	row.Revision, row.UpdatedAt, row.OverdueAt = row.Revision+1, s.now(), nil
	if row.Telemetry == "" {
		row.Telemetry = "all"
	}
	if err := s.times(row); err != nil {
		return err
	}
	if err := s.encrypt(p, in.Encryption); err != nil {
		return err
	}
	return s.fillPlaces(p, in.Destinations)
}

// times reads the rules of the clock.
func (s *service) times(row *profileRow) error {
	next := func(field, cron string) (*time.Time, error) {
		if cron == "" {
			return nil, nil //nolint:nilnil // without a rule it never runs by itself
		}
		rule, err := jobs.ParseRule(cron, row.Zone)
		if err != nil {
			return nil, fault.InvalidValue(field, "not a rule of five fields, like 30 3 * * *, in a known time zone")
		}
		at := rule.Next(s.now())
		if at.IsZero() {
			return nil, fault.InvalidValue(field, "this moment never comes")
		}
		return &at, nil
	}
	if _, err := jobs.ParseRule("0 0 * * *", row.Zone); err != nil || strings.EqualFold(row.Zone, "local") {
		return fault.InvalidValue("schedule.zone", "not a known time zone, like Europe/Moscow")
	}
	var err error
	if row.NextRunAt, err = next("schedule.cron", row.Cron); err != nil {
		return err
	}
	row.NextVerifyAt, err = next("verify.restore_test", row.VerifyCron)
	return err
}

const shortestPassphrase = 12

func (s *service) encrypt(p *profile, in EncryptionInput) error {
	row := &p.row
	row.Encryption, row.Recipient = in.Mode, in.Recipient
	switch {
	case in.Mode != "passphrase":
		p.passphrase, row.Passphrase = "", ""
	case in.Passphrase != "":
		if len(in.Passphrase) < shortestPassphrase {
			return fault.InvalidValue("encryption.passphrase", "a passphrase has at least 12 characters")
		}
		p.passphrase, row.Passphrase = in.Passphrase, s.store.seal(passphraseRef(row.ID), in.Passphrase)
	case p.passphrase == "":
		return fault.InvalidValue("encryption.passphrase", "the passphrase is missing")
	}
	if in.Mode != "age" && in.Recipient != "" || in.Mode != "passphrase" && in.Passphrase != "" {
		return fault.InvalidValue("encryption.mode", "a recipient belongs to age and a passphrase to passphrase")
	}
	if p.encryption().Check() != nil {
		return fault.InvalidValue("encryption.recipient", "not an age recipient; it begins with age1")
	}
	if in.Mode == "none" && row.SecretStore {
		return fault.InvalidValue("scope.secret_store", "the master key is only in encrypted backups")
	}
	if in.Mode == "age" && row.VerifyCron != "" {
		return fault.InvalidValue("verify.restore_test",
			"the panel cannot open backups for a recipient by itself; start restore tests with the identity")
	}
	return nil
}

func (s *service) fillPlaces(p *profile, in []DestinationInput) error {
	before := p.places
	p.places = nil
	for i, one := range in {
		field := fmt.Sprintf("destinations[%d]", i)
		made, err := s.fillPlace(p, before, one)
		if err == nil {
			err = s.judge(p, made)
		}
		if err != nil {
			return within(field, err)
		}
		made.row.Place = i
		if slices.ContainsFunc(p.places, func(other place) bool { return other.row.ID == made.row.ID }) {
			return fault.InvalidValue(field+".id", "this destination is in the list twice")
		}
		p.places = append(p.places, made)
	}
	return nil
}

func (s *service) fillPlace(p *profile, before []place, in DestinationInput) (place, error) {
	text, err := json.Marshal(in.Config)
	if err != nil || in.Config == nil {
		text = []byte("{}")
	}
	made := place{secret: in.Secret, row: destinationRow{
		ID: database.NewID(), ProfileID: p.row.ID, Kind: in.Kind, Config: text, MaxPartBytes: in.MaxPartBytes,
	}}
	if in.ID != "" {
		at := slices.IndexFunc(before, func(one place) bool { return one.row.ID == in.ID })
		if at < 0 || before[at].row.Kind != in.Kind {
			return made, fault.InvalidValue("id", "the profile has no destination of this kind with this id")
		}
		made.row.ID = in.ID
		if in.Secret == "" {
			if !sameServer(before[at].row.Config, text) {
				return made, fault.InvalidValue("secret", "another server needs its secret again")
			}
			made.secret = before[at].secret
		}
	}
	made.row.Secret = s.store.seal(secretRef(made.row.ID), made.secret)
	return made, nil
}

// sameServer keeps a stored secret from being sent to a server that somebody else named.
func sameServer(before, after []byte) bool {
	type server struct {
		Endpoint string `json:"endpoint"`
		Host     string `json:"host"`
		Port     int    `json:"port"`
		HostKey  string `json:"host_key"`
		APIRoot  string `json:"api_root"`
	}
	var a, b server
	return json.Unmarshal(before, &a) == nil && json.Unmarshal(after, &b) == nil && a == b
}

func (s *service) judge(p *profile, one place) error {
	if one.row.Kind == string(destination.Messenger) && p.row.Encryption == "none" {
		return fault.InvalidValue("kind", "a messenger takes encrypted backups only")
	}
	if one.row.Kind != string(destination.Local) && one.secret == "" {
		return fault.InvalidValue("secret", "a destination of this kind needs its secret")
	}
	return s.places.Validate(one.row.spec(one.secret))
}

// within puts the fields of a fault below another field.
func within(field string, err error) error {
	found, is := fault.As(err)
	if !is {
		return err
	}
	below := fault.Invalid(found.Code, found.Detail)
	for _, one := range found.Fields {
		below = below.Field(field+"."+one.Field, one.Code, one.Message)
	}
	return below
}

var notOfLabel = pattern.Of(`[^a-z0-9]+`)

// labelOf is the part of the artefacts' names that tells profiles apart where they share a place.
func labelOf(name, id string) string {
	const longest, tail = 20, 8
	slug := strings.Trim(notOfLabel().ReplaceAllString(strings.ToLower(name), "-"), "-")
	slug = strings.Trim(slug[:min(len(slug), longest)], "-")
	return strings.TrimPrefix(slug+"-"+id[len(id)-tail:], "-")
}

// differences are what the journal tells of a change; secrets and places are named and not shown.
func differences(before, after *profileRow) map[string]audit.Change {
	list := map[string]audit.Change{}
	add := func(name string, from, to any) {
		if from != to {
			list[name] = audit.Change{From: from, To: to}
		}
	}
	add("name", before.Name, after.Name)
	add("enabled", before.Enabled, after.Enabled)
	add("schedule", before.Cron+" "+before.Zone, after.Cron+" "+after.Zone)
	add("encryption", before.Encryption, after.Encryption)
	add("recipient", before.Recipient, after.Recipient)
	add("secret_store", before.SecretStore, after.SecretStore)
	add("config", before.Config, after.Config)
	add("telemetry", before.Telemetry, after.Telemetry)
	add("keep_last", before.KeepLast, after.KeepLast)
	add("keep_days", before.KeepDays, after.KeepDays)
	add("max_bytes", before.MaxBytes, after.MaxBytes)
	add("restore_test", before.VerifyCron, after.VerifyCron)
	add("deadman_hours", before.DeadmanHours, after.DeadmanHours)
	return list
}
