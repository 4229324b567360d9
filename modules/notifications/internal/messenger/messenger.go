// Package messenger sends messages through the Bot API of a messenger.
package messenger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"panel/modules/notifications/internal/message"
	"panel/platform/fault"
	"panel/platform/outbound"
)

// Account is how to reach a chat.
type Account struct {
	Token, ChatID string
	ThreadID      int
	// APIRoot is the address of the Bot API, Proxy that of a proxy before it or empty.
	APIRoot, Proxy string
	// Reach says which addresses the root may have.
	Reach outbound.Reach
}

// Limit bounds one call.
const Limit = 15 * time.Second

// Send sends the message and gives its number in the chat. Error: *message.Refusal.
func (a Account) Send(ctx context.Context, network *outbound.Network, m message.Message) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	client, err := a.client(network)
	if err != nil {
		return "", err
	}
	defer client.http.Close()
	api, err := bot.New(a.Token, bot.WithServerURL(strings.TrimSuffix(a.APIRoot, "/")), bot.WithSkipGetMe(),
		bot.WithHTTPClient(Limit, client))
	if err != nil {
		return "", message.Refused(message.TokenUnusable, "", true)
	}
	sent, err := api.SendMessage(ctx, a.params(m))
	if err != nil {
		return "", a.refusal(err)
	}
	return strconv.Itoa(sent.ID), nil
}

func (a Account) params(m message.Message) *bot.SendMessageParams {
	off := true
	params := &bot.SendMessageParams{
		ChatID: a.ChatID, MessageThreadID: a.ThreadID, Text: m.HTML(), ParseMode: models.ParseModeHTML,
		LinkPreviewOptions: &models.LinkPreviewOptions{IsDisabled: &off},
	}
	if first, err := strconv.Atoi(m.Thread); err == nil {
		params.ReplyParameters = &models.ReplyParameters{MessageID: first, AllowSendingWithoutReply: true}
	}
	return params
}

// refusal puts an error of the library into words.
func (a Account) refusal(err error) error {
	var busy *bot.TooManyRequestsError
	if errors.As(err, &busy) {
		refused := message.Refused(message.MessengerRefused, a.words(busy.Message), false)
		refused.After = time.Duration(max(busy.RetryAfter, 1)) * time.Second
		return refused
	}
	if _, called := fault.As(err); called || errors.Is(err, context.DeadlineExceeded) {
		cause := outbound.CauseOf(err)
		refused := message.Refused(cause.Code, "", false)
		refused.Late = cause.Late
		return refused
	}
	text, final := err.Error(), false
	for _, lasting := range []error{bot.ErrorBadRequest, bot.ErrorForbidden, bot.ErrorUnauthorized, bot.ErrorNotFound} {
		final = final || errors.Is(err, lasting)
		text = strings.TrimPrefix(text, lasting.Error()+", ") // of the library; the messenger's words follow
	}
	var moved *bot.MigrateError
	return message.Refused(message.MessengerRefused, a.words(text), final || errors.As(err, &moved))
}

// words are the messenger's own, without the token and without what the library says before them.
func (a Account) words(text string) string {
	text = strings.ReplaceAll(text, a.Token, "***")
	return strings.TrimPrefix(text, "error response from telegram for method sendMessage, ")
}

// client calls the Bot API for the library: with a bounded answer, a checked address and no redirects.
type client struct{ http *outbound.Client }

func (a Account) client(network *outbound.Network) (client, error) {
	options := outbound.Options{Name: "messenger", Service: "the messenger", Reach: a.Reach, Timeout: Limit}
	if a.Proxy != "" {
		proxy, err := url.Parse(a.Proxy)
		if err != nil {
			return client{}, message.Refused(message.ProxyUnusable, "", true)
		}
		options.Proxy = proxy
	}
	return client{network.New(options)}, nil
}

// Do sends a request of the library. An answer that is no JSON comes from something else than a Bot API.
func (c client) Do(request *http.Request) (*http.Response, error) {
	answer, err := c.http.Do(request.Context(), request)
	if err != nil {
		return nil, err
	}
	if !json.Valid(answer.Body) {
		return nil, message.Refused(message.NoBotAPI, strconv.Itoa(answer.Status), false)
	}
	return &http.Response{
		StatusCode: answer.Status, Header: answer.Header, Body: io.NopCloser(bytes.NewReader(answer.Body)),
	}, nil
}
