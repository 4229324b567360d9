package hostname_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/hostname"
)

func TestHostNamesAndAddressesAreDistinguishedFromOtherTexts(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"203.0.113.7": true, "2001:db8::1": true, "node.example.com": true, "localhost": true, "3com.example": true,
		"http://x": false, "a b": false, "1.2.3": false, "0x7f000001": false, "2130706433": false, "-a.example": false,
		"": false, "a..b": false,
	} {
		require.Equal(t, good, hostname.Is(text), "%q", text)
	}
}
