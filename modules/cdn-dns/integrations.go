package cdndns

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/cdn-dns/internal/provider"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/vault"
)

// Integration is the panel's access to an account at a DNS service.
type Integration struct {
	ID             string          `json:"id" format:"uuid"`
	Provider       string          `json:"provider"`
	Label          string          `json:"label"`
	Fields         provider.Values `json:"fields" doc:"What was entered, without what is secret"`
	Zones          []Zone          `json:"zones" doc:"Those that the last check found"`
	HasToken       bool            `json:"has_token"`
	Permissions    Permissions     `json:"permissions_checked"`
	LastVerifiedAt *time.Time      `json:"last_verified_at" doc:"When the last check succeeded; null: never"`
	LastError      string          `json:"last_error" doc:"What the last check met; empty: nothing"`
	CreatedAt      time.Time       `json:"created_at"`
	UpdatedAt      time.Time       `json:"updated_at"`
	Revision       int64           `json:"revision"`
}

// Zone is a domain that an integration opens.
type Zone struct {
	ID   string `json:"id" doc:"What the service calls it"`
	Name string `json:"name"`
}

// Permissions are what the credentials may do, as far as the service tells.
type Permissions struct {
	ZoneRead bool `json:"zone_read"`
	DNSEdit  bool `json:"dns_edit"`
}

// NewIntegration is what an integration begins with.
type NewIntegration struct {
	Provider string          `json:"provider" minLength:"1" maxLength:"32" doc:"Name of a service of GET /api/v1/dns/providers"`
	Label    string          `json:"label" minLength:"1" maxLength:"64"`
	Fields   provider.Values `json:"fields" doc:"By the names of the service's fields; secret ones are write-only"`
}

