package core

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/xtls/xray-core/app/stats"
	"github.com/xtls/xray-core/common/protocol"
	xray "github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/features/inbound"
	"github.com/xtls/xray-core/features/routing"
	featstats "github.com/xtls/xray-core/features/stats"
	"github.com/xtls/xray-core/proxy"

	"panel/platform/agentapi"
)

// mostAdded is how many clients an inbound of Shadowsocks 2022 takes while it runs: with each it prepares all of them
// anew.
const mostAdded = 64

// roster keeps the clients of a running core as the lists of the node name them.
type roster struct {
	dir   string // of the lists
	in    []listed
	meter *meter

	mu        sync.Mutex
	core      *xray.Instance
	admission *admission
	stored    inForce
	behind    bool // the core has to be exchanged, so that it lets in all of them
	expiry    *time.Timer

	view sync.RWMutex // of held, which is changed with both locks
	held lists        // in force
}

// newRoster begins with what the node holds. Lists that cannot be read count as none: the agent brings them again.
func newRoster(raw []byte, dir string, limits map[string]int64) *roster {
	stored, err := readLists(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		stored = inForce{lists: lists{}, at: map[string]agentapi.ListPosition{}}
	}
	r := &roster{dir: dir, in: listedIn(raw), meter: newMeter(limits), stored: stored}
	r.held = r.admitted(time.Now())
	return r
}

// attach takes the core that was made with the clients.
func (r *roster) attach(core *xray.Instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.core = core
	r.meter.counters, _ = core.GetFeature(featstats.ManagerType()).(*stats.Manager)
	if r.admission, _ = core.GetFeature(routing.DispatcherType()).(*admission); r.admission != nil {
		r.admission.admits = r.admits
	}
}

// admits says whether and on what terms a user may begin a stream. Users that no list names are those of the
// configuration.
func (r *roster) admits(email string) terms {
	flowID, clientID := agentapi.ClientOfEmail(email)
	if clientID == "" || !slices.ContainsFunc(r.in, func(in listed) bool { return in.FlowID == flowID }) {
		return terms{admitted: true}
	}
	r.view.RLock()
	client, there := r.held[flowID][clientID]
	r.view.RUnlock()
	counted, over := r.meter.enter(email)
	return terms{admitted: there && !over, counted: counted, clientID: clientID, limits: client.Limits}
}

// admitted are those of the lists whose time has not ended and who have not reached their limits.
func (r *roster) admitted(now time.Time) lists {
	live := make(lists, len(r.stored.lists))
	for flow, clients := range r.stored.lists {
		live[flow] = make(map[string]agentapi.Client, len(clients))
		for id, client := range clients {
			if r.may(client, now) {
				live[flow][id] = client
			}
		}
	}
	return live
}

func (r *roster) may(client agentapi.Client, now time.Time) bool {
	return (client.Expires.IsZero() || now.Before(client.Expires)) && !r.meter.isOver(client.ID)
}

// follow has the core let in whom the lists of the node name now, and ends the streams of everybody else whom they
// named before. Changes spare it to read all lists, where it knows all before them. Behind says that the core must be
// exchanged to let in all of them.
func (r *roster) follow(changes []agentapi.ClientChanges) (behind bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(changes) > 0 && r.knows(changes) {
		for i := range changes {
			err = errors.Join(err, r.change(&changes[i]))
		}
		return r.behind, err
	}
	stored, err := readLists(r.dir)
	if err != nil {
		return false, err
	}
	for flowID, clients := range r.stored.lists { // one that is named no more keeps its clients
		if _, named := stored.lists[flowID]; !named {
			stored.lists[flowID] = clients
		}
	}
	r.stored = stored
	return r.behind, r.renew()
}

// knows says whether the core has all that was before some changes.
func (r *roster) knows(changes []agentapi.ClientChanges) bool {
	at := maps.Clone(r.stored.at)
	for i := range changes {
		if changes[i].Fresh || at[changes[i].FlowID] != changes[i].From {
			return false
		}
		at[changes[i].FlowID] = changes[i].To
	}
	return true
}

