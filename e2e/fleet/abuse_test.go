package fleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
)

// Addresses of the fleet that is misused.
const (
	misusePanel  = "203.0.115.1" // panel and clients
	misuseNode   = "203.0.115.2"
	misuseSite   = "203.0.115.3" // what clients reach, beside the panel
	carrier      = "198.51.100.77"
	flooderHome  = "203.0.115.9" // another machine
	crowd        = 200
	networks     = 12
	judgedWithin = 3 * time.Minute // agents deliver each five seconds, the panel judges once a minute
)

// misused is a server with a flow whose clients do harm, or seem to.
type misused struct {
	crossing
	enter  []string // runs commands on the server
	away   []string // and on the machine of the flooder
	people people
	other  people // on that machine
	ids    map[string]string
}

// What agents see in real traffic becomes a signal of the right kind for the right person, once, also when the agent is
// killed meanwhile; a crowd behind one address of a carrier is nobody's case.
func TestMisuseIsSeenAndACrowdIsNone(t *testing.T) {
	t.Parallel()
	w := &misused{crossing: crossing{T: t}, ids: map[string]string{}}
	w.bringUp()
	w.invite()
	t.Run("a crowd behind one address of a carrier", w.crowd)
	t.Run("a torrent's handshake and tracker", w.torrent)
	t.Run("a scan", w.scan)
	t.Run("mail", w.mail)
	t.Run("a flood", w.flood)
	t.Run("one user from many networks", w.shared)
	t.Run("who is a case and who is none", w.cases)
	t.Run("sessions of a user are dropped", w.dropped)
	t.Run("an address is blocked while the panel is away, and served again when that ends", w.blocked)
	t.Run("a block is lifted by hand", w.lifted)
}

func (w *misused) bringUp() {
	command(w.T, "ip", "link", "set", "lo", "up")
	command(w.T, "ip", "link", "add", "misuse", "type", "bridge")
	w.Cleanup(func() { command(w.T, "ip", "link", "del", "misuse") })
	for _, address := range append(homes(), misusePanel+"/24", misuseSite+"/24", carrier+"/32") {
		command(w.T, "ip", "addr", "add", address, "dev", "misuse")
	}
	command(w.T, "ip", "link", "set", "misuse", "up")
	var err error
	w.site, err = rig.OpenSite(misuseSite)
	require.NoError(w, err)
	w.Cleanup(w.site.Close)
	w.stand = rigtest.Install(w, rig.PanelSettings{
		Host: misusePanel, Port: 8082, Env: []string{"PANEL_OUTBOUND_ALLOW=203.0.115.0/24"},
	})
	w.enter = serverOn(w.T, "misuse", "misused", misuseNode+"/24")
	command(w.T, append(append([]string{}, w.enter...), "ip", "route", "add", "default", "via", misusePanel)...)
	w.away = serverOn(w.T, "misuse", "flooder", flooderHome+"/24")
	w.entry = w.agent("misused", w.enter)
	w.exit = w.entry
	flow, err := w.stand.API.Draw(w.Context(), "misused", w.drawing(443))
	require.NoError(w, err)
	w.flow = flow.ID
	w.apply()
}

// homes are addresses of many networks that one user comes from.
func homes() (all []string) {
	for n := range networks {
		all = append(all, fmt.Sprintf("198.51.%d.5/32", 101+n))
	}
	return all
}

// invite adds the clients, and has each come from an address of its own or the crowd's.
func (w *misused) invite() {
	w.Helper()
	from := map[string]string{
		"leech": misusePanel, "scanner": misusePanel, "spammer": misusePanel,
	}
	for n := range crowd {
		from[guest(n)] = carrier
	}
	for name := range from {
		w.ids[name] = w.add(w.T, name)
	}
	w.ids["shared"], w.ids["flooder"] = w.add(w.T, "shared"), w.add(w.T, "flooder")
	for name, address := range from {
		w.people.join(w.T, name, w.linkOf(w.T, w.ids[name]), address)
	}
	for n, home := range homes() {
		address, _, _ := strings.Cut(home, "/")
		w.people.join(w.T, device(n), w.linkOf(w.T, w.ids["shared"]), address)
	}
	w.people.begin(w.T, "127.0.0.1")
	w.other.join(w.T, "flooder", w.linkOf(w.T, w.ids["flooder"]), flooderHome)
	w.other.begin(w.T, flooderHome, w.away...)
}

