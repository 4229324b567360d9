package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/cmd/panel-agent/internal/core/listlog"
	"panel/platform/agentapi"
)

// changing is a panel with the list of one flow; it names few clients in an answer.
type changing struct {
	t       *testing.T
	epoch   string
	changes []agentapi.ClientChanges // by revision, from 1
	asked   int
	down    bool
}

func (p *changing) add(clients []agentapi.Client, gone ...string) {
	p.changes = append(p.changes, agentapi.ClientChanges{Clients: clients, Gone: gone})
}

func (p *changing) ref() agentapi.ClientLists {
	return agentapi.ClientLists{Flows: []agentapi.ListRef{{
		FlowID: listedFlow, Epoch: p.epoch, Revision: int64(len(p.changes)),
	}}}
}

// fetch gives the changes of one revision at a time.
func (p *changing) fetch(
	_ context.Context, flowID string, from agentapi.ListPosition,
) (agentapi.ClientChanges, error) {
	if p.asked++; p.down {
		return agentapi.ClientChanges{}, errors.New("the panel is away")
	}
	if flowID != listedFlow {
		return agentapi.ClientChanges{}, errors.New("there is no such list")
	}
	answer := agentapi.ClientChanges{FlowID: flowID, From: from}
	if from.Epoch != p.epoch {
		answer.Fresh, from = true, agentapi.ListPosition{Epoch: p.epoch}
	}
	answer.To = from
	if next := int(from.Since); next < len(p.changes) {
		answer.Clients, answer.Gone = p.changes[next].Clients, p.changes[next].Gone
		answer.To.Since++
	}
	answer.More = int(answer.To.Since) < len(p.changes)
	return answer, nil
}

func (p *changing) into(s *Supervisor) error { return s.Lists(p.t.Context(), p.ref(), 0, p.fetch) }

// A list comes by its changes: who is added is let in and who has gone is cut in the running core, and only what has
// changed is fetched. A core that starts reads the list from the disk, also without the panel.
func TestAListComesByItsChanges(t *testing.T) {
	t.Parallel()
	s, ctx := newSupervisor(t, t.TempDir()), t.Context()
	p := &changing{t: t, epoch: "first"}
	e := entryOf(t, "vless", "raw", agenttest.FreePort(t), "")
	anna, boris := someone("anna"), someone("boris")
	require.False(t, s.ByChanges())
	p.add([]agentapi.Client{anna})
	require.NoError(t, p.into(s))
	require.True(t, s.ByChanges())
	require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
	process, of := serving(s).Pid, streamThrough(t, e.dial(anna))

	p.add([]agentapi.Client{boris})
	require.NoError(t, p.into(s))
	require.Equal(t, 2, p.asked)
	other := streamThrough(t, e.dial(boris))
	require.NoError(t, p.into(s))
	require.Equal(t, 2, p.asked, "nothing has changed")
	p.add(nil, "anna")
	require.NoError(t, p.into(s))
	require.NoError(t, ends(of))
	renewed := someone("boris") // another secret
	p.add([]agentapi.Client{renewed})
	require.NoError(t, p.into(s))
	require.NoError(t, ends(other))
	door := doorOf(t, e.dial(renewed))
	require.NoError(t, talks(door))
	require.Equal(t, process, serving(s).Pid)

	p.down = true
	require.NoError(t, serving(s).Kill())
	require.Eventually(t, func() bool { return s.Report().Restarts == 1 && talks(door) == nil }, 60*time.Second,
		50*time.Millisecond)
	p.add([]agentapi.Client{anna})
	require.ErrorContains(t, p.into(s), "away")
	require.NoError(t, talks(door))
	p.down = false
	require.NoError(t, p.into(s))
	require.NoError(t, talks(doorOf(t, e.dial(anna))))

	renewed.Expires = time.Now().Add(time.Hour)
	p.add([]agentapi.Client{renewed})
	require.NoError(t, p.into(s))
	require.NoError(t, talks(door))
	require.NoError(t, s.Lists(ctx, p.ref(), 2*time.Hour, p.fetch), "the panel's clock is ahead")
	require.Error(t, talks(door))
}

// A numbering that begins anew, as after a restore, replaces the list when it is here whole; a kill while it was
// written leaves what was written before.
func TestAListBeginsAnew(t *testing.T) {
	t.Parallel()
	s := newSupervisor(t, t.TempDir())
	p := &changing{t: t, epoch: "first"}
	for i := range 5 {
		p.add([]agentapi.Client{someone(fmt.Sprint("client-", i))})
	}
	require.NoError(t, p.into(s))
	again := &changing{t: t, epoch: "second"}
	again.add([]agentapi.Client{someone("anna")})
	again.add([]agentapi.Client{someone("boris")})
	require.NoError(t, again.into(s))
	held := func() []string {
		log, err := listlog.Read(s.listsDir(), listedFlow)
		require.NoError(t, err)
		var ids []string
		for id := range log.Clients {
			ids = append(ids, id)
		}
		return ids
	}
	require.ElementsMatch(t, []string{"anna", "boris"}, held())
	again.add([]agentapi.Client{someone("vera")})
	require.NoError(t, again.into(s))

	path := listlog.Path(s.listsDir(), listedFlow)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for cut := range 40 {
		require.NoError(t, os.WriteFile(path, whole[:len(whole)-1-cut], 0o600))
		next, err := New(Options{Executable: s.executable, Dir: s.dir, Clock: s.clock, Log: s.log})
		require.NoError(t, err)
		require.ElementsMatch(t, []string{"anna", "boris"}, held())
		require.NoError(t, again.into(next))
		require.ElementsMatch(t, []string{"anna", "boris", "vera"}, held())
	}
	for range 20_000 {
		again.changes = append(again.changes, agentapi.ClientChanges{Gone: []string{"vera"}})
		if len(again.changes)%500 == 0 {
			require.NoError(t, again.into(s))
		}
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(1<<20), "what is past is not kept")
	require.NoError(t, s.Lists(t.Context(), agentapi.ClientLists{}, 0, again.fetch))
	require.NoFileExists(t, path)
}

// A core of an older agent, which is adopted after an update, reads whole lists alone: it gets them.
func TestListsAreWrittenWholeForOlderCores(t *testing.T) {
	t.Parallel()
	s := newSupervisor(t, t.TempDir())
	p := &changing{t: t, epoch: "first"}
	p.add([]agentapi.Client{someone("anna"), someone("boris")})
	require.NoError(t, p.into(s))
	require.NoError(t, s.writeWhole())
	require.NoError(t, os.RemoveAll(listlog.Path(s.listsDir(), listedFlow)))
	stored, err := readLists(s.dir)
	require.NoError(t, err)
	require.Len(t, stored.lists[listedFlow], 2)
}
