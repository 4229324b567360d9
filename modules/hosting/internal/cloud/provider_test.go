package cloud

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/hosting/hostingtest"
	"panel/platform/config"
	"panel/platform/fault"
	"panel/platform/outbound"
)

// called are the kinds whose providers are called; with makes servers are made.
var (
	called = []string{"aeza", "digitalocean", "hetzner", "linode", "selectel", "timeweb", "vultr"}
	makes  = []string{"digitalocean", "hetzner", "linode", "timeweb", "vultr"}
)

// freely gives every turn at once until somebody wants to be left alone, and then those that the caller can wait for.
type freely struct {
	mu    sync.Mutex
	until time.Time
	holds []time.Duration
}

func (f *freely) Turn(ctx context.Context, _ string, _ int) error {
	f.mu.Lock()
	wait := time.Until(f.until)
	f.mu.Unlock()
	if end, has := ctx.Deadline(); wait > 0 && has && time.Until(end) < wait {
		return &Waits{For: wait}
	}
	<-time.After(max(wait, 0))
	return nil
}

func (f *freely) Hold(_ context.Context, _ string, wait time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.until, f.holds = time.Now().Add(wait), append(f.holds, wait)
	return nil
}

func providers(t *testing.T, p Pace) *Providers {
	t.Helper()
	cfg, err := config.Of(map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.1"})
	require.NoError(t, err)
	network, err := outbound.NewNetwork(cfg)
	require.NoError(t, err)
	return New(network, p, time.Now)
}

func openAt(t *testing.T, p Pace, kind, root, token string) *Client {
	t.Helper()
	client, err := providers(t, p).Open("account", kind, addressOf(kind, root), credentials(kind, token))
	require.NoError(t, err)
	return client
}

// addressOf is what an account of a kind is opened at.
func addressOf(kind, root string) string {
	if kind == "selectel" {
		return root + "/identity"
	}
	return root
}

// credentials of an account with a token, or with a password where there are none.
func credentials(kind, token string) Credentials {
	if kind != "selectel" {
		return Credentials{"api_token": token}
	}
	return Credentials{
		"account_id": hostingtest.SelectelAccount, "username": hostingtest.SelectelUser, "password": token,
		"project_id": hostingtest.SelectelProject, "region": hostingtest.SelectelRegion,
	}
}

func open(t *testing.T, kind string) (*Client, *hostingtest.Cloud) {
	t.Helper()
	cloud := hostingtest.New(t, kind)
	return openAt(t, &freely{}, kind, cloud.URL, cloud.Token), cloud
}

// usual is a running machine in the words of each provider.
var usual = map[string]hostingtest.Machine{
	"aeza":         {Region: "nl", Plan: "182", Status: "active"},
	"digitalocean": {Region: "fra1", Plan: "s-1vcpu-1gb", Status: "active"},
	"hetzner":      {Region: "fsn1", Plan: "cx22", Status: "running"},
	"linode":       {Region: "eu-central", Plan: "g6-nanode-1", Status: "running"},
	"selectel":     {Region: hostingtest.SelectelRegion, Plan: "1011", Status: "ACTIVE"},
	"timeweb":      {Region: "ru-1", Plan: "2447", Status: "on"},
	"vultr":        {Region: "ams", Plan: "vc2-1c-1gb", Status: "active"},
}

func machine(kind string, id int) hostingtest.Machine {
	m := usual[kind]
	m.ID, m.Name, m.IPv4 = id, fmt.Sprintf("m-%04d", id), fmt.Sprintf("192.0.2.%d", id%250+1)
	m.IPv6, m.Tags = fmt.Sprintf("2001:db8::%x", id), []string{"panel"}
	return m
}

func TestAMachineHasOneShapeWhoeverHostsIt(t *testing.T) {
	t.Parallel()
	const gib = int64(1) << 30
	due := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	want := map[string]Server{
		"aeza":         {ID: "7", Price: &Price{63690, "RUB", Month}, NextDueAt: &due},
		"digitalocean": {ID: "7", Specs: Specs{1, gib, 25 * gib}, Price: &Price{600, "USD", Month}},
		"hetzner":      {ID: "7", Specs: Specs{2, 4 * gib, 40 * gib}, Price: &Price{451, "EUR", Month}},
		"linode":       {ID: "7", Specs: Specs{1, gib, 25 * gib}, Price: &Price{500, "USD", Month}},
		"selectel":     {ID: hostingtest.SelectelID(7), Specs: Specs{1, gib, 8 * gib}},
		"timeweb":      {ID: "7", Specs: Specs{1, gib, 15 * gib}, Price: &Price{19900, "RUB", Month}},
		"vultr":        {ID: hostingtest.VultrID(7), Specs: Specs{1, gib, 25 * gib}, Price: &Price{500, "USD", Month}},
	}
	for _, kind := range called {
		client, cloud := open(t, kind)
		there := machine(kind, 7)
		cloud.Put(there)
		found, err := client.Servers(t.Context())
		require.NoError(t, err, kind)
		require.Len(t, found, 1, kind)
		server := want[kind]
		server.Name, server.Status, server.Region, server.Plan = "m-0007", Running, there.Region, there.Plan
		server.IPv4, server.IPv6, server.Tags = []string{"192.0.2.8"}, []string{"2001:db8::7"}, []string{"panel"}
		if kind == "aeza" { // which has no tags
			server.Tags = []string{}
		}
		require.Equal(t, server, found[0], kind)
	}
}

// "Each against a stand-in that follows its public API: paging": no machine is lost between two pages, none read twice.
func TestAllPagesAreRead(t *testing.T) {
	t.Parallel()
	const many = 1203
	for _, kind := range called {
		client, cloud := open(t, kind)
		for id := range many {
			cloud.Put(machine(kind, id+1))
		}
		found, err := client.Servers(t.Context())
		require.NoError(t, err, kind)
		require.Len(t, found, many, kind)
		names := map[string]bool{}
		for _, one := range found {
			names[one.Name] = true
		}
		require.Len(t, names, many, kind)
		none := 0
		for _, call := range cloud.Calls() {
			if strings.HasPrefix(call, "GET ") && !strings.HasPrefix(call, "GET /pricing") {
				none++
			}
		}
		require.LessOrEqual(t, none, 25, "%s takes more pages than its largest size needs", kind)
	}
}

func TestEveryStateOfAMachineIsOneOfOurs(t *testing.T) {
	t.Parallel()
	want := map[string]map[string]string{
		"aeza":         {"activation_wait": Initializing, "prolong_wait": Off, "suspended": Off, "strange": Unknown},
		"digitalocean": {"new": Initializing, "active": Running, "off": Off, "archive": Off, "strange": Unknown},
		"hetzner":      {"initializing": Initializing, "off": Off, "migrating": Migrating, "strange": Unknown},
		"linode":       {"provisioning": Initializing, "offline": Off, "shutting_down": Stopping, "strange": Unknown},
		"selectel":     {"BUILD": Initializing, "SHUTOFF": Off, "HARD_REBOOT": Starting, "ERROR": Unknown},
		"timeweb":      {"installing": Initializing, "no_paid": Off, "transfer": Migrating, "strange": Unknown},
		"vultr":        {"pending": Initializing, "stopped": Off, "resizing": Rebuilding, "suspended": Unknown},
	}
	for _, kind := range called {
		client, cloud := open(t, kind)
		for theirs, ours := range want[kind] {
			one := machine(kind, 1)
			one.Status = theirs
			cloud.Put(one)
			found, err := client.Servers(t.Context())
			require.NoError(t, err, kind)
			require.Equal(t, ours, found[0].Status, "%s: %s", kind, theirs)
		}
	}
}

func TestRegionsAndPlansHaveWhatCanBeOrdered(t *testing.T) {
	t.Parallel()
	regions := map[string]Region{
		"digitalocean": {"fra1", "Frankfurt 1", ""}, "hetzner": {"fsn1", "Falkenstein", "DE"},
		"linode": {"eu-central", "Frankfurt, DE", "DE"}, "timeweb": {"ru-1", "ru-1", "RU"},
		"vultr": {"ams", "Amsterdam", "NL"},
	}
	prices := map[string]map[string]int64{ // by region; "" is the usual one
		"digitalocean": {"": 600, "fra1": 600}, "hetzner": {"": 451, "hel1": 495},
		"linode": {"": 500, "br-gru": 700}, "timeweb": {"": 19900, "ru-1": 19900}, "vultr": {"": 500, "ams": 500},
	}
	for _, kind := range makes {
		client, _ := open(t, kind)
		found, err := client.Regions(t.Context())
		require.NoError(t, err, kind)
		require.Equal(t, regions[kind], found[0], kind)
		for region, amount := range prices[kind] {
			plans, err := client.Plans(t.Context(), region)
			require.NoError(t, err, kind)
			require.Equal(t, amount, plans[0].Price.Amount, "%s in %q", kind, region)
			require.Equal(t, usual[kind].Plan, plans[0].ID, kind)
			for _, plan := range plans {
				require.NotContains(t, []string{"cx11", "512mb"}, plan.ID, "%s: what cannot be ordered is offered",
					kind)
			}
		}
	}
	client, _ := open(t, "vultr")
	plans, err := client.Plans(t.Context(), "ams")
	require.NoError(t, err)
	require.Len(t, plans, 1, "a plan that the region does not have is offered")
}

// Hetzner charges an IPv4 address beside the size: a server that has one costs more.
func TestAPriceAtHetznerHasThatOfTheAddress(t *testing.T) {
	t.Parallel()
	client, cloud := open(t, "hetzner")
	with, without := machine("hetzner", 1), machine("hetzner", 2)
	without.IPv4 = ""
	cloud.Put(with, without)
	found, err := client.Servers(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(451), found[0].Price.Amount)
	require.Equal(t, int64(381), found[1].Price.Amount)
	require.Empty(t, found[1].IPv4)
}

// A balance is what is left to spend, whatever sign a provider gives it.
func TestABalanceIsWhatIsLeft(t *testing.T) {
	t.Parallel()
	want := map[string]int64{"digitalocean": -1020, "vultr": -1270, "linode": -1145} // with what is not invoiced yet
	for kind, amount := range want {
		client, cloud := open(t, kind)
		cloud.Owes(10.2)
		account, err := client.Look(t.Context())
		require.NoError(t, err, kind)
		require.Equal(t, &Money{Amount: amount, Currency: "USD"}, account.Balance, kind)
	}
	client, cloud := open(t, "timeweb")
	cloud.Owes(-199.5)
	account, err := client.Look(t.Context())
	require.NoError(t, err)
	require.Equal(t, &Money{Amount: 19950, Currency: "RUB"}, account.Balance)
	client, _ = open(t, "hetzner")
	account, err = client.Look(t.Context())
	require.NoError(t, err)
	require.Nil(t, account.Balance, "Hetzner has no balance")
}

// "test names the missing right", in the provider's words.
func TestALookNamesTheRightThatIsMissing(t *testing.T) {
	t.Parallel()
	cases := []struct {
		kind    string
		has     []string
		missing []string
	}{
		{"hetzner", []string{"Read"}, []string{"Read & Write"}},
		{"digitalocean", []string{"account:read", "droplet:read"}, []string{"billing:read"}},
		{"digitalocean", []string{"account:read", "billing:read"}, []string{"droplet:read"}},
		{"vultr", []string{"billing", "subscriptions", "provisioning"}, []string{"subscriptions_view"}},
		{"vultr", []string{"billing", "subscriptions_view"}, []string{"subscriptions", "provisioning"}},
		{"selectel", []string{"reader"}, []string{"member"}},
		{"linode", []string{"linodes:read_write"}, []string{"account:read_only"}},
		{"linode", []string{"account:read_only"}, []string{"linodes:read_write"}},
		{"linode", []string{"account:read_only", "linodes:read_only"}, []string{"linodes:read_write"}},
	}
	for _, c := range cases {
		client, cloud := open(t, c.kind)
		cloud.Allow(c.has...)
		account, err := client.Look(t.Context())
		require.NoError(t, err, c.kind)
		require.Equal(t, c.missing, account.Missing, "%s with %v", c.kind, c.has)
	}
	for _, kind := range called {
		client, cloud := open(t, kind)
		account, err := client.Look(t.Context())
		require.NoError(t, err, kind)
		require.Empty(t, account.Missing, kind)
		for _, call := range cloud.Calls() {
			harmless := []string{"POST /servers", "POST /identity/auth/tokens"}
			require.True(t, strings.HasPrefix(call, "GET ") || slices.Contains(harmless, call), "a look wrote: %s", call)
		}
	}
}

// Faults of "429": the call waits as long as the provider says, and so do all others of the account.
func TestAProviderThatIsBusyIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, kind := range called {
		turns := &freely{}
		cloud := hostingtest.New(t, kind)
		client := openAt(t, turns, kind, cloud.URL, cloud.Token)
		cloud.Put(machine(kind, 1))
		cloud.Busy(1, "1")
		begun := time.Now()
		found, err := client.Servers(t.Context())
		require.NoError(t, err, kind)
		require.Len(t, found, 1, kind)
		require.GreaterOrEqual(t, time.Since(begun), time.Second, "%s was asked again too soon", kind)
		require.Equal(t, []time.Duration{time.Second}, turns.holds, kind)

		cloud.Busy(1, "600")
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, err = client.Servers(ctx)
		cancel()
		problem := ProblemOf(err)
		require.NotNil(t, problem, kind)
		require.Equal(t, RateLimited, problem.Cause, kind)
		require.Greater(t, problem.After, 9*time.Minute, kind)
		require.Greater(t, problem.Fault().RetryAfter, 9*time.Minute, kind)
	}
}

