package geo

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/geo/internal/dat"
	"panel/platform/config"
	"panel/platform/paneltest"
)

// Faults of a source: one that lies about the size, has no end, leads in a circle or inside, or hangs up, is refused in
// one word, and no byte of the file before changes.
func TestASourceThatMeansHarmIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	good := sites("a")
	first := s.origin.publish("geosite.dat", good)
	n, id := s.node("n"), s.geosite()
	s.update(id, true)
	n.takes(first)
	s.until(id, inState(stateCurrent))
	inside := "http://127.0.0.2:1/geosite.dat"
	cases := []struct {
		name, state, reason string
		answer              http.HandlerFunc
	}{
		{"says that it is huge", stateRejected, dat.TooLarge, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(dat.MaxSize+2))
			_, _ = w.Write(good)
		}},
		{"has no end", stateRejected, dat.TooLarge, func(w http.ResponseWriter, r *http.Request) {
			piece := make([]byte, 1<<20)
			for r.Context().Err() == nil {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		}},
		{"leads in a circle", stateFailed, reasonRefused, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}},
		{"leads inside", stateFailed, reasonRefused, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inside, http.StatusFound)
		}},
		{"hangs up", stateFailed, reasonUnreachable, func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		}},
		{"gives a page", stateRejected, dat.HTML, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(good)
		}},
	}
	for _, c := range cases {
		s.origin.with(func(w http.ResponseWriter, r *http.Request) bool {
			isFile := strings.HasSuffix(r.URL.Path, ".dat")
			if isFile {
				c.answer(w, r)
			}
			return isFile
		})
		a := s.update(id, true)
		require.Equal(t, [2]string{c.state, c.reason}, [2]string{a.State, a.RejectReason}, "%s: %s", c.name, a.RejectDetail)
		require.Equal(t, first, a.Version.SHA256, c.name)
		require.NotContains(t, a.RejectDetail, "127.0.0.2", "%s: an address inside is told", c.name)
		require.Equal(t, string(good), string(n.Get("/agent/v1/assets/"+first).Is(http.StatusOK).Body), c.name)
	}
}

// A checksum that cannot be had keeps the file out: nobody knows what it should be.
func TestAChecksumThatIsGoneKeepsTheFileOut(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.origin.publish("geosite.dat", sites("a"))
	id := s.geosite()
	sums := func(answer func(w http.ResponseWriter)) Asset {
		s.origin.with(func(w http.ResponseWriter, r *http.Request) bool {
			isSum := strings.HasSuffix(r.URL.Path, ".sha256sum")
			if isSum {
				answer(w)
			}
			return isSum
		})
		return s.update(id, true)
	}
	gone := sums(func(w http.ResponseWriter) { http.Error(w, "gone", http.StatusNotFound) })
	require.Equal(t, [2]string{stateFailed, reasonRefused}, [2]string{gone.State, gone.RejectReason})
	none := sums(func(w http.ResponseWriter) { _, _ = fmt.Fprintln(w, "<html>no sums</html>") })
	require.Equal(t, [2]string{stateRejected, reasonChecksum}, [2]string{none.State, none.RejectReason})
	require.Nil(t, none.Version)
	require.Nil(t, none.Candidate)
}

// Two operators who ask at once have the file fetched once; the second one is told that it is under way.
func TestTwoUpdatesAtOnceAreOne(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.origin.publish("geosite.dat", sites("a"))
	id := s.geosite()
	release, asked := make(chan struct{}), make(chan struct{}, 8)
	s.origin.with(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, ".dat") {
			asked <- struct{}{}
			<-release
		}
		return false
	})
	path := assetsPath + "/" + id + "/update"
	s.admin.Post(path, fields{}).Is(http.StatusAccepted)
	<-asked
	s.admin.Post(path, fields{}).Refused(http.StatusConflict, "geo_update_active")
	require.Equal(t, stateDownloading, s.asset(id).State)
	close(release)
	s.until(id, inState(stateCurrent))
	require.Empty(t, asked, "the file was fetched twice")
}

// A file that is removed while it is fetched stays removed.
func TestAFileThatIsRemovedWhileItIsFetchedStaysRemoved(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.origin.publish("geosite.dat", sites("a"))
	id := s.geosite()
	release, asked := make(chan struct{}), make(chan struct{}, 8)
	s.origin.with(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, ".dat") {
			asked <- struct{}{}
			<-release
		}
		return false
	})
	operation := s.admin.Post(assetsPath+"/"+id+"/update", fields{}).Is(http.StatusAccepted).Text("operation_id")
	<-asked
	s.admin.Delete(assetsPath + "/" + id).Is(http.StatusNoContent)
	close(release)
	require.Eventually(t, func() bool {
		return s.admin.Get("/api/v1/operations/"+operation).Is(http.StatusOK).Text("state") == "failed"
	}, within, every)
	s.admin.Get(assetsPath+"/"+id).Refused(http.StatusNotFound, "not_found")
	var kept int
	require.NoError(t, s.DB.NewRaw("select count(*) from geo_versions").Scan(t.Context(), &kept))
	require.Zero(t, kept)
}

// Where the panel may call nobody inside, a redirect there from a source that is allowed is refused as well.
func TestARedirectIsLookedAtLikeAnAddress(t *testing.T) {
	t.Parallel()
	s := newStage(t, paneltest.Env(map[string]string{config.OutboundAllow.Name: "127.0.0.1"}))
	s.origin.publish("geosite.dat", sites("a"))
	id := s.geosite()
	for _, to := range []string{"http://169.254.169.254/latest", "http://[::1]:9/x", "ftp://example.com/x", "file:///etc/passwd"} {
		s.origin.with(func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, to, http.StatusFound)
			return true
		})
		a := s.update(id, true)
		require.Equal(t, stateFailed, a.State, "%s: %s", to, a.RejectDetail)
		require.Contains(t, []string{reasonRefused, reasonUnreachable}, a.RejectReason, to)
	}
}
