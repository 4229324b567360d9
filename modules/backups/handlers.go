package backups

import (
	"context"
	"encoding/json"

	"panel/platform/httpapi"
	"panel/platform/restored"
)

// handlers read the request, ask the service and shape the answer.
type handlers struct{ *service }

func newHandlers(s *service) *handlers { return &handlers{s} }

type body[T any] struct{ Body T }

type listInput struct{ httpapi.PageQuery }

type runsInput struct {
	httpapi.PageQuery
	Profile string `query:"profile_id" format:"uuid" doc:"Only runs of this profile"`
}

// IDPath names a profile, a run or a restore test in a path.
type IDPath struct {
	ID string `path:"id" maxLength:"64"`
}

type profileInput struct{ Body NewProfile }

// ProfileChange is what may change. What is absent stays as it is; a list of destinations replaces the list.
type ProfileChange struct {
	Revision     *int64              `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Name         *string             `json:"name,omitempty" minLength:"1" maxLength:"64"`
	Enabled      *bool               `json:"enabled,omitempty"`
	Schedule     *Schedule           `json:"schedule,omitempty"`
	Scope        *Scope              `json:"scope,omitempty"`
	Destinations *[]DestinationInput `json:"destinations,omitempty" minItems:"1" maxItems:"8"`
	Encryption   *EncryptionInput    `json:"encryption,omitempty"`
	Retention    *RetentionInput     `json:"retention,omitempty"`
	Verify       *VerifyRule         `json:"verify,omitempty"`
	DeadmanHours *int                `json:"deadman_hours,omitempty" minimum:"0" maximum:"8760"`
}

type changeInput struct {
	IDPath
	IfMatch string `header:"If-Match"`
	Body    ProfileChange
}

func (h *handlers) listProfiles(ctx context.Context, in *listInput) (*body[httpapi.Page[Profile]], error) {
	page, err := h.store.profiles(ctx, in.PageQuery)
	return &body[httpapi.Page[Profile]]{page}, err
}

func (h *handlers) addProfile(ctx context.Context, in *profileInput) (*body[Profile], error) {
	made, err := h.create(ctx, in.Body.fields(h.now()))
	return &body[Profile]{made}, err
}

func (h *handlers) showProfile(ctx context.Context, in *IDPath) (*body[Profile], error) {
	p, err := h.store.profile(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &body[Profile]{p.shown()}, nil
}

func (h *handlers) changeProfile(ctx context.Context, in *changeInput) (*body[Profile], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	p, err := h.store.profile(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	changed, err := h.change(ctx, in.ID, revision, in.Body.over(p))
	return &body[Profile]{changed}, err
}

// over gives the fields of a profile with the change.
func (c ProfileChange) over(p *profile) ProfileFields {
	r := &p.row
	f := ProfileFields{
		Name: r.Name, Enabled: r.Enabled, Schedule: Schedule{Cron: r.Cron, Zone: r.Zone},
		Scope:      r.scope(),
		Encryption: EncryptionInput{Mode: r.Encryption, Recipient: r.Recipient},
		Retention:  RetentionInput(r.rules()), Verify: VerifyRule{RestoreTest: r.VerifyCron},
		DeadmanHours: r.DeadmanHours,
	}
	for _, one := range p.places {
		in := DestinationInput{ID: one.row.ID, Kind: one.row.Kind, MaxPartBytes: one.row.MaxPartBytes}
		_ = json.Unmarshal(one.row.Config, &in.Config) // the panel wrote it
		f.Destinations = append(f.Destinations, in)
	}
	set(&f.Name, c.Name)
	set(&f.Enabled, c.Enabled)
	set(&f.Schedule, c.Schedule)
	set(&f.Scope, c.Scope)
	set(&f.Destinations, c.Destinations)
	set(&f.Encryption, c.Encryption)
	set(&f.Retention, c.Retention)
	set(&f.Verify, c.Verify)
	set(&f.DeadmanHours, c.DeadmanHours)
	return f
}

func set[T any](field, to *T) {
	if to != nil {
		*field = *to
	}
}

func (h *handlers) removeProfile(ctx context.Context, in *IDPath) (*struct{}, error) {
	return nil, h.remove(ctx, in.ID)
}

func (h *handlers) listRuns(ctx context.Context, in *runsInput) (*body[httpapi.Page[Run]], error) {
	page, err := h.store.runs(ctx, in.PageQuery, in.Profile)
	return &body[httpapi.Page[Run]]{page}, err
}

// NewRun names the profile to run.
type NewRun struct {
	ProfileID string `json:"profile_id" format:"uuid"`
}

type runInput struct{ Body NewRun }

func (h *handlers) startRun(ctx context.Context, in *runInput) (*body[Run], error) {
	row, err := h.start(ctx, in.Body.ProfileID, byPerson)
	return &body[Run]{row.shown()}, err
}

func (h *handlers) showRun(ctx context.Context, in *IDPath) (*body[Run], error) {
	row, err := h.store.run(ctx, in.ID, false)
	return &body[Run]{row.shown()}, err
}

func (h *handlers) cancelRun(ctx context.Context, in *IDPath) (*body[Run], error) {
	row, err := h.cancel(ctx, in.ID)
	return &body[Run]{row.shown()}, err
}

func (h *handlers) listRestores(ctx context.Context, in *listInput) (*body[httpapi.Page[Restore]], error) {
	page, err := h.store.restores(ctx, in.PageQuery)
	return &body[httpapi.Page[Restore]]{page}, err
}

// NewRestore says which backup is restored, where to, and what opens it.
type NewRestore struct {
	RunID   string    `json:"run_id" format:"uuid"`
	Mode    string    `json:"mode" enum:"verify,full" doc:"verify: into a scratch database; full: in place of the panel's database"`
	Confirm string    `json:"confirm,omitempty" maxLength:"64" doc:"For full: the name of the profile, to say that it is meant"`
	Keys    KeysInput `json:"keys,omitzero" doc:"What opens a backup that the panel cannot open by itself"`
}

type restoreInput struct{ Body NewRestore }

func (h *handlers) startRestore(ctx context.Context, in *restoreInput) (*body[Restore], error) {
	row, err := h.beginRestore(ctx, in.Body, byPerson)
	return &body[Restore]{row.shown()}, err
}

func (h *handlers) showRestore(ctx context.Context, in *IDPath) (*body[Restore], error) {
	row, err := h.store.restore(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	outcomes, err := restored.Outcomes(ctx, h.store.db)
	row.Outcome = outcomes[row.ID]
	return &body[Restore]{row.shown()}, err
}
