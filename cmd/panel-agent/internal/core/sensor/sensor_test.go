package sensor

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"github.com/xtls/xray-core/common/buf"
	xnet "github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/transport"
	"pgregory.net/rapid"
)

var (
	home = netip.MustParseAddr("203.0.113.9")
	web  = To{IP: netip.MustParseAddr("198.51.100.1"), Port: 443}
)

func all(s *Sensor) []Event { return s.Take(Order{Most: mostKept}).Events }

func TestAStreamIsToldFromItsBeginningToItsEnd(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClock()
	s := New(clock)
	stream := s.Begin("anna", "in", home, web)
	clock.Advance(2 * time.Second)
	stream.End()
	stream.End()
	events := all(s)
	require.Len(t, events, 2)
	require.Equal(t, Event{
		Number: 1, What: Began, Stream: 1, AgeMS: 2000, Email: "anna", Tag: "in", Source: home, To: web, at: events[0].at,
	}, events[0])
	require.Equal(t, Ended, events[1].What)
}

func TestWhatWasHadIsNotToldAgain(t *testing.T) {
	t.Parallel()
	s := New(clockwork.NewFakeClock())
	for range 10 {
		s.Begin("anna", "in", home, web)
	}
	first := s.Take(Order{Most: 4})
	require.Len(t, first.Events, 4)
	again := s.Take(Order{Most: 4, After: 4})
	require.EqualValues(t, 5, again.Events[0].Number)
	require.EqualValues(t, 1, all(s)[0].Number, "nobody has said to have it")
	rest := s.Take(Order{Had: 8, Most: 100})
	require.EqualValues(t, 9, rest.Events[0].Number)
	require.Len(t, rest.Events, 2)
	require.Empty(t, s.Take(Order{Had: 10, Most: 100}).Events)
	s.Begin("anna", "in", home, web)
	require.EqualValues(t, 11, all(s)[0].Number)
}

func TestWhoComesLaterIsToldWhatIsOpen(t *testing.T) {
	t.Parallel()
	s := New(clockwork.NewFakeClock())
	s.Begin("anna", "in", home, web).End()
	s.Begin("boris", "in", home, web)
	heard := s.Take(Order{Fresh: true, Most: 100})
	require.Len(t, heard.Open, 1)
	require.Equal(t, "boris", heard.Open[0].Email)
	require.Equal(t, Open, heard.Open[0].What)
}

// A core whose agent is away for long keeps the first events, and counts the others.
func TestRoomIsBounded(t *testing.T) {
	t.Parallel()
	s := New(clockwork.NewFakeClock())
	for range mostKept + 10 {
		s.Begin("anna", "in", home, web)
	}
	heard := s.Take(Order{Most: 2 * mostKept})
	require.Len(t, heard.Events, mostKept)
	require.EqualValues(t, 10, heard.Lost)
}

func TestASensorThatIsOffNotesNothing(t *testing.T) {
	t.Parallel()
	s := New(clockwork.NewFakeClock())
	open := s.Begin("anna", "in", home, web)
	require.Equal(t, Heard{}, s.Take(Order{Off: true}))
	require.Nil(t, s.Begin("anna", "in", home, web))
	open.End()
	require.Empty(t, all(s), "a stream of before has no end without a beginning")
	var none *Stream
	none.End()
	link := &transport.Link{}
	require.Same(t, link, none.Near(link))
	require.Same(t, link, none.Far(link))
}

func datagram(magic uint64, length int) []byte {
	raw := make([]byte, length)
	binary.BigEndian.PutUint64(raw, magic)
	return raw
}

func TestSignsOfTheFirstBytes(t *testing.T) {
	t.Parallel()
	for text, sign := range map[string]Sign{
		"\x13BitTorrent protocol" + strings.Repeat("\x00", 48):                 BitTorrent,
		"GET /announce?info_hash=%01%02&peer_id=x HTTP/1.1\r\nHost: t\r\n\r\n": HTTPTracker,
		"GET / HTTP/1.1\r\nReferer: /announce?info_hash=x\r\n\r\n":             "",
		"\x13BitTorrent":           "",
		"\x16\x03\x01\x02\x00\x01": "",
		"":                         "",
	} {
		require.Equal(t, sign, signOf([]byte(text), false), "%q", text)
	}
	require.Equal(t, UDPTracker, signOf(datagram(0x41727101980, 16), true))
	require.Empty(t, signOf(datagram(0x41727101980, 17), true))
	require.Equal(t, DHT, signOf([]byte("d1:ad2:id20:abcdefghij0123456789e1:q4:ping1:t2:aa1:y1:qe"), true))
	require.Equal(t, DHT, signOf([]byte("d1:rd2:id20:abcdefghij0123456789e1:t2:aa1:y1:re"), true))
	require.Empty(t, signOf([]byte("GET /announce?info_hash=x"), true))
}

