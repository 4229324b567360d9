package proxypanel

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/modules/proxypanel/remnawavetest"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/module"
)

// hidingBench is a bench with one flow that two nodes of a proxy panel serve, each with its host.
type hidingBench struct {
	*offering
	flow     string
	ams, fra string // nodes of ours
	entries  []flowsapi.Entry
}

func newHidingBench(t *testing.T, more ...module.Module) *hidingBench {
	t.Helper()
	h := &hidingBench{offering: newOffering(t, more...), flow: database.NewID()}
	h.ams, _ = h.node("ams", "192.0.2.1")
	h.fra, _ = h.node("fra", "192.0.2.2")
	first, second := h.entry(h.flow, h.ams, 8443), h.entry(h.flow, h.fra, 8443)
	second.Block, second.Tag = "in2", "flow."+h.flow+".in.in2"
	h.entries = []flowsapi.Entry{first, second}
	h.install(h.flow, nil, h.entries)
	h.read(h.connection)
	return h
}

// led are the hosts that lead to a node and are shown.
func (h *hidingBench) led(node string) []proxypanelapi.Host {
	h.t.Helper()
	found, err := h.shows.Shown(h.t.Context(), node)
	require.NoError(h.t, err)
	return found[node]
}

// hostOf is the host there that leads to a node.
func (h *hidingBench) hostOf(node string) map[string]any {
	h.t.Helper()
	var id string
	err := h.DB.NewRaw(`select p.host_id from proxypanel_parts p join proxypanel_mappings m on m.id = p.mapping_id
		where m.node_id = ?`, node).Scan(h.t.Context(), &id)
	require.NoError(h.t, err)
	for _, row := range h.there.Dump()["hosts"] {
		if row["uuid"] == id {
			return row
		}
	}
	require.Fail(h.t, "the host is gone")
	return nil
}

func (h *hidingBench) disabled(node string) bool { return h.hostOf(node)["isDisabled"] == true }

// hide has the host of ams hidden, and waits until that holds.
func (h *hidingBench) hide(why string) {
	h.t.Helper()
	h.promise(why)
	h.until(func() bool { return h.far(why).Waits == 0 })
}

func (h *hidingBench) promise(why string) {
	h.t.Helper()
	led := h.led(h.ams)
	require.NotEmpty(h.t, led)
	require.NoError(h.t, h.DB.InTx(h.t.Context(), func(ctx context.Context) error {
		return h.shows.Hide(ctx, why, h.ams, led[0].ID)
	}))
}

func (h *hidingBench) far(why string) proxypanelapi.Hiding {
	h.t.Helper()
	far, err := h.shows.Hiding(h.t.Context(), why)
	require.NoError(h.t, err)
	return far
}

// left is how many hosts the panel still has something to do with.
func (h *hidingBench) left() (rows int) {
	h.t.Helper()
	require.NoError(h.t, h.DB.NewRaw("select count(*) from proxypanel_hidden").Scan(h.t.Context(), &rows))
	return rows
}

// shown has what was hidden shown again, and waits until nothing is left of it.
func (h *hidingBench) shown(why string) {
	h.t.Helper()
	require.NoError(h.t, h.shows.Show(h.t.Context(), why))
	h.until(func() bool { return h.left() == 0 })
}

// Rule (point 5): a host is hidden for self-repair and shown again, with everything else of it as it was.
func TestAHostIsHiddenAndShownAgain(t *testing.T) {
	t.Parallel()
	h := newHidingBench(t)
	before := h.dump()
	led := h.led(h.ams)
	require.Equal(t, []string{"Europe", "main"}, []string{led[0].Name, led[0].Panel})
	require.True(t, led[0].Spare, "users have the other one")
	h.hide("repair-1")
	require.Equal(t, []bool{true, false}, []bool{h.disabled(h.ams), h.disabled(h.fra)})
	require.Equal(t, []string{led[0].ID}, h.far("repair-1").Hidden)
	require.Empty(t, h.led(h.ams), "it is shown no more")
	require.False(t, h.led(h.fra)[0].Spare, "users have no other one now")
	require.Empty(t, h.drift().Items, "a host that we hide is no drift")
	require.Contains(t, h.Scrape(), "panel_proxypanel_hosts_hidden 1")
	h.shown("repair-1")
	require.Equal(t, before, h.dump())
}

