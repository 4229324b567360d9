package remnawave

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
)

// What the panel makes, changes and removes at the other one. The paths and bodies are those of all majors that have
// a dialect. Each call is one question; what is read before and after it is the business of who writes.

// ProfileState is a profile as it stands there.
type ProfileState struct {
	ID       string          `json:"uuid"`
	Name     string          `json:"name"`
	Config   json.RawMessage `json:"config"`
	Inbounds []InboundState  `json:"inbounds"`
}

// InboundState is an inbound that became an object there. Its id lasts as long as its tag.
type InboundState struct {
	ID        string `json:"uuid"`
	ProfileID string `json:"profileUuid"`
	Tag       string `json:"tag"`
}

// IDs gives the ids of a profile's inbounds by their tags.
func (p ProfileState) IDs() map[string]string {
	ids := make(map[string]string, len(p.Inbounds))
	for _, one := range p.Inbounds {
		ids[one.Tag] = one.ID
	}
	return ids
}

// Codes of refusals that name what is taken: the name of a profile, the tag of an inbound anywhere in the panel.
const (
	codeProfileName = "A114"
	codeInboundTag  = "A113"
)

// NameTaken says whether another profile has the name, TagTaken whether an inbound of another profile has a tag.
func NameTaken(err error) bool { return Is(err, http.StatusConflict, codeProfileName) }

// TagTaken says whether an inbound of another profile has a tag.
func TagTaken(err error) bool { return Is(err, http.StatusConflict, codeInboundTag) }

// Gone says whether the panel has no such object. An address that it does not know at all has no code.
func Gone(err error) bool {
	var p *Problem
	return errors.As(err, &p) && p.Status == http.StatusNotFound && p.Code != ""
}

// Unclear says whether a call may have been done although it failed: no answer came, or one that hides what happened.
func Unclear(err error) bool {
	var p *Problem
	return errors.As(err, &p) && (p.Status == 0 && p.Cause != SlowDown || p.Status >= http.StatusInternalServerError)
}

// Profiles gives all profiles with their configurations. Error: *Problem.
func (c *Client) Profiles(ctx context.Context) ([]ProfileState, error) {
	var answer struct {
		Profiles []ProfileState `json:"configProfiles"`
	}
	_, err := c.call(ctx, http.MethodGet, "/config-profiles", nil, &answer)
	if err == nil && answer.Profiles == nil {
		err = &Problem{Cause: AnswerUnreadable, Status: http.StatusOK}
	}
	return answer.Profiles, err
}

// MakeProfile makes a profile. The panel hides why it refuses a configuration here; SetProfile is told.
// Error: *Problem.
func (c *Client) MakeProfile(ctx context.Context, name string, config json.RawMessage) (made ProfileState, err error) {
	_, err = c.call(ctx, http.MethodPost, "/config-profiles", map[string]any{"name": name, "config": config}, &made)
	return made, identified(err, made.ID)
}

// SetProfile replaces the configuration of a profile. Each node that runs it starts its core anew. Error: *Problem,
// whose Detail says what is wrong with a configuration.
func (c *Client) SetProfile(ctx context.Context, id string, config json.RawMessage) (now ProfileState, err error) {
	_, err = c.call(ctx, http.MethodPatch, "/config-profiles", map[string]any{"uuid": id, "config": config}, &now)
	return now, identified(err, now.ID)
}

// NameProfile gives a profile another name. Error: *Problem.
func (c *Client) NameProfile(ctx context.Context, id, name string) error {
	_, err := c.call(ctx, http.MethodPatch, "/config-profiles", map[string]any{"uuid": id, "name": name}, nil)
	return err
}

// DropProfile removes a profile; one that is not there is removed. Error: *Problem.
func (c *Client) DropProfile(ctx context.Context, id string) error {
	return c.drop(ctx, "/config-profiles/"+id)
}

func (c *Client) drop(ctx context.Context, path string) error {
	_, err := c.call(ctx, http.MethodDelete, path, nil, nil)
	if Gone(err) {
		return nil
	}
	return err
}

// identified is the error of an answer that names no object.
func identified(err error, id string) error {
	if err == nil && id == "" {
		return &Problem{Cause: AnswerUnreadable, Status: http.StatusOK}
	}
	return err
}
