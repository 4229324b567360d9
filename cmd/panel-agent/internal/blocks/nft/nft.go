// Package nft keeps a table of the host's packet filter that drops what blocked addresses send to the ports of this
// node's listeners. The kernel lifts each block at its time, whoever is there to see it.
package nft

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"
)

// tableName is that of the only table that is touched.
const tableName = "panel_agent"

// Bounds of one message and of one transaction: the kernel stores a part of larger ones and says nothing.
const (
	perMessage     = 500
	perTransaction = 5000
)

// ErrNotPermitted says why the host does not let this process block anything.
var ErrNotPermitted = errors.New("the service lacks CAP_NET_ADMIN")

// Able says whether this process may block addresses on this host.
func Able() error {
	conn := &nftables.Conn{}
	_, err := conn.ListTablesOfFamily(nftables.TableFamilyINet)
	switch {
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EACCES):
		return ErrNotPermitted
	case err != nil:
		return fmt.Errorf("the kernel has no packet filter that can be used: %w", err)
	}
	return nil
}

// Ports is a range of ports.
type Ports struct{ From, To uint16 }

// sets are those of one generation. Each write makes a new one and changes over to it at once, so that nobody slips
// through while many elements are written.
type sets struct{ four, six, ports *nftables.Set }

const (
	prefix4     = "blocked4_"
	prefix6     = "blocked6_"
	prefixPorts = "ports_"
)

// Write puts spans and ports into force, in place of all that was before. Without spans the table goes. Now is the
// moment by the same clock as the ends of the spans.
func Write(spans []Span, ports []Ports, now time.Time) error {
	if len(spans) == 0 || len(ports) == 0 {
		return Remove()
	}
	conn := &nftables.Conn{}
	table := conn.AddTable(&nftables.Table{Name: tableName, Family: nftables.TableFamilyINet})
	if err := conn.Flush(); err != nil {
		return fmt.Errorf("make the table of blocks: %w", err)
	}
	before, err := conn.GetSets(table)
	if err != nil {
		return fmt.Errorf("read the table of blocks: %w", err)
	}
	next, err := fill(conn, table, before, spans, ports, now)
	if err != nil {
		return err
	}
	change(conn, table, next)
	for _, old := range before {
		conn.DelSet(old)
	}
	if err := conn.Flush(); err != nil {
		return fmt.Errorf("put blocks into force: %w", err)
	}
	return nil
}

// Remove takes all blocks away.
func Remove() error {
	conn := &nftables.Conn{}
	table := &nftables.Table{Name: tableName, Family: nftables.TableFamilyINet}
	conn.AddTable(table) // one that is not there cannot be deleted
	conn.DelTable(table)
	if err := conn.Flush(); err != nil {
		return fmt.Errorf("take blocks away: %w", err)
	}
	return nil
}

