package remnawave

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
	"unicode"

	"panel/platform/fault"
)

// mostToken bounds what is taken for a token.
const mostToken = 8 << 10

// ReadToken reads when an API token ends; nil for one that says nothing of it. The token is a JWT whose signature only
// the panel can check. Fault: invalid_value (422) for what is no API token.
func ReadToken(token string) (expires *time.Time, err error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(token) > mostToken || strings.ContainsFunc(token, unicode.IsSpace) {
		return nil, fault.InvalidValue("token", "must be an API token as the proxy panel shows it once: three parts with dots between")
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	var claims struct {
		Role    string `json:"role"`
		Expires int64  `json:"exp"`
	}
	if err != nil || json.Unmarshal(payload, &claims) != nil {
		return nil, fault.InvalidValue("token", "cannot be read: it seems to be cut off")
	}
	if claims.Role != "" && claims.Role != "API" {
		return nil, fault.InvalidValue("token", "is the session of an administrator; make an API token in the proxy panel")
	}
	if claims.Expires <= 0 || claims.Expires > lastSecond {
		return nil, nil //nolint:nilnil // it never ends
	}
	at := time.Unix(claims.Expires, 0).UTC()
	return &at, nil
}

// lastSecond is the end of the year 9999, the last that RFC 3339 can write.
const lastSecond = 253402300799
