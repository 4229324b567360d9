package page_test

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/boombuler/barcode/qr"
	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/subscriptions/internal/page"
)

const (
	iPhone  = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1"
	android = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36"
	address = "https://panel.example/s/4XQ7T2LMNB"
)

func view() page.View {
	return page.View{
		Title: "Европа", Address: address, State: flowsapi.Active, Agent: android, Languages: "en",
		Connections: []flowsapi.Connection{{
			Protocol: "vless", Name: "Европа Anna", Host: "fra.example.org", Port: 443, ID: "6ba7b810-9dad-41d1-80b4-00c04fd430c8",
			Transport: "raw", Security: "reality",
		}},
	}
}

func written(t *testing.T, v page.View) string {
	t.Helper()
	p, err := page.Write(v)
	require.NoError(t, err)
	return string(p.HTML)
}

// The page is written in the language that the visitor's browser asks for first, English for all others.
func TestThePageSpeaksTheVisitorsLanguage(t *testing.T) {
	t.Parallel()
	for languages, want := range map[string]string{
		"": "en", "de-DE,de;q=0.9": "en", "ru": "ru", "ru-RU,ru;q=0.9,en;q=0.8": "ru", "en-GB,ru;q=0.5": "en",
		"de, ru;q=0.4, en;q=0.3": "ru", "ru;q=0": "en", "ru;q=x": "en",
	} {
		v := view()
		v.Languages = languages
		require.Contains(t, written(t, v), `<html lang="`+want+`">`, languages)
	}
}

// Nothing of the page comes from elsewhere, and nothing of it runs or is drawn without the nonce of the answer.
func TestThePageStandsAlone(t *testing.T) {
	t.Parallel()
	first, err := page.Write(view())
	require.NoError(t, err)
	second, err := page.Write(view())
	require.NoError(t, err)
	require.NotEqual(t, first.Policy, second.Policy)
	text := string(first.HTML)
	require.NotRegexp(t, `(?i)\s(src|srcset|style|on[a-z]+)=|@import|url\(|<link|<iframe|<img`, text)
	nonce := regexp.MustCompile(`'nonce-([A-Z0-9]+)'`).FindStringSubmatch(first.Policy)[1]
	require.Equal(t, 2, strings.Count(text, `nonce="`+nonce+`"`), "the style and the script")
	require.Equal(t, 1, strings.Count(text, "<style"))
	require.Equal(t, 1, strings.Count(text, "<script"))
	for _, rule := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
		require.Contains(t, first.Policy, rule)
	}
}

// Words of people cannot become markup, wherever they stand.
func TestHostileWordsStayWords(t *testing.T) {
	t.Parallel()
	for _, word := range []string{`"><script>alert(1)</script>`, `'-alert(1)-'`, "</title><b>", "{{.}}", "\u0000<", `javascript:alert(1)`} {
		v := view()
		v.Title, v.Announcement, v.Connections[0].Name = word, word, word
		text := written(t, v)
		require.Equal(t, 1, strings.Count(text, "<script"), word)
		require.NotContains(t, text, "<b>")
		require.NotContains(t, text, "ZgotmplZ")
		require.NotContains(t, text, `href="javascript:`)
	}
}

// The programs of the visitor's own device come first, each with its own way to take the address.
func TestButtonsOpenProgramsWithTheSubscription(t *testing.T) {
	t.Parallel()
	for agent, c := range map[string]struct {
		first []string
		other string
	}{
		android: {[]string{"happ://add/" + address, "v2rayng://install-sub?url=https%3A%2F%2Fpanel.example%2Fs%2F4XQ7T2LMNB&name="}, "stash://"},
		iPhone: {[]string{
			"sub://aHR0cHM6Ly9wYW5lbC5leGFtcGxlL3MvNFhRN1QyTE1OQg#", "stash://install-config?url=https%3A",
			"hiddify://import/" + address + "#", "streisand://import/" + address, "sing-box://import-remote-profile?url=https%3A",
		}, "v2rayng://"},
	} {
		v := view()
		v.Agent = agent
		own, others, found := strings.Cut(html.UnescapeString(written(t, v)), "<details>")
		require.True(t, found)
		for _, link := range c.first {
			require.Contains(t, own, `href="`+link)
		}
		require.NotContains(t, own, c.other)
		require.Contains(t, others, c.other)
	}
	v := view()
	v.Agent = "unknown"
	require.Contains(t, written(t, v), "<details open>", "nobody has to look for the programs of a device that is not known")
}

