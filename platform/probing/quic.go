package probing

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"panel/platform/agentapi"
)

// Packets of QUIC, as RFC 9000 has them: a server answers the first packet of a version that it does not know with the
// versions that it does, if the packet is as long as a first one must be.
const (
	longHeader    = 0xc0
	initialLength = 1200
	idLength      = 8
)

// strangeVersion is one of those that are reserved to make servers name theirs.
var strangeVersion = []byte{0x1a, 0x2a, 0x3a, 0x4a}

// askVersions is a first packet of a strange version.
func askVersions() []byte {
	packet := make([]byte, 0, initialLength)
	packet = append(packet, longHeader)
	packet = append(packet, strangeVersion...)
	ids := make([]byte, 2*idLength)
	_, _ = rand.Read(ids) // never fails
	packet = append(append(packet, idLength), ids[:idLength]...)
	packet = append(append(packet, idLength), ids[idLength:]...)
	return packet[:initialLength]
}

const triesUDP = 3

// datagram asks for the versions of QUIC, three times because packets are lost. Silence says nothing where nobody has
// to answer; a refusal of the host does.
func (p *Prober) datagram(ctx context.Context, w agentapi.Watch) error {
	conn, err := p.Dial(ctx, "udp", w.Address)
	if err != nil {
		return err
	}
	defer conn.Close()
	for range triesUDP {
		if err = answered(ctx, conn, time.Duration(w.TimeoutSeconds)*time.Second/triesUDP); err == nil {
			return nil
		}
		if errors.Is(err, syscall.ECONNREFUSED) || ctx.Err() != nil {
			break
		}
	}
	var silent net.Error
	if errors.As(err, &silent) && silent.Timeout() && !w.Answers {
		return errMute
	}
	return fmt.Errorf("ask over UDP: %w", err)
}

// answered asks once.
func answered(ctx context.Context, conn net.Conn, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	if _, err := conn.Write(askVersions()); err != nil {
		return err
	}
	_, err := conn.Read(make([]byte, initialLength))
	return err
}
