package mapping

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Of what is wrong with a node there the worst is told: one that is gone is neither disabled nor disconnected.
func TestTheStateOfANodeIsTheWorst(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	for _, one := range []struct {
		m    Mapping
		want string
	}{
		{Mapping{Connected: true}, "connected"},
		{Mapping{}, "disconnected"},
		{Mapping{Connected: true, Disabled: true}, "disabled"},
		{Mapping{Disabled: true}, "disabled"},
		{Mapping{Connected: true, GoneAt: &now}, "gone"},
		{Mapping{Disabled: true, GoneAt: &now}, "gone"},
	} {
		require.Equal(t, one.want, one.m.State())
	}
}

// What a node ran before is remembered as it was, and not together with what the caller does to its list afterwards.
func TestWhatANodeRanIsRemembered(t *testing.T) {
	t.Parallel()
	m, inbounds := &Mapping{}, []string{"b", "a"}
	m.Remember(Before{ProfileID: "p", ProfileName: "Theirs", Inbounds: inbounds})
	inbounds[0] = "x"
	require.Equal(t, Before{ProfileID: "p", ProfileName: "Theirs", Inbounds: []string{"b", "a"}}, m.Ran())
	m.Remember(Before{})
	require.JSONEq(t, `{"profile_id":"","profile_name":"","inbounds":[]}`, string(m.Before))
	require.Empty(t, m.Ran().ProfileID)
	require.Equal(t, Before{}, (&Mapping{Before: json.RawMessage("{")}).Ran())
}

// Each sealed column has its own place, so that what is sealed for one does not open in the other.
func TestSealedColumnsHavePlacesOfTheirOwn(t *testing.T) {
	t.Parallel()
	m := &Mapping{ID: "id"}
	require.NotEqual(t, m.place("written"), m.place("intended"))
	require.NotEqual(t, m.place("written"), (&Mapping{ID: "other"}).place("written"))
	columns := map[string]bool{}
	for _, one := range Secrets() {
		columns[one.Column] = true
	}
	require.Equal(t, map[string]bool{"written": true, "intended": true}, columns)
	require.Empty(t, (&Store{}).Seal(m, "written", nil))
	text, err := (&Store{}).Open(m, "written")
	require.NoError(t, err)
	require.Nil(t, text)
}
