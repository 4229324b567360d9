package subscriptions

import (
	"fmt"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/modules/flows/flowsapi"
	"panel/modules/subscriptions/format"
	"panel/platform/database"
)

func newTestKept(t *testing.T) (*kept, *clockwork.FakeClock) {
	t.Helper()
	clock := clockwork.NewFakeClock()
	k, err := newKept(database.NewListener(nil, zaptest.NewLogger(t)), clock)
	require.NoError(t, err)
	return k, clock
}

func keyOf(name string) answerKey {
	var key answerKey
	copy(key.token[:], name)
	key.form = format.Links
	return key
}

// An answer is given again while nothing has changed that anybody was told of, the settings are those of then, and the
// time of its client goes on.
func TestAnAnswerIsGivenAgainWhileItIsTrue(t *testing.T) {
	t.Parallel()
	k, clock := newTestKept(t)
	says, key := Settings{Title: "Europe"}, keyOf("anna")
	at := moment{sure: true}
	require.Nil(t, k.find(key, at, says))
	kept := &answer{body: []byte("vless://"), says: says, until: clock.Now().Add(time.Hour)}
	k.keep(key, at, kept)
	require.Same(t, kept, k.find(key, at, says))
	require.Nil(t, k.find(keyOf("oleg"), at, says), "another token")
	require.Nil(t, k.find(key, at, Settings{Title: "Asia"}), "other settings")
	require.Nil(t, k.find(key, moment{changes: at.changes}, says), "nobody knows what was changed")
	clock.Advance(time.Hour)
	require.Nil(t, k.find(key, at, says), "the time of its client is over")
	clock.Advance(-time.Minute)
	require.Same(t, kept, k.find(key, at, says))
	require.Nil(t, k.find(key, moment{changes: 1, sure: true}, says), "something has changed")
	require.Nil(t, k.find(key, at, says), "for good")
	require.Equal(t, mostKept, k.room)
}

// What was read while something changed is not kept, and neither is what was read before others knew better.
func TestWhatMayBeOldIsNotKept(t *testing.T) {
	t.Parallel()
	k, _ := newTestKept(t)
	key, a := keyOf("anna"), &answer{body: []byte("x")}
	k.keep(key, moment{}, a)
	k.heard.Add(1)
	k.keep(key, moment{sure: true}, a)
	require.Zero(t, k.answers.Len())
	require.Nil(t, k.find(key, moment{changes: 1, sure: true}, a.says))
	k.keep(key, moment{sure: true}, a)
	require.Zero(t, k.answers.Len(), "another request has come later")
	k.keep(key, moment{changes: 1, sure: true}, a)
	require.Equal(t, 1, k.answers.Len())
}

// Answers take no more than their room: the ones that nobody asked for the longest go first.
func TestAnswersTakeNoMoreThanTheirRoom(t *testing.T) {
	t.Parallel()
	k, _ := newTestKept(t)
	at, large := moment{sure: true}, make([]byte, mostKept/4)
	for i := range 6 {
		k.keep(keyOf(fmt.Sprint(i)), at, &answer{body: large})
		k.keep(keyOf(fmt.Sprint(i)), at, &answer{body: large}) // twice takes no more than once
	}
	require.Equal(t, 4, k.answers.Len())
	require.Zero(t, k.room)
	require.Nil(t, k.find(keyOf("1"), at, Settings{}))
	require.NotNil(t, k.find(keyOf("5"), at, Settings{}))
	k.keep(keyOf("huge"), at, &answer{body: make([]byte, mostKept+1)})
	require.Nil(t, k.find(keyOf("huge"), at, Settings{}))
}

// An answer lasts until the end of its client's time; that of one whose time is over already does not end.
func TestAnAnswerEndsWithTheTimeOfItsClient(t *testing.T) {
	t.Parallel()
	end := time.Unix(1900000000, 0)
	held := flowsapi.Subscriber{State: flowsapi.Active, Usage: &flowsapi.Usage{Expires: end}}
	a, err := write(format.Links, held, Settings{})
	require.NoError(t, err)
	require.True(t, a.lasts(end.Add(-time.Second)))
	require.False(t, a.lasts(end))
	held.State = flowsapi.Expired
	a, err = write(format.Links, held, Settings{})
	require.NoError(t, err)
	require.True(t, a.lasts(end.Add(time.Hour)))
}
