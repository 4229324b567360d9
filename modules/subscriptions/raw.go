package subscriptions

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/gofiber/fiber/v2"

	"panel/modules/flows/flowsapi"
	"panel/modules/subscriptions/format"
	"panel/modules/subscriptions/internal/page"
	"panel/platform/access"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/settings"
)

type handlers struct {
	subscribers flowsapi.Subscribers
	settings    *settings.Doc[Settings]
	throttle    *throttle
	kept        *kept

	mu      sync.Mutex
	answers map[string]float64
}

func newHandlers(s flowsapi.Subscribers, d *settings.Doc[Settings], t *throttle, k *kept) *handlers {
	return &handlers{subscribers: s, settings: d, throttle: t, kept: k, answers: map[string]float64{
		answerPage: 0, answerUnknown: 0, answerThrottled: 0,
	}}
}

func (h *handlers) routes() httpapi.Routes {
	manage, reading := access.Needs(Manage), access.Throttled(access.WideLimit)
	return httpapi.Join(
		settings.Routes("/api/v1/subscriptions/settings", "subscriptions", manage, manage, h.settings, shown),
		httpapi.Routes{
			// Tokens and networks have narrower limits of their own.
			httpapi.Raw(http.MethodGet, "/s/{token}", "A client's subscription", reading, h.subscription, httpapi.Lenient()),
			httpapi.Raw(http.MethodGet, "/sub/{token}", "The same at the address that other panels give", reading,
				h.subscription, httpapi.Lenient()),
		},
	)
}

// Answers that are no form.
const (
	answerPage      = "page"
	answerUnknown   = "unknown"
	answerThrottled = "throttled"
)

func (h *handlers) count(answer string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answers[answer]++
}

func (h *handlers) counted() map[string]float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make(map[string]float64, len(h.answers))
	for answer, n := range h.answers {
		out[answer] = n
	}
	return out
}

// subscription answers a program in the form that it reads, and a browser with a page.
func (h *handlers) subscription(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	form, browser := format.For(c.Get(fiber.HeaderUserAgent), c.Get(fiber.HeaderAccept))
	if name := c.Query("format"); name != "" {
		named, known := format.Named(name)
		if !known {
			return fault.Malformed("bad_parameter", fmt.Sprintf("format is one of %v", format.All()))
		}
		form, browser = named, false
	}
	says, _, err := h.settings.Get(c.UserContext())
	if err != nil {
		return err
	}
	token := strings.Clone(c.Params("token"))
	if browser {
		return h.sendPage(c, token, says)
	}
	return h.sendForm(c, token, form, says)
}

// sendForm gives what was written before, where nothing has changed since then.
func (h *handlers) sendForm(c *fiber.Ctx, token string, form format.Format, says Settings) error {
	key, at := answerKey{sha256.Sum256([]byte(token)), form}, h.kept.now(c.UserContext())
	found := h.kept.find(key, at, says)
	if found != nil {
		if err := h.takeKnown(token); err != nil {
			return err
		}
		return h.send(c, form, found)
	}
	held, err := h.held(c.UserContext(), token)
	if err != nil {
		return err
	}
	written, err := write(form, held, says)
	if err != nil {
		return err
	}
	if !held.Untold {
		h.kept.keep(key, at, written)
	}
	return h.send(c, form, written)
}

func (h *handlers) send(c *fiber.Ctx, form format.Format, a *answer) error {
	h.count(string(form))
	for _, header := range a.headers {
		c.Set(header[0], header[1])
	}
	return c.Send(a.body)
}

func (h *handlers) takeKnown(token string) error {
	err := h.throttle.tookKnown(token)
	if err != nil {
		h.count(answerThrottled)
	}
	return err
}

// held gives who holds a token. A token that never was and one that was revoked are told apart by nothing.
func (h *handlers) held(ctx context.Context, token string) (flowsapi.Subscriber, error) {
	held, err := h.subscribers.ByToken(ctx, token)
	switch {
	case errors.Is(err, flowsapi.ErrUnknown):
		if err = h.throttle.tookUnknown(access.From(ctx).IP); err == nil {
			h.count(answerUnknown)
			return held, fault.Missing(fault.NoSuchThing)
		}
	case err != nil:
		return held, err
	default:
		return active(held), h.takeKnown(token)
	}
	if err != nil {
		h.count(answerThrottled)
	}
	return held, err
}

// active is a subscriber who has connections only while it may use them.
func active(held flowsapi.Subscriber) flowsapi.Subscriber {
	if held.State != flowsapi.Active {
		held.Connections = nil // the answer still tells why
	}
	return held
}

func titled(says Settings, held flowsapi.Subscriber) Settings {
	if says.Title == "" {
		says.Title = format.Clean(held.Name)
	}
	return says
}

// write puts an answer together, with the headers that programs read.
func write(form format.Format, held flowsapi.Subscriber, says Settings) (*answer, error) {
	body, err := format.Write(form, held.Connections)
	if err != nil {
		return nil, fmt.Errorf("write a subscription as %s: %w", form, err)
	}
	named := titled(says, held)
	a := &answer{body: body, says: says, headers: [][2]string{
		{"profile-title", coded(named.Title)},
		{"profile-update-interval", strconv.Itoa(says.IntervalHours)},
		{fiber.HeaderContentType, form.Kind()},
		// Programs take the name of the file for the name of the subscription.
		{fiber.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{
			"filename": fileName(form, named.Title),
		})},
	}}
	if says.Support != "" {
		a.headers = append(a.headers, [2]string{"support-url", says.Support})
	}
	if says.Announcement != "" {
		a.headers = append(a.headers, [2]string{"announce", coded(says.Announcement)})
	}
	if held.Usage != nil {
		a.headers = append(a.headers, [2]string{"subscription-userinfo", userInfo(*held.Usage)})
		if held.State == flowsapi.Active {
			a.until = held.Usage.Expires
		}
	}
	return a, nil
}

const longestInterface = 15 // letters of the name of a network device

// fileName is a title; programs of WireGuard take the name of the file for that of a network device.
func fileName(form format.Format, title string) string {
	if form != format.WireGuard {
		return title
	}
	name := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return -1
	}, title)
	return cmp.Or(name[:min(len(name), longestInterface)], "wireguard") + ".conf"
}

// coded is a text as programs read one that is not ASCII.
func coded(text string) string { return "base64:" + base64.StdEncoding.EncodeToString([]byte(text)) }

func userInfo(u flowsapi.Usage) string {
	text := fmt.Sprintf("upload=%d; download=%d; total=%d", u.Up, u.Down, u.Total)
	if !u.Expires.IsZero() {
		text += fmt.Sprintf("; expire=%d", u.Expires.Unix())
	}
	return text
}

func (h *handlers) sendPage(c *fiber.Ctx, token string, says Settings) error {
	held, err := h.held(c.UserContext(), token)
	if err != nil {
		return err
	}
	says = titled(says, held)
	written, err := page.Write(page.View{
		Title: says.Title, Address: held.Address, Support: says.Support, Announcement: says.Announcement,
		State: held.State, Usage: held.Usage, Connections: held.Connections, Agent: c.Get(fiber.HeaderUserAgent),
		Languages: c.Get(fiber.HeaderAcceptLanguage),
	})
	if err != nil {
		return err
	}
	h.count(answerPage)
	c.Set(fiber.HeaderContentSecurityPolicy, written.Policy)
	c.Set(fiber.HeaderXFrameOptions, "DENY")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Set("X-Robots-Tag", "noindex, nofollow")
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return c.Send(written.HTML)
}
