package cli

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// A refused value is told with the field that it stands in, the first three of many.
func TestARefusalNamesItsFields(t *testing.T) {
	t.Parallel()
	one := problem{Detail: "a field has a value that is not allowed", Code: "invalid_value", Errors: []wrongField{
		{Field: "members[0].flow_id", Message: "there is no such flow"},
	}}
	const told = "HTTP 422: a field has a value that is not allowed (invalid_value)"
	require.Equal(t, told+"; members[0].flow_id: there is no such flow",
		english(causeOf(http.StatusUnprocessableEntity, one)))
	many := one
	for _, field := range []string{"b", "c", "d", "e"} {
		many.Errors = append(many.Errors, wrongField{Field: field, Message: "is wrong"})
	}
	require.Equal(t, told+"; members[0].flow_id: there is no such flow; b: is wrong; c: is wrong",
		english(causeOf(http.StatusUnprocessableEntity, many)))
	require.Equal(t, "HTTP 409: taken (name_taken)",
		english(causeOf(http.StatusConflict, problem{Detail: "taken", Code: "name_taken"})))
}
