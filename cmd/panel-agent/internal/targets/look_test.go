package targets

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/reach"
	"panel/e2e/rig/sites"
	"panel/platform/agentapi"
)

// book is DNS for tests: addresses and aliases by name.
type book struct{ hosts, aliases map[string]string }

func (b book) LookupHost(_ context.Context, host string) ([]string, error) {
	if found, known := b.hosts[host]; known {
		return strings.Fields(found), nil
	}
	return nil, errors.New("no such host")
}

func (b book) LookupCNAME(_ context.Context, host string) (string, error) {
	if alias, known := b.aliases[host]; known {
		return alias, nil
	}
	return host + ".", nil
}

// loopback lets a look dial the sites of a test.
func loopback(t *testing.T) reach.Reach {
	t.Helper()
	allowed, err := reach.Of("127.0.0.0/8")
	require.NoError(t, err)
	return allowed
}

func looking(t *testing.T, set *sites.Set) *look {
	t.Helper()
	names := book{hosts: map[string]string{}, aliases: map[string]string{}}
	for _, name := range set.Names() {
		names.hosts[sites.Host(name)] = sites.Address
	}
	names.hosts[sites.Host(sites.Closed)] = "127.0.0.9"
	return &look{
		names: names, reach: loopback(t), roots: set.Roots,
		clock: clockwork.NewRealClock(),
	}
}

func (l *look) on(t *testing.T, host string, port int) agentapi.TargetFinding {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	return l.at(ctx, agentapi.ScanTarget{Host: host, Port: port})
}

// Rule: a look tells TLS version, ALPN, key exchange, certificate, first page, CDN and latency of a target, as it is.
func TestALookTellsWhatATargetShows(t *testing.T) {
	t.Parallel()
	set := sites.Open(t)
	l := looking(t, set)
	for name, holds := range map[string]func(f agentapi.TargetFinding) bool{
		sites.Good: func(f agentapi.TargetFinding) bool {
			return f.Group == "X25519MLKEM768" && f.Answered && f.RedirectsTo == "" && f.CDN == "" && !f.OCSP &&
				f.Certificate.ChainValid && f.Certificate.NameValid && f.NameMatches && f.LatencyMillis > 0
		},
		sites.Classic: func(f agentapi.TargetFinding) bool { return f.Group == "X25519" && f.TLSVersion == "1.3" },
		sites.Stapled: func(f agentapi.TargetFinding) bool { return f.OCSP && f.HTTP3 },
		sites.Fake: func(f agentapi.TargetFinding) bool {
			return !f.Certificate.NameValid && f.Certificate.ChainValid
		},
		sites.SelfSigned: func(f agentapi.TargetFinding) bool {
			return !f.Certificate.ChainValid && f.Certificate.NameValid
		},
		sites.Expired: func(f agentapi.TargetFinding) bool {
			return !f.Certificate.ChainValid && f.Certificate.NotAfter.Before(time.Now())
		},
		sites.Away: func(f agentapi.TargetFinding) bool {
			return f.RedirectsTo == "elsewhere.example.org" && !f.LeadsInside
		},
		sites.Www:    func(f agentapi.TargetFinding) bool { return f.RedirectsTo == "own.sites.example.net" },
		sites.Inward: func(f agentapi.TargetFinding) bool { return f.RedirectsTo == "10.0.0.1" && f.LeadsInside },
		sites.Behind: func(f agentapi.TargetFinding) bool { return f.CDN == "Cloudflare" },
		sites.Old:    func(f agentapi.TargetFinding) bool { return f.TLSVersion == "1.2" && f.ALPN == "h2" },
		sites.Plain:  func(f agentapi.TargetFinding) bool { return f.ALPN == "http/1.1" && f.Answered },
		sites.Curve:  func(f agentapi.TargetFinding) bool { return f.Group == "CurveP256" },
		sites.Heavy:  func(f agentapi.TargetFinding) bool { return f.Answered },
		sites.Noise:  func(f agentapi.TargetFinding) bool { return f.Failure == agentapi.TargetNoTLS },
		sites.Closed: func(f agentapi.TargetFinding) bool { return f.Failure == agentapi.TargetNoAnswer },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := l.on(t, sites.Host(name), set.Port(name))
			require.True(t, holds(f), "%+v %+v", f, f.Certificate)
			require.False(t, f.CheckedAt.IsZero())
		})
	}
}

