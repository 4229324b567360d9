package imports

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"panel/modules/clients/clientsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/imports/internal/foreign"
	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
)

// take makes a draft of each chosen entry, and its clients, all in one transaction. Who repeats the same choice gets
// what was made, and nothing is made twice.
// Faults: not_found (404), import_taken, name_taken (409), invalid_value (422).
func (i *imports) take(ctx context.Context, id string, choice Take) (Import, error) {
	if !database.IsID(id) {
		return Import{}, missing()
	}
	var row *importRow
	var c *foreign.Config
	err := i.store.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, c, err = i.store.get(ctx, id, i.now(), true); err != nil {
			return err
		}
		if row.TakenAt != nil {
			return sameChoice(row.Flows, choice.Entries)
		}
		if err := i.isNode(ctx, choice.NodeID); err != nil {
			return err
		}
		if row.Flows, err = i.make(ctx, c, choice); err != nil {
			return err
		}
		return i.store.taken(ctx, row, i.now())
	})
	if err != nil {
		return Import{}, database.Fault(err, nil)
	}
	return i.shown(ctx, row, &foreign.Config{})
}

func (i *imports) isNode(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	unknown := fault.InvalidValue("node_id", "there is no such node")
	if !database.IsID(id) {
		return unknown
	}
	_, err := i.nodes.Node(ctx, id)
	if errors.Is(err, nodesapi.ErrUnknown) {
		return unknown
	}
	if err != nil {
		return fmt.Errorf("look up the node of an import: %w", err)
	}
	return nil
}

// sameChoice says whether an import that was taken has become what is asked for.
func sameChoice(made []Made, wanted []Taken) error {
	same := slices.EqualFunc(made, wanted, func(m Made, t Taken) bool { return m.Key == t.Key && m.Name == t.Name })
	if same {
		return nil
	}
	return fault.Conflict("import_taken", "flows were already made of this import; read the file again for others")
}

// make makes the flows and their clients. A person who uses several entries is one client with several flows.
func (i *imports) make(ctx context.Context, c *foreign.Config, choice Take) ([]Made, error) {
	made, people := []Made{}, newPeople()
	for at, wanted := range choice.Entries {
		field := "entries[" + strconv.Itoa(at) + "]"
		index := slices.IndexFunc(c.Entries, func(e foreign.Entry) bool { return e.Key == wanted.Key })
		if index < 0 || slices.ContainsFunc(made, func(m Made) bool { return m.Key == wanted.Key }) {
			return nil, fault.InvalidValue(field+".key", "there is no such entry, or it is named twice")
		}
		e := &c.Entries[index]
		id, err := i.flow(ctx, e, wanted.Name, choice.NodeID)
		if err != nil {
			return nil, err
		}
		people.add(id, e.Clients)
		if len(e.Clients) == 0 {
			if err := i.clients.Add(ctx, id, "Default"); err != nil {
				return nil, fmt.Errorf("add the first client of a flow: %w", err)
			}
		}
		m := Made{Key: e.Key, ID: id, Name: wanted.Name, Clients: len(e.Clients)}
		if err := i.tell(ctx, m, c.Format); err != nil {
			return nil, err
		}
		made = append(made, m)
	}
	if err := i.clients.Import(ctx, people.all); err != nil {
		return nil, fmt.Errorf("store the clients of an import: %w", err)
	}
	return made, nil
}

// flow makes the draft of an entry.
func (i *imports) flow(ctx context.Context, e *foreign.Entry, name, nodeID string) (string, error) {
	drawing, err := e.Drawing(nodeID)
	if err != nil {
		return "", err
	}
	draft := flowsapi.Draft{Name: name, Drawing: drawing}
	if e.Flow != nil {
		draft.Description, draft.Tags = e.Flow.Description, e.Flow.Tags
	}
	id, err := i.drafts.Create(ctx, draft)
	if _, is := fault.As(err); err != nil && !is {
		return "", fmt.Errorf("make a flow of an import: %w", err)
	}
	return id, err
}

func (i *imports) tell(ctx context.Context, m Made, format string) error {
	entry := audit.Entry{
		Action: kindImported, Object: audit.Object{Type: "flow", ID: m.ID, Name: m.Name},
		Changes: map[string]audit.Change{"source": {To: format}, "clients": {To: m.Clients}},
	}
	if err := i.journal.Record(ctx, i.store.db.In(ctx), entry); err != nil {
		return fmt.Errorf("record an imported flow: %w", err)
	}
	return i.bus.Emit(ctx, events.Event{
		Kind: kindImported, SubjectID: m.ID, At: i.now(), Data: News{Name: m.Name, Format: format, Clients: m.Clients},
	})
}

// people gathers the clients of several entries.
type people struct {
	all            []clientsapi.Brought
	first          []foreign.Client // of each of them, as it was met
	byName, byLink map[string]int   // where the client of a name, and of a subscription, stands
}

func newPeople() *people { return &people{byName: map[string]int{}, byLink: map[string]int{}} }

// add adds the clients of a flow. One of a name that was met in another flow is the same client, unless each has a
// subscription of its own. So is one of another name with the same subscription, unless something holds for one of the
// two alone; what both may use is added up.
func (p *people) add(flowID string, clients []foreign.Client) {
	for i := range clients {
		c := &clients[i]
		use := clientsapi.BroughtUse{FlowID: flowID, UUID: c.UUID, Password: c.Password, Key: c.Key}
		at, known := p.find(c)
		if !known || usesFlow(p.all[at].Uses, flowID) {
			p.met(c, use)
			continue
		}
		one := &p.all[at]
		one.Uses = append(one.Uses, use)
		if c.Label != one.Label {
			one.Quota, one.Up, one.Down = sum(one.Quota, c.Quota), sum(one.Up, c.Up), sum(one.Down, c.Down)
		}
		if one.Token == "" {
			one.Token = p.token(c, at)
		}
	}
}

// find gives where the client stands that this one is.
func (p *people) find(c *foreign.Client) (at int, known bool) {
	if at, known = p.byName[c.Label]; known {
		other := p.first[at].Subscription
		if c.Subscription == "" || other == "" || c.Subscription == other {
			return at, true
		}
	}
	at, known = p.byLink[c.Subscription]
	return at, known && c.Joins(&p.first[at])
}

// met adds a client that was not there before.
func (p *people) met(c *foreign.Client, use clientsapi.BroughtUse) {
	at := len(p.all)
	if _, known := p.byName[c.Label]; !known {
		p.byName[c.Label] = at
	}
	p.first = append(p.first, *c)
	p.all = append(p.all, clientsapi.Brought{
		Label: c.Label, Note: c.Note, Disabled: c.Disabled, ExpiresAt: c.ExpiresAt, LastsDays: c.LastsDays,
		Quota: c.Quota, Reset: c.Reset, Addresses: c.Addresses, Up: c.Up, Down: c.Down, Token: p.token(c, at),
		Uses: []clientsapi.BroughtUse{use},
	})
}

// token gives the client that stands there its subscription, unless another one keeps it.
func (p *people) token(c *foreign.Client, at int) string {
	if _, taken := p.byLink[c.Subscription]; taken || c.Subscription == "" {
		return ""
	}
	p.byLink[c.Subscription] = at
	return c.Subscription
}

// sum is no more than JSON carries everywhere.
func sum(a, b int64) int64 { return min(a+b, 1<<53-1) }

func usesFlow(uses []clientsapi.BroughtUse, flowID string) bool {
	return slices.ContainsFunc(uses, func(u clientsapi.BroughtUse) bool { return u.FlowID == flowID })
}
