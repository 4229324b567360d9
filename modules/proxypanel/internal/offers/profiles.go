package offers

import (
	"context"
	"encoding/json"

	"panel/modules/proxypanel/internal/mapping"
	"panel/modules/proxypanel/internal/profile"
	"panel/modules/proxypanel/internal/remnawave"
)

// writeProfile sees to it that our profile of a node holds the parts of the rows, and gives the ids of its inbounds by
// their tags. One that stands as it should is not written: to write it restarts the core there. Error: *Changed where
// somebody else has written to it.
func (p *pass) writeProfile(ctx context.Context, m *mapping.Mapping, stay []*row) (map[string]string, error) {
	config, err := profile.Build(partsOf(stay))
	if err != nil {
		return nil, err
	}
	there, err := p.ours(ctx, m)
	if err != nil {
		return nil, err
	}
	sum := remnawave.SumOf(config)
	if there != nil && m.SentSum == sum && m.Intended == "" && !p.force[objectOf(kindProfile, m.PanelNodeID)] {
		return there.IDs(), nil
	}
	if there == nil {
		if there, err = p.makeProfile(ctx, m, stay); err != nil {
			return nil, err
		}
	}
	if err := p.intend(ctx, m, config); err != nil {
		return nil, err
	}
	err = p.write(ctx, "write the profile "+m.ProfileName, func() (failed error) {
		*there, failed = p.at.Client.SetProfile(ctx, there.ID, config)
		return failed
	})
	if err != nil {
		return nil, err
	}
	return there.IDs(), p.wrote(ctx, m, there, sum)
}

// ours finds our profile of a node, nil where there is none. Error: *Changed where it is not as we have left it.
func (p *pass) ours(ctx context.Context, m *mapping.Mapping) (*remnawave.ProfileState, error) {
	there := p.profile(m.ProfileID)
	if there == nil {
		for i := range p.profiles {
			if p.profiles[i].Name == m.ProfileName {
				there = &p.profiles[i]
			}
		}
	}
	if there == nil {
		return nil, p.forget(ctx, m)
	}
	if p.force[objectOf(kindProfile, m.PanelNodeID)] {
		return there, nil
	}
	for _, column := range []string{"written", "intended"} {
		config, err := p.Mappings.Open(m, column)
		if err != nil {
			return nil, err
		}
		if config != nil && (profile.Same(config, there.Config) || barely(config, there.Config)) {
			return there, nil
		}
	}
	return nil, &Changed{p.at.Label, "profile", there.Name, "was changed by somebody else"}
}

// barely says whether a profile is what makeProfile leaves of a configuration that it is to get.
func barely(config, there json.RawMessage) bool {
	var given struct {
		Inbounds []json.RawMessage `json:"inbounds"`
	}
	if json.Unmarshal(config, &given) != nil {
		return false
	}
	var parts []profile.Part
	for _, one := range given.Inbounds {
		var named struct {
			Tag string `json:"tag"`
		}
		_ = json.Unmarshal(one, &named)
		parts = append(parts, profile.Part{Tag: named.Tag, Inbound: one})
	}
	bare, err := profile.Minimal(parts)
	return err == nil && profile.Same(bare, there)
}

// makeProfile makes our profile, bare: what is wrong with a configuration is told only to who changes one. It is noted
// before it is asked for, and looked for where the answer hides whether it was made.
func (p *pass) makeProfile(ctx context.Context, m *mapping.Mapping, stay []*row) (*remnawave.ProfileState, error) {
	config, err := profile.Build(partsOf(stay))
	if err != nil {
		return nil, err
	}
	bare, err := profile.Minimal(partsOf(stay))
	if err != nil {
		return nil, err
	}
	if err := p.intend(ctx, m, config); err != nil {
		return nil, err
	}
	var made remnawave.ProfileState
	var refusal error
	err = p.write(ctx, "make the profile "+m.ProfileName, func() error {
		made, refusal = p.at.Client.MakeProfile(ctx, m.ProfileName, bare)
		return refusal
	})
	switch {
	case remnawave.NameTaken(refusal):
		return nil, &Changed{p.at.Label, "profile", m.ProfileName, "is somebody else's and has the name of ours"}
	case remnawave.TagTaken(refusal):
		return nil, &Changed{p.at.Label, "profile", m.ProfileName, "cannot be made: another one has an inbound with a tag of ours"}
	case remnawave.Unclear(refusal):
		if found := p.lookFor(ctx, m); found != nil {
			return found, nil
		}
		return nil, err
	case err != nil:
		return nil, err
	}
	p.profiles = append(p.profiles, made)
	m.ProfileID = made.ID
	return &p.profiles[len(p.profiles)-1], p.Mappings.Save(ctx, m, "profile_id")
}

// lookFor looks for our profile after a call whose end is not known.
func (p *pass) lookFor(ctx context.Context, m *mapping.Mapping) *remnawave.ProfileState {
	all, err := p.at.Client.Profiles(ctx)
	if err != nil {
		return nil
	}
	p.profiles = all
	found, err := p.ours(ctx, m)
	if err != nil {
		return nil
	}
	return found
}

// intend notes a configuration that is about to be written.
func (p *pass) intend(ctx context.Context, m *mapping.Mapping, config json.RawMessage) error {
	m.Intended = p.Mappings.Seal(m, "intended", config)
	return p.Mappings.Save(ctx, m, "intended")
}

// wrote notes what the proxy panel has made of what was sent.
func (p *pass) wrote(ctx context.Context, m *mapping.Mapping, there *remnawave.ProfileState, sum string) error {
	m.ProfileID, m.Intended, m.SentSum = there.ID, "", sum
	m.Written, m.WrittenSum = p.Mappings.Seal(m, "written", there.Config), remnawave.SumOf(there.Config)
	return p.Mappings.Save(ctx, m, "profile_id", "intended", "sent_sum", "written", "written_sum")
}

// forget notes that there is no profile of ours.
func (p *pass) forget(ctx context.Context, m *mapping.Mapping) error {
	if m.ProfileID == "" && m.Written == "" && m.Intended == "" {
		return nil
	}
	m.ProfileID, m.Intended, m.SentSum, m.Written, m.WrittenSum = "", "", "", "", ""
	return p.Mappings.Save(ctx, m, "profile_id", "intended", "sent_sum", "written", "written_sum")
}