// The code holds the subscription URL and has free space around it.
func TestTheCodeHoldsTheAddress(t *testing.T) {
	t.Parallel()
	want, err := qr.Encode(address, qr.M, qr.Auto)
	require.NoError(t, err)
	text := written(t, view())
	side := want.Bounds().Dx() + 8
	require.Contains(t, text, fmt.Sprintf(`viewBox="0 0 %d %d"`, side, side))
	dark := map[[2]int]bool{}
	for _, run := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-\d+z`).FindAllStringSubmatch(text, -1) {
		x, y, long := number(t, run[1]), number(t, run[2]), number(t, run[3])
		for i := range long {
			dark[[2]int{x + i - 4, y - 4}] = true
		}
	}
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			r, _, _, _ := want.At(x, y).RGBA()
			require.Equal(t, r == 0, dark[[2]int{x, y}], "%d %d", x, y)
		}
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// What is used, what is left and until when, as people of each language write it.
func TestFiguresAreWrittenForPeople(t *testing.T) {
	t.Parallel()
	v := view()
	require.NotContains(t, written(t, v), "<progress", "nobody counts, so nothing is claimed")
	v.Usage = &flowsapi.Usage{
		Up: 500_000_000, Down: 1_000_000_000, Total: 2_000_000_000,
		Expires: time.Date(2027, 3, 8, 12, 0, 0, 0, time.UTC),
	}
	text := written(t, v)
	require.Contains(t, text, "Used 1.5\u00a0GB of 2\u00a0GB")
	require.Contains(t, text, "left 500\u00a0MB")
	require.Contains(t, text, "Valid until 8 March 2027")
	require.Contains(t, text, `<progress max="100" value="75"`)
	v.Languages = "ru"
	text = written(t, v)
	require.Contains(t, text, "Израсходовано 1,5\u00a0ГБ из 2\u00a0ГБ")
	require.Contains(t, text, "Действует до 8 марта 2027")
	for days, want := range map[int][2]string{
		1:   {"1 day from your first connection", "1\u00a0день с первого подключения"},
		3:   {"3 days from your first connection", "3\u00a0дня с первого подключения"},
		11:  {"11 days from your first connection", "11\u00a0дней с первого подключения"},
		31:  {"31 days from your first connection", "31\u00a0день с первого подключения"},
		113: {"113 days from your first connection", "113\u00a0дней с первого подключения"},
	} {
		v.Usage = &flowsapi.Usage{Lasts: days}
		for i, language := range []string{"en", "ru"} {
			v.Languages = language
			require.Contains(t, written(t, v), want[i])
		}
	}
	v.Usage = &flowsapi.Usage{Up: 999}
	text = written(t, v)
	require.Contains(t, text, "Израсходовано 999\u00a0Б")
	require.Contains(t, text, "без ограничений")
}

// Amounts have at most three digits before their point, also where rounding makes one more of them, and no amount is
// left without a unit.
func TestAmountsOfEverySize(t *testing.T) {
	t.Parallel()
	for amount, want := range map[int64]string{
		0: "0\u00a0B", 1: "1\u00a0B", 999: "999\u00a0B", 1000: "1\u00a0kB", 999_949: "999.9\u00a0kB", 999_950: "1\u00a0MB",
		999_999_999: "1\u00a0GB", 1_550_000_000: "1.6\u00a0GB", 999_960_000_000_000: "1\u00a0PB",
		1<<63 - 1: "9223.4\u00a0PB",
	} {
		v := view()
		v.Usage = &flowsapi.Usage{Down: amount}
		require.Contains(t, written(t, v), "Used "+want, amount)
	}
}

// What is left is never less than nothing, and the bar never fuller than full.
func TestMoreThanAllIsUsed(t *testing.T) {
	t.Parallel()
	v := view()
	v.Usage = &flowsapi.Usage{Up: 3_000_000, Down: 2_000_000, Total: 4_000_000}
	text := written(t, v)
	require.Contains(t, text, "left 0\u00a0B")
	require.Contains(t, text, `<progress max="100" value="100"`)
	v.Usage = &flowsapi.Usage{Total: 1}
	require.Contains(t, written(t, v), `<progress max="100" value="0"`)
}

// Who may not connect any more sees why, and nothing to connect with.
func TestWhoMayNotConnectSeesWhy(t *testing.T) {
	t.Parallel()
	for state, words := range map[string]string{
		flowsapi.Expired: "Your access has ended", flowsapi.Spent: "Your traffic is used up", flowsapi.Active: "no connection for you",
	} {
		v := view()
		v.State, v.Connections = state, nil
		text := written(t, v)
		require.Contains(t, text, words)
		require.NotContains(t, text, "<svg")
		require.NotContains(t, text, address)
	}
}

func TestThePageShowsWhereToFindHelp(t *testing.T) {
	t.Parallel()
	v := view()
	v.Support, v.Announcement = "tg:resolve?domain=help", "Maintenance on Sunday"
	text := written(t, v)
	require.Contains(t, text, `<a href="tg:resolve?domain=help"`)
	require.Contains(t, text, "Maintenance on Sunday")
}

// Programs of WireGuard take no subscription: each connection has its file, as a code and to be copied, and that of the
// first can be saved.
func TestAConnectionOfWireGuardHasItsFile(t *testing.T) {
	t.Parallel()
	v := view()
	require.NotContains(t, written(t, v), "WireGuard")
	first := flowsapi.Connection{
		Name: "<Anna>", Protocol: "wireguard", Host: "fra.example.org", Port: 51820,
		Tunnel: &flowsapi.Tunnel{PrivateKey: "cHJpdmF0ZQ==", PublicKey: "cHVibGlj", Address: "10.0.1.7/32", MTU: 1420},
	}
	second := first
	second.Host = "ams.example.org"
	v.Connections = append(v.Connections, first, second)
	text := written(t, v)
	require.Equal(t, 3, strings.Count(text, "<svg"))
	require.Contains(t, text, "WireGuard: &lt;Anna&gt;")
	require.Equal(t, 1, strings.Count(text, `href="`+address+`?format=wireguard" download`))
	require.Contains(t, html.UnescapeString(text), `data-copy="`+second.Conf()+`"`)
	v.Languages = "ru"
	require.Contains(t, written(t, v), "Отсканируйте код в приложении WireGuard")
}