// Faults of "401" and "500": each has its cause, and what may pass is asked again before it is told.
func TestRefusalsHaveTheirCause(t *testing.T) {
	t.Parallel()
	for _, kind := range called {
		cloud := hostingtest.New(t, kind)
		_, err := openAt(t, &freely{}, kind, cloud.URL, "none-of-theirs").Servers(t.Context())
		require.Equal(t, CredentialsRefused, ProblemOf(err).Cause, kind)
		require.Equal(t, "hosting_credentials_refused", ProblemOf(err).Fault().Code, kind)

		client := openAt(t, &freely{}, kind, cloud.URL, cloud.Token)
		cloud.Break(2)
		_, err = client.Servers(t.Context())
		require.NoError(t, err, "%s: two failures that passed were told", kind)
		cloud.Break(3)
		_, err = client.Servers(t.Context())
		require.Equal(t, ProviderFailed, ProblemOf(err).Cause, kind)
		require.Equal(t, fault.KindUpstream, fault.KindOf(AsFault(err)), kind)
	}
}

// What is no answer of a provider is one cause, and nothing of it reaches an error but a short sentence.
func TestHostileAnswersAreRefused(t *testing.T) {
	t.Parallel()
	const token = "a-token-that-nobody-may-read"
	answers := map[string]http.HandlerFunc{
		"html": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>who are you</html>")) },
		"null": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("[1,2")) },
		"echo": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			words := strings.Repeat(r.Header.Get("Authorization"), 50)
			_, _ = fmt.Fprintf(w, `{"error":{"code":"x","message":%q},"message":%q}`, words, words)
		},
		"endless": func(w http.ResponseWriter, r *http.Request) {
			_,
				_ = w.Write([]byte(`{"servers":[],"droplets":[],"instances":[],"plans":[],"data":[],"page":1,` +
				`"pages":9,"links":{"pages":{"next":"x"}},"meta":{"total":9,"pagination":{"next_page":1},` +
				`"links":{"next":"x"}}}`))
		},
		"large": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"servers":["` + strings.Repeat("x", mostAnswer) + `"]}`))
		},
	}
	for name, answer := range answers {
		server := httptest.NewServer(answer)
		t.Cleanup(server.Close)
		for _, kind := range called {
			_, err := openAt(t, &freely{}, kind, server.URL, token).Servers(t.Context())
			problem := ProblemOf(err)
			require.NotNil(t, problem, "%s from %s: %v", name, kind, err)
			require.NotContains(t, err.Error(), token, "%s from %s", name, kind)
			require.Less(t, len(problem.Words), 250, "%s from %s", name, kind)
		}
	}
}

func TestAProviderThatIsNotThereIsUnreachable(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	for _, kind := range called {
		_, err := openAt(t, &freely{}, kind, server.URL, "t").Look(t.Context())
		require.Equal(t, Unreachable, ProblemOf(err).Cause, kind)
		require.NotContains(t, err.Error(), "127.0.0.1", kind)
		require.Equal(t, "hosting_provider_timeout", ProblemOf(err).Fault().Code, kind)
	}
}

// "Addresses of infrastructure may be private; loopback, link-local and metadata addresses only inside
// PANEL_OUTBOUND_ALLOW."
func TestAnAccountCannotNameForbiddenAddresses(t *testing.T) {
	t.Parallel()
	network, err := outbound.Through("")
	require.NoError(t, err)
	p := New(network, &freely{}, time.Now)
	given := Credentials{"api_token": "t"}
	for _, address := range []string{
		"http://127.0.0.1/v1", "http://[::1]/", "http://169.254.169.254/latest", "ftp://api.example.com",
		"file:///etc/passwd",
		"https://user:secret@api.example.com", "https://api.example.com/?x=1", "not an address",
	} {
		_, err := p.Open("a", "hetzner", address, given)
		known, _ := fault.As(err)
		require.NotNil(t, known, address)
		require.Equal(t, "invalid_value", known.Code, address)
		require.NotContains(t, known.Error(), "secret", address)
	}
	_, err = p.Open("a", "hetzner", "https://10.0.0.5/v1", given)
	require.NoError(t, err)
}

func TestCredentialsThatCannotBeMeantAreRefused(t *testing.T) {
	t.Parallel()
	p := providers(t, &freely{})
	for name, given := range map[string]Credentials{
		"none": {}, "another field": {"api_token": "t", "password": "p"}, "a line feed": {"api_token": "a\nb"},
		"a space": {"api_token": "a b"}, "too long": {"api_token": strings.Repeat("x", 5000)},
	} {
		err := p.Check("hetzner", "", given)
		require.Equal(t, "invalid_value", fault.Code(err), name)
		require.NotContains(t, err.Error(), "xxxx", name)
	}
	require.Equal(t, "invalid_value", fault.Code(p.Check("no such", "", nil)))
	require.Equal(t, "invalid_value", fault.Code(p.Check(Custom, "https://example.com", nil)))
	require.NoError(t, p.Check(Custom, "", nil))
	_, err := p.Open("a", Custom, "", nil)
	require.Equal(t, "not_able", fault.Code(err))
}

func TestAmountsAreReadWithoutFloats(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"3.7900000000": 379, "4.5101000000": 451, "0.005": 1, "0.0049": 0, "-1.005": -101, "12": 1200, "0": 0,
	} {
		got, ok := minor(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "x", "1e9", "1/3", "0x10", strings.Repeat("9", 41), strings.Repeat("9", 30)} {
		_, ok := minor(text)
		require.False(t, ok, text)
	}
}

func TestOnlyAddressesCountAsOnes(t *testing.T) {
	t.Parallel()
	v4, v6 := Split([]string{"192.0.2.1", "::ffff:192.0.2.1", "2001:DB8::1/64", "0.0.0.0", "::", "", "host.example"})
	require.Equal(t, []string{"192.0.2.1"}, v4)
	require.Equal(t, []string{"2001:db8::1"}, v6)
	require.Equal(t, []string{"2001:db8:1::1"}, firstOf("2001:db8:1::/64"))
}
