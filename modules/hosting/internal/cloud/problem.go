package cloud

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"panel/platform/fault"
	"panel/platform/outbound"
)

// Causes of a problem, in stable words.
const (
	CredentialsRefused = "credentials_refused"
	RightMissing       = "right_missing"
	AccountLocked      = "account_locked"
	RateLimited        = "rate_limited"
	NotFound           = "not_found"
	LimitReached       = "limit_reached"
	Busy               = "busy" // something else is being done with the server
	Refused            = "refused"
	ProviderFailed     = "provider_failed"
	AnswerUnreadable   = "answer_unreadable"
	Unreachable        = "unreachable"
)

// Problem is why a provider cannot be used, or refuses a call.
type Problem struct {
	Service string
	Cause   string
	Status  int    // of HTTP; 0: no answer came
	Words   string // the provider's own sentence, without credentials
	// Missing are the rights that the credentials lack, in the provider's words.
	Missing []string
	// After is how long the provider wants to be left alone.
	After time.Duration
	// Sent says that the call may have had an effect although no good answer came.
	Sent bool
}

func (p *Problem) Error() string {
	text := p.Service + ": " + p.Cause
	if p.Status != 0 {
		text += " (HTTP " + strconv.Itoa(p.Status) + ")"
	}
	if p.Words != "" {
		text += ": " + p.Words
	}
	return text
}

// ProblemOf is what an error says of a provider; nil for one that is none of a provider's.
func ProblemOf(err error) *Problem {
	var problem *Problem
	if errors.As(err, &problem) {
		return problem
	}
	return nil
}

// Passing tells whether the same call may succeed later without anybody's doing.
func (p *Problem) Passing() bool {
	return p.Cause == RateLimited || p.Cause == ProviderFailed || p.Cause == Unreachable || p.Cause == Busy
}

// Fault is the problem as the API answers it.
func (p *Problem) Fault() *fault.Fault {
	var f *fault.Fault
	switch p.Cause {
	case CredentialsRefused:
		f = fault.Invalid("hosting_credentials_refused", p.Service+" does not know these credentials")
	case RightMissing:
		f = fault.Invalid("hosting_right_missing", "the credentials at "+p.Service+" lack a right")
	case Unreachable:
		f = fault.UpstreamTimeout("hosting_provider_timeout", p.Service+" cannot be reached")
	default:
		f = fault.Upstream("hosting_provider_error", p.Error())
	}
	f = f.With("cause", p.Cause).Wrap(p)
	if len(p.Missing) > 0 {
		f = f.With("missing", p.Missing)
	}
	if p.After > 0 {
		f = f.After(p.After)
	}
	return f
}

// Faults are the codes that calls of providers answer with.
func Faults() []fault.Declared {
	return []fault.Declared{
		{Kind: fault.KindConflict, Code: "not_able", Summary: "The provider of this account has no way to do this"},
		{
			Kind: fault.KindInvalid, Code: "hosting_credentials_refused",
			Summary: "The provider does not know the credentials",
		},
		{
			Kind: fault.KindInvalid, Code: "hosting_right_missing",
			Summary: "The credentials lack a right; missing names it",
		},
		{
			Kind: fault.KindUpstream, Code: "hosting_provider_error",
			Summary: "The hosting provider refused; cause says why",
		},
		{
			Kind: fault.KindUpstreamTimeout, Code: "hosting_provider_timeout",
			Summary: "The hosting provider did not answer",
		},
	}
}

// AsFault is an error of a call as the API answers it.
func AsFault(err error) error {
	if problem := ProblemOf(err); problem != nil {
		return problem.Fault()
	}
	return err
}

// causeOf is what most providers mean by a status.
func causeOf(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return CredentialsRefused
	case status == http.StatusForbidden:
		return RightMissing
	case status == http.StatusNotFound:
		return NotFound
	case status == http.StatusTooManyRequests:
		return RateLimited
	case status >= http.StatusInternalServerError:
		return ProviderFailed
	}
	return Refused
}

// unanswered is the problem of a call that no answer came to.
func unanswered(service string, err error, sent bool) *Problem {
	return &Problem{Service: service, Cause: Unreachable, Words: outbound.CauseOf(err).Text, Sent: sent}
}
