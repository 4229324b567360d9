// Package people acts on users of proxy panels, by their references.
package people

import (
	"context"
	"errors"
	"net/http"
	"time"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/fault"
)

// within bounds one act with the wait for its turn.
const within = 30 * time.Second

// People implements proxypanelapi.People.
type People struct {
	Shadow *shadow.Shadow
	// Open gives a client for a connection, to be closed. Fault: not_found (404).
	Open func(ctx context.Context, connectionID string) (*remnawave.Client, error)
}

// Labels gives the names that were last read.
func (p *People) Labels(ctx context.Context, refs ...string) (map[string]string, error) {
	wanted, names := map[string][]int64{}, map[string]string{}
	for _, ref := range refs {
		if connection, id, known := proxypanelapi.ReadRef(ref); known {
			wanted[connection] = append(wanted[connection], id)
		}
	}
	for connection, ids := range wanted {
		users, err := p.Shadow.Users(ctx, connection, ids...)
		if err != nil {
			return nil, err
		}
		for i := range users {
			names[proxypanelapi.RefOf(connection, users[i].ID)] = users[i].Username
		}
	}
	return names, nil
}

// Read asks for a user, and notes what the panel says.
func (p *People) Read(ctx context.Context, ref string) (person proxypanelapi.Person, err error) {
	connection, id, known := proxypanelapi.ReadRef(ref)
	if !known {
		return person, proxypanelapi.ErrUnknown
	}
	err = p.ask(ctx, connection, func(ctx context.Context, c *remnawave.Client) error {
		user, err := c.User(ctx, id)
		if err != nil {
			return err
		}
		person = proxypanelapi.Person{
			Ref: ref, Name: user.Username, Disabled: user.Status == disabled, MadeAt: user.MadeAt,
		}
		_, err = p.Shadow.PutUsers(ctx, connection, []remnawave.User{user})
		return err
	})
	return person, err
}

// disabled is the status of users whom nobody lets in.
const disabled = "DISABLED"

// Disable takes a user off all nodes.
func (p *People) Disable(ctx context.Context, ref string) error {
	return p.act(ctx, ref, (*remnawave.Client).DisableUser)
}

// Enable lets a user in again.
func (p *People) Enable(ctx context.Context, ref string) error {
	return p.act(ctx, ref, (*remnawave.Client).EnableUser)
}

// Drop ends the connections of a user.
func (p *People) Drop(ctx context.Context, ref string) (dropped bool, err error) {
	connection, id, known := proxypanelapi.ReadRef(ref)
	if !known {
		return false, proxypanelapi.ErrUnknown
	}
	err = p.ask(ctx, connection, func(ctx context.Context, c *remnawave.Client) (err error) {
		dropped, err = c.Drop(ctx, id)
		return err
	})
	return dropped, err
}

// act does something, and reads the user back, so that the lists show what came of it.
func (p *People) act(
	ctx context.Context, ref string, do func(c *remnawave.Client, ctx context.Context, id int64) error,
) error {
	connection, id, known := proxypanelapi.ReadRef(ref)
	if !known {
		return proxypanelapi.ErrUnknown
	}
	return p.ask(ctx, connection, func(ctx context.Context, c *remnawave.Client) error {
		if err := do(c, ctx, id); err != nil {
			return err
		}
		user, err := c.User(ctx, id)
		if err != nil {
			return err
		}
		_, err = p.Shadow.PutUsers(ctx, connection, []remnawave.User{user})
		return err
	})
}

// ask opens a connection for one act, and says in the words of the API what went wrong.
func (p *People) ask(
	ctx context.Context, connection string, do func(ctx context.Context, c *remnawave.Client) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	client, err := p.Open(ctx, connection)
	if fault.Code(err) == "not_found" {
		return proxypanelapi.ErrUnknown
	}
	var problem *remnawave.Problem
	if err == nil {
		defer client.Close()
		err = do(ctx, client)
	}
	switch {
	case !errors.As(err, &problem):
		return err
	case problem.Status == http.StatusNotFound && problem.Code != "":
		return proxypanelapi.ErrUnknown
	}
	return problem.Fault()
}
