package hosting

import (
	"net/http"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/hosting/hostingtest"
	"panel/modules/hosting/internal/cloud"
	"panel/platform/database"
	"panel/platform/paneltest"
	"panel/platform/restored"
)

// "500 after creating", and then nothing but failures: the order ends after a while and says by which tag the machine
// is to be looked for, which the provider may have made and nobody could find.
func TestAnOrderThatMayHaveMadeAMachineSaysSo(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.add()
	b.cloud.BreakAfter(1)
	b.cloud.OnMade(func(hostingtest.Machine, string) { b.cloud.Break(1000) })
	order := b.make(account.ID, "ams-1")
	require.Eventually(t, func() bool { return len(b.cloud.Machines()) == 1 }, within, every)
	b.ages(order, "state_at", patienceWith)
	order = b.reaches(order, orderFailed)
	require.Contains(t, order.Error, "provider_failed")
	require.Contains(t, order.Error, cloud.Mark(order.ID))
}

// A machine that is to be deleted is not found any more: it is deleted. One that is to be switched is lost.
func TestAMachineThatIsGoneIsDeletedAndNotSwitched(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.add()
	b.cloud.Put(machine(1, "192.0.2.1"), machine(2, "192.0.2.2"))
	require.Equal(t, "succeeded", b.sync(account.ID))
	list := b.servers(account.ID)
	b.cloud.Drop(1)
	b.cloud.Drop(2)
	path := accountsPath + "/" + account.ID + "/servers/"
	var removal, power Order
	b.Admin().Delete(path + list[0].ID + "?confirm=" + list[0].Name).Is(http.StatusAccepted).JSON(&removal)
	b.Admin().Post(path+list[1].ID+"/power", fields{"act": "off"}).Is(http.StatusAccepted).JSON(&power)
	b.reaches(removal, orderDone)
	require.Contains(t, b.reaches(power, orderFailed).Error, "was deleted at the provider")
	require.Empty(t, b.servers(account.ID))
}

// A database that was restored from a backup knows nothing of what its provider did since: what was under way ends, and
// nothing is ordered anew by itself.
func TestWhatWasUnderWayEndsWithARestore(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	flow := s.flow("First", 443)
	s.install(flow)
	begun := s.begin(oldDelete)
	require.Eventually(t, func() bool { return len(s.cloud.Machines()) == 2 }, within, every)
	note := restored.Note{ID: database.NewID(), Artefact: "panel-1"}
	text, err := note.SQL()
	require.NoError(t, err)
	_, err = s.DB.ExecContext(t.Context(), text)
	require.NoError(t, err)
	paneltest.Start(t, panelOf(paneltest.On(s.DB))...)
	ended := s.ends(begun.ID, replaceFailed)
	require.Contains(t, ended.Error, restored.Cause)
	require.Eventually(t, func() bool {
		return count(t, s.DB, "hosting_orders where finished_at is null") == 0
	}, within, every)
	require.Equal(t, []string{flow}, s.installedOn(s.oldNode))
	require.Len(t, s.cloud.Machines(), 2)
	operation := s.Admin().Get("/api/v1/operations/" + ended.OperationID).Is(http.StatusOK)
	require.Equal(t, "failed", operation.Text("state"))
}

// A pace is kept over all panels, also by those who wait in vain: a turn that is not taken is free for the next one.
func TestATurnThatIsTooFarAwayIsNotTaken(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.add()
	p := newPace(b.DB, clockwork.NewRealClock())
	require.NoError(t, p.Hold(t.Context(), account.ID, time.Hour))
	for range 3 {
		wait, taken, err := p.take(t.Context(), account.ID, time.Second, time.Second)
		require.NoError(t, err)
		require.False(t, taken)
		require.InDelta(t, time.Hour.Seconds(), wait.Seconds(), 60)
	}
}
