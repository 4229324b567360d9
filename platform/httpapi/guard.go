package httpapi

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"

	"panel/platform/access"
	"panel/platform/fault"
	"panel/platform/httpapi/internal/connections"
	"panel/platform/limits"
)

// Sessions proves administrators by their session token or API token, from memory in steady state.
type Sessions interface {
	Authenticate(ctx context.Context, token string) (access.Caller, error)
	// Recognise is the same without counting as a use of the session, for streams that stay open by themselves.
	Recognise(ctx context.Context, token string) (access.Caller, error)
}

// Agents proves nodes by their agent token, from memory in steady state.
type Agents interface {
	AuthenticateAgent(ctx context.Context, token string) (access.Caller, error)
}

// NoAgents refuses every agent token: a build without nodes has none.
type NoAgents struct{}

// AuthenticateAgent always refuses.
func (NoAgents) AuthenticateAgent(context.Context, string) (access.Caller, error) {
	return access.Caller{}, fault.Unauthenticated("agent_token_invalid", "this panel has no nodes")
}

// Installation tells how far the first installation is.
type Installation interface {
	// Progress says whether an administrator exists and whether the installation is finished.
	Progress(ctx context.Context) (administrator, finished bool, err error)
}

// Denials hears of every refused request, for the journal.
type Denials interface {
	Denied(ctx context.Context, operation Operation, code string)
}

// guard runs the refusals in the one order that the conventions fix: 401, 403, 409 setup_closed, 429, then 404.
func (s *Server) guard(at *mounted, next fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		v := visited(c)
		v.at = at
		limited := within(context.Background(), c.Context().Time(), at.op.Deadline+s.opts.Leeway)
		limited.ip = v.caller.IP
		defer limited.end()
		if at.op.Deadline > DefaultDeadline && !at.op.Waits {
			defer s.watchDatabase(limited)()
		}
		err := s.enters(limited, c, v)
		defer v.body.leave(c)
		defer s.drop(v)
		if err == nil {
			err = s.receive(limited, c, v)
		}
		if err != nil {
			return s.refuse(limited, c, err)
		}
		if at.op.Lasting {
			c.SetUserContext(access.With(context.Background(), v.caller))
		} else {
			caller := v.caller // the visit is used again
			limited.caller = &caller
			c.SetUserContext(limited)
		}
		if v.upload != nil {
			c.SetUserContext(context.WithValue(c.UserContext(), uploadKey{}, v.upload))
		}
		if err = next(c); err == nil && at.op.Compressed() {
			Compress(c)
		}
		return err
	}
}

// enters asks everything that comes before the body.
func (s *Server) enters(ctx context.Context, c *fiber.Ctx, v *visit) error {
	if closed := v.at.op.Closed; closed != nil {
		return closed
	}
	if err := s.identify(ctx, c, v); err != nil {
		return err
	}
	return s.admit(ctx, c, v)
}

// refuse answers who is turned away, and tells the journal of those who lacked something.
func (s *Server) refuse(ctx context.Context, c *fiber.Ctx, err error) error {
	v, f := visited(c), faultOf(err)
	if f == nil {
		return s.write(c, err)
	}
	v.refusal = f
	if f.Kind == fault.KindForbidden || f.Kind == fault.KindUnauthenticated {
		s.opts.Denials.Denied(access.With(ctx, v.caller), *v.at.op, f.Code)
	}
	v.answer = problemFrom(v.caller.RequestID, f)
	s.noteFailure(&v.answer, err)
	return s.send(c, &v.answer)
}

// faultOf is the fault in an error, or nil.
func faultOf(err error) *fault.Fault {
	if f, plain := err.(*fault.Fault); plain { //nolint:errorlint // as most are; looking for it costs a flood of them more
		return f
	}
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	return nil
}

// admit asks everything that follows once the caller is known.
func (s *Server) admit(ctx context.Context, c *fiber.Ctx, v *visit) error {
	op := v.at.op
	if err := s.entitled(op); err != nil {
		return err
	}
	if err := s.setupOpen(ctx, op); err != nil {
		return err
	}
	if err := s.throttle(v); err != nil {
		return err
	}
	if err := v.at.queried(c); err != nil {
		return err
	}
	if v.at.parameters {
		return identifiers(c)
	}
	return nil
}

// identify proves the caller as the operation's access demands and checks the permission key.
func (s *Server) identify(ctx context.Context, c *fiber.Ctx, v *visit) error {
	switch v.at.op.Rule.Kind {
	case access.KindSession:
		return s.session(ctx, c, v)
	case access.KindAgent:
		return v.proved(ctx, c, s.opts.Agents.AuthenticateAgent, noAgent)
	case access.KindSetup:
		return s.installer(ctx, c, v)
	default:
		return nil
	}
}

func (s *Server) session(ctx context.Context, c *fiber.Ctx, v *visit) error {
	if err := v.proved(ctx, c, s.opts.Sessions.Authenticate, noSession); err != nil {
		return err
	}
	return mayCall(v.caller, v.at.op)
}

