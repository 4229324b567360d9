package lookups

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/fault"
	"panel/platform/jobs"
)

const (
	// FollowKind is the job that brings a lookup to its end.
	FollowKind = "abuse.lookup"
	// TidyKind is the job that ends what nobody follows any more and lets old answers go; the schedule that inserts it
	// has the same name.
	TidyKind = "abuse.lookups_tidy"

	mostFollowed = 32 // at once by one panel
	lookEvery    = 300 * time.Millisecond
	onItsWay     = 5 * time.Second // that an answer may be on its way when an order has ended
	longestError = 300             // characters
)

type followArgs struct {
	LookupID string `json:"lookup_id"`
}

// Kind names the worker.
func (followArgs) Kind() string { return FollowKind }

type tidyArgs struct{}

// Kind names the worker.
func (tidyArgs) Kind() string { return TidyKind }

// Workers follow lookups and tidy up after them. They may be killed and run again at any point.
func (l *Lookups) Workers() []jobs.Worker {
	return []jobs.Worker{
		{Kind: FollowKind, Limit: mostFollowed, Work: jobs.Do(l.follow)},
		{Kind: TidyKind, Work: jobs.Do(func(ctx context.Context, _ jobs.Job, _ tidyArgs) error { return l.Tidy(ctx) })},
	}
}

// Schedule tidies in every mode: what names people goes in its time.
func Schedule() jobs.Schedule {
	return jobs.Schedule{
		Name: TidyKind, Cron: "*/10 * * * *", ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Args: func() jobs.Args { return tidyArgs{} },
	}
}

func (l *Lookups) follow(ctx context.Context, _ jobs.Job, args followArgs) error {
	for {
		over, err := l.step(ctx, args.LookupID)
		if err != nil || over {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.Clock.After(lookEvery):
		}
	}
}

// step takes the answers that have come, and tells whether the lookup is over.
func (l *Lookups) step(ctx context.Context, id string) (over bool, err error) {
	r, err := l.load(ctx, id, "")
	if gone(err) || err == nil && r.State != running {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	nodes, err := l.asked(ctx, id)
	if err != nil {
		return false, err
	}
	ids := make([]string, len(nodes))
	for i := range nodes {
		ids[i] = nodes[i].CommandID
	}
	results, err := l.Commands.Results(ctx, ids...)
	if err != nil {
		return false, fmt.Errorf("read what the entries of a lookup answered: %w", err)
	}
	if len(nodes) > 0 && len(results) == 0 && !l.late(r) {
		return false, nil
	}
	err = l.DB.InTx(ctx, func(ctx context.Context) error {
		r, err := l.load(ctx, id, "update of l")
		if gone(err) || err == nil && r.State != running {
			over = true
			return nil
		}
		if err != nil {
			return err
		}
		over, err = l.hear(ctx, r, results)
		return err
	})
	return over, err
}

func gone(err error) bool {
	var missing *fault.Fault
	return errors.As(err, &missing) && missing.Kind == fault.KindMissing
}

// late tells whether no answer can come any more.
func (l *Lookups) late(r *row) bool { return l.now().After(r.EndsBy.Add(onItsWay)) }

// asked are the entries that have not answered.
func (l *Lookups) asked(ctx context.Context, id string) ([]nodeRow, error) {
	nodes, err := l.nodes(ctx, id)
	return slices.DeleteFunc(nodes, func(n nodeRow) bool { return n.State != asked }), err
}

// hear settles the entries that have answered or will not, and the lookup when no other is left.
func (l *Lookups) hear(ctx context.Context, r *row, results map[string]nodesapi.Result) (over bool, err error) {
	nodes, err := l.asked(ctx, r.ID)
	if err != nil {
		return false, err
	}
	left := 0
	for i := range nodes {
		result, ended := results[nodes[i].CommandID]
		if !ended && !l.late(r) {
			left++
			continue
		}
		if err := l.settle(ctx, r, &nodes[i], result); err != nil {
			return false, err
		}
	}
	if left > 0 {
		return false, nil
	}
	return true, l.end(ctx, r)
}

func (l *Lookups) end(ctx context.Context, r *row) error {
	now := l.now()
	r.State, r.EndedAt = done, &now
	_, err := l.DB.In(ctx).NewUpdate().Model(r).Column("state", "ended_at").WherePK().Exec(ctx)
	return database.Fault(err, nil)
}

// settle writes down what became of one entry.
func (l *Lookups) settle(ctx context.Context, r *row, n *nodeRow, result nodesapi.Result) (err error) {
	var data agentapi.FindConnectionsData
	switch {
	case !result.OK:
		n.State, n.Error = unreachable, clipped(cmp.Or(result.Error, "the agent did not answer in time"))
	case json.Unmarshal(result.Data, &data) != nil:
		n.State, n.Error = unreachable, "the agent's answer cannot be read"
	case data.Since.IsZero():
		n.State = noRecord
	default:
		since := data.Since.UTC()
		n.State, n.Since, n.More = answered, &since, data.More
		if n.People, err = l.people(ctx, r, n, data.Lines); err != nil {
			return err
		}
	}
	_, err = l.DB.In(ctx).NewUpdate().Model(n).Column("state", "since", "more", "error", "people").WherePK().Exec(ctx)
	return database.Fault(err, nil)
}

func clipped(text string) string {
	runes := []rune(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), ""))
	return string(runes[:min(len(runes), longestError)])
}

