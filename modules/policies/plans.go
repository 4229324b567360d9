package policies

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"panel/modules/flows/flowsapi"
	"panel/modules/policies/policiesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
	"panel/platform/names"
)

// createPlan makes a custom plan with its first version. It grants nothing: no policy enables it yet.
// Faults: name_taken (409), invalid_value (422).
func (p *policies) createPlan(ctx context.Context, in NewPlan) (string, error) {
	row := planRow{ID: database.NewID(), CreatedAt: p.now(), UpdatedAt: p.now()}
	if row.named(in.Name); row.Name == "" {
		return "", fault.InvalidValue("name", "give the custom plan a name")
	}
	version, err := p.newVersion(ctx, row.ID, nil, in.Body)
	if err != nil {
		return "", err
	}
	return row.ID, p.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := errors.Join(p.store.insert(ctx, &row), p.store.insert(ctx, &version)); err != nil {
			return err
		}
		return p.publish(ctx, policiesapi.EventPlanCreated, row.object(), bodyChanges(nil, version.Body),
			policiesapi.PlanNews{Name: row.Name, Number: 1})
	})
}

// addVersion edits a custom plan: what is there stays as it is, and a new version comes to it, which no policy enables.
// Faults: not_found (404), revision_conflict (409), invalid_value (422).
func (p *policies) addVersion(ctx context.Context, id string, revision int64, in NewPlanBody) error {
	return p.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := p.store.plan(ctx, id, true)
		if err != nil {
			return err
		}
		before, err := p.store.versions(ctx, "plan_id", id)
		if err != nil {
			return err
		}
		if len(before) == 0 || int64(before[0].Number) != revision {
			return httpapi.ErrRevision
		}
		version, err := p.newVersion(ctx, row.ID, &before[0], in)
		if err != nil {
			return err
		}
		row.UpdatedAt = p.now()
		if err := errors.Join(p.store.insert(ctx, &version), p.store.update(ctx, &row)); err != nil {
			return err
		}
		changes := bodyChanges(&before[0].Body, version.Body)
		changes["version"] = audit.Change{From: before[0].Number, To: version.Number}
		return p.publish(ctx, policiesapi.EventPlanVersionAdded, row.object(), changes,
			policiesapi.PlanNews{Name: row.Name, Number: version.Number})
	})
}

// newVersion makes the version after another one. Fault: invalid_value (422).
func (p *policies) newVersion(
	ctx context.Context, planID string, before *versionRow, in NewPlanBody,
) (versionRow, error) {
	v := versionRow{
		ID: database.NewID(), PlanID: planID, Number: 1, Body: in.PlanBody, CreatedAt: p.now(),
		CreatedBy: access.From(ctx).Username,
	}
	if before != nil {
		v.Number = before.Number + 1
	}
	if err := checkBody(&v.Body, in.Password); err != nil {
		return v, err
	}
	raw, err := json.Marshal(v.Body)
	if err != nil {
		return v, fmt.Errorf("write a custom plan: %w", err)
	}
	sum := sha256.Sum256(raw)
	v.Hash = hex.EncodeToString(sum[:])
	password, err := p.passwordOf(before, v.Body, in.Password)
	if err == nil && password != "" {
		v.Password = p.vault.Seal(passwordRef(v.ID), []byte(password))
	}
	return v, err
}

// passwordOf is the password that was given, else the one before, which never goes to another address or user.
func (p *policies) passwordOf(before *versionRow, body PlanBody, given *string) (string, error) {
	switch {
	case given != nil:
		return *given, nil
	case before == nil || before.Password == "" || body.Way == flowsapi.PlanDirect:
		return "", nil
	case before.Body.Address != body.Address || before.Body.Port != body.Port || before.Body.User != body.User:
		return "", fault.InvalidValue("body.password", "the proxy or its user is another one: give the password again, or none")
	}
	return p.password(*before)
}

func (p *policies) password(v versionRow) (string, error) {
	if v.Password == "" {
		return "", nil
	}
	plain, err := p.vault.Open(passwordRef(v.ID), v.Password)
	if err != nil {
		return "", fmt.Errorf("open the password of a custom plan: %w", err)
	}
	return string(plain), nil
}