// IntegrationChange is what may change. What is absent stays as it is.
type IntegrationChange struct {
	Revision *int64          `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Label    *string         `json:"label,omitempty" minLength:"1" maxLength:"64"`
	Fields   provider.Values `json:"fields,omitempty" doc:"Fields that change; the others stay"`
}

// integrations are the rules about integrations: each change, its line in the journal and its event commit together.
// The service is asked before, never inside the transaction.
type integrations struct {
	store     *store
	providers *provider.Providers
	vault     *vault.Vault
	journal   audit.Journal
	bus       *events.Bus
	clock     clockwork.Clock
}

func newIntegrations(
	s *store, p *provider.Providers, v *vault.Vault, j audit.Journal, b *events.Bus, c clockwork.Clock,
) *integrations {
	return &integrations{s, p, v, j, b, c}
}

func (i *integrations) now() time.Time { return i.clock.Now().UTC().Truncate(time.Microsecond) }

func place(id string) vault.Ref {
	return vault.Ref{Table: "cdndns_integrations", ID: id, Column: "sealed"}
}

const pathFields = "fields"

// add checks the credentials at the service, then stores the integration.
// Faults: those of the service, name_taken (409), invalid_value (422).
func (i *integrations) add(ctx context.Context, in NewIntegration) (Integration, error) {
	row, err := i.make(ctx, in)
	if err != nil {
		return Integration{}, err
	}
	err = i.store.db.InTx(ctx, func(ctx context.Context) error { return i.insert(ctx, row) })
	return row.shown(), err
}

// make is a new row whose credentials the service knows and whose rights are enough.
func (i *integrations) make(ctx context.Context, in NewIntegration) (*integrationRow, error) {
	now := i.now()
	row := &integrationRow{
		ID: database.NewID(), Provider: in.Provider, Label: in.Label, CreatedAt: now, UpdatedAt: now, Revision: 1,
	}
	client, err := i.providers.Open(in.Provider, in.Fields, pathFields)
	if err != nil {
		return nil, err
	}
	if err := i.look(ctx, client, row); err != nil {
		return nil, err
	}
	return row, i.seal(row, client.Kind, in.Fields)
}

func (i *integrations) insert(ctx context.Context, row *integrationRow) error {
	if err := i.store.insert(ctx, row); err != nil {
		return err
	}
	return i.publish(ctx, integrationAdded, row, map[string]audit.Change{"provider": {To: row.Provider}})
}

func (i *integrations) seal(row *integrationRow, kind *provider.Kind, values provider.Values) error {
	shown, secret := kind.Split(values)
	text, errShown := json.Marshal(shown)
	hidden, errSecret := json.Marshal(secret)
	if err := errors.Join(errShown, errSecret); err != nil {
		return fmt.Errorf("write the fields of an integration: %w", err)
	}
	row.Fields, row.Sealed = text, i.vault.Seal(place(row.ID), hidden)
	return nil
}

// values gives all fields of an integration, the secret ones too.
func (i *integrations) values(row *integrationRow) (provider.Values, error) {
	hidden, err := i.vault.Open(place(row.ID), row.Sealed)
	if err != nil {
		return nil, fmt.Errorf("open the secrets of an integration: %w", err)
	}
	values, secret := provider.Values{}, provider.Values{}
	if err := errors.Join(json.Unmarshal(row.Fields, &values), json.Unmarshal(hidden, &secret)); err != nil {
		return nil, fmt.Errorf("read the fields of an integration: %w", err)
	}
	maps.Copy(values, secret)
	return values, nil
}

func (i *integrations) open(row *integrationRow) (*provider.Client, error) {
	values, err := i.values(row)
	if err != nil {
		return nil, err
	}
	return i.providers.Open(row.Provider, values, pathFields)
}

// look asks the service which zones the credentials open and what they may do, and notes it in the row.
func (i *integrations) look(ctx context.Context, client *provider.Client, row *integrationRow) error {
	rights, err := client.Rights(ctx)
	row.ZoneRead, row.DNSEdit = rights.ZoneRead, rights.DNSEdit
	if err != nil {
		return err
	}
	found, err := client.Zones(ctx)
	if err != nil {
		return err
	}
	zones := make([]Zone, len(found))
	for n, z := range found {
		zones[n] = Zone{ID: z.ID, Name: z.Name}
	}
	if row.Zones, err = json.Marshal(zones); err != nil {
		return fmt.Errorf("write the zones of an integration: %w", err)
	}
	now := i.now()
	row.VerifiedAt, row.LastError = &now, ""
	return nil
}

// change alters what is given, and checks it at the service where the access changes.
// Faults: not_found (404), revision_conflict, name_taken (409), those of the service.
func (i *integrations) change(
	ctx context.Context, id string, revision int64, to IntegrationChange,
) (Integration, error) {
	row, err := i.store.integration(ctx, id)
	if err != nil {
		return Integration{}, err
	}
	before := row
	if to.Label != nil {
		row.Label = *to.Label
	}
	if len(to.Fields) > 0 {
		if err := i.retarget(ctx, &row, to.Fields); err != nil {
			return Integration{}, err
		}
	}
	row.Revision, row.UpdatedAt = revision+1, i.now()
	err = i.store.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := i.store.lock(ctx, id, revision); err != nil {
			return err
		}
		if err := i.store.update(ctx, &row); err != nil {
			return err
		}
		changes := map[string]audit.Change{"label": {From: before.Label, To: row.Label}}
		if len(to.Fields) > 0 {
			changes["fields"] = audit.Change{To: "changed"}
		}
		return i.publish(ctx, integrationChanged, &row, changes)
	})
	return row.shown(), err
}

func (i *integrations) retarget(ctx context.Context, row *integrationRow, to provider.Values) error {
	values, err := i.values(row)
	if err != nil {
		return err
	}
	maps.Copy(values, to)
	client, err := i.providers.Open(row.Provider, values, pathFields)
	if err != nil {
		return err
	}
	if err := i.look(ctx, client, row); err != nil {
		return err
	}
	return i.seal(row, client.Kind, values)
}

// remove forgets an integration. Its records stay where they are; an account at a CDN is kept as long as anything
// stands there, which could not be removed without it. Faults: not_found (404), integration_in_use (409).
func (i *integrations) remove(ctx context.Context, id string) error {
	return i.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := i.store.remove(ctx, id)
		if err != nil {
			return err
		}
		return i.publish(ctx, integrationRemoved, &row, nil)
	})
}

// zones asks the service now, and notes what it answered. Faults: not_found (404), those of the service.
func (i *integrations) zones(ctx context.Context, id string) ([]Zone, error) {
	row, err := i.store.integration(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := i.check(ctx, &row); err != nil {
		return nil, err
	}
	return row.shown().Zones, nil
}

// publish writes the journal's line and emits the event of the same name, in the transaction of the change.
func (i *integrations) publish(
	ctx context.Context, kind string, row *integrationRow, changes map[string]audit.Change,
) error {
	entry := audit.Entry{
		Action: kind, Object: audit.Object{Type: objectIntegration, ID: row.ID, Name: row.Label}, Changes: changes,
	}
	recorded := i.journal.Record(ctx, i.store.db.In(ctx), entry)
	emitted := i.emit(ctx, kind, row, Named{row.Label})
	if err := errors.Join(recorded, emitted); err != nil {
		return fmt.Errorf("publish what happened to an integration: %w", err)
	}
	return nil
}

func (i *integrations) emit(ctx context.Context, kind string, row *integrationRow, data any) error {
	return i.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: row.ID, At: i.now(), Data: data})
}

// solver finds the integration that holds the zone of a host name. It is provider.Solvers.
func (i *integrations) solver(ctx context.Context, host string) (string, provider.Solver, error) {
	row, _, err := i.opening(ctx, host)
	if err != nil {
		return "", nil, err
	}
	client, err := i.open(row)
	if err != nil {
		return "", nil, err
	}
	zone, err := client.ZoneOf(ctx, host)
	return zone.Name, client, err
}

// opening gives the integration whose zones, as they were found last, hold a host name, and the nearest of the zones.
// Error: provider.ErrNoZone.
func (i *integrations) opening(ctx context.Context, host string) (best *integrationRow, zone string, err error) {
	rows, err := i.store.all(ctx)
	if err != nil {
		return nil, "", err
	}
	for n := range rows {
		for _, one := range rows[n].shown().Zones {
			if within(host, one.Name) && len(one.Name) > len(zone) {
				best, zone = &rows[n], one.Name
			}
		}
	}
	if best == nil {
		return nil, "", provider.ErrNoZone
	}
	return best, zone, nil
}

// reason is what may be shown of an error of a service.
func reason(err error) string {
	if known, ok := fault.As(err); ok {
		return known.Detail
	}
	return err.Error()
}
