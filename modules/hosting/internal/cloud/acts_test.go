package cloud

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/hosting/hostingtest"
)

// image is a system of each provider that has cloud-init.
var image = map[string]string{
	"digitalocean": "debian-12-x64", "hetzner": "debian-12", "linode": "linode/debian12", "timeweb": "99",
	"vultr": "2136",
}

func wantedOf(kind string) NewServer {
	return NewServer{
		Name: "ams-1", Region: usual[kind].Region, Plan: usual[kind].Plan, Image: image[kind], Mark: Mark("order"),
		Script: "#!/bin/sh\necho come\n",
	}
}

// What a provider offers is only what the machine can be made with: no system without cloud-init, none that is over.
func TestOnlyImagesThatRunAScriptAreOffered(t *testing.T) {
	t.Parallel()
	for _, kind := range makes {
		client, _ := open(t, kind)
		list, err := client.Images(t.Context())
		require.NoError(t, err, kind)
		require.Len(t, list, 1, kind)
		require.Equal(t, image[kind], list[0].ID, kind)
		require.Contains(t, list[0].Name, "Debian", kind)
	}
}

// A machine that is made runs the script that was sent along, carries the mark and is found by it.
func TestAMachineThatIsMadeIsFoundByItsMark(t *testing.T) {
	t.Parallel()
	for _, kind := range makes {
		client, cloud := open(t, kind)
		cloud.Put(machine(kind, 7))
		var script string
		cloud.OnMade(func(_ hostingtest.Machine, given string) { script = given })
		want := wantedOf(kind)
		made, err := client.Create(t.Context(), want)
		require.NoError(t, err, kind)
		require.Equal(t, want.Script, script, kind)
		require.Equal(t, "ams-1", made.Server.Name, kind)
		progress, err := client.Progress(t.Context(), made.Action)
		require.NoError(t, err, kind)
		require.Equal(t, Progress{Done: true}, progress, kind)
		found, err := client.Marked(t.Context(), want.Mark)
		require.NoError(t, err, kind)
		require.Len(t, found, 1, kind)
		require.Equal(t, made.Server.ID, found[0].ID, kind)
		require.Contains(t, found[0].Tags, want.Mark, kind)
		none, err := client.Marked(t.Context(), Mark("another"))
		require.NoError(t, err, kind)
		require.Empty(t, none, kind)
	}
}

// "500 after creating": the problem says that the call may have had an effect, and the call is sent once.
func TestACreateWhoseAnswerIsLostIsSentOnce(t *testing.T) {
	t.Parallel()
	for _, kind := range makes {
		client, cloud := open(t, kind)
		cloud.BreakAfter(1)
		_, err := client.Create(t.Context(), wantedOf(kind))
		problem := ProblemOf(err)
		require.NotNil(t, problem, kind)
		require.True(t, problem.Sent, kind)
		require.Len(t, cloud.Machines(), 1, kind)
	}
}

// A refusal says for sure that nothing was made.
func TestARefusedCreateHasNoEffect(t *testing.T) {
	t.Parallel()
	for _, kind := range makes {
		client, cloud := open(t, kind)
		cloud.Busy(1, "1")
		_, err := client.Create(t.Context(), wantedOf(kind))
		require.Equal(t, RateLimited, ProblemOf(err).Cause, kind)
		require.False(t, ProblemOf(err).Sent, kind)
		cloud.Token = "another"
		_, err = client.Create(t.Context(), wantedOf(kind))
		require.Equal(t, CredentialsRefused, ProblemOf(err).Cause, kind)
		require.False(t, ProblemOf(err).Sent, kind)
		require.Empty(t, cloud.Machines(), kind)
	}
}

func TestMachinesAreSwitchedAndDeleted(t *testing.T) {
	t.Parallel()
	for _, kind := range called {
		client, cloud := open(t, kind)
		cloud.Put(machine(kind, 7))
		all, err := client.Servers(t.Context())
		require.NoError(t, err, kind)
		id := all[0].ID
		for _, act := range []struct{ act, status string }{{PowerOff, Off}, {PowerOn, Running}, {Reboot, Running}} {
			action, err := client.Power(t.Context(), id, act.act)
			require.NoError(t, err, kind)
			progress, err := client.Progress(t.Context(), action)
			require.NoError(t, err, kind)
			require.True(t, progress.Done, kind)
			now, err := client.Server(t.Context(), id)
			require.NoError(t, err, kind)
			require.Equal(t, act.status, now.Status, "%s %s", kind, act.act)
		}
		_, err = client.Remove(t.Context(), id)
		require.NoError(t, err, kind)
		require.Empty(t, cloud.Machines(), kind)
		_, err = client.Remove(t.Context(), id)
		require.Equal(t, NotFound, ProblemOf(err).Cause, kind)
		_, err = client.Server(t.Context(), id)
		require.Equal(t, NotFound, ProblemOf(err).Cause, kind)
	}
}

// "An action that never ends" is told as one that goes on.
func TestAnActionThatGoesOnIsNotDone(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"hetzner", "digitalocean"} {
		client, cloud := open(t, kind)
		cloud.Stick(true)
		made, err := client.Create(t.Context(), wantedOf(kind))
		require.NoError(t, err, kind)
		progress, err := client.Progress(t.Context(), made.Action)
		require.NoError(t, err, kind)
		require.Equal(t, Progress{}, progress, kind)
	}
}

// What is sold out in a location has a price there and cannot be had.
func TestAPlanThatIsSoldOutInARegionIsNotOffered(t *testing.T) {
	t.Parallel()
	client, _ := open(t, "hetzner")
	plans, err := client.Plans(t.Context(), "ash")
	require.NoError(t, err)
	require.Empty(t, plans)
	plans, err = client.Plans(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, []string{"fsn1", "hel1"}, plans[0].Regions)
}

// An account at Timeweb may want each deletion confirmed by a code that only a person gets: the server stays, and that
// is told.
func TestADeletionThatWantsACodeIsTold(t *testing.T) {
	t.Parallel()
	client, cloud := open(t, "timeweb")
	cloud.Put(machine("timeweb", 7))
	cloud.Allow("everything else")
	_, err := client.Remove(t.Context(), "7")
	require.Equal(t, RightMissing, ProblemOf(err).Cause)
	require.Equal(t, []string{"is_able_to_delete"}, ProblemOf(err).Missing)
	require.False(t, ProblemOf(err).Sent)
	require.Len(t, cloud.Machines(), 1)
}

// A server that was removed and is still told of is gone.
func TestAServerThatWasRemovedIsGone(t *testing.T) {
	t.Parallel()
	client, cloud := open(t, "timeweb")
	gone := machine("timeweb", 7)
	gone.Status = "removed"
	cloud.Put(gone, machine("timeweb", 8))
	_, err := client.Server(t.Context(), "7")
	require.Equal(t, NotFound, ProblemOf(err).Cause)
	found, err := client.Servers(t.Context())
	require.NoError(t, err)
	require.Len(t, found, 1)
}

func TestAMarkNamesItsOrder(t *testing.T) {
	t.Parallel()
	require.Equal(t, "an-id", OrderOf(Mark("an-id")))
	require.Empty(t, OrderOf("panel"))
	require.LessOrEqual(t, len(Mark(strings.Repeat("x", 36))), 63, "the length of a label at Hetzner")
}
