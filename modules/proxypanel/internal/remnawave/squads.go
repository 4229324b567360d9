package remnawave

import (
	"context"
	"net/http"
)

// SquadState is an internal squad as it stands there: users, and the inbounds that they get.
type SquadState struct {
	ID       string         `json:"uuid"`
	Name     string         `json:"name"`
	Inbounds []InboundState `json:"inbounds"`
}

// InboundIDs are the ids of the inbounds that the users of the squad get.
func (s SquadState) InboundIDs() []string {
	ids := make([]string, 0, len(s.Inbounds))
	for _, one := range s.Inbounds {
		ids = append(ids, one.ID)
	}
	return ids
}

// SquadStates gives all internal squads. Error: *Problem.
func (c *Client) SquadStates(ctx context.Context) ([]SquadState, error) {
	var answer struct {
		Squads []SquadState `json:"internalSquads"`
	}
	_, err := c.call(ctx, http.MethodGet, "/internal-squads", nil, &answer)
	if err == nil && answer.Squads == nil {
		err = &Problem{Cause: AnswerUnreadable, Status: http.StatusOK}
	}
	return answer.Squads, err
}

// SquadState gives one internal squad. Error: *Problem; Gone.
func (c *Client) SquadState(ctx context.Context, id string) (squad SquadState, err error) {
	_, err = c.call(ctx, http.MethodGet, "/internal-squads/"+id, nil, &squad)
	return squad, identified(err, squad.ID)
}

// SetSquad replaces the inbounds of a squad: who calls has read them before. Error: *Problem; Gone.
func (c *Client) SetSquad(ctx context.Context, id string, inbounds []string) error {
	_, err := c.call(ctx, http.MethodPatch, "/internal-squads", map[string]any{
		"uuid": id, "inbounds": append([]string{}, inbounds...),
	}, nil)
	return err
}