type sink struct{ got buf.MultiBuffer }

func (s *sink) WriteMultiBuffer(all buf.MultiBuffer) error {
	s.got = append(s.got, all...)
	return nil
}

// sends passes pieces through the near end of a stream.
func sends(t *testing.T, st *Stream, pieces ...*buf.Buffer) buf.MultiBuffer {
	t.Helper()
	out := &sink{}
	near := st.Near(&transport.Link{Writer: out})
	for _, piece := range pieces {
		require.NoError(t, near.Writer.WriteMultiBuffer(buf.MultiBuffer{piece}))
	}
	return out.got
}

func bytesOf(text string) *buf.Buffer { return buf.FromBytes([]byte(text)) }

func TestOnlyTheBeginningIsLookedAt(t *testing.T) {
	t.Parallel()
	s := New(clockwork.NewFakeClock())
	const handshake = "\x13BitTorrent protocol 1234567"
	got := sends(t, s.Begin("anna", "in", home, web), bytesOf("hello"), bytesOf(handshake), bytesOf(handshake))
	require.Equal(t, "hello"+handshake+handshake, got.String(), "what passes is what came")
	require.Equal(t, []What{Began, Showed}, whats(all(s)))
	sends(t, s.Begin("anna", "in", home, web), bytesOf("a"), bytesOf("b"), bytesOf(handshake))
	require.Equal(t, []What{Began, Showed, Began}, whats(all(s)))
}

func whats(events []Event) (what []What) {
	for _, e := range events {
		what = append(what, e.What)
	}
	return what
}

// Datagrams of one stream go to many: each other destination is told, up to a bound.
func TestDatagramsToldByTheirDestinations(t *testing.T) {
	t.Parallel()
	s := New(clockwork.NewFakeClock())
	st := s.Begin("anna", "in", home, To{IP: web.IP, Port: 6881, UDP: true})
	var pieces []*buf.Buffer
	for n := range 2 * datagramsSeen {
		piece := bytesOf("d1:ad2:id20:x")
		to := xnet.UDPDestination(xnet.ParseAddress(fmt.Sprint("198.51.100.", n+2)), 6881)
		piece.UDP = &to
		pieces = append(pieces, piece)
	}
	sends(t, st, pieces...)
	reached, showed := 0, 0
	for _, e := range all(s) {
		switch e.What {
		case Reached:
			reached++
		case Showed:
			showed++
			require.Equal(t, DHT, e.Sign)
		case Began, Ended, Open:
		}
	}
	require.Equal(t, datagramsSeen, reached)
	require.Equal(t, 1, showed)
}

func TestNamesAreReadWhereTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	const request = "GET / HTTP/1.1\r\nHost: login.evil.example\r\n\r\n"
	s := New(clockwork.NewFakeClock())
	sends(t, s.Begin("anna", "in", home, web), bytesOf(request))
	require.Equal(t, []What{Began}, whats(all(s)))
	s.Take(Order{Names: true})
	sends(t, s.Begin("anna", "in", home, web), bytesOf(request))
	events := all(s)
	require.Equal(t, Name, events[len(events)-1].Sign)
	require.Equal(t, "login.evil.example", events[len(events)-1].To.Host)
}

// Whatever is asked in whatever order, numbers rise by one and nothing comes that was had.
func TestNumbersAreWithoutGaps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := New(clockwork.NewFakeClock())
		var had, after int64
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			for range rapid.IntRange(0, 5).Draw(t, "streams") {
				s.Begin("anna", "in", home, web)
			}
			heard := s.Take(Order{Had: had, After: after, Most: rapid.IntRange(1, 4).Draw(t, "most")})
			for _, e := range heard.Events {
				if e.Number != after+1 {
					t.Fatalf("%d comes after %d", e.Number, after)
				}
				after = e.Number
			}
			if rapid.Bool().Draw(t, "has") {
				had = after
			}
		}
	})
}
