package httpapi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/fault"
)

// A connection that is refused before any request is told so in a whole answer, with the headers that every answer
// carries.
func TestARefusedConnectionGetsAWholeAnswer(t *testing.T) {
	t.Parallel()
	said := string(bare(fault.Throttled(5 * time.Second)))
	for _, part := range []string{
		"HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\n", `"code":"throttled"`, "Retry-After: 5", "nosniff",
		"X-Request-Id: ",
	} {
		require.Contains(t, said, part)
	}
}
