package core

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"

	xnet "github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/transport/internet"
)

// announcer dials like the core and says with the PROXY protocol who connects, as a load balancer would.
type announcer struct{ internet.DefaultSystemDialer }

// announce makes the core in this process say so in every connection over TCP.
func announce() { internet.UseAlternativeSystemDialer(&announcer{}) }

// Dial connects and announces itself.
func (d *announcer) Dial(
	ctx context.Context, source xnet.Address, to xnet.Destination, options *internet.SocketConfig,
) (net.Conn, error) {
	conn, err := d.DefaultSystemDialer.Dial(ctx, source, to, options)
	if err != nil || to.Network != xnet.Network_TCP {
		return conn, err
	}
	if err := announceOn(conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// announceOn writes a header of version 1.
func announceOn(conn net.Conn) error {
	from, errFrom := netip.ParseAddrPort(conn.LocalAddr().String())
	to, errTo := netip.ParseAddrPort(conn.RemoteAddr().String())
	if errFrom != nil || errTo != nil {
		return errors.New("announce a connection: it has no addresses")
	}
	family := "TCP4"
	if !to.Addr().Unmap().Is4() {
		family = "TCP6"
	}
	_, err := io.WriteString(conn, fmt.Sprintf("PROXY %s %s %s %d %d\r\n", family, from.Addr().Unmap(), to.Addr().Unmap(),
		from.Port(), to.Port()))
	return err
}