// checkBody refuses a way out that no core could take. Fault: invalid_value (422).
func checkBody(b *PlanBody, password *string) error {
	if b.Way == flowsapi.PlanDirect {
		return checkDirect(b, password)
	}
	b.Address = strings.TrimSpace(b.Address)
	switch {
	case !hostname(b.Address):
		return fault.InvalidValue("body.address", "write the name or the address of the proxy")
	case b.Port == 0:
		return fault.InvalidValue("body.port", "write the port of the proxy")
	case b.Family != "" || b.Fragment != nil:
		return fault.InvalidValue("body.way", "only direct chooses addresses or splits connections")
	case b.User == "" && password != nil && *password != "":
		return fault.InvalidValue("body.user", "a password needs a user")
	case !printable(b.User) || password != nil && !printable(*password):
		return fault.InvalidValue("body.user", "users and passwords have no line breaks or other control characters")
	}
	return nil
}

func checkDirect(b *PlanBody, password *string) error {
	if b.Address != "" || b.Port != 0 || b.User != "" || password != nil && *password != "" {
		return fault.InvalidValue("body.way", "direct leaves from the node itself and has no proxy")
	}
	if b.Family == "" {
		b.Family = "any"
	}
	if b.Family == "any" && b.Fragment == nil {
		return fault.InvalidValue("body.way", "this is what a direct block does already: choose addresses, or split connections")
	}
	if f := b.Fragment; f != nil {
		if low, _, ok := span(f.Length); !ok || low < 1 {
			return fault.InvalidValue("body.fragment.length", "write bytes such as 100-200, at least 1")
		}
		if _, _, ok := span(f.Interval); !ok {
			return fault.InvalidValue("body.fragment.interval", "write milliseconds such as 10-20")
		}
	}
	return nil
}

// span reads one number, or two with a dash.
func span(text string) (low, high int, ok bool) {
	a, b, two := strings.Cut(text, "-")
	if !two {
		b = a
	}
	low, errLow := strconv.Atoi(a)
	high, errHigh := strconv.Atoi(b)
	return low, high, errLow == nil && errHigh == nil && low >= 0 && low <= high
}

func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func hostname(text string) bool {
	if a, err := netip.ParseAddr(text); err == nil {
		return a.Zone() == ""
	}
	ok := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_'
	}
	return text != "" && len(text) <= 253 && text[0] != '.' && text[0] != '-' && !strings.Contains(text, "..") &&
		!strings.ContainsFunc(text, func(r rune) bool { return !ok(r) })
}

func bodyChanges(before *PlanBody, after PlanBody) map[string]audit.Change {
	changes := map[string]audit.Change{}
	if before == nil {
		return map[string]audit.Change{"way": {To: after.Way}}
	}
	if before.Way != after.Way {
		changes["way"] = audit.Change{From: before.Way, To: after.Way}
	}
	if before.Address != after.Address || before.Port != after.Port {
		changes["proxy"] = audit.Change{From: endpoint(*before), To: endpoint(after)}
	}
	if before.User != after.User {
		changes["user"] = audit.Change{From: before.User, To: after.User}
	}
	if before.Family != after.Family {
		changes["family"] = audit.Change{From: before.Family, To: after.Family}
	}
	if from, to := splitting(*before), splitting(after); from != to {
		changes["fragment"] = audit.Change{From: from, To: to}
	}
	return changes
}

// splitting says how connections are split; nothing when they are not.
func splitting(b PlanBody) string {
	if b.Fragment == nil {
		return ""
	}
	return b.Fragment.Packets + ", " + b.Fragment.Length + " bytes, " + b.Fragment.Interval + " ms"
}

func endpoint(b PlanBody) string {
	if b.Address == "" {
		return ""
	}
	return b.Address + ":" + strconv.Itoa(b.Port)
}

// enable lets the flows of a policy use a version of a custom plan, or does so no more. What runs goes on; the next
// compilation obeys. Faults: not_found (404), invalid_value (422).
func (p *policies) enable(ctx context.Context, id, number string, in Enabling) error {
	return p.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := p.store.plan(ctx, id, true)
		if err != nil {
			return err
		}
		version, err := p.numbered(ctx, id, number)
		if err != nil {
			return err
		}
		policy, err := p.store.policy(ctx, in.PolicyID, true)
		if err != nil && fault.KindOf(err) == fault.KindMissing {
			return fault.InvalidValue("policy_id", "there is no such policy")
		}
		if err != nil {
			return err
		}
		on := in.Enabled == nil || *in.Enabled
		news, err := p.store.enable(ctx, policy.ID, version.ID, on)
		if err != nil || !news {
			return err
		}
		kind := policiesapi.EventPlanEnabled
		if !on {
			kind = policiesapi.EventPlanDisabled
		}
		changes := map[string]audit.Change{"version": {To: version.Number}, "policy": {To: policy.Name}}
		return p.publish(ctx, kind, row.object(), changes,
			policiesapi.PlanNews{Name: row.Name, Number: version.Number, Policy: policy.Name})
	})
}