// change follows changes of one list. The lock is held.
func (r *roster) change(changes *agentapi.ClientChanges) error {
	list := r.stored.lists[changes.FlowID]
	if list == nil {
		list = map[string]agentapi.Client{}
		r.stored.lists[changes.FlowID] = list
	}
	var ids []string
	for _, client := range changes.Clients {
		list[client.ID] = byClock(client, r.stored.skew)
		ids = append(ids, client.ID)
	}
	for _, id := range changes.Gone {
		delete(list, id)
		ids = append(ids, id)
	}
	r.stored.at[changes.FlowID] = changes.To
	return r.review(changes.FlowID, ids)
}

// renew brings who is let in up to date with the lists, the time and the limits. The lock is held.
func (r *roster) renew() error {
	now := time.Now()
	var problems []error
	for flowID, after := range r.admitted(now) {
		before := r.held[flowID]
		gone, came := changesOf(before, after)
		r.view.Lock()
		r.held[flowID] = after
		r.view.Unlock()
		problems = append(problems, r.exchange(flowID, gone, came))
		for id, client := range after {
			r.hold(flowID, before[id], client)
		}
	}
	r.expireAt(r.stored.lists.next(now), now)
	return errors.Join(problems...)
}

// reviewAll is review on all lists.
func (r *roster) reviewAll(clientIDs []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var problems []error
	for flowID := range r.stored.lists {
		problems = append(problems, r.review(flowID, clientIDs))
	}
	return errors.Join(problems...)
}

// review is renew for some clients of a list. The lock is held.
func (r *roster) review(flowID string, clientIDs []string) error {
	var gone, came, others []agentapi.Client
	now, ends := time.Now(), false
	r.view.Lock()
	if r.held[flowID] == nil {
		r.held[flowID] = map[string]agentapi.Client{}
	}
	for _, id := range clientIDs {
		client, named := r.stored.lists[flowID][id]
		before, was := r.held[flowID][id]
		ends = ends || !client.Expires.IsZero()
		may := named && r.may(client, now)
		same := was && may && sameSecret(before, client)
		if was && !same {
			gone = append(gone, before)
			delete(r.held[flowID], id)
		}
		if may {
			r.held[flowID][id] = client
		}
		if same && before.Limits != client.Limits {
			others = append(others, before)
		}
		if may && !same {
			came = append(came, client)
		}
	}
	r.view.Unlock()
	if ends {
		r.expireAt(r.stored.lists.next(now), now)
	}
	for _, before := range others {
		r.hold(flowID, before, r.stored.lists[flowID][before.ID])
	}
	return r.exchange(flowID, gone, came)
}

// hold has the streams of a client who is let in as before keep to its limits of now. Those that were begun under wider
// ones end, for they may pass through the kernel, or come from too many addresses; programs open them again at once.
func (r *roster) hold(flowID string, before, now agentapi.Client) {
	if r.admission == nil || before.ID != now.ID || before.Limits == now.Limits || !sameSecret(before, now) {
		return
	}
	r.admission.limits.Change(now.ID, now.Limits)
	if now.Limits.Tighter(before.Limits) {
		r.admission.end(agentapi.ClientEmail(flowID, now.ID), false)
	}
}

