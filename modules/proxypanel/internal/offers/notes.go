package offers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"panel/modules/flows/flowsapi"
	"panel/modules/proxypanel/internal/mapping"
	"panel/platform/database"
)

// mostRemark is how long a remark may be there, in characters.
const mostRemark = 100

// wants gives what an apply wants of proxy panels: for each entry that one serves what its node runs, where users
// connect, and which squads get it.
func (e *Engine) wants(ctx context.Context, a flowsapi.Apply) ([]Wanted, error) {
	parts, err := e.Served(ctx, a.ID)
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	wanted := make([]Wanted, 0, len(parts))
	for _, part := range parts {
		i := slices.IndexFunc(a.Change.After, func(one flowsapi.Entry) bool { return one.Block == part.Block })
		if i < 0 {
			return nil, fmt.Errorf("the apply does not say where users connect to the entry %s", part.Block)
		}
		wanted = append(wanted, Wanted{
			Block: part.Block, NodeID: part.NodeID, ConnectionID: part.ConnectionID, Content: Content{
				Part: part.Part, Endpoint: endpointOf(a.Change.After[i], part.Remark, a.Change.FlowName),
				Squads: slices.Sorted(slices.Values(part.SquadIDs)),
			},
		})
	}
	return wanted, nil
}

// endpointOf is where users connect to an entry. Of a range of ports a host names the first.
func endpointOf(entry flowsapi.Entry, remark, flowName string) Endpoint {
	first, _, _ := strings.Cut(entry.Port, "-")
	port, _ := strconv.Atoi(first)
	remark = cmp.Or(remark, flowName)
	if runes := []rune(remark); len(runes) > mostRemark {
		remark = string(runes[:mostRemark])
	}
	return Endpoint{
		Remark: remark, Address: entry.Host, Port: port, SNI: entry.ServerName, Path: entry.Path, L4: entry.L4,
	}
}

// placed is what is wanted with the node there that runs it.
type placed struct {
	Wanted
	at *mapping.Mapping
}

// place finds the nodes there. Error: one that is adopted no more.
func (e *Engine) place(ctx context.Context, wanted []Wanted) ([]placed, error) {
	found := make([]placed, 0, len(wanted))
	for _, one := range wanted {
		at, err := e.Mappings.On(ctx, one.ConnectionID, []string{one.NodeID})
		if err != nil {
			return nil, err
		}
		if at[one.NodeID] == nil {
			return nil, fmt.Errorf("no node of the proxy panel is adopted for the node %s", one.NodeID)
		}
		found = append(found, placed{one, at[one.NodeID]})
	}
	return found, nil
}

