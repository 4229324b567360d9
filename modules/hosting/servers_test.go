package hosting

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/hosting/internal/cloud"
	"panel/platform/fault"
)

// "Servers, matched to nodes by address."
func TestMachinesAreMatchedToNodesByAddress(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	ams := b.Admin().AddNode("ams-1", "address", "192.0.2.1")
	b.Admin().AddNode("fra-1", "address", "192.0.2.3")
	b.Admin().AddNode("fra-2", "address", "192.0.2.3")
	for id, address := range map[int]string{1: "192.0.2.1", 2: "192.0.2.2", 3: "192.0.2.3"} {
		b.cloud.Put(machine(id, address))
	}
	account := b.add()
	require.Equal(t, "succeeded", b.sync(account.ID))
	found := b.servers(account.ID)
	require.Len(t, found, 3)
	require.Equal(t, &ams, found[0].NodeID)
	require.Nil(t, found[1].NodeID, "an address that no node has")
	require.Nil(t, found[2].NodeID, "an address that two nodes have belongs to neither")
	require.Equal(t, []string{"2001:db8:1::1"}, found[0].IPv6)
	require.Equal(t, &cloud.Price{Amount: 451, Currency: "EUR", Period: "month"}, found[0].Price)
	require.EqualValues(t, 3, b.get(account.ID).Limits.ServersUsed)
	require.NotNil(t, b.get(account.ID).LastSyncAt)
}

// "Server deleted outside": it is gone with the next whole reading, and only with a whole one.
func TestAMachineThatWasDeletedOutsideIsGone(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	for id := range 60 {
		b.cloud.Put(machine(id+1, "192.0.2.9"))
	}
	account := b.add()
	require.Equal(t, "succeeded", b.sync(account.ID))
	kept := b.servers(account.ID)[0]
	b.cloud.Drop(1)
	b.cloud.Token = "another"
	require.Equal(t, "failed", b.sync(account.ID))
	require.Len(t, b.servers(account.ID), 60, "a reading that failed took machines away")
	b.cloud.Token = "token-of-hetzner"
	require.Equal(t, "succeeded", b.sync(account.ID))
	require.Len(t, b.servers(account.ID), 59)
	b.Admin().Get(accountsPath+"/"+account.ID+"/servers/"+kept.ID).Refused(http.StatusNotFound, "not_found")

	b.cloud.Put(machine(1, "192.0.2.9"))
	require.Equal(t, "succeeded", b.sync(account.ID))
	require.Equal(t, kept.ID, b.servers(account.ID)[0].ID, "a machine that came back is another one")
}

// A reading writes what differs and nothing else.
func TestAReadingThatFindsNothingNewWritesNoMachine(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	b.cloud.Put(machine(1, "192.0.2.1"), machine(2, "192.0.2.2"))
	account := b.add()
	require.Equal(t, "succeeded", b.sync(account.ID))
	before := b.servers(account.ID)
	require.Equal(t, "succeeded", b.sync(account.ID))
	require.Equal(t, before, b.servers(account.ID))
	off := machine(2, "192.0.2.2")
	off.Status = "off"
	b.cloud.Put(off)
	require.Equal(t, "succeeded", b.sync(account.ID))
	after := b.servers(account.ID)
	require.Equal(t, before[0], after[0])
	require.Equal(t, cloud.Off, after[1].Status)
	require.Equal(t, before[1].Revision+1, after[1].Revision)
}

// "Sync as jobs": the schedule reads every account that is called, and a slow provider delays no other.
func TestTheScheduleReadsAllAccounts(t *testing.T) {
	t.Parallel()
	b := newBench(t, "vultr")
	one := machine(1, "192.0.2.1")
	one.Status, one.Plan, one.Region = "active", "vc2-1c-1gb", "ams"
	b.cloud.Put(one)
	account := b.add()
	b.RunSchedule(syncKind)
	require.Eventually(t, func() bool { return len(b.servers(account.ID)) == 1 }, 20*time.Second, 20*time.Millisecond)
}

// Two operators at once: the second reading of the same account is refused while the first waits or runs.
func TestTwoReadingsOfOneAccountAtOnceAreOne(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.add()
	b.cloud.Busy(1, "2") // the first one waits for two seconds
	path := accountsPath + "/" + account.ID + "/sync"
	b.Admin().Post(path, nil).Is(http.StatusAccepted)
	b.Admin().Post(path, nil).Refused(http.StatusConflict, "hosting_sync_active")
}

// A reading that began before a later one has ended writes nothing over it.
func TestAnOlderReadingWritesNothingOverANewerOne(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.add()
	store := newStore(b.DB)
	now, err := store.moment(t.Context())
	require.NoError(t, err)
	taken, err := store.stamp(t.Context(), account.ID, account.Revision, now)
	require.NoError(t, err)
	require.True(t, taken)
	for name, at := range map[string]time.Time{"as of the same moment": now, "as of before": now.Add(-time.Second)} {
		taken, err = store.stamp(t.Context(), account.ID, account.Revision, at)
		require.NoError(t, err)
		require.False(t, taken, name)
	}
	taken, err = store.stamp(t.Context(), account.ID, account.Revision+1, now.Add(time.Second))
	require.NoError(t, err)
	require.False(t, taken, "the account has changed")
}

