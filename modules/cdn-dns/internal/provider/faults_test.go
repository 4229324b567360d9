package provider

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/fault"
)

// troubled is a client of each vendor, with the zone that was found before the trouble began.
func troubled(t *testing.T, act func(t *testing.T, s *standIn, c *Client, zone Zone)) {
	t.Helper()
	for _, v := range vendors() {
		t.Run(v.kind, func(t *testing.T) {
			t.Parallel()
			s, root := newStandIn(t, v.talk, "example.com")
			p := providers(t, "")
			p.confirm = 0
			c := open(t, p, v.kind, v.values(root, goodToken))
			act(t, s, c, zoneOf(t, c, "www.example.com"))
		})
	}
}

func (s *standIn) set(change func(s *standIn)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	change(s)
}

// kept counts the records of a name that the service holds.
func (s *standIn) kept(name string) (count int) {
	s.set(func(s *standIn) {
		for _, r := range s.records {
			if r.Name == name {
				count++
			}
		}
	})
	return count
}

func writes(r *http.Request) bool {
	return r.Method != http.MethodGet && !strings.HasPrefix(r.URL.Path, "/identity")
}

var wanted = Record{Name: "www.example.com", Type: TypeA, Value: "192.0.2.1", TTL: 300}

// The service has written the record and its answer is lost: the same call again ends well, with one record.
func TestAWriteWhoseAnswerIsLostIsMadeOnce(t *testing.T) {
	t.Parallel()
	troubled(t, func(t *testing.T, s *standIn, c *Client, zone Zone) {
		s.set(func(s *standIn) {
			s.instead = func(_ http.ResponseWriter, r *http.Request) bool {
				if !writes(r) {
					return false
				}
				s.talk(s, httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler)
			}
		})
		_, err := c.Add(t.Context(), zone, wanted)
		require.Equal(t, CodeError, fault.Code(err))
		require.True(t, Passing(err))
		require.Equal(t, 1, s.kept(wanted.Name), "it was written all the same")
		s.set(func(s *standIn) { s.instead = nil })
		require.True(t, add(t, c, zone, wanted).Record.Same(wanted))
		require.Equal(t, 1, s.kept(wanted.Name))
	})
}

// Half an answer is none: it is said so, and the same call again finds what was written.
func TestHalfAnAnswerIsNoSuccess(t *testing.T) {
	t.Parallel()
	troubled(t, func(t *testing.T, s *standIn, c *Client, zone Zone) {
		s.set(func(s *standIn) {
			s.instead = func(w http.ResponseWriter, r *http.Request) bool {
				whole := httptest.NewRecorder()
				s.talk(s, whole, r)
				body := whole.Body.String()
				says(w, whole.Code, body[:len(body)/2])
				return true
			}
		})
		_, err := c.Records(t.Context(), zone, wanted.Name)
		require.Equal(t, CodeError, fault.Code(err))
		require.ErrorContains(t, err, "cannot be read")
		_, err = c.Zones(t.Context())
		require.Equal(t, CodeError, fault.Code(err))
		_, err = c.Add(t.Context(), zone, wanted)
		require.Equal(t, CodeError, fault.Code(err))
		s.set(func(s *standIn) { s.instead = nil })
		add(t, c, zone, wanted)
		require.Equal(t, 1, s.kept(wanted.Name))
	})
}

// A service that is down is told as such, a write is sent once, and nothing is lost but time.
func TestAServiceThatIsDownGetsAWriteOnce(t *testing.T) {
	t.Parallel()
	troubled(t, func(t *testing.T, s *standIn, c *Client, zone Zone) {
		sent := 0
		s.set(func(s *standIn) {
			s.instead = func(w http.ResponseWriter, r *http.Request) bool {
				if !writes(r) {
					return false
				}
				sent++
				says(w, http.StatusServiceUnavailable, "<html>we are away</html>")
				return true
			}
		})
		_, err := c.Add(t.Context(), zone, wanted)
		require.Equal(t, CodeError, fault.Code(err))
		require.True(t, Passing(err))
		s.set(func(s *standIn) {
			require.Equal(t, 1, sent, "a write is not repeated by itself")
			s.instead = nil
		})
		require.Zero(t, s.kept(wanted.Name))
		add(t, c, zone, wanted)
	})
}

