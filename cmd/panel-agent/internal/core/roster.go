package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/xtls/xray-core/common/protocol"
	xray "github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/features/inbound"
	"github.com/xtls/xray-core/features/routing"
	"github.com/xtls/xray-core/proxy"

	"panel/platform/agentapi"
)

// mostAdded is how many clients an inbound of Shadowsocks 2022 takes while it runs: with each it prepares all of them
// anew.
const mostAdded = 64

// roster keeps the clients of a running core as the lists of the node name them.
type roster struct {
	dir string // of the lists
	in  []listed

	mu        sync.Mutex
	core      *xray.Instance
	admission *admission
	held      lists // in force
	behind    bool  // the core has to be exchanged, so that it lets in all of them
	expiry    *time.Timer
}

// newRoster begins with what the node holds. Lists that cannot be read count as none: the agent brings them again.
func newRoster(raw []byte, dir string) *roster {
	held, err := readLists(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return &roster{dir: dir, in: listedIn(raw), held: held.at(time.Now())}
}

// attach takes the core that was made with the clients.
func (r *roster) attach(core *xray.Instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.core = core
	r.admission, _ = core.GetFeature(routing.DispatcherType()).(*admission)
}

// follow has the core let in whom the lists of the node name now, and ends the streams of everybody else whom they
// named before. Behind says that the core must be exchanged to let in all of them.
func (r *roster) follow() (behind bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	stored, err := readLists(r.dir)
	if err != nil {
		return false, err
	}
	now := time.Now()
	var problems []error
	for flowID, after := range stored.at(now) {
		gone, came := changesOf(r.held[flowID], after)
		r.putOut(flowID, gone)
		problems = append(problems, r.letIn(flowID, came))
		r.held[flowID] = after
	}
	r.expireAt(stored.next(now), now)
	return r.behind, errors.Join(problems...)
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

func sameSecret(a, b agentapi.Client) bool { return a.UUID == b.UUID && string(a.Key) == string(b.Key) }

// expireAt looks again when the time of the next client ends. The clock may be set, so it is looked at once a minute.
func (r *roster) expireAt(at, now time.Time) {
	if r.expiry != nil {
		r.expiry.Stop()
	}
	if at.IsZero() {
		return
	}
	r.expiry = time.AfterFunc(min(at.Sub(now), time.Minute), func() {
		if _, err := r.follow(); err != nil {
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
		r.admission.put(agentapi.ClientEmail(flowID, client.ID))
	}
}

func (r *roster) letIn(flowID string, came []agentapi.Client) error {
	if len(came) == 0 {
		return nil
	}
	if r.admission != nil {
		for _, client := range came {
			r.admission.admit(agentapi.ClientEmail(flowID, client.ID))
		}
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