// A host that leads to a node which is the only one connected is not spare, nor is one of a squad that sees no other.
func TestTheHostThatUsersNeedIsNotSpare(t *testing.T) {
	t.Parallel()
	h := newHidingBench(t)
	h.there.ChangeHost(h.hostOf(h.fra)["uuid"].(string), map[string]any{"isDisabled": true})
	h.read(h.connection)
	require.False(t, h.led(h.ams)[0].Spare)
	require.Empty(t, h.led(h.fra), "somebody hides it: it is not shown")
	h.there.LeaveSquads()
	h.read(h.connection)
	require.False(t, h.led(h.ams)[0].Spare)
}

// Rule: a host an operator hid himself is never shown by us; neither is one that he hid before we came to it.
func TestAHostThatSomebodyElseHidIsNeverShown(t *testing.T) {
	t.Parallel()
	h := newHidingBench(t)
	h.promiseLater(func() {
		h.there.ChangeHost(h.hostOf(h.ams)["uuid"].(string), map[string]any{"isDisabled": true})
	})
	require.Empty(t, h.far("repair-1").Hidden)
	h.shown("repair-1")
	require.True(t, h.disabled(h.ams))
}

// promiseLater changes something there between the promise and the proxy panel's being asked.
func (h *hidingBench) promiseLater(change func()) {
	h.t.Helper()
	led := h.led(h.ams)
	_, err := h.engine.Hide(h.t.Context(), "repair-1", h.ams, led[0].ID)
	require.NoError(h.t, err)
	change()
	require.NoError(h.t, h.engine.SettleHidden(h.t.Context(), h.connection))
}

// What others do with a hidden host stays: one that they show stays shown, also after they hid it again by themselves;
// one whose tag they take away is theirs; one that they remove is nobody's matter.
func TestAHostIsLeftAsOthersHaveMadeIt(t *testing.T) {
	t.Parallel()
	h := newHidingBench(t)
	id := h.hostOf(h.ams)["uuid"].(string)
	settle := func() { require.NoError(t, h.engine.SettleHidden(t.Context(), h.connection)) }

	h.hide("shown")
	h.there.ChangeHost(id, map[string]any{"isDisabled": false, "remark": "Theirs"})
	settle()
	require.Empty(t, h.far("shown").Hidden)
	h.there.ChangeHost(id, map[string]any{"isDisabled": true})
	settle()
	h.shown("shown")
	require.True(t, h.disabled(h.ams), "they have hidden it")
	require.Equal(t, "Theirs", h.hostOf(h.ams)["remark"])
	require.Len(t, h.hostOf(h.ams)["tags"], 1, "no tag of the hiding is left")

	h.there.ChangeHost(id, map[string]any{"isDisabled": false})
	h.read(h.connection)
	h.hide("taken")
	tags := h.hostOf(h.ams)["tags"].([]any)
	h.there.ChangeHost(id, map[string]any{"tags": tags[:1]})
	h.shown("taken")
	require.True(t, h.disabled(h.ams), "without the tag it is theirs")

	h.there.ChangeHost(id, map[string]any{"isDisabled": false})
	h.read(h.connection)
	h.hide("removed")
	h.there.RemoveHost(id)
	h.shown("removed")
}

