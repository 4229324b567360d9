package rigtest

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/platform/agentapi"
	"panel/platform/testneed/freeport"
)

// pageEvery is the pause between two pages of a Traffic.
const pageEvery = 200 * time.Millisecond

// Traffic is an applied flow on a real agent and core with a client that fetches pages all the time, and one that holds
// a long answer open from the beginning to the end of the test.
type Traffic struct {
	Agent *rig.Agent
	Flow  string
	Link  string

	site   *rig.Site
	pages  atomic.Int64
	failed atomic.Pointer[string]
}

// Carry enrols a server, installs a flow on it and begins the traffic. That the long answer arrived whole is demanded
// at the end of the test.
func Carry(t *testing.T, stand *rig.Stand) *Traffic {
	t.Helper()
	site, err := rig.OpenSite("127.0.0.1")
	require.NoError(t, err)
	t.Cleanup(site.Close)
	agent, err := stand.Enroll(t.Context(), "carrier")
	require.NoError(t, err)
	Run(t, stand, agent)
	c := &Traffic{Agent: agent, site: site}
	c.install(t, stand)
	c.run(t)
	return c
}

func (c *Traffic) install(t *testing.T, stand *rig.Stand) {
	t.Helper()
	port, err := freeport.Find()
	require.NoError(t, err)
	drawn, err := stand.API.Draw(t.Context(), "carries", rig.OneServer(c.Agent.NodeID, port, c.site))
	require.NoError(t, err)
	plan, err := stand.API.Compile(t.Context(), drawn.ID)
	require.NoError(t, err)
	_, err = stand.API.Apply(t.Context(), drawn.ID, plan)
	require.NoError(t, err)
	c.Flow = drawn.ID
	c.Link, err = stand.API.Link(t.Context(), drawn.ID)
	require.NoError(t, err)
}

// run fetches until the test ends; a page that does not come ends it and is remembered.
func (c *Traffic) run(t *testing.T) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	pages, long := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := rig.Fetch(
			ctx,
			agentapi.ThroughProbe{Link: c.Link, URL: c.site.Page + "/held", Expect: "ended", Timeout: 600},
		)
		long <- err
	}()
	go func() {
		defer close(pages)
		for ctx.Err() == nil {
			_, err := rig.Fetch(
				ctx,
				agentapi.ThroughProbe{Link: c.Link, URL: c.site.Page + "/", Expect: `"page":"ok"`, Timeout: 30},
			)
			if err != nil && ctx.Err() == nil {
				why := err.Error()
				c.failed.Store(&why)
				return
			}
			c.pages.Add(1)
			select {
			case <-ctx.Done():
			case <-time.After(pageEvery):
			}
		}
	}()
	t.Cleanup(func() {
		c.site.Release()
		require.NoError(t, <-long, "the answer that was open all the time arrived whole")
		cancel()
		<-pages
	})
	require.Eventually(t, func() bool { return c.site.Held() == 1 }, 30*time.Second, 20*time.Millisecond)
}

// GoesOn waits for a page that was asked for after this call; the test fails if any page did not come.
func (c *Traffic) GoesOn(t *testing.T) {
	t.Helper()
	after := c.pages.Load() + 2
	require.Eventually(
		t,
		func() bool { return c.pages.Load() >= after || c.failed.Load() != nil },
		60*time.Second,
		20*time.Millisecond,
	)
	if why := c.failed.Load(); why != nil {
		require.FailNow(t, "a page did not come through the flow", *why)
	}
}
