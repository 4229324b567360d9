package offers

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/proxypanel/internal/mapping"
	"panel/modules/proxypanel/internal/profile"
	"panel/modules/proxypanel/internal/remnawave"
	"panel/platform/fault"
)

// Kinds of objects that drift.
const (
	kindProfile = remnawave.KindProfile
	kindNode    = remnawave.KindNode
	kindSquad   = remnawave.KindSquad
	kindHost    = remnawave.KindHost
)

// objectOf names what drifts: the profile and the node by the node's id there, an inbound that a squad lost by its
// part, a host by its mark.
func objectOf(kind, id string) string { return kind + "-" + id }

// Drift is one field of an object that is not there as it was written.
type Drift struct {
	bun.BaseModel `bun:"table:proxypanel_drifts,alias:d"`

	ConnectionID string    `bun:"connection_id,type:uuid" json:"-"`
	Object       string    `bun:"object" json:"object" doc:"What adopt and overwrite take"`
	Kind         string    `bun:"kind" json:"kind" enum:"profile,node,squad,host"`
	Name         string    `bun:"name" json:"name" doc:"Its name there"`
	NodeID       string    `bun:"node_id" json:"node_id" doc:"Node of ours that it is about"`
	Field        string    `bun:"field" json:"field" doc:"Path in the object; gone: the object is not there"`
	Ours         string    `bun:"ours" json:"ours" doc:"As it was written; *** for a secret; empty: not at all"`
	Theirs       string    `bun:"theirs" json:"theirs" doc:"As it is there"`
	Adoptable    bool      `bun:"adoptable" json:"adoptable" doc:"What is there may be taken over"`
	Since        time.Time `bun:"since" json:"since"`
}

// gone is the field of an object that is not there.
const gone = "gone"

// Look asks a proxy panel what stands there and gives what differs from what was written. What an apply is at work on
// is left out, and so is all where somebody writes just now: then quiet is false.
func (e *Engine) Look(ctx context.Context, connectionID string) (found []Drift, quiet bool, err error) {
	have, err := e.rows.ofConnection(ctx, connectionID)
	if err != nil {
		return nil, false, err
	}
	mappings, err := e.Mappings.Of(ctx, connectionID)
	if err != nil || len(mappings) == 0 {
		return []Drift{}, err == nil, err
	}
	at, err := e.Open(ctx, connectionID)
	if err != nil {
		return nil, false, err
	}
	defer at.Client.Close()
	p := &pass{Engine: e, at: at, force: map[string]bool{}}
	if err := p.read(ctx); err != nil {
		return nil, false, err
	}
	found = []Drift{}
	for i := range mappings {
		m := &mappings[i]
		all := slices.DeleteFunc(slices.Clone(have), func(r row) bool { return r.MappingID != m.ID })
		if err := p.note(ctx, m); err != nil {
			return nil, false, err
		}
		restless := func(r row) bool { return r.Phase != phaseSettled }
		if slices.ContainsFunc(all, restless) {
			continue
		}
		differs, err := p.differs(m, all)
		if err != nil {
			return nil, false, err
		}
		found = append(found, differs...)
	}
	quiet, err = e.unwritten(ctx, connectionID, have)
	return found, quiet, err
}

// unwritten says whether nobody has written while it was looked.
func (e *Engine) unwritten(ctx context.Context, connectionID string, before []row) (bool, error) {
	var writers int
	err := e.DB.In(ctx).NewRaw(
		"select count(*) from proxypanel_writers where connection_id = ? and until > clock_timestamp()", connectionID).
		Scan(ctx, &writers)
	if err != nil || writers > 0 {
		return false, kept(err)
	}
	after, err := e.rows.ofConnection(ctx, connectionID)
	same := func(a, b row) bool { return a.ID == b.ID && a.Phase == b.Phase && a.UpdatedAt.Equal(b.UpdatedAt) }
	return slices.EqualFunc(before, after, same), err
}

// note writes down how the node of a mapping is there.
func (p *pass) note(ctx context.Context, m *mapping.Mapping) error {
	node := p.node(m.PanelNodeID)
	if node == nil {
		var missing *Missing
		if err := p.lost(ctx, m); !errors.As(err, &missing) {
			return err
		}
		return nil
	}
	written := m.SeenAt
	if err := p.seen(ctx, m, node); err != nil {
		return err
	}
	m.SeenAt = written // what was written last is told by it
	return p.Mappings.Save(ctx, m, "seen_at")
}

