package subscriptions_test

import (
	"mime"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
)

// titled has a subscription be called by a title.
func (s *stage) titled(title string) {
	s.t.Helper()
	s.Admin().Put(settingsPath, map[string]any{
		"revision": s.Admin().Get(settingsPath).Is(200).Value("revision"), "settings": map[string]any{
			"title": title, "support": "", "announcement": "", "interval_hours": 12,
		},
	}).Is(200)
}

// Programs of WireGuard take the name of the file for that of a network device: it has up to 15 letters and digits of
// ASCII, whatever the subscription is called, and ends as such files do.
func TestTheFileOfWireGuardIsNamedAsANetworkDevice(t *testing.T) {
	t.Parallel()
	s := setup(t)
	held := s.holds["ANNATOKEN"]
	held.Connections = []flowsapi.Connection{{
		Name: "Anna", Protocol: "wireguard", Host: "fra.example.org", Port: 51820,
		Tunnel: &flowsapi.Tunnel{PrivateKey: "cHJpdmF0ZQ==", PublicKey: "cHVibGlj", Address: "10.0.1.7/32", MTU: 1420},
	}}
	s.holds["ANNATOKEN"] = held
	for title, name := range map[string]string{
		"My VPN": "MyVPN.conf", "Мой VPN 2": "VPN2.conf", "Мой": "wireguard.conf", "../../etc/passwd": "etcpasswd.conf",
		"a very long name of a company": "averylongnameof.conf", "": "main.conf",
	} {
		s.titled(title)
		answer := s.ask(anna+"?format=wireguard", "curl/8", "*/*").Is(200)
		kind, names, err := mime.ParseMediaType(answer.Header.Get("Content-Disposition"))
		require.NoError(t, err)
		require.Equal(t, []string{"attachment", name}, []string{kind, names["filename"]}, title)
		require.Contains(t, string(answer.Body), "Endpoint = fra.example.org:51820")
	}
}

// A client without an end and without a quota is told so by what is left out, not by a moment in the past.
func TestAClientWithoutAnEndClaimsNone(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, one := range []struct {
		usage flowsapi.Usage
		said  string
	}{
		{flowsapi.Usage{Up: 5}, "upload=5; download=0; total=0"},
		{flowsapi.Usage{Total: 1 << 40}, "upload=0; download=0; total=1099511627776"},
		{flowsapi.Usage{Expires: time.Unix(1_900_000_000, 5)}, "upload=0; download=0; total=0; expire=1900000000"},
	} {
		held := s.holds["ANNATOKEN"]
		held.Usage = &one.usage
		s.holds["ANNATOKEN"] = held
		require.Equal(t, one.said, s.ask(anna, "v2rayNG/1.9", "*/*").Is(200).Header.Get("subscription-userinfo"))
	}
}

// Whoever cannot connect any more still gets every header that programs read, in each form: they show why, and go on
// asking.
func TestWhoMayNotConnectIsStillToldAboutTheSubscription(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, state := range []string{"expired", "spent", "disabled"} {
		held := s.holds["ANNATOKEN"]
		held.State, held.Connections = state, nil
		held.Usage = &flowsapi.Usage{Up: 1, Down: 2, Total: 3, Expires: time.Unix(1_900_000_000, 0)}
		s.holds["ANNATOKEN"] = held
		for _, form := range []string{"links", "xray", "sing-box", "clash"} {
			answer := s.ask(anna+"?format="+form, "curl/8", "*/*").Is(200)
			require.Equal(t, "upload=1; download=2; total=3; expire=1900000000",
				answer.Header.Get("subscription-userinfo"), "%s %s", state, form)
			require.Equal(t, "12", answer.Header.Get("profile-update-interval"))
			require.NotContains(t, string(answer.Body), "fra.example.org")
			require.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
		}
		s.clock.Advance(time.Minute)
	}
}

// A form that nobody knows is refused, and nothing of the subscription is told with it.
func TestAnUnknownFormIsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, form := range []string{"yaml", "LINKS", "links,clash", "%00"} {
		answer := s.ask(anna+"?format="+form, "curl/8", "*/*")
		require.Equal(t, http.StatusBadRequest, answer.Status, form)
		require.NotContains(t, string(answer.Body), "fra.example.org")
	}
}

// The title of a subscription is that of the settings; without one it is the name of the flow.
func TestASubscriptionHasATitle(t *testing.T) {
	t.Parallel()
	s := setup(t)
	title := func() string {
		_, names, err := mime.ParseMediaType(s.ask(anna, "v2rayNG/1.9", "*/*").Is(200).Header.Get("Content-Disposition"))
		require.NoError(t, err)
		return names["filename"]
	}
	require.Equal(t, "Европа main", title())
	s.titled("Support, Inc.")
	require.Equal(t, "Support, Inc.", title())
	s.titled("")
	require.Equal(t, "Европа main", title())
}
