package geo

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/geo/geoapi"
	"panel/modules/geo/internal/dat"
	"panel/platform/config"
	"panel/platform/paneltest"
)

// Rule: a source that is gone, lies or sends something else changes nothing, and why is said in one word.
func TestASourceThatDoesNotGiveTheFileChangesNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	good := sites("a", "b")
	first := s.origin.publish("geosite.dat", good)
	id := s.geosite()
	s.update(id, true)
	s.until(id, inState(stateCurrent))
	refused := func(state, reason string) {
		t.Helper()
		a := s.update(id, true)
		require.Equal(t, [2]string{state, reason}, [2]string{a.State, a.RejectReason}, a.RejectDetail)
		require.Equal(t, first, a.Version.SHA256)
		require.NotEmpty(t, a.RejectDetail)
	}
	s.origin.publish("geosite.dat", good[:len(good)-3])
	refused(stateRejected, dat.Truncated)
	s.origin.publish("geosite.dat", []byte("<!doctype html><title>moved</title>"))
	refused(stateRejected, dat.HTML)
	s.origin.publish("geosite.dat", nil)
	refused(stateRejected, dat.Empty)
	s.origin.publish("geosite.dat", []byte(`{"message":"rate limited"}`))
	refused(stateRejected, dat.NotGeoData)
	s.origin.publish("geosite.dat", good)
	s.origin.mu.Lock()
	s.origin.bodies["/geosite.dat.sha256sum"] = []byte(strings.Repeat("0", 64) + "  geosite.dat\n")
	s.origin.mu.Unlock()
	refused(stateRejected, reasonChecksum)
	s.origin.with(func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "no", http.StatusForbidden)
		return true
	})
	refused(stateFailed, reasonRefused)
	s.origin.with(nil)
	s.origin.publish("geosite.dat", good)
	s.origin.with(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, ".dat") {
			return false
		}
		w.Header().Set("Content-Length", "100000")
		_, _ = w.Write(good)
		return true
	})
	refused(stateRejected, dat.Truncated)
	s.origin.with(nil)
	s.origin.CloseClientConnections()
	s.origin.Close()
	refused(stateFailed, reasonUnreachable)
	require.Contains(t, s.Recorded(object, id), geoapi.Rejected)
	retry := s.asset(id).NextUpdateAt
	require.Less(t, time.Until(*retry), time.Hour+time.Minute, "what is away is tried again soon")
}

// Rule: nobody has the panel fetch from inside its own network.
func TestAnAddressThatIsNotPublicIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, paneltest.Env(map[string]string{config.OutboundAllow.Name: "192.0.2.1"}))
	s.origin.publish("geosite.dat", sites("a"))
	a := s.update(s.geosite(), true)
	require.Equal(t, [2]string{stateFailed, reasonRefused}, [2]string{a.State, a.RejectReason}, a.RejectDetail)
	require.Zero(t, s.origin.asked)
}

func TestTheSumOfAFileIsFoundInTheFormsThatSourcesUse(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	one, two := strings.Repeat("a", 64), strings.Repeat("B", 64)
	for text, wanted := range map[string]string{
		one:                                     one,
		one + "  other.dat\n" + two + " *x.dat": strings.ToLower(two),
		two + "  elsewhere.dat\n":               strings.ToLower(two),
		"no sum":                                "",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(text))
		}))
		got, err := s.own.checksum(t.Context(), &assetRow{SourceURL: "https://example.com/x.dat?a=b", ChecksumURL: server.URL})
		server.Close()
		require.Equal(t, wanted, got)
		require.Equal(t, wanted == "", err != nil)
	}
}