// numbered gives a version of a custom plan by its number. Fault: not_found (404).
func (p *policies) numbered(ctx context.Context, id, number string) (versionRow, error) {
	all, err := p.store.versions(ctx, "plan_id", id)
	if err != nil {
		return versionRow{}, err
	}
	for _, v := range all {
		if strconv.Itoa(v.Number) == number {
			return v, nil
		}
	}
	return versionRow{}, fault.Missing(fault.NoSuchThing)
}

// removePlan deletes a custom plan that no flow uses. Faults: not_found (404), custom_plan_in_use (409).
func (p *policies) removePlan(ctx context.Context, id string) error {
	return p.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := p.store.plan(ctx, id, true)
		if err != nil {
			return err
		}
		all, err := p.store.versions(ctx, "plan_id", id)
		if err != nil {
			return err
		}
		versionIDs := make([]string, len(all))
		for i, v := range all {
			versionIDs[i] = v.ID
		}
		uses, err := p.uses.PlanUses(ctx, versionIDs...)
		if err != nil {
			return fmt.Errorf("ask which flows use a custom plan: %w", err)
		}
		if len(uses) > 0 {
			return fault.Conflict("custom_plan_in_use", "flows use this custom plan; take it out of them first").
				With("flow_ids", named(uses, nil, func(u flowsapi.PlanUse) string { return u.FlowID }))
		}
		if err := p.store.delete(ctx, &row); err != nil {
			return err
		}
		return p.publish(ctx, policiesapi.EventPlanDeleted, row.object(), nil,
			policiesapi.PlanNews{Name: row.Name, Number: len(all)})
	})
}

// planPage lists custom plans.
func (p *policies) planPage(ctx context.Context, in *planListInput) (page httpapi.Page[CustomPlan], err error) {
	k, rows, total, err := listed[planRow](ctx, p.store, in.PageQuery, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("strpos(p.name_key, ?) > 0", names.SearchKey(in.Query))
	})
	if err != nil {
		return page, err
	}
	shown, err := p.shownPlans(ctx, rows)
	if err != nil {
		return page, err
	}
	show := func(r *planRow) CustomPlan { return shown[r.ID] }
	last := func(r *planRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, total, show, last), nil
}

// getPlan shows one custom plan. Fault: not_found (404).
func (p *policies) getPlan(ctx context.Context, id string) (CustomPlan, error) {
	row, err := p.store.plan(ctx, id, false)
	if err != nil {
		return CustomPlan{}, err
	}
	shown, err := p.shownPlans(ctx, []planRow{row})
	return shown[row.ID], err
}

func (p *policies) shownPlans(ctx context.Context, rows []planRow) (map[string]CustomPlan, error) {
	ids, out := make([]string, len(rows)), map[string]CustomPlan{}
	for i, row := range rows {
		ids[i] = row.ID
		out[row.ID] = CustomPlan{
			ID: row.ID, Name: row.Name, Versions: []PlanVersion{}, CreatedAt: row.CreatedAt.UTC(),
			UpdatedAt: row.UpdatedAt.UTC(),
		}
	}
	versions, err := p.store.versions(ctx, "plan_id", ids...)
	if err != nil || len(versions) == 0 {
		return out, err
	}
	versionIDs := make([]string, len(versions))
	for i, v := range versions {
		versionIDs[i] = v.ID
	}
	enabled, err := p.store.enabledIn(ctx, versionIDs...)
	if err != nil {
		return nil, err
	}
	uses, err := p.uses.PlanUses(ctx, versionIDs...)
	if err != nil {
		return nil, fmt.Errorf("ask which flows use custom plans: %w", err)
	}
	users := map[string][]PlanUser{}
	for _, u := range uses {
		users[u.VersionID] = append(users[u.VersionID], PlanUser{NamedFlow{u.FlowID, u.FlowName}, u.Installed})
	}
	for _, v := range versions {
		plan := out[v.PlanID]
		plan.Versions = append(plan.Versions, PlanVersion{
			ID: v.ID, Number: v.Number, Body: v.Body, HasPassword: v.Password != "", SchemaHash: v.Hash,
			EnabledIn: append([]NamedPolicy{}, enabled[v.ID]...), UsedBy: append([]PlanUser{}, users[v.ID]...),
			CreatedAt: v.CreatedAt.UTC(), CreatedBy: v.CreatedBy,
		})
		out[v.PlanID] = plan
	}
	return out, nil
}
