package buffered

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xtls/xray-core/app/stats"
	"github.com/xtls/xray-core/common"
	"github.com/xtls/xray-core/common/buf"
	xnet "github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/common/net/cnc"
	"github.com/xtls/xray-core/common/serial"
	xray "github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/features/routing"
	"github.com/xtls/xray-core/proxy"
	"github.com/xtls/xray-core/transport/internet/stat"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// far is the other end of a connection of gRPC.
type far struct {
	comes  []buf.MultiBuffer
	went   []buf.MultiBuffer
	broken error
}

func (f *far) Read([]byte) (int, error) { return 0, io.EOF }

func (f *far) ReadMultiBuffer() (buf.MultiBuffer, error) {
	if len(f.comes) == 0 {
		return nil, io.EOF
	}
	next := f.comes[0]
	f.comes = f.comes[1:]
	return next, nil
}

func (f *far) WriteMultiBuffer(all buf.MultiBuffer) error {
	if f.broken != nil {
		return f.broken
	}
	f.went = append(f.went, all)
	return nil
}

func of(content string) buf.MultiBuffer { return buf.MultiBuffer{buf.FromBytes([]byte(content))} }

// countedConn is a connection of gRPC as the core hands it to a proxy.
func countedConn(f *far) *stat.CounterConnection {
	return &stat.CounterConnection{
		Connection:  cnc.NewConnection(cnc.ConnectionInputMulti(f), cnc.ConnectionOutputMulti(f)),
		ReadCounter: &stats.Counter{}, WriteCounter: &stats.Counter{},
	}
}

// Each buffer is passed on as it is, and counted once, however the proxy reads and writes.
func TestBuffersPassWholeAndCounted(t *testing.T) {
	t.Parallel()
	f := &far{comes: []buf.MultiBuffer{of("hello "), of("world")}}
	counted := countedConn(f)
	conn := whole(counted)

	reader, writer := buf.NewReader(conn), buf.NewWriter(conn)
	read, err := reader.ReadMultiBuffer()
	require.NoError(t, err)
	require.Equal(t, "hello ", read.String())
	single := make([]byte, 16)
	n, err := conn.Read(single)
	require.NoError(t, err)
	require.Equal(t, "world", string(single[:n]))
	_, err = reader.ReadMultiBuffer()
	require.ErrorIs(t, err, io.EOF)
	require.EqualValues(t, len("hello world"), counted.ReadCounter.Value())

	sent := of("an answer")
	require.NoError(t, writer.WriteMultiBuffer(sent))
	require.Same(t, sent[0], f.went[0][0], "the buffer was copied")
	_, err = conn.Write([]byte(", more"))
	require.NoError(t, err)
	require.EqualValues(t, len("an answer, more"), counted.WriteCounter.Value())
}

// What could not be sent is not counted.
func TestWhatCouldNotBeSentIsNotCounted(t *testing.T) {
	t.Parallel()
	f := &far{broken: errors.New("the stream has ended")}
	counted := countedConn(f)
	require.ErrorIs(t, buf.NewWriter(whole(counted)).WriteMultiBuffer(of("lost")), f.broken)
	require.Zero(t, counted.WriteCounter.Value())
}

// A core counts one direction, both or none.
func TestCountersMayBeMissing(t *testing.T) {
	t.Parallel()
	f := &far{comes: []buf.MultiBuffer{of("hello")}}
	conn := whole(&stat.CounterConnection{Connection: countedConn(f).Connection})
	_, err := buf.NewReader(conn).ReadMultiBuffer()
	require.NoError(t, err)
	require.NoError(t, buf.NewWriter(conn).WriteMultiBuffer(of("hi")))
	require.Len(t, f.went, 1)
}

// A connection of bytes, and one that nobody counts, stay what they are: proxies look for the kinds they know.
func TestOtherConnectionsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	near, other := net.Pipe()
	defer near.Close()
	defer other.Close()
	bytesAlone := &stat.CounterConnection{Connection: near}
	require.Same(t, bytesAlone, whole(bytesAlone))
	uncounted := countedConn(&far{}).Connection
	require.Same(t, uncounted, whole(uncounted))
}

// echo is a proxy that sends back what comes, and knows its users.
type echo struct {
	proxy.UserManager
	closed bool
	seen   stat.Connection
}

func (e *echo) Network() []xnet.Network { return []xnet.Network{xnet.Network_TCP} }
func (e *echo) Close() error            { e.closed = true; return nil }

func (e *echo) Process(_ context.Context, _ xnet.Network, conn stat.Connection, _ routing.Dispatcher) error {
	e.seen = conn
	return buf.Copy(buf.NewReader(conn), buf.NewWriter(conn))
}

// Messages that no proxy of the core has stand for proxies of this test.
func init() {
	common.Must(common.RegisterConfig((*wrapperspb.BoolValue)(nil), func(context.Context, any) (any, error) {
		return &echo{}, nil
	}))
	common.Must(common.RegisterConfig((*wrapperspb.StringValue)(nil), func(_ context.Context, of any) (any, error) {
		return nil, errors.New(of.(*wrapperspb.StringValue).GetValue())
	}))
	common.Must(common.RegisterConfig((*wrapperspb.BytesValue)(nil), func(context.Context, any) (any, error) {
		return &bytes.Buffer{}, nil
	}))
}

// made creates the proxy of a buffered inbound as the core does.
func made(t *testing.T, settings *serial.TypedMessage) (any, error) {
	t.Helper()
	in := &xray.InboundHandlerConfig{Tag: "in", ProxySettings: settings}
	config, err := Inbound(in)
	require.NoError(t, err)
	require.Same(t, settings, in.GetProxySettings(), "the given configuration was changed")
	message, err := config.GetProxySettings().GetInstance()
	require.NoError(t, err)
	return common.CreateObject(t.Context(), message)
}

// The proxy behind serves as before: with its users, to its end, and with whole buffers.
func TestTheProxyBehindServes(t *testing.T) {
	t.Parallel()
	object, err := made(t, serial.ToTypedMessage(wrapperspb.Bool(true)))
	require.NoError(t, err)
	in, ok := object.(proxy.Inbound)
	require.True(t, ok)
	require.Implements(t, (*proxy.UserManager)(nil), object)
	behind := object.(*served).Inbound.(*echo)

	f := &far{comes: []buf.MultiBuffer{of("hello")}}
	require.NoError(t, in.Process(t.Context(), xnet.Network_TCP, countedConn(f), nil))
	require.Equal(t, "hello", f.went[0].String())
	require.Implements(t, (*buf.Writer)(nil), behind.seen)
	require.NoError(t, common.Close(object))
	require.True(t, behind.closed)
}

// What is no proxy with users is not wrapped, and what cannot be made says why.
func TestWhatIsNoProxyStaysWhatItIs(t *testing.T) {
	t.Parallel()
	object, err := made(t, serial.ToTypedMessage(wrapperspb.Bytes(nil)))
	require.NoError(t, err)
	require.IsType(t, &bytes.Buffer{}, object)
	_, err = made(t, serial.ToTypedMessage(wrapperspb.String("no key")))
	require.ErrorContains(t, err, "no key")
	_, err = common.CreateObject(t.Context(), &anypb.Any{TypeUrl: "nobody.knows.This"})
	require.ErrorContains(t, err, "make a buffered proxy")
	_, err = Inbound(&xray.InboundHandlerConfig{Tag: "in"})
	require.ErrorContains(t, err, "has no proxy")
}
