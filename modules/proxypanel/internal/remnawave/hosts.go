package remnawave

import (
	"context"
	"net/http"
	"slices"
)

// HostState is a host as it stands there: a public endpoint of an inbound.
type HostState struct {
	ID          string   `json:"uuid"`
	Remark      string   `json:"remark"`
	Address     string   `json:"address"`
	Port        int      `json:"port"`
	SNI         string   `json:"sni"`
	Host        string   `json:"host"`
	Path        string   `json:"path"`
	Fingerprint string   `json:"fingerprint"`
	Disabled    bool     `json:"isDisabled"`
	Tags        []string `json:"tags"`
	Nodes       []string `json:"nodes"`
	Inbound     struct {
		ProfileID string `json:"configProfileUuid"`
		InboundID string `json:"configProfileInboundUuid"`
	} `json:"inbound"`
}

// Bears says whether the host has a tag.
func (h HostState) Bears(tag string) bool { return slices.Contains(h.Tags, tag) }

// HostWrite is what is written of a host. Fields that are nil stay as they are. Disabled is always sent: the panel
// takes its absence for false, and enables the host.
type HostWrite struct {
	Remark      *string   `json:"remark,omitempty"`
	Address     *string   `json:"address,omitempty"`
	Port        *int      `json:"port,omitempty"`
	SNI         *string   `json:"sni,omitempty"`
	Path        *string   `json:"path,omitempty"`
	Fingerprint *string   `json:"fingerprint,omitempty"`
	Disabled    bool      `json:"isDisabled"`
	Tags        *[]string `json:"tags,omitempty"`
	Nodes       *[]string `json:"nodes,omitempty"`
	Inbound     *HostAt   `json:"inbound,omitempty"`
}

// HostAt is the inbound that a host leads to.
type HostAt struct {
	ProfileID string `json:"configProfileUuid"`
	InboundID string `json:"configProfileInboundUuid"`
}

// HostStates gives all hosts. Error: *Problem.
func (c *Client) HostStates(ctx context.Context) (all []HostState, err error) {
	_, err = c.call(ctx, http.MethodGet, "/hosts", nil, &all)
	if err == nil && all == nil {
		err = &Problem{Cause: AnswerUnreadable, Status: http.StatusOK}
	}
	return all, err
}

// MakeHost makes a host. Error: *Problem.
func (c *Client) MakeHost(ctx context.Context, host HostWrite) (made HostState, err error) {
	_, err = c.call(ctx, http.MethodPost, "/hosts", host, &made)
	return made, identified(err, made.ID)
}

// ChangeHost changes what is given of a host, and whether it is disabled. Error: *Problem; Gone.
func (c *Client) ChangeHost(ctx context.Context, id string, to HostWrite) (now HostState, err error) {
	body := struct {
		ID string `json:"uuid"`
		HostWrite
	}{id, to}
	_, err = c.call(ctx, http.MethodPatch, "/hosts", body, &now)
	return now, identified(err, now.ID)
}

// DropHost removes a host; one that is not there is removed. Error: *Problem.
func (c *Client) DropHost(ctx context.Context, id string) error { return c.drop(ctx, "/hosts/"+id) }
