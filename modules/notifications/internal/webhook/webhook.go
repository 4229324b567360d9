// Package webhook sends messages to programs: a signed POST in the form of Standard Webhooks.
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"panel/modules/notifications/internal/message"
	"panel/platform/outbound"
)

// Target is a receiver. Both members are secret: addresses of webhooks often hold a token.
type Target struct {
	URL    string `json:"url"`
	Secret string `json:"secret"`
}

const (
	limit   = 15 * time.Second
	maxWait = 24 * time.Hour
)

// Send posts the message. Its id is that of the event, so that a receiver that gets it twice knows so.
// Error: *message.Refusal.
func (t Target) Send(ctx context.Context, network *outbound.Network, m message.Message, now time.Time) error {
	body, err := json.Marshal(m.Body())
	if err != nil {
		return fmt.Errorf("write the message as JSON: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL, bytes.NewReader(body))
	if err != nil {
		return message.Refused(message.ReceiverUnusable, "", true)
	}
	stamp := strconv.FormatInt(now.Unix(), 10)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Webhook-Id", m.ID)
	request.Header.Set("Webhook-Timestamp", stamp)
	request.Header.Set("Webhook-Signature", "v1,"+Sign(t.Secret, m.ID, stamp, body))
	client := network.New(outbound.Options{
		Name: "webhook", Service: "the receiver", Reach: outbound.PublicOnly, Timeout: limit, MaxAnswer: 64 << 10,
	})
	defer client.Close()
	answer, err := client.Do(ctx, request)
	if err != nil {
		return unreachable(err)
	}
	return judge(answer)
}

func unreachable(err error) error {
	cause := outbound.CauseOf(err)
	refused := message.Refused(cause.Code, "", false)
	refused.Late = cause.Late
	return refused
}

// judge reads the status alone: what the receiver writes is its own. Of the statuses from 400 to 499 only 408 and 429
// are worth another attempt.
func judge(answer outbound.Answer) error {
	if answer.OK() {
		return nil
	}
	again := answer.Status >= 500 || answer.Status == http.StatusRequestTimeout ||
		answer.Status == http.StatusTooManyRequests
	refused := message.Refused(message.ReceiverStatus, strconv.Itoa(answer.Status), !again)
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && seconds > 0 && again {
		refused.After = min(time.Duration(min(seconds, int(maxWait/time.Second)))*time.Second, maxWait)
	}
	return refused
}

// Sign gives the signature of a body: HMAC-SHA256 over its id, the time and the body. A secret that begins with whsec_
// is base64 behind that, any other is taken as it is.
func Sign(secret, id, stamp string, body []byte) string {
	key := []byte(secret)
	if encoded, marked := strings.CutPrefix(secret, "whsec_"); marked {
		if decoded, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			key = decoded
		}
	}
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body) // never fails
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
