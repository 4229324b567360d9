package places_test

import (
	"context"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/places"
)

// atlas knows one network and counts how often it is asked.
type atlas struct{ asked int }

func (a *atlas) Of(_ context.Context, addresses ...netip.Addr) map[netip.Addr]places.Place {
	a.asked++
	found := map[netip.Addr]places.Place{}
	for _, addr := range addresses {
		if netip.MustParsePrefix("192.0.2.0/24").Contains(addr) {
			found[addr] = places.Place{Country: "NL", ASN: 64500, Network: "Example"}
		}
	}
	return found
}

func TestPlacesOfTextsAreFoundWithOneQuestion(t *testing.T) {
	t.Parallel()
	var book places.Book
	require.Empty(t, book.Of(t.Context(), "192.0.2.1"), "nobody knows places")

	source := &atlas{}
	book.From(source)
	found := book.Of(t.Context(), "192.0.2.1", "192.0.2.2", "192.0.2.1", "198.51.100.1", "host.example", "")
	require.Equal(t, map[string]*places.Place{
		"192.0.2.1": {Country: "NL", ASN: 64500, Network: "Example"},
		"192.0.2.2": {Country: "NL", ASN: 64500, Network: "Example"},
	}, found)
	require.Equal(t, 1, source.asked)

	require.Empty(t, book.Of(t.Context(), "host.example", ""))
	require.Equal(t, 1, source.asked, "nothing that is an address is no question")
}
