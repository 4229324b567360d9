package remnawave

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// What a scope is for: to read, to act on abuse, to make and change what serves flows.
const (
	Read         = "read"
	Abuse        = "abuse"
	Provisioning = "provisioning"
)

// Scope is one that a token needs.
type Scope struct {
	Name string
	Use  string
}

// Scopes are all that a token needs, in the words of the panel.
func Scopes() (all []Scope) {
	for _, one := range dialects[0].probes() {
		all = append(all, one.Scope)
	}
	return all
}

// probe is a question that changes nothing. Whatever is answered but 401 and 403 shows that the scope is there.
type probe struct {
	Scope
	method, path string
	body         any
}

// beats is how long ago each kind of process gave a sign of life, by the panel's own clock.
type beats map[string]time.Duration

// silentAfter is the age of a heartbeat, which comes every 5 s, from which its process counts as dead.
const silentAfter = 30 * time.Second

// Figures are what the panel says of itself.
type Figures struct {
	Users         int   `json:"users"`
	UsersOnline   int   `json:"users_online"`
	Nodes         int   `json:"nodes"`
	NodesOnline   int   `json:"nodes_online"`
	NodesDisabled int   `json:"nodes_disabled"`
	Webhooks      *bool `json:"webhooks" doc:"Whether it sends webhooks; null: it does not tell"`
}

// States of a connection.
const (
	StateUnchecked   = "unchecked"
	StateOK          = "ok"
	StateDegraded    = "degraded"
	StateAuth        = "auth"
	StateUnreachable = "unreachable"
	StateGate        = "gate"
	StateUnsupported = "unsupported"
)

// Seen is what one look at a panel found. Missing is nil where the scopes were not asked about.
type Seen struct {
	State, Cause, Detail string
	Version              string
	Latency              time.Duration
	Figures              *Figures
	Missing              []string
}

// Look asks what the panel is and how it is; with scopes also what the token may do. It gives no error but that of its
// context: what goes wrong is what it has found.
func (c *Client) Look(ctx context.Context, scopes bool) (seen Seen, err error) {
	var metadata struct {
		Version string `json:"version"`
	}
	info, err := c.call(ctx, http.MethodGet, "/system/metadata", nil, &metadata)
	seen.Latency = info.took
	if CauseOf(err) == ScopeMissing && err != nil {
		return c.refused(ctx, seen)
	}
	if err != nil {
		return seen.met(ctx, err)
	}
	seen.Version = plain(metadata.Version)
	spoken, _ := dialectOf(seen.Version)
	if spoken == nil {
		seen.State, seen.Cause, seen.Detail = StateUnsupported, VersionUnsupported,
			fmt.Sprintf("it is version %s; supported is %s", seen.Version, Range)
		return seen, nil
	}
	seen.State = StateOK
	figures, alive, err := spoken.survey(ctx, c)
	if err != nil && CauseOf(err) != ScopeMissing {
		return seen.met(ctx, err)
	}
	if err != nil {
		scopes = true
	} else {
		seen.Figures = &figures
		seen.judge(figures, alive)
	}
	if scopes {
		if err := c.probe(ctx, spoken, &seen); err != nil {
			return seen.met(ctx, err)
		}
	}
	return seen, nil
}

// refused tells a deleted token, which opens nothing, from one that only lacks the scope for the first question.
func (c *Client) refused(ctx context.Context, seen Seen) (Seen, error) {
	spoken := dialects[0]
	if err := c.probe(ctx, spoken, &seen); err != nil {
		return seen.met(ctx, err)
	}
	if len(seen.Missing) == len(spoken.probes()) {
		seen.State, seen.Cause, seen.Missing = StateAuth, TokenRefused, nil
	}
	return seen, nil
}

// probe finds the scopes that are missing. Without one of those to read by, the connection is of no use.
func (c *Client) probe(ctx context.Context, spoken dialect, seen *Seen) error {
	seen.Missing = []string{}
	for _, one := range spoken.probes() {
		_, err := c.call(ctx, one.method, one.path, one.body, nil)
		var problem *Problem
		switch {
		case err == nil:
		case !errors.As(err, &problem):
			return err
		case problem.Cause == ScopeMissing:
			seen.Missing = append(seen.Missing, one.Name)
			if one.Use == Read {
				seen.State, seen.Cause = StateAuth, ScopeMissing
			}
		case !problem.reached():
			return err
		}
	}
	if len(seen.Missing) > 0 && (seen.State == StateOK || seen.State == StateDegraded) {
		seen.State, seen.Cause = StateDegraded, ScopeMissing
	}
	return nil
}

// judge finds what is less than well with a panel that answers.
func (s *Seen) judge(figures Figures, alive beats) {
	if down := figures.Nodes - figures.NodesOnline - figures.NodesDisabled; down > 0 {
		s.State, s.Cause, s.Detail = StateDegraded, NodesDown, fmt.Sprintf("%d of %d nodes are down", down, figures.Nodes)
	}
	for _, process := range []string{"api", "scheduler", "processor"} {
		if age, known := alive[process]; !known || age > silentAfter {
			s.State, s.Cause, s.Detail = StateDegraded, ProcessSilent, "no sign of life of its process "+process
			return
		}
	}
}

// met is the state that follows from an error. A look that was broken off has found nothing.
func (s Seen) met(ctx context.Context, err error) (Seen, error) {
	var problem *Problem
	if !errors.As(err, &problem) {
		return s, err
	}
	if context.Cause(ctx) != nil && problem.Status == 0 && !problem.late {
		return s, fmt.Errorf("look at the proxy panel: %w", context.Cause(ctx))
	}
	s.Cause, s.Detail = problem.Cause, problem.Detail
	switch problem.Cause {
	case TokenRefused:
		s.State = StateAuth
	case NoReverseProxy, GatePage:
		s.State = StateGate
	case SlowDown:
		s.State = StateDegraded
	default:
		s.State = StateUnreachable
	}
	return s, nil
}

// theirs is what the panel's clock says, by the Date of its answer; ours where it says nothing.
func (c *Client) theirs(info answered) time.Time {
	if at, err := http.ParseTime(info.header.Get("Date")); err == nil {
		return at
	}
	return c.now()
}

// IsRead says whether a scope is one to read by, without which the connection is of no use.
func IsRead(scope string) bool {
	for _, one := range Scopes() {
		if one.Name == scope {
			return one.Use == Read
		}
	}
	return false
}
