package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// problem is the part of a problem document that an operator reads.
type problem struct {
	Detail    string   `json:"detail"`
	Title     string   `json:"title"`
	Code      string   `json:"code"`
	RequestID string   `json:"request_id"`
	Required  []string `json:"required"` // permissions, one of which would do

	Errors []wrongField `json:"errors"`
}

// wrongField is what is wrong with one field of what was sent.
type wrongField struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// mostFields bounds the fields in one message.
const mostFields = 3

func (c *Client) refusal(status int, answer []byte) error {
	var p problem
	if json.Unmarshal(answer, &p) != nil {
		p = problem{}
	}
	failure := &Failure{Exit: exitOf(status), Problem: c.refused(status), Err: &APIError{Status: status, Code: p.Code}}
	failure.Cause = causeOf(status, p)
	failure.Try = adviceFor(status, p.Code)
	return failure
}

// APIError is under every failure that the panel itself answered.
type APIError struct {
	Status int
	Code   string
}

func (e *APIError) Error() string { return fmt.Sprintf("HTTP %d %s", e.Status, e.Code) }

func exitOf(status int) int {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return ExitNotAllowed
	case http.StatusConflict:
		return ExitConflict
	case http.StatusServiceUnavailable:
		return ExitUnreachable
	}
	return ExitFailed
}

func (c *Client) refused(status int) Message {
	switch status {
	case http.StatusUnauthorized:
		return Say("the panel at %s does not accept the token", c.base)
	case http.StatusForbidden:
		return Say("the panel at %s does not allow this", c.base)
	}
	return Say("the panel at %s refused the request", c.base)
}

// causeOf is what the panel said. Its sentences are English; those in the catalogue are translated, and the code tells
// the rest.
func causeOf(status int, p problem) Message {
	said := English(firstOf(p.Detail, p.Title, http.StatusText(status)))
	if p.Code == "permission_denied" && len(p.Required) > 0 {
		said = Say("your account lacks the permission %s; ask an administrator who holds it", strings.Join(p.Required,
			" | "))
	}
	cause := Say("HTTP %d: %s", status, said)
	if p.Code != "" {
		cause = Say("HTTP %d: %s (%s)", status, said, p.Code)
	}
	for _, wrong := range p.Errors[:min(mostFields, len(p.Errors))] {
		cause = Say("%s; %s: %s", cause, English(wrong.Field), English(wrong.Message))
	}
	if p.RequestID != "" && status >= http.StatusInternalServerError {
		cause = Say("%s, request %s", cause, p.RequestID)
	}
	return cause
}

func adviceFor(status int, code string) []Message {
	switch {
	case status == http.StatusUnauthorized:
		return []Message{Plain("panelctl login")}
	case code == "session_required":
		return []Message{Plain("panelctl login")}
	case code == "password_change_required":
		return []Message{Say("sign in to the web interface and choose a new password there")}
	case strings.HasPrefix(code, "license_"):
		return []Message{Plain("panelctl license status")}
	case strings.HasPrefix(code, "update_"), strings.HasPrefix(code, "rollback_"):
		return []Message{Plain("panelctl update status")}
	case status == http.StatusForbidden:
		return []Message{Say("ask for the permission")}
	case status >= http.StatusInternalServerError:
		return []Message{Plain("journalctl -u panel -n 50"), Plain("panelctl doctor")}
	}
	return nil
}
