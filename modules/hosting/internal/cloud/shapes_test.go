package cloud

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// answering is an account at a provider that answers each path with one text.
func answering(t *testing.T, kind string, answers map[string]string) *Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, known := answers[r.URL.Path]
		if !known {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return openAt(t, &freely{}, kind, server.URL, "token")
}

// An account without machines has none, which is another answer than a list that is not there.
func TestAnAccountWithoutMachinesHasNone(t *testing.T) {
	t.Parallel()
	for _, kind := range called {
		client, _ := open(t, kind)
		list, err := client.Servers(t.Context())
		require.NoError(t, err, kind)
		require.NotNil(t, list, kind)
		require.Empty(t, list, kind)
	}
}

const hetznerPrices = `{"pricing":{"primary_ips":[
	{"type":"ipv4","prices":[{"location":"fsn1","price_monthly":{"gross":"0.5950"}},
		{"location":"hel1","price_monthly":{"gross":"for free"}}]},
	{"type":"ipv6","prices":[{"location":"fsn1","price_monthly":{"gross":"9.0000"}}]}]}}`

// Hetzner: a size has a price in each location, an address another one beside it; what cannot be read is no price, and
// what is over cannot be had.
func TestSizesOfHetzner(t *testing.T) {
	t.Parallel()
	client := answering(t, "hetzner", map[string]string{"/pricing": hetznerPrices, "/server_types": `{"server_types":[
		{"name":"cax11","description":"CAX11","cores":2,"memory":0.5,"disk":40,"prices":[
			{"location":"fsn1","price_monthly":{"gross":"3.2900"}},{"location":"hel1","price_monthly":{"gross":"2.995"}}]},
		{"name":"old","prices":[{"location":"fsn1","price_monthly":{"gross":"1"}}],"deprecation":{}},
		{"name":"out","locations":[{"name":"fsn1","available":true,"deprecation":{}},{"name":"hel1","available":false}]},
		{"name":"odd","prices":[{"location":"fsn1","price_monthly":{"gross":"1/3"}}]}]}`})
	plans, err := client.Plans(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, []Plan{
		{
			ID: "cax11", Name: "CAX11", Specs: Specs{VCPU: 2, Mem: 512 * mib, Disk: 40 * gib},
			Price: &Price{300, "EUR", Month}, Regions: []string{"fsn1", "hel1"},
		},
		{ID: "odd", Regions: []string{"fsn1"}},
	}, plans, "without a region the lowest price counts, with the address")
	plans, err = client.Plans(t.Context(), "fsn1")
	require.NoError(t, err)
	require.Equal(t, &Price{389, "EUR", Month}, plans[0].Price)
	plans, err = client.Plans(t.Context(), "nbg1")
	require.NoError(t, err)
	require.Empty(t, plans)
}

// Hetzner: a machine is where it says, or where its datacenter is; labels are tags, with their value where they have
// one.
func TestMachinesOfHetzner(t *testing.T) {
	t.Parallel()
	client := answering(t, "hetzner", map[string]string{"/pricing": hetznerPrices, "/servers": `{"servers":[
		{"id":1,"name":"a","status":"deleting","location":{"name":"fsn1"},"labels":{"role":"exit","panel":""},
			"public_net":{"ipv4":null,"ipv6":null},"server_type":{"name":"cx22"}},
		{"id":2,"name":"b","datacenter":{"location":{"name":"hel1"}},"public_net":{"ipv4":{"ip":"192.0.2.2"},
			"ipv6":{"ip":"2001:db8:7::/64"}}},
		{"id":3}]}`})
	list, err := client.Servers(t.Context())
	require.NoError(t, err)
	none := []string{}
	require.Equal(t, []Server{
		{
			ID: "1", Name: "a", Status: Deleting, Region: "fsn1", Plan: "cx22", IPv4: none, IPv6: none,
			Tags: []string{"panel", "role=exit"},
		},
		{
			ID: "2", Name: "b", Status: Unknown, Region: "hel1", IPv4: []string{"192.0.2.2"},
			IPv6: []string{"2001:db8:7::1"}, Tags: none,
		},
		{ID: "3", Status: Unknown, IPv4: none, IPv6: none, Tags: none},
	}, list)
}

