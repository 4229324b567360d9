// Package httpapi turns typed Go functions into the panel's HTTP API: routing, guard, problem documents, description.
//
// Modules declare operations as a table; this package alone knows huma and how a fault becomes a status.
package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"panel/platform/access"
	"panel/platform/fault"
)

// DefaultBodyLimit is the largest JSON body of an operation that does not choose its own, in bytes.
const DefaultBodyLimit = 1 << 20

// MaxBodyLimit is the largest body that any operation may choose, in bytes.
const MaxBodyLimit = 8 << 20

// DefaultDeadline ends a request that waits, so that its caller has an answer within five seconds: no request of a user
// waits for a node.
const DefaultDeadline = 4500 * time.Millisecond

// Operation is one method and path with its declared access. Make one with Get, Post, Put, Patch, Delete or Raw.
type Operation struct {
	Method        string
	Path          string
	Summary       string
	Rule          access.Rule
	Feature       string // license feature; "" is never gated
	WhileDegraded bool   // allowed in read-only mode (domain decision 2)
	Hidden        bool   // absent from the exported description
	// programs of other versions and makers call it: unknown fields and parameters and missing fields are accepted
	Lenient   bool
	BodyLimit int64
	Deadline  time.Duration // for the answer, or for its beginning where it streams
	Waits     bool          // the answer waits for something outside, however the database is
	Lasting   bool          // the answer lasts beyond the deadline
	Status    int

	// BeforePasswordChange lets accounts in that must change their password first.
	BeforePasswordChange bool

	// SignedIn keeps API tokens out: the operation is for a person who has signed in.
	SignedIn bool

	// Anew keeps the answer from being stored and given again to a repeated request.
	Anew bool
	// Keyed demands an Idempotency-Key.
	Keyed bool

	// Reveals keeps the answer from being compressed: it carries a secret.
	Reveals bool

	// Paced says that the handler keeps a pace of its own for each caller, and answers 429 beyond it.
	Paced bool

	// Unchanging answers every request with what was made for the first one.
	Unchanging bool

	// Closed answers every call, before anything else is asked; nil for an operation that is open.
	Closed *fault.Fault

	Owner string // module, set by the composition

	takes        []*huma.Param // of a raw one, in its query
	reads        reflect.Type  // of a raw one, its body
	upload       int64         // the largest file that it takes; 0: none
	ungatedReads bool
	input        reflect.Type // nil for a raw one
	answer       reflect.Type
	register     func(huma.API, huma.Operation, *Server)
	raw          func(*fiber.Ctx) error
}

// Routes is what a module contributes.
type Routes []Operation

// Writes says whether the operation changes state: everything but GET and HEAD.
func (o Operation) Writes() bool { return o.Method != http.MethodGet && o.Method != http.MethodHead }

// Repeatable says whether the operation takes an Idempotency-Key: every typed POST of a session that does not say Anew.
func (o Operation) Repeatable() bool {
	return o.Method == http.MethodPost && o.Rule.Kind == access.KindSession && o.raw == nil && !o.Anew
}

// ID names the operation in the description: the method and the path's words.
func (o Operation) ID() string {
	words := strings.FieldsFunc(strings.TrimPrefix(o.Path, "/api/v1"),
		func(r rune) bool { return strings.ContainsRune("/{}._", r) })
	return strings.ToLower(o.Method) + "-" + strings.Join(words, "-")
}

// Answer is the Go type of what a typed operation gives; nil for a raw one.
func (o Operation) Answer() reflect.Type { return o.answer }

// Option adjusts one operation.
type Option func(*Operation)

// Status sets the status of success.
func Status(code int) Option { return func(o *Operation) { o.Status = code } }

// WhileDegraded lets the operation pass in read-only mode.
func WhileDegraded() Option { return func(o *Operation) { o.WhileDegraded = true } }

// BeforePasswordChange lets the operation pass while its caller must choose a password of his own.
func BeforePasswordChange() Option { return func(o *Operation) { o.BeforePasswordChange = true } }

// SignedIn keeps API tokens out (403 session_required), for operations that give access or end it: a token that leaked
// must not make another one, nor an account that outlives it.
func SignedIn() Option { return func(o *Operation) { o.SignedIn = true } }

// Unchanging is for an answer that is the same for every caller as long as the panel runs: it is made and encoded once.
func Unchanging() Option { return func(o *Operation) { o.Unchanging = true } }

// Paced describes that the handler refuses callers who come too often (429).
func Paced() Option { return func(o *Operation) { o.Paced = true } }

// Hidden keeps the operation out of the exported description.
func Hidden() Option { return func(o *Operation) { o.Hidden = true } }

// Lenient accepts unknown and missing body fields and unknown query parameters, for agents of another version,
// applications of clients and monitors, which all send what they like.
func Lenient() Option { return func(o *Operation) { o.Lenient = true } }

