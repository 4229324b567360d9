package proxypanel

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"panel/modules/flows/flowsapi"
	"panel/modules/proxypanel/remnawavetest"
	"panel/platform/database"
	"panel/platform/module"
)

// deaths ends a context before the nth thing that a panel does: a statement, or a call, which happens all the same and
// whose answer is lost.
type deaths struct {
	at   atomic.Int64
	seen atomic.Int64
	die  atomic.Pointer[context.CancelFunc]
}

type mortal struct{}

// hooked is a module that has statements of a panel counted from before its start.
func hooked(d *deaths) module.Module {
	return module.Module{
		Name: "hooked", Summary: "Counts statements for the test",
		Attach: func(db *database.DB) module.Parts {
			db.AddQueryHook(d) //nolint:staticcheck // the panel has the database already
			return module.Parts{}
		},
	}
}

func (d *deaths) next() {
	if d.seen.Add(1) == d.at.Load() {
		if die := d.die.Load(); die != nil {
			(*die)()
		}
	}
}

// BeforeQuery counts statements of the one that is to die.
func (d *deaths) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context {
	if ctx.Value(mortal{}) != nil {
		d.next()
	}
	return ctx
}

// AfterQuery does nothing.
func (*deaths) AfterQuery(context.Context, *bun.QueryEvent) {}

// of does something and dies before its nth step; it says whether it lived.
func (d *deaths) of(ctx context.Context, nth int64, do func(context.Context) error) (lived bool, err error) {
	ctx, die := context.WithCancel(context.WithValue(ctx, mortal{}, true))
	defer die()
	d.die.Store(&die)
	d.seen.Store(0)
	d.at.Store(nth)
	err = do(ctx)
	d.at.Store(0)
	return err == nil && d.seen.Load() < nth, err
}

