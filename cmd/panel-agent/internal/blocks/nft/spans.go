package nft

import (
	"cmp"
	"container/heap"
	"net/netip"
	"slices"
	"time"
)

// Block is a network that is blocked until a moment.
type Block struct {
	Network netip.Prefix
	Until   time.Time
}

// Spans are the addresses of blocks without overlaps, which the kernel refuses: what lies in several networks is
// blocked as long as the longest of them.
func Spans(blocks []Block) []Span {
	sorted := make([]Span, len(blocks))
	for i, b := range blocks {
		sorted[i] = Span{b.Network.Masked().Addr(), lastOf(b.Network), b.Until}
	}
	slices.SortFunc(sorted, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.From.BitLen(), b.From.BitLen()), a.From.Compare(b.From))
	})
	var out []Span
	var open longest // those that hold the address where the sweep is
	var at netip.Addr
	upTo := func(limit netip.Addr) { // limit is the first address that is not covered here; not valid: all
		for len(open) > 0 {
			top := open[0]
			if top.To.Compare(at) < 0 {
				heap.Pop(&open)
				continue
			}
			end, goesOn := top.To, false
			if limit.IsValid() && limit.Compare(top.To) <= 0 {
				end, goesOn = limit.Prev(), true
			}
			if at.Compare(end) <= 0 {
				out = joined(out, Span{at, end, top.Until})
			}
			if goesOn {
				at = limit
				return
			}
			heap.Pop(&open)
			if at = end.Next(); !at.IsValid() {
				open = nil
			}
		}
	}
	for _, next := range sorted {
		if at.IsValid() && at.BitLen() != next.From.BitLen() {
			upTo(netip.Addr{})
			open = nil
		} else {
			upTo(next.From)
		}
		at = next.From
		heap.Push(&open, next)
	}
	upTo(netip.Addr{})
	return out
}

// joined adds a span; one that goes on where the last one ends, for as long, is part of it.
func joined(out []Span, next Span) []Span {
	if len(out) > 0 {
		last := &out[len(out)-1]
		if last.Until.Equal(next.Until) && last.To.BitLen() == next.From.BitLen() && last.To.Next() == next.From {
			last.To = next.To
			return out
		}
	}
	return append(out, next)
}

// lastOf is the last address of a network.
func lastOf(network netip.Prefix) netip.Addr {
	raw := network.Masked().Addr().AsSlice()
	for bit := network.Bits(); bit < len(raw)*8; bit++ {
		raw[bit/8] |= 0x80 >> (bit % 8)
	}
	last, _ := netip.AddrFromSlice(raw)
	return last
}

// longest is a heap with the span that is blocked the longest on top.
type longest []Span

func (l longest) Len() int           { return len(l) }
func (l longest) Less(i, j int) bool { return l[i].Until.After(l[j].Until) }
func (l longest) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }

// Push is of the heap.
func (l *longest) Push(one any) { *l = append(*l, one.(Span)) } //nolint:forcetypeassert // only Spans pushes

// Pop is of the heap.
func (l *longest) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}

// merged are ports without overlaps.
func merged(ports []Ports) (out []Ports) {
	sorted := slices.SortedFunc(slices.Values(ports), func(a, b Ports) int { return cmp.Compare(a.From, b.From) })
	for _, one := range sorted {
		if len(out) > 0 && int(one.From) <= int(out[len(out)-1].To)+1 {
			out[len(out)-1].To = max(out[len(out)-1].To, one.To)
			continue
		}
		out = append(out, one)
	}
	return out
}
