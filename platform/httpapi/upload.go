package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"panel/platform/access"
	"panel/platform/fault"
)

const (
	// MaxUpload is the largest file that an operation may take, in bytes.
	MaxUpload = 64 << 20
	// UploadWithin is how long a file may take to arrive.
	UploadWithin = 5 * time.Minute
	// uploadsAtOnce bounds what files that are arriving or being read take of the disk.
	uploadsAtOnce = 2
)

// Uploaded is a file that came as the body of a request. It is gone when the request has been answered, or with the
// process.
type Uploaded struct {
	*os.File
	Size int64
}

// Upload declares a POST whose body is a file of any type. The file is written to the disk while it arrives, so that
// its size costs no memory; limit is that of this operation alone. Faults besides those of h: missing_field (400),
// body_too_large (413), unavailable (503).
func Upload[I, O any](
	path, summary string, rule access.Rule, limit int64, h func(ctx context.Context, in *I, file *Uploaded) (*O, error),
	opts ...Option,
) Operation {
	received := func(ctx context.Context, in *I) (*O, error) {
		file, _ := ctx.Value(uploadKey{}).(*Uploaded)
		if file == nil || file.Size == 0 {
			return nil, fault.Malformed("missing_field", "send the file as the body of the request")
		}
		return h(ctx, in, file)
	}
	takes := func(o *Operation) { o.upload, o.Anew, o.Deadline, o.BodyLimit = limit, true, UploadWithin, limit }
	op := Post(path, summary, rule, received, append([]Option{takes}, opts...)...)
	register := op.register
	op.register = func(api huma.API, described huma.Operation, s *Server) {
		binary := &huma.Schema{Type: huma.TypeString, Format: "binary"}
		described.RequestBody = &huma.RequestBody{
			Required: true, Content: map[string]*huma.MediaType{"application/octet-stream": {Schema: binary}},
		}
		register(api, described, s)
	}
	return op
}

type uploadKey struct{}

// store writes the body of a request to a file that has no name any more, so that nothing is left of it whatever
// happens.
func (s *Server) store(c *fiber.Ctx, v *visit) (err error) {
	limit, claimed := v.at.op.upload, int64(c.Request().Header.ContentLength())
	if claimed > limit {
		return tooLarge(limit)
	}
	if !s.uploads.TryAcquire(1) {
		return fault.Unavailable("the panel is reading as many files as it may; try again").After(bodyWait)
	}
	v.upload = &Uploaded{}
	if v.upload.File, err = os.CreateTemp("", "panel-upload-"); err != nil {
		return fmt.Errorf("make room for an upload: %w", err)
	}
	if err := os.Remove(v.upload.Name()); err != nil {
		return fmt.Errorf("take the name from an upload: %w", err)
	}
	if conn := c.Context().Conn(); conn != nil {
		_ = conn.SetReadDeadline(time.Now().Add(UploadWithin)) //nolint:forbidigo // deadlines of connections are times of the machine
	}
	v.upload.Size, err = io.Copy(sink{v.upload.File}, io.LimitReader(c.Request().BodyStream(), limit+1))
	var full *storageError
	switch {
	case errors.As(err, &full):
		return fault.Unavailable("the panel has no room on its disk for the file").After(time.Minute)
	case err != nil && isTimeout(err):
		return errSlow
	case err != nil || claimed >= 0 && v.upload.Size != claimed:
		return errUnreadable
	case v.upload.Size > limit:
		return tooLarge(limit)
	}
	_, err = v.upload.Seek(0, io.SeekStart)
	return err
}

// sink tells the failures of the disk from those of the connection.
type sink struct{ file *os.File }

func (s sink) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	if err != nil {
		return n, &storageError{err}
	}
	return n, nil
}

type storageError struct{ error }

// drop gives back what an upload has taken.
func (s *Server) drop(v *visit) {
	if v.upload == nil {
		return
	}
	if v.upload.File != nil {
		_ = v.upload.Close() // nobody reads it again
	}
	v.upload = nil
	s.uploads.Release(1)
}

// mostBody is the largest limit that an operation may declare.
func mostBody(op *Operation) int64 { return cmp.Or(op.upload, MaxBodyLimit) }
