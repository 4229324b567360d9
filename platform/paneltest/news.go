package paneltest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/events"
)

// Recorded gives the actions that the journal tells of an object, in their order; all of its type when the id is empty.
func (p *Panel) Recorded(objectType, objectID string) []string {
	p.t.Helper()
	actions := []string{}
	require.NoError(p.t,
		p.DB.NewRaw("select action from journal where object_type = ? and ? in ('', object_id) order by at, id",
			objectType, objectID).Scan(p.t.Context(), &actions))
	return actions
}

// News are the live events of a panel from the moment in which somebody began to follow them.
type News struct {
	t    testing.TB
	from <-chan events.Event
}

// Follow begins to follow the live events of the panel.
func (p *Panel) Follow() *News {
	p.t.Helper()
	return &News{t: p.t, from: p.App.Bus().Subscribe(p.t.Context())}
}

const newsWithin = 30 * time.Second

// Next waits for the next event of a kind; those of other kinds are passed over.
func (n *News) Next(kind string) events.Event {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), newsWithin)
	defer cancel()
	for {
		select {
		case event, open := <-n.from:
			require.True(n.t, open, "the panel ended the stream before %s", kind)
			if event.Kind == kind {
				return event
			}
		case <-ctx.Done():
			require.Fail(n.t, "there was no event "+kind)
		}
	}
}

// NextData waits for the next event of a kind and gives its data: those of an event that another panel told are still
// encoded.
func NextData[T any](n *News, kind string) T {
	n.t.Helper()
	data, err := events.DataOf[T](n.Next(kind))
	require.NoError(n.t, err)
	return data
}
