package cloud

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"panel/platform/config"
	"panel/platform/outbound"
)

// Pace gives out turns to ask a provider with one account, over all panels.
type Pace interface {
	// Turn waits for the next turn; a wait that is longer than the context lasts is a *Waits.
	Turn(ctx context.Context, accountID string, perSecond int) error
	// Hold lets nobody ask for so long.
	Hold(ctx context.Context, accountID string, wait time.Duration) error
}

// Waits says that the next turn is too far away to be waited for.
type Waits struct{ For time.Duration }

func (w *Waits) Error() string { return "the next turn at the provider comes too late" }

// rest calls a provider that takes and gives JSON.
type rest struct {
	client  *outbound.Client
	connect func(proof map[string]config.Secret) *outbound.Client
	pace    Pace
	account string
	kind    *Kind
	root    string
	now     func() time.Time
	tokens  *tokens
	given   Credentials
	secrets []string // never part of what is shown, should the provider repeat one
	// explain fills in what the provider says of an answer that is no success.
	explain func(body []byte, problem *Problem)
}

const (
	mostAnswer  = 8 << 20
	mostPages   = 1000
	longestHold = time.Hour
)

func (p *Providers) rest(accountID string, kind *Kind, root string, given Credentials) *rest {
	r := &rest{
		pace: p.pace, account: accountID, kind: kind, root: strings.TrimSuffix(root, "/"), now: p.now, tokens: p.tokens,
		given: given,
	}
	for _, field := range kind.Fields {
		if value := given[field.Name]; value != "" {
			r.secrets = append(r.secrets, value)
		}
	}
	r.connect = func(proof map[string]config.Secret) *outbound.Client {
		return p.network.New(outbound.Options{
			Name: "hosting_provider", Service: kind.Title, Reach: outbound.Private, Timeout: p.patience,
			MaxAnswer: mostAnswer, Headers: proof,
		})
	}
	proof := kind.proof
	if proof == nil {
		proof = bearer
	}
	r.client = r.connect(proof(given))
	return r
}

// at is the same account at another address of the provider, with a proof for there.
func (r *rest) at(root, header, proof string) *rest {
	there := *r
	there.root, there.secrets = strings.TrimSuffix(root, "/"), append(slices.Clone(r.secrets), proof)
	there.client = r.connect(map[string]config.Secret{header: config.NewSecret(proof)})
	return &there
}

// answer is what a provider gave beside the body.
type answer struct {
	status int
	header http.Header
}

// get reads a document.
func get[T any](ctx context.Context, r *rest, path string) (out T, err error) {
	_, err = r.call(ctx, http.MethodGet, path, nil, &out)
	return out, err
}

// call sends in as JSON and reads the answer into out; either may be nil. What only reads is asked again where the next
// time may be better; what writes is sent once. Error: *Problem.
func (r *rest) call(ctx context.Context, method, path string, in, out any) (answer, error) {
	if method != http.MethodGet {
		return r.once(ctx, method, path, in, out)
	}
	return r.again(ctx, method, path, in, out)
}

// again is call for what may be sent up to three times, whatever became of it before.
func (r *rest) again(ctx context.Context, method, path string, in, out any) (answer, error) {
	const tries, pause = 3, 300 * time.Millisecond
	for attempt := 1; ; attempt++ {
		got, err := r.once(ctx, method, path, in, out)
		problem := ProblemOf(err)
		if problem == nil || !problem.Passing() || attempt == tries {
			return got, err
		}
		if problem.Cause == RateLimited {
			continue // the next turn comes when the provider wants it
		}
		select {
		case <-ctx.Done():
			return got, err
		case <-time.After(pause * time.Duration(attempt)):
		}
	}
}