// whom is a user of a flow.
type whom struct{ ref, flow string }

// people are whom the record of an entry names. No agent's word is taken about flows that it was not asked for, nor
// about users who never had one of these.
func (l *Lookups) people(
	ctx context.Context, r *row, n *nodeRow, lines []agentapi.ConnectionLine,
) ([]Person, error) {
	from, to := r.span()
	found, ids := map[whom]*Person{}, []string{}
	for i := range lines[:min(len(lines), mostLines)] {
		line := &lines[i]
		id, client := strings.CutPrefix(line.UserRef, "c:")
		begun := line.Minute.UTC()
		ended := begun.Add(time.Minute)
		if !client || !slices.Contains(n.FlowIDs, line.FlowID) || ended.Before(from) || begun.After(to) {
			continue
		}
		at := whom{line.UserRef, line.FlowID}
		if found[at] == nil {
			ids = append(ids, id)
			found[at] = &Person{
				UserRef: line.UserRef, FlowID: line.FlowID, NodeID: n.NodeID, FirstAt: begun, LastAt: ended,
				From: fromRecord, Exact: r.Dest != "" || r.DestPort != 0,
			}
		}
		found[at].take(line, begun, ended)
	}
	real, err := l.Clients.Among(ctx, n.FlowIDs, ids)
	if err != nil {
		return nil, fmt.Errorf("ask whose the flows of a lookup are: %w", err)
	}
	people := []Person{}
	for at, p := range found {
		if len(real[strings.TrimPrefix(at.ref, "c:")]) > 0 {
			people = append(people, *p)
		}
	}
	slices.SortFunc(people, likelier)
	if len(people) > mostPeople {
		people, n.More = people[:mostPeople], true
	}
	return people, l.describe(ctx, r, people)
}

const mostCount = 1_000_000 // connections of one user, flow and minute

func (p *Person) take(line *agentapi.ConnectionLine, begun, ended time.Time) {
	p.Connections += int64(max(1, min(line.Count, mostCount)))
	if begun.Before(p.FirstAt) {
		p.FirstAt = begun
	}
	if ended.After(p.LastAt) {
		p.LastAt = ended
	}
}

// mostTidied is how many lookups one run ends.
const mostTidied = 100

// Tidy ends the lookups that nobody followed to their end, and lets those go whose answers are kept no longer.
func (l *Lookups) Tidy(ctx context.Context) error {
	var ids []string
	err := l.DB.In(ctx).NewRaw("select id from abuse_lookups where state = ? and ends_by < ? order by ends_by limit ?",
		running, l.now().Add(-2*onItsWay), mostTidied).Scan(ctx, &ids)
	if err != nil {
		return database.Fault(fmt.Errorf("look for lookups that are late: %w", err), nil)
	}
	for _, id := range ids {
		_, stepped := l.step(ctx, id)
		err = errors.Join(err, stepped)
	}
	_, kept, unset := l.Kept(ctx)
	if unset != nil {
		return errors.Join(err, unset)
	}
	_, forgot := l.DB.In(ctx).NewRaw("delete from abuse_lookups where asked_at < ?", l.now().Add(-kept)).Exec(ctx)
	return errors.Join(err, database.Fault(forgot, nil))
}
