package hosting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/hosting/internal/cloud"
	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/settings"
)

// Server is a machine at a provider.
type Server struct {
	ID         string       `json:"id" format:"uuid"`
	AccountID  string       `json:"account_id" format:"uuid"`
	ExternalID string       `json:"external_id" doc:"As the provider calls it"`
	Name       string       `json:"name"`
	Status     string       `json:"status" enum:"initializing,running,off,starting,stopping,migrating,rebuilding,deleting,unknown"`
	Region     string       `json:"region"`
	Plan       string       `json:"plan"`
	Specs      cloud.Specs  `json:"specs"`
	IPv4       []string     `json:"ipv4"`
	IPv6       []string     `json:"ipv6"`
	Price      *cloud.Price `json:"price" doc:"null: nobody has said"`
	NextDueAt  *time.Time   `json:"next_due_at" doc:"When it must be paid next; null: nobody has said"`
	NodeID     *string      `json:"node_id" doc:"The node that has one of its addresses; null: none, or more than one"`
	Tags       []string     `json:"tags"`
	CreatedAt  time.Time    `json:"created_at"`
	UpdatedAt  time.Time    `json:"updated_at"`
	Revision   int64        `json:"revision"`
}

// machines are the rules about machines: how they are read, and what people say of them.
type machines struct {
	*accounts
	fleet    nodesapi.Fleet
	flows    flowsapi.Flows
	settings *settings.Doc[Settings]
}

func newMachines(a *accounts, n nodesapi.Fleet, f flowsapi.Flows, s *settings.Doc[Settings]) *machines {
	return &machines{a, n, f, s}
}

// owners tells which node has an address. One that several nodes have is nobody's.
type owners map[string]string

// owners reads the addresses of all nodes at once.
func (m *machines) owners(ctx context.Context) (owners, error) {
	nodes, err := m.fleet.Nodes(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the addresses of nodes: %w", err)
	}
	known := owners{}
	for i := range nodes {
		for _, address := range cloud.Addresses(append(nodes[i].Addresses, nodes[i].Address)...) {
			if other, taken := known[address]; taken && other != nodes[i].ID {
				known[address] = ""
				continue
			}
			known[address] = nodes[i].ID
		}
	}
	return known, nil
}

// of is the node that has one of the addresses; nil where there is none, or more than one.
func (o owners) of(addresses ...string) *string {
	var found *string
	for _, address := range addresses {
		id := o[address]
		switch {
		case id == "":
		case found != nil && *found != id:
			return nil
		default:
			found = &id
		}
	}
	return found
}

// NewEntry is a machine that is entered by hand.
type NewEntry struct {
	Name      string       `json:"name" minLength:"1" maxLength:"64"`
	Region    string       `json:"region,omitempty" maxLength:"64"`
	Plan      string       `json:"plan,omitempty" maxLength:"64"`
	IPs       []string     `json:"ips,omitempty" maxItems:"32" doc:"Its addresses, by which its node is found"`
	Price     *cloud.Price `json:"price,omitempty"`
	NextDueAt *time.Time   `json:"next_due_at,omitempty" doc:"When it must be paid next"`
	Tags      []string     `json:"tags,omitempty" maxItems:"20"`
}