// "custom kind = entries by hand (price, due date, no calls)."
func TestMachinesAreEnteredByHand(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	node := b.Admin().AddNode("ams-1", "address", "192.0.2.1")
	account := b.byHand()
	due := time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)
	added := b.enter(account.ID, "ams-1", fields{
		"ips":         []string{"192.0.2.1", "2001:db8::1"},
		"price":       fields{"amount": 450, "currency": "EUR", "period": "month"},
		"next_due_at": due, "region": "Amsterdam", "plan": "VPS S", "tags": []string{"old"},
	})
	require.Equal(t, &node, added.NodeID)
	require.Equal(t, []string{"192.0.2.1"}, added.IPv4)
	require.Equal(t, []string{"2001:db8::1"}, added.IPv6)
	require.Equal(t, due, *added.NextDueAt)
	require.Equal(t, int64(450), added.Price.Amount)
	path := accountsPath + "/" + account.ID
	var changed Server
	b.Admin().Patch(path+"/servers/"+added.ID, fields{
		"revision": added.Revision, "ips": []string{},
		"price": fields{"amount": 500, "currency": "USD", "period": "month"},
	}).Is(http.StatusOK).JSON(&changed)
	require.Nil(t, changed.NodeID)
	require.Equal(t, "USD", changed.Price.Currency)
	require.Equal(t, due, *changed.NextDueAt, "what is absent stays")
	b.Admin().Patch(path+"/servers/"+added.ID, fields{"revision": added.Revision, "name": "x"}).
		Refused(http.StatusConflict, "revision_conflict")
	b.Admin().Get(path+"/servers/no-id").Refused(http.StatusNotFound, "not_found")
	b.Admin().Delete(path + "/entries/" + added.ID).Is(http.StatusNoContent)
	require.Equal(t, []string{entryAdded, serverChanged, entryRemoved}, b.Recorded(objectServer, added.ID))
}

func TestEntriesThatCannotBeMeantAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.byHand()
	path := accountsPath + "/" + account.ID + "/entries"
	for name, body := range map[string]fields{
		"no address":          {"name": "a", "ips": []string{"host.example"}},
		"an address twice":    {"name": "a", "ips": []string{"192.0.2.1", "::ffff:192.0.2.1"}},
		"no currency":         {"name": "a", "price": fields{"amount": 1, "currency": "euro", "period": "month"}},
		"a price below zero":  {"name": "a", "price": fields{"amount": -1, "currency": "EUR", "period": "month"}},
		"an unknown period":   {"name": "a", "price": fields{"amount": 1, "currency": "EUR", "period": "week"}},
		"a name without text": {"name": ""},
	} {
		answer := b.Admin().Post(path, body)
		require.Equal(t, http.StatusUnprocessableEntity, answer.Status, name)
		answer.Refused(http.StatusUnprocessableEntity, fault.InvalidValue("", "").Code)
	}
	b.Admin().Post(accountsPath+"/"+b.add().ID+"/entries", fields{"name": "a"}).Refused(http.StatusConflict, "not_able")
}

// What a provider says of a machine is not changed by hand; what it does not say is.
func TestPriceAndDueDateByHandStayWhenTheProviderSaysNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, "linode")
	there := machine(1, "192.0.2.1")
	there.Plan, there.IPv6 = "a-plan-of-yesterday", "2001:db8::1"
	b.cloud.Put(there)
	account := b.add()
	require.Equal(t, "succeeded", b.sync(account.ID))
	one := b.servers(account.ID)[0]
	require.Nil(t, one.Price)
	path := accountsPath + "/" + account.ID + "/servers/" + one.ID
	b.Admin().Patch(path, fields{"revision": one.Revision, "name": "mine"}).Refused(http.StatusConflict, "not_able")
	due := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	b.Admin().Patch(path, fields{
		"revision": one.Revision, "next_due_at": due,
		"price": fields{"amount": 700, "currency": "USD", "period": "month"},
	}).Is(http.StatusOK)
	require.Equal(t, "succeeded", b.sync(account.ID))
	one = b.servers(account.ID)[0]
	require.Equal(t, due, *one.NextDueAt)
	require.Equal(t, int64(700), one.Price.Amount)
	there.Plan = "g6-nanode-1"
	b.cloud.Put(there)
	require.Equal(t, "succeeded", b.sync(account.ID))
	require.Equal(t, int64(500), b.servers(account.ID)[0].Price.Amount, "the provider says what it costs now")
}

// Nodes that come later are found for entries by the schedule.
func TestAnEntryFindsItsNodeLater(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.byHand()
	b.enter(account.ID, "ams-1", fields{"ips": []string{"192.0.2.1"}})
	node := b.Admin().AddNode("ams-1", "address", "192.0.2.1")
	b.RunSchedule(syncKind)
	require.Eventually(t, func() bool {
		found := b.servers(account.ID)[0].NodeID
		return found != nil && *found == node
	}, 20*time.Second, 20*time.Millisecond)
}
