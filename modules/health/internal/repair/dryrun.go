package repair

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/rules"
	"panel/modules/health/internal/verdict"
	"panel/modules/pools/poolsapi"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/database"
)

// DryRun is what self-repair would have done.
type DryRun struct {
	Days    int        `json:"days"`
	Cases   int        `json:"cases" doc:"How often a node came to need an act"`
	Actions int        `json:"actions" doc:"How often it would have been done"`
	Spared  int        `json:"spared" doc:"How often the budget, the cool-down the share of a pool or the last host would have kept it"`
	Nodes   int        `json:"nodes" doc:"Nodes that it would have been done to"`
	Items   []DryEvent `json:"items" doc:"The newest 100 of them, newest first"`
}

// DryEvent is one act that would have been done, or spared.
type DryEvent struct {
	At       time.Time `json:"at"`
	NodeID   string    `json:"node_id" format:"uuid"`
	NodeName string    `json:"node_name"`
	Act      string    `json:"action" enum:"restart_core,reapply_installed,withdraw_from_pool,switch_dns,hide_proxypanel_hosts"`
	State    string    `json:"state" enum:"approved,skipped"`
	Reason   string    `json:"reason" enum:",budget,cooldown,pool_share,last_host" doc:"Of skipped"`
}

const (
	dryDays    = 7      // how far back a dry run looks
	dryMost    = 100    // acts that it names
	dryChanges = 50_000 // changes of verdicts that it reads, the newest
)

// change is a change of a verdict of the last week.
type change struct {
	SubjectID, Name, PolicyID, State, Reason, Hint string

	Installed bool
	At        time.Time
}

// DryRun replays the changes of the last week by what a policy says, as if it had said auto: of the nodes of that
// policy, or of all where none is named. Pools and hosts are taken as they are now, and an act
// changes nothing of what happened. Whether the agent of a node that nobody reached was heard is not known any more, so
// that no name is counted as led elsewhere.
func (r *Repairs) DryRun(ctx context.Context, policyID string, repair rules.Repair) (DryRun, error) {
	var changes []change
	err := r.DB.In(ctx).NewRaw(`select subject_id, name, policy_id, state, reason, hint, at, installed
		from (select c.subject_id, s.name, s.policy_id, c.state, c.reason, c.hint, c.at, c.id,
				coalesce((s.layers ->> 'has_config')::boolean, false) as installed
			from health_changes c join health_states s on s.kind = c.kind and s.subject_id = c.subject_id
			where c.kind = ? and c.at > ? and ? in ('', s.policy_id::text) order by c.at desc, c.id desc limit ?) c
		order by c.at, c.id`, healthapi.Node, r.now().AddDate(0, 0, -dryDays), policyID, dryChanges).Scan(ctx, &changes)
	if err != nil {
		return DryRun{}, database.Fault(fmt.Errorf("read what happened last week: %w", err), nil)
	}
	nodes := map[string]bool{}
	for _, c := range changes {
		nodes[c.SubjectID] = true
	}
	about := make([]string, 0, len(nodes))
	for id := range nodes {
		about = append(about, id)
	}
	places, err := r.Pools.Places(ctx, about...)
	if err != nil {
		return DryRun{}, fmt.Errorf("ask which pools nodes are in: %w", err)
	}
	hosts, err := r.Hosts.Shown(ctx, about...)
	if err != nil {
		return DryRun{}, fmt.Errorf("ask which hosts lead to nodes: %w", err)
	}
	return replay(changes, around{places, hosts}, repair, r.now()), nil
}

// around is what leads to nodes now.
type around struct {
	places map[string][]poolsapi.Place
	hosts  map[string][]proxypanelapi.Host
}

// moment is when a node is looked at again in a replay.
type moment struct {
	at     time.Time
	change int
}

// replay decides at each change, and again whenever a node has cooled down while it was as it is.
func replay(changes []change, now around, repair rules.Repair, until time.Time) DryRun {
	out, nodes := DryRun{Days: dryDays, Items: []DryEvent{}}, map[string]bool{}
	repair.Mode = rules.Auto
	ends := untils(changes, until)
	queue := make([]moment, len(changes))
	for i, c := range changes {
		queue[i] = moment{c.At, i}
	}
	var past []Past
	kept := map[string]bool{} // what was spared in a case is counted once
	for len(queue) > 0 {
		m := queue[0]
		queue = queue[1:]
		c := changes[m.change]
		d := Decide(Case{Now: m.at, PolicyID: c.PolicyID, Repair: repair, Past: past, Subject: c.subject(now)})
		if d.Act == "" {
			continue
		}
		if d.State == Approved {
			past = append(past, Past{Subject: c.SubjectID, Policy: c.PolicyID, Act: d.Act, State: Succeeded, At: m.at})
			out.Actions++
			nodes[c.SubjectID] = true
		}
		key := fmt.Sprint(m.change, d.Act)
		if d.State == Approved || !kept[key] {
			out.Cases++
			out.Items = append(out.Items, DryEvent{m.at.UTC(), c.SubjectID, c.Name, d.Act, d.State, d.Reason})
		}
		if d.State == Skipped && !kept[key] {
			kept[key] = true
			out.Spared++
		}
		again := moment{m.at.Add(time.Duration(repair.Limits.CooldownS)*time.Second + time.Second), m.change}
		if again.at.Before(ends[m.change]) {
			at, _ := slices.BinarySearchFunc(queue, again, func(a, b moment) int { return a.at.Compare(b.at) })
			queue = slices.Insert(queue, at, again)
		}
	}
	out.Nodes = len(nodes)
	slices.SortStableFunc(out.Items, func(a, b DryEvent) int { return cmp.Compare(b.At.UnixNano(), a.At.UnixNano()) })
	out.Items = out.Items[:min(len(out.Items), dryMost)]
	return out
}

// untils gives until when the node of each change stayed as it was then.
func untils(changes []change, now time.Time) []time.Time {
	out, next := make([]time.Time, len(changes)), map[string]time.Time{}
	for i := len(changes) - 1; i >= 0; i-- {
		id := changes[i].SubjectID
		if out[i] = now; !next[id].IsZero() {
			out[i] = next[id]
		}
		next[id] = changes[i].At
	}
	return out
}

// subject is the node as it was. Whether its agent answered is known where the verdict says so.
func (c *change) subject(now around) Subject {
	return Subject{
		ID: c.SubjectID, State: c.State, Hint: c.Hint, Since: c.At,
		Heard: c.Hint == verdict.HintCore, Installed: c.Installed,
		Places: now.places[c.SubjectID], Hosts: now.hosts[c.SubjectID],
	}
}
