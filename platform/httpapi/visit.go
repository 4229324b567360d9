package httpapi

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/netip"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/fault"
)

// visit is what the layers know of one request before and after the guard. It travels beside the request, because a
// context costs memory for every fact that is put into it.
type visit struct {
	caller  access.Caller
	from    netip.Addr // the network of the caller's address, as limits count it
	began   time.Time
	at      *mounted // nil when no operation took the request
	refusal *fault.Fault
	answer  Problem // of the refusal
	body    body
	line    [5]zap.Field // of the log; it lies here so that a request need not make it
	upload  *Uploaded    // nil when the operation takes none
}

type visitKey struct{}

// visited gives the request's visit; a request that could not even be read has an empty one.
func visited(c *fiber.Ctx) *visit {
	if v, ok := c.Locals(visitKey{}).(*visit); ok {
		return v
	}
	return &visit{caller: access.Caller{Kind: access.Nobody}}
}

var visits = sync.Pool{New: func() any { return new(visit) }}

// comes begins a visit.
func comes(c *fiber.Ctx) *visit {
	v, ok := visits.Get().(*visit)
	if !ok {
		v = new(visit)
	}
	c.Locals(visitKey{}, v)
	return v
}

// goes ends it; nothing may hold it any longer.
func (v *visit) goes(c *fiber.Ctx) {
	c.Locals(visitKey{}, nil)
	*v = visit{}
	visits.Put(v)
}

const requestIDLength = 36

// requestID is a UUIDv7. It is no secret, so that it needs no random bytes from the kernel.
func requestID(now time.Time) (id [requestIDLength]byte) {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], uint64(now.UnixMilli())<<16|uint64(version7)<<8|rand.Uint64N(1<<12)) //nolint:gosec // after 1970
	binary.BigEndian.PutUint64(raw[8:], rand.Uint64()>>2|variant)
	for at, part := 0, 0; part < len(dashes); part++ {
		from, to := dashes[part][0], dashes[part][1]
		hex.Encode(id[at:], raw[from:to])
		if at += 2 * (to - from); at < len(id) {
			id[at] = '-'
			at++
		}
	}
	return id
}

const (
	version7 = 0x70
	variant  = 1 << 63
)

// dashes are the groups of a UUID in bytes.
var dashes = [5][2]int{{0, 4}, {4, 6}, {6, 8}, {8, 10}, {10, 16}}