// BodyLimit sets the largest body in bytes.
func BodyLimit(n int64) Option { return func(o *Operation) { o.BodyLimit = n } }

// Deadline gives the operation more time than DefaultDeadline. It still ends early when the database does not answer.
func Deadline(d time.Duration) Option { return func(o *Operation) { o.Deadline = d } }

// Waits is for an operation whose caller asks it to wait, at most so long: for news, for the end of an apply, for what
// a slow machine collects.
func Waits(d time.Duration) Option { return func(o *Operation) { o.Deadline, o.Waits = d, true } }

// Lasts is for an answer that lasts: live changes, or a download that is made while it is sent. Its context has no
// deadline.
func Lasts() Option { return func(o *Operation) { o.Lasting = true } }

// Closed answers every call with the fault, before the caller is asked for, for what a setting of the panel opens; nil
// leaves the operation open.
func Closed(f *fault.Fault) Option { return func(o *Operation) { o.Closed = f } }

// Takes declares a text in the query of a raw operation.
func Takes(name, doc string) Option {
	return func(o *Operation) {
		o.takes = append(o.takes, &huma.Param{
			Name: name, In: "query", Description: doc, Schema: &huma.Schema{Type: huma.TypeString},
		})
	}
}

// Reads declares the body of a raw operation, which reads it with a Document of the same type.
func Reads[T any]() Option { return func(o *Operation) { o.reads = reflect.TypeFor[T]() } }

// Feature gates one operation by a license feature.
func Feature(key string) Option { return func(o *Operation) { o.Feature = key } }

// UngatedReads leaves GET operations of a gated group open.
func UngatedReads() Option { return func(o *Operation) { o.ungatedReads = true } }

// Under prefixes the paths of a group and gates them by a license feature ("" = ungated).
func Under(prefix, feature string, operations ...Operation) Routes {
	for i := range operations {
		op := &operations[i]
		op.Path = prefix + op.Path
		if op.Feature == "" && (op.Writes() || !op.ungatedReads) {
			op.Feature = feature
		}
	}
	return operations
}

// Join makes one table of several groups.
func Join(groups ...Routes) Routes { return slices.Concat(groups...) }

// Handler is a typed operation: input filled and validated from the request, output or a fault.
type Handler[I, O any] func(ctx context.Context, in *I) (*O, error)

// Get declares a reading operation.
func Get[I, O any](path, summary string, rule access.Rule, h Handler[I, O], opts ...Option) Operation {
	return typed(http.MethodGet, path, summary, rule, h, opts)
}

// Post declares an operation that creates or acts.
func Post[I, O any](path, summary string, rule access.Rule, h Handler[I, O], opts ...Option) Operation {
	return typed(http.MethodPost, path, summary, rule, h, opts)
}

// Put declares an operation that replaces.
func Put[I, O any](path, summary string, rule access.Rule, h Handler[I, O], opts ...Option) Operation {
	return typed(http.MethodPut, path, summary, rule, h, opts)
}

// Patch declares an operation that changes parts.
func Patch[I, O any](path, summary string, rule access.Rule, h Handler[I, O], opts ...Option) Operation {
	return typed(http.MethodPatch, path, summary, rule, h, opts)
}

// Delete declares an operation that removes.
func Delete[I, O any](path, summary string, rule access.Rule, h Handler[I, O], opts ...Option) Operation {
	return typed(http.MethodDelete, path, summary, rule, h, opts)
}

// Raw declares a stream or a download that writes its answer itself; a returned fault becomes a problem document.
func Raw(method, path, summary string, rule access.Rule, h func(*fiber.Ctx) error, opts ...Option) Operation {
	op := declared(method, path, summary, rule, opts)
	op.raw = h
	return op
}

func declared(method, path, summary string, rule access.Rule, opts []Option) Operation {
	op := Operation{Method: method, Path: path, Summary: summary, Rule: rule, Deadline: DefaultDeadline}
	for _, opt := range opts {
		opt(&op)
	}
	if op.BodyLimit == 0 && !op.Writes() {
		op.BodyLimit = unusedBodyLimit
	}
	return op
}

func typed[I, O any](method, path, summary string, rule access.Rule, h Handler[I, O], opts []Option) Operation {
	op := declared(method, path, summary, rule, opts)
	op.input, op.answer = reflect.TypeFor[I](), reflect.TypeFor[O]()
	op.register = func(api huma.API, described huma.Operation, s *Server) {
		huma.Register(api, described, func(ctx context.Context, in *I) (*O, error) {
			out, err := h(ctx, in)
			if err != nil {
				return nil, s.problem(ctx, err)
			}
			return out, nil
		})
	}
	return op
}
