package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"panel/platform/config"
	"panel/platform/outbound"
)

// rest calls a service that takes and gives JSON.
type rest struct {
	client  *outbound.Client
	service string
	root    string
	now     func() time.Time
	hidden  []string // never part of what is shown, should the service repeat it
	// explain reads an answer that is no success: it fills in what the service says of it.
	explain func(body []byte, refusal *Refusal)
}

// most bounds an answer: a page of the largest size that any of the services gives.
const most = 4 << 20

func (p *Providers) rest(service, root string, reach outbound.Reach, headers map[string]string,
	explain func([]byte, *Refusal),
) *rest {
	secrets := map[string]config.Secret{}
	r := &rest{service: service, root: strings.TrimSuffix(root, "/"), explain: explain, now: p.now}
	for name, value := range headers {
		secrets[name] = config.NewSecret(value)
		r.hidden = append(r.hidden, strings.TrimPrefix(value, "Bearer "))
	}
	r.client = p.network.New(outbound.Options{
		Name: "dns_provider", Service: service, Reach: reach, Timeout: p.patience, MaxAnswer: most, Retries: 2,
		Headers: secrets,
	})
	return r
}

func bearer(token string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + token}
}

// call sends in as JSON and reads the answer into out; either may be nil. Error: *Refusal, or a fault of outbound.
func (r *rest) call(ctx context.Context, method, path string, in, out any, headers ...string) error {
	answer, err := r.send(ctx, method, path, in, headers...)
	if err != nil {
		return err
	}
	if !answer.OK() {
		return r.refused(answer)
	}
	if out == nil || len(answer.Body) == 0 {
		return nil
	}
	if err := json.Unmarshal(answer.Body, out); err != nil {
		return &Refusal{Service: r.service, Status: answer.Status, Words: "the answer cannot be read"}
	}
	return nil
}

func (r *rest) send(ctx context.Context, method, path string, in any, headers ...string) (outbound.Answer, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return outbound.Answer{}, fmt.Errorf("write a question for %s: %w", r.service, err)
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, r.root+path, body)
	if err != nil {
		return outbound.Answer{}, &Refusal{Service: r.service, Words: "its address cannot be read"}
	}
	request.Header.Set("Accept", "application/json")
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return r.client.Do(ctx, request)
}

// refused reads what most services mean by a status; explain knows better where a service has its own words.
func (r *rest) refused(answer outbound.Answer) *Refusal {
	refusal := &Refusal{Service: r.service, Status: answer.Status, After: after(answer.Header, r.now())}
	refusal.Unknown = answer.Status == http.StatusUnauthorized
	refusal.Forbidden = answer.Status == http.StatusForbidden
	r.explain(answer.Body, refusal)
	for _, secret := range r.hidden {
		if secret != "" {
			refusal.Words = strings.ReplaceAll(refusal.Words, secret, "***")
		}
	}
	const longest = 200
	if words := []rune(refusal.Words); len(words) > longest {
		refusal.Words = string(words[:longest])
	}
	return refusal
}

// after reads when a service wants to be called again: in seconds, or as a moment in those of 1970.
func after(header http.Header, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(header.Get("Retry-After")); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second
	}
	if moment, err := strconv.ParseInt(header.Get("Ratelimit-Reset"), 10, 64); err == nil {
		return max(time.Unix(moment, 0).Sub(now), 0)
	}
	return 0
}

// read takes the members of an error body; one that is none stays unsaid.
func read[T any](body []byte) (value T) {
	_ = json.Unmarshal(body, &value)
	return value
}
