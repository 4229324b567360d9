package dnstest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/testneed"
)

// PowerDNS is a running server with its HTTP API.
type PowerDNS struct {
	Root    string // of the API
	Key     string
	Address string // that answers DNS
	t       testing.TB
}

// NewPowerDNS starts a server that holds the zones.
func NewPowerDNS(t testing.TB, zones ...string) *PowerDNS {
	t.Helper()
	folder, err := os.MkdirTemp("", "pdns") // the path of a socket is short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	at := ports(t, 2)
	p := &PowerDNS{Root: "http://" + at[1], Key: "a key of tests", Address: at[0], t: t}
	run(t, folder, testneed.Program(t, "pdns_server"),
		"--config-dir="+folder, "--socket-dir="+folder, "--launch=lmdb", "--lmdb-filename="+folder+"/zones",
		"--lmdb-shards=1", "--local-address=127.0.0.1", "--local-port="+port(at[0]),
		"--api=yes", "--api-key="+p.Key, "--webserver=yes", "--webserver-address=127.0.0.1",
		"--webserver-port="+port(at[1]), "--webserver-allow-from=127.0.0.1",
		"--cache-ttl=0", "--query-cache-ttl=0", "--negquery-cache-ttl=0", "--receiver-threads=1",
		"--guardian=no", "--daemon=no", "--disable-syslog", "--setuid=", "--setgid=")
	require.Eventually(t, func() bool {
		status, _ := p.call(http.MethodGet, "/zones", "")
		return status == http.StatusOK
	}, startWithin, 50*time.Millisecond, "PowerDNS comes up")
	for _, zone := range zones {
		p.Hold(zone)
	}
	return p
}

// Hold adds a zone, past whoever is tested.
func (p *PowerDNS) Hold(zone string) {
	p.t.Helper()
	status, said := p.call(http.MethodPost, "/zones",
		fmt.Sprintf(`{"name":"%s.","kind":"Native","nameservers":["ns1.%s."]}`, zone, zone))
	require.Equal(p.t, http.StatusCreated, status, said)
	Answers(p.t, p.Address, zone)
}

// Set gives a name exactly this record, past whoever is tested.
func (p *PowerDNS) Set(zone, name, kind, content string) {
	p.t.Helper()
	status, said := p.call(http.MethodPatch, "/zones/"+zone+".", fmt.Sprintf(
		`{"rrsets":[{"name":"%s.","type":"%s","ttl":60,"changetype":"REPLACE","records":[{"content":%q}]}]}`,
		name, kind, content))
	require.Equal(p.t, http.StatusNoContent, status, said)
}

func (p *PowerDNS) call(method, path, body string) (status int, said string) {
	request, err := http.NewRequestWithContext(p.t.Context(), method, p.Root+"/api/v1/servers/localhost"+path,
		bytes.NewBufferString(body))
	require.NoError(p.t, err)
	request.Header.Set("X-API-Key", p.Key)
	answer, err := testClient.Do(request)
	if err != nil {
		return 0, ""
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text)
}

var testClient = &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{}}
