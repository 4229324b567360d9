package access

import "time"

// Kind is how an operation is reached (specification, "Access values").
type Kind int

// Kinds of access. The zero value is not a declaration: an operation that has it stops the start.
const (
	Undeclared Kind = iota
	KindPublic
	KindThrottled
	KindAgent
	KindSetup
	KindSession
)

// Limit is a token bucket per client address; Burst requests at once, then PerMinute.
type Limit struct {
	PerMinute int
	Burst     int
}

// PublicLimit is the limit of public throttled routes where a route does not choose its own.
var PublicLimit = Limit{PerMinute: 30, Burst: 10}

// Interval is the time after which one more request is allowed.
func (l Limit) Interval() time.Duration { return time.Minute / time.Duration(l.PerMinute) }

// Rule is the declared access of one operation. Keys are alternatives: one of them is enough. Also are needed besides,
// each of them.
type Rule struct {
	Kind  Kind
	Keys  []Key
	Also  []Key
	Limit Limit
	First bool // makes the first administrator: open until he exists, closed from then on
	// Signed asks for the session also before the first administrator exists.
	Signed bool
}

// Public needs nothing and is not limited: only for answers from memory, which cost no more than a refusal.
func Public() Rule { return Rule{Kind: KindPublic} }

// PublicWithin is public with a rate limit beside the one that its own rules set. It is wide enough for a whole office
// behind one address, and bounds what a single address can make the panel do.
func PublicWithin(limit Limit) Rule { return Rule{Kind: KindPublic, Limit: limit} }

// WideLimit is for public operations with narrower rules of their own, such as signing in.
var WideLimit = Limit{PerMinute: 240, Burst: 120}

// Throttled is public with a rate limit; over it the answer is 429 with Retry-After.
func Throttled(limit Limit) Rule { return Rule{Kind: KindThrottled, Limit: limit} }

// Agent needs an agent token.
func Agent() Rule { return Rule{Kind: KindAgent} }

// Setup is open before the first administrator exists, then needs a session with the given keys, and is closed
// (409 setup_closed) once the installation is finished.
func Setup(keys ...Key) Rule { return Rule{Kind: KindSetup, Keys: keys, Limit: WideLimit} }

// SetupSession is Setup that needs the session from the beginning: closed once the installation is finished, and never
// open to anybody.
func SetupSession(keys ...Key) Rule {
	return Rule{Kind: KindSetup, Keys: keys, Limit: WideLimit, Signed: true}
}

// FirstAdmin is the access of the one operation that makes the first administrator.
func FirstAdmin(limit Limit) Rule { return Rule{Kind: KindSetup, Limit: limit, First: true} }

// Session needs an administrator's session and no permission key.
func Session() Rule { return Rule{Kind: KindSession} }

// Needs is Session plus one of the keys.
func Needs(keys ...Key) Rule { return Rule{Kind: KindSession, Keys: keys} }

// And asks for more keys, each of them, besides those of the rule.
func (r Rule) And(also ...Key) Rule {
	r.Also = also
	return r
}
