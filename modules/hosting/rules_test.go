package hosting

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/hosting/internal/cloud"
	"panel/platform/audit"
	"panel/platform/fault"
)

// A machine belongs to the one node that has one of its addresses: to none where two nodes have them.
func TestAMachineBelongsToOneNode(t *testing.T) {
	t.Parallel()
	known := owners{"192.0.2.1": "ams", "2001:db8::1": "ams", "192.0.2.2": "fra", "192.0.2.3": ""}
	for _, one := range []struct {
		addresses []string
		want      *string
	}{
		{nil, nil},
		{[]string{"198.51.100.1"}, nil},
		{[]string{"192.0.2.1"}, pointer("ams")},
		{[]string{"198.51.100.1", "2001:db8::1", "192.0.2.1"}, pointer("ams")},
		{[]string{"192.0.2.1", "192.0.2.2"}, nil},
		{[]string{"192.0.2.3"}, nil},
		{[]string{"192.0.2.3", "192.0.2.2"}, pointer("fra")},
	} {
		require.Equal(t, one.want, known.of(one.addresses...), one.addresses)
	}
}

// What a provider tells is kept as it tells it: a machine without an id is none, and of two with one id the first
// counts.
func TestMachinesAreKeptAsTheyAreTold(t *testing.T) {
	t.Parallel()
	due := time.Date(2027, 1, 1, 3, 0, 0, 123456789, time.FixedZone("", 3600))
	list, err := rows([]cloud.Server{
		{Name: "without an id"},
		{
			ID: "7", Name: "first", Status: cloud.Off, Region: "ams", Plan: "s", Specs: cloud.Specs{VCPU: 2, Mem: 3, Disk: 4},
			IPv4: []string{"192.0.2.1"}, IPv6: []string{"2001:db8::1"}, Tags: []string{"a", "b"}, NextDueAt: &due,
			Price: &cloud.Price{Amount: 0, Currency: "EUR", Period: cloud.Hour},
		},
		{ID: "7", Name: "second"},
		{ID: "8"},
	}, owners{"2001:db8::1": "node"})
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.NotEqual(t, list[0].ID, list[1].ID)
	shown := list[0].shown()
	shown.ID = ""
	require.Equal(t, Server{
		ExternalID: "7", Name: "first", Status: "off", Region: "ams", Plan: "s", Specs: cloud.Specs{VCPU: 2, Mem: 3, Disk: 4},
		IPv4: []string{"192.0.2.1"}, IPv6: []string{"2001:db8::1"}, Tags: []string{"a", "b"}, NodeID: pointer("node"),
		Price: &cloud.Price{Amount: 0, Currency: "EUR", Period: "hour"}, CreatedAt: time.Time{}.UTC(), UpdatedAt: time.Time{}.UTC(),
		NextDueAt: pointer(time.Date(2027, 1, 1, 2, 0, 0, 123456000, time.UTC)),
	}, shown, "a price of nothing is a price")
	for _, column := range []json.RawMessage{list[1].IPv4, list[1].IPv6, list[1].Tags} {
		require.Equal(t, "[]", string(column), "a list is never null")
	}
	require.Nil(t, list[1].price())
}

// The journal tells what has changed of a machine and nothing else, prices and days in one form.
func TestTheJournalTellsWhatHasChanged(t *testing.T) {
	t.Parallel()
	from := serverRow{Name: "a", Region: "ams", Plan: "s", IPv4: json.RawMessage(`["192.0.2.1"]`), IPv6: json.RawMessage("[]")}
	require.Empty(t, differences(&from, &from))
	to := from
	to.Name, to.IPv6, to.NextDueAt = "b", json.RawMessage(`["2001:db8::1"]`), &dueDay
	to.setPrice(&cloud.Price{Amount: 4500, Currency: "EUR", Period: cloud.Month})
	require.Equal(t, map[string]audit.Change{
		"name": {From: "a", To: "b"}, "price": {From: "", To: "4500 EUR/month"},
		"ips":         {From: []string{"192.0.2.1"}, To: []string{"192.0.2.1", "2001:db8::1"}},
		"next_due_at": {From: "", To: "2026-12-10T00:00:00Z"},
	}, differences(&from, &to))
	to.setPrice(nil)
	require.Equal(t, [3]any{(*int64)(nil), "", ""}, [3]any{to.PriceAmount, to.PriceCurrency, to.PricePeriod})
	require.Empty(t, textOf(nil))
}