// differs compares what was written for a node there with what stands.
func (p *pass) differs(m *mapping.Mapping, all []row) (found []Drift, err error) {
	add := func(kind, id, name, field, ours, theirs string) {
		found = append(found, Drift{
			ConnectionID: m.ConnectionID, Object: objectOf(kind, id), Kind: kind, Name: name, NodeID: m.NodeID,
			Field: field, Ours: ours, Theirs: theirs, Adoptable: kind == kindHost && field == "remark",
		})
	}
	node := p.node(m.PanelNodeID)
	if node == nil {
		add(kindNode, m.PanelNodeID, m.Name, gone, m.Name, "")
	}
	if len(all) == 0 {
		return found, nil
	}
	there := p.profile(m.ProfileID)
	if there == nil {
		add(kindProfile, m.PanelNodeID, m.ProfileName, gone, m.ProfileName, "")
	} else if err := p.profileDiffers(m, there, add); err != nil {
		return nil, err
	}
	if node != nil && there != nil {
		p.nodeDiffers(m, node, all, add)
	}
	for i := range all {
		p.squadsDiffer(&all[i], add)
		p.hostDiffers(&all[i], add)
	}
	return found, nil
}

type adding func(kind, id, name, field, ours, theirs string)

func (p *pass) profileDiffers(m *mapping.Mapping, there *remnawave.ProfileState, add adding) error {
	if there.Name != m.ProfileName {
		add(kindProfile, m.PanelNodeID, there.Name, "name", m.ProfileName, there.Name)
	}
	config, err := p.Mappings.Open(m, "written")
	if err != nil {
		return err
	}
	for _, one := range profile.Compare(config, there.Config) {
		add(kindProfile, m.PanelNodeID, there.Name, strings.Trim(one.Name+" "+one.Field, " "), one.Ours, one.Theirs)
	}
	return nil
}

func (p *pass) nodeDiffers(m *mapping.Mapping, node *remnawave.NodeState, all []row, add adding) {
	if node.Runs.ProfileID != m.ProfileID {
		name := node.Runs.ProfileID
		if other := p.profile(name); other != nil {
			name = other.Name
		}
		add(kindNode, m.PanelNodeID, node.Name, "profile", m.ProfileName, name)
		return
	}
	for i := range all {
		if !slices.Contains(node.InboundIDs(), all[i].InboundID) {
			add(kindNode, m.PanelNodeID, node.Name, "inbound "+all[i].Tag, "active", "")
		}
	}
}

func (p *pass) squadsDiffer(r *row, add adding) {
	for _, id := range r.content.Squads {
		squad := p.squad(id)
		switch {
		case squad == nil:
			add(kindSquad, r.ID, id, gone, id, "")
		case !slices.Contains(squad.InboundIDs(), r.InboundID):
			add(kindSquad, r.ID, squad.Name, "inbound "+r.Tag, squad.Name, "")
		}
	}
}

func (p *pass) hostDiffers(r *row, add adding) {
	there := p.host(r)
	to := r.endpoint()
	if there == nil {
		add(kindHost, r.Mark, to.Remark, gone, to.Remark, "")
		return
	}
	for _, one := range []struct{ field, ours, theirs string }{
		{"remark", to.Remark, there.Remark},
		{"address", to.Address, there.Address},
		{"port", strconv.Itoa(to.Port), strconv.Itoa(there.Port)},
		{"sni", to.SNI, there.SNI},
		{"path", to.Path, there.Path},
		{"inbound", r.InboundID, there.Inbound.InboundID},
	} {
		// What we leave to the proxy panel may be anything there.
		if one.ours != one.theirs && one.ours != "" {
			add(kindHost, r.Mark, there.Remark, one.field, one.ours, one.theirs)
		}
	}
}

var (
	errNoDrift      = fault.Missing("nothing of this object differs")
	errNotAdoptable = fault.Conflict("drift_not_adoptable",
		"what differs of this object cannot be taken over; overwrite it, or change the flow")
	// ErrBusy says that an apply is at work there.
	ErrBusy = fault.Conflict("proxy_panel_busy", "the panel is writing to this proxy panel just now; try again")
)

// find gives what is known to differ of an object. Fault: not_found (404).
func (e *Engine) find(ctx context.Context, connectionID, object string) ([]Drift, error) {
	var found []Drift
	err := e.DB.In(ctx).NewSelect().Model(&found).Where("connection_id = ? and object = ?", connectionID, object).Scan(ctx)
	if err == nil && len(found) == 0 {
		err = errNoDrift
	}
	return found, err
}