// through calls a stage once more where it has to wait.
func through(stage flowsapi.Stage, a flowsapi.Apply) func(context.Context) error {
	return func(ctx context.Context) error {
		for {
			outcome, err := stage.Do(ctx, a)
			if err != nil || outcome.Result != flowsapi.Again {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			<-time.After(20 * time.Millisecond)
		}
	}
}

// Rule: a panel dies at each of its statements and calls: whoever goes on makes exactly one of each object, and whoever
// undoes leaves none and everything of theirs as it was.
func TestWhereverAPanelDiesNothingIsThereTwice(t *testing.T) {
	t.Parallel()
	d := &deaths{}
	o := newOffering(t, hooked(d))
	o.there.Before(func(remnawavetest.Call) { d.next() })
	ours, _ := o.node("ams", "192.0.2.1")
	bare, flow := o.dump(), database.NewID()
	entry := o.entry(flow, ours, 8443)
	var offering, undoing, installing, leaving int64
	for nth := int64(1); ; nth++ {
		a := o.apply(flow, nil, []flowsapi.Entry{entry})
		lived, _ := d.of(t.Context(), nth, through(o.offer, a))
		require.LessOrEqual(t, len(o.ours()), 2, "died at step %d", nth)
		if nth%2 == 0 {
			require.Equal(t, flowsapi.Done, o.done(o.offer, a))
			require.Equal(t, []string{"profile", "host"}, o.ours(), "died at step %d", nth)
		}
		died, _ := d.of(t.Context(), nth, func(ctx context.Context) error { return o.offer.Undo(ctx, a) })
		require.NoError(t, o.offer.Undo(t.Context(), a))
		require.Equal(t, bare, o.dump(), "died at step %d", nth)
		if lived && died {
			offering, undoing = nth, nth
			break
		}
	}
	for nth := int64(1); ; nth++ {
		a := o.apply(flow, nil, []flowsapi.Entry{entry})
		o.done(o.offer, a)
		lived, _ := d.of(t.Context(), nth, through(o.hosts, a))
		require.Equal(t, flowsapi.Done, o.done(o.hosts, a))
		require.Equal(t, []string{"profile", "host"}, o.ours(), "died at step %d", nth)
		require.Equal(t, false, o.host()["isDisabled"])
		away := o.apply(flow, []flowsapi.Entry{entry}, nil)
		gone, _ := d.of(t.Context(), nth, through(o.hosts, away))
		o.done(o.hosts, away)
		require.Equal(t, bare, o.dump(), "died at step %d", nth)
		if lived && gone {
			installing, leaving = nth, nth
			break
		}
	}
	require.Greater(t, offering, int64(20), "statements and calls of an offer")
	t.Logf("died at each of %d steps of an offer and its undoing, and of %d of a commit and a removal",
		max(offering, undoing), max(installing, leaving))
}

// Rule: socket destroyed, 401, 403, 500 without a reason and a page at each call: the apply ends with an error that
// names the proxy panel, and what was there is there again once it answers.
func TestAProxyPanelThatFailsAtAnyCall(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	ours, _ := o.node("ams", "192.0.2.1")
	bare, flow := o.dump(), database.NewID()
	entry := o.entry(flow, ours, 8443)
	for name, fails := range failures() {
		for nth := int64(1); ; nth++ {
			a := o.apply(flow, nil, []flowsapi.Entry{entry})
			asked := o.failAt(nth, fails)
			_, err := o.offer.Do(t.Context(), a)
			o.there.Gate(nil)
			if err != nil { // a question that changes nothing may have been asked again
				require.ErrorContains(t, err, "at the proxy panel main", "%s at call %d", name, nth)
			}
			require.NoError(t, o.offer.Undo(t.Context(), a), "%s at call %d", name, nth)
			require.Equal(t, bare, o.dump(), "%s at call %d", name, nth)
			if asked() < nth {
				require.NoError(t, err)
				require.Greater(t, nth, int64(10), "it asks more than that")
				break
			}
		}
	}
}

// Rule: what was committed is brought about however often the proxy panel fails: the hosts lead there in the end, and
// what left is gone, with nothing made twice and nothing of theirs touched.
func TestAProxyPanelThatFailsAtAnyCallOfACommitOrARemoval(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	ours, _ := o.node("ams", "192.0.2.1")
	bare, flow := o.dump(), database.NewID()
	entry := o.entry(flow, ours, 8443)
	for name, fails := range failures() {
		for nth := int64(1); ; nth++ {
			a := o.apply(flow, nil, []flowsapi.Entry{entry})
			require.Equal(t, flowsapi.Done, o.done(o.offer, a))
			installing := o.failedAt(nth, fails, a)
			require.Equal(t, []string{"profile", "host"}, o.ours(), "%s at call %d", name, nth)
			require.Equal(t, false, o.host()["isDisabled"], "%s at call %d", name, nth)

			leaving := o.failedAt(nth, fails, o.apply(flow, []flowsapi.Entry{entry}, nil))
			require.Equal(t, bare, o.dump(), "%s at call %d", name, nth)
			if max(installing, leaving) < nth {
				require.Greater(t, nth, int64(3), "it asks more than that")
				break
			}
		}
	}
}

// failedAt lets the nth call of what follows a commit fail and has it repeated, as an apply does. It gives how many
// calls there were at first.
func (o *offering) failedAt(nth int64, fails http.HandlerFunc, a flowsapi.Apply) (asked int64) {
	calls := o.failAt(nth, fails)
	_, err := o.hosts.Do(o.t.Context(), a)
	asked = calls()
	o.there.Gate(nil)
	if err != nil { // a question that changes nothing may have been asked again
		require.ErrorContains(o.t, err, "at the proxy panel main", "at call %d", nth)
	}
	o.done(o.hosts, a)
	return asked
}

// failures are the ways in which a proxy panel fails, by their names.
func failures() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"socket destroyed":     func(w http.ResponseWriter, _ *http.Request) { remnawavetest.Destroy(w) },
		"401":                  refusal(http.StatusUnauthorized, "Unauthorized"),
		"403":                  refusal(http.StatusForbidden, "Forbidden resource"),
		"500 without a reason": refusal(http.StatusInternalServerError, "Internal server error"),
		"a page":               gate,
	}
}

// failAt lets the nth call from now on fail, and gives how many there were.
func (o *offering) failAt(nth int64, fails http.HandlerFunc) (asked func() int64) {
	var calls atomic.Int64
	o.there.Gate(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == nth {
			fails(w, r)
			return
		}
		o.there.Pass(w, r)
	})
	return calls.Load
}

