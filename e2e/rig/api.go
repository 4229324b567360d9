package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// API calls a panel, as an administrator or as an agent according to its token.
type API struct {
	Base  string
	Token string
	HTTP  *http.Client
}

// NewAPI makes a caller whose every call has a deadline.
func NewAPI(base string) *API {
	transport := &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: 10 * time.Second}
	return &API{Base: base, HTTP: &http.Client{Timeout: 40 * time.Second, Transport: transport}}
}

// As gives the same caller with another token.
func (a *API) As(token string) *API { return &API{Base: a.Base, Token: token, HTTP: a.HTTP} }

// Refusal is an answer other than 2xx.
type Refusal struct {
	What   string
	Status int
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Body   string
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("%s: the panel answered %d %s: %s", r.What, r.Status, r.Code, r.Body)
}

// Refused says whether the error is an answer with that status.
func Refused(err error, status int) bool {
	var r *Refusal
	return errors.As(err, &r) && r.Status == status
}

// Get reads a path; nil means that the answer does not matter.
func (a *API) Get(ctx context.Context, path string, out any) error {
	return a.Call(ctx, http.MethodGet, path, nil, out)
}

// Post sends JSON; nil means no body.
func (a *API) Post(ctx context.Context, path string, in, out any) error {
	return a.Call(ctx, http.MethodPost, path, in, out)
}

// Put sends JSON; nil means no body.
func (a *API) Put(ctx context.Context, path string, in, out any) error {
	return a.Call(ctx, http.MethodPut, path, in, out)
}

// Patch sends JSON; nil means no body.
func (a *API) Patch(ctx context.Context, path string, in, out any) error {
	return a.Call(ctx, http.MethodPatch, path, in, out)
}

// PostKeyed sends JSON with an Idempotency-Key, as what costs money demands it.
func (a *API) PostKeyed(ctx context.Context, key, path string, in, out any) error {
	return a.call(ctx, http.MethodPost, path, in, out, "Idempotency-Key", key)
}

// Call makes one call. A *Refusal says that the panel answered; any other error leaves open whether it did the work.
func (a *API) Call(ctx context.Context, method, path string, in, out any) error {
	return a.call(ctx, method, path, in, out)
}

func (a *API) call(ctx context.Context, method, path string, in, out any, header ...string) error {
	what := method + " " + path
	request, err := a.request(ctx, method, path, in)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	answer, err := a.HTTP.Do(request)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 64<<20))
	if err != nil {
		return fmt.Errorf("%s: read the answer: %w", what, err)
	}
	return understand(what, answer.StatusCode, body, out)
}

func (a *API) request(ctx context.Context, method, path string, in any) (*http.Request, error) {
	var content bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&content).Encode(in); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, a.Base+path, &content)
	if err != nil {
		return nil, err
	}
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if a.Token != "" {
		request.Header.Set("Authorization", "Bearer "+a.Token)
	}
	return request, nil
}

func understand(what string, status int, body []byte, out any) error {
	if status < 200 || status > 299 {
		r := &Refusal{What: what, Status: status, Body: string(body[:min(len(body), 2000)])}
		_ = json.Unmarshal(body, r) // what is no problem document is shown as it is
		return r
	}
	if out == nil || len(body) == 0 {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("%s: read the answer: %w", what, err)
	}
	return nil
}