func guest(n int) string { return fmt.Sprint("guest ", n) }

// device is one of those that share an account.
func device(n int) string { return fmt.Sprint("device ", n) }

// crowd has everybody behind the carrier's address look at a page some times, at once.
func (w *misused) crowd(t *testing.T) {
	var all sync.WaitGroup
	turn := make(chan struct{}, 16)
	for n := range crowd {
		all.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			for range 3 {
				w.people.says(t, guest(n), w.pageAddress(), "GET / HTTP/1.0\r\n\r\n")
			}
		})
	}
	all.Wait()
}

func (w *misused) pageAddress() string { return strings.TrimPrefix(w.site.Page, "http://") }

// listener answers everybody who writes, on a port of the site's address.
func (w *misused) listener(t *testing.T, port string) (address string) {
	t.Helper()
	server := &http.Server{ReadHeaderTimeout: time.Minute} // what is no HTTP is answered, too
	listener, err := net.Listen("tcp", net.JoinHostPort(misuseSite, port))
	require.NoError(t, err)
	go func() { _ = server.Serve(listener) }() // ends with Close
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return listener.Addr().String()
}

const handshake = "\x13BitTorrent protocol\x00\x00\x00\x00\x00\x10\x00\x05aaaaaaaaaaaaaaaaaaaa-QB4620-aaaaaaaaaaaa\n\n"

// torrent does both; in between the agent is killed, and comes back to what the core has kept for it.
func (w *misused) torrent(t *testing.T) {
	peer, tracker := w.listener(t, "0"), w.listener(t, "0")
	announce := "GET /announce?info_hash=aaaaaaaaaaaaaaaaaaaa&peer_id=-QB4620-aaaaaaaaaaaa&port=51413&uploaded=0&left=1 " +
		"HTTP/1.1\r\nHost: tracker.example\r\nUser-Agent: qBittorrent/4.6.2\r\n\r\n"
	w.people.says(t, "leech", peer, handshake)
	w.people.says(t, "leech", peer, handshake)
	w.entry.Kill()
	w.people.says(t, "leech", peer, handshake)
	w.people.says(t, "leech", tracker, announce)
	require.NoError(t, w.entry.Launch())
	w.signalled(t, "leech", "torrent", 4)
}

func (w *misused) scan(t *testing.T) {
	for n := range 80 {
		go w.people.says(t, "scanner", fmt.Sprintf("203.0.115.%d:5555", 100+n), "hello")
	}
	w.signalled(t, "scanner", "port_scan", 60)
}

func (w *misused) mail(t *testing.T) {
	server := w.listener(t, "25")
	for range 30 {
		w.people.says(t, "spammer", server, "EHLO spam.example\r\n\r\n")
	}
	w.signalled(t, "spammer", "smtp_spam", 20)
}

func (w *misused) flood(t *testing.T) {
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 60 {
				w.other.says(t, "flooder", w.pageAddress(), "GET / HTTP/1.0\r\n\r\n")
			}
		})
	}
	all.Wait()
	w.signalled(t, "flooder", "ddos_out", 500)
}

// shared has one user connected from all homes at once.
func (w *misused) shared(t *testing.T) {
	w.limitSources(t)
	opened := w.site.Held()
	for n := range networks {
		conn, err := w.people.dial(t, device(n), w.pageAddress())
		require.NoError(t, err)
		defer conn.Close()
		_, err = fmt.Fprint(conn, "GET /held HTTP/1.0\r\n\r\n")
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return w.site.Held() == opened+networks }, answersWithin, glance)
	w.signalled(t, "shared", "too_many_sources", 1)
	require.NoError(t, w.entry.Stop(), "which ends the window of five minutes")
	require.NoError(t, w.entry.Launch())
	path := "/api/v1/abuse/users/c:" + w.ids["shared"] + "/diversity"
	require.NoError(t, rig.Eventually(t.Context(), judgedWithin, func(ctx context.Context) error {
		var seen struct {
			MaxSources    int `json:"max_sources"`
			MaxConcurrent int `json:"max_concurrent"`
		}
		if err := w.stand.API.Get(ctx, path, &seen); err != nil {
			return err
		}
		if seen.MaxSources != networks || seen.MaxConcurrent != networks {
			return fmt.Errorf("seen of the shared account: %+v", seen)
		}
		return nil
	}))
}

