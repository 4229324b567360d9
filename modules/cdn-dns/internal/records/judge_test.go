package records

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/nodes/nodesapi"
)

var one = wish{records: []provider.Record{{Name: "n1.example.com", Type: "A", Value: "203.0.113.7", TTL: 60}}}

// The servers of the zone decide, resolvers tell who has heard of it, and one that is silent changes nothing.
func TestTheStateOfANameFollowsFromTheAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone, others []string
		want         wish
		state        string
	}{
		{nil, nil, wish{}, Pending},
		{[]string{same}, []string{same}, wish{}, Pending},
		{nil, nil, one, Failed},
		{[]string{silent, refused}, []string{silent}, one, Failed},
		{[]string{same, same}, []string{same, same}, one, OK},
		{[]string{same, silent}, []string{same, refused}, one, OK},
		{[]string{same}, nil, one, OK},
		{[]string{same}, []string{silent}, one, OK},
		{nil, []string{same}, one, OK},
		{[]string{silent}, []string{same, same}, one, OK},
		{[]string{same}, []string{same, different}, one, Propagating},
		{[]string{same}, []string{nothing, nothing}, one, Propagating},
		{[]string{same, different}, []string{same}, one, Propagating},
		{[]string{different, different}, []string{same}, one, Mismatch},
		{[]string{nothing}, []string{nothing}, one, Mismatch},
		{nil, []string{different}, one, Mismatch},
		{nil, []string{same, different}, one, Propagating},
		{[]string{alias}, []string{same}, one, OK},
		{[]string{alias}, []string{different}, one, Mismatch},
		{nil, []string{same}, wish{any: true}, OK},
		{nil, []string{nothing}, wish{any: true}, Mismatch},
	} {
		var answers []Answer
		for _, a := range c.zone {
			answers = append(answers, Answer{Authoritative: true, Answer: a})
		}
		for _, a := range c.others {
			answers = append(answers, Answer{Answer: a})
		}
		require.Equal(t, c.state, judge(answers, c.want), "%v %v", c.zone, c.others)
	}
}

// Servers need a while after a write, and caches as long as the TTL says; then it is a mismatch.
func TestAMismatchIsNotSaidTooEarlyNorTooLate(t *testing.T) {
	t.Parallel()
	now := time.Now()
	wrong := &look{want: one, answers: []Answer{{Authoritative: true, Answer: nothing}}}
	behind := &look{want: one, answers: []Answer{{Authoritative: true, Answer: same}, {Answer: different}}}
	fresh := &look{want: one, answers: wrong.answers, fresh: true}
	at := func(state string, since time.Duration) *watch { return &watch{State: state, Since: now.Add(-since)} }
	require.Equal(t, Propagating, judged(at(OK, time.Hour), fresh, now))
	require.Equal(t, Propagating, judged(at(Propagating, time.Minute), wrong, now))
	require.Equal(t, Mismatch, judged(at(Propagating, 3*time.Minute), wrong, now))
	require.Equal(t, Mismatch, judged(at(OK, time.Hour), wrong, now))
	require.Equal(t, Propagating, judged(at(Propagating, time.Hour), behind, now))
	require.Equal(t, Mismatch, judged(at(Propagating, time.Hour+2*time.Minute), behind, now))
	require.Equal(t, Mismatch, judged(at(OK, 0), &look{want: one, conflicts: []Conflict{{Type: "A"}}}, now))
}

// A node is reached where others dial it, and in the other family where its host has an address of the whole internet.
func TestTheAddressesOfANodeAreThoseThatOthersReach(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address string
		host    []string
		wanted  []string
	}{
		{"203.0.113.7", nil, []string{"203.0.113.7"}},
		{"2001:db8::7", nil, []string{"2001:db8::7"}},
		{"10.0.0.7", []string{"203.0.113.9"}, []string{"10.0.0.7"}},
		{"203.0.113.7", []string{"203.0.113.9", "2001:db8::9/64", "2001:db8::8/64"}, []string{"203.0.113.7", "2001:db8::8"}},
		{"host.example.net", []string{"203.0.113.9/24"}, []string{"203.0.113.9"}},
		{"", []string{"127.0.0.1", "10.1.1.1", "100.64.0.1", "fe80::1", "fd00::1", "::1", "junk"}, nil},
		{"127.0.0.1", nil, nil},
		{"::ffff:203.0.113.7", nil, []string{"203.0.113.7"}},
	} {
		var found []string
		for _, addr := range Addresses(nodesapi.Node{Address: c.address, Addresses: c.host}) {
			found = append(found, addr.String())
		}
		require.Equal(t, c.wanted, found, "%s %v", c.address, c.host)
	}
}

// Looks are spread, and rarer the longer a name is not as it should be.
func TestLooksAreSpread(t *testing.T) {
	t.Parallel()
	require.Equal(t, firstAgain, again(0))
	for bad := range 100 {
		require.LessOrEqual(t, again(bad), again(bad+1))
		require.LessOrEqual(t, again(bad), longestAgain)
		pause := jittered(lookAgain)
		require.GreaterOrEqual(t, pause, lookAgain*4/5)
		require.LessOrEqual(t, pause, lookAgain*6/5)
	}
}

// What was written is settled; what is half written, has another TTL or is not wanted is not.
func TestWhatIsSettledNeedsNobody(t *testing.T) {
	t.Parallel()
	row := func(phase, value string, ttl int) written {
		return written{Hostname: "n1.example.com", Type: "A", Value: value, TTL: ttl, Phase: phase}
	}
	require.True(t, settled(wish{}, nil))
	require.False(t, settled(one, nil))
	require.True(t, settled(one, []written{row(phaseWritten, "203.0.113.7", 60)}))
	require.True(t, settled(one, []written{row(phaseFound, "203.0.113.7", 300)}))
	require.False(t, settled(one, []written{row(phaseIntent, "203.0.113.7", 60)}))
	require.False(t, settled(one, []written{row(phaseWritten, "203.0.113.7", 300)}))
	require.False(t, settled(one, []written{row(phaseWritten, "203.0.113.7", 60), row(phaseWritten, "203.0.113.8", 60)}))
	require.False(t, settled(wish{}, []written{row(phaseFound, "203.0.113.7", 60)}))
}