func (r *rest) once(ctx context.Context, method, path string, in, out any) (answer, error) {
	if err := r.turn(ctx); err != nil {
		return answer{}, err
	}
	got, err := r.send(ctx, method, path, in)
	switch {
	case errors.Is(err, outbound.ErrInTransaction), errors.Is(err, context.Canceled):
		return answer{}, err
	case err != nil:
		return answer{}, unanswered(r.kind.Title, err, method != http.MethodGet)
	}
	result := answer{got.Status, got.Header}
	if !got.OK() {
		return result, r.refused(ctx, method, got)
	}
	if out == nil || len(got.Body) == 0 {
		return result, nil
	}
	if json.Unmarshal(got.Body, out) != nil {
		return result, &Problem{
			Service: r.kind.Title, Cause: AnswerUnreadable, Status: got.Status, Words: "the answer cannot be read",
			Sent: method != http.MethodGet,
		}
	}
	return result, nil
}

func (r *rest) turn(ctx context.Context) error {
	err := r.pace.Turn(ctx, r.account, r.kind.perSecond)
	var waits *Waits
	if errors.As(err, &waits) {
		return &Problem{
			Service: r.kind.Title, Cause: RateLimited, Words: "the provider asked to be left alone for a while",
			After: waits.For,
		}
	}
	return err
}

func (r *rest) send(ctx context.Context, method, path string, in any) (outbound.Answer, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return outbound.Answer{}, fmt.Errorf("write a question for %s: %w", r.kind.Title, err)
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, r.root+path, body)
	if err != nil {
		return outbound.Answer{}, errors.New("the address cannot be read")
	}
	request.Header.Set("Accept", "application/json")
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return r.client.Do(ctx, request)
}

// refused reads an answer that is no success. One that asks to be left alone holds all panels back.
func (r *rest) refused(ctx context.Context, method string, got outbound.Answer) error {
	problem := &Problem{Service: r.kind.Title, Cause: causeOf(got.Status), Status: got.Status}
	problem.Sent = method != http.MethodGet && got.Status >= http.StatusInternalServerError
	r.explain(got.Body, problem)
	problem.Words = r.clean(problem.Words)
	for i := range problem.Missing {
		problem.Missing[i] = r.clean(problem.Missing[i])
	}
	if problem.Cause != RateLimited {
		return problem
	}
	problem.After = min(max(after(got.Header, r.now()), time.Second), longestHold)
	return errors.Join(problem, r.pace.Hold(ctx, r.account, problem.After))
}

// clean takes credentials out of a sentence and shortens it.
func (r *rest) clean(words string) string {
	for _, secret := range r.secrets {
		words = strings.ReplaceAll(words, secret, "***")
	}
	const longest = 200
	text := []rune(strings.ToValidUTF8(words, "?"))
	return string(text[:min(len(text), longest)])
}

// after reads when a provider wants to be asked again: in seconds, or as a moment in those of 1970.
func after(header http.Header, now time.Time) time.Duration {
	const day = 24 * 60 * 60
	if seconds, err := strconv.ParseInt(header.Get("Retry-After"), 10, 64); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, day)) * time.Second
	}
	for _, name := range []string{"Ratelimit-Reset", "X-Ratelimit-Reset"} {
		moment, err := strconv.ParseInt(header.Get(name), 10, 64)
		switch {
		case err == nil && moment >= 0 && moment < day:
			return time.Duration(moment) * time.Second
		case err == nil:
			return time.Duration(min(max(moment, now.Unix())-now.Unix(), day)) * time.Second
		}
	}
	return 0
}

// read takes the members of an error body; one that is none stays unsaid.
func read[T any](body []byte) (value T) {
	_ = json.Unmarshal(body, &value)
	return value
}

// pages reads list after list until one says that it is the last. Error: *Problem, also of a list without an end.
func pages[T any](r *rest, page func(number int, cursor string) (items []T, next string, err error)) ([]T, error) {
	all, cursor := []T{}, ""
	seen := map[string]bool{}
	for number := 1; number <= mostPages; number++ {
		items, next, err := page(number, cursor)
		if err != nil {
			return nil, err
		}
		if all = append(all, items...); next == "" {
			return all, nil
		}
		if seen[next] {
			break
		}
		seen[next], cursor = true, next
	}
	return nil, &Problem{
		Service: r.kind.Title, Cause: AnswerUnreadable, Status: http.StatusOK,
		Words: "a list has no end",
	}
}