// note writes down what an apply wants before anything is changed there. What it would take away stays until the
// commit.
func (e *Engine) note(ctx context.Context, a flowsapi.Apply, wanted []Wanted) error {
	return e.DB.InTx(ctx, func(ctx context.Context) error {
		have, err := e.rows.lockFlow(ctx, a.Change.FlowID)
		if err != nil {
			return err
		}
		all, err := e.place(ctx, wanted)
		if err != nil {
			return err
		}
		for _, one := range all {
			if err := e.noteOne(ctx, a, have, one); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e *Engine) noteOne(ctx context.Context, a flowsapi.Apply, have []row, one placed) error {
	for i := range have {
		r := &have[i]
		if r.Block != one.Block || r.MappingID != one.at.ID {
			continue
		}
		if r.of(a.ID) || same(r.content, one.Content) && r.Phase != phaseLeaving {
			return nil
		}
		if err := e.rows.remember(r); err != nil {
			return err
		}
		r.Phase, r.ApplyID, r.UpdatedAt = phaseOffered, &a.ID, e.now()
		if err := e.rows.set(r, one.Content); err != nil {
			return err
		}
		return e.rows.save(ctx, r)
	}
	elsewhere := func(r row) bool { return r.ConnectionID == one.ConnectionID && r.Tag == one.Part.Tag }
	phase := phaseOffered
	if slices.ContainsFunc(have, elsewhere) {
		phase = phaseHeld // a tag is there once in a whole proxy panel
	}
	now := e.now()
	r := &row{
		ID: database.NewID(), MappingID: one.at.ID, ConnectionID: one.ConnectionID, FlowID: a.Change.FlowID,
		Block: one.Block, Tag: one.Part.Tag, Mark: database.NewID(), Phase: phase, ApplyID: &a.ID, CreatedAt: now,
		UpdatedAt: now,
	}
	r.giveSquads(nil)
	if err := e.rows.set(r, one.Content); err != nil {
		return err
	}
	return e.rows.insert(ctx, r)
}

// takeBack notes that an apply is undone: what it changed is as before, and what it added leaves.
func (e *Engine) takeBack(ctx context.Context, a flowsapi.Apply) (touched []row, err error) {
	err = e.DB.InTx(ctx, func(ctx context.Context) error {
		have, err := e.rows.lockFlow(ctx, a.Change.FlowID)
		if err != nil {
			return err
		}
		for i := range have {
			r := &have[i]
			if !r.of(a.ID) {
				continue
			}
			if r.Before == "" {
				r.Phase = phaseLeaving
			} else if r.Phase != phaseUndoing {
				if err := e.rows.restore(r); err != nil {
					return err
				}
				r.Phase = phaseUndoing
			}
			r.UpdatedAt = e.now()
			if err := e.rows.save(ctx, r); err != nil {
				return err
			}
			touched = append(touched, *r)
		}
		return nil
	})
	return touched, err
}

// undone notes that an apply has left nothing behind.
func (e *Engine) undone(ctx context.Context, a flowsapi.Apply) error {
	return e.DB.InTx(ctx, func(ctx context.Context) error {
		have, err := e.rows.lockFlow(ctx, a.Change.FlowID)
		if err != nil {
			return err
		}
		for i := range have {
			r := &have[i]
			switch {
			case !r.of(a.ID):
				continue
			case r.Before == "":
				err = e.rows.remove(ctx, r.ID)
			default:
				r.Phase, r.Before, r.BeforePhase, r.ApplyID = r.BeforePhase, "", "", nil
				err = e.rows.save(ctx, r)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// commit notes that what an apply wants is installed, and that the rest of the flow leaves. A host goes with an entry
// that another node of the same proxy panel serves from now on.
func (e *Engine) commit(ctx context.Context, a flowsapi.Apply, wanted []Wanted) error {
	return e.DB.InTx(ctx, func(ctx context.Context) error {
		have, err := e.rows.lockFlow(ctx, a.Change.FlowID)
		if err != nil || len(have) == 0 {
			return err
		}
		all, err := e.place(ctx, wanted)
		if err != nil {
			return err
		}
		stays := func(r *row) bool {
			return slices.ContainsFunc(all, func(one placed) bool {
				return one.Block == r.Block && one.at.ID == r.MappingID
			})
		}
		for i := range have {
			r := &have[i]
			phase := phaseLeaving
			if stays(r) {
				phase = phaseCommitted
				e.inherit(r, have, stays)
			}
			if r.Phase == phaseSettled && phase == phaseCommitted {
				continue
			}
			r.Phase, r.Before, r.BeforePhase, r.ApplyID, r.UpdatedAt = phase, "", "", nil, e.now()
		}
		for i := range have {
			if err := e.rows.save(ctx, &have[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// inherit gives a row the host of the one that it replaces.
func (e *Engine) inherit(r *row, have []row, stays func(*row) bool) {
	for i := range have {
		old := &have[i]
		if r.HostID != "" || stays(old) || old.HostID == "" || old.Block != r.Block || old.ConnectionID != r.ConnectionID {
			continue
		}
		r.Mark, r.HostID, r.HostSent = old.Mark, old.HostID, old.HostSent
		r.Remark, r.EnabledAt = old.Remark, old.EnabledAt
		old.Mark, old.HostID, old.HostSent, old.EnabledAt = database.NewID(), "", nil, nil
	}
}

// settled notes that the rows of a flow stand as they are installed.
func (e *Engine) settled(ctx context.Context, flowID string, waiting map[string]bool) error {
	return e.DB.InTx(ctx, func(ctx context.Context) error {
		have, err := e.rows.lockFlow(ctx, flowID)
		if err != nil {
			return err
		}
		for i := range have {
			r := &have[i]
			switch {
			case r.Phase == phaseLeaving && r.ApplyID == nil:
				err = e.rows.remove(ctx, r.ID)
			case r.Phase == phaseCommitted && !waiting[r.ID]:
				r.Phase, r.UpdatedAt = phaseSettled, e.now()
				err = e.rows.save(ctx, r)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
