package limits

import (
	"context"
	"time"

	"github.com/xtls/xray-core/common"
	"github.com/xtls/xray-core/common/buf"
	"github.com/xtls/xray-core/transport"
	"golang.org/x/time/rate"
)

// Near gives the end of a stream that faces the client: it reads what comes down and writes what goes up.
func (v *Visit) Near(ctx context.Context, link *transport.Link) *transport.Link {
	return &transport.Link{
		Reader: &reader{Reader: link.Reader, bounded: v.bounded(ctx, v.client.down)},
		Writer: &writer{Writer: link.Writer, bounded: v.bounded(ctx, v.client.up)},
	}
}

// Far gives the end of a stream that faces away from the client: it reads what goes up and writes what comes down.
func (v *Visit) Far(ctx context.Context, link *transport.Link) *transport.Link {
	return &transport.Link{
		Reader: &reader{Reader: link.Reader, bounded: v.bounded(ctx, v.client.up)},
		Writer: &writer{Writer: link.Writer, bounded: v.bounded(ctx, v.client.down)},
	}
}

// bounded is one direction of a stream.
type bounded struct {
	visit *Visit
	ctx   context.Context //nolint:containedctx // reading and writing of the core know none
	speed *rate.Limiter
}

func (v *Visit) bounded(ctx context.Context, speed *rate.Limiter) bounded {
	return bounded{visit: v, ctx: ctx, speed: speed}
}

// pass waits until so many bytes may pass.
func (b *bounded) pass(bytes int32) error {
	if at := b.visit.seat; at != nil && bytes > 0 {
		at.carried.Store(b.visit.keeper.clock.Now().UnixNano())
	}
	for left := int(bytes); left > 0 && b.speed.Limit() != rate.Inf; {
		some := min(left, max(b.speed.Burst(), 1))
		if err := b.speed.WaitN(b.ctx, some); err != nil {
			return err
		}
		left -= some
	}
	return nil
}

type reader struct {
	buf.Reader
	bounded
}

// ReadMultiBuffer reads what the limit lets pass.
func (r *reader) ReadMultiBuffer() (buf.MultiBuffer, error) {
	read, err := r.Reader.ReadMultiBuffer()
	return r.passed(read, err)
}

// ReadMultiBufferTimeout is for who waits for the first bytes for a short time.
func (r *reader) ReadMultiBufferTimeout(wait time.Duration) (buf.MultiBuffer, error) {
	in, can := r.Reader.(buf.TimeoutReader)
	if !can {
		return nil, buf.ErrNotTimeoutReader
	}
	read, err := in.ReadMultiBufferTimeout(wait)
	return r.passed(read, err)
}

// passed gives what was read when it may pass. What was read beside an error passes, too.
func (r *reader) passed(read buf.MultiBuffer, err error) (buf.MultiBuffer, error) {
	if ended := r.pass(read.Len()); ended != nil {
		buf.ReleaseMulti(read)
		return nil, ended
	}
	return read, err
}

// Interrupt ends the stream at once.
func (r *reader) Interrupt() { _ = common.Interrupt(r.Reader) }

// Close ends the stream.
func (r *reader) Close() error { return common.Close(r.Reader) }

type writer struct {
	buf.Writer
	bounded
}

// WriteMultiBuffer writes when the limit lets it pass.
func (w *writer) WriteMultiBuffer(all buf.MultiBuffer) error {
	if err := w.pass(all.Len()); err != nil {
		buf.ReleaseMulti(all)
		return err
	}
	return w.Writer.WriteMultiBuffer(all)
}

// Interrupt ends the stream at once.
func (w *writer) Interrupt() { _ = common.Interrupt(w.Writer) }

// Close ends the stream.
func (w *writer) Close() error { return common.Close(w.Writer) }