// A token that was good when it was checked may be revoked before the write: that is told, and nothing is written.
func TestATokenThatIsRevokedBetweenCheckAndWrite(t *testing.T) {
	t.Parallel()
	troubled(t, func(t *testing.T, s *standIn, c *Client, zone Zone) {
		s.set(func(s *standIn) {
			s.instead = func(w http.ResponseWriter, r *http.Request) bool {
				r.Header.Set("Authorization", "Bearer revoked")
				r.Header.Set("X-Auth-Token", "revoked")
				s.talk(s, w, r)
				return true
			}
		})
		_, err := c.Add(t.Context(), zone, wanted)
		require.Equal(t, CodeRefused, fault.Code(err))
		require.False(t, Passing(err), "a person has to exchange it")
		require.NotContains(t, err.Error(), goodToken)
		require.Equal(t, CodeRefused, fault.Code(c.Remove(t.Context(), zone, wanted)))
		_, err = c.Records(t.Context(), zone, wanted.Name)
		require.Equal(t, CodeRefused, fault.Code(err))
		require.Zero(t, s.kept(wanted.Name))
	})
}

// A service that never answers costs a bounded time, whatever it is asked.
func TestAVendorThatNeverAnswersIsATimeout(t *testing.T) {
	t.Parallel()
	troubled(t, func(t *testing.T, s *standIn, c *Client, zone Zone) {
		release := make(chan struct{})
		slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
		t.Cleanup(slow.Close)
		t.Cleanup(func() { close(release) })
		p := providers(t, "")
		p.patience = 50 * time.Millisecond
		for _, v := range vendors() {
			if v.kind != c.Kind.Name {
				continue
			}
			late := open(t, p, v.kind, v.values(slow.URL, goodToken))
			_, err := late.Add(t.Context(), zone, wanted)
			require.Equal(t, CodeTimeout, fault.Code(err))
			require.True(t, Passing(err))
			_, err = late.ZoneOf(t.Context(), wanted.Name)
			require.Equal(t, CodeTimeout, fault.Code(err), "and no zone is not what it says")
			require.Equal(t, CodeTimeout, fault.Code(late.Remove(t.Context(), zone, wanted)))
		}
		require.Zero(t, s.kept(wanted.Name))
	})
}

// A record of another kind in the way of the proof of DNS-01 is a conflict in every service's words.
func TestATextWhereAnAliasStandsIsAConflict(t *testing.T) {
	t.Parallel()
	troubled(t, func(t *testing.T, s *standIn, c *Client, zone Zone) {
		s.set(func(s *standIn) {
			s.put("example.com", Record{Name: "_acme-challenge.example.com", Type: TypeCNAME, Value: "proof.example.net"})
		})
		text := Record{Name: "_acme-challenge.example.com", Type: TypeTXT, Value: "token", TTL: 60}
		_, err := c.Add(t.Context(), zone, text)
		require.Equal(t, CodeConflict, fault.Code(err))
		require.False(t, Passing(err))
		require.Equal(t, 1, s.kept(text.Name))
	})
}

// A record that a service says it took and does not hold is none.
func TestARecordThatWasTakenAndIsNotThere(t *testing.T) {
	t.Parallel()
	troubled(t, func(t *testing.T, s *standIn, c *Client, zone Zone) {
		s.set(func(s *standIn) {
			s.instead = func(w http.ResponseWriter, r *http.Request) bool {
				if !writes(r) {
					return false
				}
				says(w, http.StatusCreated, `{"action":{"id":7,"status":"success"}}`)
				return true
			}
		})
		_, err := c.Add(t.Context(), zone, wanted)
		require.Equal(t, CodeError, fault.Code(err))
		require.ErrorContains(t, err, "is not there")
	})
}
