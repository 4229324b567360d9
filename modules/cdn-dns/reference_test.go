package cdndns

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/internal/provider"
)

// The page for operators follows from what the services declare: each has its section, with all of its fields.
func TestTheReferenceHasEveryFieldOfEveryService(t *testing.T) {
	t.Parallel()
	page := servicesPage()
	require.True(t, strings.HasPrefix(page, "# DNS services and CDNs\n"))
	for _, kind := range provider.Kinds() {
		_, section, found := strings.Cut(page, "\n## "+kind.Title+"\n")
		require.True(t, found, kind.Name)
		section, _, _ = strings.Cut(section, "\n## ")
		require.Contains(t, section, "`provider`: `"+kind.Name+"`")
		rows := 0
		for line := range strings.SplitSeq(section, "\n") {
			if strings.HasPrefix(line, "| `") {
				rows++
			}
		}
		require.Equal(t, len(kind.Fields), rows, kind.Name)
		for _, f := range kind.Fields {
			require.Contains(t, section, "| `"+f.Name+"` | ", kind.Name)
			require.Contains(t, section, " | "+f.Help+" |", kind.Name)
			for _, choice := range f.Choices {
				require.Contains(t, section, "`"+choice+"`", kind.Name)
			}
		}
	}
}

// What a service is to the panel stands above its fields: who holds zones, and what a CDN passes on at which ports.
func TestTheReferenceSaysWhatEachServiceDoes(t *testing.T) {
	t.Parallel()
	kinds := map[string]string{}
	for _, kind := range provider.Kinds() {
		kinds[kind.Name] = nature(kind)
	}
	require.Equal(t, "Holds zones; the least TTL of a record is 60 s.", kinds["hetzner"])
	require.Equal(t, "A CDN: it passes on `ws`, `xhttp`; with TLS at port 443, without at 80.", kinds["bunny"])
	require.Contains(t, kinds["cloudflare"], "Holds zones")
	require.Contains(t, kinds["cloudflare"], "it passes on `ws`, `httpupgrade`, `xhttp`, `grpc`; with TLS at port 443, 2053")
	require.Contains(t, kinds["cloudflare"], "`grpc` goes with TLS at port 443 alone.")
}