// limitSources has agents tell of an account that is used from so many networks at once.
func (w *misused) limitSources(t *testing.T) {
	t.Helper()
	const path = "/api/v1/abuse/settings"
	var kept struct {
		Revision int    `json:"revision"`
		Settings object `json:"settings"`
	}
	require.NoError(t, w.stand.API.Get(t.Context(), path, &kept))
	kept.Settings["collect"].(object)["limits"].(object)["high_source"] = networks
	require.NoError(t, w.stand.API.Put(t.Context(), path, kept, nil))
}

type signals struct {
	Items []struct {
		Kind      string `json:"kind"`
		UserRef   string `json:"user_ref"`
		UserLabel string `json:"user_label"`
		FlowID    string `json:"flow_id"`
		Count     int    `json:"count"`
		Source    struct {
			IP         string `json:"ip"`
			PrefixHash string `json:"prefix_hash"`
		} `json:"source"`
	} `json:"items"`
}

// signalled waits for a signal of the kind about a person, counted at least so often.
func (w *misused) signalled(t *testing.T, name, kind string, least int) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), judgedWithin, func(ctx context.Context) error {
		count, err := w.counted(ctx, name, kind)
		if err == nil && count < least {
			err = fmt.Errorf("%s of %s was seen %d times", kind, name, count)
		}
		return err
	}))
}

// counted is how often the signals of a person say that something was seen.
func (w *misused) counted(ctx context.Context, name, kind string) (count int, err error) {
	var told signals
	if err := w.stand.API.Get(ctx, "/api/v1/abuse/signals?limit=200&user_ref=c:"+w.ids[name], &told); err != nil {
		return 0, err
	}
	for _, s := range told.Items {
		ofNoStream := s.Kind == "too_many_sources"
		if s.UserLabel != name || !ofNoStream && (s.FlowID != w.flow || s.Source.PrefixHash == "") {
			return 0, fmt.Errorf("%w: a signal is of somebody else: %+v", rig.ErrHopeless, s)
		}
		if s.Kind == kind {
			count += s.Count
		}
	}
	return count, nil
}

// cases are of those who did harm; nobody of the crowd has a signal or a case.
func (w *misused) cases(t *testing.T) {
	type listed struct {
		Items []struct {
			User struct {
				Name string `json:"name"`
			} `json:"user"`
			Signals map[string]int64 `json:"signals"`
		} `json:"items"`
	}
	wanted := map[string]string{"scanner": "port_scan", "spammer": "smtp_spam", "flooder": "ddos_out"}
	var found listed
	require.NoError(t, rig.Eventually(t.Context(), judgedWithin, func(ctx context.Context) error {
		found = listed{}
		if err := w.stand.API.Get(ctx, "/api/v1/abuse/cases?limit=200", &found); err != nil {
			return err
		}
		there := map[string]bool{}
		for _, c := range found.Items {
			there[c.User.Name] = true
		}
		for name := range wanted {
			if !there[name] {
				return errors.New("no case of the " + name)
			}
		}
		return nil
	}))
	suspects := map[string]bool{}
	for _, c := range found.Items {
		suspects[c.User.Name] = true
		t.Logf("a case of %s: %v", c.User.Name, c.Signals)
		require.NotContains(t, c.User.Name, "guest")
		if kind := wanted[c.User.Name]; kind != "" {
			require.Positive(t, c.Signals[kind], c.User.Name)
		}
	}
	torrents, err := w.counted(t.Context(), "leech", "torrent")
	require.NoError(t, err)
	require.Equal(t, 4, torrents, "each is told once, though the agent was killed in between")
	var told signals
	require.NoError(t, w.stand.API.Get(t.Context(), "/api/v1/abuse/signals?limit=200", &told))
	for _, s := range told.Items {
		require.NotContains(t, s.UserLabel, "guest")
		if !suspects[s.UserLabel] {
			require.Empty(t, s.Source.IP, "addresses are told only of those with a case: %+v", s)
		}
	}
}
