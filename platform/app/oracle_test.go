package app_test

import (
	"net/http"
	"slices"
	"strings"

	"panel/platform/entitlement"
)

// caller is somebody who sends requests: what he shows, and what that proves.
type caller struct {
	name    string
	headers []string
	query   string
	proves  string   // "session", "agent" or nothing
	holds   []string // permissions of a proven session
	token   bool     // what he shows is an API token
	refusal string   // the word of the 401 where a session is needed; empty: no_session
}

// licensed is one state of the license.
type licensed struct {
	name  string
	state entitlement.State
}

func (l licensed) readOnly() bool { return l.state.State == entitlement.Degraded }

// stage is how far the first installation is.
type stage struct{ administrator, finished bool }

// verdict is what the panel must answer before the operation itself has a word; the zero value is "come in".
type verdict struct {
	status int
	code   string
}

// expects says what the reviewed policy demands. It knows nothing of the code: it is the specification's sections
// Authentication and Degraded mode, with decisions 2, 4 and 9 of the domain, in the fixed order of refusals.
func expects(line policy, who caller, l licensed, s stage) verdict {
	for _, refuse := range []func(policy, caller, licensed, stage) verdict{
		unproven, unattended, unpermitted,
		unlicensed, closed,
	} {
		if v := refuse(line, who, l, s); v.status != 0 {
			return v
		}
	}
	return verdict{}
}

// guarded says which proof the operation asks for at this stage of the installation.
func (p policy) guarded(s stage) string {
	switch p.access {
	case "session", "agent":
		return p.access
	case "setup-session":
		return "session"
	case "setup":
		if s.administrator {
			return "session"
		}
	case "public", "throttled", "first":
	default:
		panic("policy.csv has an access that the matrix does not know: " + p.access)
	}
	return ""
}

// unproven is 401.
func unproven(line policy, who caller, _ licensed, s stage) verdict {
	needed := line.guarded(s)
	switch {
	case needed == "" || needed == who.proves:
		return verdict{}
	case needed == "agent":
		return verdict{http.StatusUnauthorized, "agent_token_invalid"}
	case who.refusal != "":
		return verdict{http.StatusUnauthorized, who.refusal}
	}
	return verdict{http.StatusUnauthorized, "no_session"}
}

// unattended is 403 for an API token where a person must have signed in.
func unattended(line policy, who caller, _ licensed, s stage) verdict {
	if line.guarded(s) == "session" && line.signedIn && who.token {
		return verdict{http.StatusForbidden, "session_required"}
	}
	return verdict{}
}

// unpermitted is 403 for the lack of a key.
func unpermitted(line policy, who caller, _ licensed, s stage) verdict {
	lacks := func(key string) bool { return !who.opens(key) }
	if line.guarded(s) != "session" || len(line.keys) == 0 ||
		slices.ContainsFunc(line.keys, who.opens) && !slices.ContainsFunc(line.also, lacks) {
		return verdict{}
	}
	return verdict{http.StatusForbidden, "permission_denied"}
}

func (c caller) opens(key string) bool {
	noun, _, _ := strings.Cut(key, ".")
	return slices.Contains(c.holds, key) || slices.Contains(c.holds, noun+".*") || slices.Contains(c.holds, "*")
}

// unlicensed is 403 for the license.
func unlicensed(line policy, _ caller, l licensed, _ stage) verdict {
	reads := line.method == http.MethodGet || line.method == http.MethodHead
	switch {
	case l.readOnly() && (reads || line.whileDegraded):
		return verdict{}
	case l.readOnly():
		return verdict{http.StatusForbidden, "license_read_only"}
	case line.feature != "" && !slices.Contains(l.state.Enabled, line.feature):
		return verdict{http.StatusForbidden, "license_feature_blocked"}
	}
	return verdict{}
}

// closed is 409 of an installation that is over.
func closed(line policy, _ caller, _ licensed, s stage) verdict {
	over := strings.HasPrefix(line.access, "setup") && s.finished || line.access == "first" && (s.administrator || s.finished)
	if over {
		return verdict{http.StatusConflict, "setup_closed"}
	}
	return verdict{}
}