// A look that fails leaves the state of the account, its cause and the provider's words; what it did not say stays.
func TestAnAccountIsJudgedByItsLastLook(t *testing.T) {
	t.Parallel()
	for cause, want := range map[string]string{
		cloud.CredentialsRefused: stateAuthFailed, cloud.RightMissing: stateLimited, cloud.AccountLocked: stateLimited,
		cloud.RateLimited: stateLimited, cloud.LimitReached: stateLimited, cloud.ProviderFailed: stateUnreachable,
		cloud.Unreachable: stateUnreachable, cloud.AnswerUnreadable: stateUnreachable, cloud.Refused: stateUnreachable,
	} {
		row := accountRow{State: stateOK, ServersMax: 25, BalanceAmount: pointer(int64(7)), BalanceCurrency: "USD"}
		require.NoError(t, row.judge(cloud.Account{}, &cloud.Problem{Cause: cause, Words: "why", Missing: []string{"x"}}))
		require.Equal(t, []any{want, cause, "why"}, []any{row.State, row.Cause, row.Detail})
		require.Equal(t, []any{int64(25), int64(7)}, []any{row.ServersMax, *row.BalanceAmount})
		require.Equal(t, []string{"x"}, row.shown().MissingRights)
	}
	row := accountRow{State: stateAuthFailed, Cause: "x", Detail: "y", MissingRights: json.RawMessage(`["z"]`)}
	balance := &cloud.Money{Amount: -3, Currency: "EUR"}
	require.NoError(t, row.judge(cloud.Account{ServersMax: 5, Balance: balance}, nil))
	require.Equal(t, []any{stateOK, "", ""}, []any{row.State, row.Cause, row.Detail})
	require.Equal(t, balance, row.shown().Balance)
	require.Equal(t, int64(5), row.shown().Limits.Max)
	require.Equal(t, []string{}, row.shown().MissingRights)
	require.NoError(t, row.judge(cloud.Account{Missing: []string{"a"}}, nil))
	require.Equal(t, []any{stateLimited, cloud.RightMissing}, []any{row.State, row.Cause})
}

func stepsOf(r replacementRow) map[string]string {
	found := map[string]string{}
	for _, step := range r.steps() {
		found[step.Step] = step.State
	}
	return found
}

// Each part of a replacement waits, runs, is done, has failed or is left out, in one order, wherever it is.
func TestThePartsOfAReplacementFollowItsState(t *testing.T) {
	t.Parallel()
	parts := []string{"machine", "flows", "pools", "drain", "old"}
	states := []string{replaceMaking, replaceMoving, replacePooling, replaceDraining, replaceRemoving}
	for at, state := range states {
		for failed, word := range map[bool]string{false: "running", true: "failed"} {
			row := replacementRow{State: state, Old: oldDelete}
			if failed {
				row.State, row.FailedIn = replaceFailed, state
			}
			want := map[string]string{parts[at]: word}
			for i, part := range parts {
				if i < at {
					want[part] = "done"
				} else if i > at {
					want[part] = "waiting"
				}
			}
			require.Equal(t, want, stepsOf(row), "%s, failed: %t", state, failed)
		}
	}
	whole := stepsOf(replacementRow{State: replaceDone, Old: oldKeep})
	require.Equal(t, "skipped", whole["old"], "a machine that is kept is not deleted")
	delete(whole, "old")
	require.Equal(t, []string{"done"}, slices.Compact(slices.Sorted(maps.Values(whole))))
	for _, state := range []string{replaceUndoing, replaceCancelled} {
		undone := stepsOf(replacementRow{State: state, Old: oldDelete})
		require.Equal(t, map[string]string{
			"machine": "done", "flows": "skipped", "pools": "skipped", "drain": "skipped", "old": "skipped",
		}, undone, state)
	}
	moving := replacementRow{State: replaceMoving, Flows: []ReplacedFlow{{State: flowMoved}, {State: flowWaiting}}}
	require.Equal(t, ReplacementStep{Step: "flows", State: "running", Done: 1, Total: 2}, moving.steps()[1])
}

