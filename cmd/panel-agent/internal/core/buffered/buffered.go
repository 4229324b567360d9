// Package buffered makes inbounds whose connections pass on whole buffers although they are counted. The core counts
// the bytes of a connection in a wrapper that knows single bytes alone, because of which each buffer of gRPC would be
// copied once more.
package buffered

import (
	"context"
	"errors"
	"fmt"

	"github.com/xtls/xray-core/common"
	"github.com/xtls/xray-core/common/buf"
	xnet "github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/common/serial"
	xray "github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/features/routing"
	"github.com/xtls/xray-core/features/stats"
	"github.com/xtls/xray-core/proxy"
	"github.com/xtls/xray-core/transport/internet/stat"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// served is a proxy that gets connections that pass on whole buffers.
type served struct {
	proxy.Inbound
	proxy.UserManager
}

// The core makes a proxy from a message of its configuration. This one stands for a proxy that is buffered: its type
// and its settings are those of that proxy.
func init() {
	common.Must(common.RegisterConfig((*anypb.Any)(nil), func(ctx context.Context, message any) (any, error) {
		inner, ok := message.(*anypb.Any)
		if !ok {
			return nil, errors.New("make a buffered proxy: the message is of another type")
		}
		settings, err := (&serial.TypedMessage{Type: inner.GetTypeUrl(), Value: inner.GetValue()}).GetInstance()
		if err != nil {
			return nil, fmt.Errorf("make a buffered proxy: %w", err)
		}
		made, err := common.CreateObject(ctx, settings)
		if err != nil {
			return nil, err
		}
		in, serves := made.(proxy.Inbound)
		users, knows := made.(proxy.UserManager)
		if !serves || !knows {
			return made, nil
		}
		return &served{in, users}, nil
	}))
}

// Inbound gives the configuration of the same inbound, buffered.
func Inbound(in *xray.InboundHandlerConfig) (*xray.InboundHandlerConfig, error) {
	clone, ok := proto.Clone(in).(*xray.InboundHandlerConfig)
	if !ok || in.GetProxySettings() == nil {
		return nil, fmt.Errorf("make the inbound %s: it has no proxy", in.GetTag())
	}
	inner := in.GetProxySettings()
	clone.ProxySettings = serial.ToTypedMessage(&anypb.Any{TypeUrl: inner.GetType(), Value: inner.GetValue()})
	return clone, nil
}

// Process serves a connection.
func (s *served) Process(
	ctx context.Context, network xnet.Network, conn stat.Connection, to routing.Dispatcher,
) error {
	return s.Inbound.Process(ctx, network, whole(conn), to)
}

// Close closes the proxy where it can be closed.
func (s *served) Close() error { return common.Close(s.Inbound) }

// whole gives a counted connection that passes on whole buffers; one that cannot stays as it is.
func whole(conn stat.Connection) stat.Connection {
	counted, ok := conn.(*stat.CounterConnection)
	if !ok {
		return conn
	}
	reader, reads := counted.Connection.(buf.Reader)
	writer, writes := counted.Connection.(buf.Writer)
	if !reads || !writes {
		return conn
	}
	return &wholeConn{CounterConnection: counted, reader: reader, writer: writer}
}

// wholeConn is a counted connection that passes on whole buffers.
type wholeConn struct {
	*stat.CounterConnection
	reader buf.Reader
	writer buf.Writer
}

// ReadMultiBuffer gives the buffers that have come.
func (c *wholeConn) ReadMultiBuffer() (buf.MultiBuffer, error) {
	read, err := c.reader.ReadMultiBuffer()
	add(c.ReadCounter, read.Len())
	return read, err
}

// WriteMultiBuffer sends buffers, which are not the caller's any more.
func (c *wholeConn) WriteMultiBuffer(all buf.MultiBuffer) error {
	bytes := all.Len()
	err := c.writer.WriteMultiBuffer(all)
	if err == nil {
		add(c.WriteCounter, bytes)
	}
	return err
}

func add(counter stats.Counter, bytes int32) {
	if counter != nil {
		counter.Add(int64(bytes))
	}
}