// Rule: a target that sends 10 MB, or nothing at all, costs no more than the bounds.
func TestATargetCostsNoMoreThanTheBounds(t *testing.T) {
	t.Parallel()
	const socketBuffers = 8 << 20
	set := sites.Open(t)
	l := looking(t, set)
	for _, name := range []string{sites.Heavy, sites.Noise} {
		before := set.Bytes.Taken()
		l.on(t, sites.Host(name), set.Port(name))
		require.Less(t, set.Bytes.Taken()-before, int64(mostRead+socketBuffers), name)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	f := l.at(ctx, agentapi.ScanTarget{Host: sites.Host(sites.Tarpit), Port: set.Port(sites.Tarpit)})
	require.Equal(t, agentapi.TargetNoTLS, f.Failure)
}

// Rule: of an address without a name the certificate gives one, and what counts is what the site shows under it.
func TestAnAddressGetsTheNameOfItsCertificate(t *testing.T) {
	t.Parallel()
	set := sites.Open(t)
	l := looking(t, set)
	f := l.on(t, sites.Address, set.Port(sites.Good))
	require.Equal(t, sites.Host(sites.Good), f.ServerName)
	require.True(t, f.Certificate.NameValid)
	require.True(t, f.NameMatches)

	l.names = book{hosts: map[string]string{sites.Host(sites.Good): "192.0.2.7"}}
	require.False(t, l.on(t, sites.Address, set.Port(sites.Good)).NameMatches, "the name leads elsewhere")
}

// Rule: private, loopback, link-local, multicast and CGNAT addresses are never dialed, also when a name leads to them
// beside a public one, and whatever form they have.
func TestAddressesInsideAreNeverDialed(t *testing.T) {
	t.Parallel()
	l := &look{names: book{hosts: map[string]string{
		"both.example.org": "93.184.216.34 10.0.0.1", "meta.example.org": "169.254.169.254",
	}}, clock: clockwork.NewRealClock()}
	for _, host := range []string{
		"127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.1.1", "224.0.0.1", "100.64.0.1", "0.0.0.0",
		"::1", "fe80::1", "fc00::1", "ff02::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "both.example.org",
		"meta.example.org",
	} {
		require.Equal(t, agentapi.TargetInside, l.on(t, host, 443).Failure, host)
	}
	require.Equal(t, agentapi.TargetNoAddress, l.on(t, "nobody.example.org", 443).Failure)
}

// Rule: the address is checked when it is dialed, so that an answer of DNS that changes in between gains nothing.
func TestTheDialerChecksTheAddressItself(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", sites.Address+":0")
	require.NoError(t, err)
	defer listener.Close()
	l := &look{clock: clockwork.NewRealClock()}
	at := netip.MustParseAddrPort(listener.Addr().String())
	_, _, err = l.dial(t.Context(), at.Addr(), int(at.Port()))
	require.ErrorIs(t, err, reach.ErrInside)
}

func TestCDNsAreKnownByNamesAndHeaders(t *testing.T) {
	t.Parallel()
	require.Equal(t, "CloudFront", cdnOfName("d111111abcdef8.CloudFront.net."))
	require.Empty(t, cdnOfName("cloudfront.net.example.org."))
	require.Equal(t, "Fastly", cdnOfHeaders(map[string][]string{"X-Served-By": {"cache-fra-1"}}))
	require.Empty(t, cdnOfHeaders(map[string][]string{"Server": {"nginx"}}))
}
