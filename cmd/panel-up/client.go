package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// client speaks the panel's public API.
type client struct {
	base, token string
	http        *http.Client
}

func newClient(base string) *client {
	return &client{base: base, http: &http.Client{Timeout: 45 * time.Second}}
}

// refusal is an answer that is not a success.
type refusal struct {
	Status int
	Code   string `json:"code"`
	Detail string `json:"detail"`
	What   string
	Body   string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("%s: the panel answered %d %s: %s %s", r.What, r.Status, r.Code, r.Detail, r.Body)
}

func (c *client) get(ctx context.Context, path string, out any) error {
	return c.do(ctx, http.MethodGet, path, nil, out)
}

func (c *client) post(ctx context.Context, path string, body, out any) error {
	return c.do(ctx, http.MethodPost, path, body, out)
}

func (c *client) put(ctx context.Context, path string, body, out any) error {
	return c.do(ctx, http.MethodPut, path, body, out)
}

func (c *client) do(ctx context.Context, method, path string, body, out any) error {
	what := method + " " + path
	request, err := c.request(ctx, method, path, body)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 8<<20))
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return understand(what, response.StatusCode, answer, out)
}

func (c *client) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var content bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&content).Encode(body); err != nil {
			return nil, fmt.Errorf("encode the body: %w", err)
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, &content)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	return request, nil
}

func understand(what string, status int, answer []byte, out any) error {
	if status >= 300 {
		r := &refusal{Status: status, What: what}
		if json.Unmarshal(answer, r) != nil || r.Code == "" || status == http.StatusUnprocessableEntity {
			r.Body = string(answer[:min(len(answer), 2000)])
		}
		return r
	}
	if out == nil || len(answer) == 0 {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s: read the answer: %w", what, err)
	}
	return nil
}
