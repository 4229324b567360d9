package domains

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/domains/domainsapi"
	"panel/platform/database"
	"panel/platform/paneltest"
)

const (
	unknownDomain = domainsapi.Path + "/0199a0de-0000-7000-8000-000000000009"
	someFlow      = "0199a0de-0000-7000-8000-000000000001"
)

// bound makes a node and a binding of the caller to it, and gives the ids of both.
func bound(t *testing.T, as *paneltest.Client) (node, domain string) {
	t.Helper()
	node = as.AddNode("Waw 03")
	made := as.PostOnce(domainsapi.Path, map[string]any{"node_id": node, "zone": "Example.com"}).Is(http.StatusCreated)
	require.Equal(t, "waw-03.example.com", made.Text("hostname"))
	return node, made.Text("id")
}

// A binding of somebody else is answered like an unknown one (domain decision 7); full access sees all of them.
func TestADomainOfSomebodyElseIsAnsweredLikeAnUnknownOne(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	owner, other, full := p.As("nodes.edit", "nodes.view"), p.As("nodes.edit", "nodes.view"), p.Admin()
	_, id := bound(t, owner)
	path := domainsapi.Path + "/" + id
	require.Equal(t, other.Get(unknownDomain).Text("detail"), other.Get(path).Refused(http.StatusNotFound,
		"not_found").Text("detail"))
	other.Patch(path, map[string]any{"revision": 1, "ttl": 60}).Refused(http.StatusNotFound, "not_found")
	other.Delete(path).Refused(http.StatusNotFound, "not_found")
	require.EqualValues(t, 0, other.Get(domainsapi.Path).Value("total"))

	require.EqualValues(t, 1, full.Get(domainsapi.Path).Value("total"))
	require.Equal(t, owner.AccountID, full.Get(path).Is(http.StatusOK).Text("owner_id"))
	full.Patch(path, map[string]any{"revision": 1, "ttl": 60}).Is(http.StatusOK)
	full.Delete(path).Is(http.StatusNoContent)
}

// Bindings are found by a part of their name, whatever signs it has, by node and by owner, and nobody finds those of
// others.
func TestBindingsAreFoundByNameNodeAndOwner(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	owner, other, full := p.As("nodes.edit", "nodes.view"), p.As("nodes.edit", "nodes.view"), p.Admin()
	node, _ := bound(t, owner)
	second := owner.AddNode("Fra 01")
	owner.Post(domainsapi.Path, map[string]any{"node_id": second, "zone": "example.org", "label": "cdn"}).
		Is(http.StatusCreated)
	full.Post(domainsapi.Path, map[string]any{"node_id": node, "zone": "example.org", "label": "own"}).
		Is(http.StatusCreated)
	found := func(as *paneltest.Client, query string) (names []string) {
		var page struct {
			Items []struct{ Hostname string }
			Total int
		}
		as.Get(domainsapi.Path + "?" + query).Is(http.StatusOK).JSON(&page)
		for _, one := range page.Items {
			names = append(names, one.Hostname)
		}
		require.Len(t, names, page.Total)
		return names
	}
	require.Equal(t, []string{"waw-03.example.com"}, found(owner, "q=WAW-"))
	require.Equal(t, []string{"cdn.example.org"}, found(owner, "q=example&node_id="+second))
	for _, wild := range []string{"%25", "_", "%5C", "waw.03", "%27"} {
		require.Empty(t, found(owner, "q="+wild), wild)
	}
	require.Equal(t, []string{"cdn.example.org", "own.example.org"}, found(full, "q=example.org"))
	require.Equal(t, []string{"cdn.example.org"}, found(full, "q=example.org&owner="+owner.AccountID))
	require.Empty(t, found(full, "owner=nobody"))
	require.Empty(t, found(other, "q=example"))
	require.Empty(t, found(other, "owner="+owner.AccountID))
}

// Host names are unique over the panel, so a conflict has to be told; whose the name is and where it leads is not.
func TestATakenHostNameTellsNeitherOwnerNorNode(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	owner, other := p.As("nodes.edit", "nodes.view"), p.As("nodes.edit", "nodes.view")
	node, id := bound(t, owner)
	second := other.AddNode("other")
	refused := other.Post(domainsapi.Path, map[string]any{"node_id": second, "zone": "example.com", "label": "WAW-03"}).
		Refused(http.StatusConflict, "domain_conflict")
	for _, secret := range []string{owner.AccountID, node, id} {
		require.NotContains(t, string(refused.Body), secret)
	}
}

// Links name the host of a binding, so what they depend on stays while a flow names it; the rest may change.
func TestABindingInUseKeepsItsNameNodeAndOwner(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	full, other := p.Admin(), p.As("nodes.edit", "nodes.view")
	_, id := bound(t, full)
	second := full.AddNode("second")
	require.NoError(t, with.domains.SetUses(t.Context(), someFlow, id))
	path := domainsapi.Path + "/" + id
	for what, change := range map[string]map[string]any{
		"renamed": {"label": "entry"}, "in another zone": {"zone": "example.org"}, "moved": {"node_id": second},
		"handed over": {"owner_id": other.AccountID},
	} {
		change["revision"] = 1
		refused := full.Patch(path, change).Refused(http.StatusConflict, "domain_conflict")
		require.Equal(t, []any{someFlow}, refused.Value("flow_ids"), what)
	}
	full.Delete(path).Refused(http.StatusConflict, "domain_conflict")
	require.Equal(t, []any{someFlow}, full.Patch(path, map[string]any{
		"revision": 1, "ttl": 600,
		"label": "waw-03",
	}).Is(http.StatusOK).Value("used_by_flows"))
	require.NoError(t, with.domains.SetUses(t.Context(), someFlow))
	full.Patch(path, map[string]any{"revision": 2, "label": "entry", "mode": "cdn", "owner_id": other.AccountID}).
		Is(http.StatusOK)
	require.Equal(t, "entry.example.com", other.Get(path).Text("hostname"))
}

