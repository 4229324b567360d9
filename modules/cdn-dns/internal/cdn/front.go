package cdn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/cdn-dns/internal/records"
	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

// The words of the journal for what happens at CDNs.
const (
	ActionCreated = "cdn.created"
	ActionRemoved = "cdn.removed"
)

// front is what stands at a CDN for a binding, as it is stored.
type front struct {
	bun.BaseModel `bun:"table:cdn_fronts,alias:f"`

	ID            string          `bun:"id,pk,type:uuid"`
	DomainID      string          `bun:"domain_id,type:uuid"`
	Hostname      string          `bun:"hostname"`
	Kind          string          `bun:"kind"`
	IntegrationID string          `bun:"integration_id,type:uuid"`
	Name          string          `bun:"name"`
	Origin        string          `bun:"origin"`
	OriginTLS     bool            `bun:"origin_tls"`
	Marks         json.RawMessage `bun:"marks,type:jsonb"`
	Target        string          `bun:"target"`
	Records       json.RawMessage `bun:"records,type:jsonb"`
	Step          string          `bun:"step"`
	State         string          `bun:"state"`
	ApplyID       string          `bun:"apply_id,type:uuid"`
	CreatedAt     time.Time       `bun:"created_at"`
	UpdatedAt     time.Time       `bun:"updated_at"`
}

func (f *front) marks() (m provider.Marks) {
	_ = json.Unmarshal(f.Marks, &m) // written by hold alone
	return m
}

func (f *front) wanted() (all []provider.Record) {
	_ = json.Unmarshal(f.Records, &all)
	return all
}

func (f *front) at(named bool) provider.Front {
	address, _ := netip.ParseAddr(f.Origin)
	return provider.Front{
		Name: f.Name, Host: f.Hostname, Origin: provider.Origin{Address: address, TLS: f.OriginTLS}, Marks: f.marks(),
		Named: named,
	}
}

// fronts gives what stands at CDNs for bindings.
func (e *Engine) fronts(ctx context.Context, domainIDs ...string) (rows []front, err error) {
	err = e.DB.In(ctx).NewSelect().Model(&rows).Where("f.domain_id = any(?::uuid[])", pgdialect.Array(domainIDs)).
		Order("hostname", "id").Scan(ctx)
	return rows, database.Fault(err, nil)
}

// originOf is where a CDN fetches from: the IPv4 address of the node, the only family that all CDNs call.
func (e *Engine) originOf(ctx context.Context, binding domainsapi.Domain) (origin string, err error) {
	node, err := e.Fleet.Node(ctx, binding.NodeID)
	if errors.Is(err, nodesapi.ErrUnknown) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for _, addr := range records.Addresses(node) {
		if addr.Is4() {
			return addr.String(), nil
		}
	}
	return "", nil
}

// account opens the CDN that a binding leads through.
func (e *Engine) account(ctx context.Context, integrationID string) (*provider.Client, provider.CDN, error) {
	client, err := e.Open(ctx, integrationID)
	if err != nil {
		return nil, nil, err
	}
	network := client.CDN()
	if network == nil {
		return nil, nil, fault.Missing("the integration is none with a CDN")
	}
	return client, network, nil
}

// most bounds the steps of one call: each makes one thing more.
const most = 8

// raise brings the front of a binding as far as it can be brought now, and says what it waits for; nothing once the
// network answers for the host name. Faults: record_conflict (409), and those of the services.
func (e *Engine) raise(
	ctx context.Context, applyID string, binding domainsapi.Domain, tls bool,
) (waits string, err error) {
	client, network, err := e.account(ctx, binding.CDNID)
	if err != nil {
		return "", err
	}
	row, err := e.begun(ctx, applyID, binding, client.Kind.Name, tls)
	if err != nil {
		return "", err
	}
	for range most {
		named, err := e.name(ctx, applyID, binding, row)
		if err != nil {
			return "", err
		}
		progress, failed := network.Advance(ctx, row.at(named))
		if failed != nil { // how far it was is not changed by that
			progress.Step, progress.Ready = row.Step, row.State == StateReady
		}
		moved, err := e.hold(ctx, row, progress)
		switch {
		case err != nil:
			return "", err
		case failed != nil:
			return "", failed
		case progress.Ready:
			return "", nil
		case !moved:
			return progress.Step, nil
		}
	}
	return row.Step, nil
}

// begun gives the row of a front, which is noted before the service is asked for anything. Applies that begin the same
// front at the same time get the same row.
func (e *Engine) begun(
	ctx context.Context, applyID string, binding domainsapi.Domain, kind string, tls bool,
) (*front, error) {
	rows, err := e.fronts(ctx, binding.ID)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].IntegrationID == binding.CDNID {
			return &rows[i], nil
		}
	}
	origin, err := e.originOf(ctx, binding)
	if err != nil {
		return nil, err
	}
	if origin == "" {
		return nil, errors.New("the node has no address that a CDN reaches")
	}
	now := e.now()
	row := &front{
		ID: database.NewID(), DomainID: binding.ID, Hostname: provider.Canonical(binding.Hostname), Kind: kind,
		IntegrationID: binding.CDNID, Origin: origin, OriginTLS: tls, Marks: json.RawMessage("{}"),
		Records: json.RawMessage("[]"), Step: provider.StepCreate, State: StateProvisioning, ApplyID: applyID,
		CreatedAt: now, UpdatedAt: now,
	}
	const tail = 12 // of the id: its random part
	row.Name = "panel-" + row.ID[len(row.ID)-tail:]
	_, err = e.DB.In(ctx).NewInsert().Model(row).On("conflict (domain_id, integration_id) do nothing").Exec(ctx)
	if err != nil {
		return nil, database.Fault(err, nil)
	}
	stored := new(front)
	err = e.DB.In(ctx).NewSelect().Model(stored).
		Where("f.domain_id = ? and f.integration_id = ?", row.DomainID, row.IntegrationID).Scan(ctx)
	return stored, database.Fault(err, nil)
}