// A replacement never goes back in what it says of its progress.
func TestTheProgressOfAReplacementGoesUp(t *testing.T) {
	t.Parallel()
	moved := func(n int) []ReplacedFlow {
		flows := make([]ReplacedFlow, 4)
		for i := range n {
			flows[i].State = flowMoved
		}
		return flows
	}
	last := -1
	for _, one := range []struct {
		row   replacementRow
		order string
		want  int
	}{
		{replacementRow{State: replaceMaking}, orderQueued, 5},
		{replacementRow{State: replaceMaking}, orderProvider, 20},
		{replacementRow{State: replaceMaking}, orderAgent, 35},
		{replacementRow{State: replaceMoving, Flows: moved(0)}, orderDone, 50},
		{replacementRow{State: replaceMoving, Flows: moved(2)}, orderDone, 67},
		{replacementRow{State: replaceMoving, Flows: moved(4)}, orderDone, 85},
		{replacementRow{State: replacePooling}, orderDone, 85},
		{replacementRow{State: replaceDraining}, orderDone, 90},
		{replacementRow{State: replaceRemoving}, orderDone, 95},
	} {
		got := one.row.percent(&orderRow{State: one.order})
		require.Equal(t, one.want, got, "%s %s", one.row.State, one.order)
		require.GreaterOrEqual(t, got, last)
		last = got
	}
	require.Equal(t, 50, (&replacementRow{State: replaceMoving}).percent(&orderRow{}), "without flows there is nothing to move")
}

// Gone on with, a replacement begins where it failed, with the flows that failed and no others.
func TestAReplacementGoesOnWhereItFailed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	row := replacementRow{
		State: replaceFailed, FailedIn: replaceMoving, Error: "why", FinishedAt: &now, OperationID: "before",
		RemovalID: pointer("x"), PooledAt: &now, ByNodeID: pointer("new"), Flows: []ReplacedFlow{
			{FlowID: "a", State: flowMoved, PlanID: "p", ApplyID: "q"},
			{FlowID: "b", State: flowFailed, PlanID: "p", ApplyID: "q", Error: "why", Revision: 4},
			{FlowID: "c", State: flowWaiting},
		},
	}
	row.goesOn(now)
	require.Equal(t, []any{replaceMoving, "", "", now}, []any{row.State, row.FailedIn, row.Error, row.StateAt})
	require.Nil(t, row.FinishedAt)
	require.Nil(t, row.RemovalID)
	require.Nil(t, row.PooledAt)
	require.NotEqual(t, "before", row.OperationID, "an operation ends once")
	require.Equal(t, "new", *row.ByNodeID)
	require.Equal(t, []ReplacedFlow{
		{FlowID: "a", State: flowMoved, PlanID: "p", ApplyID: "q"},
		{FlowID: "b", State: flowWaiting, Revision: 4, Since: now},
		{FlowID: "c", State: flowWaiting},
	}, row.Flows)
}

// An order that ends while nobody knows whether its machine was made says where to look; any other says nothing of it.
func TestAnOrderSaysWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	sent := pointer(dueDay)
	require.Contains(t, (&driven{row: orderRow{ID: "an-id", Act: actCreate, SentAt: sent}}).uncertainty(), "panel-order-an-id")
	for name, row := range map[string]orderRow{
		"it was not asked for": {Act: actCreate}, "it is known": {Act: actCreate, SentAt: sent, ExternalID: "7"},
		"nothing is made": {Act: cloud.Reboot, SentAt: sent},
	} {
		require.Empty(t, (&driven{row: row}).uncertainty(), name)
	}
	known := orderRow{ID: "order", Name: "ams-1"}
	require.Equal(t, audit.Object{Type: objectServer, ID: "order", Name: "ams-1"}, known.object())
	known.ServerID = pointer("server")
	require.Equal(t, "server", known.object().ID)
	require.Nil(t, known.shown().Price)
}

// The node of a machine is the one that has its address, else the one that it was made for.
func TestTheNodeOfAMachineIsTheOneThatHasItsAddress(t *testing.T) {
	t.Parallel()
	require.Equal(t, "has", (&serverRow{NodeID: pointer("has"), MadeFor: pointer("for")}).node())
	require.Equal(t, "for", (&serverRow{MadeFor: pointer("for")}).node())
	require.Empty(t, (&serverRow{}).node())
	require.Equal(t, "here", NewReplacement{}.at("here"))
	require.Equal(t, "there", NewReplacement{AccountID: "there"}.at("here"))
}

// Every refusal of the module has its code, and they are told apart.
func TestRefusalsOfMachinesAreToldApart(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, one := range []*fault.Fault{
		errOrderActive, errNameActive, errNodeInUse, errPriceChanged, errDueChanged, errSyncActive, errAccountInUse,
		errReplacing, errTooLate, errNoWayOn, errNoNode, errOpenDrafts,
	} {
		require.Equal(t, fault.KindConflict, one.Kind, one.Code)
		require.False(t, seen[one.Code], one.Code)
		seen[one.Code] = true
		require.ErrorIs(t, fmt.Errorf("order: %w", errors.Join(one.With("x", 1))), one)
	}
	require.Equal(t, fault.KindInvalid, errNotThatName.Kind)
}