// Adopt takes over what others have written there: the remark of a host. Until the drawing names another one it holds.
// Faults: not_found (404), drift_not_adoptable (409).
func (e *Engine) Adopt(ctx context.Context, connectionID, object string) error {
	return e.DB.InTx(ctx, func(ctx context.Context) error {
		found, err := e.find(ctx, connectionID, object)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(found, func(d Drift) bool { return !d.Adoptable }) {
			return errNotAdoptable
		}
		have, err := e.rows.ofConnection(ctx, connectionID)
		if err != nil {
			return err
		}
		for i := range have {
			r := &have[i]
			if objectOf(kindHost, r.Mark) != object {
				continue
			}
			if r.Remark, err = json.Marshal(adopted{r.content.Endpoint.Remark, found[0].Theirs}); err != nil {
				return err
			}
			r.tell(r.endpoint())
			if err := e.rows.save(ctx, r); err != nil {
				return err
			}
		}
		_, err = e.DB.In(ctx).NewDelete().Model((*Drift)(nil)).
			Where("connection_id = ? and object = ?", connectionID, object).Exec(ctx)
		return kept(err)
	})
}

// Overwrite writes an object there again as we hold it. Faults: not_found (404), proxy_panel_busy (409).
func (e *Engine) Overwrite(ctx context.Context, connectionID, object string) error {
	found, err := e.find(ctx, connectionID, object)
	if err != nil {
		return err
	}
	err = e.pass(ctx, connectionID, func(ctx context.Context, p *pass) error {
		p.force[object] = true
		at, err := e.Mappings.On(ctx, connectionID, []string{found[0].NodeID})
		if err != nil || at[found[0].NodeID] == nil {
			return err
		}
		m := at[found[0].NodeID]
		all, err := e.rows.ofMapping(ctx, m.ID)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(r row) bool { return r.Phase != phaseSettled }) {
			return ErrBusy
		}
		return p.again(ctx, m, all, found[0])
	})
	if errors.Is(err, errBusy) || errors.Is(err, errLost) {
		return ErrBusy
	}
	return err
}

// again writes what is held of an object.
func (p *pass) again(ctx context.Context, m *mapping.Mapping, all []row, d Drift) error {
	switch d.Kind {
	case kindProfile:
		return p.profileAgain(ctx, m, all)
	case kindNode:
		return p.nodeAgain(ctx, m, all)
	}
	for i := range all {
		r := &all[i]
		if d.Kind == kindSquad && objectOf(kindSquad, r.ID) == d.Object {
			return p.admit(ctx, r)
		}
		if d.Kind != kindHost || objectOf(kindHost, r.Mark) != d.Object {
			continue
		}
		if err := p.raise(ctx, m, r); err != nil {
			return err
		}
		r.HostSent = nil // all that differs is written
		_, err := p.lead(ctx, m, r)
		return err
	}
	return nil
}

func (p *pass) profileAgain(ctx context.Context, m *mapping.Mapping, all []row) error {
	if there := p.profile(m.ProfileID); there != nil && there.Name != m.ProfileName {
		err := p.write(ctx, "name the profile "+m.ProfileName, func() error {
			return p.at.Client.NameProfile(ctx, there.ID, m.ProfileName)
		})
		if err != nil {
			return err
		}
	}
	return p.bring(ctx, m, all, func(*row) bool { return false }, "")
}

func (p *pass) nodeAgain(ctx context.Context, m *mapping.Mapping, all []row) error {
	there := p.profile(m.ProfileID)
	if there == nil {
		return &Missing{p.at.Label, "profile", m.ProfileName}
	}
	stay := make([]*row, 0, len(all))
	for i := range all {
		stay = append(stay, &all[i])
	}
	return p.run(ctx, m, known(stay, there.IDs()))
}

// Clear puts back what a node there ran, where something of ours is left that no flow needs.
// Faults: proxy_panel_busy (409).
func (e *Engine) Clear(ctx context.Context, connectionID, panelNodeID string) error {
	all, err := e.Mappings.Of(ctx, connectionID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(m mapping.Mapping) bool { return m.PanelNodeID == panelNodeID })
	if i < 0 || all[i].ProfileID == "" && all[i].Intended == "" {
		return nil
	}
	err = e.pass(ctx, connectionID, func(ctx context.Context, p *pass) error {
		return p.bringAll(ctx, []string{all[i].ID}, func(*row) bool { return false }, "")
	})
	if errors.Is(err, errBusy) || errors.Is(err, errLost) {
		return ErrBusy
	}
	return err
}