// fill makes and fills the sets of the next generation, which nothing uses yet.
func fill(
	conn *nftables.Conn, table *nftables.Table, before []*nftables.Set, spans []Span, ports []Ports, now time.Time,
) (*sets, error) {
	number := generation(before)
	named := func(prefix string, of nftables.SetDatatype, timed bool) *nftables.Set {
		return &nftables.Set{
			Table: table, Name: prefix + strconv.FormatUint(number, 10), KeyType: of, Interval: true, HasTimeout: timed,
		}
	}
	next := &sets{
		named(prefix4, nftables.TypeIPAddr, true), named(prefix6, nftables.TypeIP6Addr, true),
		named(prefixPorts, nftables.TypeInetService, false),
	}
	for _, set := range []*nftables.Set{next.four, next.six, next.ports} {
		if err := conn.AddSet(set, nil); err != nil {
			return nil, fmt.Errorf("make a set of blocks: %w", err)
		}
	}
	if err := conn.Flush(); err != nil {
		return nil, fmt.Errorf("make the sets of blocks: %w", err)
	}
	four, six := elementsOf(spans, now)
	for set, elements := range map[*nftables.Set][]nftables.SetElement{
		next.four: four, next.six: six, next.ports: elementsOfPorts(ports),
	} {
		if err := add(conn, set, elements); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// generation is a number that no set has.
func generation(before []*nftables.Set) uint64 {
	next := uint64(1)
	for _, set := range before {
		_, digits, _ := strings.Cut(set.Name, "_")
		if n, err := strconv.ParseUint(digits, 10, 63); err == nil && n >= next {
			next = n + 1
		}
	}
	return next
}

func add(conn *nftables.Conn, set *nftables.Set, elements []nftables.SetElement) error {
	for written := 0; len(elements) > 0; {
		some := elements[:min(perMessage, len(elements))]
		elements = elements[len(some):]
		if err := conn.SetAddElements(set, some); err != nil {
			return fmt.Errorf("write blocks: %w", err)
		}
		if written += len(some); written >= perTransaction || len(elements) == 0 {
			written = 0
			if err := conn.Flush(); err != nil {
				return fmt.Errorf("write blocks: %w", err)
			}
		}
	}
	return nil
}

// elementsOf are spans in the form of the kernel, each as its beginning and what follows its end.
func elementsOf(spans []Span, now time.Time) (four, six []nftables.SetElement) {
	for _, span := range spans {
		left := span.Until.Sub(now).Truncate(time.Millisecond)
		if left <= 0 {
			continue
		}
		pair := []nftables.SetElement{{Key: span.From.AsSlice(), Timeout: left}}
		if after := span.To.Next(); after.IsValid() && after.BitLen() == span.To.BitLen() {
			pair = append(pair, nftables.SetElement{Key: after.AsSlice(), IntervalEnd: true})
		}
		if span.From.Is4() {
			four = append(four, pair...)
		} else {
			six = append(six, pair...)
		}
	}
	return four, six
}

func elementsOfPorts(ports []Ports) (elements []nftables.SetElement) {
	for _, one := range merged(ports) {
		elements = append(elements, nftables.SetElement{Key: binaryutil.BigEndian.PutUint16(one.From)})
		if one.To < math.MaxUint16 {
			elements = append(elements, nftables.SetElement{
				Key: binaryutil.BigEndian.PutUint16(one.To + 1), IntervalEnd: true,
			})
		}
	}
	return elements
}

// change has the chain look into the sets of a generation, in the transaction that follows.
func change(conn *nftables.Conn, table *nftables.Table, next *sets) {
	chain := conn.AddChain(&nftables.Chain{
		Name: "prerouting", Table: table, Type: nftables.ChainTypeFilter, Hooknum: nftables.ChainHookPrerouting,
		Priority: nftables.ChainPriorityRaw,
	})
	conn.FlushChain(chain)
	const source4, source6, length4, length6 = 12, 8, 4, 16
	for _, l4 := range []byte{unix.IPPROTO_TCP, unix.IPPROTO_UDP} {
		conn.AddRule(&nftables.Rule{
			Table: table, Chain: chain, Exprs: drop(unix.NFPROTO_IPV4, l4, source4, length4, next.four, next.ports),
		})
		conn.AddRule(&nftables.Rule{
			Table: table, Chain: chain, Exprs: drop(unix.NFPROTO_IPV6, l4, source6, length6, next.six, next.ports),
		})
	}
}

// drop is the rule of one family and one protocol.
func drop(family, l4 byte, offset, length uint32, blocked, ports *nftables.Set) []expr.Any {
	const register, destPort, portLength = 1, 2, 2
	return []expr.Any{
		&expr.Meta{Key: expr.MetaKeyNFPROTO, Register: register},
		&expr.Cmp{Op: expr.CmpOpEq, Register: register, Data: []byte{family}},
		&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: register},
		&expr.Cmp{Op: expr.CmpOpEq, Register: register, Data: []byte{l4}},
		&expr.Payload{DestRegister: register, Base: expr.PayloadBaseNetworkHeader, Offset: offset, Len: length},
		&expr.Lookup{SourceRegister: register, SetName: blocked.Name, SetID: blocked.ID},
		&expr.Payload{
			DestRegister: register, Base: expr.PayloadBaseTransportHeader, Offset: destPort, Len: portLength,
		},
		&expr.Lookup{SourceRegister: register, SetName: ports.Name, SetID: ports.ID},
		&expr.Counter{},
		&expr.Verdict{Kind: expr.VerdictDrop},
	}
}

// Held counts the blocked spans that are in the kernel now.
func Held() (int, error) {
	conn := &nftables.Conn{}
	table := &nftables.Table{Name: tableName, Family: nftables.TableFamilyINet}
	all, err := conn.GetSets(table)
	if errors.Is(err, syscall.ENOENT) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the table of blocks: %w", err)
	}
	held := 0
	for _, set := range all {
		if !strings.HasPrefix(set.Name, "blocked") {
			continue
		}
		elements, err := conn.GetSetElements(set)
		if err != nil {
			return 0, fmt.Errorf("read the blocks: %w", err)
		}
		for _, one := range elements {
			if !one.IntervalEnd {
				held++
			}
		}
	}
	return held, nil
}

// Span is addresses from one to another that are blocked until a moment.
type Span struct {
	From, To netip.Addr
	Until    time.Time
}
