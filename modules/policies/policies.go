package policies

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/modules/flows/flowsapi"
	"panel/modules/policies/internal/rules"
	"panel/modules/policies/policiesapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
	"panel/platform/names"
	"panel/platform/vault"
)

// policies are the rules about policies, the catalogue and custom plans: each change, its line in the journal and its
// event commit together.
type policies struct {
	store   *store
	vault   *vault.Vault
	uses    flowsapi.PolicyUses
	drafts  flowsapi.Drafts
	journal audit.Journal
	bus     *events.Bus
	clock   clockwork.Clock
}

func newPolicies(
	db *database.DB, v *vault.Vault, u flowsapi.PolicyUses, d flowsapi.Drafts, j audit.Journal, b *events.Bus,
	c clockwork.Clock,
) *policies {
	return &policies{store: &store{db}, vault: v, uses: u, drafts: d, journal: j, bus: b, clock: c}
}

func (p *policies) now() time.Time { return p.clock.Now().UTC() }

// publish writes the journal's line and emits the event of the same name, in the transaction of the change.
func (p *policies) publish(
	ctx context.Context, kind string, about audit.Object, changes map[string]audit.Change, data any,
) error {
	recorded := p.journal.Record(ctx, p.store.db.In(ctx), audit.Entry{Action: kind, Object: about, Changes: changes})
	emitted := p.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: about.ID, At: p.now(), Data: data})
	if err := errors.Join(recorded, emitted); err != nil {
		return fmt.Errorf("publish what happened to %s: %w", about.Type, err)
	}
	return nil
}

// create makes a policy that no flow obeys yet. Faults: name_taken (409), invalid_value (422).
func (p *policies) create(ctx context.Context, in NewPolicy) (string, error) {
	row := policyRow{
		ID: database.NewID(), Kind: in.Kind, Rules: []rules.Rule{}, Protocols: []string{}, CreatedAt: p.now(),
		Revision: 1,
	}
	to := PolicyChange{Name: &in.Name, Rules: &in.Rules, AllowedProtocols: &in.AllowedProtocols}
	if err := p.changed(&row, to); err != nil {
		return "", err
	}
	return row.ID, p.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := p.store.insert(ctx, &row); err != nil {
			return err
		}
		return p.publish(ctx, policiesapi.EventCreated, row.object(), nil, policiesapi.News{Name: row.Name})
	})
}

// changed puts a change into a row. Fault: invalid_value (422).
func (p *policies) changed(row *policyRow, to PolicyChange) error {
	row.UpdatedAt = p.now()
	if to.Name != nil {
		if row.named(*to.Name); row.Name == "" {
			return fault.InvalidValue("name", "give the policy a name")
		}
	}
	if to.Rules != nil {
		for i, r := range *to.Rules {
			if field, message := rules.Check(row.Kind, r); field != "" {
				return fault.InvalidValue(fmt.Sprintf("rules[%d].%s", i, field), message)
			}
		}
		row.Rules = copied(*to.Rules)
	}
	if to.AllowedProtocols != nil {
		for i, one := range *to.AllowedProtocols {
			field := "allowed_protocols[" + strconv.Itoa(i) + "]"
			if !slices.Contains(rules.Protocols, one) {
				return fault.InvalidValue(field, "listeners do not speak this protocol")
			}
			if slices.Contains((*to.AllowedProtocols)[:i], one) {
				return fault.InvalidValue(field, "the protocol is there already")
			}
		}
		row.Protocols = copied(*to.AllowedProtocols)
	}
	return nil
}

// change alters what is given. Flows that run go on as they are; their next compilation obeys.
// Faults: not_found (404), revision_conflict, name_taken (409), invalid_value (422).
func (p *policies) change(ctx context.Context, id string, revision int64, to PolicyChange) error {
	return p.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := p.locked(ctx, id, revision)
		if err != nil {
			return err
		}
		was := row
		if err := p.changed(&row, to); err != nil {
			return err
		}
		changes := map[string]audit.Change{}
		if was.Name != row.Name {
			changes["name"] = audit.Change{From: was.Name, To: row.Name}
		}
		if !slices.EqualFunc(was.Rules, row.Rules, sameRule) {
			changes["rules"] = audit.Change{From: was.Rules, To: row.Rules}
		}
		if !slices.Equal(was.Protocols, row.Protocols) {
			changes["allowed_protocols"] = audit.Change{From: was.Protocols, To: row.Protocols}
		}
		if len(changes) == 0 {
			return nil
		}
		row.Revision++
		if err := p.store.update(ctx, &row); err != nil {
			return err
		}
		return p.publish(ctx, policiesapi.EventUpdated, row.object(), changes, policiesapi.News{Name: row.Name})
	})
}

func sameRule(a, b rules.Rule) bool {
	return a.Type == b.Type && a.Name == b.Name && a.Number == b.Number && slices.Equal(a.Values, b.Values)
}

// locked reads a policy for a change that starts from a revision. Faults: not_found (404), revision_conflict (409).
func (p *policies) locked(ctx context.Context, id string, revision int64) (policyRow, error) {
	row, err := p.store.policy(ctx, id, true)
	if err == nil && row.Revision != revision {
		err = httpapi.ErrRevision
	}
	return row, err
}

// remove deletes a policy that no flow obeys. Faults: not_found (404), policy_in_use (409).
func (p *policies) remove(ctx context.Context, id string) error {
	return p.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := p.store.policy(ctx, id, true)
		if err != nil {
			return err
		}
		if err := p.unused(ctx, &row); err != nil {
			return err
		}
		if err := p.store.delete(ctx, &row); err != nil {
			return err
		}
		return p.publish(ctx, policiesapi.EventDeleted, row.object(), nil, policiesapi.News{Name: row.Name})
	})
}

