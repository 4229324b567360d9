package remnawave

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/outbound"
)

// Pace keeps all panels of one database together below the pace that a Remnawave is asked at.
type Pace interface {
	// Turn waits for a turn; wait is how long the panel still wants to be left alone where that is longer than the
	// context lasts, and then there is no turn.
	Turn(ctx context.Context, base string) (wait time.Duration, err error)
	// Hold lets nobody have a turn for so long.
	Hold(ctx context.Context, base string, wait time.Duration) error
}

// PerSecond is how often one panel is asked at most.
const PerSecond = 5

// Client asks one panel. It is safe for concurrent use.
type Client struct {
	access Access
	http   *outbound.Client
	pace   Pace
	clock  clockwork.Clock
}

// Open makes a client. Fault: invalid_value (422).
func Open(network *outbound.Network, access Access, pace Pace, clock clockwork.Clock) (*Client, error) {
	options, err := access.options()
	if err != nil {
		return nil, err
	}
	return &Client{access, network.New(options), pace, clock}, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.http.Close() }

func (c *Client) now() time.Time { return c.clock.Now() }

// answered is what came back with a success.
type answered struct {
	header http.Header
	took   time.Duration
}

// call asks once and reads what stands in "response" into out. Error: *Problem.
func (c *Client) call(ctx context.Context, method, path string, in, out any, headers ...string) (answered, error) {
	wait, err := c.pace.Turn(ctx, c.access.BaseURL)
	if err != nil {
		return answered{}, err
	}
	if wait > 0 {
		return answered{}, &Problem{Cause: SlowDown, Wait: wait}
	}
	request, err := c.request(ctx, method, path, in)
	if err != nil {
		return answered{}, err
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	began := c.now()
	answer, err := c.http.Do(ctx, request)
	if err != nil {
		return answered{}, c.lost(err)
	}
	info := answered{answer.Header, c.now().Sub(began)}
	if !answer.OK() {
		problem := c.refusal(answer)
		if problem.Cause == SlowDown {
			err = c.pace.Hold(ctx, c.access.BaseURL, problem.Wait)
		}
		if err != nil {
			return info, err
		}
		return info, problem
	}
	return info, c.read(answer, out)
}

func (c *Client) request(ctx context.Context, method, path string, in any) (*http.Request, error) {
	var body []byte
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("write the question to the proxy panel: %w", err)
		}
		body = text
	}
	request, err := http.NewRequestWithContext(ctx, method, c.access.BaseURL+"/api"+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make the question to the proxy panel: %w", err)
	}
	request.Header.Set("Accept", "application/json")
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	c.access.forward(request)
	return request, nil
}

// read takes a success apart. A page instead of JSON is a gate's, which answers 200 as well; where nothing is to be
// read an empty answer is a success and a page is not.
func (c *Client) read(answer outbound.Answer, out any) error {
	if out == nil {
		if len(bytes.TrimSpace(answer.Body)) > 0 && looksLikePage(answer) {
			return &Problem{Cause: GatePage, Status: answer.Status}
		}
		return nil
	}
	var wrapped struct {
		Response json.RawMessage `json:"response"`
	}
	switch err := json.Unmarshal(answer.Body, &wrapped); {
	case err != nil && looksLikePage(answer):
		return &Problem{Cause: GatePage, Status: answer.Status, err: err}
	case err != nil:
		return &Problem{Cause: AnswerUnreadable, Status: answer.Status, err: err}
	case len(wrapped.Response) == 0:
		return &Problem{Cause: AnswerUnreadable, Status: answer.Status}
	}
	if err := json.Unmarshal(wrapped.Response, out); err != nil {
		return &Problem{Cause: AnswerUnreadable, Status: answer.Status, err: err}
	}
	return nil
}

func looksLikePage(answer outbound.Answer) bool {
	text := bytes.TrimSpace(answer.Body)
	return len(text) == 0 || text[0] == '<' || !bytes.ContainsAny(text[:1], "{[")
}
