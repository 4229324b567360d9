package provider

import (
	"testing"
	"time"

	"github.com/libdns/libdns"
	"github.com/stretchr/testify/require"
)

// solves is DNS-01 of a zone and its wildcard: two texts at one name, each taken away by itself.
func solves(t *testing.T, c *Client, zone Zone) {
	t.Helper()
	var solver Solver = c
	one := libdns.TXT{Name: "_acme-challenge", Text: "first-token_1", TTL: 2 * time.Minute}
	two := libdns.TXT{Name: "_acme-challenge", Text: "second-token-2", TTL: 2 * time.Minute}
	for _, text := range []libdns.Record{one, two} {
		done, err := solver.AppendRecords(t.Context(), zone.Name+".", []libdns.Record{text})
		require.NoError(t, err)
		require.Len(t, done, 1)
		require.Equal(t, text.RR().Data, done[0].RR().Data)
		require.Equal(t, "_acme-challenge", done[0].RR().Name, "names are relative to the zone")
	}
	name := "_acme-challenge." + zone.Name
	require.ElementsMatch(t, []Record{
		{Name: name, Type: TypeTXT, Value: "first-token_1"}, {Name: name, Type: TypeTXT, Value: "second-token-2"},
	}, bareRecords(t, c, zone, name))

	gone, err := solver.DeleteRecords(t.Context(), zone.Name+".", []libdns.Record{one})
	require.NoError(t, err)
	require.Len(t, gone, 1)
	require.Equal(t, []Record{{Name: name, Type: TypeTXT, Value: "second-token-2"}}, bareRecords(t, c, zone, name))
	gone, err = solver.DeleteRecords(t.Context(), zone.Name+".", []libdns.Record{one, two})
	require.NoError(t, err)
	require.Len(t, gone, 1, "what is not there is left out in silence")
	require.Empty(t, bareRecords(t, c, zone, name))
}

func TestTextsAreWrittenAsInZoneFiles(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain", `with "quotes" and \slashes`, string(make([]byte, 600))} {
		require.Equal(t, text, unquoted(quoted(text)))
	}
	require.Equal(t, `"a" "b"`, quoted("a")+" "+quoted("b"))
	require.Equal(t, "ab", unquoted(`"a" "b"`))
	require.Equal(t, "bare", unquoted("bare"))
}
