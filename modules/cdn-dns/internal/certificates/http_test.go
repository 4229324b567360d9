package certificates_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/internal/certificates"
	"panel/platform/fault"
)

// Where no integration holds the zone the node of the host name proves it, for this name alone. Nothing stays there.
func TestANodeProvesItsNameWhereNoIntegrationHoldsTheZone(t *testing.T) {
	t.Parallel()
	s := newStand(t, false)
	_, shown := s.issue("n1.alpha.example", "alpha.example")
	require.Equal(t, []string{"n1.alpha.example"}, shown.Names, "a wildcard cannot be proved by a node")
	require.Equal(t, certificates.ChallengeHTTP, shown.Challenge)
	require.Zero(t, s.node.left())
	require.Zero(t, s.zone.left(), "no record was written")
}

// It is renewed the same way, and the certificate in use stays while the node is away.
func TestARenewalByANodeThatIsAwayFailsAndTheOneInUseStays(t *testing.T) {
	t.Parallel()
	s := newStand(t, false)
	id, first := s.issue("n1.beta.example", "beta.example")
	s.clock.Advance(61 * 24 * time.Hour)
	s.due()
	require.Eventually(t, func() bool {
		return s.shown("n1.beta.example").Serial != first.Serial
	}, within, every)

	s.node.set(func(n *node) { n.away = true })
	require.NoError(t, s.Order(t.Context(), id))
	failed := func() bool {
		s.clock.Advance(5 * time.Minute)
		return s.shown("n1.beta.example").State == certificates.StateFailed
	}
	require.Eventually(t, failed, within, every)
	held := s.shown("n1.beta.example")
	require.Contains(t, held.LastError, "is its agent online?")
	require.NotNil(t, held.NotAfter, "what was there stays")
	require.Zero(t, s.node.left(), "nothing is answered for an order that has ended")
}

func TestANameThatNeitherAZoneNorANodeProvesIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	s.node.set(func(n *node) { n.lacks = "the agent of fra-01 is too old" })
	for host, reason := range map[string]string{
		"n1.gamma.example": "the agent of fra-01 is too old", "n1.gamma.nowhere": "it is bound to no node",
	} {
		_, err := s.Ensure(t.Context(), host, "")
		said, known := fault.As(err)
		require.True(t, known, host)
		require.Equal(t, certificates.CodeNoProof, said.Code)
		require.Contains(t, said.Detail, reason)
	}
	require.Zero(t, s.number("select count(*) from certificates"), "nothing was begun")
}

// A name of 253 characters has no room for the record that proves it: its node proves it, or the reason is told. Where
// a wildcard covers it, only the zone is proved.
func TestNamesThatAreTooLongForARecord(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	far := strings.Repeat(strings.Repeat("l", 60)+".", 4)
	_, err := s.Ensure(t.Context(), far+"a.test", "a.test")
	said, known := fault.As(err)
	require.True(t, known)
	require.Equal(t, certificates.CodeNoProof, said.Code)
	require.Contains(t, said.Detail, "too long for a record")
	require.Contains(t, said.Detail, "bound to no node")
	s.ensure("n1.a.test", "a.test")

	s.ensure(far+"a.example", "")
	require.Equal(t, certificates.ChallengeHTTP, s.shown(far+"a.example").Challenge)
}

// The panel may end while the authority looks: whoever goes on finds the answer where it was.
func TestAnOrderProvedByANodeSurvivesItsPanel(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	id := s.ensure("n1.delta.example", "")
	require.NoError(t, s.Order(t.Context(), id))
	running, kill := context.WithCancel(t.Context())
	var once sync.Once
	s.gate.set(func(g *gate) {
		g.after = func(r *http.Response) (lost error) {
			if strings.HasPrefix(r.Request.URL.Path, "/chalZ") {
				once.Do(func() {
					kill()
					lost = errors.New("the answer is lost")
				})
			}
			return lost
		}
	})
	s.run(running)
	require.Error(t, running.Err(), "the panel has met the moment")
	require.Equal(t, 1, s.node.left(), "the authority may be looking")
	s.another().finishes("n1.delta.example")
	require.Equal(t, 1, s.gate.count("finalize-order"))
	require.Zero(t, s.node.left())
}