// mayCall asks whether a caller who has proved himself has all that an operation demands of him.
func mayCall(caller access.Caller, op *Operation) error {
	if caller.MustChangePassword && !op.BeforePasswordChange {
		return errPasswordDue
	}
	if op.SignedIn && caller.TokenID != "" {
		return errSessionRequired
	}
	if keys := op.Rule.Keys; !caller.Permissions.HasAny(keys) {
		return lacks(keys)
	}
	for _, key := range op.Rule.Also {
		if !caller.Permissions.Has(key) {
			return lacks([]access.Key{key})
		}
	}
	return nil
}

var errPasswordDue = fault.Forbidden("password_change_required",
	"choose a password of your own first: your account may do nothing else until then")

var errSessionRequired = fault.Forbidden("session_required", "an API token cannot do this; sign in and do it yourself")

func lacks(keys []access.Key) error {
	words := make([]string, len(keys))
	for i, key := range keys {
		words[i] = string(key)
	}
	detail := "your account lacks the permission " + strings.Join(words, " or ") + "; ask an administrator who holds it"
	return fault.Forbidden("permission_denied", detail).With("required", words)
}

// installer lets anybody in until the first administrator exists, unless the operation always asks for a session; from
// then on it is an ordinary session, but for the operation that makes the first administrator, which is closed instead.
func (s *Server) installer(ctx context.Context, c *fiber.Ctx, v *visit) error {
	if v.at.op.Rule.Signed {
		return s.session(ctx, c, v)
	}
	administrator, _, err := s.opts.Installation.Progress(ctx)
	if err != nil || !administrator || v.at.op.Rule.First {
		return err
	}
	return s.session(ctx, c, v)
}

type proof func(ctx context.Context, token string) (access.Caller, error)

// proved replaces the stranger of the visit by the caller whose token the request carries.
func (v *visit) proved(ctx context.Context, c *fiber.Ctx, prove proof, none error) error {
	token := Token(c)
	if token == "" {
		return none
	}
	known, err := prove(ctx, token)
	if err != nil {
		return err
	}
	known.IP, known.UserAgent, known.RequestID = v.caller.IP, v.caller.UserAgent, v.caller.RequestID
	v.caller = known
	if conn, ours := c.Context().Conn().(*connections.Client); ours {
		conn.Proved()
	}
	return nil
}

// Token is the one that the request carries in its Authorization header, or nothing.
func Token(c *fiber.Ctx) string {
	scheme, token, _ := bytes.Cut(c.Request().Header.Peek(fiber.HeaderAuthorization), []byte(" "))
	if !bytes.EqualFold(scheme, bearer) {
		return ""
	}
	return string(token)
}

var bearer = []byte("Bearer")

var (
	noSession = fault.Unauthenticated("no_session", "sign in and send the session token as a Bearer token")
	noAgent   = fault.Unauthenticated("agent_token_invalid", "send the node's own token as a Bearer token")
)

var readOnly = fault.Forbidden("license_read_only",
	"the panel is read-only: its license is missing or expired; activate a license to make changes")

// entitled is the license's place in the request path: one atomic load. In read-only mode reads pass unchecked, and one
// that belongs to no feature passes in every state, so that it does not even look.
func (s *Server) entitled(op *Operation) error {
	if op.Feature == "" && !op.Writes() {
		return nil
	}
	state := s.opts.License.Current()
	switch {
	case state.ReadOnly() && (!op.Writes() || op.WhileDegraded):
		return nil
	case state.ReadOnly():
		return readOnly.With("license_state", state.State).After(s.degradedRetry(op))
	case !state.Allows(op.Feature):
		return blocked(op.Feature)
	}
	return nil
}

// degradedRetry tells agents when to send their kept telemetry again; people are not told to retry.
func (s *Server) degradedRetry(op *Operation) time.Duration {
	if op.Rule.Kind == access.KindAgent {
		return time.Minute
	}
	return 0
}

func blocked(feature string) error {
	detail := "the license's plan does not include " + feature + "; change the plan to use it"
	return fault.Forbidden("license_feature_blocked", detail).With("feature", feature)
}

// ErrSetupClosed answers everything below /api/v1/setup that is over.
var ErrSetupClosed = fault.Conflict("setup_closed", "the first installation is over; sign in instead")

func (s *Server) setupOpen(ctx context.Context, op *Operation) error {
	if op.Rule.Kind != access.KindSetup {
		return nil
	}
	administrator, finished, err := s.opts.Installation.Progress(ctx)
	if err != nil {
		return err
	}
	if finished || administrator && op.Rule.First {
		return ErrSetupClosed
	}
	return nil
}

// throttle refuses who asks too often.
func (s *Server) throttle(v *visit) error {
	limit := v.at.op.Rule.Limit
	if limit.PerMinute == 0 {
		return nil
	}
	if wait := s.limits.Take(limits.Key{Route: v.at, From: v.from}, limit, v.began); wait > 0 {
		return fault.Throttled(wait)
	}
	return nil
}

// identifiers answers a malformed id in a path like an unknown one (domain decision 14).
func identifiers(c *fiber.Ctx) error {
	for name, value := range c.AllParams() {
		if name != "id" && !strings.HasSuffix(name, "_id") {
			continue
		}
		if err := uuid.Validate(value); err != nil || len(value) != 36 {
			return errUnknownID
		}
	}
	return nil
}

var errUnknownID = fault.Missing(fault.NoSuchThing)