// DigitalOcean: addresses inside a private network are not where anybody finds the machine, and a price of 0 is none.
func TestMachinesOfDigitalOcean(t *testing.T) {
	t.Parallel()
	client := answering(t, "digitalocean", map[string]string{"/droplets": `{"droplets":[{"id":1,"name":"a",
		"memory":512,"vcpus":1,"disk":10,"status":"archive","size_slug":"s","size":{"price_monthly":0},
		"region":{"slug":"ams3"},"tags":null,"networks":{"v4":[{"ip_address":"10.1.2.3","type":"private"},
		{"ip_address":"192.0.2.1","type":"public"},{"ip_address":"192.0.2.1","type":"public"}],
		"v6":[{"ip_address":"2001:DB8::1","type":"public"},{"ip_address":"fd00::1","type":"private"}]}}]}`})
	list, err := client.Servers(t.Context())
	require.NoError(t, err)
	require.Equal(t, []Server{{
		ID: "1", Name: "a", Status: Off, Region: "ams3", Plan: "s", Specs: Specs{VCPU: 1, Mem: 512 * mib, Disk: 10 * gib},
		IPv4: []string{"192.0.2.1"}, IPv6: []string{"2001:db8::1"}, Tags: []string{},
	}}, list)
}

// The address of the next page is not followed, wherever it leads: the panel counts by itself.
func TestTheNextPageIsAskedForByItsNumber(t *testing.T) {
	t.Parallel()
	require.Empty(t, digitalOceanPages{}.next(1))
	var pages digitalOceanPages
	pages.Pages.Next = "http://169.254.169.254/?page=77"
	require.Equal(t, "5", pages.next(4))
	require.Empty(t, hetznerMeta{}.next())
	require.Equal(t, "9", hetznerMeta{Pagination: struct {
		Next int `json:"next_page"`
	}{9}}.next())
	for next, pages := range map[string]linodePages{
		"2": {Page: 1, Pages: 3}, "3": {Page: 2, Pages: 3}, "": {Page: 3, Pages: 3}, "1": {Page: 0, Pages: 1},
	} {
		require.Equal(t, next, pages.next())
	}
	require.Empty(t, linodePages{}.next())
	require.Empty(t, linodePages{Page: 9, Pages: 3}.next())
	require.Equal(t, "&cursor=a+b%26c%3D", at("a b&c="), "a cursor of a provider does not change the question")
	require.Equal(t, "&marker=a%2Fb", past("a/b"))
	require.Empty(t, at("")+past(""))
	for marker, links := range map[string][]novaLink{
		"":     nil,
		"id-1": {{"self", "http://x/?marker=other"}, {"next", "http://169.254.169.254/x?limit=2&marker=id-1"}},
		"id-2": {{"next", "::no address"}, {"next", "?marker=id-2"}},
	} {
		require.Equal(t, marker, following(links))
	}
}

// A machine of Vultr has no address while it waits for one, and two words for what it does.
func TestMachinesOfVultr(t *testing.T) {
	t.Parallel()
	for want, one := range map[string]vultrInstance{
		Initializing: {Status: "pending", Power: "running"}, Rebuilding: {Status: "resizing", Power: "stopped"},
		Starting: {Status: "active", Power: "running", Server: "installingbooting"},
		Running:  {Status: "active", Power: "running", Server: "locked"}, Off: {Status: "active", Power: "stopped"},
	} {
		require.Equal(t, want, one.status())
	}
	require.Equal(t, Unknown, (&vultrInstance{Status: "active", Power: "strange"}).status())
	require.Equal(t, Unknown, (&vultrInstance{Status: "suspended", Power: "running"}).status())
	waits := (&vultrInstance{ID: "x", MainIP: "0.0.0.0", MainV6: "::", Plan: "gone"}).server(map[string]*Price{"a": {}})
	require.Empty(t, waits.IPv4)
	require.Empty(t, waits.IPv6)
	require.Nil(t, waits.Price, "a plan that is not sold any more has no price")
	require.NotNil(t, waits.Tags)
}

// Linode: what a token may do is told as scopes, in which writing holds reading and a star holds all.
func TestScopesOfLinode(t *testing.T) {
	t.Parallel()
	for scopes, want := range map[string]bool{
		"account:read_only": true, "account:read_write": true, "account:*": true, "*": true,
		"linodes:read_write account:read_only": true, "linodes:*,account:read_write": true, "": true,
		"linodes:read_write": false, "accounts:read_only": false, "account": false, "account:read": false,
	} {
		require.Equal(t, want, opens(scopes, "account:read_only"), scopes)
	}
	require.False(t, opens("linodes:read_only", "linodes:read_write"), "reading holds no writing")
	size := linodeType{}
	size.Price.Monthly = 5
	size.RegionPrices = append(size.RegionPrices, struct {
		ID      string  `json:"id"`
		Monthly float64 `json:"monthly"`
	}{"br-gru", 7.5})
	require.Equal(t, &Price{750, "USD", Month}, size.price("br-gru"))
	require.Equal(t, &Price{500, "USD", Month}, size.price("eu-central"))
}

