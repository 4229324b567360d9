package subscriptions_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/subscriptions"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// holders is what flows tell of tokens; nobody hears of its changes.
type holders map[string]flowsapi.Subscriber

// broken is a token whose holder cannot be read.
const broken = "BROKENTOKEN"

func (h holders) ByToken(_ context.Context, token string) (flowsapi.Subscriber, error) {
	if token == broken {
		return flowsapi.Subscriber{}, errors.New("the database does not answer: secret-detail")
	}
	held, known := h[token]
	if !known {
		return held, flowsapi.ErrUnknown
	}
	held.Untold = true
	return held, nil
}

func (h holders) manifest() module.Module {
	return module.Module{
		Name: "flows", Summary: "Flows of this test", Exports: []any{func() flowsapi.Subscribers { return h }},
		Attach: func() module.Parts { return module.Parts{} },
	}
}

const (
	settingsPath = "/api/v1/subscriptions/settings"
	anna         = "/s/ANNATOKEN"
	chrome       = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36"
	asksForPages = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"
)

type stage struct {
	*paneltest.Panel
	t     *testing.T
	clock *clockwork.FakeClock
	holds holders
}

func setup(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, clock: clockwork.NewFakeClockAt(time.Now()), holds: holders{"ANNATOKEN": {
		Name: "Европа main", Address: "https://panel.example/s/ANNATOKEN", State: flowsapi.Active,
		Connections: []flowsapi.Connection{{
			Protocol: "vless", Name: "Европа Anna", Host: "fra.example.org", Port: 443,
			ID: "6ba7b810-9dad-41d1-80b4-00c04fd430c8", Transport: "raw", Security: "reality", ServerName: "www.example.org",
		}},
	}}}
	features := paneltest.Modules(s.holds.manifest(), subscriptions.Module())
	s.Panel = paneltest.Start(t, features, paneltest.Clock(s.clock))
	return s
}

func (s *stage) ask(path, agent, accept string, more ...string) *paneltest.Answer {
	s.t.Helper()
	headers := append([]string{"User-Agent", agent, "Accept", accept}, more...)
	return s.Anonymous().Do("GET", path, nil, headers...)
}

func TestManifest(t *testing.T) {
	paneltest.Check(t, subscriptions.Module(), holders{}.manifest())
}

// Each program gets the form that it reads; ?format= goes before what it calls itself.
func TestAProgramGetsTheFormThatItReads(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for agent, begins := range map[string]string{"Stash/3.1 Clash/1.9": "mixed-port:", "SFA/1.12 sing-box": "{\n  \"dns\"", "Happ/3.7": "{\n"} {
		require.True(t, strings.HasPrefix(string(s.ask(anna, agent, "*/*").Is(200).Body), begins), agent)
	}
	links := s.ask(anna, "v2rayNG/1.9", "*/*").Is(200)
	text, err := base64.StdEncoding.DecodeString(string(links.Body))
	require.NoError(t, err)
	require.Contains(t, string(text), "vless://6ba7b810-9dad-41d1-80b4-00c04fd430c8@fra.example.org:443?")
	require.Equal(t, "text/plain; charset=utf-8", links.Header.Get("Content-Type"))
	chosen := s.ask(anna+"?format=clash", chrome, asksForPages).Is(200)
	require.Equal(t, "text/yaml; charset=utf-8", chosen.Header.Get("Content-Type"))
	s.ask(anna+"?format=word", "v2rayNG/1.9", "*/*").Refused(400, "bad_parameter")
}

// The headers that programs read: name, news, help, how often to ask, what is used. Nothing is kept by anybody between.
func TestHeadersTellProgramsAboutTheSubscription(t *testing.T) {
	t.Parallel()
	s := setup(t)
	plain := s.ask(anna, "v2rayNG/1.9", "*/*").Is(200)
	require.Equal(t, "no-store", plain.Header.Get("Cache-Control"))
	require.Equal(t, "base64:"+base64.StdEncoding.EncodeToString([]byte("Европа main")), plain.Header.Get("profile-title"))
	require.Equal(t, "12", plain.Header.Get("profile-update-interval"))
	for _, name := range []string{"subscription-userinfo", "support-url", "announce"} {
		require.NotContains(t, plain.Header, name, "what nobody set or counted is not claimed")
	}
	held := s.holds["ANNATOKEN"]
	held.Usage = &flowsapi.Usage{Up: 1, Down: 2, Total: 3, Expires: time.Unix(1900000000, 0)}
	s.holds["ANNATOKEN"] = held
	s.Admin().Put(settingsPath, map[string]any{"revision": 0, "settings": map[string]any{
		"title": "Мой VPN", "support": "tg:resolve?domain=help", "announcement": "Работы в воскресенье", "interval_hours": 24,
	}}).Is(200)
	told := s.ask(anna, "v2rayNG/1.9", "*/*").Is(200)
	require.Equal(t, "base64:"+base64.StdEncoding.EncodeToString([]byte("Мой VPN")), told.Header.Get("profile-title"))
	require.Equal(t, "24", told.Header.Get("profile-update-interval"))
	require.Equal(t, "upload=1; download=2; total=3; expire=1900000000", told.Header.Get("subscription-userinfo"))
	require.Equal(t, "tg:resolve?domain=help", told.Header.Get("support-url"))
	require.Equal(t, "base64:"+base64.StdEncoding.EncodeToString([]byte("Работы в воскресенье")), told.Header.Get("announce"))
	kind, names, err := mime.ParseMediaType(told.Header.Get("Content-Disposition"))
	require.NoError(t, err)
	require.Equal(t, []string{"attachment", "Мой VPN"}, []string{kind, names["filename"]})
}

