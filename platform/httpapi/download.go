package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"runtime/debug"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"panel/platform/access"
)

// File is an answer that is written while it is sent, so that its size costs no memory.
type File struct {
	Name   string
	Type   string // media type
	Header map[string]string
	Write  func(ctx context.Context, w io.Writer) error
}

// Download declares an operation that answers with a file. What fails before the first byte is an ordinary refusal;
// what fails later breaks the connection off, so that nobody takes a part for the whole. The context of Write outlives
// the request.
func Download[I any](method, path, summary string, rule access.Rule, h Handler[I, File], opts ...Option) Operation {
	op := declared(method, path, summary, rule, opts)
	op.input = reflect.TypeFor[I]()
	op.register = func(api huma.API, described huma.Operation, s *Server) {
		described.Responses = map[string]*huma.Response{strconv.Itoa(http.StatusOK): {Description: "The content itself"}}
		huma.Register(api, described, func(ctx context.Context, in *I) (*fileOutput, error) {
			file, err := h(ctx, in)
			if err != nil {
				return nil, s.problem(ctx, err)
			}
			content, err := s.begin(ctx, file)
			if err != nil {
				return nil, s.problem(ctx, err)
			}
			return &fileOutput{Body: content.answer}, nil
		})
	}
	return op
}

type fileOutput struct{ Body func(huma.Context) }

// download is a file that is being written; who reads it gets the writer's failure instead of an end.
type download struct {
	*bufio.Reader
	file *File
	pipe *io.PipeReader
}

// Close lets the writer fail; the server calls it when the client has gone.
func (d *download) Close() error { return d.pipe.Close() }

// begin starts the writer and waits for its first bytes.
func (s *Server) begin(ctx context.Context, file *File) (*download, error) {
	reader, writer := io.Pipe()
	ctx = s.opts.Streams.Detach(ctx)
	go func() {
		err := wrote(ctx, file, writer)
		if err != nil && !errors.Is(err, io.ErrClosedPipe) && ctx.Err() == nil {
			s.log.Error("a download ended before its end", zap.String("request_id", access.From(ctx).RequestID),
				zap.String("file", file.Name), zap.Error(err))
		}
		_ = writer.CloseWithError(err)
	}()
	d := &download{bufio.NewReaderSize(reader, downloadBuffer), file, reader}
	if _, err := d.Peek(1); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return d, nil
}

const downloadBuffer = 32 << 10

func wrote(ctx context.Context, file *File, w io.Writer) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	buffered := bufio.NewWriterSize(w, downloadBuffer)
	if err := file.Write(ctx, buffered); err != nil {
		return err
	}
	return buffered.Flush()
}

func (d *download) answer(ctx huma.Context) {
	for name, value := range d.file.Header {
		ctx.SetHeader(name, value)
	}
	ctx.SetHeader(fiber.HeaderContentType, d.file.Type)
	ctx.SetHeader(fiber.HeaderContentDisposition, mime.FormatMediaType("attachment",
		map[string]string{"filename": d.file.Name}))
	ctx.SetStatus(http.StatusOK)
	if on, ok := ctx.(*exchange); ok {
		on.fiber.Context().SetBodyStream(d, -1)
	}
}
