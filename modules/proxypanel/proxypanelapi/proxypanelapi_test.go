package proxypanelapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/proxypanelapi"
)

const connection = "0199a0de-0000-7000-8000-000000000001"

// A reference has one form: what names a user in another one names nobody.
func TestReferencesOfUsers(t *testing.T) {
	t.Parallel()
	ref := proxypanelapi.RefOf(connection, 42)
	require.Equal(t, "p:"+connection+":42", ref)
	id, user, known := proxypanelapi.ReadRef(ref)
	require.True(t, known)
	require.Equal(t, connection, id)
	require.EqualValues(t, 42, user)
	for _, other := range []string{
		"", "p:", "c:" + connection, "p:panel:7", "p:" + connection, ref + ":1", "p:" + connection + ":0",
		"p:" + connection + ":-1", "p:" + connection + ":042", "p:" + connection + ":+42", "p:{" + connection + "}:42",
		"p:" + connection + ":99999999999999999999",
	} {
		_, _, known := proxypanelapi.ReadRef(other)
		require.False(t, known, other)
	}
}