// limit takes limits of clients. Whoever gets the first one is counted from now on as its bytes pass; streams that the
// kernel carries for it end.
func (r *roster) limit(to *limitsRequest) error {
	changed, fresh := r.meter.set(to)
	if r.admission != nil {
		for _, clientID := range fresh {
			for _, email := range r.meter.emailsOf(clientID) {
				r.admission.end(email, true)
			}
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return r.reviewAll(changed)
}

// watch puts out who reaches its limit, until the core ends.
func (r *roster) watch(ended <-chan struct{}) {
	tick := time.NewTicker(meterPause)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		if reached := r.meter.look(); len(reached) > 0 {
			if err := r.reviewAll(reached); err != nil {
				fmt.Fprintln(os.Stderr, "put out clients at their limits:", err)
			}
		}
	}
}

func (r *roster) exchange(flowID string, gone, came []agentapi.Client) error {
	r.putOut(flowID, gone)
	return r.letIn(flowID, came)
}

// changesOf are those who are out now, also of their former secret, and those who are in.
func changesOf(before, after map[string]agentapi.Client) (gone, came []agentapi.Client) {
	for id, client := range before {
		if still, there := after[id]; !there || !sameSecret(client, still) {
			gone = append(gone, client)
		}
	}
	for id, client := range after {
		if was, there := before[id]; !there || !sameSecret(was, client) {
			came = append(came, client)
		}
	}
	return gone, came
}

func sameSecret(a, b agentapi.Client) bool {
	return a.UUID == b.UUID && a.Own == b.Own && string(a.Key) == string(b.Key)
}

// expireAt looks again when the time of the next client ends. The clock may be set, so it is looked at once a minute.
func (r *roster) expireAt(at, now time.Time) {
	if r.expiry != nil {
		r.expiry.Stop()
	}
	if at.IsZero() {
		return
	}
	r.expiry = time.AfterFunc(min(at.Sub(now), time.Minute), func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if err := r.renew(); err != nil {
			fmt.Fprintln(os.Stderr, "end the time of clients:", err)
		}
	})
}

func (r *roster) putOut(flowID string, gone []agentapi.Client) {
	for _, in := range r.in {
		if manager := r.manager(in); in.FlowID == flowID && manager != nil && in.protocol != "shadowsocks" {
			for _, client := range gone {
				_ = manager.RemoveUser(context.Background(), agentapi.ClientEmail(flowID, client.ID)) // it may be gone
			}
		}
	}
	if r.admission == nil {
		return
	}
	for _, client := range gone {
		r.admission.end(agentapi.ClientEmail(flowID, client.ID), false)
	}
}

func (r *roster) letIn(flowID string, came []agentapi.Client) error {
	if len(came) == 0 {
		return nil
	}
	var problems []error
	for _, in := range r.in {
		if manager := r.manager(in); in.FlowID == flowID && manager != nil {
			problems = append(problems, r.addTo(manager, in, came))
		}
	}
	return errors.Join(problems...)
}

// addTo adds clients to an inbound. Who was put out of one of Shadowsocks 2022 is still known to it: it calls its
// users by their numbers, which the removal of one would give to others while they connect.
func (r *roster) addTo(manager proxy.UserManager, in listed, came []agentapi.Client) error {
	if in.protocol == "shadowsocks" && len(came) > mostAdded {
		r.behind = true
		return nil
	}
	members, err := in.members(came)
	if err != nil {
		return fmt.Errorf("make the clients of the inbound %s: %w", in.tag, err)
	}
	for _, member := range members {
		if err := r.add(manager, in, member); err != nil {
			return fmt.Errorf("add a client to the inbound %s: %w", in.tag, err)
		}
	}
	return nil
}

func (r *roster) add(manager proxy.UserManager, in listed, member *protocol.MemoryUser) error {
	ctx := context.Background()
	known := manager.GetUser(ctx, member.Email)
	switch {
	case known == nil:
		return manager.AddUser(ctx, member)
	case known.Account.Equals(member.Account):
		return nil
	case in.protocol == "shadowsocks":
		r.behind = true
		return nil
	}
	if err := manager.RemoveUser(ctx, member.Email); err != nil {
		return err
	}
	return manager.AddUser(ctx, member)
}

// manager knows the users of an inbound; nil while there is none.
func (r *roster) manager(in listed) proxy.UserManager {
	if r.core == nil {
		return nil
	}
	all, ok := r.core.GetFeature(inbound.ManagerType()).(inbound.Manager)
	if !ok {
		return nil
	}
	handler, err := all.GetHandler(context.Background(), in.tag)
	if err != nil {
		return nil
	}
	return managerOf(handler)
}