func refusal(status int, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"statusCode":%d,"message":%q}`, status, message)
	}
}

// Rule: after any 500 on create, list before retrying: what was made in spite of it is found and used.
func TestAnObjectThatWasMadeInSpiteOfTheAnswerIsUsed(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	ours, _ := o.node("ams", "192.0.2.1")
	bare, flow := o.dump(), database.NewID()
	entry := o.entry(flow, ours, 8443)
	for _, path := range []string{"/api/config-profiles", "/api/hosts"} {
		o.there.Gate(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost || r.URL.Path != path {
				o.there.Pass(w, r)
				return
			}
			o.there.Pass(lost{http.Header{}}, r)
			refusal(http.StatusInternalServerError, "Internal server error")(w, r)
		})
		a := o.apply(flow, nil, []flowsapi.Entry{entry})
		require.Equal(t, flowsapi.Done, o.done(o.offer, a), path)
		o.there.Gate(nil)
		require.Equal(t, []string{"profile", "host"}, o.ours())
		require.NoError(t, o.offer.Undo(t.Context(), a))
		require.Equal(t, bare, o.dump())
	}
}

// lost is an answer that nobody gets.
type lost struct{ header http.Header }

func (l lost) Header() http.Header         { return l.header }
func (l lost) Write(b []byte) (int, error) { return len(b), nil }
func (lost) WriteHeader(int)               {}

// A token that ends in the middle ends the apply; with a new one it is undone.
func TestATokenThatEndsInTheMiddle(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	ours, _ := o.node("ams", "192.0.2.1")
	bare, flow := o.dump(), database.NewID()
	a := o.apply(flow, nil, []flowsapi.Entry{o.entry(flow, ours, 8443)})
	var calls atomic.Int64
	o.there.Before(func(remnawavetest.Call) {
		if calls.Add(1) == 6 {
			o.there.Revoke()
		}
	})
	_, err := o.offer.Do(t.Context(), a)
	require.Error(t, err)
	require.Error(t, o.offer.Undo(t.Context(), a), "nothing can be undone without a token")
	o.there.Before(nil)
	shown := o.get(o.connection)
	o.Admin().Patch(connectionsPath+"/"+o.connection, fields{"revision": shown.Revision, "token": o.token()}).
		Is(http.StatusOK)
	require.NoError(t, o.offer.Undo(t.Context(), a))
	require.Equal(t, bare, o.dump())
}

// The proxy panel says slow down: the apply waits and goes on.
func TestAnApplyWaitsForASlowProxyPanel(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	ours, _ := o.node("ams", "192.0.2.1")
	flow := database.NewID()
	a := o.apply(flow, nil, []flowsapi.Entry{o.entry(flow, ours, 8443)})
	o.failAt(5, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	outcome, err := o.offer.Do(t.Context(), a)
	require.NoError(t, err)
	require.Equal(t, flowsapi.Again, outcome.Result)
	require.Equal(t, "proxy_panel_slow_down", outcome.Detail.Code)
	o.there.Gate(nil)
	require.Eventually(t, func() bool {
		outcome, err := o.offer.Do(t.Context(), a)
		return err == nil && outcome.Result == flowsapi.Done
	}, 20*time.Second, 100*time.Millisecond)
	require.Equal(t, []string{"profile", "host"}, o.ours())
}

// Two panels write to one proxy panel: one after the other, and the lease of one that died ends by itself.
func TestTwoPanelsWriteOneAfterTheOther(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	ours, _ := o.node("ams", "192.0.2.1")
	flow := database.NewID()
	a := o.apply(flow, nil, []flowsapi.Entry{o.entry(flow, ours, 8443)})
	_, err := o.DB.ExecContext(t.Context(), `insert into proxypanel_writers values (?, 'dead', now() + interval '2 seconds')`,
		o.connection)
	require.NoError(t, err)
	began := time.Now()
	require.Equal(t, flowsapi.Done, o.done(o.offer, a))
	require.Greater(t, time.Since(began), time.Second, "it was somebody else's turn")

	// A panel that was frozen wakes up when somebody else has become the writer: it writes nothing more.
	next := o.apply(flow, nil, []flowsapi.Entry{o.entry(flow, ours, 9443)})
	o.there.Before(func(call remnawavetest.Call) {
		if call.Path == "/api/hosts" {
			_, err := o.DB.ExecContext(context.Background(), `update proxypanel_writers set token = 'other',
				until = now() + interval '1 second' where token <> 'other'`)
			require.NoError(t, err)
		}
	})
	before := o.dump()
	outcome, err := o.offer.Do(t.Context(), next)
	require.NoError(t, err)
	require.Equal(t, flowsapi.Again, outcome.Result)
	require.Equal(t, before, o.dump())
	o.there.Before(nil)
	require.Equal(t, flowsapi.Done, o.done(o.offer, next))
}