// Selectel: what is being done with a machine counts before what it is; addresses inside the project and what is none
// are left out.
func TestMachinesOfSelectel(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ status, task, want string }{
		{"ACTIVE", "", Running},
		{"ACTIVE", "powering-off", Stopping},
		{"SHUTOFF", "powering-on", Starting},
		{"ACTIVE", "deleting", Deleting},
		{"ACTIVE", "image_uploading", Running},
		{"SHELVED_OFFLOADED", "", Off},
		{"VERIFY_RESIZE", "", Migrating},
		{"active", "", Unknown},
		{"", "", Unknown},
	} {
		require.Equal(t, one.want, (&novaServer{Status: one.status, Task: one.task}).status(), one)
	}
	there := read[novaServer]([]byte(`{"id":"x","flavor":{"id":"1"},"metadata":{"b":"1","a":""},"addresses":{
		"n1":[{"addr":"192.168.0.5"},{"addr":"192.0.2.9"},{"addr":"fd00::1"}],
		"n2":[{"addr":"192.0.2.10"},{"addr":"none"},{"addr":"2001:db8::5"}]}}`))
	shown := there.server("ru-7", map[string]Specs{"1": {VCPU: 4}})
	require.Equal(t, []string{"192.0.2.10", "192.0.2.9"}, shown.IPv4)
	require.Equal(t, []string{"2001:db8::5"}, shown.IPv6)
	require.Equal(t, []string{"a", "b=1"}, shown.Tags)
	require.Equal(t, Specs{VCPU: 4}, shown.Specs)
	catalog := read[selectelToken]([]byte(`{"token":{"catalog":[
		{"type":"image","endpoints":[{"interface":"public","region_id":"ru-7","url":"image"}]},
		{"type":"compute","endpoints":[{"interface":"admin","region_id":"ru-7","url":"admin"},
			{"interface":"public","region_id":"ru-1","url":"elsewhere"},{"interface":"public","region_id":"ru-7","url":"here"}]}]}}`))
	require.Equal(t, "here", catalog.compute("ru-7"))
	require.Empty(t, catalog.compute("ru-8"))
}

// A token for a project that does not come, or says no place, is told as that.
func TestATokenThatDoesNotComeIsTold(t *testing.T) {
	t.Parallel()
	client := answering(t, "selectel", map[string]string{"/identity/auth/tokens": `{"token":{}}`})
	_, err := client.Servers(t.Context())
	require.Equal(t, AnswerUnreadable, ProblemOf(err).Cause)
	require.False(t, ProblemOf(err).Sent)
	require.Contains(t, err.Error(), "no token came")
}

// Timeweb: a machine has all its disks, its addresses of the internet alone, and the words of its comment as tags.
func TestMachinesOfTimeweb(t *testing.T) {
	t.Parallel()
	there := read[timewebServer]([]byte(`{"id":7,"name":"a","comment":" panel-order-x  mine ","preset_id":5,"status":"on",
		"location":"ru-1","cpu":2,"ram":2048,"disks":[{"size":1024},{"size":2048}],"networks":[
		{"type":"local","ips":[{"ip":"10.0.0.1"}]},{"type":"public","ips":[{"ip":"192.0.2.1"},{"ip":"2001:db8::1"}]}]}`))
	require.Equal(t, Server{
		ID: "7", Name: "a", Status: Running, Region: "ru-1", Plan: "5", Specs: Specs{VCPU: 2, Mem: 2 * gib, Disk: 3 * gib},
		IPv4: []string{"192.0.2.1"}, IPv6: []string{"2001:db8::1"}, Price: &Price{1, "RUB", Month},
		Tags: []string{"panel-order-x", "mine"},
	}, there.server(map[string]*Price{"5": {1, "RUB", Month}}))
}

// A list that says that there is more and gives nothing is no list: machines that it lacks are not taken for gone.
func TestAListThatLacksMembersIsNone(t *testing.T) {
	t.Parallel()
	for kind, answers := range map[string]map[string]string{
		"timeweb": {"/v1/presets/servers": `{}`, "/v1/servers": `{"servers":[],"meta":{"total":3}}`},
		"aeza":    {"/services": `{"data":{"items":[],"total":3}}`},
	} {
		_, err := answering(t, kind, answers).Servers(t.Context())
		require.Equal(t, AnswerUnreadable, ProblemOf(err).Cause, kind)
		require.Contains(t, ProblemOf(err).Words, "a list lacks", kind)
	}
}

