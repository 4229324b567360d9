package httpapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"panel/platform/access"
	"panel/platform/fault"
)

// Reader lets a module ask the typed GET operations of the panel in process, as the caller of its own request and with
// exactly their rights: the same permissions, the same license, the same validation as over the network. It never
// changes anything: what writes, streams, downloads, reveals a secret or is hidden is refused, whoever asks. A refusal
// is no denial of the journal, because the caller did not send the request.
type Reader struct{ server *Server }

// NewReader makes one that the server fills in when it is composed; before that it answers nothing.
func NewReader() *Reader { return new(Reader) }

// ReadError is an answer that is no success.
type ReadError struct {
	Status  int      `json:"status"`
	Code    string   `json:"code"`
	Missing []string `json:"required"` // permissions
}

func (e *ReadError) Error() string { return fmt.Sprintf("%d %s", e.Status, e.Code) }

// ErrNotReadable says that an operation is none that a Reader asks.
var ErrNotReadable = errors.New("only typed GET operations of a session can be read in process, and none that is hidden")

// Get asks the operation of a path as it is declared, "/api/v1/nodes/{id}", with the values of its path and query, and
// reads the answer into a pointer. The error is a *ReadError when the operation refuses.
func (r *Reader) Get(ctx context.Context, path string, values url.Values, into any) error {
	at, err := r.readable(path)
	if err != nil {
		return err
	}
	if err := r.server.permitted(ctx, at, values); err != nil {
		return r.refusal(ctx, err)
	}
	in := &inside{at: at, ctx: ctx, values: values, header: http.Header{}, status: http.StatusOK}
	at.handle(in)
	if in.status >= http.StatusMultipleChoices {
		refused := &ReadError{Status: in.status}
		return errors.Join(refused, json.Unmarshal(in.body.Bytes(), refused))
	}
	if err := json.Unmarshal(in.body.Bytes(), into); err != nil {
		return fmt.Errorf("read %s in process: %w", path, err)
	}
	return nil
}

// Needs gives the permissions of which the operation of a path demands one, and those that it demands beside.
func (r *Reader) Needs(path string) (one, also []access.Key, err error) {
	at, err := r.readable(path)
	if err != nil {
		return nil, nil, err
	}
	return at.op.Rule.Keys, at.op.Rule.Also, nil
}

func (r *Reader) readable(path string) (*mounted, error) {
	if r.server == nil {
		return nil, errors.New("the panel is not composed yet")
	}
	at := r.server.ops[http.MethodGet+" "+path]
	switch {
	case at == nil, at.handle == nil, at.op.Hidden, at.op.Reveals, at.op.SignedIn, at.op.Waits, at.op.Lasting,
		at.op.Rule.Kind != access.KindSession:
		return nil, fmt.Errorf("read %s in process: %w", path, ErrNotReadable)
	}
	return at, nil
}

// permitted asks of a read what the guard asks of a request.
func (s *Server) permitted(ctx context.Context, at *mounted, values url.Values) error {
	if at.op.Closed != nil {
		return at.op.Closed
	}
	caller := access.From(ctx)
	if caller.Kind != access.Admin {
		return noSession
	}
	if err := mayCall(caller, at.op); err != nil {
		return err
	}
	if err := s.entitled(at.op); err != nil {
		return err
	}
	return at.takes(values)
}

// takes refuses values that the operation does not have, and a malformed id like an unknown one.
func (at *mounted) takes(values url.Values) error {
	for name := range values {
		if _, known := at.query[name]; known {
			continue
		}
		if !strings.Contains(at.op.Path, "{"+name+"}") {
			return parameterFault(name, "this operation has no such parameter")
		}
		if name != "id" && !strings.HasSuffix(name, "_id") {
			continue
		}
		if id := values.Get(name); uuid.Validate(id) != nil || len(id) != 36 {
			return errUnknownID
		}
	}
	return nil
}

func (r *Reader) refusal(ctx context.Context, err error) error {
	f, known := fault.As(err)
	if !known {
		return err
	}
	refused := &ReadError{Status: StatusOf(f.Kind), Code: f.Code}
	if words, ok := f.Extra["required"].([]string); ok {
		refused.Missing = words
	}
	return refused
}

// inside is one read and its answer as the typed layer wants to see them.
type inside struct {
	at     *mounted
	ctx    context.Context //nolint:containedctx // the layer asks for it
	values url.Values
	header http.Header
	status int
	body   bytes.Buffer
}

func (e *inside) Operation() *huma.Operation                 { return e.at.described }
func (e *inside) Context() context.Context                   { return e.ctx }
func (e *inside) TLS() *tls.ConnectionState                  { return nil }
func (e *inside) Version() huma.ProtoVersion                 { return huma.ProtoVersion{Proto: "HTTP/1.1"} }
func (e *inside) Method() string                             { return http.MethodGet }
func (e *inside) Host() string                               { return "" }
func (e *inside) RemoteAddr() string                         { return access.From(e.ctx).IP }
func (e *inside) URL() url.URL                               { return url.URL{Path: e.at.op.Path} }
func (e *inside) Param(name string) string                   { return e.values.Get(name) }
func (e *inside) Query(name string) string                   { return e.values.Get(name) }
func (e *inside) Header(string) string                       { return "" }
func (e *inside) EachHeader(func(name, value string))        {}
func (e *inside) BodyReader() io.Reader                      { return http.NoBody }
func (e *inside) GetMultipartForm() (*multipart.Form, error) { return nil, http.ErrNotMultipart }
func (e *inside) SetReadDeadline(time.Time) error            { return nil }
func (e *inside) SetStatus(code int)                         { e.status = code }
func (e *inside) Status() int                                { return e.status }
func (e *inside) SetHeader(name, value string)               { e.header.Set(name, value) }
func (e *inside) AppendHeader(name, value string)            { e.header.Add(name, value) }
func (e *inside) BodyWriter() io.Writer                      { return &e.body }