// A flow that takes a binding and a change of the binding never both succeed.
func TestABindingIsNotChangedWhileAFlowTakesIt(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	full := p.Admin()
	_, id := bound(t, full)
	answered := make(chan *paneltest.Answer, 1)
	require.NoError(t, p.DB.InTx(t.Context(), func(ctx context.Context) error {
		found, err := with.domains.ByIDs(ctx, id)
		require.NoError(t, err)
		require.Equal(t, "waw-03.example.com", found[id].Hostname)
		go func() {
			answered <- full.Patch(domainsapi.Path+"/"+id, map[string]any{"revision": 1, "label": "entry"})
		}()
		blocked(t, p)
		return with.domains.SetUses(ctx, someFlow, id)
	}))
	(<-answered).Refused(http.StatusConflict, "domain_conflict")
}

// blocked returns once another session of this database waits for a lock.
func blocked(t *testing.T, p *paneltest.Panel) {
	t.Helper()
	require.Eventually(t, func() bool {
		n, err := p.DB.NewSelect().Table("pg_stat_activity").
			Where("datname = current_database() and wait_event_type = 'Lock'").Count(t.Context())
		return err == nil && n > 0
	}, 60*time.Second, 5*time.Millisecond)
}

// Only an account that exists becomes the owner.
func TestABindingIsHandedToAccountsThatExist(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	full, owner := p.Admin(), p.As("nodes.edit", "nodes.view")
	_, id := bound(t, owner)
	path := domainsapi.Path + "/" + id
	owner.Patch(path, map[string]any{"revision": 1, "owner_id": full.AccountID}).
		Refused(http.StatusForbidden, "permission_denied")
	refused := full.Patch(path, map[string]any{"revision": 1, "owner_id": database.NewID()}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Contains(t, string(refused.Body), `"owner_id"`)
	full.Patch(path, map[string]any{"revision": 1, "owner_id": "zzz"}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	full.Patch(path, map[string]any{"revision": 1, "owner_id": full.AccountID}).Is(http.StatusOK)
	owner.Get(path).Refused(http.StatusNotFound, "not_found")
}

// Other modules learn of a binding whoever owns it, and compare the owner themselves.
func TestOtherModulesAskForBindingsByID(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	owner := p.As("nodes.edit", "nodes.view")
	node, id := bound(t, owner)
	found, err := with.domains.ByIDs(t.Context(), id, database.NewID(), "zzz", "")
	require.NoError(t, err)
	require.Equal(t, map[string]domainsapi.Domain{
		id: {
			ID: id, NodeID: node, Zone: "example.com", Hostname: "waw-03.example.com", Mode: "direct", TTL: 300,
			OwnerID: owner.AccountID,
		},
	}, found)
	require.ErrorIs(t, with.domains.SetUses(t.Context(), someFlow, database.NewID()), domainsapi.ErrUnknown)
}

// Whoever deletes an account gives its bindings to another one, or is told what it owns.
func TestADeletedAccountLeavesNoBindingBehind(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	full, owner := p.Admin(), p.As("nodes.edit", "nodes.view")
	manager := p.As("accounts.manage", "nodes.edit", "nodes.view")
	_, id := bound(t, owner)
	account := "/api/v1/accounts/" + owner.AccountID

	refused := full.Delete(account).Refused(http.StatusConflict, "account_in_use")
	require.EqualValues(t, 1, refused.Value("owned_total"))
	require.Equal(t, []any{map[string]any{"type": "node_domain", "id": id, "name": "waw-03.example.com"}},
		refused.Value("owned"))
	hidden := manager.Delete(account).Refused(http.StatusConflict, "account_in_use")
	require.NotContains(t, string(hidden.Body), "waw-03", "names are for full access")
	manager.Delete(account+"?hand_over_to="+manager.AccountID).Refused(http.StatusForbidden, "permission_denied")
	for _, heir := range []string{"zzz", database.NewID(), owner.AccountID} {
		full.Delete(account+"?hand_over_to="+heir).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	require.Equal(t, owner.AccountID, full.Get(domainsapi.Path+"/"+id).Text("owner_id"))

	full.Delete(account + "?hand_over_to=" + manager.AccountID).Is(http.StatusNoContent)
	require.Equal(t, manager.AccountID, manager.Get(domainsapi.Path+"/"+id).Is(http.StatusOK).Text("owner_id"))
	full.Delete("/api/v1/accounts/"+manager.AccountID).Refused(http.StatusConflict, "account_in_use")
	manager.Delete(domainsapi.Path + "/" + id).Is(http.StatusNoContent)
	full.Delete("/api/v1/accounts/" + manager.AccountID).Is(http.StatusNoContent)
}

// A binding to a node that does not exist is refused.
func TestABindingNamesANodeThatExists(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	admin := p.As("nodes.edit", "nodes.view")
	for _, label := range []string{"", "entry"} {
		body := map[string]any{"node_id": database.NewID(), "zone": "example.com", "label": label}
		admin.Post(domainsapi.Path, body).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
}