// ServerChange is what people say of a machine. What is absent stays. Name, region, plan and addresses belong to
// entries by hand alone; price and due date to any machine whose provider does not say them.
type ServerChange struct {
	Revision  *int64       `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Name      *string      `json:"name,omitempty" minLength:"1" maxLength:"64"`
	Region    *string      `json:"region,omitempty" maxLength:"64"`
	Plan      *string      `json:"plan,omitempty" maxLength:"64"`
	IPs       *[]string    `json:"ips,omitempty" maxItems:"32"`
	Price     *cloud.Price `json:"price,omitempty"`
	NextDueAt *time.Time   `json:"next_due_at,omitempty"`
}

// describes says whether a change names what only an entry by hand takes.
func (c ServerChange) describes() bool {
	return c.Name != nil || c.Region != nil || c.Plan != nil || c.IPs != nil
}

// enter adds a machine by hand. Faults: not_found (404), not_able (409), invalid_value (422).
func (m *machines) enter(ctx context.Context, accountID string, in NewEntry) (Server, error) {
	account, err := m.store.account(ctx, accountID)
	if err != nil {
		return Server{}, err
	}
	if kind := m.providers.Kind(account.Kind); !kind.Can(cloud.CanEntries) {
		return Server{}, cloud.NotAble(kind)
	}
	now := m.now()
	row := serverRow{
		ID: database.NewID(), AccountID: accountID, Name: in.Name, Status: cloud.Unknown, Region: in.Region,
		Plan: in.Plan, NextDueAt: utc(in.NextDueAt), CreatedAt: now, UpdatedAt: now, Revision: 1,
	}
	row.ExternalID = row.ID
	row.setPrice(in.Price)
	if err := errors.Join(row.setTags(in.Tags), m.settle(ctx, &row, in.IPs)); err != nil {
		return Server{}, err
	}
	err = m.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := m.store.insertServer(ctx, &row); err != nil {
			return err
		}
		return m.publishServer(ctx, entryAdded, &row, nil)
	})
	return row.shown(), err
}

func (r *serverRow) setTags(tags []string) (err error) {
	r.Tags, err = json.Marshal(append([]string{}, tags...))
	return err
}

// settle gives a machine addresses, and the node that has them. Fault: invalid_value (422).
func (m *machines) settle(ctx context.Context, row *serverRow, ips []string) error {
	known := cloud.Addresses(ips...)
	if len(known) != len(ips) {
		return fault.InvalidValue("ips", "must be IP addresses, each once")
	}
	v4, v6 := cloud.Split(known)
	var err4, err6 error
	row.IPv4, err4 = json.Marshal(v4)
	row.IPv6, err6 = json.Marshal(v6)
	owned, err := m.owners(ctx)
	row.NodeID = owned.of(known...)
	return errors.Join(err4, err6, err)
}

// change takes over what people say of a machine. Faults: not_found (404), revision_conflict, not_able (409),
// invalid_value (422).
func (m *machines) change(ctx context.Context, accountID, id string, revision int64, to ServerChange) (Server, error) {
	account, err := m.store.account(ctx, accountID)
	if err != nil {
		return Server{}, err
	}
	kind := m.providers.Kind(account.Kind)
	if to.describes() && !kind.Can(cloud.CanEntries) {
		return Server{}, cloud.NotAble(kind)
	}
	var row serverRow
	err = m.store.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = m.store.lockServer(ctx, accountID, id, revision); err != nil {
			return err
		}
		before := row
		if err := m.take(ctx, &row, to); err != nil {
			return err
		}
		row.UpdatedAt, row.Revision = m.now(), revision+1
		if err := m.store.updateServer(ctx, &row); err != nil {
			return err
		}
		return m.publishServer(ctx, serverChanged, &row, differences(&before, &row))
	})
	return row.shown(), err
}

func (m *machines) take(ctx context.Context, row *serverRow, to ServerChange) error {
	replace(&row.Name, to.Name)
	replace(&row.Region, to.Region)
	replace(&row.Plan, to.Plan)
	if to.Price != nil {
		row.setPrice(to.Price)
	}
	if to.NextDueAt != nil {
		row.NextDueAt = utc(to.NextDueAt)
	}
	if to.IPs == nil {
		return nil
	}
	return m.settle(ctx, row, *to.IPs)
}

// replace takes over a value that is given.
func replace[T any](old, given *T) {
	if given != nil {
		*old = *given
	}
}

// differences are the lines of the journal.
func differences(from, to *serverRow) map[string]audit.Change {
	changes := map[string]audit.Change{}
	note := func(name string, before, after any) {
		if fmt.Sprint(before) != fmt.Sprint(after) {
			changes[name] = audit.Change{From: before, To: after}
		}
	}
	note("name", from.Name, to.Name)
	note("region", from.Region, to.Region)
	note("plan", from.Plan, to.Plan)
	note("ips", append(texts(from.IPv4), texts(from.IPv6)...), append(texts(to.IPv4), texts(to.IPv6)...))
	note("price", written(from), written(to))
	note("next_due_at", day(from.NextDueAt), day(to.NextDueAt))
	return changes
}

func written(r *serverRow) string { return textOf(r.price()) }

// textOf is a price as the journal tells it, "4500 EUR/month" in minor units.
func textOf(p *cloud.Price) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%d %s/%s", p.Amount, p.Currency, p.Period)
}

func day(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// removeEntry forgets a machine that was entered by hand. Faults: not_found (404), not_able (409).
func (m *machines) removeEntry(ctx context.Context, accountID, id string) error {
	account, err := m.store.account(ctx, accountID)
	if err != nil {
		return err
	}
	if kind := m.providers.Kind(account.Kind); !kind.Can(cloud.CanEntries) {
		return cloud.NotAble(kind)
	}
	return m.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := m.store.server(ctx, accountID, id)
		if err != nil {
			return err
		}
		if err := m.store.removeServer(ctx, id); err != nil {
			return err
		}
		return m.publishServer(ctx, entryRemoved, &row, nil)
	})
}

func (m *machines) publishServer(
	ctx context.Context, kind string, row *serverRow, changes map[string]audit.Change,
) error {
	recorded := m.journal.Record(ctx, m.store.db.In(ctx), audit.Entry{
		Action: kind, Object: row.object(), Changes: changes,
	})
	emitted := m.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: row.ID, At: m.now(), Data: Named{row.Name}})
	if err := errors.Join(recorded, emitted); err != nil {
		return fmt.Errorf("publish what happened to a machine: %w", err)
	}
	return nil
}