// Rule: the panel there not reachable at return: it is repeated until it holds. Nothing is lost where it says slow
// down, refuses, or shows a page, and Doctor says that hosts wait.
func TestWhatCannotBeShownIsShownLater(t *testing.T) {
	t.Parallel()
	h := newHidingBench(t)
	h.hide("repair-1")
	for name, fails := range map[string]http.HandlerFunc{
		"socket destroyed":     func(w http.ResponseWriter, _ *http.Request) { remnawavetest.Destroy(w) },
		"401":                  refusal(http.StatusUnauthorized, "Unauthorized"),
		"500 without a reason": refusal(http.StatusInternalServerError, "Internal server error"),
		"a page":               gate,
	} {
		h.there.Gate(fails)
		require.NoError(t, h.shows.Show(t.Context(), "repair-1"))
		require.Error(t, h.engine.SettleHidden(t.Context(), h.connection), name)
		require.Equal(t, 1, h.left(), name)
		require.True(t, h.disabled(h.ams), name)
	}
	_, err := h.DB.ExecContext(t.Context(), "update proxypanel_hidden set updated_at = now() - interval '1 hour'")
	require.NoError(t, err)
	found := inspect(t.Context(), h.env())
	require.Equal(t, doctor.Warning, found.Status)
	require.EqualValues(t, 1, found.Data["unshown"])
	require.Contains(t, h.Scrape(), "panel_proxypanel_hosts_unshown 1")
	h.there.Gate(nil)
	h.RunSchedule(hostsKind)
	h.until(func() bool { return h.left() == 0 })
	require.False(t, h.disabled(h.ams))
}

// An apply that leads a hidden host to another node shows it there; one that changes it on its own node does not.
func TestAnApplyShowsAHostThatItLeadsElsewhere(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	flow := database.NewID()
	h := &hidingBench{offering: o, flow: flow}
	h.ams, _ = o.node("ams", "192.0.2.1")
	h.fra, _ = o.node("fra", "192.0.2.2")
	from := o.entry(flow, h.ams, 8443)
	o.install(flow, nil, []flowsapi.Entry{from})
	h.read(h.connection)
	h.hide("repair-1")
	changed := from
	changed.Port = "9443"
	o.install(flow, []flowsapi.Entry{from}, []flowsapi.Entry{changed})
	require.Equal(t, true, o.host()["isDisabled"], "it leads to the node that is down")
	to := o.entry(flow, h.fra, 9443)
	o.install(flow, []flowsapi.Entry{changed}, []flowsapi.Entry{to})
	require.Equal(t, false, o.host()["isDisabled"])
	require.Len(t, o.host()["tags"], 1)
	require.NoError(t, h.engine.SettleHidden(t.Context(), h.connection))
	require.Zero(t, h.left())
}

// Rule: a panel dies at each of its statements and calls of hiding and of showing: whoever goes on ends with the host
// hidden, then shown, and with everything else as it was. A host of somebody else is never taken for ours.
func TestWhereverAPanelDiesHostsAreShownInTheEnd(t *testing.T) {
	t.Parallel()
	d := &deaths{}
	h := newHidingBench(t, hooked(d))
	h.there.Before(func(remnawavetest.Call) { d.next() })
	before, mark := h.dump(), h.led(h.ams)[0].ID
	settle := func(ctx context.Context) error { return h.engine.SettleHidden(ctx, h.connection) }
	steps := int64(0)
	for nth := int64(1); ; nth++ {
		_, err := h.engine.Hide(t.Context(), "repair", h.ams, mark)
		require.NoError(t, err)
		hidden, _ := d.of(t.Context(), nth, settle)
		require.NoError(t, settle(t.Context()))
		require.True(t, h.disabled(h.ams), "died at step %d", nth)
		require.Equal(t, []string{mark}, h.far("repair").Hidden, "died at step %d", nth)
		_, err = h.engine.Show(t.Context(), "repair")
		require.NoError(t, err)
		shown, _ := d.of(t.Context(), nth, settle)
		require.NoError(t, settle(t.Context()))
		require.Equal(t, before, h.dump(), "died at step %d", nth)
		require.Zero(t, h.left())
		if steps = nth; hidden && shown {
			break
		}
	}
	require.Greater(t, steps, int64(6), "statements and calls of hiding")
	writes := func(one remnawavetest.Call) bool { return one.Method == http.MethodPatch && one.Path == "/api/hosts" }
	require.True(t, slices.ContainsFunc(h.there.Calls(), writes))
}