// name writes the records of a front into the zone of its host name, and tells whether they lead there.
func (e *Engine) name(ctx context.Context, applyID string, binding domainsapi.Domain, row *front) (bool, error) {
	wanted := row.wanted()
	if len(wanted) == 0 {
		return false, nil
	}
	h, err := e.Find(ctx, binding.Hostname)
	if err != nil {
		return false, err
	}
	own, err := e.of(ctx, binding.ID)
	if err != nil {
		return false, err
	}
	stands, err := e.settle(ctx, making{applyID, binding, row.Kind, h}, wanted, own)
	return stands && row.Target != "", err
}

// hold stores how far a front is, and tells whether anything has changed. What was made is told in the journal, and
// that the network answers as an event; what another apply has stored meanwhile was told by it.
func (e *Engine) hold(ctx context.Context, row *front, s provider.Progress) (moved bool, err error) {
	before := *row
	marks, errMarks := json.Marshal(s.Marks)
	list, errRecords := json.Marshal(append([]provider.Record{}, s.Records...))
	if err := errors.Join(errMarks, errRecords); err != nil {
		return false, fmt.Errorf("write how far a CDN is: %w", err)
	}
	row.Step, row.State = s.Step, stateOf(s.Ready)
	if s.Marks != (provider.Marks{}) {
		row.Marks = marks
	}
	if len(s.Records) > 0 {
		row.Records = list
	}
	if s.Target != "" {
		row.Target = s.Target
	}
	if row.marks() == before.marks() && slices.Equal(row.wanted(), before.wanted()) && row.Target == before.Target &&
		row.Step == before.Step && row.State == before.State {
		return false, nil
	}
	row.UpdatedAt = e.now()
	return true, e.DB.InTx(ctx, func(ctx context.Context) error {
		stored, err := one(e.DB.In(ctx).NewUpdate().Model(row).
			Column("marks", "records", "target", "step", "state", "updated_at").WherePK().
			Where("f.marks = ?::jsonb and f.state = ?", string(before.Marks), before.State).Exec(ctx))
		if err == nil && !stored {
			return nil
		}
		if err == nil && before.marks().Resource == "" && row.marks().Resource != "" {
			err = e.journal(ctx, ActionCreated, row)
		}
		if err == nil && before.State != StateReady && row.State == StateReady {
			err = e.emit(ctx, KindProvisioned, row.DomainID, Provisioned{row.Hostname, row.Kind})
		}
		return database.Fault(err, nil)
	})
}

func (e *Engine) journal(ctx context.Context, action string, row *front) error {
	return e.Journal.Record(ctx, e.DB.In(ctx), audit.Entry{
		Action: action, Object: audit.Object{Type: records.Object, ID: row.Hostname, Name: row.Hostname},
		Changes: map[string]audit.Change{"cdn": {To: row.Kind}, "origin": {To: row.Origin}},
	})
}

// lower takes a front away at its service, then its row.
func (e *Engine) lower(ctx context.Context, row *front) error {
	_, network, err := e.account(ctx, row.IntegrationID)
	if err != nil {
		return err
	}
	keep := func(m provider.Marks) error {
		_, err := e.hold(ctx, row, provider.Progress{Marks: m, Step: row.Step, Ready: row.State == StateReady})
		return err
	}
	if err := network.Remove(ctx, row.at(true), keep); err != nil {
		return err
	}
	return e.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := e.DB.In(ctx).NewDelete().Model(row).WherePK().Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("forget what stood at a CDN: %w", err), nil)
		}
		if row.marks().Resource == "" {
			return nil
		}
		return e.journal(ctx, ActionRemoved, row)
	})
}

// repoint lets a CDN fetch from where the node of a binding is now.
func (e *Engine) repoint(ctx context.Context, row *front, binding domainsapi.Domain, tls bool) error {
	origin, err := e.originOf(ctx, binding)
	if err != nil || origin == "" || row.Origin == origin && row.OriginTLS == tls {
		return err
	}
	_, network, err := e.account(ctx, row.IntegrationID)
	if err != nil {
		return err
	}
	row.Origin, row.OriginTLS, row.UpdatedAt = origin, tls, e.now()
	if err := network.Point(ctx, row.at(true)); err != nil {
		return err
	}
	_, err = e.DB.In(ctx).NewUpdate().Model(row).Column("origin", "origin_tls", "updated_at").WherePK().Exec(ctx)
	return database.Fault(err, nil)
}