// Aeza: a day that cannot be read is none, and what is no machine any more is gone.
func TestServicesOfAeza(t *testing.T) {
	t.Parallel()
	due := time.Unix(1798761600, 0).UTC()
	for text, want := range map[string]*time.Time{
		`1798761600`: &due, `"1798761600"`: &due, `"soon"`: nil, `0`: nil, `-5`: nil, `null`: nil, `1.5`: nil, ``: nil,
	} {
		one := aezaService{Term: "month"}
		one.Timestamps.ExpiresAt = []byte(text)
		require.Equal(t, want, one.due(), text)
	}
	client := answering(t, "aeza", map[string]string{
		"/services/1": `{"data":{"items":[{"id":1,"status":"deleted","product":{"type":"vps"}}]}}`,
		"/services/2": `{"data":{"items":[{"id":2,"status":"active","product":{"type":"domain"}}]}}`,
		"/services/3": `{"data":{"items":[]}}`,
	})
	for _, id := range []string{"1", "2", "3", "4", "../services/1"} {
		_, err := client.Server(t.Context(), id)
		require.Equal(t, NotFound, ProblemOf(err).Cause, id)
	}
}

// How far an action is, in the words of the two that have actions: one that failed says why as far as it is known.
func TestAnActionThatFailedSaysWhy(t *testing.T) {
	t.Parallel()
	hetzner := answering(t, "hetzner", map[string]string{
		"/actions/1": `{"action":{"status":"error","error":{"code":"x","message":"no room for token"}}}`,
		"/actions/2": `{"action":{"status":"error","error":{"code":"action_failed"}}}`,
		"/actions/3": `{"action":{"status":"error","error":null}}`, "/actions/4": `{"action":{"status":"running"}}`,
		"/actions/5": `{"action":{"status":"success","error":null}}`,
	})
	for id, want := range map[string]Progress{
		"1": {Failed: "no room for ***"}, "2": {Failed: "action_failed"}, "3": {Failed: "the action failed"}, "4": {},
		"5": {Done: true},
	} {
		found, err := hetzner.Progress(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, want, found, id)
	}
	ocean := answering(t, "digitalocean", map[string]string{
		"/actions/1": `{"action":{"status":"errored"}}`, "/actions/2": `{"action":{"status":"in-progress"}}`,
	})
	for id, want := range map[string]Progress{"1": {Failed: "the action failed"}, "2": {}} {
		found, err := ocean.Progress(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, want, found, id)
	}
}

// Every amount that is written with up to ten decimals is read to the nearest hundredth, and nothing else is an amount.
func TestAmountsAreReadToTheNearestHundredth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Int64Range(0, 1<<40).Draw(t, "whole")
		hundredths := rapid.Int64Range(0, 99).Draw(t, "hundredths")
		rest := rapid.StringMatching(`[0-9]{0,8}`).Draw(t, "rest")
		want := whole*100 + hundredths
		if rest != "" && rest[0] >= '5' {
			want++
		}
		text := strconv.FormatInt(whole, 10) + "." + string([]byte{byte('0' + hundredths/10), byte('0' + hundredths%10)}) + rest
		got, ok := minor(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
		got, ok = minor("-" + text)
		require.True(t, ok, text)
		require.Equal(t, -want, got, text)
	})
	for _, text := range []string{
		"1p5", "1P5", "0b11", "0o7", "1_000", "1,5", "--1", "1-1", ".", "+", "1.2.3", "Inf", "NaN", "1 000", "٣",
		"92233720368547758.08",
	} {
		_, ok := minor(text)
		require.False(t, ok, text)
	}
	for amount, want := range map[float64]int64{
		0: 0, 5: 500, 4.51: 451, 0.005: 1, -0.005: -1, 1.1: 110, 2.675: 268, 0.0049: 0, -10.2: -1020, 19.99: 1999,
	} {
		require.Equal(t, want, cents(amount), amount)
	}
}

// Credentials are taken to the letter: spaces and control characters at either end are a mistake of who pasted them.
func TestAFieldIsTakenToTheLetter(t *testing.T) {
	t.Parallel()
	field := Field{Name: "x", Required: true}
	for _, value := range []string{"a", "a.b-c_d", "пароль", strings.Repeat("x", 4096)} {
		require.Empty(t, field.wrong(value))
	}
	for _, value := range []string{"", " a", "a ", "a\t", "\x00", "a\x7f", strings.Repeat("x", 4096) + "x"} {
		require.NotEmpty(t, field.wrong(value), "%.10q", value)
	}
	require.Empty(t, Field{Name: "x"}.wrong(""))
	require.Equal(t, "..%2Fa%20b%3Fc", segment("../a b?c"), "an id does not lead elsewhere")
}