// A person with a browser sees a page, in its language, that nobody keeps, frames or finds by a search.
func TestABrowserGetsAPage(t *testing.T) {
	t.Parallel()
	s := setup(t)
	shown := s.ask(anna, chrome, asksForPages, "Accept-Language", "ru-RU,ru;q=0.9").Is(200)
	require.Equal(t, "text/html; charset=utf-8", shown.Header.Get("Content-Type"))
	require.Contains(t, string(shown.Body), `<html lang="ru">`)
	require.Contains(t, string(shown.Body), "happ://add/https://panel.example/s/ANNATOKEN")
	require.Contains(t, shown.Header.Get("Content-Security-Policy"), "default-src 'none'")
	require.NotContains(t, shown.Header.Get("Content-Security-Policy"), "unsafe")
	require.Equal(t, "no-store", shown.Header.Get("Cache-Control"))
	require.Equal(t, "DENY", shown.Header.Get("X-Frame-Options"))
	require.Equal(t, "no-referrer", shown.Header.Get("Referrer-Policy"))
	require.Contains(t, shown.Header.Get("X-Robots-Tag"), "noindex")
	require.Empty(t, shown.Header.Get("Content-Disposition"))
}

// Expired and spent subscriptions are answered with what was used, so that programs and people see why, and with no
// connection, whatever flows told.
func TestWhoMayNotConnectGetsFiguresAndNoConnection(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, state := range []string{flowsapi.Expired, flowsapi.Spent} {
		held := s.holds["ANNATOKEN"]
		held.State, held.Usage = state, &flowsapi.Usage{Down: 5, Total: 5}
		s.holds["ANNATOKEN"] = held
		for _, form := range []string{"links", "xray", "sing-box", "clash", "stash"} {
			answer := s.ask(anna+"?format="+form, "x", "*/*").Is(200)
			require.Equal(t, "upload=0; download=5; total=5", answer.Header.Get("subscription-userinfo"))
			require.NotContains(t, string(answer.Body), "6ba7b810")
		}
		s.clock.Advance(time.Minute)
		require.NotContains(t, string(s.ask(anna, chrome, asksForPages).Is(200).Body), "vless://")
	}
}

// A known token is answered ten times a minute, whoever asks; another token behind the same address does not wait for
// it. Unknown ones are answered thirty times a minute for each address.
func TestSubscriptionsAreThrottledByTokenAndUnknownOnesByAddress(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.holds["OLEGTOKEN"] = s.holds["ANNATOKEN"]
	for range 10 {
		s.ask(anna, "v2rayNG/1.9", "*/*").Is(200)
	}
	require.Equal(t, "6", s.ask(anna, "v2rayNG/1.9", "*/*").Refused(429, "throttled").Header.Get("Retry-After"))
	s.ask("/s/OLEGTOKEN", "v2rayNG/1.9", "*/*").Is(200)
	s.clock.Advance(6 * time.Second)
	s.ask(anna, "v2rayNG/1.9", "*/*").Is(200)
	for i := range 30 {
		s.ask(fmt.Sprintf("/s/UNKNOWN%d", i), "v2rayNG/1.9", "*/*").Refused(404, "not_found")
	}
	s.ask("/s/UNKNOWN", "v2rayNG/1.9", "*/*").Refused(429, "throttled")
	s.ask("/s/OLEGTOKEN", "v2rayNG/1.9", "*/*").Is(200)
	page := s.Scrape()
	require.Contains(t, page, `panel_subscription_answers_total{answer="links"} 13`)
	require.Contains(t, page, `panel_subscription_answers_total{answer="unknown"} 30`)
	require.Contains(t, page, `panel_subscription_answers_total{answer="throttled"} 2`)
}

// What headers or a link of the page could not carry is refused with its field; nothing is kept of it.
func TestSettingsRefuseWhatProgramsCouldNotRead(t *testing.T) {
	t.Parallel()
	s := setup(t)
	usual := map[string]any{"title": "", "support": "", "announcement": "", "interval_hours": 12}
	for field, values := range map[string][]any{
		"title":          {"a\nb", strings.Repeat("x", 65)},
		"announcement":   {"a\r\nX-Header: b", strings.Repeat("x", 201)},
		"support":        {"javascript:alert(1)", "http://example.org", "https://", "https://a:b@example.org", "https://пример.рф", "mailto:nobody", "tg:", "word"},
		"interval_hours": {0, 169},
	} {
		for _, value := range values {
			changed := map[string]any{}
			for name, held := range usual {
				changed[name] = held
			}
			changed[field] = value
			refused := s.Admin().Put(settingsPath, map[string]any{"revision": 0, "settings": changed}).Is(422)
			require.Contains(t, string(refused.Body), "settings."+field, "%v", value)
		}
	}
	require.Equal(t, false, s.Admin().Get(settingsPath).Is(200).Value("stored"))
	news := s.Follow()
	for _, support := range []string{"https://help.example/x", "mailto:help@example.org", "tg:resolve?domain=help", ""} {
		usual["support"] = support
		revision := s.Admin().Get(settingsPath).Is(200).Value("revision")
		s.Admin().Put(settingsPath, map[string]any{"revision": revision, "settings": usual}).Is(200)
	}
	news.Next("subscriptions.settings_changed")
	require.Contains(t, s.Recorded("settings", "subscriptions"), "subscriptions.settings_changed")
	s.As("connection_units.view").Get(settingsPath).Refused(403, "permission_denied")
}
