package remnawave

import (
	"context"
	"net/http"
)

// A fresh panel is entered by its first administrator, who makes a token for us. None of this is used once a
// connection stands.

// asBrowser is how the panel tells its own web interface, which alone an administrator may use, from tokens.
const asBrowser, browser = "X-Remnawave-Client-Type", "browser"

// Fresh says whether the panel still takes its first administrator. Error: *Problem.
func (c *Client) Fresh(ctx context.Context) (bool, error) {
	var status struct {
		Register bool `json:"isRegisterAllowed"`
	}
	_, err := c.call(ctx, http.MethodGet, "/auth/status", nil, &status)
	return status.Register, err
}

// session is what register and login give.
type session struct {
	Token string `json:"accessToken"`
}

// Register makes the first administrator and signs in. Error: *Problem, of status 403 where there is one already.
func (c *Client) Register(ctx context.Context, username, password string) (token string, err error) {
	return c.enter(ctx, "/auth/register", username, password)
}

// Login signs in. Error: *Problem, of status 403 for wrong credentials.
func (c *Client) Login(ctx context.Context, username, password string) (token string, err error) {
	return c.enter(ctx, "/auth/login", username, password)
}

func (c *Client) enter(ctx context.Context, path, username, password string) (string, error) {
	var given session
	_, err := c.call(ctx, http.MethodPost, path, map[string]string{"username": username, "password": password}, &given)
	if err == nil && given.Token == "" {
		err = &Problem{Cause: AnswerUnreadable, Status: http.StatusOK}
	}
	return given.Token, err
}

// Made is an API token that the panel made for us.
type Made struct {
	ID    string `json:"uuid"`
	Token string `json:"token"`
}

// MakeToken makes an API token of the given scopes. Error: *Problem.
func (c *Client) MakeToken(
	ctx context.Context, session, name string, days int, scopes []string,
) (made Made, err error) {
	_, err = c.call(ctx, http.MethodPost, "/tokens", map[string]any{
		"name": name, "expiresInDays": days, "scopes": scopes,
	}, &made, "Authorization", "Bearer "+session, asBrowser, browser)
	if err == nil && made.Token == "" {
		err = &Problem{Cause: AnswerUnreadable, Status: http.StatusCreated}
	}
	return made, err
}

// DropToken removes an API token. Error: *Problem.
func (c *Client) DropToken(ctx context.Context, session, id string) error {
	_, err := c.call(ctx, http.MethodDelete, "/tokens/"+id, nil, nil,
		"Authorization", "Bearer "+session, asBrowser, browser)
	return err
}
