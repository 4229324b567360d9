package clients

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/core"
	"panel/platform/agentapi"
)

// holder is a core that notes what it was given.
type holder struct {
	given []agentapi.Clients
	fails error

	listed []agentapi.ClientLists
	skew   time.Duration
}

func (h *holder) Clients(_ context.Context, wanted agentapi.Clients) error {
	h.given = append(h.given, wanted)
	return h.fails
}

func (h *holder) Lists(
	_ context.Context, wanted agentapi.ClientLists, skew time.Duration, _ core.FetchChanges,
) error {
	h.listed, h.skew = append(h.listed, wanted), skew
	return h.fails
}

func (h *holder) ByChanges() bool { return len(h.listed) > 0 }

func document(t *testing.T, clients ...agentapi.Client) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(agentapi.Clients{Flows: []agentapi.FlowClients{{FlowID: "f", Clients: clients}}})
	require.NoError(t, err)
	return raw
}

// Lists that cannot be told apart or hold no secret are refused as a whole, without a word of them; the core never sees
// them. What the core cannot do yet is tried again.
func TestListsThatCannotBeUsedAreRefused(t *testing.T) {
	t.Parallel()
	h, key := &holder{fails: errors.New("not yet")}, make([]byte, 32)
	do := (&lists{core: h, skew: func() time.Duration { return 0 }}).apply
	good := agentapi.Client{ID: "a", UUID: "u", Key: key}
	for what, content := range map[string]json.RawMessage{
		"another form": json.RawMessage(`{"flows":[{"flow_id":"hunter2","clients":"hunter2"}]}`),
		"no flow":      json.RawMessage(`{"flows":[{"clients":[]}]}`),
		"flow twice":   json.RawMessage(`{"flows":[{"flow_id":"f"},{"flow_id":"f"}]}`),
		"no id":        document(t, agentapi.Client{UUID: "hunter2", Key: key}),
		"no uuid":      document(t, agentapi.Client{ID: "a", Key: key}),
		"short key":    document(t, agentapi.Client{ID: "a", UUID: "hunter2", Key: key[:31]}),
		"client twice": document(t, good, good),
	} {
		err := do(t.Context(), content)
		require.Error(t, err, what)
		require.NotContains(t, err.Error(), "hunter2", what)
		require.Empty(t, h.given, what)
	}
	require.EqualError(t, do(t.Context(), document(t, good)), "not yet")
	require.Len(t, h.given, 1)
	require.Equal(t, "a", h.given[0].Flows[0].Clients[0].ID)
}

// The end of a client's time is that of the panel, however wrong the clock of the node is; when that is known or set
// right, the lists are handed on again, and else not.
func TestTimesEndByTheClockOfThePanel(t *testing.T) {
	t.Parallel()
	h, off := &holder{}, time.Duration(0)
	l := &lists{core: h, skew: func() time.Duration { return off }}
	until := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	require.NoError(t, l.adjust(t.Context()), "nothing is held yet")
	anna := agentapi.Client{ID: "a", UUID: "u", Key: make([]byte, 32), Expires: until}
	boris := agentapi.Client{ID: "b", UUID: "u", Key: make([]byte, 32)}
	require.NoError(t, l.apply(t.Context(), document(t, anna, boris)))
	require.Equal(t, until, h.given[0].Flows[0].Clients[0].Expires)
	require.NoError(t, l.adjust(t.Context()))
	require.Len(t, h.given, 1)
	off = time.Hour // the panel is an hour ahead: here the time ends when this clock says eleven
	h.fails = errors.New("not now")
	require.Error(t, l.adjust(t.Context()))
	h.fails = nil
	require.NoError(t, l.adjust(t.Context()))
	require.Len(t, h.given, 3)
	require.Equal(t, until.Add(-time.Hour), h.given[2].Flows[0].Clients[0].Expires)
	require.Zero(t, h.given[2].Flows[0].Clients[1].Expires)
	require.Equal(t, until, l.wanted.Flows[0].Clients[0].Expires, "what the panel said stays as it was")
	off += time.Second
	require.NoError(t, l.adjust(t.Context()))
	require.Len(t, h.given, 3)
}

// Lists that come by their changes take the place of whole ones, which an agent of before may have left; they follow
// the clock as those do, and what cannot be told apart is refused.
func TestListsByChangesGoBeforeWholeOnes(t *testing.T) {
	t.Parallel()
	h, off := &holder{}, time.Duration(0)
	l := &lists{core: h, skew: func() time.Duration { return off }}
	for _, bad := range []string{`{"flows":5}`, `{"flows":[{"flow_id":"f"}]}`} {
		require.Error(t, l.applyLists(t.Context(), json.RawMessage(bad)))
	}
	require.Empty(t, h.listed)
	require.NoError(t, l.apply(t.Context(), document(t, agentapi.Client{ID: "a", UUID: "u", Key: make([]byte, 32)})))
	lists := json.RawMessage(`{"flows":[{"flow_id":"f","epoch":"e","revision":7}]}`)
	require.NoError(t, l.applyLists(t.Context(), lists))
	require.EqualValues(t, 7, h.listed[0].Flows[0].Revision)
	require.NoError(t, l.apply(t.Context(), document(t)))
	require.Len(t, h.given, 1)
	require.NoError(t, l.adjust(t.Context()))
	require.Len(t, h.listed, 1)
	off = time.Hour
	require.NoError(t, l.adjust(t.Context()))
	require.Len(t, h.listed, 2)
	require.Equal(t, time.Hour, h.skew)
}
