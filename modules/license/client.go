package license

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/licensedoc"
	"panel/platform/outbound"
)

const (
	requestLimit = 15 * time.Second
	longestReply = 64 << 10
)

// client asks the addresses of the license server in their order.
type client struct {
	addresses []string
	trusted   []licensedoc.PublicKey
	version   string
	limit     time.Duration // of one request
	watch     clockwork.Clock
	http      *outbound.Client
}

func newClient(addresses []string, trusted []licensedoc.PublicKey, network *outbound.Network, version string) *client {
	calls := network.New(outbound.Options{
		Name: "license_server", Service: "the license server", Reach: outbound.Configured, Timeout: requestLimit,
		MaxAnswer: longestReply,
	})
	return &client{addresses, trusted, version, requestLimit, clockwork.NewRealClock(), calls}
}

func (c *client) configured() bool { return len(c.addresses) > 0 && len(c.trusted) > 0 }

// insecure names the addresses that would carry the key in the clear over a network.
func (c *client) insecure() (hosts []string) {
	for _, address := range c.addresses {
		parsed, err := url.Parse(address)
		if err == nil && parsed.Scheme != "https" && !isLoopback(parsed.Hostname()) {
			hosts = append(hosts, parsed.Host)
		}
	}
	return hosts
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// signed is a verified answer, with all attempts that led to it.
type signed struct {
	text     string
	document licensedoc.Document
	attempts []Attempt
}

// temporary is every outcome that is no signed verdict: it says nothing about the license.
type temporary struct {
	summary  string
	timeout  bool
	attempts []Attempt
}

func (t *temporary) Error() string { return t.summary }

// ask gives the first signed verdict; mirrors that fail before are passed over. The
// key goes in the body. Fault: *temporary.
func (c *client) ask(ctx context.Context, path string, key licensedoc.Key, instance string) (signed, error) {
	if !c.configured() {
		return signed{}, &temporary{summary: "no license server is configured"}
	}
	var tried []string
	var attempts []Attempt
	late := true
	for _, address := range c.addresses {
		began := c.watch.Now()
		answer, err := c.askOne(ctx, address, path, key, instance)
		attempt := Attempt{
			Server:  host(address),
			OK:      err == nil,
			Outcome: answer.document.Verdict,
			TookMS:  c.watch.Since(began).Milliseconds(),
		}
		if err == nil {
			answer.attempts = append(attempts, attempt)
			return answer, nil
		}
		failure := explain(err)
		attempt.Outcome = failure.summary
		attempts = append(attempts, attempt)
		tried, late = append(tried, attempt.Server+": "+failure.summary), late && failure.timeout
	}
	return signed{}, &temporary{strings.Join(tried, "; "), late, attempts}
}

func (c *client) askOne(
	ctx context.Context,
	address, path string,
	key licensedoc.Key,
	instance string,
) (signed, error) {
	question := licensedoc.Request{Key: key.Reveal(), InstanceID: instance, Nonce: nonce(), PanelVersion: c.version}
	text, err := c.post(ctx, licensedoc.Join(address, path), question)
	if err != nil {
		return signed{}, err
	}
	return c.verify(text, key, question)
}

// verify wants the answer to this very question: a recorded one has another nonce.
func (c *client) verify(text string, key licensedoc.Key, question licensedoc.Request) (signed, error) {
	d, err := licensedoc.Verify(text, c.trusted...)
	if err != nil {
		return signed{}, &temporary{summary: err.Error()}
	}
	if d.Nonce != question.Nonce || d.InstanceID != question.InstanceID || d.KeyHash != key.Hash(question.InstanceID) {
		return signed{}, &temporary{summary: "the signed document answers another question"}
	}
	return signed{text: text, document: d}, nil
}

func (c *client) post(ctx context.Context, address string, question licensedoc.Request) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	reply, err := c.send(ctx, address, question)
	if err != nil {
		return "", err
	}
	if reply.Status != http.StatusOK {
		return "", &temporary{summary: fmt.Sprintf("HTTP %d", reply.Status)}
	}
	var answer licensedoc.Reply
	if json.Unmarshal(reply.Body, &answer) != nil || answer.Document == "" {
		return "", &temporary{summary: "the answer is no license document"}
	}
	return answer.Document, nil
}

func (c *client) send(ctx context.Context, address string, question licensedoc.Request) (outbound.Answer, error) {
	body, err := json.Marshal(question)
	if err != nil {
		return outbound.Answer{}, fmt.Errorf("encoding the question: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return outbound.Answer{}, &temporary{summary: "the address is not usable"}
	}
	request.Header.Set("Content-Type", "application/json")
	return c.http.Do(ctx, request)
}

// release gives the place of this installation back; nobody waits for it.
func (c *client) release(ctx context.Context, key licensedoc.Key, instance string) error {
	for _, address := range c.addresses {
		asking, cancel := context.WithTimeout(ctx, c.limit)
		question := licensedoc.Request{Key: key.Reveal(), InstanceID: instance, Nonce: nonce(), PanelVersion: c.version}
		reply, err := c.send(asking, licensedoc.Join(address, licensedoc.ReleasePath), question)
		cancel()
		if err == nil && reply.Status < http.StatusInternalServerError {
			return nil
		}
	}
	return errors.New("giving the license place back: no license server took it")
}

func nonce() string {
	raw := make([]byte, 24)
	_, _ = rand.Read(raw)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// explain turns an error into a few words that hold no address and no secret.
func explain(err error) *temporary {
	var known *temporary
	if errors.As(err, &known) {
		return known
	}
	summary, late := outbound.Explain(err)
	return &temporary{summary: summary, timeout: late}
}

func host(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		return "license server"
	}
	return parsed.Host
}