// unused lets those flows go that are being deleted, which nobody sees any more. Fault: policy_in_use (409).
func (p *policies) unused(ctx context.Context, row *policyRow) error {
	flows, err := p.store.flows(ctx, row.ID)
	if err != nil {
		return err
	}
	called, err := p.uses.Names(ctx, flows[row.ID]...)
	if err != nil {
		return fmt.Errorf("read the flows of a policy: %w", err)
	}
	if len(called) > 0 {
		return fault.Conflict("policy_in_use", "flows obey this policy; let them go first").
			With("flow_ids", slices.Sorted(maps.Keys(called)))
	}
	return p.store.assign(ctx, row, []string{})
}

// assign makes flows obey a policy, and lets all others go. Nothing that runs changes.
// Faults: not_found (404), revision_conflict, flow_has_policy (409), invalid_value (422).
func (p *policies) assign(ctx context.Context, id string, revision int64, flowIDs []string) error {
	return p.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := p.locked(ctx, id, revision)
		if err != nil {
			return err
		}
		wanted, err := ids(flowIDs)
		if err != nil {
			return err
		}
		known, err := p.uses.Names(ctx, wanted...)
		if err != nil {
			return fmt.Errorf("read the flows of a policy: %w", err)
		}
		for _, one := range wanted {
			if known[one] == "" {
				at := slices.IndexFunc(flowIDs, func(given string) bool { return strings.EqualFold(given, one) })
				return fault.InvalidValue(fmt.Sprintf("flow_ids[%d]", at), "there is no such flow")
			}
		}
		if other, policy, err := p.store.others(ctx, &row, wanted); err != nil {
			return err
		} else if other != "" {
			return fault.Conflict("flow_has_policy", "a flow obeys another policy of this kind; let it go there first").
				With("flow_id", other).With("flow_name", known[other]).With("policy", policy)
		}
		before, err := p.store.flows(ctx, id)
		if err != nil || slices.Equal(before[id], wanted) {
			return err
		}
		row.Revision, row.UpdatedAt = row.Revision+1, p.now()
		if err := errors.Join(p.store.assign(ctx, &row, wanted), p.store.update(ctx, &row)); err != nil {
			return err
		}
		changes := map[string]audit.Change{"flows": {From: len(before[id]), To: len(wanted)}}
		return p.publish(ctx, policiesapi.EventAssigned, row.object(), changes, policiesapi.News{Name: row.Name})
	})
}

// ids sorts ids as the database has them. Fault: invalid_value (422).
func ids(given []string) ([]string, error) {
	out := make([]string, len(given))
	for i, id := range given {
		if !database.IsID(id) {
			return nil, fault.InvalidValue(fmt.Sprintf("flow_ids[%d]", i), "there is no such flow")
		}
		out[i] = strings.ToLower(id)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// page lists policies.
func (p *policies) page(ctx context.Context, in *listInput) (page httpapi.Page[Policy], err error) {
	k, rows, total, err := listed[policyRow](ctx, p.store, in.PageQuery, func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.Where("strpos(p.name_key, ?) > 0", names.SearchKey(in.Query))
		if in.Kind != "" {
			q = q.Where("p.kind = ?", in.Kind)
		}
		if in.FlowID != "" {
			q = q.Where("exists (select from policy_flows f where f.policy_id = p.id and f.flow_id::text = ?)", in.FlowID)
		}
		return q
	})
	if err != nil {
		return page, err
	}
	shown, err := p.shown(ctx, rows)
	if err != nil {
		return page, err
	}
	show := func(r *policyRow) Policy { return shown[r.ID] }
	last := func(r *policyRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, total, show, last), nil
}

// get shows one policy. Fault: not_found (404).
func (p *policies) get(ctx context.Context, id string) (Policy, error) {
	row, err := p.store.policy(ctx, id, false)
	if err != nil {
		return Policy{}, err
	}
	shown, err := p.shown(ctx, []policyRow{row})
	return shown[row.ID], err
}

func (p *policies) shown(ctx context.Context, rows []policyRow) (map[string]Policy, error) {
	ids, out := make([]string, len(rows)), map[string]Policy{}
	for i, row := range rows {
		ids[i] = row.ID
	}
	flows, err := p.store.flows(ctx, ids...)
	if err != nil {
		return nil, err
	}
	called, err := p.uses.Names(ctx, slices.Concat(slices.Collect(maps.Values(flows))...)...)
	if err != nil {
		return nil, fmt.Errorf("read the flows of policies: %w", err)
	}
	plans, err := p.store.allowed(ctx, ids...)
	if err != nil {
		return nil, err
	}
	newest, _, err := p.store.catalogue(ctx, 0)
	for _, row := range rows {
		shown := Policy{
			ID: row.ID, Name: row.Name, Kind: row.Kind, Rules: copied(row.Rules),
			AllowedProtocols: copied(row.Protocols),
			AllowedPlans:     copied(plans[row.ID]), CatalogueVersion: newest.Version,
			UsedBy: []NamedFlow{}, CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(),
			Revision: row.Revision,
		}
		for _, id := range flows[row.ID] {
			if name := called[id]; name != "" {
				shown.UsedBy = append(shown.UsedBy, NamedFlow{id, name})
			}
		}
		slices.SortFunc(shown.UsedBy, func(a, b NamedFlow) int { return strings.Compare(a.FlowName, b.FlowName) })
		out[row.ID] = shown
	}
	return out, err
}
